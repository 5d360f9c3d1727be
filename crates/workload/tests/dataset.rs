//! The data: statements in each dialect, and rows that depend on options and seed alone.

use std::collections::HashSet;

use contract::{Chunk, Dataset, Dialect, RowWriter};
use serde_json::{Value as Json, json};
use workload::sysbench::{Sysbench, SysbenchDataset};

const DIALECTS: [Dialect; 3] = [Dialect::MySql, Dialect::Sqlite, Dialect::PostgreSql];

fn dataset(given: &Json, seed: u64) -> SysbenchDataset {
    let mut options = json!({"script": "oltp_point_select"});
    options.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
    Sysbench::new(serde_json::from_value(options).unwrap()).unwrap().dataset(seed)
}

#[derive(Default)]
struct Fields(Vec<String>);

impl RowWriter for Fields {
    fn null(&mut self) {
        panic!("no column may be NULL");
    }

    fn int(&mut self, value: i64) {
        self.0.push(value.to_string());
    }

    fn text(&mut self, value: &str) {
        self.0.push(value.into());
    }
}

fn rows(dataset: &SysbenchDataset, chunk: &Chunk) -> Vec<Vec<String>> {
    let mut source = dataset.rows(chunk);
    assert_eq!(source.columns(), ["id", "k", "c", "pad"]);
    assert_eq!(source.table(), format!("sbtest{}", chunk.table + 1));
    let mut rows = Vec::new();
    loop {
        let mut fields = Fields::default();
        if !source.next(&mut fields) {
            assert!(fields.0.is_empty());
            return rows;
        }
        rows.push(fields.0);
    }
}

#[test]
fn chunks_hold_each_id_once() {
    for table_size in [1, 9_999, 10_000, 10_001, 25_000] {
        let dataset = dataset(&json!({"tables": 2, "table_size": table_size}), 1);
        for table in 0..2 {
            let mut next = 1;
            for chunk in dataset.chunks().iter().filter(|chunk| chunk.table == table) {
                let rows = rows(&dataset, chunk);
                assert_eq!(rows.len() as u64, chunk.rows);
                for row in rows {
                    assert_eq!(row[0], next.to_string());
                    next += 1;
                }
            }
            assert_eq!(next - 1, table_size);
        }
    }
}

#[test]
fn chunks_come_table_by_table_in_the_order_of_ids() {
    let chunks = dataset(&json!({"tables": 3, "table_size": 20_000}), 1).chunks();
    let order: Vec<_> = chunks.iter().map(|chunk| (chunk.table, chunk.first)).collect();
    assert_eq!(order, [(0, 1), (0, 10_001), (1, 1), (1, 10_001), (2, 1), (2, 10_001)]);
}

#[test]
fn rows_are_the_same_in_any_order_and_differ_by_seed_and_chunk() {
    let options = json!({"tables": 2, "table_size": 20_000});
    let (data, same, other) = (dataset(&options, 1), dataset(&options, 1), dataset(&options, 2));
    let chunks = data.chunks();
    let forward: Vec<_> = chunks.iter().map(|chunk| rows(&data, chunk)).collect();
    let backward: Vec<_> = chunks.iter().rev().map(|chunk| rows(&same, chunk)).collect();
    assert!(forward.iter().eq(backward.iter().rev()));
    assert_ne!(forward[0], rows(&other, &chunks[0]));
    let texts: HashSet<_> = forward.iter().flatten().map(|row| &row[2]).collect();
    assert_eq!(texts.len(), 40_000, "no text occurs twice");
}

#[test]
fn columns_are_in_their_range_and_format() {
    let data = dataset(&json!({"table_size": 10_000}), 1);
    let rows = rows(&data, &data.chunks()[0]);
    for row in &rows {
        assert!((1..=10_000).contains(&row[1].parse::<u64>().unwrap()));
        for (text, groups, length) in [(&row[2], 10, 119), (&row[3], 5, 59)] {
            assert_eq!((text.len(), text.split('-').count()), (length, groups));
            let digits =
                |group: &str| group.len() == 11 && group.bytes().all(|b| b.is_ascii_digit());
            assert!(text.split('-').all(digits), "{text}");
        }
    }
    let different: HashSet<_> = rows.iter().map(|row| &row[1]).collect();
    // Of n values drawn n times, 1 − 1/e are expected to occur.
    assert!((6_200..6_450).contains(&different.len()), "{} values of k", different.len());
}

#[test]
fn k_follows_the_distribution() {
    let data = dataset(&json!({"table_size": 10_000, "distribution": "pareto"}), 1);
    let rows = rows(&data, &data.chunks()[0]);
    let hottest = rows.iter().filter(|row| row[1].parse::<u64>().unwrap() <= 100).count();
    assert!((5_150..5_450).contains(&hottest), "{hottest} of 10000 in the first 1 %");
}

#[test]
fn the_first_row_never_changes() {
    let data = dataset(&json!({}), 42);
    let first = rows(&data, &data.chunks()[0]).remove(0);
    let c = "83424763855-53761199309-30066168079-35319753394-81672165446-\
             30595541798-51131171167-35507198826-99847982117-76076022029";
    let pad = "62685296719-01730739541-53249564936-94715228840-13034940836";
    assert_eq!(first, ["1", "6764", c, pad]);
}

#[test]
fn statements_speak_each_dialect() {
    let data = dataset(&json!({"tables": 2}), 1);
    let columns = "k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, \
                   pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id))";
    for (dialect, id, engine, analyze) in [
        (Dialect::MySql, "INTEGER NOT NULL AUTO_INCREMENT", " ENGINE=InnoDB", "ANALYZE TABLE"),
        (Dialect::Sqlite, "INTEGER NOT NULL", "", "ANALYZE"),
        (Dialect::PostgreSql, "SERIAL", "", "ANALYZE"),
    ] {
        let create =
            ["sbtest1", "sbtest2"].map(|t| format!("CREATE TABLE {t} (id {id}, {columns}{engine}"));
        assert_eq!(data.create(dialect), create);
        let finish = [1, 2].map(|table| {
            [
                format!("CREATE INDEX k_{table} ON sbtest{table} (k)"),
                format!("{analyze} sbtest{table}"),
            ]
        });
        assert_eq!(data.finish(dialect), finish);
        let drop = ["DROP TABLE IF EXISTS sbtest1", "DROP TABLE IF EXISTS sbtest2"];
        assert_eq!(data.drop(dialect), drop);
    }
    assert_eq!(data.tables(), ["sbtest1", "sbtest2"]);
}

#[test]
fn schema_options_reach_the_schema() {
    let data = dataset(
        &json!({"auto_inc": false, "create_secondary": false, "mysql_storage_engine": "RocksDB"}),
        1,
    );
    for dialect in DIALECTS {
        assert!(data.create(dialect)[0].contains("(id INTEGER NOT NULL, k"));
        assert_eq!(data.finish(dialect)[0].len(), 1, "only the statistics");
        let index = &data.verifications(dialect)[1];
        assert_eq!(index.expected, ["0"]);
    }
    assert!(data.create(Dialect::MySql)[0].ends_with(" ENGINE=RocksDB"));
}

#[test]
fn the_fingerprint_names_all_that_makes_the_data() {
    let base = dataset(&json!({}), 1).fingerprint();
    assert_eq!(
        base,
        "sysbench tables=1 table_size=10000 distribution=uniform seed=1 auto_inc=true \
         create_secondary=true mysql_storage_engine=innodb rows_version=1"
    );
    for other in [
        json!({"tables": 2}),
        json!({"table_size": 9}),
        json!({"distribution": "special"}),
        json!({"auto_inc": false}),
        json!({"create_secondary": false}),
        json!({"mysql_storage_engine": "RocksDB"}),
    ] {
        assert_ne!(dataset(&other, 1).fingerprint(), base, "{other}");
    }
    assert_ne!(dataset(&json!({}), 2).fingerprint(), base);
    // What is asked of the data is no part of the data.
    for same in [json!({"script": "oltp_read_write"}), json!({"range_size": 5})] {
        assert_eq!(dataset(&same, 1).fingerprint(), base, "{same}");
    }
}

#[test]
fn verifications_expect_extent_index_and_rows() {
    let data = dataset(&json!({"tables": 2, "table_size": 25_000}), 1);
    let chunks = data.chunks();
    for dialect in DIALECTS {
        let verifications = data.verifications(dialect);
        assert_eq!(verifications.len(), 2 * 4);
        let [extent, index, first, last] = &verifications[4..] else { panic!() };
        assert!(verifications[4..].iter().all(|verification| verification.table == "sbtest2"));
        assert_eq!(extent.sql, "SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest2");
        assert_eq!(extent.expected, ["25000", "1", "25000"]);
        assert!(index.sql.contains("'sbtest2'") && index.sql.contains("'k_2'"));
        assert_eq!(index.expected, ["1"]);
        for (row, chunk) in [(first, &chunks[3]), (last, &chunks[5])] {
            assert_eq!(row.expected, rows(&data, chunk)[0][1..]);
            let condition = format!(" FROM sbtest2 WHERE id = {}", chunk.first);
            assert!(row.sql.ends_with(&condition), "{}", row.sql);
        }
    }
}

#[test]
fn a_script_that_writes_expects_no_row_to_stay_as_it_was() {
    let data = dataset(&json!({"script": "oltp_update_index"}), 1);
    assert_eq!(data.verifications(Dialect::MySql).len(), 2);
}
