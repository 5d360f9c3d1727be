//! Texts of a file: its words, one after another.

use std::fs;
use std::path::PathBuf;

use contract::{Chunk, Dataset, Dialect};
use serde_json::{Value as Json, json};
use workload::tpcc::{Tpcc, TpccDataset};

use super::table::{Table, chunks, dataset, rows};

/// A file that is removed again.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: impl AsRef<[u8]>) -> Self {
        let name = format!("dbdyno-tpcc-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, text).unwrap();
        Self(path)
    }

    fn options(&self) -> Json {
        json!({"warehouses": 1, "text": self.0})
    }

    fn dataset(&self) -> TpccDataset {
        dataset(self.options(), 1)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn part(data: &TpccDataset, table: &str, number: usize, count: u64) -> Table {
    let Chunk { table, first, rows: all } = chunks(data, table)[number];
    rows(data, &Chunk { table, first, rows: count.min(all) })
}

type Columns = &'static [(&'static str, usize, usize)];

/// Columns that are filled from the text, with the lengths that they may have; of the data of items
/// and stock a tenth has ORIGINAL in it.
const COLUMNS: [(&str, Columns); 5] = [
    ("item", &[("i_name", 14, 24), ("i_data", 26, 50)]),
    (
        "warehouse",
        &[("w_name", 6, 10), ("w_street_1", 10, 20), ("w_street_2", 10, 20), ("w_city", 10, 20)],
    ),
    ("stock", &[("s_data", 26, 50)]),
    (
        "customer",
        &[
            ("c_first", 8, 16),
            ("c_street_1", 10, 20),
            ("c_street_2", 10, 20),
            ("c_city", 10, 20),
            ("c_data", 300, 500),
        ],
    ),
    ("history", &[("h_data", 12, 24)]),
];

/// The texts of all columns of a table that come from the file, row by row; their lengths are
/// right.
fn texts(data: &TpccDataset, name: &str, number: usize, count: u64) -> Vec<String> {
    let (_, columns) = COLUMNS.iter().find(|(table, _)| *table == name).unwrap();
    let part = part(data, name, number, count);
    let mut texts = vec![String::new(); part.rows.len() * columns.len()];
    for (place, (column, shortest, longest)) in columns.iter().enumerate() {
        for (row, text) in part.texts(column).enumerate() {
            let length = text.chars().count();
            assert!((*shortest..=*longest).contains(&length), "{column}: {length} {text:?}");
            assert_eq!(text.trim(), text, "{column}");
            text.clone_into(&mut texts[row * columns.len() + place]);
        }
    }
    texts
}

/// A text of so many words, each with its number: `w3.` to `w9999.`.
fn numbered(words: usize, between: &str) -> String {
    let words: Vec<String> = (0..words).map(|number| format!("w{number}.")).collect();
    words.join(between)
}

/// The numbers of whole words in texts, in order. A word that was cut has no dot at its end.
fn numbers(texts: &[String]) -> Vec<usize> {
    let words = texts.iter().flat_map(|text| text.split(' '));
    // Where there was room for one letter more, it has no blank before it.
    let words = words.flat_map(|word| word.split_inclusive('.'));
    words.filter_map(|word| word.strip_prefix('w')?.strip_suffix('.')?.parse().ok()).collect()
}

#[test]
fn words_come_one_after_another_and_none_is_left_out() {
    // Two blocks of the reader, and no white space at the end.
    let words = 20_000;
    for between in [" ", "\n", " \r\n\t\n ", "\0"] {
        let file = File::new("numbered", numbered(words, between));
        for name in ["customer", "history"] {
            let texts = texts(&file.dataset(), name, 0, 500);
            let numbers = numbers(&texts);
            assert!(numbers.len() > 500);
            let cut = texts.iter().filter(|text| !text.ends_with('.')).count();
            let mut skipped = 0;
            for pair in numbers.windows(2) {
                let step = (pair[1] + words - pair[0]) % words;
                skipped += step - 1;
                // Words are cut where a text would be too short without, which is one at a time.
                assert!((1..=2).contains(&step), "{between:?} {name}: {pair:?}");
            }
            assert!(skipped <= cut, "{skipped} words are missing, {cut} were cut");
        }
    }
}

#[test]
fn after_the_last_word_comes_the_first() {
    // One of several words, one without end, one with white space at both ends, one of one letter.
    for text in ["alpha beta gamma", "alpha", " alpha beta \n", "x", "日本"] {
        let words: Vec<&str> = text.split_whitespace().collect();
        let file = File::new("short", text);
        for (name, _) in COLUMNS {
            for (number, of) in chunks(&file.dataset(), name).iter().enumerate().take(3) {
                for found in texts(&file.dataset(), name, number, 100.min(of.rows)) {
                    if found.contains("ORIGINAL") {
                        continue;
                    }
                    let mut found: Vec<&str> = found.split(' ').collect();
                    // The last may be cut, and may have a letter more for want of room.
                    found.pop();
                    let places: Vec<Option<usize>> =
                        found.iter().map(|word| words.iter().position(|of| of == word)).collect();
                    for pair in places.windows(2) {
                        let next = pair[0].map(|place| (place + 1) % words.len());
                        assert!(next.is_some() && pair[1] == next, "{text:?}: {found:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn long_words_are_cut() {
    let long = "z".repeat(200_000);
    for text in [long.clone(), format!("{long} short"), format!("short\n{long}\nsmall")] {
        let file = File::new("long", text);
        for (name, _) in COLUMNS {
            for found in texts(&file.dataset(), name, 0, 200) {
                let allowed = |word: &str| {
                    let word = word.replace("ORIGINAL", "");
                    word.chars().all(|letter| "zshortmal".contains(letter))
                };
                assert!(found.split(' ').all(allowed), "{found}");
            }
        }
    }
}

#[test]
fn characters_of_several_bytes_stay_whole() {
    let text = "Ærøskøbing naïve Größe 日本語のテキスト 🙂🙂 плюс x ".repeat(300);
    let file = File::new("characters", &text);
    let data = file.dataset();
    assert!(!data.rows(&data.chunks()[0]).is_ascii());
    for (name, _) in COLUMNS {
        for number in 0..chunks(&data, name).len().min(3) {
            for found in texts(&data, name, number, 300) {
                assert!(!found.contains('\u{fffd}'), "{found}");
            }
        }
    }
    let plain = File::new("plain", "all of this is ASCII");
    let data = plain.dataset();
    assert!(data.rows(&data.chunks()[0]).is_ascii());
    // What is no UTF-8 does no harm.
    let broken =
        File::new("broken", [b"caf\xe9 ".repeat(9), b"\xff\xfe\x00 ok ".to_vec()].concat());
    for (name, _) in COLUMNS {
        texts(&broken.dataset(), name, 0, 100);
    }
}

#[test]
fn a_tenth_of_the_data_is_original_there_too() {
    let file = File::new("original", numbered(5000, " "));
    for (name, place) in [("item", 1), ("stock", 0)] {
        let columns = place + 1;
        let texts = texts(&file.dataset(), name, 0, 10_000);
        let data = texts.iter().skip(place).step_by(columns);
        let original = data.clone().filter(|text| text.contains("ORIGINAL")).count() as u64;
        super::assert_share(original, data.count() as u64, 0.1);
    }
}

#[test]
fn chunks_go_on_about_where_the_one_before_ends() {
    for wide in [false, true] {
        let words = 1_200_000;
        let file = File::new("chunks", numbered(words, " "));
        let mut options = file.options();
        options["wide_texts"] = json!(wide);
        let data = dataset(options, 1);
        for name in ["item", "customer"] {
            let column = if name == "item" { "i_data" } else { "c_data" };
            let all = |number: usize| {
                let part = rows(&data, &chunks(&data, name)[number]);
                let texts: Vec<String> = part.texts(column).map(String::from).collect();
                numbers(&texts)
            };
            let (first, second) = (all(0), all(1));
            let last = first[first.len() - 1];
            let length = (last + words - first[0]) % words;
            let gap = second[0].abs_diff(last);
            let gap = gap.min(words - gap);
            assert!(gap * 10 < length, "{name}, wide {wide}: {gap} words after {length}");
        }
    }
}

#[test]
fn texts_are_the_same_whoever_asks_and_other_for_another_file() {
    let (file, other) = (File::new("a", numbered(900, " ")), File::new("b", numbered(901, " ")));
    let same = File::new("c", numbered(900, " "));
    let (data, again) = (file.dataset(), file.dataset());
    let last = chunks(&data, "customer").len() - 1;
    let late = texts(&data, "customer", last, 50);
    assert_eq!(late, texts(&again, "customer", last, 50));
    assert_ne!(late, texts(&data, "customer", 0, 50));
    assert_ne!(late, texts(&other.dataset(), "customer", last, 50));
    // What makes the rows is what stands in the file, not where it lies.
    assert_eq!(data.fingerprint(), same.dataset().fingerprint());
    assert_ne!(data.fingerprint(), other.dataset().fingerprint());
    assert_ne!(data.fingerprint(), dataset(json!({"warehouses": 1}), 1).fingerprint());
    // Codes are no prose.
    let customers = part(&data, "customer", 0, 100);
    assert!(customers.texts("c_phone").all(|text| text.bytes().all(|byte| byte.is_ascii_digit())));
    let stock = part(&data, "stock", 0, 100);
    assert!(stock.texts("s_dist_01").all(|text| text.len() == 24 && !text.contains(' ')));
}

#[test]
fn a_file_without_words_is_refused() {
    let empty = ["", " \n\t ", "\0\0 \0"];
    for (number, text) in empty.into_iter().enumerate() {
        let file = File::new(&format!("empty-{number}"), text);
        let options = serde_json::from_value(file.options()).unwrap();
        let refused = Tpcc::new(options, Dialect::MySql).unwrap_err().to_string();
        let expected = ": has no words in it; give a file with words in it";
        assert!(refused.ends_with(expected), "{refused}");
    }
    for path in ["/nonexistent", "/"] {
        let options = serde_json::from_value(json!({"warehouses": 1, "text": path})).unwrap();
        let refused = Tpcc::new(options, Dialect::MySql).unwrap_err().to_string();
        assert!(refused.starts_with(&format!("workload.tpcc.text is {path}: can't be read: ")));
    }
}

#[test]
fn wide_texts_are_as_wide_as_their_columns() {
    let data = dataset(json!({"warehouses": 1, "wide_texts": true}), 1);
    for (name, column, shortest, longest) in [
        ("item", "i_data", 251, 500),
        ("stock", "s_data", 251, 500),
        ("customer", "c_data", 500, 1000),
    ] {
        let part = part(&data, name, 0, 10_000);
        let lengths: Vec<i64> =
            part.texts(column).map(|text| i64::try_from(text.len()).unwrap()).collect();
        super::assert_uniform(&lengths, shortest, longest);
        for dialect in [Dialect::MySql, Dialect::PostgreSql, Dialect::Sqlite] {
            let wide = format!("{column} VARCHAR({longest})");
            assert!(data.create(dialect).iter().any(|sql| sql.contains(&wide)), "{wide}");
        }
    }
    let words = File::new("wide", numbered(9999, " "));
    let mut options = words.options();
    options["wide_texts"] = json!(true);
    let customers = part(&dataset(options, 1), "customer", 0, 500);
    let lengths: Vec<usize> = customers.texts("c_data").map(|text| text.chars().count()).collect();
    assert!(lengths.iter().all(|length| (500..=1000).contains(length)));
    assert!(lengths.iter().any(|length| *length > 980));
}
