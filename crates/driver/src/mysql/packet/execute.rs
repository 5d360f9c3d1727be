//! The command that executes a prepared statement: encoded once, then only its parameters change.

use contract::Value;

use super::bytes::put_length;
use super::outgoing::{HEADER_BYTES, command, finish};

/// Command, statement, flags, iterations.
const FIXED_BYTES: usize = HEADER_BYTES + 1 + 4 + 1 + 4;

/// A parameter's type as the protocol numbers it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Null = 6,
    Double = 5,
    LongLong = 8,
    VarString = 253,
}

impl Bound {
    #[inline]
    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Int(_) => Self::LongLong,
            Value::Double(_) => Self::Double,
            Value::Text(_) => Self::VarString,
        }
    }
}

/// The packet of one statement on one connection.
pub(crate) struct Execute {
    packet: Vec<u8>,
    /// What the server was last told of the parameters' types.
    bound: Vec<Bound>,
    parameters: usize,
    /// Whether the map of NULLs, or the flag behind it, is not all zeros.
    is_marked: bool,
}

impl Execute {
    /// For a statement that the server knows by this number.
    pub fn new(statement: u32, parameters: usize) -> Self {
        let mut packet = vec![0; HEADER_BYTES];
        packet.push(command::STATEMENT_EXECUTE);
        packet.extend_from_slice(&statement.to_le_bytes());
        packet.push(0);
        packet.extend_from_slice(&1_u32.to_le_bytes());
        if parameters > 0 {
            packet.resize(FIXED_BYTES + parameters.div_ceil(8) + 1, 0);
        }
        Self { packet, bound: Vec::new(), parameters, is_marked: false }
    }

    /// The server's number for the statement.
    pub fn statement(&self) -> [u8; 4] {
        [self.packet[5], self.packet[6], self.packet[7], self.packet[8]]
    }

    /// How many parameters it takes.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// The bytes to send, and the number of the packet that answers. There must be as many values
    /// as parameters.
    #[inline]
    pub fn encode(&mut self, values: &[Value<'_>]) -> (&[u8], u8) {
        debug_assert_eq!(values.len(), self.parameters);
        if self.parameters > 0 {
            self.put_types(values);
            for (index, value) in values.iter().enumerate() {
                self.put_value(index, value);
            }
        }
        let answer = finish(&mut self.packet, 0);
        (&self.packet, answer)
    }

    /// Types are sent again only when one differs from what the server was told; NULL fits any.
    #[inline]
    fn put_types(&mut self, values: &[Value<'_>]) {
        let types_at = FIXED_BYTES + self.parameters.div_ceil(8) + 1;
        self.packet.truncate(types_at);
        if self.is_marked {
            self.packet[FIXED_BYTES..types_at].fill(0);
            self.is_marked = false;
        }
        let is_bound = |(bound, value): (&Bound, &Value)| {
            *bound == Bound::of(value) || matches!(value, Value::Null)
        };
        let is_known = self.bound.len() == values.len();
        if is_known && self.bound.iter().zip(values).all(is_bound) {
            return;
        }
        self.bind(values, types_at);
    }

    #[cold]
    fn bind(&mut self, values: &[Value<'_>], types_at: usize) {
        self.bound.clear();
        self.bound.extend(values.iter().map(Bound::of));
        self.packet[types_at - 1] = 1;
        self.is_marked = true;
        for bound in &self.bound {
            self.packet.extend_from_slice(&[*bound as u8, 0]);
        }
    }

    #[inline]
    fn put_value(&mut self, index: usize, value: &Value<'_>) {
        match value {
            Value::Null => {
                self.packet[FIXED_BYTES + index / 8] |= 1 << (index % 8);
                self.is_marked = true;
            }
            Value::Int(value) => self.packet.extend_from_slice(&value.to_le_bytes()),
            Value::Double(value) => self.packet.extend_from_slice(&value.to_le_bytes()),
            Value::Text(text) => {
                put_length(&mut self.packet, text.len());
                self.packet.extend_from_slice(text.as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXED: &[u8] = b"\x17\x07\0\0\0\0\x01\0\0\0";

    #[test]
    fn types_are_sent_once_and_when_they_change() {
        let mut execute = Execute::new(7, 2);
        let five = 5_i64.to_le_bytes();
        let first = [&[35, 0, 0, 0], FIXED, b"\0\x01\x08\0\xfd\0", &five, b"\x02ab"].concat();
        let length = u8::try_from(first.len() - 4).unwrap();
        let (bytes, answer) = execute.encode(&[Value::Int(5), Value::Text("ab")]);
        assert_eq!(bytes[1..], first[1..]);
        assert_eq!((bytes[0], answer), (length, 1));

        let again = [FIXED, b"\0\0", &five, b"\x01c"].concat();
        assert_eq!(execute.encode(&[Value::Int(5), Value::Text("c")]).0[4..], again);

        let null = [FIXED, b"\x01\0", b"\x01c"].concat();
        assert_eq!(execute.encode(&[Value::Null, Value::Text("c")]).0[4..], null);

        let double = 1.5_f64.to_le_bytes();
        let changed = [FIXED, b"\0\x01\x05\0\xfd\0", &double, b"\x01c"].concat();
        assert_eq!(execute.encode(&[Value::Double(1.5), Value::Text("c")]).0[4..], changed);
    }

    #[test]
    fn a_statement_without_parameters_has_neither_map_nor_types() {
        let mut execute = Execute::new(7, 0);
        for _ in 0..2 {
            assert_eq!(execute.encode(&[]).0[4..], *FIXED);
        }
        assert_eq!(execute.statement(), [7, 0, 0, 0]);
    }

    #[test]
    fn a_packet_that_was_cut_into_frames_is_whole_again_at_the_next_execution() {
        let mut execute = Execute::new(7, 1);
        let long = "x".repeat(20_000_000);
        assert_eq!(execute.encode(&[Value::Text(&long)]).1, 2);
        let again = [FIXED, b"\0\0", b"\x01c"].concat();
        assert_eq!(execute.encode(&[Value::Text("c")]).0[4..], again);
    }
}
