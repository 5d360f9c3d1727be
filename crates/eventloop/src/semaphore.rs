//! Lets only so many tasks of a loop through at the same time.

use std::cell::Cell;
use std::rc::Rc;

use crate::handle::Handle;
use crate::line::Line;

/// A number of permits, which tasks wait for in line. A permit that is given back goes to the task
/// that is first, and is free only where nobody waits.
pub struct Semaphore(Rc<Permits>);

struct Permits {
    free: Cell<usize>,
    line: Line<Permit>,
}

impl Semaphore {
    /// Makes a semaphore for the tasks of one loop.
    pub fn new(handle: Handle, permits: usize) -> Self {
        Self(Rc::new(Permits { free: Cell::new(permits), line: Line::new(handle) }))
    }

    /// Waits for a permit, which is given back when it is dropped.
    pub async fn acquire(&self) -> Permit {
        let free = self.0.free.get();
        if free > 0 {
            self.0.free.set(free - 1);
            return Permit(Rc::clone(&self.0));
        }
        self.0.line.wait().await
    }
}

/// The right to go on; made by [`Semaphore::acquire`].
pub struct Permit(Rc<Permits>);

impl Drop for Permit {
    fn drop(&mut self) {
        let handed_on = self.0.line.hand(|| Self(Rc::clone(&self.0)));
        if !handed_on {
            self.0.free.set(self.0.free.get() + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::event_loop::EventLoop;

    type Acquiring = Pin<Box<dyn Future<Output = Permit>>>;

    /// Where a task stands.
    enum Place {
        Away,
        Waiting(Acquiring),
        Inside(#[allow(dead_code, reason = "it is held")] Permit),
    }

    /// What happens to a task: it takes its next step (it enters, is polled without cause, or leaves),
    /// or is given up wherever it stands.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Next(usize),
        GiveUp(usize),
    }

    const TASKS: usize = 3;
    /// Miri takes a thousand times as long.
    const STEPS: u32 = if cfg!(miri) { 2 } else { 6 };

    /// A loop that no test turns; Miri knows no kernel to wait for.
    fn event_loop() -> EventLoop<'static> {
        #[cfg(feature = "simulation")]
        let _time = crate::simulation::VirtualTime::begin(0);
        EventLoop::new().unwrap()
    }

    struct Scene {
        handle: Handle,
        semaphore: Rc<Semaphore>,
        places: [Place; TASKS],
    }

    impl Scene {
        fn new(handle: &Handle, permits: usize) -> Self {
            let semaphore = Rc::new(Semaphore::new(handle.clone(), permits));
            let places = std::array::from_fn(|_| Place::Away);
            Self { handle: handle.clone(), semaphore, places }
        }

        fn poll(&mut self, task: usize, mut acquiring: Acquiring) {
            self.handle.0.current.set(task);
            let polled = acquiring.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            self.places[task] = match polled {
                Poll::Ready(permit) => Place::Inside(permit),
                Poll::Pending => Place::Waiting(acquiring),
            };
        }

        fn carry_out(&mut self, step: Step) {
            let (Step::Next(task) | Step::GiveUp(task)) = step;
            match (step, std::mem::replace(&mut self.places[task], Place::Away)) {
                (Step::GiveUp(_), _) | (_, Place::Inside(_)) => {}
                (_, Place::Away) => {
                    let semaphore = Rc::clone(&self.semaphore);
                    self.poll(task, Box::pin(async move { semaphore.acquire().await }));
                }
                (_, Place::Waiting(acquiring)) => self.poll(task, acquiring),
            }
        }

        fn inside(&self) -> usize {
            self.places.iter().filter(|place| matches!(place, Place::Inside(_))).count()
        }

        /// Everybody who is inside leaves, and those who were woken are polled, and nobody else.
        fn finish(&mut self) {
            for _ in 0..=TASKS {
                for place in &mut self.places {
                    if matches!(place, Place::Inside(_)) {
                        *place = Place::Away;
                    }
                }
                for task in self.handle.0.ready.take() {
                    match std::mem::replace(&mut self.places[task], Place::Away) {
                        Place::Waiting(acquiring) => self.poll(task, acquiring),
                        place => self.places[task] = place,
                    }
                }
            }
        }
    }

    /// Every sequence of so many steps of three tasks, at one permit and at two: no more are inside
    /// than there are permits, nobody waits for ever, and all permits are free in the end.
    #[test]
    fn no_sequence_of_steps_loses_a_permit_or_makes_one() {
        let steps: Vec<Step> =
            (0..TASKS).flat_map(|task| [Step::Next(task), Step::GiveUp(task)]).collect();
        let event_loop = event_loop();
        for permits in [1, 2] {
            for number in 0..steps.len().pow(STEPS) {
                event_loop.handle().0.ready.take();
                let mut scene = Scene::new(&event_loop.handle(), permits);
                let mut rest = number;
                for _ in 0..STEPS {
                    scene.carry_out(steps[rest % steps.len()]);
                    rest /= steps.len();
                    assert!(scene.inside() <= permits, "sequence {number}");
                }
                scene.finish();
                let waiting = scene.places.iter().any(|place| matches!(place, Place::Waiting(_)));
                assert!(!waiting, "sequence {number}: a task waits for ever");
                assert_eq!(scene.semaphore.0.free.get(), permits, "sequence {number}");
                assert!(scene.semaphore.0.line.is_empty(), "sequence {number}");
            }
        }
    }

    #[test]
    fn tasks_are_let_through_in_the_order_in_which_they_came() {
        let event_loop = event_loop();
        let mut scene = Scene::new(&event_loop.handle(), 1);
        for task in [2, 0, 1] {
            scene.carry_out(Step::Next(task));
        }
        let mut order = Vec::new();
        for leaving in [2, 0] {
            scene.carry_out(Step::Next(leaving));
            // Who has only just left comes back, and is not let in before the others.
            scene.carry_out(Step::Next(leaving));
            order.extend(scene.handle.0.ready.take());
            scene.carry_out(Step::Next(order[order.len() - 1]));
        }
        assert_eq!(order, [0, 1]);
    }
}
