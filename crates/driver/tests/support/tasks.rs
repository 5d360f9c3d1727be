//! Tasks on a loop of their own.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Instant;

use eventloop::{EventLoop, Handle, Timestamp};

use super::PATIENCE;

/// A task for a loop, where tasks of different kinds stand in one list.
pub type Task<T> = Box<dyn FnOnce(Handle) -> Pin<Box<dyn Future<Output = T>>>>;

/// Runs tasks on a loop until all have ended, and gives back what they gave.
pub fn run_all<T, F, Fut>(tasks: Vec<F>) -> Vec<T>
where
    T: 'static,
    F: FnOnce(Handle) -> Fut,
    Fut: Future<Output = T> + 'static,
{
    let mut event_loop = EventLoop::new().unwrap();
    let results: Vec<Rc<RefCell<Option<T>>>> = tasks
        .into_iter()
        .map(|task| {
            let result = Rc::new(RefCell::new(None));
            let place = Rc::clone(&result);
            let future = task(event_loop.handle());
            event_loop.spawn(async move {
                let value = future.await;
                *place.borrow_mut() = Some(value);
            });
            result
        })
        .collect();
    let start = Instant::now();
    while event_loop.live_tasks() > 0 {
        assert!(start.elapsed() < PATIENCE, "a task does not end");
        event_loop.turn(Timestamp(u64::MAX)).unwrap();
    }
    results.into_iter().map(|result| result.borrow_mut().take().unwrap()).collect()
}

/// Runs one task.
pub fn run<T, F, Fut>(task: F) -> T
where
    T: 'static,
    F: FnOnce(Handle) -> Fut,
    Fut: Future<Output = T> + 'static,
{
    run_all(vec![task]).remove(0)
}
