//! The rows: they depend on options and seed alone.

use std::collections::HashSet;

use crate::table::{dataset, rows};
use contract::Dataset;
use serde_json::json;

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
