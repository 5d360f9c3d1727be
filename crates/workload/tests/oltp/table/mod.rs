//! Datasets of given options, and the rows that they give.

use contract::{Chunk, Dataset, RowWriter};
use serde_json::{Value as Json, json};
use workload::sysbench::{Sysbench, SysbenchDataset};

/// The data of a script that only reads, but for the options that are given.
pub fn dataset(given: &Json, seed: u64) -> SysbenchDataset {
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

/// All rows of a chunk, their columns in text form.
pub fn rows(dataset: &SysbenchDataset, chunk: &Chunk) -> Vec<Vec<String>> {
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
