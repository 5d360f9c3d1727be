//! What a statement does to a table, as far as its text tells: what can be counted, and what cannot.

use contract::{Dialect, Lexeme, first_lexeme};

/// What one statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It changes no rows.
    Nothing,
    /// Rows come; so many at most, where the statement says it.
    Inserts { table: String, most: Option<i64> },
    /// Rows go.
    Deletes { table: String },
    /// The one column that it changes is a number, and grows in each row by the same.
    Adds { table: String, column: String, by: By },
    /// Columns get other values.
    Assigns { table: String, columns: Vec<String> },
    /// Nobody can tell.
    Unclear,
}

/// By how much a number grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Always the same.
    Constant(i64),
    /// The first parameter, or its opposite.
    Parameter { sign: i64 },
}

/// Functions, and words before a parenthesis, that change nothing.
const HARMLESS: [&str; 42] = [
    "ABS", "ALL", "AND", "ANY", "AS", "AVG", "BETWEEN", "BY", "CAST", "CEIL", "COALESCE", "CONCAT",
    "COUNT", "DISTINCT", "EXISTS", "FLOOR", "FROM", "GREATEST", "IF", "IFNULL", "IN", "LEAST",
    "LENGTH", "LOWER", "MAX", "MIN", "MOD", "NOT", "NOW", "NULLIF", "ON", "OR", "ROUND", "SELECT",
    "SET", "SUBSTR", "SUBSTRING", "SUM", "THEN", "UPPER", "VALUES", "WHERE",
];

/// Words behind which the number of affected rows is not what comes or goes.
const UNCOUNTABLE: [&str; 6] = ["RETURNING", "DUPLICATE", "CONFLICT", "JOIN", "USING", "REPLACE"];

/// What a statement does, `?` standing for each of its parameters.
pub(super) fn effect(sql: &str, dialect: Dialect) -> Effect {
    let tokens = tokens(sql, dialect);
    let words: Vec<String> = tokens.iter().map(|token| token.to_uppercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.contains(&";") || words.iter().any(|word| UNCOUNTABLE.contains(word)) {
        return Effect::Unclear;
    }
    match words[..] {
        [] | ["BEGIN" | "START" | "SET" | "SHOW", ..] => Effect::Nothing,
        ["SELECT", ref rest @ ..] if !rest.contains(&"INTO") && is_harmless(rest) => {
            Effect::Nothing
        }
        ["INSERT", "INTO", _, ref rest @ ..] if is_name(tokens[2]) => {
            inserts(tokens[2], rest).unwrap_or(Effect::Unclear)
        }
        ["DELETE", "FROM", _, ref rest @ ..] if is_name(tokens[2]) && is_end_of_name(rest) => {
            if !is_harmless(rest) {
                return Effect::Unclear;
            }
            Effect::Deletes { table: tokens[2].to_owned() }
        }
        ["UPDATE", _, "SET", ref rest @ ..] if is_name(tokens[1]) && is_harmless(rest) => {
            updates(tokens[1], &tokens[3..], rest)
        }
        _ => Effect::Unclear,
    }
}

/// Names, numbers and single characters; a string or a quoted name is a quote.
fn tokens(sql: &str, dialect: Dialect) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut position = 0;
    while position < sql.len() {
        let (kind, length) = first_lexeme(&sql[position..], dialect);
        let token = &sql[position..position + length];
        position += length;
        match kind {
            Lexeme::Comment => {}
            Lexeme::Quoted => tokens.push("'"),
            Lexeme::Code if token.trim().is_empty() => {}
            Lexeme::Code => tokens.push(token),
        }
    }
    while tokens.last() == Some(&";") {
        tokens.pop();
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
}

/// Whether a table's name ends here, and is not that of its schema.
fn is_end_of_name(rest: &[&str]) -> bool {
    rest.first() != Some(&".")
}

/// Whether nothing is called that might change rows.
fn is_harmless(words: &[&str]) -> bool {
    let calls = words.windows(2).filter(|pair| pair[1] == "(" && is_name(pair[0]));
    calls.map(|pair| pair[0]).all(|word| HARMLESS.contains(&word))
}

fn inserts(table: &str, rest: &[&str]) -> Option<Effect> {
    let rest = match rest {
        ["(", ..] => &rest[closing(rest)? + 1..],
        _ => rest,
    };
    if !is_end_of_name(rest) || !is_harmless(rest) {
        return None;
    }
    let most = match rest {
        ["VALUES", rows @ ..] => Some(count_rows(rows)),
        ["SELECT", ..] => None,
        _ => return None,
    };
    Some(Effect::Inserts { table: table.to_owned(), most })
}

/// The place of the parenthesis that closes the one at the beginning.
fn closing(words: &[&str]) -> Option<usize> {
    let mut depth = 0;
    words.iter().position(|word| {
        depth += i32::from(*word == "(") - i32::from(*word == ")");
        depth == 0
    })
}

fn count_rows(words: &[&str]) -> i64 {
    let mut depth = 0;
    let mut rows = 0;
    for word in words {
        rows += i64::from(*word == "(" && depth == 0);
        depth += i32::from(*word == "(") - i32::from(*word == ")");
    }
    rows
}

fn updates(table: &str, written: &[&str], words: &[&str]) -> Effect {
    let table = table.to_owned();
    let end = words.iter().position(|word| ["WHERE", "ORDER", "LIMIT"].contains(word));
    let (assigned, upper) = match end {
        Some(end) => (&written[..end], &words[..end]),
        None => (written, words),
    };
    if upper.contains(&"FROM") || upper.contains(&"SELECT") {
        return Effect::Unclear;
    }
    if let [column, "=", same, sign @ ("+" | "-"), by] = assigned
        && column.eq_ignore_ascii_case(same)
    {
        let sign = if *sign == "+" { 1 } else { -1 };
        let by = match by.parse::<i64>() {
            Ok(constant) => Some(By::Constant(sign * constant)),
            Err(_) => (*by == "?").then_some(By::Parameter { sign }),
        };
        if let Some(by) = by {
            return Effect::Adds { table, column: (*column).to_owned(), by };
        }
    }
    Effect::Assigns { table, columns: columns(assigned) }
}

fn columns(assigned: &[&str]) -> Vec<String> {
    let mut depth = 0;
    let mut columns = Vec::new();
    let mut is_first = true;
    for token in assigned {
        if is_first {
            columns.push((*token).to_owned());
        }
        depth += i32::from(*token == "(") - i32::from(*token == ")");
        is_first = depth == 0 && *token == ",";
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sql: &str) -> Effect {
        effect(sql, Dialect::PostgreSql)
    }

    #[test]
    fn rows_that_come_and_go_are_counted() {
        let inserts = |most| Effect::Inserts { table: "t".into(), most };
        assert_eq!(of("insert into t values (?, (1 + 2))"), inserts(Some(1)));
        assert_eq!(of("INSERT INTO t (a, b) VALUES (?, now()), (3, 4);"), inserts(Some(2)));
        assert_eq!(of("INSERT INTO t (a) SELECT a FROM u"), inserts(None));
        assert_eq!(
            of("DELETE FROM t WHERE a IN (?, ?) -- x"),
            Effect::Deletes { table: "t".into() }
        );
    }

    #[test]
    fn numbers_that_grow_are_summed() {
        let adds = |by| Effect::Adds { table: "t".into(), column: "n".into(), by };
        assert_eq!(of("UPDATE t SET n = n + ? WHERE a = ?"), adds(By::Parameter { sign: 1 }));
        assert_eq!(of("update t set n=n-? where a=?"), adds(By::Parameter { sign: -1 }));
        assert_eq!(of("UPDATE t SET n = n + 1"), adds(By::Constant(1)));
        let columns = |columns: &[&str]| Effect::Assigns {
            table: "t".into(),
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
        };
        assert_eq!(of("UPDATE t SET n = ? + n WHERE a = ?"), columns(&["n"]));
        assert_eq!(of("UPDATE t SET n = n + ?, m = abs(1, 2)"), columns(&["n", "m"]));
    }

    #[test]
    fn what_reads_changes_nothing() {
        for sql in ["", "SELECT count(*) FROM t WHERE a = 'delete from t;' FOR UPDATE", "SHOW x"] {
            assert_eq!(of(sql), Effect::Nothing, "{sql}");
        }
    }

    #[test]
    fn what_cannot_be_counted_is_unclear() {
        for sql in [
            "SELECT cleanup(1)",
            "SELECT 1 INTO u",
            "INSERT INTO t VALUES (1); DELETE FROM t",
            "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING",
            "INSERT INTO t VALUES (1) RETURNING a",
            "INSERT INTO t VALUES (next_one())",
            "INSERT INTO \"t\" VALUES (1)",
            "INSERT INTO s.t VALUES (1)",
            "INSERT IGNORE INTO t VALUES (1)",
            "REPLACE INTO t VALUES (1)",
            "DELETE FROM s.t",
            "DELETE t FROM t JOIN u",
            "UPDATE t a SET n = 1",
            "UPDATE t SET n = (SELECT 1)",
            "TRUNCATE t",
            "CALL p()",
            "WITH d AS (DELETE FROM t) SELECT 1",
            "SAVEPOINT s",
            "ROLLBACK TO SAVEPOINT s",
        ] {
            assert_eq!(of(sql), Effect::Unclear, "{sql}");
        }
    }
}
