//! The tables: statements in each dialect, what makes two datasets the same, and what is asked of
//! tables that are there.

use crate::table::{dataset, rows};
use contract::{Dataset, Dialect};
use serde_json::json;

const DIALECTS: [Dialect; 3] = [Dialect::MySql, Dialect::Sqlite, Dialect::PostgreSql];

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
        // The server has to know which numbers are taken.
        let counter =
            |table| format!("SELECT SETVAL(PG_GET_SERIAL_SEQUENCE('sbtest{table}', 'id'), 10000)");
        let finish = [1, 2].map(|table| {
            let mut statements = vec![format!("CREATE INDEX k_{table} ON sbtest{table} (k)")];
            statements.extend((dialect == Dialect::PostgreSql).then(|| counter(table)));
            statements.push(format!("{analyze} sbtest{table}"));
            statements
        });
        assert_eq!(data.finish(dialect), [finish]);
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
        assert_eq!(data.finish(dialect)[0][0].len(), 1, "only the statistics");
        let index = &data.verifications(dialect)[1];
        assert_eq!(index.expected, ["0"]);
    }
    assert!(data.create(Dialect::MySql)[0].ends_with(" ENGINE=RocksDB"));
}

#[test]
fn the_id_may_have_an_ordinary_index() {
    let data = dataset(&json!({"secondary": true, "create_table_options": "/* X */"}), 1);
    let create = |dialect| data.create(dialect).remove(0);
    assert!(create(Dialect::MySql).contains(", KEY xid_1 (id)) ENGINE=InnoDB /* X */"));
    for dialect in DIALECTS {
        assert!(!create(dialect).contains("PRIMARY KEY"));
        assert!(create(dialect).ends_with(" /* X */"));
    }
    for dialect in [Dialect::Sqlite, Dialect::PostgreSql] {
        assert_eq!(data.finish(dialect)[0][0][0], "CREATE INDEX xid_1 ON sbtest1 (id)");
    }
}

#[test]
fn bulk_insert_has_empty_tables_of_its_own() {
    let data = dataset(&json!({"script": "bulk_insert", "tables": 2}), 1);
    let columns = "(id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY (id))";
    assert_eq!(
        data.create(Dialect::PostgreSql),
        [format!("CREATE TABLE sbtest1 {columns}"), format!("CREATE TABLE sbtest2 {columns}")]
    );
    assert_eq!(data.finish(Dialect::Sqlite), [[["ANALYZE sbtest1"], ["ANALYZE sbtest2"]]]);
    assert!(data.chunks().is_empty());
}

#[test]
fn ids_that_are_given_start_on_empty_tables() {
    let data = dataset(&json!({"script": "oltp_insert", "auto_inc": false}), 1);
    assert!(data.chunks().is_empty());
    let numbered = dataset(&json!({"script": "oltp_insert"}), 1);
    assert_eq!(numbered.chunks().len(), 1);
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
        json!({"secondary": true}),
        json!({"create_table_options": "ROW_FORMAT=COMPRESSED"}),
        json!({"scrambled": true}),
        json!({"script": "oltp_insert", "auto_inc": false}),
        json!({"script": "bulk_insert"}),
    ] {
        assert_ne!(dataset(&other, 1).fingerprint(), base, "{other}");
    }
    assert_ne!(dataset(&json!({}), 2).fingerprint(), base);
    // What is asked of the data is no part of the data.
    for same in [
        json!({"script": "oltp_read_write"}),
        json!({"script": "oltp_insert"}),
        json!({"range_size": 5, "random_points": 5}),
        json!({"zipfian_exponent": 0.5}),
    ] {
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

#[test]
fn scripts_that_add_or_remove_rows_are_asked_for_what_they_leave() {
    let extent = |script: &str| {
        let data = dataset(&json!({"script": script, "table_size": 50}), 1);
        let question = data.verifications(Dialect::Sqlite).remove(0);
        (question.sql, question.expected)
    };
    let all = vec!["50".to_owned(), "1".into(), "50".into()];
    let added = "SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest1 WHERE id BETWEEN 1 AND 50";
    assert_eq!(extent("oltp_insert"), (added.into(), all));
    let removed = "SELECT COUNT(*) FROM sbtest1 WHERE id < 1 OR id > 50";
    assert_eq!(extent("oltp_delete"), (removed.into(), vec!["0".to_owned()]));
}

#[test]
fn a_sample_of_a_large_table_has_its_ends_and_ranges_between_that_do_not_overlap() {
    let data = dataset(&json!({"script": "oltp_update_index", "table_size": 10_000_000}), 1);
    for dialect in DIALECTS {
        let questions = data.sampled_verifications(dialect);
        let [ends, within, index] = &questions[..] else { panic!("{questions:?}") };
        assert_eq!(
            ends.sql,
            "SELECT MIN(id), MAX(id) FROM sbtest1 WHERE id BETWEEN 1 AND 10000000"
        );
        assert_eq!(ends.expected, ["1", "10000000"]);
        assert!(
            within.sql.starts_with("SELECT COUNT(*) FROM sbtest1 WHERE id BETWEEN 1 AND 1000 OR")
        );
        assert!(within.sql.ends_with("OR id BETWEEN 9999001 AND 10000000"), "{}", within.sql);
        assert_eq!(within.expected, ["20000"]);
        let mut numbers = within.sql.split(' ').filter_map(|word| word.parse::<u64>().ok());
        let mut last = 0;
        while let (Some(first), Some(end)) = (numbers.next(), numbers.next()) {
            assert!(first > last && end == first + 999, "{first} to {end} after {last}");
            last = end;
        }
        assert_eq!(index.expected, ["1"]);
    }
}

#[test]
fn a_sample_of_a_small_table_and_of_one_that_loses_rows_is_all_that_there_is_to_ask() {
    for options in
        [json!({"table_size": 20_000}), json!({"script": "oltp_delete", "table_size": 10_000_000})]
    {
        let data = dataset(&options, 1);
        let (sample, whole) =
            (data.sampled_verifications(Dialect::MySql), data.verifications(Dialect::MySql));
        assert_eq!(sample.len(), whole.len());
        assert!(sample.iter().zip(&whole).all(|(one, other)| one.sql == other.sql));
    }
}
