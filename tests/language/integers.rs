//! Integers of any size in texts.

use crate::{findings, read};
use rcheck_smt::diag::Code;
use rcheck_smt::model::eval::{Limits, Semantics};
use rcheck_smt::model::{Constants, Literal, Value};
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::{parse, plain, pretty};

const MODEL: &str = "const N = 340282366920938463463374607431768211456;
agent A
    local: x : int
    init: x = 2 * N - 1 & x > -18446744073709551616
    receive-guard: chan = *
    repeat: a: {x < 680564733841876926926749214863536422913} *! (true)()[x := x + 1]
system = A(one, true)
SPEC G (one-x >= 680564733841876926926749214863536422911);
";

fn none() -> Constants {
    Constants::new()
}

#[test]
fn literals_and_constants_have_any_number_of_digits() {
    let model = read(MODEL, &none()).expect("it is read");
    let semantics = Semantics::new(&model);
    let initial = semantics.initial_states().expect("they can be listed");
    let x = initial[0].local(rcheck_smt::model::InstanceId(0), rcheck_smt::model::LocalId(0)).clone();
    let expected = "680564733841876926926749214863536422911".parse().expect("a number");
    assert_eq!((initial.len(), x), (1, Value::Int(expected)));
    let found = semantics.explore(Limits { depth: 9, states: 9 }).expect("few initial states");
    assert_eq!((found.complete(), found.depth()), (true, 2));
}

#[test]
fn constants_are_given_any_value() {
    let given = Literal::read("-99999999999999999999999999").expect("a number");
    let model = read(MODEL, &Constants::from([("N".to_owned().into(), given.clone())])).expect("it is read");
    assert_eq!(model.literals(), Constants::from([("N".to_owned().into(), given)]));
    let initial = Semantics::new(&model).initial_states().expect("they can be listed");
    assert_eq!(initial.len(), 0);
}

#[test]
fn formatting_keeps_them_and_plain_forms_have_them() {
    let source = SourceFile::new("m.rcp", MODEL);
    let mut parsed = parse(&source, None);
    assert!(pretty::format(&source, &parsed).contains("const N = 340282366920938463463374607431768211456;"));
    parsed.model =
        plain(&parsed.model, &read(MODEL, &none()).expect("it is read").literals()).expect("it has a plain form");
    let written = pretty::format(&source, &parsed);
    assert!(written.contains("x = 2 * 340282366920938463463374607431768211456 - 1"), "{written}");
}

#[test]
fn what_has_to_be_small_says_so() {
    let range = MODEL.replace("x : int", "x : 0..18446744073709551615");
    let family = MODEL.replace("A(one", "A(one[1..18446744073709551615]").replace("one-x", "one1-x");
    for text in [range, family] {
        let found = findings(&text, &none());
        let expected = (Code::NumberTooLarge, "18446744073709551615".to_owned());
        assert_eq!(found.iter().map(|it| (it.0, it.1.clone())).next(), Some(expected), "{found:?}");
    }
}

#[test]
fn numbers_beyond_all_limits_are_errors() {
    let long = "9".repeat(200_000);
    let declared = format!("const A = {long};\nconst B = A * A;\nconst C = B * B;\n{MODEL}");
    let found = findings(&declared, &none());
    let (code, place, said) = &found[0];
    assert_eq!((*code, place.as_str()), (Code::NumberTooLarge, "A * A"));
    assert!(said.contains("the value of a constant is too large"), "{said}");
    let literal = MODEL.replace("2 * N", &"9".repeat(400_000));
    assert!(findings(&literal, &none()).iter().any(|(code, ..)| *code == Code::NumberTooLarge));
}
