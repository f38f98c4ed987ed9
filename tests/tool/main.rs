//! The binary as people and scripts use it, and what it draws.

#[path = "../common/mod.rs"]
mod common;

mod batch;
mod book;
mod certifier;
mod chart_files;
mod charts;
mod checks;
mod clauses;
mod cli;
mod constants;
mod contributing;
mod counterexamples;
mod explain;
mod fairness;
mod graphs;
mod ispl;
mod knowledge;
mod languages;
mod lsp;
mod manual;
mod review;
mod robust;
mod scripts;
mod serve;
mod simulate;
mod strategies;
mod terminal;
mod tool;
