//! Horn clauses and VMT-LIB: verdicts against an exhaustive evaluation of small systems, and evidence that was tampered
//! with.

mod shapes;

use crate::common::{patiently, root, setting};
use rcheck_smt::check::horn::{Proof, Refused, Refutation};
use rcheck_smt::clauses::lower;
use rcheck_smt::horn::evaluate::Values;
use rcheck_smt::horn::{Clause, Clauses, Format, Run, Sort, State, Statement, Use, Variable};
use rcheck_smt::limits::Stop;
use rcheck_smt::model::Value;
use rcheck_smt::smt::Scripts;
use rcheck_smt::ts::smtlib::expression::{Expression, Id};
use rcheck_smt::verify::Engine;
use rcheck_smt::verify::horn::{ENGINES, HornSearch, Outcome, Verdict, verify};
use shapes::{Shapes, Style};
use std::fs;
use z3::{Params, SatResult, Solver};

fn read(text: &str) -> Clauses<'_> {
    Format::Chc.read(text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"))
}

fn decide(clauses: &Clauses, engines: &[Engine]) -> Outcome {
    // The bound is greater than the number of states, as no other engine ends the search.
    let bound = if engines == [Engine::Bmc] { 40 } else { usize::MAX };
    let search = HornSearch { engines, bound, budget: patiently(), stop: &Stop::new(), progress: &|_| {} };
    verify(clauses, search)
}

fn fixtures() -> Vec<(String, String, Format)> {
    let folder = root().join("tests/fixtures/clauses");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let name = entry.expect("it can be listed").path().display().to_string();
        let format = if name.ends_with(".vmt") { Format::Vmt } else { Format::Chc };
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

/// A clause over the variables [`VARIABLES`], with the predicate `s` of two integers and a truth value.
#[derive(Clone, Debug)]
pub struct Horn {
    /// The predicate in the body.
    pub before: Option<String>,
    /// Without predicates.
    pub conditions: Vec<String>,
    /// The predicate in the head; none if it is `false`.
    pub after: Option<String>,
}

/// The variables of every clause.
pub const VARIABLES: &str = "(x Int) (y Int) (z Int) (u Int) (b Bool) (c Bool)";

/// Clauses whose states are few, by a number.
pub fn random(seed: u64) -> Vec<Horn> {
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
    let ranges = ["x", "y", "z", "u"].map(|name| format!("(<= (- 1) {name} 2)"));
    let heads = ["(s x y b)", "(s z u c)", "(s u x (not b))", "(s z y (< x z))", "(s 0 z b)", "(s z z c)"];
    let mut clauses = Vec::new();
    let mut clause = |before: Option<String>, conditions: Vec<String>, after: Option<String>| {
        clauses.push(Horn { before, conditions: [&ranges[..], &conditions].concat(), after });
    };
    clause(None, vec![condition(&mut one_of), condition(&mut one_of)], Some(one_of(&heads)));
    for _ in 0..2 {
        let conditions = vec![condition(&mut one_of), condition(&mut one_of)];
        clause(
            Some(one_of(&["(s x y b)", "(s x x b)", "(s 0 y c)", "(s x y true)"])),
            conditions,
            Some(one_of(&heads)),
        );
    }
    // So that about as many systems are safe as not.
    let narrow = one_of(&["(= x 2)", "(and (= x 2) b)", "(= x y 1)", "(and (= y (- 1)) (not b))", "(< x y 0)"]);
    clause(Some("(s x y b)".to_owned()), vec![condition(&mut one_of), condition(&mut one_of), narrow], None);
    clauses
}

/// Clauses in the form of the competition.
pub fn plain(clauses: &[Horn]) -> String {
    let mut text = "(set-logic HORN)\n(declare-fun s (Int Int Bool) Bool)\n".to_owned();
    for Horn { before, conditions, after } in clauses {
        let (before, after) = (before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or("false"));
        let conditions = conditions.join(" ");
        text += &format!("(assert (forall ({VARIABLES}) (=> (and {before} {conditions}) {after})))\n");
    }
    text
}

/// All values of the variables of a clause in the range.
fn values(clause: &Clause) -> Vec<Vec<Value>> {
    clause.variables.iter().fold(vec![Vec::new()], |all, variable| {
        let each: Vec<Value> = match variable.symbol.sort {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Int => RANGE.map(Value::int).collect(),
        };
        let longer = |start: &Vec<Value>| {
            each.iter().map(|value| [start.as_slice(), std::slice::from_ref(value)].concat()).collect::<Vec<_>>()
        };
        all.iter().flat_map(longer).collect()
    })
}

/// The operator and the operands of an application.
fn application<'t>(clauses: &Clauses<'t>, id: Id) -> (&'t str, Vec<Id>) {
    let Expression::List(items) = clauses.expressions.get(id) else {
        return (clauses.expressions.slice(id), Vec::new());
    };
    (clauses.expressions.slice(items[0]), items[1..].to_vec())
}

/// True if a bad state is reachable.
fn is_reachable(clauses: &Clauses) -> bool {
    reached(clauses).1
}

/// The states that are reached, and whether one is bad, by a look at all uses of all clauses, which are [`plain`].
fn reached(clauses: &Clauses) -> (Vec<Vec<Value>>, bool) {
    type State = Vec<Value>;
    let mut uses: Vec<(Option<State>, Option<State>)> = Vec::new();
    for clause in &clauses.clauses {
        let Statement::Formula(formula) = clause.statement else { panic!("{clause:?}") };
        let ("=>", sides) = application(clauses, formula) else { panic!("{clause:?}") };
        let conjuncts = application(clauses, sides[0]).1.into_iter().map(|id| (id, application(clauses, id)));
        let (before, conditions): (Vec<_>, Vec<_>) = conjuncts.partition(|(_, (operator, _))| *operator == "s");
        for values in values(clause) {
            let mut there = Values::new(clauses, &clause.variables, &values).expect("values");
            let mut value = |id: Id| there.certain(id).expect("a value");
            if conditions.iter().all(|&(id, _)| value(id) == Value::Bool(true)) {
                let mut state = |ids: &[Id]| ids.iter().map(|&id| value(id)).collect();
                let before = before.first().map(|(_, (_, ids))| state(ids));
                let after = match application(clauses, sides[1]) {
                    ("s", ids) => Some(state(&ids)),
                    _ => None,
                };
                uses.push((before, after));
            }
        }
    }
    let mut reached: Vec<State> = Vec::new();
    let mut bad = false;
    loop {
        let before = reached.len();
        for (from, to) in &uses {
            if from.as_ref().is_none_or(|from| reached.contains(from)) {
                match to {
                    Some(to) if reached.contains(to) => {}
                    Some(to) => reached.push(to.clone()),
                    None => bad = true,
                }
            }
        }
        if reached.len() == before {
            return (reached, bad);
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
    for seed in 0..setting("CLAUSES", 80) as u64 {
        let text = plain(&random(seed));
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

/// The answer of Z3's Spacer for clauses in the form of the competition: true if a bad state is reachable.
fn opinion(text: &str) -> Option<bool> {
    let mut limits = Params::new();
    limits.set_u32("rlimit", 500_000_000);
    let solver = Solver::new_for_logic("HORN").expect("Z3 knows Horn clauses");
    solver.set_params(&limits);
    solver.from_string(text);
    assert_eq!(solver.get_assertions().len(), text.matches("(assert ").count(), "Z3 refuses some clause:\n{text}");
    match solver.check() {
        SatResult::Sat => Some(false),
        SatResult::Unsat => Some(true),
        SatResult::Unknown => None,
    }
}

/// True if Z3 finds every statement of a text true when these states belong to the predicate. Other shapes than those
/// of the competition it reads as formulas only.
fn are_kept(text: &str, states: &[Vec<Value>]) -> bool {
    let state = |values: &Vec<Value>| {
        let equal = values.iter().zip(["a1", "a2", "a3"]).map(|(value, name)| match value {
            Value::Bool(truth) => format!(" (= {name} {truth})"),
            Value::Int(number) => format!(" (= (+ {name} {}) 3)", 3 - number),
            Value::Enum(_) => unreachable!("arguments are truth values and integers"),
        });
        format!("(and{})", equal.collect::<String>())
    };
    let cases: String = states.iter().map(state).collect();
    let mut head = format!("(define-fun s ((a1 Int) (a2 Int) (a3 Bool)) Bool (or false {cases}))\n");
    head += "(define-fun failed () Bool false)\n";
    for line in text.lines().filter(|line| line.starts_with("(define-fun") || line.starts_with("(declare-var")) {
        head += &line.replace("declare-var", "declare-const");
    }
    let statements = text.lines().filter_map(|line| line.strip_prefix("(assert ").or(line.strip_prefix("(rule ")));
    statements.into_iter().all(|statement| {
        let solver = Solver::new();
        solver.from_string(format!("{head}(assert (not {statement})"));
        assert_eq!(solver.get_assertions().len(), 1, "Z3 refuses {statement}\n{text}");
        match solver.check() {
            SatResult::Sat => false,
            SatResult::Unsat => true,
            SatResult::Unknown => panic!("{:?}: {statement}\n{text}", solver.get_reason_unknown()),
        }
    })
}

/// However clauses are written, the verdict is what they say; and Z3 says that the text is true of the states that are
/// reached, if none is bad, and of no smaller set of states.
#[test]
fn other_words_say_the_same() {
    let (mut opinions, count) = (0, setting("SHAPES", 60) as u64);
    for seed in 0..count {
        let clauses = random(seed);
        let plain = plain(&clauses);
        let (mut states, reachable) = reached(&read(&plain));
        if let Some(opinion) = opinion(&plain) {
            assert_eq!(opinion, reachable, "{plain}");
            opinions += 1;
        }
        let dropped = states.len().checked_sub(1).map(|last| seed as usize % (last + 1));
        for style in [Style::Assert, Style::Rule] {
            let text = Shapes::new(seed, style).text(&clauses);
            let read = read(&text);
            let Outcome { verdict, refused, .. } = decide(&read, &ENGINES);
            assert!(refused.is_empty(), "seed {seed}: {refused:?}\n{text}");
            match verdict {
                Verdict::Holds(_) => assert!(!reachable, "seed {seed}\n{text}"),
                Verdict::Violated(_) => assert!(reachable, "seed {seed}\n{text}"),
                other => panic!("seed {seed}: {other:?}\n{text}"),
            }
            // Names of formulas with free variables are errors for Z3.
            if text.contains(":named") {
                continue;
            }
            assert_eq!(are_kept(&text, &states), !reachable, "seed {seed}\n{text}");
            if let Some(dropped) = dropped.filter(|_| !reachable) {
                let state = states.remove(dropped);
                assert!(!are_kept(&text, &states), "seed {seed} without {state:?}\n{text}");
                states.insert(dropped, state);
            }
        }
    }
    assert!(opinions * 10 >= count * 9, "{opinions} of {count}");
}

/// Evidence for one system is offered for others: it is accepted only where what it says is true.
#[test]
fn evidence_of_others_proves_what_is_true() {
    let stop = Stop::new();
    let solver = Scripts { budget: patiently(), stop: &stop };
    let mut systems = Vec::new();
    for seed in 0..setting("SHAPES", 60) as u64 {
        let clauses = random(seed);
        let reachable = is_reachable(&read(&plain(&clauses)));
        systems.push((Shapes::new(seed, Style::Assert).text(&clauses), reachable));
    }
    let (mut proofs, mut runs) = (Vec::new(), Vec::new());
    for (text, _) in &systems {
        match decide(&read(text), &ENGINES).verdict {
            Verdict::Holds(proof) => proofs.push(proof.interpretation().clone()),
            Verdict::Violated(refutation) => runs.push(refutation.run().clone()),
            other => panic!("{other:?}\n{text}"),
        }
    }
    let mut random = fastrand::Rng::with_seed(1);
    let mut accepted = 0;
    for (text, reachable) in &systems {
        let clauses = read(text);
        for _ in 0..10 {
            let mut proof = proofs[random.usize(..proofs.len())].clone();
            match random.usize(..3) {
                0 => proof[1] = vec![],
                1 => drop(proof[0].pop()),
                _ => {}
            }
            if Proof::confirm(&clauses, proof.clone(), &solver).is_ok() {
                accepted += 1;
                assert!(!reachable, "{proof:?}\n{text}");
            }
            let mut run = runs[random.usize(..runs.len())].clone();
            alter(&mut run, &clauses, &mut random);
            if Refutation::confirm(&clauses, run.clone()).is_ok() {
                accepted += 1;
                assert!(reachable, "{run:?}\n{text}");
            }
        }
    }
    assert!(accepted > 10, "{accepted}");
}

/// Makes a run fit other clauses in number and sort, and changes something.
fn alter(run: &mut Run, clauses: &Clauses, random: &mut fastrand::Rng) {
    let value = |sort: Sort, random: &mut fastrand::Rng| match sort {
        Sort::Bool => Value::Bool(random.bool()),
        Sort::Int => Value::int(random.i64(-1..3)),
    };
    for one in &mut run.uses {
        one.clause = if random.u8(..4) == 0 {
            random.usize(..clauses.clauses.len())
        } else {
            one.clause % clauses.clauses.len()
        };
        let variables = &clauses.clauses[one.clause].variables;
        let fits = |(index, variable): (usize, &Variable)| match (one.values.get(index), variable.symbol.sort) {
            (Some(Value::Bool(_)), Sort::Bool) | (Some(Value::Int(_)), Sort::Int) => one.values[index].clone(),
            (_, sort) => value(sort, random),
        };
        one.values = variables.iter().enumerate().map(fits).collect();
        if random.u8(..8) == 0 {
            one.head = None;
        }
    }
}

/// No invariant but one that keeps all clauses is accepted, and only texts that are formulas are looked at.
#[test]
fn wrong_invariants_are_refused() {
    let (_, text, _) = fixtures().into_iter().find(|(name, ..)| name.ends_with("reservoir.smt2")).expect("it is there");
    let clauses = read(&text);
    let stop = Stop::new();
    let solver = Scripts { budget: patiently(), stop: &stop };
    let confirm = |conjuncts: &[&str]| {
        let conjuncts = conjuncts.iter().map(|&conjunct| conjunct.to_owned()).collect();
        Proof::confirm(&clauses, vec![conjuncts], &solver).map(|_| ())
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
    assert_eq!(Proof::confirm(&clauses, Vec::new(), &solver), Err(Refused::OtherPredicates));
}

/// A run is a run only as it is: each other value, clause, order or length is refused, but where it is a run, too.
#[test]
fn wrong_runs_are_refused() {
    let (_, text, _) = fixtures().into_iter().find(|(name, ..)| name.ends_with("leak.smt2")).expect("it is there");
    let clauses = read(&text);
    let Verdict::Violated(refutation) = decide(&clauses, &ENGINES).verdict else { panic!("it leaks") };
    let run = refutation.run().clone();
    assert_eq!(Refutation::confirm(&clauses, run.clone()).as_ref(), Ok(&refutation));
    let refused = |uses: Vec<Use>| Refutation::confirm(&clauses, Run { uses }).is_err();
    assert!(refused(Vec::new()));
    for position in 0..run.uses.len() {
        let change = |change: &dyn Fn(&mut Use)| {
            let mut other = run.uses.clone();
            change(&mut other[position]);
            other != run.uses && !refused(other)
        };
        let mut shorter = run.uses.clone();
        shorter.remove(position);
        assert!(refused(shorter), "without use {position}");
        let mut doubled = run.uses.clone();
        doubled.insert(position, run.uses[position].clone());
        assert!(refused(doubled), "use {position} twice");
        for clause in (0..=clauses.clauses.len()).filter(|&clause| clause != run.uses[position].clause) {
            assert!(!change(&|one| one.clause = clause), "use {position} of clause {clause}");
        }
        for value in [Value::int(-7), Value::int(0), Value::Bool(true)] {
            for variable in 0..run.uses[position].values.len() {
                assert!(!change(&|one| one.values[variable] = value.clone()), "use {position}: {value:?}");
            }
            for argument in 0..2 {
                let alter = |one: &mut Use| {
                    if let Some(state) = &mut one.head {
                        state.values[argument] = value.clone();
                    }
                };
                assert!(!change(&alter), "use {position}: {value:?}");
            }
        }
        assert!(!change(&|one| one.values.push(Value::int(0))));
        assert!(!change(&|one| one.head = one.head.clone().xor(Some(State { predicate: 0, values: Vec::new() }))));
        assert!(!change(&|one| one.head.iter_mut().for_each(|state| state.predicate = 1)));
        assert!(!change(&|one| one.head = None));
    }
    assert!(refused(run.uses[..run.uses.len() - 1].to_vec()), "not to the end");
}
