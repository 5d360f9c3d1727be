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
        "create_secondary": true, "mysql_storage_engine": "InnoDB"
    });
    let default = options(json!({"script": "oltp_read_write"})).unwrap();
    assert_eq!(options(explicit).unwrap(), default);
}

#[test]
fn what_cannot_be_parsed_is_refused() {
    for (given, message) in [
        (json!({}), "missing field `script`"),
        (json!({"script": "oltp_delete"}), "unknown variant `oltp_delete`"),
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
