//! Texts: what is read, what is refused and in which words, and what formatting keeps.

#[path = "../common/mod.rs"]
mod common;

mod families;
mod newcomer;
mod semantics;
mod syntax;
mod syntax_precedence;
mod syntax_robust;
