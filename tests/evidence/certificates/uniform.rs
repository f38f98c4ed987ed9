//! Proofs for all sizes: each instance that the rule asks for is needed, whatever is said outside of its conditions is
//! refused, and cvc5 answers the queries.

use super::solver::write_queries_of;
use super::{assert_refused, certificate, check, folder, prove};
use crate::common::cvc5::cvc5;
use crate::common::{limits, model, parsed, source};
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::solver::ScriptSolver;
use rcheck_smt::check::{ProofBy, Verdict};
use rcheck_smt::export::quantified::Quantified;
use rcheck_smt::limits::{Budget, Reason, Stop};
use rcheck_smt::model::Model;
use rcheck_smt::smt::Scripts;
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax;
use rcheck_smt::syntax::ast::{ConstantName, Constants, Literal};
use rcheck_smt::verify::{Engine, Subject};
use serde_json::{Value, json};
use std::time::Duration;

/// A model of one agent type and a fixed agent, whose first spec is true as it stands.
fn agents(commands: &str, desk: &str, system: &str) -> Model {
    parsed(&format!(
        "enum channel {{c}}
         message-structure: M : int
         agent A
             local: x : bool, who : location, id : int
             init: !x
             receive-guard: chan = c
             repeat: ({commands})
         agent Desk
             local: y : bool
             init: !y
             receive-guard: false
             repeat: ({desk})
         system = {system}
         SPEC G true
         SPEC G [[p2p]] false
         SPEC G [[sender != desk]] false"
    ))
}

const SYSTEM: &str = "A(a[*], id = index) || Desk(desk, true)";
const IDLE: &str = "d: {false} c! (true)()[]";

/// The claim that these clauses over so many members prove a spec.
fn claim(model: &Model, spec: usize, members: u32, clauses: &[&str]) -> Value {
    let mut document = certificate(model, 0, &[Engine::Pdr]);
    let proved = &model.specs[spec];
    document["spec"] = json!({"number": spec + 1, "name": null, "formula": model.show_formula(&proved.formula)});
    document["evidence"]["uniform"] = json!({"members": {"a": members}, "clauses": clauses, "checked": []});
    document
}

/// The reason why the claim is refused.
fn refusal(model: &Model, spec: usize, members: u32, clauses: &[&str]) -> String {
    match check(model, &claim(model, spec, members, clauses)) {
        Ok(verdict) => panic!("{clauses:?} are accepted: {verdict}"),
        Err(why) => why.to_string(),
    }
}

/// Each of these claims fails in one of the instances that the rule asks for, and in no smaller one.
#[test]
fn each_instance_of_the_rule_is_needed() {
    const STEP: &str = "a step leads out of the invariant";
    const START: &str = "an initial state violates the invariant";
    // The sender sets `x` of all others, and needs to have none itself.
    let others = agents("s: {!x} c! (true)()[] + r: {true} c? [x := true]", IDLE, SYSTEM);
    // The supplier gets it, or the getter.
    let supplier = agents("g: {true} GET@(true)()[] + s: {true} SUPPLY@(any)()[x := true]", IDLE, SYSTEM);
    let getter = agents("g: {true} GET@(true)()[x := true] + s: {true} SUPPLY@(any)()[]", IDLE, SYSTEM);
    // The desk is asked, and hears a broadcast.
    let asked = agents("g: {true} GET@(true)()[]", "s: {true} SUPPLY@(any)()[y := true]", SYSTEM);
    let hears = agents("s: {true} *! (true)()[]", "r: {true} *? [y := true]", SYSTEM);
    // Only who is alone is not blocked.
    let alone = agents("s: {true} c! (true)()[x := true]", IDLE, SYSTEM);
    let cases = [
        (&others, 2, "(not (and a1-x a2-x))", 3, STEP),
        (&supplier, 1, "(not a1-x)", 2, STEP),
        (&getter, 1, "(not a1-x)", 2, STEP),
        (&asked, 0, "(not desk-y)", 1, STEP),
        (&hears, 0, "(not desk-y)", 1, STEP),
        (&alone, 1, "(not a1-x)", 1, STEP),
        // No other agent is in the instance, but some may be outside; and numbers are not those of small instances.
        (&others, 1, "(or (= a1-who location.a1) (= a1-who location.desk))", 1, START),
        (&others, 1, "(= a1-id 1)", 1, START),
        (&others, 2, "(not (= a1-who location.a2))", 2, START),
    ];
    for (model, members, clause, size, why) in cases {
        assert_eq!(refusal(model, 0, members, &[clause]), message(size, why), "{clause}");
    }
    const BAD: &str = "a bad state satisfies the invariant";
    assert_eq!(refusal(&supplier, 1, 0, &[]), message(2, BAD));
    assert_eq!(refusal(&asked, 1, 0, &[]), message(1, BAD));
    assert_eq!(refusal(&hears, 2, 0, &[]), message(1, BAD));
}

fn message(size: u32, why: &str) -> String {
    format!("the certificate does not prove its verdict: with {size} members: {why}")
}

/// A total changes with agents that a clause about it does not mention.
#[test]
fn totals_are_checked_with_both_participants() {
    const STEP: &str = "a step leads out of the invariant";
    const START: &str = "an initial state violates the invariant";
    const BAD: &str = "a bad state satisfies the invariant";
    let text = |init: &str, taken: u32, desk: &str| {
        parsed(&format!(
            "message-structure: M : int
             agent A
                 local: x : int, s : bool
                 init: {init}
                 receive-guard: false
                 repeat: (give: {{true}} GET@(true)()[x := x - 1] + take: {{true}} SUPPLY@(any)()[x := x + {taken}])
             agent Desk
                 local: y : int
                 init: y = 0
                 receive-guard: false
                 repeat: {desk}
             system = A(a[*], true) || Desk(desk, true)
             SPEC G true
             SPEC G ((sum k : A . k-x) = 0)
             SPEC G ((sum k : A . k-x) = desk-y)
             SPEC G ((count k : A . k-s) <= size(A))"
        ))
    };
    let idle = "d: {true} *! (true)()[y := y]";
    let kept = text("x = 0", 1, idle);
    assert_eq!(check(&kept, &claim(&kept, 1, 0, &["(= total-2 0)"])), Ok("holds"));
    // The numbers are not those of the members, but of all; nothing more is known of a sum than its clauses say.
    assert_eq!(check(&kept, &claim(&kept, 3, 0, &[])), Ok("holds"));
    let served = text("x = 0", 0, "d: {true} SUPPLY@(any)()[y := y - 1]");
    let cases = [
        (&kept, 1, 0, "true", message(0, BAD)),
        (&kept, 1, 1, "(and (= total-2 0) (= a1-x 0))", message(0, BAD)),
        (&kept, 1, 0, "(= total-1 0)", message(0, START)),
        (&kept, 1, 0, "(<= total-1 1)", message(0, START)),
        // One member alone changes nothing, two do.
        (&text("x = 0", 2, idle), 1, 0, "(= total-2 0)", message(2, STEP)),
        // Two members together give one away; a member and the desk do not.
        (&served, 2, 0, "(= total-2 desk-y)", message(2, STEP)),
        // Those outside start with one each, with any number, and with what `init` says of each by itself.
        (&text("x = 1", 1, idle), 1, 0, "(= total-2 0)", message(0, START)),
        (&text("true", 1, idle), 1, 0, "(= total-2 0)", message(0, START)),
        (&text("x = 0 | s", 1, idle), 1, 0, "(= total-2 0)", message(0, START)),
    ];
    for (model, spec, members, clause, why) in cases {
        assert_eq!(refusal(model, spec, members, &[clause]), why, "{clause}");
    }
}

/// No agent of an open instance can take a step: that is a deadlock unless some agent outside can, and none if a
/// message cannot be kept back from outside.
#[test]
fn deadlocks_are_those_of_all_agents() {
    let text = |listens: &str, channel: &str, update: &str, spec: &str| {
        parsed(&format!(
            "enum channel {{c}}
             message-structure: M : int
             agent A
                 local: x : bool, n : 0..3, y : channel
                 init: !x
                 receive-guard: {listens}
                 repeat: (s: {{!x}} {channel}! (true)()[x := true] + t: {{x}} *! (false)()[x := false]
                     + r: {{true}} *? [{update}])
             system = A(a[1..*], true)
             SPEC G true
             SPEC {spec}"
        ))
    };
    const BAD: &str = "a bad state satisfies the invariant";
    let never = "G !deadlock";
    let holds = [
        text("false", "*", "", never),
        text("true", "*", "x := !x", never),
        text("chan = *", "c", "", never),
        text("false", "c", "n := n + 1", "G (forall k : A . !k-x -> !deadlock)"),
        text("true", "c", "", "G (forall k : A . deadlock -> !k-x)"),
        text("true", "c", "", "G (forall k : A . (deadlock & k-x) -> (X k-x))"),
        text("false", "*", "", "G (forall k : A . (k-t -> X !deadlock) & ([[sender = k]] !deadlock))"),
    ];
    for model in holds {
        assert_eq!(check(&model, &claim(&model, 1, 1, &[])), Ok("holds"), "{:?}", model.specs[1]);
    }
    // A listener may have nothing to take, its update may leave the range, and channels may be any.
    let blocked = [
        text("true", "c", "", never),
        text("x", "c", "", never),
        text("false", "*", "n := n + 1", never),
        text("chan = *", "c", "n := n + 1", "G (forall k : A . k-x -> !deadlock)"),
        text("chan = *", "y", "", never),
    ];
    for (place, model) in blocked.iter().enumerate() {
        assert_eq!(
            check(model, &claim(model, 1, 1, &[])).map_err(|why| why.to_string()),
            Err(message(1, BAD)),
            "{place}"
        );
    }
    for spec in ["G deadlock", "G (forall k : A . k-x -> deadlock)", "G (deadlock <-> (forall k : A . k-x))"] {
        let model = text("false", "*", "", spec);
        assert!(refusal(&model, 1, 1, &[]).contains("`deadlock`, that is about all agents"), "{spec}");
    }
}

/// Proofs by the rule hold with quantifiers, too, and that is no empty statement: there are initial states, and steps
/// from where the invariant holds.
#[test]
fn proofs_hold_with_quantifiers() {
    let (stop, mut whole) = (Stop::new(), 0);
    let solver = |seconds| Scripts { budget: Budget::new(Some(Duration::from_secs(seconds))), stop: &stop };
    for name in ["mesi", "ticket_o", "mutex", "bakery", "read_write_lock", "semaphore", "dragon", "two_phase_commit"] {
        let model = model(&source(format!("parametrised/{name}.rcp")));
        let subject = Subject::new(&model);
        for spec in 0..model.specs.len() {
            let limits = limits(20, Budget::new(None), &stop);
            let outcome = subject.prove(spec, &[Engine::Pdr], &limits).expect("no claim is refused");
            let Some(ProofBy::Uniform(uniform)) = outcome.verdict.holds_by() else { continue };
            if !uniform.evidence().is_empty() {
                continue;
            }
            let quantified = Quantified::new(uniform.model(), spec, uniform).expect("it has no sums");
            for (what, script) in quantified.scripts() {
                assert!(solver(600).is_unsatisfiable(&script).expect(what), "{name}: {what}");
                for conclusion in
                    ["(assert (not invariant))\n", "(assert (not invariant.next))\n", "(assert (not good))\n"]
                {
                    let alone = script.replace(conclusion, "");
                    let empty = alone != script && solver(2).is_unsatisfiable(&alone) == Ok(true);
                    assert!(!empty, "{name}: without what follows, {what}");
                }
            }
            whole += usize::from(quantified.is_whole());
        }
    }
    assert!(whole > 20, "{whole}");
}

/// The questions with quantifiers are those of the proof: where a clause is missing, the others do not do.
#[test]
fn what_is_wrong_with_quantifiers_is_found() {
    let model = model(&source("parametrised/ticket_o.rcp"));
    let (subject, stop) = (Subject::new(&model), Stop::new());
    let limits = limits(20, Budget::new(None), &stop);
    let outcome = subject.prove(1, &[Engine::Pdr], &limits).expect("no claim is refused");
    let Some(ProofBy::Uniform(uniform)) = outcome.verdict.holds_by() else { panic!("{:?}", outcome.verdict) };
    let quantified = Quantified::new(uniform.model(), 1, uniform).expect("it has no sums");
    let solver = Scripts { budget: Budget::new(Some(Duration::from_secs(600))), stop: &stop };
    let [(_, initial), (_, inductive), (_, safe)] =
        <[_; 3]>::try_from(quantified.scripts().collect::<Vec<_>>()).expect("the spec is about states");
    // Everything is initial; anything may happen; no invariant.
    for (script, premise) in [(initial, "(assert initial)"), (inductive, "(assert step)"), (safe, "(assert invariant)")]
    {
        assert!(script.contains(premise));
        assert_eq!(solver.is_unsatisfiable(&script.replace(premise, "")), Ok(false), "{premise}");
    }
}

/// Claims of forged documents about specs that open instances cannot say are refused, and read no further.
#[test]
fn specs_that_the_rule_does_not_cover_are_refused() {
    let specs = ["(sum k : A . (count j : A . j-b)) >= 0", "(count k : A . deadlock) >= 0"];
    for spec in specs {
        let model = parsed(&format!(
            "message-structure: M : int
             agent A local: x : int, b : bool init: x = 0 & !b receive-guard: false repeat: s: {{true}} *! (true)()[x := x + 1]
             system = A(one, true) || A(a[*], true)
             SPEC G true
             SPEC G ({spec})"
        ));
        let said = refusal(&model, 1, 2, &[]);
        assert!(said.contains("it depends on the number of agents"), "{said}");
    }
}

/// Specs may have the same formula in instances of the size that a certificate names, and mean something else.
#[test]
fn a_certificate_is_about_the_spec_with_its_number() {
    let model = parsed(
        "message-structure: M : int
         agent A local: x : int init: x = 0 | x = 1 receive-guard: false repeat: s: {false} *! (true)()[]
         system = A(a[*], true)
         SPEC G ((sum k : A . k-x) <= 2)
         SPEC G (a1-x + a2-x <= 2)",
    );
    assert_eq!(check(&model, &certificate(&model, 1, &[Engine::Pdr])), Ok("holds"));
}

/// Sums that a proof adds are those that the model has, and none that agents change who take no part in a step.
#[test]
fn ghosts_are_sums_that_open_instances_have() {
    let model = parsed(
        "enum channel {c}
         message-structure: M : int
         agent A
             local: x : int, heard : int, who : location
             init: x = 0 & heard = 0
             receive-guard: chan = c
             repeat: (s: {true} c! (true)(M := 1)[x := x + 1] + r: {true} c? [heard := heard + M])
         agent Desk
             local: sent : int
             init: sent = 0
             receive-guard: chan = c
             repeat: r: {true} c? [sent := sent + 1]
         system = A(a[*], true) || Desk(desk, true)
         SPEC G (forall k : A . k-x <= desk-sent)
         SPEC G (desk-sent = (sum k : A . k-x))
         SPEC G ((sum k : A . k-heard) >= 0)
         SPEC F desk-sent = 1",
    );
    let with = |ghosts: Value, clauses: &[&str]| {
        let mut document = claim(&model, 0, 1, clauses);
        document["evidence"]["uniform"]["ghosts"] = ghosts;
        check(&model, &document).map_err(|why| why.to_string())
    };
    let clauses = ["(= total-2 desk-sent)", "(>= a1-x 0)"];
    let sum = json!({"agent": "A", "local": "x"});
    for ghosts in [json!([sum]), json!([{"spec": 2}]), json!([sum, {"spec": 2}])] {
        assert_eq!(with(ghosts, &clauses), Ok("holds"));
    }
    assert_eq!(with(json!([sum]), &clauses[..1]), Err(message(1, "a bad state satisfies the invariant")));
    let unknown = "not a certificate for this spec: clause 1: at character 4: nothing is called `total-2` here";
    for without in [json!([]), json!([{"spec": 4}])] {
        assert_eq!(with(without, &clauses), Err(unknown.to_owned()));
    }
    let unknown = "not a certificate for this spec: it adds up what the model does not have";
    let no_sums = [
        json!({"agent": "B", "local": "x"}),
        json!({"agent": "A", "local": "y"}),
        json!({"agent": "A", "local": "who"}),
        json!({"spec": 9}),
    ];
    for ghost in no_sums {
        assert_eq!(with(json!([ghost]), &clauses), Err(unknown.to_owned()), "{ghost}");
    }
    let received =
        "not a certificate for this spec: it counts or sums up what agents change when they receive a message";
    for ghost in [json!({"agent": "A", "local": "heard"}), json!({"spec": 3})] {
        assert_eq!(with(json!([sum, ghost]), &clauses), Err(received.to_owned()), "{ghost}");
    }
    // An automaton state that the agent does not have is never taken.
    assert_eq!(with(json!([sum, {"agent": "A", "state": 7}]), &clauses), Ok("holds"));
}

/// The least number of members bounds the sizes from below, and not the clauses.
#[test]
fn least_numbers_are_kept() {
    let alone = "s: {true} c! (true)()[x := true]";
    let two = agents(alone, IDLE, "A(a[2..*], id = index) || Desk(desk, true)");
    assert_eq!(check(&two, &claim(&two, 0, 2, &["(not a1-x)"])), Ok("holds"));
    let one = agents(alone, IDLE, "A(a[1..*], id = index) || Desk(desk, true)");
    assert_eq!(refusal(&one, 0, 1, &["(not a1-x)"]), message(1, "a step leads out of the invariant"));
}

/// Members that a spec names are there beside those that its variables stand for, and those who take part.
#[test]
fn named_members_are_beside_all_others() {
    let text = |spec: &str| {
        parsed(&format!(
            "enum channel {{c}} message-structure: M : int
             agent A local: x : bool, who : location, id : int init: !x receive-guard: chan = c
                 repeat: (s: {{true}} c! (true)()[] + r: {{true}} c? [x := true])
             agent Desk local: y : bool init: !y receive-guard: false repeat: ({IDLE})
             system = {SYSTEM} SPEC G true SPEC {spec}"
        ))
    };
    const BAD: &str = "a bad state satisfies the invariant";
    // The sender is neither of the two that are named; nor is whom the variable stands for.
    let sender = text("G [[sender != a1]] a1-x");
    assert_eq!(check(&sender, &claim(&sender, 1, 1, &[])), Ok("holds"));
    let keeps = text("G (!a1-x & !a2-x -> X !(a1-x & a2-x))");
    assert_eq!(refusal(&keeps, 1, 2, &[]), message(3, BAD));
    let third = text("G (forall k : A . ((k != a1) & (k != a2)) -> !k-x)");
    assert_eq!(refusal(&third, 1, 2, &[]), message(3, BAD));
}

/// Names that only look like that of a member, or belong to variables, say nothing of sizes.
#[test]
fn names_like_those_of_members_leave_smaller_sizes() {
    let violated = |system: &str, spec: &str| {
        let model = parsed(&format!(
            "message-structure: a08 : int
             agent A local: x : int init: x = 0 receive-guard: false repeat: s: {{x = 0}} *! (true)(a08 := 1)[x := 1]
             agent S local: y : int init: y = 0 receive-guard: false repeat: s: {{y = 0}} *! (true)(a08 := 1)[y := 1]
             system = {system} || S(third, true)\nSPEC {spec}"
        ));
        match prove(&Subject::new(&model), 0, &Engine::ALL) {
            Verdict::Violated(counterexample) => counterexample.run().semantics().model().sizes(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(violated("A(a[*], true) || A(a07, true)", "G (a07-x = 0)"), [0]);
    assert_eq!(violated("A(a[*], true)", "G [[a08 = 1]] false"), [0]);
    assert_eq!(violated("A(a[*], true)", "G (forall a9 : S . a9-y = 0)"), [0]);
}

/// A channel that two members have is no member's own.
#[test]
fn shared_channels_are_refused() {
    let mut tree = syntax::parse(
        &SourceFile::new(
            "test.rcp",
            "enum channel {c1, c2, c3}
             agent A local: to : channel, from : channel init: true receive-guard: false repeat: s: {true} to! (true)()[]
             system = A(a1, to = c1 & from = c2) || A(a2, to = c2 & from = c3) || A(a3, to = c3 & from = c1)
             SPEC G (forall k, j : A . (k = j) | (k-to = j-from) | (k-from = j-to))",
        ),
        None,
    )
    .model;
    let any = Constants::from([(ConstantName::AnyNumber("A".to_owned()), Literal::Bool(true))]);
    assert_eq!(tree.give(&any), Err(vec![ConstantName::AnyNumber("A".to_owned())]));
}

/// Comparisons of different things are no clause, even where they have as many values.
#[test]
fn clauses_compare_what_can_be_compared() {
    let model = parsed(
        "enum e {u, v, w, x}
         agent A local: who : location, what : e init: true receive-guard: false repeat: s: {false} *! (true)()[]
         system = A(a[*], true) SPEC G true",
    );
    let refused = refusal(&model, 0, 2, &["(= a1-who a1-what)"]);
    assert!(refused.contains("no condition on the members"), "{refused}");
}

/// Why the verdict on the only spec of a model is unknown.
fn unknown(text: &str) -> String {
    let model = parsed(text);
    let subject = Subject::new(&model);
    // With a limit on the time, larger and larger instances would be looked at until it is over.
    let stop = Stop::new();
    let limits = limits(20, Budget::new(None), &stop);
    match subject.prove(0, &Engine::ALL, &limits).expect("no claim is refused").verdict {
        Verdict::Unknown { reason: Reason::Detailed(reason, _), .. } => reason.to_string(),
        other => panic!("{other:?} of {text}"),
    }
}

#[test]
fn what_the_rule_does_not_cover_is_unknown() {
    let with = |guard: &str, system: &str, spec: &str| {
        format!(
            "enum channel {{c}}\nmessage-structure: M : int\nproperty-variables: p : location\nguard twice(n : int) := n = 2;\n\
             agent A local: x : int, who : location init: x = 0 & who = myself relabel: p <- who receive-guard: false\n\
             repeat: s: {{{guard}}} *! (@p = who)(M := 1)[x := 1]\nsystem = {system}\nSPEC {spec}"
        )
    };
    let any = "A(one, true) || A(a[*], true)";
    let cases = [
        (with("true", any, "G (exists k : A . k-who = one)"), "it says that some agent exists"),
        (with("true", any, "G !(forall k : A . !k-s)"), "it says that some agent exists"),
        (with("true", any, "G ((forall k : A . k-who = k) <-> (one-x < 2))"), "read both as true and as false"),
        (with("true", any, "G ((count k : A . k-x > one-x) < size(A))"), "depends on the number of agents"),
        (with("true", any, "G ((count k : A . twice(k-x)) = 0)"), "depends on the number of agents"),
        (with("x < size(A) + 1", any, "G (one-x < 2)"), "depends on the number of agents"),
        (with("true", any, "G (one-s | !one-s) & G (deadlock | one-x < 2)"), "it is true because of a `deadlock`"),
        (with("true", any, "G (one-s -> X (F (one-x = 1)))"), "not of the form `G f`"),
        (with("true", any, "one-x = 0"), "not of the form `G f`"),
        (with("true", any, "G ([[exists(@p = one)]] (one-x < 2))"), "ranges over all locations"),
        (with("who != a1", any, "G (one-x < 2)"), "`a1`, a member of a family of any size, is named outside"),
    ];
    for (text, words) in cases {
        let reason = unknown(&text);
        assert!(reason.starts_with("no proof for all sizes: ") && reason.contains(words), "{reason}\n{text}");
    }
}

/// Parts of `where` about single members, or about some, restrict no part of an instance.
#[test]
fn parts_of_where_that_are_not_for_all_are_left_out() {
    let holds = |condition: &str, spec: &str| {
        let model = parsed(&format!(
            "agent A local: x : int init: true receive-guard: false repeat: s: {{false}} *! (true)()[]\n\
             system = A(one, true) || A(a[*], true) where {condition}\nSPEC {spec}"
        ));
        matches!(prove(&Subject::new(&model), 0, &[Engine::Pdr]), Verdict::Holds(_))
    };
    assert!(holds("(exists k : A . k-x = 0) & (forall k : A . k-x < 2)", "G (forall k : A . k-x < 2)"));
    assert!(holds("forall k, j : A . (k != j) -> (k-x != j-x)", "G (forall k, j : A . (k != j) -> (k-x != j-x))"));
    assert!(!holds("(a1-x = 0) & (one-x = a1-x)", "G (one-x = 0)"));
    assert!(!holds("exists k : A . k-x != one-x", "G (one-x < 2)"));
}

/// A condition that holds for a while is no proof, whatever is claimed.
#[test]
fn altered_claims_are_refused() {
    let model = model(&source("parametrised/two_phase_commit.rcp"));
    let good = certificate(&model, 0, &Engine::ALL);
    assert_eq!(check(&model, &good), Ok("holds"));
    let clauses = good["evidence"]["uniform"]["clauses"].as_array().expect("a list").len();
    for index in 0..clauses {
        let without = |document: &mut Value| {
            let clauses = document["evidence"]["uniform"]["clauses"].as_array_mut();
            drop(clauses.expect("a list").remove(index));
        };
        assert_refused(&model, &good, without, "with");
    }
    let cases = [
        ("members", json!({"participant": 101}), "more than 100 members"),
        ("members", json!({"other": 2}), "other families"),
        ("members", json!({"participant": 0}), "nothing is called"),
        ("clauses", json!(["coordinator-refused"]), "with"),
        ("clauses", json!(["coordinator-result"]), "no formula"),
        ("clauses", json!(["false"]), "with"),
    ];
    for (field, value, words) in cases {
        let change = |document: &mut Value| document["evidence"]["uniform"][field] = value;
        assert_refused(&model, &good, change, words);
    }
}

#[test]
fn another_solver_agrees_about_all_sizes() {
    let folder = folder("uniform-queries");
    let mut files = Vec::new();
    for name in ["berkeley", "burns", "mutex", "read_write_lock", "ticket_o", "two_phase_commit"] {
        let model = model(&source(format!("parametrised/{name}.rcp")));
        let subject = Subject::new(&model);
        for spec in 0..model.specs.len() {
            let verdict = prove(&subject, spec, &Engine::ALL);
            if let Verdict::Holds(_) = verdict {
                assert!(Document::new(&model, "test.rcp", spec, &verdict).is_some());
                files.extend(write_queries_of(&verdict, &folder, name, &model, spec));
            }
        }
    }
    assert!(files.len() > 50, "{}", files.len());
    for (file, answer) in cvc5(&files) {
        assert_eq!(answer, "unsat", "{}", file.display());
    }
}
