//! Specs in the corners of the language, with verdicts that follow from the definition: receive labels where runs begin anew,
//! models without an agent or an initial state, fairness about commands without a partner.

use crate::common::naive::Naive;
use crate::common::oracle::Oracle;
use crate::common::{self, parsed};
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::{Counterexample, Verdict};
use rcheck_smt::limits::Stop;
use rcheck_smt::model::Model;
use rcheck_smt::model::eval::{Limits, Semantics};
use rcheck_smt::model::spec::Expectation;
use rcheck_smt::verify::{Engine, Subject, certify};

/// A message is heard twice, then nothing is possible any more.
const HEARD_TWICE: &str = "
    agent Bell
        local: left : 0..2
        init: left = 2
        receive-guard: chan = *
        repeat: ring: {left > 0} *! (true)()[left := left - 1]
    agent Ear
        receive-guard: chan = *
        repeat: hear: {true} *? []
    system = Bell(bell, true) || Ear(ear, true)
    // expect: violated
    SPEC F (A(ear-hear));
    // expect: violated
    SPEC X (A(ear-hear));
    // expect: violated
    SPEC G (ear-hear -> E(ear-hear));
    // expect: holds
    SPEC G (ear-hear -> E(ear-hear | (F deadlock)));
    // expect: holds
    SPEC G !(E(ear-hear & X true));
    // expect: holds
    SPEC X (A(ear-hear | X ear-hear));
    // expect: violated
    SPEC X (K(bell, ear-hear));
    // expect: holds
    SPEC G (K(ear, !ear-hear));
    // expect: violated
    SPEC G E(G (ear-hear -> X ear-hear));
    // expect: holds
    SPEC G (ear-hear -> A((X ear-hear) | deadlock));
    ASSUME ear-hear U bell-left = 2;
    // expect: holds
    SPEC F (A(ear-hear));
    // expect: holds
    SPEC X (A(ear-hear | deadlock));
";

/// All of it depends on members; without one, no state is initial.
const MEMBERS: &str = "
    agent Lamp
        local: on : bool
        init: on
        receive-guard: chan = *
        repeat: blink: {on} *! (true)()[]
    system = Lamp(lamp[*], true)
        where exists k : Lamp . k-on
    // expect: holds
    SPEC G ((count k : Lamp . k-on) > 3);
    // expect: holds
    SPEC F (exists k : Lamp . k-blink);
    // expect: holds
    SPEC G (E(F (count k : Lamp . k-on) > 0));
    // expect: holds
    SPEC false;
";

/// No state is initial, although each agent could be in some.
const UNSATISFIABLE: &str = "
    agent Lamp
        local: on : bool
        init: on
        receive-guard: chan = *
        repeat: blink: {on} *! (true)()[]
    system = Lamp(one, true) || Lamp(two, true)
        where one-on & !two-on
    // expect: holds
    SPEC false;
    // expect: holds
    SPEC F one-blink;
    // expect: holds
    SPEC G (E(G !one-blink));
    // expect: holds
    SPEC X (K(one, two-on & !two-on));
";

/// No agent supplies what the first one asks for; a label of a step that does not exist is never true.
const NO_PARTNER: &str = "
    agent Asker
        receive-guard: chan = *
        repeat: (ask: {true} GET@(true)()[]; say: {true} *! (true)()[])
    agent Counter
        local: n : int
        receive-guard: chan = *
        repeat: hear: {true} *? [n := n + 1]
    system = Asker(asker, true) || Counter(counter, true)
    // expect: holds
    SPEC (strong(asker) & (G F asker-say)) -> (F (counter-n = 0));
    // expect: holds
    SPEC (G F (asker-ask | asker-say)) -> (F (counter-n = 0));
    // expect: holds
    SPEC ((F (G !asker-ask)) & (G F asker-say)) -> (G F (counter-n = 0));
    // expect: holds
    SPEC ((G F (asker-say & asker-ask)) | (G F asker-say)) -> (F (counter-n > 0));
";

/// Each spec has the verdict that it expects, by definition where the model is finite, and by these engines alone where they
/// decide; with certificates that are accepted.
fn check(model: &Model, engines: &[Engine]) {
    let (semantics, subject) = (Semantics::new(model), Subject::new(model));
    let oracle = Oracle::everywhere(&semantics, Limits { states: 100, depth: usize::MAX }).ok();
    let stop = Stop::new();
    let limits = common::limits(usize::MAX, common::patiently(), &stop);
    for (index, spec) in model.specs.iter().enumerate() {
        let name = model.show_formula(&spec.formula);
        let expected = spec.expect == Some(Expectation::Holds);
        if let Some(oracle) = &oracle {
            assert_eq!(Naive::new(&semantics, oracle).is_true(&spec.formula), Ok(expected), "{name}");
        }
        let alone = engines.iter().map(std::slice::from_ref).chain([&Engine::ALL[..]]);
        for engines in alone {
            let verdict = subject.prove(index, engines, &limits).unwrap_or_else(|why| panic!("{name}: {why}")).verdict;
            let found = matches!(verdict, Verdict::Holds(_));
            assert!(found || matches!(verdict, Verdict::Violated(_)), "{name}: {engines:?} {verdict:?}");
            assert_eq!(found, expected, "{name}: {engines:?}");
            let document = Document::new(model, "corners.rcp", index, &verdict).expect("it is decided");
            let again = Document::read(&document.write()).expect("it was written by us");
            certify(&again, &semantics, common::patiently()).unwrap_or_else(|why| panic!("{name}: {why}"));
        }
    }
}

#[test]
fn a_receive_label_is_false_where_a_run_begins() {
    check(&parsed(HEARD_TWICE), &[Engine::Explicit]);
}

#[test]
fn without_an_initial_state_every_spec_holds() {
    let model = parsed(MEMBERS);
    let scheme = model.scheme().expect("a family of any size");
    check(scheme.instance(&[0]).expect("it has no errors"), &[Engine::Explicit, Engine::Bdd]);
    check(&parsed(UNSATISFIABLE), &[Engine::Explicit, Engine::Bdd]);
}

#[test]
fn labels_without_a_step_are_folded_alike() {
    check(&parsed(NO_PARTNER), &[Engine::Pdr]);
}

fn counterexample<'s>(verdict: &'s Verdict) -> &'s Counterexample<'s> {
    match verdict {
        Verdict::Violated(counterexample) => counterexample,
        other => panic!("not violated: {other:?}"),
    }
}

/// A loop starts and ends with labels of receives that are as true, whatever finds it.
#[test]
fn loops_close_at_the_same_depth() {
    let model = parsed(
        "agent Bell
            receive-guard: chan = *
            repeat: (ring: {true} *! (true)()[]; rep again: {false} *! (true)()[])
        agent Ear
            receive-guard: chan = *
            repeat: hear: {true} *? []
        system = Bell(bell, true) || Ear(ear, true)
        SPEC G (ear-hear -> X (F ear-hear))",
    );
    let subject = Subject::new(&model);
    let stop = Stop::new();
    let limits = common::limits(10, common::patiently(), &stop);
    let bounded = subject.bmc(0, &limits).expect("evidence that survives its check").verdict;
    let explored = subject.prove(0, &[Engine::Explicit], &limits).expect("evidence that survives its check").verdict;
    for verdict in [&bounded, &explored] {
        let run = counterexample(verdict).run();
        assert_eq!((run.steps().len(), run.loop_start()), (3, Some(2)));
    }
}
