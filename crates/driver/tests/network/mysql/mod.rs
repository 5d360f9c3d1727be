//! The driver of `MySQL` on real servers, and before ones that only pretend.

mod broken;
mod connect;
mod layers;
mod load;
mod pieces;
mod pipeline;
mod queries;
mod sid;
mod stream;
