//! The tables that `pgbench -i` makes, so that the two can stand in for each other.

use contract::Dialect;

use super::options::PgbenchOptions;
use crate::script::{Check, Constant, Fill, Setup, Variable};

const ACCOUNTS_PER_BRANCH: u64 = 100_000;
const TELLERS_PER_BRANCH: u64 = 10;

/// From this scale on, an account's number does not fit into 32 bits.
const SCALE_OF_64_BITS: u64 = 20_000;

/// The tables with their columns behind the key.
const TABLES: [(&str, &str, &str); 3] = [
    ("pgbench_branches", "bid", "bbalance int, filler char(88)"),
    ("pgbench_tellers", "tid", "bid int, tbalance int, filler char(84)"),
    ("pgbench_accounts", "aid", "bid int, abalance int, filler char(84)"),
];

const FOREIGN_KEYS: [(&str, &str, &str); 5] = [
    ("pgbench_tellers", "bid", "pgbench_branches"),
    ("pgbench_accounts", "bid", "pgbench_branches"),
    ("pgbench_history", "bid", "pgbench_branches"),
    ("pgbench_history", "tid", "pgbench_tellers"),
    ("pgbench_history", "aid", "pgbench_accounts"),
];

/// The set-up of pgbench's own tables.
pub(super) fn initialize(options: &PgbenchOptions, dialect: Dialect) -> Setup {
    let name = format!(
        "pgbench scale={} fillfactor={} foreign_keys={}",
        options.scale,
        options.fillfactor.unwrap_or(100),
        options.foreign_keys
    );
    let tables: Vec<String> = TABLES
        .iter()
        .map(|table| table.0.to_owned())
        .chain(["pgbench_history".to_owned()])
        .collect();
    // Those that refer to others go first.
    let teardown =
        tables.iter().rev().map(|table| format!("DROP TABLE IF EXISTS {table}")).collect();
    let mut checks = row_counts(options.scale);
    checks.extend(options.checks.clone());
    Setup {
        name,
        create: create(options, dialect),
        fills: fills(options.scale),
        finish: finish(options, dialect),
        tables,
        teardown,
        checks,
    }
}

fn create(options: &PgbenchOptions, dialect: Dialect) -> Vec<String> {
    let wide = options.scale >= SCALE_OF_64_BITS;
    let number = match dialect {
        Dialect::Sqlite => "integer",
        Dialect::MySql | Dialect::PostgreSql if wide => "bigint",
        Dialect::MySql | Dialect::PostgreSql => "int",
    };
    let fillfactor = match (dialect, options.fillfactor) {
        (Dialect::PostgreSql, fillfactor) => {
            format!(" with (fillfactor={})", fillfactor.unwrap_or(100))
        }
        _ => String::new(),
    };
    let of_table = |(table, key, columns): &(&str, &str, &str)| {
        let number = if *key == "aid" || dialect == Dialect::Sqlite { number } else { "int" };
        let primary = match dialect {
            // Made at the end, over all rows at once.
            Dialect::PostgreSql => "",
            Dialect::MySql | Dialect::Sqlite => " primary key",
        };
        format!("create table {table}({key} {number} not null{primary}, {columns}){fillfactor}")
    };
    let history = format!(
        "create table pgbench_history(tid int, bid int, aid {number}, delta int, mtime timestamp, \
         filler char(22))"
    );
    TABLES.iter().map(of_table).chain([history]).collect()
}

fn fills(scale: u64) -> Vec<Fill> {
    let key = || Variable::Sequence { first: 1 };
    let branch = |rows_each| Variable::Group { first: 1, rows_each };
    let constant = |constant| Variable::Choice(vec![constant]);
    let zero = || constant(Constant::Int(0));
    vec![
        Fill {
            table: "pgbench_branches".to_owned(),
            columns: &["bid", "bbalance"],
            values: vec![key(), zero()],
            rows: scale,
        },
        Fill {
            table: "pgbench_tellers".to_owned(),
            columns: &["tid", "bid", "tbalance"],
            values: vec![key(), branch(TELLERS_PER_BRANCH), zero()],
            rows: scale * TELLERS_PER_BRANCH,
        },
        Fill {
            table: "pgbench_accounts".to_owned(),
            columns: &["aid", "bid", "abalance", "filler"],
            values: vec![
                key(),
                branch(ACCOUNTS_PER_BRANCH),
                zero(),
                constant(Constant::Text(String::new())),
            ],
            rows: scale * ACCOUNTS_PER_BRANCH,
        },
    ]
}

fn finish(options: &PgbenchOptions, dialect: Dialect) -> Vec<String> {
    let mut statements = Vec::new();
    if dialect == Dialect::PostgreSql {
        for (table, key, _) in TABLES {
            statements.push(format!("alter table {table} add primary key ({key})"));
        }
    }
    if options.foreign_keys {
        for (table, key, referred) in FOREIGN_KEYS {
            statements.push(format!(
                "alter table {table} add constraint {table}_{key}_fkey foreign key ({key}) \
                 references {referred}({key})"
            ));
        }
    }
    let analyze = match dialect {
        Dialect::PostgreSql => "vacuum analyze",
        Dialect::MySql => "analyze table",
        Dialect::Sqlite => "analyze",
    };
    statements.extend(TABLES.iter().map(|(table, ..)| format!("{analyze} {table}")));
    statements
}

/// The keys that there are, whatever the scripts did to the balances.
fn row_counts(scale: u64) -> Vec<Check> {
    let rows = [scale, scale * TELLERS_PER_BRANCH, scale * ACCOUNTS_PER_BRANCH];
    let check = |((table, key, _), rows): (&(&str, &str, &str), u64)| Check {
        sql: format!("SELECT COUNT(*), MIN({key}), MAX({key}) FROM {table}"),
        equals: vec![rows.to_string(), "1".to_owned(), rows.to_string()],
    };
    TABLES.iter().zip(rows).map(check).collect()
}
