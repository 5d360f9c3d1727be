//! The initial population, clause 4.3.3.1.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use contract::Dataset;
use serde_json::json;

use super::table::{Table, chunks, dataset, rows, table};
use super::{assert_distributed, assert_share, assert_uniform};

const DISTRICTS: usize = 10;
const CUSTOMERS: usize = 3000;
const NOW: &str = "2026-01-01 00:00:00";

/// The tables of one warehouse.
static ITEM: LazyLock<Table> = LazyLock::new(|| one("item"));
static STOCK: LazyLock<Table> = LazyLock::new(|| one("stock"));
static CUSTOMER: LazyLock<Table> = LazyLock::new(|| one("customer"));
static ORDERS: LazyLock<Table> = LazyLock::new(|| one("orders"));
static ORDER_LINE: LazyLock<Table> = LazyLock::new(|| one("order_line"));

fn one(name: &str) -> Table {
    table(&dataset(json!({"warehouses": 1}), 42), name)
}

/// Warehouses and districts of more than one chunk.
fn many(name: &str) -> Table {
    table(&dataset(json!({"warehouses": 1100}), 42), name)
}

#[track_caller]
fn assert_all(table: &Table, column: &str, expected: &str) {
    assert!(table.texts(column).all(|text| text == expected), "{column}");
}

/// Texts of letters and digits, with each length as often as the others.
#[track_caller]
fn assert_texts(table: &Table, column: &str, shortest: i64, longest: i64) {
    let mut lengths = Vec::new();
    for text in table.texts(column) {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+-".contains(&byte);
        assert!(text.bytes().all(is_plain), "{text}");
        lengths.push(i64::try_from(text.len()).unwrap());
    }
    assert_uniform(&lengths, shortest, longest);
    let different: BTreeSet<_> = table.texts(column).collect();
    assert_eq!(different.len(), table.rows.len(), "no text of {column} occurs twice");
}

/// Data of which a tenth has ORIGINAL in it, anywhere.
fn assert_data(table: &Table, column: &str, shortest: i64, longest: i64) {
    assert_texts(table, column, shortest, longest);
    let places: Vec<usize> = table.texts(column).filter_map(|text| text.find("ORIGINAL")).collect();
    assert_share(places.len() as u64, table.rows.len() as u64, 0.1);
    let places: BTreeSet<usize> = places.into_iter().collect();
    let last = usize::try_from(longest).unwrap() - "ORIGINAL".len();
    assert!(places.into_iter().eq(0..=last), "at the start, at the end, and between");
}

fn assert_address(table: &Table, prefix: &str) {
    for column in ["street_1", "street_2", "city"] {
        assert_texts(table, &format!("{prefix}_{column}"), 10, 20);
    }
    let is_state = |text: &str| text.len() == 2 && text.bytes().all(|b| b.is_ascii_uppercase());
    assert!(table.texts(&format!("{prefix}_state")).all(is_state));
    let zips: Vec<i64> = table
        .texts(&format!("{prefix}_zip"))
        .map(|zip| {
            assert!(zip.len() == 9 && zip.ends_with("11111"), "{zip}");
            zip[..4].parse().unwrap()
        })
        .collect();
    assert_uniform(&zips.iter().map(|zip| zip / 100).collect::<Vec<_>>(), 0, 99);
}

#[test]
fn each_table_has_the_rows_of_its_warehouses() {
    for (schema, names) in [
        ("spec", ["new_order", "orders"]),
        ("go_tpc", ["new_order", "orders"]),
        ("tpcc_mysql", ["new_orders", "orders"]),
        ("benchmarksql", ["bmsql_new_order", "bmsql_oorder"]),
    ] {
        let data = dataset(json!({"warehouses": 3, "schema": schema}), 1);
        let prefix = if schema == "benchmarksql" { "bmsql_" } else { "" };
        let count = |name: &str| chunks(&data, name).iter().map(|chunk| chunk.rows).sum::<u64>();
        for (name, expected) in [
            ("item", 100_000),
            ("warehouse", 3),
            ("district", 30),
            ("stock", 300_000),
            ("customer", 90_000),
            ("history", 90_000),
        ] {
            assert_eq!(count(&format!("{prefix}{name}")), expected, "{schema} {name}");
        }
        assert_eq!([count(names[0]), count(names[1])], [27_000, 90_000], "{schema}");
        let lines = count(&format!("{prefix}order_line"));
        // Four standard deviations of 90,000 sizes from 5 to 15.
        assert!(lines.abs_diff(900_000) < 3_800, "{lines}");
    }
    let config = dataset(json!({"warehouses": 3, "schema": "benchmarksql", "c_last_load": 99}), 1);
    let config = table(&config, "bmsql_config");
    let fields = |column| config.texts(column).take(2).map(String::from).collect::<Vec<_>>();
    assert_eq!(fields("cfg_name"), ["warehouses", "nURandCLast"]);
    assert_eq!(fields("cfg_value"), ["3", "99"]);
}

#[test]
fn items() {
    assert!(ITEM.ints("i_id").into_iter().eq(1..=100_000));
    let images = ITEM.ints("i_im_id");
    assert!(images.iter().all(|image| (1..=10_000).contains(image)));
    assert_uniform(&images.iter().map(|image| (image - 1) / 100).collect::<Vec<_>>(), 0, 99);
    assert_texts(&ITEM, "i_name", 14, 24);
    let prices = ITEM.decimals("i_price", 2);
    assert_eq!((prices.iter().min(), prices.iter().max()), (Some(&100), Some(&10_000)));
    assert_uniform(&prices, 100, 10_000);
    assert_data(&ITEM, "i_data", 26, 50);
}

#[test]
fn warehouses_and_districts() {
    let warehouse = many("warehouse");
    assert!(warehouse.ints("w_id").into_iter().eq(1..=1100));
    assert_texts(&warehouse, "w_name", 6, 10);
    assert_address(&warehouse, "w");
    assert_all(&warehouse, "w_ytd", "300000.00");
    let district = many("district");
    let places = (1..=1100).flat_map(|w| (1..=10).map(move |d| (w, d)));
    assert!(district.ints("d_w_id").into_iter().zip(district.ints("d_id")).eq(places));
    assert_texts(&district, "d_name", 6, 10);
    assert_address(&district, "d");
    assert_all(&district, "d_ytd", "30000.00");
    assert_all(&district, "d_next_o_id", "3001");
    for (table, column) in [(&warehouse, "w_tax"), (&district, "d_tax")] {
        let taxes = table.decimals(column, 4);
        assert!(taxes.iter().all(|tax| (0..=2000).contains(tax)));
        assert_uniform(&taxes.iter().map(|tax| tax * 20 / 2001).collect::<Vec<_>>(), 0, 19);
    }
}

#[test]
fn taxes_of_tpcc_mysql_have_two_digits() {
    let data = dataset(json!({"warehouses": 50, "schema": "tpcc_mysql"}), 1);
    for (name, column, most) in
        [("warehouse", "w_tax", 20), ("district", "d_tax", 20), ("customer", "c_discount", 50)]
    {
        let part = rows(&data, &chunks(&data, name)[0]);
        let rates: BTreeSet<i64> = part.decimals(column, 2).into_iter().collect();
        assert!(rates.into_iter().all(|rate| (0..=most).contains(&rate)), "{column}");
    }
}

#[test]
fn stock() {
    assert_all(&STOCK, "s_w_id", "1");
    assert!(STOCK.ints("s_i_id").into_iter().eq(1..=100_000));
    assert_uniform(&STOCK.ints("s_quantity"), 10, 100);
    for number in 1..=DISTRICTS {
        assert!(STOCK.texts(&format!("s_dist_{number:02}")).all(|text| text.len() == 24));
    }
    assert_eq!(STOCK.texts("s_dist_01").collect::<BTreeSet<_>>().len(), 100_000);
    for column in ["s_ytd", "s_order_cnt", "s_remote_cnt"] {
        assert_all(&STOCK, column, "0");
    }
    assert_data(&STOCK, "s_data", 26, 50);
    let data = dataset(json!({"warehouses": 2}), 42);
    let second = rows(&data, &chunks(&data, "stock")[10]);
    assert_all(&second, "s_w_id", "2");
    assert!(second.ints("s_i_id").into_iter().eq(1..=10_000));
    assert_ne!(second.rows[0][2..], STOCK.rows[0][2..]);
}

fn last_name(number: usize) -> String {
    let syllables =
        ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];
    [number / 100, number / 10 % 10, number % 10].map(|digit| syllables[digit]).concat()
}

#[test]
fn customers() {
    let places = (1..=10).flat_map(|d| (1..=3000).map(move |c| (d, c)));
    assert!(CUSTOMER.ints("c_d_id").into_iter().zip(CUSTOMER.ints("c_id")).eq(places));
    assert_texts(&CUSTOMER, "c_first", 8, 16);
    assert_address(&CUSTOMER, "c");
    let is_phone = |text: &str| text.len() == 16 && text.bytes().all(|b| b.is_ascii_digit());
    assert!(CUSTOMER.texts("c_phone").all(is_phone));
    assert_eq!(CUSTOMER.texts("c_phone").collect::<BTreeSet<_>>().len(), 30_000);
    for (column, expected) in [
        ("c_w_id", "1"),
        ("c_middle", "OE"),
        ("c_since", NOW),
        ("c_credit_lim", "50000"),
        ("c_balance", "-10"),
        ("c_ytd_payment", "10"),
        ("c_payment_cnt", "1"),
        ("c_delivery_cnt", "0"),
    ] {
        assert_all(&CUSTOMER, column, expected);
    }
    let bad = CUSTOMER.texts("c_credit").filter(|credit| *credit == "BC").count() as u64;
    let good = CUSTOMER.texts("c_credit").filter(|credit| *credit == "GC").count() as u64;
    assert_share(bad, 30_000, 0.1);
    assert_eq!(bad + good, 30_000);
    let discounts = CUSTOMER.decimals("c_discount", 4);
    assert!(discounts.iter().all(|discount| (0..=5000).contains(discount)));
    assert_uniform(&discounts.iter().map(|rate| rate * 50 / 5001).collect::<Vec<_>>(), 0, 49);
    assert_texts(&CUSTOMER, "c_data", 300, 500);
}

#[test]
fn last_names_are_all_there_and_the_others_follow_nurand() {
    let names: Vec<&str> = CUSTOMER.texts("c_last").collect();
    let numbers: HashMap<String, i64> = (0..1000).map(last_name).zip(0..).collect();
    let mut drawn = Vec::new();
    for district in names.chunks(CUSTOMERS) {
        assert!(
            district[..1000].iter().enumerate().all(|(number, name)| *name == last_name(number))
        );
        drawn.extend(district[1000..].iter().map(|name| numbers[*name]));
    }
    let shares = |c: usize| {
        let mut shares = vec![0.0; 1000];
        for (first, second) in
            (0..256).flat_map(|first| (0..1000).map(move |second| (first, second)))
        {
            shares[((first | second) + c) % 1000] += 1.0 / 256_000.0;
        }
        shares
    };
    assert_distributed(&drawn, 0, &shares(157));
    // So would those of another load be, with its own constant.
    let other = dataset(json!({"warehouses": 1, "c_last_load": 3}), 42);
    let other = rows(&other, &chunks(&other, "customer")[0]);
    assert!(other.texts("c_last").ne(names[..CUSTOMERS].iter().copied()));
    assert!(other.texts("c_last").take(1000).eq(names[..1000].iter().copied()));
}

#[test]
fn each_customer_has_a_payment_behind_him() {
    let history = one("history");
    let places = (1..=10).flat_map(|d| (1..=3000).map(move |c| (d, c)));
    assert!(history.ints("h_c_d_id").into_iter().zip(history.ints("h_c_id")).eq(places));
    assert_eq!(history.ints("h_d_id"), history.ints("h_c_d_id"));
    for (column, expected) in
        [("h_c_w_id", "1"), ("h_w_id", "1"), ("h_date", NOW), ("h_amount", "10.00")]
    {
        assert_all(&history, column, expected);
    }
    assert_texts(&history, "h_data", 12, 24);
    // What was paid is what districts and warehouses hold: 30,000 × 10.00.
    assert_eq!(history.rows.len() * 10, 300_000);
}

#[test]
fn orders() {
    let places = (1..=10).flat_map(|d| (1..=3000).map(move |o| (d, o)));
    assert!(ORDERS.ints("o_d_id").into_iter().zip(ORDERS.ints("o_id")).eq(places));
    let customers = ORDERS.ints("o_c_id");
    let mut orders = BTreeSet::new();
    for district in customers.chunks(CUSTOMERS) {
        let mut sorted = district.to_vec();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(1..=3000), "each customer has one order");
        assert!(orders.insert(district), "each district has its own permutation");
        // At their own place is one on average.
        let kept = (1..).zip(district).filter(|(place, customer)| place == *customer).count();
        assert!(kept < 8, "{kept}");
    }
    for (column, expected) in [("o_w_id", "1"), ("o_entry_d", NOW), ("o_all_local", "1")] {
        assert_all(&ORDERS, column, expected);
    }
    let mut carriers = Vec::new();
    for (order, carrier) in ORDERS.ints("o_id").into_iter().zip(ORDERS.fields("o_carrier_id")) {
        assert_eq!(carrier.is_some(), order < 2101, "order {order}");
        carriers.extend(carrier.map(|carrier| carrier.parse::<i64>().unwrap()));
    }
    assert_uniform(&carriers, 1, 10);
    assert_uniform(&ORDERS.ints("o_ol_cnt"), 5, 15);
}

#[test]
fn new_orders_are_those_without_carrier() {
    let new_order = one("new_order");
    let places = (1..=10).flat_map(|d| (2101..=3000).map(move |o| (d, o)));
    assert!(new_order.ints("no_d_id").into_iter().zip(new_order.ints("no_o_id")).eq(places));
    assert_all(&new_order, "no_w_id", "1");
}

#[test]
fn each_order_has_as_many_lines_as_it_says() {
    let sizes = ORDERS.ints("o_ol_cnt");
    let places = ORDERS.ints("o_d_id").into_iter().zip(ORDERS.ints("o_id")).zip(sizes);
    let lines = places.flat_map(|((d, o), size)| (1..=size).map(move |number| (d, o, number)));
    let [d, o, number] = ["ol_d_id", "ol_o_id", "ol_number"].map(|column| ORDER_LINE.ints(column));
    assert!(d.iter().zip(&o).zip(number).map(|((d, o), number)| (*d, *o, number)).eq(lines));
    for (column, expected) in [("ol_w_id", "1"), ("ol_supply_w_id", "1"), ("ol_quantity", "5")] {
        assert_all(&ORDER_LINE, column, expected);
    }
    let items = ORDER_LINE.ints("ol_i_id");
    assert!(items.iter().all(|item| (1..=100_000).contains(item)));
    assert_uniform(&items.iter().map(|item| (item - 1) / 1000).collect::<Vec<_>>(), 0, 99);
    assert!(ORDER_LINE.texts("ol_dist_info").all(|text| text.len() == 24));
    let mut amounts = Vec::new();
    let delivered = ORDER_LINE.fields("ol_delivery_d");
    for ((order, cents), date) in o.iter().zip(ORDER_LINE.decimals("ol_amount", 2)).zip(delivered) {
        if *order < 2101 {
            assert_eq!((date, cents), (Some(NOW), 0));
        } else {
            assert_eq!(date, None);
            assert!((1..=999_999).contains(&cents), "{cents}");
            amounts.push((cents - 1) * 100 / 999_999);
        }
    }
    assert_uniform(&amounts, 0, 99);
}

#[test]
fn rows_are_the_same_in_whatever_order_chunks_are_asked_for() {
    let (data, same) = (dataset(json!({"warehouses": 2}), 7), dataset(json!({"warehouses": 2}), 7));
    let other = dataset(json!({"warehouses": 2}), 8);
    let all = data.chunks();
    assert_eq!(all, same.chunks());
    // Some of each table; the last first, and a neighbour half read between them.
    let asked: Vec<_> = all.iter().step_by(7).collect();
    let forward: Vec<Table> = asked.iter().map(|chunk| rows(&data, chunk)).collect();
    let mut backward: Vec<Table> = asked
        .iter()
        .rev()
        .map(|chunk| {
            let _ = same.rows(&all[0]).columns();
            rows(&same, chunk)
        })
        .collect();
    backward.reverse();
    assert_eq!(forward, backward);
    for (part, chunk) in forward.iter().zip(&asked) {
        let is_drawn = !part.name.contains("new_order");
        // Lines of another seed are as many as its orders have.
        let others = chunks(&other, &part.name);
        let place = chunks(&data, &part.name).iter().position(|of| of == *chunk).unwrap();
        assert_eq!(rows(&other, &others[place]).rows != part.rows, is_drawn, "{}", part.name);
    }
}

#[test]
fn chunks_follow_each_other_without_a_gap() {
    let data = dataset(json!({"warehouses": 2}), 1);
    let mut names = Vec::new();
    for chunk in data.chunks() {
        let name = data.rows(&chunk).table().to_owned();
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    // What others refer to comes first.
    let expected = [
        "item", "warehouse", "district", "stock", "customer", "history", "orders", "new_order",
        "order_line",
    ];
    assert_eq!(names, expected);
    for (name, key) in [
        ("item", &["i_id"][..]),
        ("district", &["d_w_id", "d_id"]),
        ("stock", &["s_w_id", "s_i_id"]),
        ("customer", &["c_w_id", "c_d_id", "c_id"]),
        ("orders", &["o_w_id", "o_d_id", "o_id"]),
        ("new_order", &["no_w_id", "no_d_id", "no_o_id"]),
        ("order_line", &["ol_w_id", "ol_d_id", "ol_o_id", "ol_number"]),
    ] {
        let whole = table(&data, name);
        let columns: Vec<Vec<i64>> = key.iter().map(|column| whole.ints(column)).collect();
        let keys: Vec<Vec<i64>> =
            (0..whole.rows.len()).map(|row| columns.iter().map(|of| of[row]).collect()).collect();
        assert!(keys.is_sorted_by(|left, right| left < right), "{name} in the order of its key");
    }
}

/// FNV-1a of the first rows of a table's first and last chunk.
fn hash(schema: &str, name: &str) -> u64 {
    let data = dataset(json!({"warehouses": 2, "schema": schema}), 42);
    let chunks = chunks(&data, name);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for chunk in [&chunks[0], &chunks[chunks.len() - 1]] {
        for field in rows(&data, chunk).rows.iter().take(20).flatten() {
            let text = field.as_deref().unwrap_or("NULL");
            for byte in text.bytes().chain([0xff]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    hash
}

/// Who changes rows raises their version, so that data that are there already are not taken for
/// these.
#[test]
fn the_first_rows_never_change() {
    let spec = [
        ("item", 0x0677_3ffd_2431_e553),
        ("warehouse", 0xb56d_b324_c4bc_2483),
        ("district", 0x6f19_1dd9_57ed_ddf3),
        ("stock", 0xf2e8_b05b_04f9_c51b),
        ("customer", 0x126a_129e_d001_7d3f),
        ("history", 0x446b_eda4_f985_86f2),
        ("orders", 0x4d0d_7bc7_48a3_5b73),
        ("new_order", 0xd6a5_8f36_ca88_edff),
        ("order_line", 0xa407_8733_74f8_3d12),
    ];
    let found = spec.map(|(name, _)| (name, hash("spec", name)));
    assert_eq!(found, spec);
    for (schema, names) in [
        ("go_tpc", ["stock", "customer", "district"]),
        ("benchmarksql", ["bmsql_stock", "bmsql_customer", "bmsql_district"]),
    ] {
        for name in names {
            let expected = hash("spec", name.trim_start_matches("bmsql_"));
            assert_eq!(hash(schema, name), expected, "{schema} {name}");
        }
    }
    assert_eq!(hash("tpcc_mysql", "stock"), hash("spec", "stock"));
    assert!(dataset(json!({"warehouses": 2}), 42).fingerprint().ends_with(" rows_version=1"));
}

/// Chunks of warehouses and districts hold several, of which some are not loaded.
#[test]
fn shards_together_have_the_rows_of_all_warehouses() {
    let whole = dataset(json!({"warehouses": 3}), 42);
    let shards =
        [[1, 1], [2, 3]].map(|range| dataset(json!({"warehouses": 3, "load_range": range}), 42));
    for name in ["warehouse", "district", "customer", "new_order"] {
        let [first, second] = shards.each_ref().map(|shard| table(shard, name));
        assert_eq!([first.rows, second.rows].concat(), table(&whole, name).rows, "{name}");
    }
    for shard in &shards {
        assert_eq!(table(shard, "item"), table(&whole, "item"));
        assert_ne!(shard.fingerprint(), whole.fingerprint());
    }
}
