//! Answers and questions from nothing to far more than a read buffer or a packet holds.

use contract::{Collect, Connection, Discard, Driver, Executed, Value};

use super::{connect, run, statements};

const ANSWER_BYTES: [u32; 10] =
    [0, 1, 250, 251, 65_000, 65_536, 300_000, 16_777_190, 16_777_215, 40_000_000];

const QUESTION_BYTES: [usize; 7] = [0, 250, 251, 70_000, 16_777_150, 16_777_215, 40_000_000];

/// `numbered` gives so many rows as its parameter says, up to 10,000, each with its number first.
pub fn answers_keep_the_connection_in_step<D: Driver + 'static>(driver: D, numbered: &'static str) {
    run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        connection.prepare(&statements(&["SELECT REPEAT('x', ?), 7", numbered])).await.unwrap();
        for bytes in ANSWER_BYTES {
            let values = [Value::Int(bytes.into())];
            let executed = connection.execute(0, &values, &mut Discard).await.unwrap();
            assert_eq!(executed, Executed::Rows(1));
            let mut answer = Collect::default();
            connection.execute(0, &values, &mut answer).await.unwrap();
            assert_eq!(answer.rows[0][0].as_ref().unwrap().len(), bytes as usize);
            assert_eq!(answer.rows[0][1].as_deref(), Some("7"));
        }
        for rows in [0, 1, 100, 10_000] {
            let executed = connection.execute(1, &[Value::Int(rows)], &mut Discard).await.unwrap();
            assert_eq!(executed, Executed::Rows(rows.unsigned_abs()));
            let mut answer = Collect::default();
            connection.execute(1, &[Value::Int(rows)], &mut answer).await.unwrap();
            let numbers =
                answer.rows.iter().map(|row| row[0].as_ref().unwrap().parse::<i64>().unwrap());
            assert!(numbers.eq(1..=rows));
        }
    });
}

pub fn questions_arrive<D: Driver + 'static>(driver: D) {
    run(move |handle| async move {
        let mut connection = connect(&driver, &handle).await;
        connection.prepare(&statements(&["SELECT LENGTH(?)"])).await.unwrap();
        for bytes in QUESTION_BYTES {
            let long = "z".repeat(bytes);
            let mut answer = Collect::default();
            connection.execute(0, &[Value::Text(&long)], &mut answer).await.unwrap();
            assert_eq!(answer.rows[0][0], Some(bytes.to_string()));
        }
    });
}
