//! Models in ISPL: what is expected of them comes out, with evidence that is accepted again, and engines agree.

use crate::common::{self, linear, model, shipped_in_ispl, source};
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::Verdict;
use rcheck_smt::limits::Stop;
use rcheck_smt::model::Model;
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::model::spec::Expectation;
use rcheck_smt::source::SourceFile;
use rcheck_smt::verify::{Engine, Subject, certify};

/// How much work each engine may do on a spec.
const WORK: u64 = 200_000;

fn decided(verdict: &Verdict) -> Option<Expectation> {
    match verdict {
        Verdict::Holds(_) => Some(Expectation::Holds),
        Verdict::Violated(_) => Some(Expectation::Violated),
        _ => None,
    }
}

#[test]
fn shipped_models_have_the_verdicts_that_they_expect() {
    let (mut holds, mut violated) = (0, 0);
    for path in shipped_in_ispl() {
        let model = model(&source(&path));
        let (semantics, subject) = (Semantics::new(&model), Subject::new(&model));
        for (index, spec) in model.specs.iter().enumerate() {
            let name = format!("{} {}", path.display(), spec.name.as_deref().expect("it has a name"));
            let stop = Stop::new();
            let limits = common::limits(0, common::patiently(), &stop);
            let outcome =
                subject.prove(index, &[Engine::Explicit], &limits).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert!(spec.expect.is_some() && decided(&outcome.verdict) == spec.expect, "{name}: {:?}", outcome.verdict);
            let document = Document::new(&model, "model.ispl", index, &outcome.verdict).expect("it is decided");
            let again = Document::read(&document.write()).expect("it was written by us");
            let certified =
                certify(&again, &semantics, common::patiently()).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(decided(&certified.verdict), spec.expect, "{name}");
            *(if spec.expect == Some(Expectation::Holds) { &mut holds } else { &mut violated }) += 1;
        }
    }
    assert!(holds >= 60 && violated >= 16, "{holds} hold, {violated} are violated");
}

/// Engines that know terms only, on what is about single runs.
#[test]
fn engines_agree_on_what_is_about_single_runs() {
    let mut found = Vec::new();
    for path in shipped_in_ispl() {
        let model = model(&source(&path));
        let subject = Subject::new(&model);
        for index in linear(&model) {
            for engine in [Engine::Bmc, Engine::Kind, Engine::Pdr, Engine::Rlive, Engine::Spacer] {
                let stop = Stop::new();
                let limits = common::limits(12, common::patiently(), &stop);
                let Some(outcome) = common::with_work(WORK, || subject.prove(index, &[engine], &limits)) else {
                    continue;
                };
                let verdict = outcome.unwrap_or_else(|why| panic!("{}: {why}", path.display())).verdict;
                if let Some(verdict) = decided(&verdict) {
                    let spec = &model.specs[index];
                    assert_eq!(Some(verdict), spec.expect, "{} {:?} by {engine:?}", path.display(), spec.name);
                    found.push((engine, verdict));
                }
            }
        }
    }
    for wanted in [(Engine::Bmc, Expectation::Violated), (Engine::Pdr, Expectation::Holds)] {
        assert!(found.contains(&wanted), "{wanted:?} not in {found:?}");
    }
}

/// A lamp that reacts, and an agent that counts; these sections of the two take the place of the usual ones.
fn two(reacting: &str, counting: &str, rest: &str) -> String {
    format!(
        "Agent Environment
  Vars: on : boolean; off : boolean; end Vars
  {reacting}
end Agent
Agent Ann
  Vars: x : 0..7; b : boolean; end Vars
  {counting}
end Agent
Evaluation
  lit if Environment.on = true; five if Ann.x = 5; half if Ann.x / 2 = 3; more if Ann.x / 2 > 3;
  again if Ann.x / 2 * 2 = Ann.x; bits if (Ann.b ^ Environment.on | ~Ann.b & Environment.on) = true;
end Evaluation
InitStates Environment.on = false and Environment.off = false and Ann.b = true; {rest}"
    )
}

/// The verdicts about a text, `T` or `F` for each formula.
fn verdicts(text: &str) -> String {
    let model = model(&SourceFile::new("model.ispl", text));
    let subject = Subject::new(&model);
    let verdict = |index| {
        let stop = Stop::new();
        let limits = common::limits(0, common::patiently(), &stop);
        let outcome = subject.prove(index, &[Engine::Explicit], &limits).expect("it can be asked");
        match decided(&outcome.verdict) {
            Some(Expectation::Holds) => 'T',
            Some(Expectation::Violated) => 'F',
            Some(Expectation::Unknown) | None => '?',
        }
    };
    (0..model.specs.len()).map(verdict).collect()
}

/// Verdicts of MCMAS for sections without content, operators on bits, and quotients that are no integers.
#[test]
fn rare_sections_and_operators_mean_what_they_mean_in_mcmas() {
    let react = "Actions = {}; Protocol: end Protocol Evolution: on = true if Ann.Action = a; end Evolution";
    let any = "Actions = {go, stop}; Protocol: end Protocol Evolution: on = true if Action = go; end Evolution";
    let count = |value: &str| {
        format!(
            "RedStates: end RedStates Actions = {{a, r}}; Protocol: Other : {{a, r}}; end Protocol
  Evolution: x = {value} if Action = a; end Evolution"
        )
    };
    let from = |x: &str, formulas: &str| format!("Ann.x = {x}; end InitStates Formulae {formulas} end Formulae");
    let ask = |reacting: &str, value: &str, x: &str, formulas: &str| {
        let text = two(reacting, &count(value), &from(x, formulas));
        verdicts(&text.replace("Ann.b = true; Ann", "Ann.b = true and Ann"))
    };
    // An environment that only reacts, and one whose protocol forbids nothing.
    assert_eq!(ask(react, "x", "0", "EF lit; AF lit; AG (lit -> K(Ann, lit));"), "TFF");
    assert_eq!(ask(any, "x", "0", "EF lit; AF lit; EX !lit;"), "TFT");
    // Without red states all are green.
    assert_eq!(
        ask(react, "x", "0", "EF Ann.RedStates; AG Environment.GreenStates; O(Ann, !lit); O(Ann, five or !five);"),
        "FTFT"
    );
    assert_eq!(ask(react, "x", "0", "AG (bits <-> !lit); bits;"), "TT");
    // 7 / 2 is neither 3 nor 4, and no value of a variable.
    assert_eq!(ask(react, "x / 2", "7", "half; more; again; EF !more; AG again;"), "FTTFT");
    assert_eq!(ask(react, "x / 2", "6", "half; more; EF !more; EF half; EF (lit and !half);"), "TFTTT");
    assert_eq!(ask(react, "x / 2 + x / -2 + 5", "6", "EF five;"), "T");
    assert_eq!(ask(react, "(x + 1) / 2 * 3 - 3 / 2 * x", "7", "EF five; EF half;"), "FF");
}

/// A counter whose evolution has a line for each of its values, and an agent that acts beside it.
fn counter(lines: u32, condition: impl Fn(u32) -> String) -> Model {
    let evolution: String = (0..lines).map(|value| format!("x = {} if {};\n", value + 1, condition(value))).collect();
    let text = format!(
        "Agent Counter
           Vars: x : 0..{lines}; end Vars
           Actions = {{go, wait}};
           Protocol: x < {lines} : {{go, wait}}; Other : {{wait}}; end Protocol
           Evolution: {evolution} end Evolution
         end Agent
         Agent Beside
           Vars: y : boolean; end Vars
           Actions = {{left, right}};
           Protocol: Other : {{left, right}}; end Protocol
           Evolution: y = true if Action = left; end Evolution
         end Agent
         Evaluation far if Counter.x = {lines}; end Evaluation
         InitStates Counter.x = 0 and Beside.y = false; end InitStates
         Formulae AG EF far; end Formulae"
    );
    model(&SourceFile::new("lines.ispl", text))
}

/// Of the lines of an evolution those are looked at whose comparisons are true, by both semantics of steps, by the engines, and by
/// the checks: 1,000 lines of 1,001 values cost some work each, and not as much as there are lines.
#[test]
fn each_line_of_an_evolution_costs_little_work() {
    const LINES: u32 = 1_000;
    const PER_LINE: u64 = 800;
    const EQUATIONS: &[Engine] = &[Engine::Explicit, Engine::Bdd];
    // Diagrams of ranges are made value by value.
    const RANGES: &[Engine] = &[Engine::Explicit];
    for (condition, engines) in [
        ((|value| format!("x = {value}")) as fn(u32) -> String, EQUATIONS),
        (|value| format!("x = {value} and Action = go"), EQUATIONS),
        (|value| format!("Beside.Action = left and {value} = x"), EQUATIONS),
        (|value| format!("x >= {value} and Action = go and x < {}", value + 1), RANGES),
    ] {
        let model = counter(LINES, condition);
        let semantics = Semantics::new(&model);
        let within = |what: &str, work: &mut dyn FnMut()| {
            let done = common::with_work(PER_LINE * u64::from(LINES), work);
            assert!(done.is_some(), "{what} with lines as {}", condition(7));
        };
        within("steps", &mut || {
            let mut state = semantics.initial_states().expect("one").remove(0);
            for _ in 0..LINES {
                state = semantics.steps(&state).into_iter().map(|step| step.target).max().expect("a step");
            }
        });
        for &engine in engines {
            within(&format!("{engine:?}"), &mut || {
                let stop = Stop::new();
                let limits = common::limits(0, common::patiently(), &stop);
                let subject = Subject::new(&model);
                let outcome = subject.prove(0, &[engine], &limits).expect("no claim is refused");
                assert_eq!(decided(&outcome.verdict), Some(Expectation::Holds), "{engine:?}: {:?}", outcome.verdict);
            });
        }
    }
}
