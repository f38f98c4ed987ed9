//! Texts that `export` writes, read back: VMT-LIB and Horn clauses by a reader of our own that shares nothing
//! with the writer, and compared with the system by evaluation; Horn clauses by Z3, whose answers must
//! be the expected verdicts; the rest for its form.

mod forms;
mod reader;
mod sample;
mod script;
mod spacer;
mod text;
