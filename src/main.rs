//! The command line of `rcheck-smt`.

fn main() {}
