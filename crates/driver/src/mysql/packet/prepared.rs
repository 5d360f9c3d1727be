//! Reads the answer to the command that prepares a statement.

use contract::SqlError;

use super::column::Column;
use super::deframer::Deframer;
use super::reply::Agreed;
use super::status::server_error;
use super::{ERROR, Fields, Malformed, OK};

/// A statement as the server knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PreparedStatement {
    pub number: u32,
    pub parameters: usize,
    pub columns: Vec<Column>,
}

/// Reads one such answer.
pub(crate) struct PreparedReader {
    agreed: Agreed,
    deframer: Deframer,
    statement: Option<PreparedStatement>,
    /// Packets that come before the columns' definitions: the parameters', and their end.
    parameters_left: usize,
    columns_left: usize,
    /// What older servers send behind the columns.
    end_left: usize,
}

impl PreparedReader {
    /// For an answer whose first packet has this number.
    pub fn new(agreed: Agreed, sequence: u8) -> Self {
        let mut deframer = Deframer::new();
        deframer.restart(sequence);
        Self { agreed, deframer, statement: None, parameters_left: 0, columns_left: 0, end_left: 0 }
    }

    /// Takes what has arrived.
    pub fn feed(&mut self, mut input: &[u8]) -> Result<Option<PreparedStatement>, SqlError> {
        while let Some(payload) = self.deframer.next(&mut input)? {
            if payload.first() == Some(&ERROR) {
                return Err(server_error(payload));
            }
            match &mut self.statement {
                None => {
                    let (statement, columns) = head(payload)?;
                    let end = usize::from(!self.agreed.deprecate_eof);
                    let parameters = statement.parameters;
                    self.parameters_left = if parameters > 0 { parameters + end } else { 0 };
                    self.columns_left = columns;
                    self.end_left = if columns > 0 { end } else { 0 };
                    self.statement = Some(statement);
                }
                Some(_) if self.parameters_left > 0 => self.parameters_left -= 1,
                Some(statement) if self.columns_left > 0 => {
                    statement.columns.push(Column::parse(payload)?);
                    self.columns_left -= 1;
                }
                Some(_) => self.end_left -= 1,
            }
            if self.parameters_left + self.columns_left + self.end_left == 0 {
                return Ok(self.statement.take());
            }
        }
        Ok(None)
    }
}

fn head(payload: &[u8]) -> Result<(PreparedStatement, usize), Malformed> {
    let mut fields = Fields(payload);
    if fields.u8()? != OK {
        return Err(Malformed("a statement was neither prepared nor refused"));
    }
    let number = fields.u32()?;
    let columns = usize::from(fields.u16()?);
    let parameters = usize::from(fields.u16()?);
    Ok((PreparedStatement { number, parameters, columns: Vec::new() }, columns))
}

#[cfg(test)]
mod tests {
    use super::super::column::tests::definition;
    use super::super::reply::tests::packets;
    use super::*;

    #[test]
    fn a_statement_is_read_wherever_its_answer_is_torn() {
        let head = b"\0\x09\0\0\0\x01\0\x02\0\0\0\0".to_vec();
        let parameter = definition(253, 0, 0);
        let column = definition(3, 0, 0);
        let end = b"\xfe\0\0\x02\0".to_vec();
        let short = [&head, &parameter, &parameter, &column].map(Clone::clone);
        let long = [&head, &parameter, &parameter, &end, &column, &end].map(Clone::clone);
        for (deprecate_eof, payloads) in [(true, &short[..]), (false, &long)] {
            let bytes = packets(1, payloads);
            for tear in 0..bytes.len() {
                let agreed = Agreed { deprecate_eof, cache_metadata: false };
                let mut reader = PreparedReader::new(agreed, 1);
                assert_eq!(reader.feed(&bytes[..tear]).unwrap(), None);
                let statement = reader.feed(&bytes[tear..]).unwrap().unwrap();
                assert_eq!((statement.number, statement.parameters), (9, 2));
                assert_eq!(statement.columns, [Column::parse(&column).unwrap()]);
            }
        }
    }

    #[test]
    fn a_refusal_is_the_servers_error() {
        let bytes = packets(1, &[b"\xff\x7a\x04#42S02Table 'db.t' doesn't exist".to_vec()]);
        let error = PreparedReader::new(Agreed::default(), 1).feed(&bytes).unwrap_err();
        assert_eq!((error.code(), error.sqlstate()), (1146, "42S02"));
    }
}
