//! The tables of each schema: 3.5 of what implementations really make.

use std::collections::BTreeSet;

use contract::{Dataset, Dialect};
use serde_json::{Value as Json, json};

use super::table::{chunks, dataset};
use super::{tpcc, tpcc_on};

const DIALECTS: [Dialect; 3] = [Dialect::MySql, Dialect::Sqlite, Dialect::PostgreSql];
const SCHEMAS: [&str; 5] = ["spec", "benchmarksql", "tpcc_mysql", "go_tpc", "sysbench_tpcc"];

fn of(schema: &str) -> Json {
    json!({"warehouses": 1, "schema": schema})
}

fn indexes(options: Json, dialect: Dialect) -> Vec<String> {
    let lists = dataset(options, 1).finish(dialect).concat().concat();
    let found = lists.into_iter().filter(|sql| sql.contains(" INDEX "));
    found.map(|sql| sql.replace("CREATE ", "").replace(" INDEX", "")).collect()
}

#[test]
fn indexes_are_those_of_each_tool() {
    for (schema, expected) in [
        (
            "spec",
            vec![
                "INDEX customer_by_name ON customer (c_w_id, c_d_id, c_last, c_first)",
                "INDEX orders_by_customer ON orders (o_w_id, o_d_id, o_c_id, o_id)",
            ],
        ),
        (
            "benchmarksql",
            vec![
                "INDEX bmsql_customer_idx1 ON bmsql_customer (c_w_id, c_d_id, c_last, c_first)",
                "UNIQUE bmsql_oorder_idx1 ON bmsql_oorder (o_w_id, o_d_id, o_carrier_id, o_id)",
            ],
        ),
        (
            "tpcc_mysql",
            vec![
                "INDEX fkey_stock_2 ON stock (s_i_id)",
                "INDEX idx_customer ON customer (c_w_id, c_d_id, c_last, c_first)",
                "INDEX idx_orders ON orders (o_w_id, o_d_id, o_c_id, o_id)",
                "INDEX fkey_order_line_2 ON order_line (ol_supply_w_id, ol_i_id)",
            ],
        ),
        (
            "sysbench_tpcc",
            vec![
                "INDEX fkey_stock_21 ON stock1 (s_i_id)",
                "INDEX idx_customer1 ON customer1 (c_w_id, c_d_id, c_last, c_first)",
                "INDEX fkey_history_11 ON history1 (h_c_w_id, h_c_d_id, h_c_id)",
                "INDEX fkey_history_21 ON history1 (h_w_id, h_d_id)",
                "INDEX idx_orders1 ON orders1 (o_w_id, o_d_id, o_c_id, o_id)",
                "INDEX fkey_order_line_21 ON order_line1 (ol_supply_w_id, ol_i_id)",
            ],
        ),
        (
            "go_tpc",
            vec![
                "INDEX idx_customer ON customer (c_w_id, c_d_id, c_last, c_first)",
                "INDEX idx_h_w_id ON history (h_w_id)",
                "INDEX idx_h_c_w_id ON history (h_c_w_id)",
                "INDEX idx_order ON orders (o_w_id, o_d_id, o_c_id, o_id)",
            ],
        ),
    ] {
        for dialect in DIALECTS {
            assert_eq!(indexes(of(schema), dialect), expected, "{schema}");
        }
    }
}

#[test]
fn rows_fit_the_columns_of_every_schema_and_dialect() {
    for schema in SCHEMAS {
        for dialect in DIALECTS {
            let data = tpcc_on(dialect, of(schema)).dataset(1);
            let create = data.create(dialect);
            let tables = data.tables();
            assert_eq!(create.len(), tables.len());
            for (name, sql) in tables.iter().zip(&create) {
                let body = sql.strip_prefix(&format!("CREATE TABLE {name} (")).unwrap();
                let source = data.rows(&chunks(&data, name)[0]);
                let written: BTreeSet<&str> = source.columns().iter().copied().collect();
                let there: BTreeSet<&str> = body
                    .split(", ")
                    .filter_map(|part| part.split_once(' '))
                    .map(|(column, _)| column)
                    .filter(|column| column.contains('_') && *column != "hist_id")
                    .collect();
                assert_eq!(there, written, "{schema} {name}");
            }
            assert_eq!(data.drop(dialect).len(), tables.len());
        }
    }
}

#[test]
fn statements_name_the_tables_of_their_schema_alone() {
    for schema in SCHEMAS {
        let workload = tpcc(of(schema));
        let tables: BTreeSet<String> = workload.dataset(1).tables().into_iter().collect();
        let statements = contract::Workload::statements(&workload, Dialect::MySql);
        let mut named = BTreeSet::new();
        for statement in statements.iter() {
            let words: Vec<&str> = statement.sql.split([' ', ',']).collect();
            for pair in words.windows(2) {
                if ["FROM", "INTO"].contains(&pair[0]) || pair[0] == "UPDATE" {
                    named.insert(pair[1].to_owned());
                }
            }
        }
        named.remove(""); // FOR UPDATE at the end.
        let without_config = tables.into_iter().filter(|name| name != "bmsql_config");
        assert!(named.into_iter().eq(without_config), "{schema}");
    }
}

const FOREIGN_KEYS: [&str; 10] = [
    "(d_w_id) REFERENCES warehouse (w_id)",
    "(c_w_id, c_d_id) REFERENCES district (d_w_id, d_id)",
    "(h_c_w_id, h_c_d_id, h_c_id) REFERENCES customer (c_w_id, c_d_id, c_id)",
    "(h_w_id, h_d_id) REFERENCES district (d_w_id, d_id)",
    "(no_w_id, no_d_id, no_o_id) REFERENCES orders (o_w_id, o_d_id, o_id)",
    "(o_w_id, o_d_id, o_c_id) REFERENCES customer (c_w_id, c_d_id, c_id)",
    "(ol_w_id, ol_d_id, ol_o_id) REFERENCES orders (o_w_id, o_d_id, o_id)",
    "(ol_supply_w_id, ol_i_id) REFERENCES stock (s_w_id, s_i_id)",
    "(s_w_id) REFERENCES warehouse (w_id)",
    "(s_i_id) REFERENCES item (i_id)",
];

#[test]
fn the_ten_foreign_keys_are_made_where_they_are_asked_for() {
    for schema in SCHEMAS {
        for dialect in DIALECTS {
            let all = |options: Json| {
                let data = tpcc_on(dialect, options).dataset(1);
                [data.create(dialect), data.finish(dialect).concat().concat()].concat().join("\n")
            };
            assert!(!all(of(schema)).contains("REFERENCES"));
            let mut options = of(schema);
            options["foreign_keys"] = json!(true);
            let all = all(options).replace("bmsql_oorder", "orders").replace("bmsql_", "");
            // sysbench-tpcc's are tpcc-mysql's with a number.
            let all = all.replace("1 (", " (");
            assert_eq!(all.matches("REFERENCES").count(), 10);
            for key in FOREIGN_KEYS {
                assert!(all.contains(&format!("FOREIGN KEY {key}")), "{schema} {key}: {all}");
            }
        }
    }
}

#[test]
fn options_of_tables_stand_where_their_server_takes_them() {
    let create = |dialect, partitions: u64| {
        let mut options = of("spec");
        options["table_options"] = json!("OPTIONS HERE");
        options["partitions"] = json!(partitions);
        tpcc_on(dialect, options).dataset(1).create(dialect)
    };
    for dialect in DIALECTS {
        assert!(create(dialect, 0).iter().all(|sql| sql.ends_with(") OPTIONS HERE")));
    }
    let partitioned = create(Dialect::MySql, 3);
    assert!(partitioned[0].starts_with("CREATE TABLE item ") && partitioned[0].ends_with(" HERE"));
    assert!(partitioned[1].ends_with(") OPTIONS HERE PARTITION BY HASH (w_id) PARTITIONS 3"));
    // In PostgreSQL a table that is cut into partitions holds nothing itself, and takes no options.
    let partitioned = create(Dialect::PostgreSql, 2);
    assert_eq!(partitioned.len(), 9 + 8 * 2);
    assert!(partitioned[1].ends_with(") PARTITION BY HASH (w_id)"), "{}", partitioned[1]);
    assert_eq!(
        partitioned[2],
        "CREATE TABLE warehouse_p0 PARTITION OF warehouse \
         FOR VALUES WITH (MODULUS 2, REMAINDER 0) OPTIONS HERE"
    );
}

#[test]
fn the_fingerprint_names_all_that_makes_the_data() {
    let base = dataset(json!({"warehouses": 2}), 1).fingerprint();
    for (name, value) in [
        ("warehouses", json!(3)),
        ("schema", json!("go_tpc")),
        ("foreign_keys", json!(true)),
        ("indexes", json!(["customer_by_name"])),
        ("table_options", json!("X")),
        ("partitions", json!(2)),
        ("c_last_load", json!(1)),
        ("wide_texts", json!(true)),
        ("create", json!([])),
        ("load_range", json!([2, 2])),
    ] {
        let other = super::with(json!({"warehouses": 2}), name, value);
        assert_ne!(dataset(other, 1).fingerprint(), base, "{name}");
    }
    assert_ne!(dataset(json!({"warehouses": 2}), 2).fingerprint(), base);
    // What is asked of the data is no part of the data.
    for (name, value) in [
        ("deck", json!(true)),
        ("home_warehouse", json!("random")),
        ("home_range", json!([2, 2])),
        ("rollback_percent", json!(5.0)),
        ("delivery", json!("deferred")),
        ("pacing", json!({"keying": 1.0, "think": 1.0})),
    ] {
        let same = super::with(json!({"warehouses": 2}), name, value);
        assert_eq!(dataset(same, 1).fingerprint(), base, "{name}");
    }
}
