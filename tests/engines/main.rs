//! Verdicts: what engines find on models of which we know what holds, and the automata that they use.

#[path = "../common/mod.rs"]
mod common;

mod any_number;
mod clauses;
mod corners;
mod corpus;
mod diagrams;
mod ispl;
mod loops;
mod prove;
mod ranking;
mod recurrent;
mod sets;
mod suite;
mod words;
