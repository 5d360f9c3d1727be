//! Counts the memory that a test's own thread holds, to show that no answer makes a reader take more
//! than in proportion to its own length.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn count(bytes: isize) {
    // A thread that is about to end has no counters any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

// SAFETY: all is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller keeps what `alloc` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: the caller keeps what `dealloc` asks for.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The most bytes that were held at a time in the midst of some work, beyond those before it.
pub(crate) fn most_held<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    MOST.set(before);
    let result = work();
    (result, (MOST.get() - before).unsigned_abs())
}

#[test]
fn what_is_held_for_a_moment_is_counted() {
    let ((), bytes) = most_held(|| drop(vec![0_u8; 1 << 20]));
    assert!((1 << 20..1 << 21).contains(&bytes), "{bytes}");
    let (kept, more) = most_held(|| vec![0_u8; 100]);
    assert!((100..200).contains(&more), "{more} for {}", kept.len());
}
