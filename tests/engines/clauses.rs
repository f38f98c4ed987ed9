//! Horn clauses and VMT-LIB: verdicts against an exhaustive evaluation of small systems, and evidence that was tampered
//! with.

use crate::common::{patiently, root};
use rcheck_smt::check::horn::{Proof, Refused, Refutation};
use rcheck_smt::horn::evaluate::Values;
use rcheck_smt::horn::system::lower;
use rcheck_smt::horn::{Clause, Clauses, Format, Run, Sort};
use rcheck_smt::limits::Stop;
use rcheck_smt::model::Value;
use rcheck_smt::smt::Scripts;
use rcheck_smt::verify::Engine;
use rcheck_smt::verify::horn::{ENGINES, Outcome, Search, Verdict, verify};
use std::collections::BTreeSet;
use std::fs;

fn read(text: &str) -> Clauses<'_> {
    Format::Chc.read(text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"))
}

fn decide(clauses: &Clauses, engines: &[Engine]) -> Outcome {
    // Further than there are states, where nobody else ends the search.
    let bound = if engines == [Engine::Bmc] { 40 } else { usize::MAX };
    let search = Search { engines, bound, budget: patiently(), stop: &Stop::new(), progress: &|_| {} };
    verify(clauses, search)
}

fn fixtures() -> Vec<(String, String, Format)> {
    let folder = root().join("tests/fixtures/clauses");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let name = entry.expect("it can be listed").path().display().to_string();
        let format = Format::of(&name).expect("a system of clauses");
        found.push((name.clone(), fs::read_to_string(&name).expect("a text"), format));
    }
    assert!(found.len() > 3);
    found
}

#[test]
fn files_are_what_they_say() {
    for (name, text, format) in fixtures() {
        let clauses = format.read(&text).expect("no faults");
        let safe = clauses.status.expect("it says whether it is safe");
        let Outcome { verdict, refused, .. } = decide(&clauses, &ENGINES);
        assert!(refused.is_empty(), "{name}: {refused:?}");
        match verdict {
            Verdict::Holds(_) => assert!(safe, "{name}"),
            Verdict::Violated(_) => assert!(!safe, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// The conditions of each clause keep all variables in this range.
const RANGE: std::ops::RangeInclusive<i64> = -1..=2;

/// A system over two integers and a truth value whose states are few, by a number.
fn random(seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut one_of = |list: &[&str]| list[random.usize(..list.len())].to_owned();
    let integers = ["x", "y", "z", "u", "(+ x y)", "(- z x)", "(* 2 u)", "(mod (+ x z) 3)", "(div z 2)", "1", "(- 1)"];
    let condition = |one_of: &mut dyn FnMut(&[&str]) -> String| {
        let relation = one_of(&["=", "<=", "<", ">", ">=", "distinct"]);
        let simple = format!("({relation} {} {})", one_of(&integers), one_of(&integers));
        match one_of(&["", "", "not", "or", "=>", "let", "ite", "=", "cases", "cases", "choice", "choice"]).as_str() {
            "" => simple,
            "cases" => {
                let (first, second) = (one_of(&integers), one_of(&integers));
                let flag = one_of(&["c", "b", "(= c b)"]);
                format!("(or (and {simple} (= u {first}) c) (and (= {second} z) {flag}) (and (= u x) (= c (not b))))")
            }
            "choice" => {
                let (first, second) = (one_of(&integers), one_of(&integers));
                let name = one_of(&["u", "z", "y"]);
                match one_of(&["both", "first", "flags"]).as_str() {
                    "both" => format!("(and (or b (= {name} {first})) (or (not b) (= {second} {name})))"),
                    "first" => format!("(or {simple} (= {name} {first}))"),
                    _ => format!("(and (or (not {simple}) (= c b)) (or (= c (< {first} {second})) {simple}))"),
                }
            }
            "not" => format!("(not {simple})"),
            "let" => format!("(let ((x {}) (w {simple})) (or w (= x y)))", one_of(&integers)),
            "ite" => format!("(= u (ite {} {} {}))", one_of(&["b", "c"]), one_of(&integers), one_of(&integers)),
            "=" => format!("(= {} {simple})", one_of(&["b", "c"])),
            operator => format!("({operator} {} {simple})", one_of(&["b", "c", "(not b)", "(= x u)"])),
        }
    };
    let within = |names: &[&str]| -> String { names.iter().map(|name| format!(" (<= (- 1) {name} 2)")).collect() };
    let variables = "(x Int) (y Int) (z Int) (u Int) (b Bool) (c Bool)";
    let all = within(&["x", "y", "z", "u"]);
    let mut text = "(set-logic HORN)\n(declare-fun s (Int Int Bool) Bool)\n".to_owned();
    let heads = ["(s x y b)", "(s z u c)", "(s u x (not b))", "(s z y (< x z))", "(s 0 z b)", "(s z z c)"];
    let clause = |before: &str, conditions: &[String], after: &str| {
        format!("(assert (forall ({variables}) (=> (and {before}{all} {}) {after})))\n", conditions.join(" "))
    };
    text += &clause("", &[condition(&mut one_of), condition(&mut one_of)], &one_of(&heads));
    for _ in 0..2 {
        let conditions = [condition(&mut one_of), condition(&mut one_of)];
        text +=
            &clause(&one_of(&["(s x y b)", "(s x x b)", "(s 0 y c)", "(s x y true)"]), &conditions, &one_of(&heads));
    }
    // So that about as many systems are safe as not.
    let narrow = one_of(&["(= x 2)", "(and (= x 2) b)", "(= x y 1)", "(and (= y (- 1)) (not b))", "(< x y 0)"]);
    let conditions = [condition(&mut one_of), condition(&mut one_of), narrow];
    text + &clause("(s x y b)", &conditions, "false")
}

/// All values of the variables of a clause in the range.
fn values(clause: &Clause) -> Vec<Vec<Value>> {
    clause.variables.iter().fold(vec![Vec::new()], |all, variable| {
        let each: Vec<Value> = match variable.sort {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Int => RANGE.map(Value::int).collect(),
        };
        let longer = |start: &Vec<Value>| {
            each.iter().map(|value| [start.as_slice(), std::slice::from_ref(value)].concat()).collect::<Vec<_>>()
        };
        all.iter().flat_map(longer).collect()
    })
}

/// Whether a bad state is reachable, by a look at all uses of all clauses.
fn is_reachable(clauses: &Clauses) -> bool {
    type State = Vec<Value>;
    let mut uses: Vec<(Option<State>, Option<State>)> = Vec::new();
    for clause in &clauses.clauses {
        for values in values(clause) {
            let mut there = Values::new(clauses, &clause.variables, &values).expect("values");
            if clause.conditions.iter().all(|&condition| there.holds(condition).expect("a truth value")) {
                let mut state = |ids: &Option<Vec<_>>| {
                    ids.as_ref().map(|ids| ids.iter().map(|&id| there.value(id).expect("a value")).collect())
                };
                uses.push((state(&clause.before), state(&clause.after)));
            }
        }
    }
    let key = |state: &State| format!("{state:?}");
    let mut reached: BTreeSet<String> = BTreeSet::new();
    loop {
        let before = reached.len();
        for (from, to) in &uses {
            if from.as_ref().is_none_or(|from| reached.contains(&key(from))) {
                match to {
                    Some(to) => reached.insert(key(to)),
                    None => return true,
                };
            }
        }
        if reached.len() == before {
            return false;
        }
    }
}

/// Variables are free only where nothing says what they are.
#[test]
fn cases_say_what_variables_are() {
    let system = |step: &str| {
        let text = format!(
            "(set-logic HORN)
            (declare-fun s (Int Bool) Bool)
            (assert (forall ((x Int)) (=> (= x 0) (s x true))))
            (assert (forall ((x Int) (y Int) (b Bool) (c Bool)) (=> (and (s x b) {step}) (s y c))))
            (assert (forall ((x Int) (b Bool)) (=> (and (s x b) (< x 0)) false)))"
        );
        let system = lower(&read(&text)).system;
        let free = system.variables().iter().filter(|variable| variable.is_free()).count();
        (system.events().len() - 1, free)
    };
    assert_eq!(system("(= y (+ x 1)) (= c b)"), (1, 0));
    assert_eq!(system("(= c b)"), (1, 1));
    assert_eq!(system("(or (not b) (= y (+ x 1))) (or b (= x y)) (= c b)"), (1, 0));
    assert_eq!(system("(or (not b) (= c (< x 3))) (or b c) (= y x)"), (1, 0));
    assert_eq!(system("(or (not b) (= y (+ x 1))) (= c b)"), (1, 1));
    assert_eq!(system("(or (and (= y 1) c) (and (= y (+ x 2)) (= c b)) (and (not c) (= x (+ y 1))))"), (3, 0));
}

/// Each engine agrees with the evaluation wherever it decides, and one of them does.
#[test]
fn engines_agree_with_the_evaluation() {
    let mut counts = [0, 0];
    for seed in 0..crate::common::setting("CLAUSES", 80) as u64 {
        let text = random(seed);
        let clauses = read(&text);
        let reachable = is_reachable(&clauses);
        counts[usize::from(reachable)] += 1;
        for engines in [&[Engine::Pdr][..], &[Engine::Spacer], &[Engine::Bmc]] {
            let Outcome { verdict, refused, .. } = decide(&clauses, engines);
            assert!(refused.is_empty(), "{engines:?}, seed {seed}: {refused:?}\n{text}");
            match verdict {
                Verdict::Holds(_) => assert!(!reachable, "{engines:?}, seed {seed}\n{text}"),
                Verdict::Violated(_) => assert!(reachable, "{engines:?}, seed {seed}\n{text}"),
                // There are fewer states than steps that were looked at.
                Verdict::Clear(_) => assert!(!reachable && engines == [Engine::Bmc], "seed {seed}\n{text}"),
                Verdict::Unknown { reason, .. } => {
                    assert!(engines == [Engine::Spacer], "{engines:?}, seed {seed}: {reason}\n{text}");
                }
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}

/// No invariant but one that keeps all clauses is accepted, and only texts that are formulas are looked at.
#[test]
fn wrong_invariants_are_refused() {
    let (_, text, _) = fixtures().into_iter().find(|(name, ..)| name.ends_with("reservoir.smt2")).expect("it is there");
    let clauses = read(&text);
    let stop = Stop::new();
    let solver = Scripts { budget: patiently(), stop: &stop };
    let confirm = |conjuncts: &[&str]| {
        Proof::confirm(&clauses, conjuncts.iter().map(|&conjunct| conjunct.to_owned()).collect(), &solver).map(|_| ())
    };
    assert_eq!(confirm(&["(<= 0 x1)", "(<= x1 x2)"]), Ok(()));
    assert_eq!(confirm(&["(<= 0 x1)"]), Err(Refused::Violates(1)));
    assert_eq!(confirm(&["(<= 0 x1)", "(< x1 x2)"]), Err(Refused::Violates(1)));
    assert_eq!(confirm(&["(<= 0 x1)", "(<= x1 x2)", "(> x1 0)"]), Err(Refused::Violates(0)));
    assert_eq!(confirm(&["false"]), Err(Refused::Violates(0)));
    assert_eq!(confirm(&[]), Err(Refused::Violates(3)));
    let smuggled = [
        "true)) (assert false) (define-fun f () Bool (and true",
        "(<= 0 x1) (<= x1 x2)",
        "",
        "x1",
        "(<= 0 now)",
        "(exists ((n Int)) (= n x1))",
        "(forall ((n Int)) false)",
        "(! false :named f)",
        "(level x1 x2)",
    ];
    for text in smuggled {
        assert!(matches!(confirm(&["true", text]), Err(Refused::NoFormula(1, _))), "{text}");
    }
}

/// A run is a run only as it is: each other value, clause, order or length is refused, but where it is a run, too.
#[test]
fn wrong_runs_are_refused() {
    let (_, text, _) = fixtures().into_iter().find(|(name, ..)| name.ends_with("leak.smt2")).expect("it is there");
    let clauses = read(&text);
    let Verdict::Violated(refutation) = decide(&clauses, &ENGINES).verdict else { panic!("it leaks") };
    let run = refutation.run().clone();
    assert_eq!(Refutation::confirm(&clauses, run.clone()).as_ref(), Ok(&refutation));
    let refused = |uses: Vec<(usize, Vec<Value>)>| Refutation::confirm(&clauses, Run { uses }).is_err();
    assert!(refused(Vec::new()));
    for position in 0..run.uses.len() {
        let mut shorter = run.uses.clone();
        shorter.remove(position);
        assert!(refused(shorter), "without use {position}");
        let mut doubled = run.uses.clone();
        doubled.insert(position, run.uses[position].clone());
        assert!(refused(doubled) || position == 1, "use {position} twice");
        for clause in (0..=clauses.clauses.len()).filter(|&clause| clause != run.uses[position].0) {
            let mut other = run.uses.clone();
            other[position].0 = clause;
            assert!(refused(other), "use {position} of clause {clause}");
        }
        for variable in 0..run.uses[position].1.len() {
            for value in [Value::int(-7), Value::int(0), Value::Bool(true)] {
                let mut other = run.uses.clone();
                if other[position].1[variable] != value {
                    other[position].1[variable] = value.clone();
                    assert!(refused(other), "use {position}, variable {variable}: {value:?}");
                }
            }
        }
        let mut long = run.uses.clone();
        long[position].1.push(Value::int(0));
        assert!(refused(long));
    }
    assert!(refused(run.uses[..run.uses.len() - 1].to_vec()), "not to the end");
}
