//! A line of tasks that wait, first come, first served.
//!
//! A value is handed to the task that is first, not put where any task may take it: no task can
//! overtake one that was woken, and no wake-up is lost. A task may leave the line at any time, by
//! dropping its [`Wait`].

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::handle::{Handle, TaskId};

/// A line of tasks, each of which waits for a value.
pub struct Line<T> {
    handle: Handle,
    places: RefCell<VecDeque<Rc<Place<T>>>>,
}

struct Place<T> {
    task: TaskId,
    value: Cell<Option<T>>,
}

impl<T> Line<T> {
    /// Makes an empty line for the tasks of one loop.
    pub fn new(handle: Handle) -> Self {
        Self { handle, places: RefCell::default() }
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.places.borrow().is_empty()
    }

    /// Waits behind all those who wait already. The place in the line is taken at the first poll.
    pub fn wait(&self) -> Wait<'_, T> {
        Wait { line: self, place: None }
    }

    /// Hands a value to the task that is first and wakes it. False where nobody waits; then no value
    /// is made.
    pub fn hand(&self, make: impl FnOnce() -> T) -> bool {
        let first = self.places.borrow_mut().pop_front();
        let Some(place) = first else { return false };
        place.value.set(Some(make()));
        self.handle.wake(place.task);
        true
    }
}

/// One task's wait; made by [`Line::wait`]. A value that was handed over and not taken is dropped
/// with it.
pub struct Wait<'line, T> {
    line: &'line Line<T>,
    place: Option<Rc<Place<T>>>,
}

impl<T> Future for Wait<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        if let Some(place) = &self.place {
            return place.value.take().map_or(Poll::Pending, Poll::Ready);
        }
        let task = self.line.handle.current_task();
        let place = Rc::new(Place { task, value: Cell::new(None) });
        self.line.places.borrow_mut().push_back(Rc::clone(&place));
        self.place = Some(place);
        Poll::Pending
    }
}

impl<T> Drop for Wait<'_, T> {
    fn drop(&mut self) {
        if let Some(place) = &self.place {
            self.line.places.borrow_mut().retain(|other| !Rc::ptr_eq(other, place));
        }
    }
}
