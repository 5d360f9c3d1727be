//! What connections of tests write down, and what drives a client without a loop.
#![allow(dead_code, reason = "each test has its share")]

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use contract::{Client, Value};

/// One call, with its parameters in text form.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub sql: String,
    pub parameters: Vec<String>,
}

impl Call {
    pub fn new(sql: impl Into<String>, parameters: &[Value<'_>]) -> Self {
        Self { sql: sql.into(), parameters: parameters.iter().map(in_text_form).collect() }
    }

    /// The call of a prepared statement, which has to have as many parameters.
    pub fn prepared(sql: &str, parameters: &[Value<'_>]) -> Self {
        assert_eq!(sql.matches('?').count(), parameters.len(), "{sql}");
        Self::new(sql, parameters)
    }

    pub fn is(&self, start: &str) -> bool {
        self.sql.starts_with(start)
    }

    pub fn int(&self, parameter: usize) -> i64 {
        let text = &self.parameters[parameter];
        text.parse().unwrap_or_else(|_| panic!("{text} is no integer: {}", self.sql))
    }

    /// All parameters, which are integers.
    pub fn ints(&self) -> Vec<i64> {
        (0..self.parameters.len()).map(|parameter| self.int(parameter)).collect()
    }
}

fn in_text_form(value: &Value<'_>) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Int(number) => number.to_string(),
        Value::Double(number) => number.to_string(),
        Value::Text(text) => (*text).into(),
    }
}

/// Draws the client's next transaction, as in a closed loop; its kind.
pub fn draw_next(client: &mut impl Client) -> usize {
    let kind = client.choose();
    client.draw(kind);
    kind
}

/// The result of a future that never waits.
pub fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("the connection answers at once"),
    }
}
