//! The names of the columns that a statement answers with, told from its text: `\gset` makes
//! variables of them, and a script's variables must be known before it runs.

use contract::{Dialect, Lexeme, first_lexeme};

/// A word, a quoted name or a symbol, at no depth of parentheses; a parenthesis stands for its whole.
#[derive(Debug, PartialEq, Eq)]
enum Word<'a> {
    Name(&'a str),
    Quoted(String),
    Symbol(char),
    Parenthesis,
}

/// The columns' names, as `PostgreSQL` names them; the error says which one can't be told.
pub(super) fn column_names(sql: &str) -> Result<Vec<String>, String> {
    let words = words(sql);
    let list = select_list(&words).ok_or(
        "its columns can't be told from its text; write a SELECT, or a RETURNING, that names them",
    )?;
    list.split(|word| *word == Word::Symbol(',')).map(name_of).collect()
}

fn words(sql: &str) -> Vec<Word<'_>> {
    let (mut words, mut depth, mut position) = (Vec::new(), 0_usize, 0);
    while position < sql.len() {
        let (kind, length) = first_lexeme(&sql[position..], Dialect::PostgreSql);
        let lexeme = &sql[position..position + length];
        position += length;
        match (kind, lexeme) {
            (_, "(" | "[") => {
                if depth == 0 {
                    words.push(Word::Parenthesis);
                }
                depth += 1;
            }
            (_, ")" | "]") => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            (Lexeme::Comment, _) => {}
            (Lexeme::Quoted, text) if text.starts_with('"') && text.len() > 1 => {
                words.push(Word::Quoted(text[1..text.len() - 1].replace("\"\"", "\"")));
            }
            (Lexeme::Quoted, _) => words.push(Word::Symbol('\'')),
            (Lexeme::Code, text) => match text.chars().next() {
                Some(letter) if letter.is_alphanumeric() || letter == '_' => {
                    words.push(Word::Name(text));
                }
                Some(symbol) if !symbol.is_whitespace() => words.push(Word::Symbol(symbol)),
                _ => {}
            },
        }
    }
    words
}

fn is(word: &Word<'_>, keyword: &str) -> bool {
    matches!(word, Word::Name(name) if name.eq_ignore_ascii_case(keyword))
}

const AFTER_LIST: [&str; 14] = [
    "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT",
    "OFFSET", "FETCH", "FOR", "INTO",
];

fn select_list<'a, 'b>(words: &'b [Word<'a>]) -> Option<&'b [Word<'a>]> {
    let writes =
        ["INSERT", "UPDATE", "DELETE"].iter().any(|verb| words.iter().any(|w| is(w, verb)));
    let keyword = if writes { "RETURNING" } else { "SELECT" };
    let start = words.iter().position(|word| is(word, keyword))? + 1;
    let list = &words[start..];
    let list = if list.first().is_some_and(|word| is(word, "ALL")) { &list[1..] } else { list };
    let end = list.iter().position(|word| AFTER_LIST.iter().any(|keyword| is(word, keyword)));
    Some(&list[..end.unwrap_or(list.len())]).filter(|list| !list.is_empty())
}

/// The name of one column: what follows AS, a column's own, or a function's.
fn name_of(item: &[Word<'_>]) -> Result<String, String> {
    let alone = |word: &Word<'_>| match word {
        Word::Name(name) if !name.starts_with(|letter: char| letter.is_ascii_digit()) => {
            Some(name.to_lowercase())
        }
        Word::Quoted(name) => Some(name.clone()),
        _ => None,
    };
    let name = match item {
        [.., before, last] if is(before, "AS") => alone(last),
        [only] => alone(only),
        // A column with its table, and an alias without AS behind a name or a parenthesis.
        [.., Word::Symbol('.') | Word::Parenthesis, last]
        | [Word::Name(_) | Word::Quoted(_), last @ (Word::Name(_) | Word::Quoted(_))] => {
            alone(last)
        }
        [function @ Word::Name(_), Word::Parenthesis] => alone(function),
        _ => None,
    };
    name.filter(|name| !name.is_empty()).ok_or_else(|| {
        "the name of one of its columns can't be told from its text; write AS and a name behind \
         each"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_postgresql() {
        for (sql, expected) in [
            ("SELECT a FROM t", vec!["a"]),
            ("select A, t.B, \"C d\" from t", vec!["a", "b", "C d"]),
            ("SELECT 1 AS one, 2 + 3 AS two", vec!["one", "two"]),
            ("SELECT count(*), max(a, b) m FROM t", vec!["count", "m"]),
            ("SELECT (SELECT x FROM u) AS y, f(',') AS z", vec!["y", "z"]),
            ("SELECT a b FROM t ORDER BY a", vec!["b"]),
            ("WITH w AS (SELECT 1 AS q) SELECT q FROM w", vec!["q"]),
            ("INSERT INTO t SELECT 1 RETURNING id, v AS w", vec!["id", "w"]),
            ("UPDATE t SET a = 1 RETURNING a", vec!["a"]),
            ("SELECT :x AS x", vec!["x"]),
            ("SELECT 'a' AS x -- , y", vec!["x"]),
        ] {
            assert_eq!(column_names(sql).unwrap(), expected, "{sql}");
        }
    }

    #[test]
    fn what_can_not_be_told_is_refused() {
        for sql in ["SELECT * FROM t", "SELECT 1", "SELECT a + b FROM t", "SHOW x", "VALUES (1)"] {
            assert!(column_names(sql).is_err(), "{sql}");
        }
    }
}
