//! Altered certificates prove nothing.

use super::*;
use crate::claim::explicit::{Rank, Why};
use crate::model::Value;
use crate::model::eval::tables::LocalState;
use crate::model::subformulas::{Obligation, subformulas};
use std::sync::Arc;

/// Counts to 3, again and again. The spec holds; its negation is `F (n = 0 & G n != 3)`.
const COUNTER: &str = "enum channel {c}
    agent A
        local: n : 0..3
        init: n = 0
        receive-guard: false
        repeat: (up: {n < 3} *! (false)()[n := n + 1] + reset: {n = 3} *! (false)()[n := 0])
    system = A(a, true)
    SPEC G (a-n = 0 -> F a-n = 3)
    SPEC G (a-n = 0 -> F a-n = 2)";

fn graph(certificate: &mut ExplicitCertificate) -> &mut GraphCertificate {
    &mut certificate.graphs[0]
}

fn set(certificate: &mut ExplicitCertificate) -> &mut ClosedSet {
    match &mut certificate.parts[0] {
        PartCertificate::Closed(set) => set,
        PartCertificate::Image { .. } => panic!("it has one conjunct"),
    }
}

/// Other members and ranks.
pub(super) fn change(set: &mut ClosedSet, alter: impl FnOnce(&mut Vec<Vec<u32>>, &mut Vec<u32>)) {
    let mut rows: Vec<Vec<u32>> = set.members.rows().collect();
    let Ranks::Each(mut ranks) = set.members.ranks().clone() else { panic!("something has to hold for ever") };
    alter(&mut rows, &mut ranks);
    set.members = Members::from_rows(&rows, Ranks::Each(ranks)).expect("different members");
}

/// Checks an altered certificate.
fn altered(alter: impl FnOnce(&mut ExplicitCertificate)) -> Result<ProofByExploration, Refused> {
    proved(&model(COUNTER), alter)
}

/// The rank of the members that wait for `n = 0 & G n != 3`, and that eventuality.
fn waiting(set: &ClosedSet) -> (u32, Obligation) {
    let why = |rank: &Rank| &set.reasons[rank.why as usize];
    let ranked = set.ranks.iter().map(why).zip(0..);
    let mut named = ranked.filter_map(|(why, rank)| match why {
        Why::Pending(eventuality) => Some((rank, *eventuality)),
        _ => None,
    });
    let only = named.next().expect("one rank is cyclic");
    assert_eq!(named.next(), None);
    only
}

/// Gives a rank a reason of its own.
fn explain(set: &mut ClosedSet, rank: u32, why: Why) {
    set.reasons.push(why);
    set.ranks[rank as usize].why = set.reasons.len() as u32 - 1;
}

#[test]
fn the_certificate_itself_is_fine() {
    let proof = altered(|_| {}).expect("nothing was altered");
    // Waiting at 0, 1, 2, 3; and from 0 on never 3 again, at 1, 2 and, in vain, at 3.
    assert_eq!((proof.states(), proof.members()), (4, 7));
}

#[test]
fn every_member_is_needed() {
    for index in 0..7 {
        let result = altered(|certificate| {
            change(set(certificate), |rows, ranks| {
                rows.swap_remove(index);
                ranks.swap_remove(index);
            });
        });
        let expected = if index == 0 { INITIAL_MISSING } else { NOT_CLOSED };
        assert!(says(&result, &[expected]), "{index}: {result:?}");
    }
}

#[test]
fn states_must_be_those_of_the_model() {
    for state in 0..4 {
        let at = |certificate: &mut ExplicitCertificate, index: usize| {
            LocalState::clone(&graph(certificate).local_states[0][index % 4])
        };
        let result = altered(|certificate| {
            let (one, other) = (at(certificate, state), at(certificate, state + 1));
            graph(certificate).local_states[0][state] = Arc::new(other);
            graph(certificate).local_states[0][(state + 1) % 4] = Arc::new(one);
        });
        assert!(result.is_err() && !says(&result, &[MALFORMED]), "{result:?}");
        let malformed = |values: &dyn Fn(&mut Vec<Value>), automaton: u32| {
            let result = altered(|certificate| {
                let mut list = at(certificate, state).values.to_vec();
                values(&mut list);
                graph(certificate).local_states[0][state] = Arc::new(LocalState { automaton, values: list.into() });
            });
            assert!(says(&result, &[MALFORMED]), "{result:?}");
        };
        malformed(&Vec::clear, 0);
        malformed(&|values| values.push(Value::int(0)), 0);
        malformed(&|values| values[0] = Value::int(4), 0);
        malformed(&|values| values[0] = Value::Bool(true), 0);
        malformed(&|_| {}, 1);
        let twice = altered(|certificate| {
            let copy = Arc::new(at(certificate, state + 1));
            graph(certificate).local_states[0][state] = copy;
        });
        assert!(says(&twice, &[MALFORMED]), "{twice:?}");
    }
    for lists in [vec![], vec![vec![], vec![]]] {
        let result = altered(|certificate| graph(certificate).local_states = lists);
        assert!(says(&result, &[MALFORMED]), "{result:?}");
    }
}

#[test]
fn ranks_must_not_increase() {
    let result = altered(|certificate| {
        let part = set(certificate);
        let greatest = part.ranks.len() as u32;
        change(part, |_, ranks| ranks[1] = greatest);
        part.ranks.push(Rank { within: None, order: greatest, why: 0 });
    });
    assert!(says(&result, &["conjunct 0: a step from member 0 is not ranked"]), "{result:?}");
    // One rank for all: where `n != 3` is kept, nothing is pending.
    let result = altered(|certificate| {
        let (rank, _) = waiting(set(certificate));
        change(set(certificate), |_, ranks| ranks.fill(rank));
    });
    assert!(says(&result, &[NOT_RANKED]), "{result:?}");
}

#[test]
fn the_named_eventuality_must_be_pending() {
    let result = altered(|certificate| {
        let (rank, _) = waiting(set(certificate));
        explain(set(certificate), rank, Why::Passing);
    });
    assert!(says(&result, &["conjunct 0: a step from member 0 is not ranked"]), "{result:?}");
    for subformula in 0..3 {
        let result = altered(|certificate| {
            let (rank, right) = waiting(set(certificate));
            let wrong = Obligation { subformula, truth: right.truth };
            assert_ne!(wrong, right);
            explain(set(certificate), rank, Why::Pending(wrong));
        });
        assert!(says(&result, &["conjunct 0: a step from member 0 is not ranked"]), "{result:?}");
    }
    let result = altered(|certificate| {
        let (rank, right) = waiting(set(certificate));
        let beyond = Obligation { subformula: 1_000, ..right };
        explain(set(certificate), rank, Why::Pending(beyond));
    });
    assert!(says(&result, &[MALFORMED]), "{result:?}");
}

#[test]
fn obligations_may_not_be_strengthened_or_lost() {
    // Without obligations nothing is pending.
    let result = altered(|certificate| set(certificate).obligations[0].clear());
    assert!(says(&result, &[NOT_RANKED]), "{result:?}");
    let result = altered(|certificate| {
        let both = set(certificate).obligations.concat();
        set(certificate).obligations[0] = both;
    });
    assert!(says(&result, &["conjunct 0: an initial state is missing"]), "{result:?}");
}

#[test]
fn indices_one_beyond_the_last_are_malformed() {
    let subformulas = subformulas(&model(COUNTER).specs[0].formula).len() as u32;
    let unknown = Obligation { subformula: subformulas, truth: true };
    let alterations: [&dyn Fn(&mut ExplicitCertificate); 12] = [
        &|it| {
            let beyond = graph(it).local_states[0].len() as u32;
            change(set(it), |rows, _| rows[2][0] = beyond);
        },
        &|it| {
            let beyond = set(it).received.len() as u32;
            change(set(it), |rows, _| rows[2][1] = beyond);
        },
        &|it| {
            let beyond = set(it).obligations.len() as u32;
            change(set(it), |rows, _| rows[2][2] = beyond);
        },
        &|it| {
            let beyond = set(it).ranks.len() as u32;
            change(set(it), |_, ranks| ranks[2] = beyond);
        },
        &|it| change(set(it), |_, ranks| ranks.truncate(6)),
        &|it| change(set(it), |rows, _| rows.iter_mut().for_each(|row| row.push(0))),
        &|it| set(it).received[0].push((0, 0)),
        &|it| set(it).obligations[0].push(unknown),
        &|it| set(it).reasons[0] = Why::Pending(unknown),
        &|it| set(it).reasons[0] = Why::Unanswered(vec![unknown]),
        &|it| set(it).ranks[0].within = Some(0),
        &|it| set(it).ranks[0].why = set(it).reasons.len() as u32,
    ];
    for (number, alter) in alterations.into_iter().enumerate() {
        let result = altered(alter);
        // A member that refers to something missing is itself missing before that is noticed.
        let expected = says(&result, &[MALFORMED]) || number < 3 && says(&result, &[NOT_CLOSED]);
        assert!(expected, "{number}: {result:?}");
    }
}

#[test]
fn a_certificate_is_for_one_spec() {
    let model = model(COUNTER);
    let result = confirm(&Semantics::new(&model), &model.specs[1].formula, certificate(&model).into(), 1);
    assert!(says(&result, &[NOT_CLOSED]), "{result:?}");
    let result = altered(|certificate| certificate.parts.clear());
    assert!(says(&result, &[MALFORMED]), "{result:?}");
}

/// A lock that two agents take in turns, or one again and again. The first is served if it is treated fairly: strongly, as
/// the lock is free only now and then; and the holder, weakly.
const LOCK: &str = "enum channel {c}
    message-structure: entering : bool
    agent A
        local: in : bool
        init: !in
        receive-guard: false
        repeat: (enter: {!in} c! (true)(entering := true)[in := true]
            + leave: {in} c! (true)(entering := false)[in := false])
    agent Lock
        local: free : bool
        init: free
        receive-guard: (chan = c)
        repeat: (take: {free & entering} c? [free := false] + release: {!free & !entering} c? [free := true])
    system = A(a, true) || A(b, true) || Lock(lock, true)
    SPEC (strong(a-enter) & weak(a-leave) & weak(b-leave)) -> G F a-in
    SPEC (weak(a-enter) & weak(a-leave) & weak(b-leave)) -> G F a-in";

/// With the certificate of the first spec of the lock.
fn unlocked(alter: impl FnOnce(&mut ExplicitCertificate)) -> Result<ProofByExploration, Refused> {
    proved(&model(LOCK), alter)
}

#[test]
fn conditions_are_no_obligations() {
    let mut seen = (Vec::new(), 0, 0);
    let proof = unlocked(|certificate| {
        let set = set(certificate);
        seen =
            (set.obligations.clone(), set.ranks.iter().filter(|rank| rank.within.is_some()).count(), set.reasons.len());
    });
    let proof = proof.expect("nothing was altered");
    // All that remains to be shown is said of cycles, so that there is nothing to remember.
    assert_eq!(seen.0, [Vec::new()]);
    assert_eq!((proof.states(), proof.members()), (3, 3));
    assert!(seen.1 > 0, "the rank with all states has parts");
    let model = model(LOCK);
    let semantics = Semantics::new(&model);
    let ExplicitClaim::Violated(trace) = run(&semantics, &model.specs[1].formula, Config::default()) else {
        panic!("weak fairness does not suffice");
    };
    Counterexample::confirm(&semantics, &model.specs[1].formula, &trace).expect("it is one");
}

#[test]
fn what_is_assumed_must_be_assumed() {
    // A certificate for strong fairness proves nothing under weak fairness.
    let model = model(LOCK);
    let result = confirm(&Semantics::new(&model), &model.specs[1].formula, certificate(&model).into(), 1);
    assert!(says(&result, &[MALFORMED, NOT_RANKED]), "{result:?}");
    // The opposite of a condition, and what is no condition.
    for alter in [
        |condition: &mut Obligation| condition.truth ^= true,
        |condition: &mut Obligation| condition.subformula = 0,
        |condition: &mut Obligation| condition.subformula += 1,
    ] {
        let result = unlocked(|certificate| {
            let reasons = set(certificate).reasons.iter_mut();
            let lists = reasons.filter_map(|why| if let Why::Unanswered(list) = why { Some(list) } else { None });
            lists.flatten().for_each(alter);
        });
        assert!(says(&result, &[MALFORMED, NOT_RANKED]), "{result:?}");
    }
}

#[test]
fn parts_of_ranks_must_belong_where_they_say() {
    let parts = |set: &ClosedSet| -> Vec<usize> {
        let is_part = |number: &usize| set.ranks[*number].within.is_some();
        (0..set.ranks.len()).filter(is_part).collect()
    };
    let mut count = 0;
    unlocked(|certificate| count = parts(set(certificate)).len()).expect("nothing was altered");
    assert!(count > 1, "{count}");
    // All parts at once are outside, or the same.
    for one in 0..count {
        let result = unlocked(|certificate| {
            let numbers = parts(set(certificate));
            set(certificate).ranks[numbers[one]].within = None;
        });
        assert!(says(&result, &[NOT_RANKED]), "{one}: {result:?}");
    }
    let result = unlocked(|certificate| {
        let numbers = parts(set(certificate));
        change(set(certificate), |_, ranks| ranks.fill(numbers[0] as u32));
    });
    assert!(says(&result, &[NOT_RANKED]), "{result:?}");
    // Without a reason no run may stay.
    let result = unlocked(|certificate| set(certificate).reasons.iter_mut().for_each(|why| *why = Why::Passing));
    assert!(says(&result, &[NOT_RANKED]), "{result:?}");
}
