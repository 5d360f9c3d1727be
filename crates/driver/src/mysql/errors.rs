//! What the servers' error numbers mean.

use contract::{ErrorClass, SqlError};

use super::packet::Malformed;
use crate::stream::StreamError;

/// Numbers of `MySQL`, `MariaDB` and `TiDB` by their meaning. What is not listed goes by its SQLSTATE.
const CLASSES: &[(ErrorClass, &[u16])] = &[
    (ErrorClass::Deadlock, &[1213, 1614]),
    // 3572: NOWAIT.
    (ErrorClass::LockWaitTimeout, &[1205, 3572]),
    // 1020: the row changed since it was read. 3101: certification in a replication group.
    // 8002, 8022, 8028, 9007: conflicts in TiDB.
    (ErrorClass::SerializationFailure, &[1020, 3101, 8002, 8022, 8028, 9007]),
    (ErrorClass::DuplicateKey, &[1022, 1062, 1169, 1557, 1586, 1761, 1762]),
    // 1264, 1265, 1366, 1406: a value that the column can't hold. 3819, 4025: CHECK.
    (
        ErrorClass::ConstraintViolation,
        &[1048, 1216, 1217, 1264, 1265, 1364, 1366, 1406, 1451, 1452, 3819, 4025],
    ),
    // 1047: a Galera node that left its cluster. 1927, 4031: the server hung up.
    (
        ErrorClass::ConnectionLost,
        &[
            1047, 1053, 1077, 1078, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2006,
            2013, 2055, 3032, 3169, 4031,
        ],
    ),
    (ErrorClass::ConnectionRefused, &[2002, 2003, 2005]),
    // 1461: max_prepared_stmt_count.
    (ErrorClass::TooManyConnections, &[1040, 1203, 1226, 1461]),
    // 1148, 3948, 4166: LOAD DATA LOCAL is not allowed. 3159: only encrypted connections are.
    (
        ErrorClass::AccessDenied,
        &[
            1044, 1045, 1129, 1130, 1142, 1143, 1148, 1227, 1251, 1275, 1370, 1524, 1698, 1820,
            1862, 3118, 3159, 3948, 4151, 4166,
        ],
    ),
    (ErrorClass::ReadOnly, &[1792, 1836, 1874]),
    // 1153: larger than max_allowed_packet. 1317: KILL QUERY. 1969, 3024: the server's own limit of time.
    (
        ErrorClass::ResourceExhausted,
        &[1021, 1026, 1037, 1038, 1041, 1114, 1135, 1153, 1197, 1206, 1317, 1637, 1969, 3024],
    ),
    // 1615: the tables of a prepared statement changed too often to prepare it again.
    (ErrorClass::StatementLost, &[1243, 1615]),
    (
        ErrorClass::InvalidStatement,
        &[
            1046, 1049, 1051, 1052, 1054, 1060, 1064, 1065, 1072, 1091, 1101, 1109, 1136, 1146,
            1149, 1193, 1210, 1235, 1286, 1295, 1305, 1318,
        ],
    ),
    // 1068: a second primary key. 1826, 3822: the name of a constraint.
    (ErrorClass::AlreadyExists, &[1007, 1050, 1061, 1068, 1826, 3822]),
];

/// Numbers under which layers in front of servers pass on what a server said, with its words in the
/// message: those of Sharding-Proxy, and that of Vitess and `TiDB`.
const WRAPPERS: [u16; 3] = [1003, 1105, 3054];

/// What stands before a server's number in such a message: `(errno 1213)`, `errorCode: 1205`.
const NUMBER_LABELS: [&str; 3] = ["errno", "error", "code"];

/// What a server says where its number was left out.
const WORDS: [(&str, ErrorClass); 3] = [
    ("Deadlock found when trying to get lock", ErrorClass::Deadlock),
    ("Lock wait timeout exceeded", ErrorClass::LockWaitTimeout),
    ("Duplicate entry", ErrorClass::DuplicateKey),
];

/// A table that can't be made or changed: why, stands in the message.
const CANNOT_CREATE_TABLE: u16 = 1005;
/// `MariaDB`'s words for a foreign key whose name is taken.
const DUPLICATE_IN_DICTIONARY: &str = "errno: 121";

/// What an option of the server forbids: which option, stands in the message.
const OPTION_PREVENTS: u16 = 1290;
/// Those that forbid all writes: `--read-only`, `--super-read-only`, `read_only`.
const READ_ONLY: [&str; 2] = ["read-only", "read_only"];

/// Parameters that are not as they were announced: a server that never saw an execution before, because a
/// layer chose another, was not told their types.
const WRONG_ARGUMENTS: u16 = 1210;
const WORD_OF_EXECUTION: &str = "execute";
const ON_LOST_EXECUTION: &str = "where a layer stands before the server, it may have ended over a prepared \
                                 statement: send statements as text (protocol=text in the URL, \
                                 --db-ps-mode=disable)";
const ON_LOST_TYPES: &str = "a layer in front of servers may have chosen another one: send statements as \
                             text (protocol=text in the URL, --db-ps-mode=disable)";

/// A value that the column can't hold.
const WRONG_VALUE: u16 = 1366;
/// The servers' words where the value is a text.
const WRONG_TEXT: &str = "Incorrect string value";
const ON_WRONG_TEXT: &str = "the column's character set has no such character: make the database \
                             with CHARACTER SET utf8mb4, or use a text that its character set has";

/// What the first letters of an SQLSTATE mean.
const CLASSES_BY_SQLSTATE: &[(&str, ErrorClass)] = &[
    ("40001", ErrorClass::SerializationFailure),
    ("08", ErrorClass::ConnectionLost),
    ("23", ErrorClass::ConstraintViolation),
    ("25006", ErrorClass::ReadOnly),
    ("28", ErrorClass::AccessDenied),
    ("42", ErrorClass::InvalidStatement),
    ("53", ErrorClass::ResourceExhausted),
];

/// The numbers that the client libraries give to errors that no server sends.
const CANNOT_CONNECT: i32 = 2003;
pub(super) const GONE_WHILE_ANSWERING: i32 = 2013;
const ENCRYPTION_FAILED: i32 = 2026;
const MALFORMED_PACKET: i32 = 2027;

const GENERAL_ERROR: [u8; 5] = *b"HY000";

/// The class that a number stands for; of some, the words say more.
fn by_number(number: u16, message: &str) -> Option<ErrorClass> {
    if number == CANNOT_CREATE_TABLE && message.contains(DUPLICATE_IN_DICTIONARY) {
        return Some(ErrorClass::AlreadyExists);
    }
    if number == OPTION_PREVENTS {
        let is_read_only = READ_ONLY.iter().any(|option| message.contains(option));
        return Some(if is_read_only { ErrorClass::ReadOnly } else { ErrorClass::AccessDenied });
    }
    if is_of_lost_types(number, message) {
        return Some(ErrorClass::StatementLost);
    }
    CLASSES.iter().find(|(_, numbers)| numbers.contains(&number)).map(|(class, _)| *class)
}

/// The class of an error that a layer passes on as text: by the server's number in it, else by the
/// server's words.
fn wrapped(message: &str) -> Option<ErrorClass> {
    let words = || message.split(|letter: char| !letter.is_ascii_alphanumeric());
    let pairs = words().filter(|word| !word.is_empty());
    let pairs = pairs.clone().zip(pairs.skip(1));
    let is_label =
        |word: &str| NUMBER_LABELS.iter().any(|label| word.to_ascii_lowercase().ends_with(label));
    let mut numbers =
        pairs.filter(|(word, _)| is_label(word)).filter_map(|(_, next)| next.parse().ok());
    numbers.find_map(|number| by_number(number, message)).or_else(|| {
        WORDS.iter().find(|(words, _)| message.contains(words)).map(|(_, class)| *class)
    })
}

fn class(number: u16, sqlstate: [u8; 5], message: &str) -> ErrorClass {
    if WRAPPERS.contains(&number)
        && let Some(class) = wrapped(message)
    {
        return class;
    }
    if let Some(class) = by_number(number, message) {
        return class;
    }
    let by_sqlstate = |(prefix, _): &&(&str, ErrorClass)| sqlstate.starts_with(prefix.as_bytes());
    CLASSES_BY_SQLSTATE.iter().find(by_sqlstate).map_or(ErrorClass::Other, |(_, class)| *class)
}

/// An error of an execution, with what helps where a layer has ended the connection over it: it may have
/// handed it to another server, which does not know the types of its parameters.
pub(super) fn with_advice_on_loss(error: SqlError) -> SqlError {
    if error.code() == GONE_WHILE_ANSWERING { error.with_advice(ON_LOST_EXECUTION) } else { error }
}

fn is_of_lost_types(number: u16, message: &str) -> bool {
    number == WRONG_ARGUMENTS && message.to_ascii_lowercase().contains(WORD_OF_EXECUTION)
}

/// An error that the server sent.
pub(super) fn from_server(number: u16, sqlstate: [u8; 5], message: &str) -> SqlError {
    let class = class(number, sqlstate, message);
    let error = SqlError::server(class, number.into(), sqlstate, message);
    if is_of_lost_types(number, message) {
        return error.with_advice(ON_LOST_TYPES);
    }
    if number == WRONG_VALUE && message.contains(WRONG_TEXT) {
        return error.with_advice(ON_WRONG_TEXT);
    }
    error
}

/// An error of the connection, with what was being waited for.
pub(super) fn from_stream(error: &StreamError, waited_for: &str) -> SqlError {
    let code = match error {
        StreamError::Refused { .. } => CANNOT_CONNECT,
        StreamError::Lost(_) => GONE_WHILE_ANSWERING,
        StreamError::Tls(_) => ENCRYPTION_FAILED,
        StreamError::Timeout => 0,
    };
    let message = error.while_waiting_for(waited_for);
    SqlError::server(error.class(), code, GENERAL_ERROR, message)
}

impl From<Malformed> for SqlError {
    fn from(malformed: Malformed) -> Self {
        let message = format!("the server's answer breaks the protocol: {}", malformed.0);
        Self::server(ErrorClass::Protocol, MALFORMED_PACKET, GENERAL_ERROR, message)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_number_has_one_class() {
        let mut seen = HashSet::new();
        for number in CLASSES.iter().flat_map(|(_, numbers)| *numbers) {
            assert!(seen.insert(number), "{number} is listed twice");
        }
    }

    #[test]
    fn numbers_come_before_states() {
        for (number, sqlstate, expected) in [
            (1213, b"40001", ErrorClass::Deadlock),
            (1205, b"HY000", ErrorClass::LockWaitTimeout),
            (1317, b"70100", ErrorClass::ResourceExhausted),
            (1615, b"HY000", ErrorClass::StatementLost),
            (1062, b"23000", ErrorClass::DuplicateKey),
            (9999, b"40001", ErrorClass::SerializationFailure),
            (9999, b"23505", ErrorClass::ConstraintViolation),
            (9999, b"HY000", ErrorClass::Other),
        ] {
            assert_eq!(class(number, *sqlstate, ""), expected, "{number}");
        }
    }

    #[test]
    fn what_a_layer_passes_on_is_classed_by_the_server() {
        let deadlock = "Deadlock found when trying to get lock; try restarting transaction";
        for (number, message, expected) in [
            (1003, format!("2Unknown exception: [{deadlock}]"), ErrorClass::Deadlock),
            (1105, format!("target: t.0: {deadlock} (errno 1213)"), ErrorClass::Deadlock),
            (1105, "vttablet: (errno 1205) (sqlstate HY000)".into(), ErrorClass::LockWaitTimeout),
            (1105, "ERROR 1062 (23000): taken".into(), ErrorClass::DuplicateKey),
            (1105, "unknown error: row 1213 of 1205".into(), ErrorClass::Other),
            (
                1105,
                "target: t.0.primary: The MySQL server is running with the --read-only option so it \
                 cannot execute this statement (errno 1290) (sqlstate HY000)"
                    .into(),
                ErrorClass::ReadOnly,
            ),
            (1105, "running with the --secure-file-priv option (errno 1290)".into(), ErrorClass::AccessDenied),
            (1105, "Can't create table `a` errno: 121 (errno 1005)".into(), ErrorClass::AlreadyExists),
            // It has a number of its own that says more.
            (1064, format!("near '{deadlock}'"), ErrorClass::InvalidStatement),
        ] {
            assert_eq!(class(number, *b"HY000", &message), expected, "{message}");
        }
    }

    #[test]
    fn an_option_that_forbids_a_statement_need_not_forbid_all_writes() {
        for (option, expected) in [
            ("--read-only", ErrorClass::ReadOnly),
            ("--super-read-only", ErrorClass::ReadOnly),
            ("--secure-file-priv", ErrorClass::AccessDenied),
            ("--skip-grant-tables", ErrorClass::AccessDenied),
        ] {
            let message = format!("The MySQL server is running with the {option} option");
            assert_eq!(class(1290, *b"HY000", &message), expected, "{option}");
        }
    }

    #[test]
    fn a_table_that_can_not_be_made_is_not_always_there_already() {
        for (reason, expected) in [
            ("(errno: 121 \"Duplicate key on write or update\")", ErrorClass::AlreadyExists),
            ("(errno: 150 \"Foreign key constraint is incorrectly formed\")", ErrorClass::Other),
        ] {
            let message = format!("Can't create table `test`.`child` {reason}");
            assert_eq!(class(1005, *b"HY000", &message), expected, "{message}");
        }
    }
}
