//! The binary: everything is in the library.

use std::process::ExitCode;

/// Expressions may be nested deeply (the parser's limit is a thousand levels), and passes recurse.
const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    match std::thread::Builder::new().stack_size(STACK_BYTES).spawn(rcheck_smt::cli::main) {
        Ok(main) => main.join().unwrap_or_else(|_| ExitCode::from(rcheck_smt::cli::INTERNAL_ERROR)),
        Err(error) => rcheck_smt::cli::refuse_to_start(error),
    }
}
