//! Lexer, parser, checker and formatter on any text, as one in our language and as one in ISPL.
#![no_main]

#[path = "../../tests/common/front_end.rs"]
mod front_end;

libfuzzer_sys::fuzz_target!(|text: &str| {
    front_end::check(text);
    front_end::check_ispl(text);
});
