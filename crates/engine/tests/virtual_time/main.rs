//! The engine in virtual time, one file a subject. They are one program, because each program is
//! compiled with an engine of its own.

mod at_once;
mod attempts;
mod attribution;
mod engine;
mod kinds;
mod open_loop;
mod pacing;
mod pauses;
mod reconnecting;
#[path = "../scripted/mod.rs"]
mod scripted;
mod shares;
mod warmup;
