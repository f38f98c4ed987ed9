//! Messages about files that are no traces of the model.

use crate::common::{self, root};
use rcheck_smt::model::Model;
use rcheck_smt::model::eval::{Influence, Run, Semantics};
use rcheck_smt::source::SourceFile;
use rcheck_smt::trace_file::{About, Format, NotATrace, fingerprint, read, write};
use std::path::Path;

fn relay() -> Model {
    let path = root().join("tests/fixtures/cli/relay.rcp");
    common::model(&SourceFile::new("relay.rcp", std::fs::read_to_string(path).expect("readable")))
}

/// The only run of the relay, with the loop by its stutter, as a file.
fn written(semantics: &Semantics, format: Format) -> String {
    let initial = semantics.initial_states().expect("one state").remove(0);
    let (mut state, mut choices) = (initial.clone(), Vec::new());
    for _ in 0..5 {
        let step = semantics.steps(&state).remove(0);
        choices.push(step.choice);
        state = step.target;
    }
    let influence = Influence::of_behaviour(semantics.model());
    let run = Run::replay(semantics, initial, &choices, Some(4), &influence).expect("a run");
    let about = About { model_file: "relay.rcp".to_owned(), description: String::new(), round: None };
    let mut text = Vec::new();
    write(&mut text, &run, &about, format).expect("writing to memory works");
    String::from_utf8(text).expect("JSON is UTF-8")
}

fn refusal(semantics: &Semantics, text: &str) -> NotATrace {
    match read(semantics, text) {
        Ok(file) => panic!("accepted as {:?}:\n{text}", file.run),
        Err(error) => error,
    }
}

#[test]
fn the_files_are_as_documented() {
    let model = relay();
    let semantics = Semantics::new(&model);
    insta::assert_snapshot!("trace_file_json", written(&semantics, Format::Json));
    insta::assert_snapshot!("trace_file_itf", written(&semantics, Format::Itf));
}

#[test]
fn the_name_of_the_file_tells_the_format() {
    assert_eq!(Format::of(Path::new("a/trace.json")), Format::Json);
    assert_eq!(Format::of(Path::new("trace.itf.json")), Format::Itf);
    assert_eq!(Format::of(Path::new("x.itf.json/trace")), Format::Json);
}

#[test]
fn specs_and_layout_do_not_make_another_model() {
    let model = relay();
    let path = root().join("tests/fixtures/cli/relay.rcp");
    let text = std::fs::read_to_string(path).expect("readable");
    let (system, _) = text.split_once("// name: small").expect("the first spec");
    let same = common::model(&SourceFile::new("other.rcp", system.replace("    ", " ")));
    assert_eq!(fingerprint(&same), fingerprint(&model));
    let other = common::model(&SourceFile::new("other.rcp", system.replace("sent = 40", "sent = 41")));
    assert_ne!(fingerprint(&other), fingerprint(&model));
}

/// Each alteration of the file is refused, and the place is named.
#[test]
fn problems_are_named_with_their_places() {
    let model = relay();
    let semantics = Semantics::new(&model);
    let text = written(&semantics, Format::Json);
    let mut report = String::new();
    for (from, to) in [
        (&text[..], "{"),
        (&text, "[1, 2]"),
        (&text, "{\"format\": \"rcheck-smt trace\"}"),
        ("\"version\": 1", "\"version\": 2"),
        ("sha256:", "sha256:0"),
        ("\"loop\": 4", "\"loop\": 5"),
        ("\"loop\": 4", "\"loop\": 1"),
        ("\"loop\": 4", "\"loop\": -1"),
        ("\"sent\":40", "\"sent\":\"forty\""),
        ("\"sent\":40", "\"sent\":39"),
        ("\"sent\":40", "\"sent\":40, \"lost\":1"),
        ("\"sent\":41", "\"sent\":42"),
        ("\"sink\":{", "\"drain\":{"),
        ("\"seen\":false", "\"seen\":0"),
        ("\"automaton-state\":0", "\"automaton-state\":9"),
        ("\"tell\"", "\"told\""),
        ("\"tell\"", "\"point\""),
        ("{\"instance\":\"sink\",\"command\":\"hear\"},", ""),
        ("\"channel\":\"c\"", "\"channel\":\"d\""),
        ("\"channel\":\"c\"", "\"channel\":\"*\""),
        ("\"N\":82", "\"N\":83"),
        ("\"N\":82", "\"M\":82"),
        ("\"kind\":\"multicast\"", "\"kind\":\"unicast\""),
        ("{\"kind\":\"stutter\"}", "{\"kind\":\"stutter\"}, {\"kind\":\"stutter\"}"),
    ] {
        let altered = text.replacen(from, to, 1);
        assert_ne!(altered, text, "{from}");
        let shown = if from == text { "everything" } else { from };
        report += &format!("{shown}  =>  {to}\n{}\n\n", refusal(&semantics, &altered));
    }
    insta::assert_snapshot!("trace_file_problems", report);
}

#[test]
fn problems_of_itf_are_named_as_well() {
    let model = relay();
    let semantics = Semantics::new(&model);
    let text = written(&semantics, Format::Itf);
    let mut report = String::new();
    for (from, to) in [
        ("\"loop\": 4,", ""),
        ("\"source-sent\":{\"#bigint\":\"40\"},", ""),
        ("{\"#bigint\":\"40\"}", "{\"#bigint\":\"4x\"}"),
        ("{\"#bigint\":\"41\"}", "{\"#bigint\":\"42\"}"),
        ("\"other-seen\":false", "\"other-saw\":false"),
        ("sha256:", ""),
    ] {
        let altered = text.replacen(from, to, 1);
        assert_ne!(altered, text, "{from}");
        report += &format!("{from}  =>  {to}\n{}\n\n", refusal(&semantics, &altered));
    }
    insta::assert_snapshot!("trace_file_problems_itf", report);
}

/// A file by hand needs no fingerprint, and numbers may be written in any way.
#[test]
fn files_by_hand_are_welcome() {
    let model = relay();
    let semantics = Semantics::new(&model);
    let text = written(&semantics, Format::Json);
    let start = text.find("  \"model\"").expect("the field");
    let end = text.find("  \"loop\"").expect("the field");
    let by_hand =
        format!("{}{}", &text[..start], &text[end..]).replace(":40", ":\"40\"").replace(":41", ":{\"#bigint\":\"41\"}");
    let file = read(&semantics, &by_hand).unwrap_or_else(|error| panic!("{error}\n{by_hand}"));
    assert_eq!((file.run.steps().len(), file.run.loop_start()), (5, Some(4)));
}
