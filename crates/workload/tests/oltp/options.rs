//! Options: sysbench's names and defaults, and the words for those that can't be run.

use serde_json::{Value as Json, json};
use workload::sysbench::{Sysbench, SysbenchOptions};

fn options(given: Json) -> Result<SysbenchOptions, serde_json::Error> {
    serde_json::from_value(given)
}

#[test]
fn defaults_are_those_of_sysbench_but_for_the_distribution() {
    let explicit = json!({
        "script": "oltp_read_write", "tables": 1, "table_size": 10_000, "distribution": "uniform",
        "range_size": 100, "point_selects": 10, "range_selects": true, "simple_ranges": 1,
        "sum_ranges": 1, "order_ranges": 1, "distinct_ranges": 1, "index_updates": 1,
        "non_index_updates": 1, "delete_inserts": 1, "skip_trx": false, "auto_inc": true,
        "create_secondary": true, "mysql_storage_engine": "InnoDB", "zipfian_exponent": 0.8,
        "pareto_h": 0.2, "special_percent": 1.0, "special_residual": 75.0, "scrambled": false,
        "read_hash": false, "random_points": 10, "number_of_ranges": 10, "delta": 5, "secondary": false,
        "create_table_options": ""
    });
    let default = options(json!({"script": "oltp_read_write"})).unwrap();
    assert_eq!(options(explicit).unwrap(), default);
}

#[test]
fn what_cannot_be_parsed_is_refused() {
    for (given, message) in [
        (json!({}), "missing field `script`"),
        (json!({"script": "oltp_upsert"}), "unknown variant `oltp_upsert`"),
        (json!({"script": "oltp_read_only", "rows": 5}), "unknown field `rows`"),
        (json!({"script": "oltp_read_only", "tables": -1}), "integer `-1`"),
        (json!({"script": "oltp_read_only", "distribution": "normal"}), "unknown variant `normal`"),
    ] {
        let error = options(given).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn what_cannot_be_run_is_refused_with_what_would_be_right() {
    let integer = "give an integer from 1 to";
    for (given, message) in [
        (json!({"tables": 0}), format!("tables is 0: {integer} 10000")),
        (json!({"tables": 10_001}), format!("tables is 10001: {integer} 10000")),
        (json!({"table_size": 0}), format!("table_size is 0: {integer} 2147483647")),
        (
            json!({"table_size": 3_000_000_000_u64}),
            format!("table_size is 3000000000: {integer} 2147483647"),
        ),
        (json!({"range_size": 0}), format!("range_size is 0: {integer} 2147483647")),
        (json!({"random_points": 0}), format!("random_points is 0: {integer} 10000")),
        (
            json!({"number_of_ranges": 20_000}),
            format!("number_of_ranges is 20000: {integer} 10000"),
        ),
        (
            json!({"delta": 3_000_000_000_u64}),
            "delta is 3000000000: give an integer from 0 to 2147483647".into(),
        ),
        (
            json!({"zipfian_exponent": -0.1}),
            "zipfian_exponent is -0.1: give a number from 0 to 10".into(),
        ),
        (json!({"pareto_h": 1.0}), "pareto_h is 1: give a number between 0 and 1".into()),
        (
            json!({"special_percent": 0.0}),
            "special_percent is 0: give a number above 0 and up to 100".into(),
        ),
        (
            json!({"special_residual": 101}),
            "special_residual is 101: give a number from 0 to 100".into(),
        ),
        (
            json!({"script": "select_random_points", "tables": 2}),
            "tables is 2: the script select_random_points runs on one table; set 1".into(),
        ),
        (
            json!({"mysql_storage_engine": "InnoDB; --"}),
            "mysql_storage_engine is \"InnoDB; --\": give the name of an engine, such as InnoDB"
                .into(),
        ),
        (
            json!({"point_selects": 0, "range_selects": false}),
            "script is oltp_read_only: it has no statements left; set one of its numbers \
             (point_selects, simple_ranges, index_updates, …) above 0"
                .into(),
        ),
        (
            json!({"point_selects": u64::MAX}),
            format!(
                "script is oltp_read_only: its transaction would have {} statements; lower \
                 point_selects or the others to 10000 together",
                u64::MAX
            ),
        ),
    ] {
        let mut complete = json!({"script": "oltp_read_only"});
        complete.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
        let error = Sysbench::new(options(complete).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), format!("workload.sysbench.{message}"));
    }
}
