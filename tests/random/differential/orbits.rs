//! Labels of branching formulas up to symmetry: agents that are alike, and that have the names of others among their values, against labels of all
//! states; and altered certificates.

use super::coverage::Coverage;
use super::harness::Source;
use crate::common::random::Random;
use rcheck_smt::check::branching::{Claimed, Decided, decide};
use rcheck_smt::claim::branching::{BranchingClaim, Labelling, Witness};
use rcheck_smt::claim::explicit::{ClosedSet, Members, Ranks, Why};
use rcheck_smt::engine::explicit::{Config, branching};
use rcheck_smt::model::Formula;
use rcheck_smt::model::eval::Semantics;
use std::sync::{Arc, Mutex};

/// The cases that every run of the test has to see.
pub const SEEN: [&str; 8] = [
    "holds",
    "holds up to symmetry",
    "images of conjuncts",
    "violated",
    "violated up to symmetry",
    "look-alike states up to symmetry",
    "refused",
    "no symmetries",
];

/// Three agents that are alike; each has a channel of its own, and knows the channel of whom it heard last.
pub fn model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let guard = |random: &mut Random| *random.pick(&["true", "n = 0", "last = none", "last != own", "n = 1"]);
    let update = |random: &mut Random| *random.pick(&["", "n := 1", "n := 1 - n", "last := none", "n := 0"]);
    let heard =
        *random.pick(&["last := WHO", "last := WHO, n := V", "n := V", "last := if last = none then WHO else last"]);
    let hears = *random.pick(&["true", "last = none", "n = 0"]);
    let mut commands: Vec<String> = (0..random.between(1, 2))
        .map(|index| {
            let (guard, update, value) = (guard(&mut random), update(&mut random), random.below(2));
            let who = *random.pick(&["own", "own", "last"]);
            let to = *random.pick(&["*", "*", "own"]);
            format!("s{index}: {{{guard}}} {to}! (true)(V := {value}, WHO := {who})[{update}]")
        })
        .collect();
    commands.push(format!("hear: {{{hears}}} *? [{heard}]"));
    let start = *random.pick(&["n = 0", "true"]);
    let last = *random.pick(&["own = c3", "own = c3", "own = c3", "own = c3 & n = 0"]);
    let assumed = *random.pick(&["", "", "", "ASSUME weak(p);\n"]);
    let specs: Vec<String> = (0..6).map(|_| format!("SPEC {};\n", spec(&mut random))).collect();
    format!(
        "enum channel {{c1, c2, c3, none}}
         message-structure: V : 0..1, WHO : channel
         agent A
             local: n : 0..1, own : channel, last : channel
             init: {start} & last = none
             receive-guard: chan = *
             repeat: {}
         system = A(p, own = c1) || A(q, own = c2) || A(r, {last})
         {assumed}{}",
        commands.join(" + "),
        specs.concat()
    )
}

/// Something that is the same of all agents.
fn of_all(random: &mut Random) -> String {
    let quantifier = *random.pick(&["exists", "forall"]);
    let (value, inner) = (random.below(2), *random.pick(&["last = none", "last = j-own", "last != i-own", "n = 1"]));
    match random.below(3) {
        0 => format!("({quantifier} i : A . i-n = {value})"),
        1 => format!("(exists i, j : A . (i != j) & (i-{inner}))").replace("i-last != i-own", "i-last = i-own"),
        _ => format!("({quantifier} i : A . i-last = none)"),
    }
}

/// Something of one of them, and of another.
fn of_one(random: &mut Random, one: &str, other: &str) -> String {
    let value = random.below(2);
    match random.below(6) {
        0 => format!("{one}-n = {value}"),
        1 => format!("{one}-last = {other}-own"),
        2 => format!("{other}-n = {value}"),
        3 => format!("{one}-last != none"),
        4 => format!("{other}-last = {one}-own"),
        _ => of_all(random),
    }
}

fn spec(random: &mut Random) -> String {
    let operator =
        *random.pick(&["GK(A, ", "DK(A, ", "GCK(A, ", "GK({q, r}, ", "DK({p, q}, ", "GCK({q, r}, ", "K(p, "]);
    let not = *random.pick(&["", "!"]);
    let (all, more) = (of_all(random), of_all(random));
    match random.below(9) {
        0 => {
            let (here, known) = (of_one(random, "k", "k"), of_one(random, "k", "k"));
            format!("forall k : A . G ({here} -> {not}K(k, {known}))")
        }
        1 | 2 => {
            let (here, known) = (of_one(random, "k", "h"), of_one(random, "h", "k"));
            format!("forall k, h : A . (k != h) -> (G ({here} -> {not}K(k, {known})))")
        }
        3 => format!("G ({all} -> {not}{operator}{more}))"),
        4 => format!("G ({not}{operator}{}))", of_one(random, "p", "q")),
        5 => format!("G ({all} -> (E(F {more})))"),
        6 => format!("forall k : A . G (E(F {not}K(k, {})))", of_one(random, "k", "k")),
        7 => format!("F ({operator}{not}{operator}{all})))"),
        _ => format!("G ({operator}A(G (F {all}))) | {not}{operator}E(X {more})))"),
    }
}

/// Compares what is found of all specs of a model with symmetries and without.
pub fn check(source: &Source, coverage: &Mutex<Coverage>) -> Result<(), String> {
    let semantics = Semantics::new(&source.model);
    let (mut seen, mut certificates) = (Vec::new(), Vec::new());
    for spec in &source.model.specs {
        let shown = |error: String| format!("{error}\nof {}", source.model.show_formula(&spec.formula));
        certificates.push(compare(&semantics, &spec.formula, &mut seen).map_err(shown)?);
    }
    let mut random = Random::new(source.seed);
    for (spec, (labelling, expected)) in source.model.specs.iter().zip(&certificates) {
        for (other, _) in &certificates {
            let offered = checked(&semantics, &spec.formula, other, None).is_ok();
            if offered && !expected {
                return Err(format!("{} is proved by {other:?}", source.model.show_formula(&spec.formula)));
            }
            let mut more = labelling.clone();
            more.generators.extend(other.generators.clone());
            if checked(&semantics, &spec.formula, &more, None).is_ok() && !expected {
                return Err(format!("{} is proved", source.model.show_formula(&spec.formula)));
            }
        }
        if *expected {
            for altered in altered(labelling, &mut random) {
                if checked(&semantics, &spec.formula, &altered, None).is_ok() {
                    return Err(format!("accepted: {altered:#?}\ninstead of {labelling:#?}"));
                }
                seen.push("refused");
            }
        }
    }
    coverage.lock().expect("no panic before").note(seen);
    Ok(())
}

fn checked<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    labelling: &Labelling,
    witness: Option<&Witness>,
) -> Result<Decided<'s>, String> {
    let claim = Claimed { formula, labelling: Arc::new(labelling.clone()), witness };
    decide(semantics, &[claim]).remove(0).map_err(|error| error.to_string())
}

/// The labels, and whether the spec holds.
fn compare(
    semantics: &Semantics,
    formula: &Formula,
    seen: &mut Vec<&'static str>,
) -> Result<(Labelling, bool), String> {
    let without = branching::run(semantics, formula, Config { symmetry: false, ..Config::default() });
    let expected = match without {
        BranchingClaim::Holds(labelling) => {
            checked(semantics, formula, &labelling, None)?;
            true
        }
        BranchingClaim::Violated(labelling, witness) => {
            checked(semantics, formula, &labelling, Some(&witness))?;
            false
        }
        other => return Err(format!("without symmetries, {other:?}")),
    };
    match branching::run(semantics, formula, Config::default()) {
        BranchingClaim::Holds(labelling) if expected => {
            let Decided::Holds(proof) = checked(semantics, formula, &labelling, None)? else { unreachable!("no run") };
            seen.push(if labelling.generators.is_empty() { "holds" } else { "holds up to symmetry" });
            seen.extend((!labelling.images.is_empty()).then_some("images of conjuncts"));
            seen.extend((!proof.is_symmetric()).then_some("no symmetries"));
            Ok((labelling, true))
        }
        BranchingClaim::Violated(labelling, witness) if !expected => {
            let Decided::Violated(shown) = checked(semantics, formula, &labelling, Some(&witness))? else {
                unreachable!("with a run")
            };
            let looks = shown.parts.iter().any(|part| !part.looks.is_empty());
            seen.push("violated");
            if !labelling.generators.is_empty() {
                seen.push("violated up to symmetry");
                seen.extend(looks.then_some("look-alike states up to symmetry"));
            }
            Ok((labelling, false))
        }
        other => Err(format!("{expected} expected, and not {other:?}")),
    }
}

/// Gives a member with witnesses the rank of one without, or the reverse.
fn with_another_rank(set: &mut ClosedSet, witnessed: bool) -> bool {
    let Ranks::Each(ranks) = set.members.ranks() else { return false };
    let is_witnessed = |rank: &u32| set.reasons[set.ranks[*rank as usize].why as usize] == Why::Witnessed;
    let mut ranks = ranks.clone();
    let Some(place) = ranks.iter().position(|rank| is_witnessed(rank) == witnessed) else { return false };
    let Some(other) = (0..set.ranks.len() as u32).find(|rank| is_witnessed(rank) != witnessed) else { return false };
    ranks[place] = other;
    let rows: Vec<Vec<u32>> = set.members.rows().collect();
    set.members = Members::from_rows(&rows, Ranks::Each(ranks)).expect("the members are as before");
    true
}

/// Other certificates, none of which is one.
fn altered(labelling: &Labelling, random: &mut Random) -> Vec<Labelling> {
    let mut list = Vec::new();
    let mut alter = |change: &mut dyn FnMut(&mut Labelling) -> bool| {
        let mut other = labelling.clone();
        if change(&mut other) {
            list.push(other);
        }
    };
    alter(&mut |it| Arc::make_mut(&mut it.states).pop().is_some());
    alter(&mut |it| {
        let twice = it.states.first().cloned();
        Arc::make_mut(&mut it.states).extend(twice);
        !it.states.is_empty()
    });
    alter(&mut |it| it.formulas.pop().is_some());
    alter(&mut |it| it.conjuncts.pop().is_some());
    for of_conjunct in [false, true] {
        let mut alter_set = |change: &dyn Fn(&mut ClosedSet) -> bool| {
            alter(&mut |it| match of_conjunct {
                true => it.conjuncts.iter_mut().any(change),
                false => it.formulas.iter_mut().flatten().any(change),
            });
        };
        alter_set(&|set| set.witnesses.next.pop().is_some());
        alter_set(&|set| set.witnesses.loops.pop().is_some());
        alter_set(&|set| {
            let next = set.witnesses.next.first_mut();
            next.map(|(member, next)| *next = *member).is_some()
        });
        alter_set(&|set| with_another_rank(set, true));
        alter_set(&|set| with_another_rank(set, false));
    }
    alter(&mut |it| {
        // An instance becomes another one, but its channel stays.
        let Some(generator) = it.generators.first_mut() else { return false };
        generator.instances.rotate_left(1);
        true
    });
    alter(&mut |it| {
        let Some(generator) = it.generators.first_mut() else { return false };
        generator.channels.swap(0, 1);
        true
    });
    alter(&mut |it| {
        let Some(image) = it.images.first_mut() else { return false };
        image.of = image.conjunct;
        true
    });
    alter(&mut |it| {
        let Some(image) = it.images.first_mut() else { return false };
        image.by.instances.rotate_left(1);
        true
    });
    alter(&mut |it| {
        let Some(list) = it.local_states.iter_mut().find(|list| !list.is_empty()) else { return false };
        let place = random.below(list.len());
        let again = list[place].clone();
        list.push(again);
        true
    });
    list
}
