//! `rcheck-smt lsp`: the Language Server Protocol, over what [`crate::ide`] says about texts.
//!
//! One thread reads messages and answers them one after the other; a request that panics or takes too long is answered by an
//! error and costs nothing else. Verification runs elsewhere: threads ([`jobs`]) pass questions to a [`Verifier`], whose worker
//! processes may crash, and report back as events.
//!
//! In reading order, each module after those that it uses: [`messages`]; `verifier`, questions and who answers them; `position`,
//! places as the protocol counts them; [`room`], memory, and [`space`], the states that a system can be in; `verdicts`, what is
//! known; `documents`, texts and their analyses; `steps`, counterexamples in the source; `facts`, what is known of a text,
//! `diagnostics`, and `results`, as clients get it; `features`, `symbols` and `lenses`, what editors ask of a text;
//! `client`, `jobs` and `state`, what the server keeps; `verification`; [`commands`], what people click on; `dispatch`
//! and `methods`, which function answers what; `server`, the loop.

mod client;
pub mod commands;
mod diagnostics;
mod dispatch;
mod documents;
mod facts;
mod features;
mod jobs;
mod lenses;
pub mod messages;
mod methods;
mod position;
mod results;
pub mod room;
mod server;
pub mod space;
mod state;
mod steps;
mod symbols;
mod verdicts;
mod verification;
mod verifier;

pub use server::{Departure, serve};
pub use verifier::{Cancel, SpecOrChecks, TextQuestion, Verifier};
