//! The two readings of gets and supplies.

use rcheck_smt::model::eval::{Choice, Semantics};
use rcheck_smt::model::{ConstantName, Constants, Literal, Model, PointToPoint, elaborate};
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::{parse, plain};

fn text(reading: &str, get: &str, supply: &str) -> String {
    format!(
        "{reading}\nproperty-variables: good : bool\n\
         agent A local: done : bool init: !done relabel: good <- false receive-guard: true \
         repeat: get: {{!done}} GET@({get})()[done := true]\n\
         agent B local: who : location init: who = two relabel: good <- true receive-guard: true \
         repeat: sup: {{true}} SUPPLY@({supply})()[]\n\
         system = A(one, true) || B(two, true)\n"
    )
}

fn model(text: String, chosen: Option<PointToPoint>) -> Model {
    let source = SourceFile::new("m.rcp", text);
    let mut parsed = parse(&source, None);
    let constants: Constants =
        chosen.iter().map(|reading| (ConstantName::PointToPoint(*reading), Literal::Bool(true))).collect();
    parsed.model.give(&constants).expect("it is a reading");
    let (model, findings) = elaborate(&parsed.model);
    assert!(!parsed.diagnostics.has_errors() && !findings.has_errors(), "{:?} {findings:?}", parsed.diagnostics);
    model.expect("there are no errors")
}

fn meet(model: &Model) -> bool {
    let semantics = Semantics::new(model);
    let initial = semantics.initial_states().expect("few").remove(0);
    semantics.steps(&initial).iter().any(|step| matches!(step.choice, Choice::GetSupply { .. }))
}

#[test]
fn gets_meet_supplies_as_the_reading_says() {
    // The get, the supply, whether they meet as in the tool, and as in the paper.
    let cases = [
        ("two", "any", true, false),
        ("self", "any", false, false),
        ("myself", "any", false, false),
        ("two", "myself", true, true),
        ("two", "self", true, true),
        ("two", "two", false, true),
        ("two", "who", false, true),
        ("two", "one", true, false),
        ("@good", "any", true, true),
        ("!@good", "any", false, false),
        ("@good", "myself", false, false),
        ("@good", "one", true, false),
        ("@good", "two", false, false),
    ];
    for (get, supply, tool, paper) in cases {
        for (reading, expected) in [("", tool), ("point-to-point: tool", tool), ("point-to-point: paper", paper)] {
            let text = text(reading, get, supply);
            assert_eq!(meet(&model(text.clone(), None)), expected, "{reading}: {get} {supply}");
            assert_eq!(meet(&model(text.clone(), Some(PointToPoint::Tool))), tool, "{reading}: {get} {supply}");
            assert_eq!(meet(&model(text, Some(PointToPoint::Paper))), paper, "{reading}: {get} {supply}");
        }
    }
}

#[test]
fn a_warning_says_where_the_readings_differ() {
    // The get, the supply, and whether some get and supply meet in one reading only.
    let cases = [
        ("two", "any", true),
        ("one", "any", false),
        ("two", "myself", false),
        ("two", "two", true),
        ("two", "who", true),
        ("two", "one", true),
        ("@good", "any", false),
        ("@good", "one", true),
        ("@good", "two", false),
        ("!@good", "one", false),
    ];
    for (get, supply, expected) in cases {
        for (reading, warns) in [("", expected), ("point-to-point: tool", false), ("point-to-point: paper", false)] {
            let parsed = parse(&SourceFile::new("m.rcp", text(reading, get, supply)), None);
            let (_, findings) = elaborate(&parsed.model);
            let found = findings.iter().any(|finding| finding.code.as_str() == "W0208");
            assert_eq!(found, warns, "{reading}: {get} {supply}");
        }
    }
}

#[test]
fn the_plain_form_has_no_supplies_as_in_the_paper() {
    for (reading, supply, is_written) in [
        ("point-to-point: paper", "any", false),
        ("point-to-point: paper", "two", false),
        ("point-to-point: paper", "myself", true),
        ("point-to-point: tool", "any", true),
    ] {
        let parsed = parse(&SourceFile::new("m.rcp", text(reading, "two", supply)), None);
        let plain = plain(&parsed.model, &Constants::new());
        assert_eq!(plain.is_ok(), is_written, "{reading} {supply}");
    }
}

#[test]
fn the_words_stay_names() {
    let text = "agent A local: to : int init: to = 3 receive-guard: true repeat: point: {true} *! (true)()[]\n\
                system = A(point, true)\nSPEC G (point-to = 3);\n";
    let parsed = parse(&SourceFile::new("m.rcp", text), None);
    assert!(!parsed.diagnostics.has_errors(), "{:?}", parsed.diagnostics);
}
