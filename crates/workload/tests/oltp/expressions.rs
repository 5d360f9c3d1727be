//! Expressions give what the real pgbench gives: the table was written by it, and
//! `tests/live/pgbench` holds it against the pgbench that is installed.

use workload::pgbench::evaluate;

const TABLE: &str = include_str!("../data/pgbench-15-expressions.tsv");

#[test]
fn expressions_have_the_values_of_pgbench() {
    let mut wrong = Vec::new();
    for line in TABLE.lines() {
        let (expression, expected) = line.split_once('\t').unwrap();
        let found = evaluate(expression);
        let is_right = match &found {
            Ok(value) => value == expected,
            Err(_) => expected == "error",
        };
        if !is_right {
            wrong.push(format!("{expression}: {found:?}, and pgbench gives {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn errors_say_what_is_wrong() {
    for (expression, expected) in [
        ("1 / 0", "division by zero"),
        ("9223372036854775807 + 1", "bigint add out of range"),
        ("", "an expression is missing"),
        ("1 +", "it ends where a value is missing"),
        ("(1", "\")\" is missing before the end"),
        ("nosuch(1)", "unknown function \"nosuch\"; known: abs,"),
        ("pi(1)", "pi takes 0 arguments, not 1"),
        ("hash(1, 2, 3)", "hash takes 1 to 2 arguments, not 3"),
        ("1 < 2 < 3", "comparisons can't follow each other"),
        ("random(5, 4)", "empty range given to random"),
        (":nowhere", "unknown variable :nowhere"),
    ] {
        let message = evaluate(expression).unwrap_err();
        assert!(message.contains(expected), "{expression}: {message}");
    }
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow_the_stack() {
    let deep = "(".repeat(100_000);
    assert!(evaluate(&deep).unwrap_err().contains("nested too deeply"));
    assert!(evaluate(&format!("{}1", "-".repeat(100_000))).is_err());
    assert!(evaluate(&format!("{}true", "not ".repeat(100_000))).is_err());
}
