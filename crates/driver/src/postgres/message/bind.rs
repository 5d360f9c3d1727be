//! The messages that execute a prepared statement: one packet, of which only the values change.

use std::io::Write;

use contract::Value;

use crate::sql::put_int;

/// Everything is in text form, both ways: it is what this server's other clients use unless told
/// otherwise, and fits every type.
const ALL_IN_TEXT_FORM: [u8; 2] = [0; 2];

/// Execute the unnamed portal, as many rows as there are; then Sync.
const EXECUTE_AND_SYNC: &[u8] = b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04";

/// The same behind the request for the columns of the answer, which are not known of a new statement.
const DESCRIBE_EXECUTE_AND_SYNC: &[u8] = b"D\0\0\0\x06P\0E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04";

const SYNC: &[u8] = b"S\0\0\0\x04";

/// Appends Sync, which ends a batch.
pub(crate) fn put_sync(packet: &mut Vec<u8>) {
    packet.extend_from_slice(SYNC);
}

/// Appends Parse, Bind and Execute for a command without parameters, under no name.
pub(crate) fn put_command(packet: &mut Vec<u8>, sql: &str) {
    put_parse(packet, sql);
    packet.extend_from_slice(b"B\0\0\0\x0c\0\0\0\0\0\0\0\0");
    packet.extend_from_slice(&EXECUTE_AND_SYNC[..EXECUTE_AND_SYNC.len() - SYNC.len()]);
}

/// Appends Parse, under no name; the server finds the types of parameters.
fn put_parse(packet: &mut Vec<u8>, sql: &str) {
    let before = packet.len();
    packet.extend_from_slice(b"P\0\0\0\0\0");
    packet.extend_from_slice(sql.as_bytes());
    packet.extend_from_slice(b"\0\0\0");
    let length = length(packet.len() - before - 1);
    packet[before + 1..before + 5].copy_from_slice(&length);
}

/// Bind, Execute and Sync for one statement on one connection; with Parse and Describe for one that
/// the server does not know.
pub(crate) struct Bind {
    packet: Vec<u8>,
    /// Where Bind begins: behind Parse, if there is one.
    start: usize,
    /// What stands before the values.
    fixed_bytes: usize,
    parameters: usize,
    /// The messages after the values.
    execution: &'static [u8],
}

impl Bind {
    /// For a statement that the server knows by this name.
    pub fn new(statement: &str, parameters: u16) -> Self {
        Self::behind(Vec::new(), statement, parameters, EXECUTE_AND_SYNC)
    }

    /// For a statement without a name, which the server parses for each execution.
    pub fn unnamed(sql: &str, parameters: u16) -> Self {
        let mut packet = Vec::new();
        put_parse(&mut packet, sql);
        Self::behind(packet, "", parameters, DESCRIBE_EXECUTE_AND_SYNC)
    }

    fn behind(
        mut packet: Vec<u8>,
        statement: &str,
        parameters: u16,
        execution: &'static [u8],
    ) -> Self {
        let start = packet.len();
        packet.extend_from_slice(b"B\0\0\0\0\0");
        packet.extend_from_slice(statement.as_bytes());
        packet.push(0);
        packet.extend_from_slice(&ALL_IN_TEXT_FORM);
        packet.extend_from_slice(&parameters.to_be_bytes());
        Self { start, fixed_bytes: packet.len(), packet, parameters: parameters.into(), execution }
    }

    /// How many parameters it takes.
    #[inline]
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// The bytes to send. There must be as many values as parameters.
    #[inline]
    pub fn encode(&mut self, values: &[Value<'_>]) -> &[u8] {
        debug_assert_eq!(values.len(), self.parameters);
        self.packet.truncate(self.fixed_bytes);
        for value in values {
            put_value(&mut self.packet, value);
        }
        self.packet.extend_from_slice(&ALL_IN_TEXT_FORM);
        let length = length(self.packet.len() - self.start - 1);
        self.packet[self.start + 1..self.start + 5].copy_from_slice(&length);
        self.packet.extend_from_slice(self.execution);
        &self.packet
    }

    /// The same for a place in a batch, where another statement follows.
    pub fn encode_without_sync(&mut self, values: &[Value<'_>]) -> &[u8] {
        let packet = self.encode(values);
        &packet[..packet.len() - SYNC.len()]
    }
}

#[inline]
fn put_value(packet: &mut Vec<u8>, value: &Value<'_>) {
    let start = packet.len();
    packet.extend_from_slice(&[0xff; 4]);
    match value {
        Value::Null => return,
        Value::Int(value) => put_int(packet, *value),
        Value::Double(value) => {
            // Writing to memory does not fail.
            let _ = write!(packet, "{value:e}");
        }
        Value::Text(text) => packet.extend_from_slice(text.as_bytes()),
    }
    let length = length(packet.len() - start - 4);
    packet[start..start + 4].copy_from_slice(&length);
}

/// A length that does not fit is more than any server takes, and so is what stands for it.
#[inline]
fn length(bytes: usize) -> [u8; 4] {
    i32::try_from(bytes).unwrap_or(i32::MAX).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_text_and_the_rest_stays() {
        let mut bind = Bind::new("s7", 3);
        let fixed = b"\0s7\0\0\0\0\x03";
        let first = [&b"B\0\0\0\x1e"[..], fixed, b"\0\0\0\x02-5\0\0\0\x02ab\xff\xff\xff\xff\0\0"];
        let first = [&first.concat(), EXECUTE_AND_SYNC].concat();
        assert_eq!(bind.encode(&[Value::Int(-5), Value::Text("ab"), Value::Null]), first);
        let second = bind.encode(&[Value::Double(0.5), Value::Text(""), Value::Int(1)]).to_vec();
        let expected =
            [&b"B\0\0\0\x1f"[..], fixed, b"\0\0\0\x045e-1\0\0\0\0\0\0\0\x011\0\0"].concat();
        assert_eq!(second, [&expected, EXECUTE_AND_SYNC].concat());
    }

    #[test]
    fn the_library_writes_the_same_commands() {
        use bytes::BytesMut;
        use postgres_protocol::message::frontend;

        let mut expected = BytesMut::new();
        frontend::parse("", "COMMIT", [], &mut expected).unwrap();
        let no_values: [(); 0] = [];
        let put = |(), _: &mut BytesMut| Ok(postgres_protocol::IsNull::Yes);
        assert!(frontend::bind("", "", [], no_values, put, [], &mut expected).is_ok());
        frontend::execute("", 0, &mut expected).unwrap();
        frontend::sync(&mut expected);
        let mut packet = Vec::new();
        put_command(&mut packet, "COMMIT");
        put_sync(&mut packet);
        assert_eq!(packet, expected);
    }

    #[test]
    fn the_library_writes_the_same() {
        use bytes::BytesMut;
        use postgres_protocol::IsNull;
        use postgres_protocol::message::frontend;

        let put = |text: Option<&str>, buffer: &mut BytesMut| {
            Ok(match text {
                None => IsNull::Yes,
                Some(text) => {
                    buffer.extend_from_slice(text.as_bytes());
                    IsNull::No
                }
            })
        };
        let values = [Some("12"), Some("π"), None];
        let given = [Value::Int(12), Value::Text("π"), Value::Null];
        let sql = "SELECT $1, $2, $3";
        for (name, mut bind) in [("s1", Bind::new("s1", 3)), ("", Bind::unnamed(sql, 3))] {
            let mut expected = BytesMut::new();
            if name.is_empty() {
                frontend::parse("", sql, [], &mut expected).unwrap();
            }
            assert!(frontend::bind("", name, [], values, put, [], &mut expected).is_ok());
            if name.is_empty() {
                frontend::describe(b'P', "", &mut expected).unwrap();
            }
            frontend::execute("", 0, &mut expected).unwrap();
            frontend::sync(&mut expected);
            for _ in 0..2 {
                assert_eq!(bind.encode(&given), expected);
            }
        }
    }
}
