//! Lexer, parser, checker and formatter on any text.
#![no_main]

#[path = "../../tests/common/front_end.rs"]
mod front_end;

libfuzzer_sys::fuzz_target!(|text: &str| front_end::check(text));
