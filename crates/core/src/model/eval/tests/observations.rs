//! `docs/logic.md#observations`: which of a model's first steps are observed.

use super::*;
use crate::model::written::Written;

const MODEL: &str = "enum channel {c, d} enum role {boss, staff}
    message-structure: V : int, URGENT : bool
    property-variables: who : role, idle : bool
    agent Talker
        local: n : int
        init: n = 4
        relabel: who <- boss  idle <- n = 5
        receive-guard: false
        repeat: (
            wide: {true} *! ((@who = staff) & (@idle | (chan = c)))(V := n, URGENT := true)[]
            + narrow: {true} c! (@idle | (n = 4))(V := n + 1)[]
            + void: {true} d! (false)()[]
            + ask: {true} GET@(@idle)(V := 8, URGENT := false)[]
            + call: {true} GET@(t)(URGENT := true)[]
        )
    agent Supplier
        relabel: who <- staff  idle <- true
        receive-guard: false
        repeat: sup: {true} SUPPLY@(any)(V := 3)[]
    system = Talker(s, true) || Supplier(t, true)";

/// The labels of the first steps that are observed; `get` is the one by name.
fn observed(observation: &str) -> String {
    let model = model(&format!("{MODEL} SPEC <<{observation}>> true"));
    let semantics = Semantics::new(&model);
    let state = initial(&semantics);
    let Written::Possible(descriptor, _) = model.specs[0].formula.written() else { panic!("an observation") };
    let steps = semantics.steps(&state);
    assert_eq!(steps.len(), 5);
    let seen = steps.iter().filter(|step| semantics.observes(&state, step, descriptor));
    let names = seen.map(|step| {
        let name = describe_step(&model, step);
        name.split_whitespace().next().expect("a name").replace("s-", "")
    });
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn everything_and_nothing() {
    assert_eq!(observed("true"), "wide narrow void ask call");
    assert_eq!(observed("false"), "");
    assert_eq!(observed("p2p"), "ask call");
    assert_eq!(observed("!p2p -> false"), "ask call");
}

#[test]
fn roles() {
    assert_eq!(observed("sender = s"), "wide narrow void");
    assert_eq!(observed("sender = t"), "");
    assert_eq!(observed("sender != s"), "ask call");
    assert_eq!(observed("getter = s"), "ask call");
    assert_eq!(observed("supplier = t"), "ask call");
    assert_eq!(observed("supplier = s"), "");
    assert_eq!(observed("initiator = s"), "wide narrow void ask call");
    assert_eq!(observed("producer = s"), "wide narrow void");
    assert_eq!(observed("producer = t"), "ask call");
}

#[test]
fn channels() {
    assert_eq!(observed("chan = *"), "wide");
    assert_eq!(observed("chan = c"), "narrow");
    assert_eq!(observed("chan != c"), "wide void ask call");
}

#[test]
fn data_is_the_supplier_s_and_then_the_getter_s() {
    assert_eq!(observed("V = 4"), "wide");
    assert_eq!(observed("V > 4"), "narrow");
    assert_eq!(observed("V = 3"), "ask call");
    assert_eq!(observed("URGENT"), "wide call");
    // A variable that is not assigned makes the atom false, and its negation true.
    assert_eq!(observed("!URGENT"), "narrow void ask");
    assert_eq!(observed("V != 4"), "narrow ask call");
}

#[test]
fn assignments_are_those_of_the_send_guard_with_the_sender_filled_in() {
    assert_eq!(observed("exists(who = boss)"), "narrow ask");
    // For the get by name, the supplier's own values.
    assert_eq!(observed("forall(who = staff)"), "wide void call");
    assert_eq!(observed("exists(idle) & forall(idle)"), "wide ask call");
    assert_eq!(observed("forall((who = staff) & idle)"), "wide void call");
    assert_eq!(observed("exists(true)"), "wide narrow ask call");
    assert_eq!(observed("forall(V = 3)"), "void ask call");
}

#[test]
fn without_a_relabelling_an_atom_is_false() {
    let mut model = model(
        "enum channel {c} property-variables: p : bool
         agent Getter receive-guard: false repeat: get: {true} GET@(s)()[]
         agent S relabel: p <- false receive-guard: false repeat: sup: {true} SUPPLY@(any)()[]
         system = Getter(g, true) || S(s, true)
         SPEC <<exists(!p)>> true; SPEC <<exists(p | !p)>> true; SPEC <<exists(p = false)>> true",
    );
    let seen = |model: &Model| {
        let semantics = Semantics::new(model);
        let state = initial(&semantics);
        let step = semantics.steps(&state).remove(0);
        let observed = model.specs.iter().map(|spec| match spec.formula.written() {
            Written::Possible(observation, _) => semantics.observes(&state, &step, observation),
            other => panic!("an observation instead of {other:?}"),
        });
        observed.collect::<Vec<_>>()
    };
    assert_eq!(seen(&model), [true, true, true]);
    // Elaboration refuses such a model; the semantics does not rely on it.
    model.agents[1].relabel[0] = None;
    assert_eq!(seen(&model), [true, true, false]);
}
