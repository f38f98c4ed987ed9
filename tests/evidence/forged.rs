//! Forged certificates: evidence that is good for one spec, offered for others with the opposite verdict, as it is and altered;
//! evidence of other models; evidence put together from two certificates; and evidence that is made up. None may give a wrong
//! verdict. A share runs with all tests; `scripts/nightly-hostile` runs more.

use crate::common::{limits, parsed, patiently, with_work};
use crate::hostile::{count, mutate, random, with_stack};
use crate::subjects::{Subjects, kind, subjects};
use fastrand::Rng;
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::Verdict;
use rcheck_smt::limits::Stop;
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::source::SourceFile;
use rcheck_smt::verify::{self, Engine, Subject};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How much work a check may be.
const WORK: u64 = 10_000_000;

/// The same evidence for a spec of another model, or of the same one.
fn moved(certificate: &Value, to: &Subjects, spec: usize) -> Value {
    let (model, mut offered) = (&to.model, certificate.clone());
    let declared = &model.specs[spec];
    offered["spec"] =
        json!({"number": spec + 1, "name": declared.name, "formula": model.show_formula(&declared.formula)});
    if let Some(other) = to.certificates.first() {
        offered["model"] = other["model"].clone();
    }
    let conjuncts = declared.formula.conjuncts();
    if let Some(parts) = offered["evidence"].get_mut("invariants").and_then(Value::as_array_mut)
        && let Some(last) = parts.last().cloned()
    {
        // As many as there are conjuncts, so that it is refused for what it says.
        parts.resize(conjuncts.len(), last);
        for (part, conjunct) in parts.iter_mut().zip(conjuncts) {
            part["formula"] = json!(model.show_formula(&conjunct));
        }
    }
    for kind in ["exploration", "labels", "diagrams"] {
        let field = if kind == "exploration" { "parts" } else { "conjuncts" };
        let parts = offered["evidence"].get_mut(kind).and_then(|it| it.get_mut(field)).and_then(Value::as_array_mut);
        if let Some(parts) = parts
            && let Some(last) = parts.last().cloned()
        {
            let count = if kind == "diagrams" { declared.formula.conjuncts() } else { declared.formula.parts() };
            parts.resize(count.len(), last);
        }
    }
    offered
}

/// A part of one certificate in place of that of another one.
fn crossed(one: &Value, other: &Value, random: &mut Rng) -> Value {
    let mut forged = one.clone();
    let kind = kind(one).to_owned();
    let (Some(own), Some(others)) = (forged["evidence"][&kind].as_object_mut(), other["evidence"][&kind].as_object())
    else {
        forged["evidence"] = other["evidence"].clone();
        return forged;
    };
    let fields: Vec<String> = own.keys().cloned().collect();
    let Some(field) = random.choice(&fields) else { return forged };
    if let Some(value) = others.get(field) {
        own[field] = value.clone();
    }
    forged
}

/// Invariants, sets and ranks that say as little, or as much, as possible.
fn made_up(value: &mut Value, random: &mut Rng) {
    match value {
        Value::Object(map) => {
            for (key, item) in map.iter_mut() {
                match &key[..] {
                    "clauses" => {
                        let text = ["true", "false"][random.usize(0..2)];
                        *item = if random.bool() { json!([]) } else { json!([text]) };
                    }
                    "reduction" => {
                        let ways = [json!("invariance"), json!("safety"), json!({"counting": random.u32(0..3)})];
                        *item = ways[random.usize(0..3)].clone();
                    }
                    "progress" | "witnesses" | "ranks" | "approaches" | "visited" | "reached" | "looks" | "parts"
                    | "images" | "generators" => match item {
                        Value::Array(list) if random.bool() => list.clear(),
                        other => made_up(other, random),
                    },
                    // A set of all, or of none.
                    "none" | "some" | "states" | "set" if item.is_number() => *item = json!(random.u32(0..2)),
                    _ => made_up(item, random),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|item| made_up(item, random)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The permutations of symmetries, shuffled.
fn shuffled(value: &mut Value, random: &mut Rng) {
    match value {
        Value::Object(map) => {
            for (key, item) in map.iter_mut() {
                match item {
                    Value::Array(list) if ["instances", "channels", "order"].contains(&&key[..]) => {
                        random.shuffle(list)
                    }
                    other => shuffled(other, random),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|item| shuffled(item, random)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The outcomes of forgeries.
#[derive(Default)]
struct Tally {
    offered: usize,
    readable: usize,
    accepted: usize,
    /// The kinds of evidence that were refused after they had been read.
    refused: BTreeSet<String>,
}

impl Tally {
    /// That a document does not give a wrong verdict.
    fn offer(&mut self, to: &Subjects, document: &Value) {
        self.offered += 1;
        let Ok(read) = Document::read(&document.to_string()) else { return };
        self.readable += 1;
        let semantics = Semantics::new(&to.model);
        let check = || match verify::certify(&read, &semantics, patiently()) {
            Ok(certified) => Some((certified.spec, matches!(certified.verdict, Verdict::Holds(_)))),
            Err(_) => None,
        };
        match with_work(WORK, check).flatten() {
            Some((spec, claimed)) => {
                let shown: String = document.to_string().chars().take(3000).collect();
                assert_eq!(claimed, to.holds[spec], "spec {}: {shown}", spec + 1);
                self.accepted += 1;
            }
            None => drop(self.refused.insert(kind(document).to_owned())),
        }
    }
}

#[test]
fn forged_certificates_give_no_wrong_verdict() {
    with_stack(|| {
        let (mut random, mut tally) = (random(), Tally::default());
        let subjects = subjects();
        let kinds: BTreeSet<String> =
            subjects.iter().flat_map(|it| &it.certificates).map(|it| kind(it).to_owned()).collect();
        // All of those that are only moved.
        for from in &subjects {
            for certificate in &from.certificates {
                let accepted = tally.accepted;
                tally.offer(from, certificate);
                assert_eq!(tally.accepted, accepted + 1, "{certificate}");
                for to in &subjects {
                    let claims = certificate["verdict"] == "holds";
                    let wrong = (0..to.holds.len()).filter(|spec| to.holds[*spec] != claims);
                    wrong.for_each(|spec| tally.offer(to, &moved(certificate, to, spec)));
                }
            }
        }
        while tally.offered < 40 * count() {
            let (from, to) = (random.choice(&subjects).expect("some"), random.choice(&subjects).expect("some"));
            let Some(certificate) = random.choice(&from.certificates) else { continue };
            let mut forged = match random.u32(0..6) {
                0 => moved(certificate, to, random.usize(0..to.holds.len())),
                1 => {
                    let Some(other) = random.choice(&from.certificates) else { continue };
                    crossed(certificate, other, &mut random)
                }
                _ => moved(certificate, from, random.usize(0..from.holds.len())),
            };
            match random.u32(0..8) {
                0 => made_up(&mut forged["evidence"], &mut random),
                1 => shuffled(&mut forged["evidence"], &mut random),
                2 => forged["verdict"] = json!(if forged["verdict"] == "holds" { "violated" } else { "holds" }),
                _ => (0..random.usize(1..4)).for_each(|_| mutate(&mut forged["evidence"], &mut random)),
            }
            if forged["evidence"].as_object().is_some_and(|evidence| evidence.len() == 1) {
                tally.offer(if forged["model"] == certificate["model"] { from } else { to }, &forged);
            }
        }
        let Tally { offered, readable, accepted, refused } = tally;
        assert!(readable > offered / 3, "{readable} of {offered} are read");
        assert_eq!(refused, kinds, "evidence of each kind is refused");
        assert!(accepted < readable, "{accepted}");
    });
}

/// The certificate of a violated spec.
fn violated(subject: &Subject, spec: usize) -> Value {
    let stop = Stop::new();
    let limits = limits(30, patiently(), &stop);
    let verdict = subject.prove(spec, &[Engine::Explicit], &limits).expect("no refusal").verdict;
    assert!(matches!(verdict, Verdict::Violated(_)));
    let document = Document::new(subject.model(), "m", spec, &verdict).expect("it is decided");
    serde_json::from_str(&document.write()).expect("JSON")
}

/// Constants `p` and `q` are not alike: evolutions name them.
const NOT_ALIKE: &str = "
    Agent Environment
      Vars: y : {p, q}; z : {p, q}; bad : boolean; end Vars
      Actions = {none};
      Protocol: Other : {none}; end Protocol
      Evolution: y = q if y = p; bad = true if y = q and z = p; end Evolution
    end Agent
    Agent Clock
      Vars: t : boolean; end Vars
      Actions = {none};
      Protocol: Other : {none}; end Protocol
      Evolution: t = true if t = false; end Evolution
    end Agent
    Evaluation isbad if Environment.bad = true; end Evaluation
    InitStates Environment.y = Environment.z and Environment.bad = false and Clock.t = false; end InitStates
    Formulae AG (!isbad); end Formulae
";

#[test]
fn renamings_that_change_evolutions_are_no_symmetries() {
    let (model, _) = rcheck_smt::ispl::read(&SourceFile::new("m.ispl", NOT_ALIKE));
    let model = model.expect("a model");
    let subject = Subject::new(&model);
    let mut forged = violated(&subject, 0);
    let falsity = json!({"subformula": 2, "truth": false});
    let set = json!({
        "graph": 0, "received": [[]], "obligations": [[falsity]], "reasons": [{"pending": falsity}],
        "ranks": [{"within": null, "order": 0, "why": 0}],
        "members": {"rows": [[0, 0, 0, 0], [0, 1, 0, 0]], "ranks": {"by-obligations": [0]}},
    });
    let local_states = json!([[[0, [1, 1, false]], [0, [0, 0, false]]], [[0, [false]], [0, [true]]]]);
    forged["verdict"] = json!("holds");
    for (constants, words) in [([1, 0], "not renamed"), ([0, 1], "an initial state is missing")] {
        let swapped =
            json!({"instances": [0, 1], "channels": [0], "constants": [constants, [0], [0]], "commands": [[], []]});
        let graph = json!({"local-states": local_states, "generators": [swapped]});
        forged["evidence"] = json!({"exploration": {"graphs": [graph], "parts": [{"closed": set}]}});
        let read = Document::read(&forged.to_string()).expect("a certificate");
        let refused = verify::certify(&read, subject.semantics(), patiently()).expect_err(words);
        assert!(refused.to_string().contains(words), "{refused}");
    }
}

/// A condition that compares a location with a constant of an enum: a renaming changes one of them only.
#[test]
fn conditions_whose_types_do_not_fit_are_refused() {
    let model = parsed(
        "enum hue {h0, h1, h2}
         agent Knower
             local: friend : location, col : hue
             init: (friend = x | friend = y) & col = h1
             receive-guard: false
             repeat: tick: {true} *! (false)()[]
         agent Twin
             receive-guard: false
             repeat: tock: {true} *! (false)()[]
         system = Knower(a, true) || Twin(x, true) || Twin(y, true)
         SPEC G (K(a, a-friend = x));
         SPEC F (a-col = h0);",
    );
    let subject = Subject::new(&model);
    let mut forged = violated(&subject, 1);
    forged["spec"] = json!({"number": 1, "name": null, "formula": model.show_formula(&model.specs[0].formula)});
    forged["verdict"] = json!("holds");
    let falsity = json!({"subformula": 2, "truth": false});
    let swap = json!({"instances": [0, 2, 1], "channels": [0], "constants": [[0, 1, 2]], "commands": [[0], [0]]});
    let part = |generators: Value, rows: Value| {
        let locals = json!([[[0, [1, 1]], [0, [2, 1]]], [[0, []]], [[0, []]]]);
        json!({"exploration": {
            "graphs": [{"local-states": locals, "generators": generators}],
            "parts": [{"closed": {
                "graph": 0, "received": [[]], "obligations": [[falsity]], "reasons": [{"pending": falsity}],
                "ranks": [{"within": null, "order": 0, "why": 0}],
                "members": {"rows": rows, "ranks": {"by-obligations": [0]}},
            }}],
        }})
    };
    let parts = json!([
        part(json!([swap]), json!([[0, 0, 0, 0, 0]])),
        part(json!([]), json!([[0, 0, 0, 0, 0], [1, 0, 0, 0, 0]]))
    ]);
    for condition in ["(= a-friend a-col)", "(= a-col a-friend)", "(= a-friend location.x)"] {
        forged["evidence"] = json!({"conditions": {"conditions": [condition], "parts": parts}});
        let read = Document::read(&forged.to_string()).expect("a certificate");
        let refused = verify::certify(&read, subject.semantics(), patiently()).expect_err(condition).to_string();
        assert_eq!(
            refused.contains("the types of a condition do not fit"),
            condition != "(= a-friend location.x)",
            "{refused}"
        );
    }
}
