//! A second opinion on a proof: its clauses on concrete runs. Checks of evidence do without; it is asked for in builds with debug
//! assertions, as those of tests are, and where `RCHECK_SECOND_OPINION` is set.
//!
//! Along the runs of a [`Sample`], with some choices of the promises of the negation, three things are checked: what
//! the formula reads has the truth values of the concrete semantics, every clause of the invariant is true, and no bad
//! state is reached. A contradiction means that the lowering, the encoding or the solver is wrong. If there is none,
//! that proves nothing.

pub mod sample;

use crate::check::certificate::{Certificate, CertifiedPart};
use crate::check::sizes::Uniform;
use crate::check::{ProofBy, Verdict};
use crate::claim::Invariant;
use crate::model::eval::Semantics;
use crate::model::eval::value::holds;
use crate::model::formula::StateLeaf;
use crate::model::{Expr, Formula, Value};
use crate::product::target::Target;
use crate::ts::atoms::{Atom, atoms_and_labels};
use crate::ts::system::System;
use crate::ts::term::{Leaf, Term, TermNode};
use crate::ts::valuation::Valuation;
use crate::verify::Subject;
use fastrand::Rng;
use sample::{Moment, Sample, Taken};

/// The same choices every time.
const SEED: u64 = 1;
/// The number of ways to make promises that are tried in a step, and so many of those that are possible are followed.
const WAYS: usize = 8;
const FOLLOWED: usize = 2;
/// About so many terms are evaluated for a conjunct, and no fewer moments than that are looked at.
const EFFORT: usize = 4000;
const FEWEST: usize = 60;

/// True if it is asked for.
fn is_wanted() -> bool {
    cfg!(debug_assertions) || std::env::var_os("RCHECK_SECOND_OPINION").is_some()
}

/// A contradiction between a sample of a model's runs and the invariants that a verdict rests on, if there is one and a second
/// opinion is asked for.
pub fn on(subject: &Subject, verdict: &Verdict) -> Option<String> {
    match verdict.holds_by().filter(|_| is_wanted())? {
        ProofBy::Invariants(certificate) => on_invariants(subject.semantics(), subject.sample(), certificate),
        ProofBy::Uniform(uniform) if uniform.is_strategic() => {
            let outcome = Subject::new(uniform.outcome());
            on_clauses(outcome.semantics(), outcome.sample(), uniform)
        }
        ProofBy::Uniform(uniform) => on_clauses(subject.semantics(), subject.sample(), uniform),
        ProofBy::Exploration(_)
        | ProofBy::Labels(_)
        | ProofBy::Diagrams(_)
        | ProofBy::Conditions(_)
        | ProofBy::Strategies(_) => None,
    }
}

/// A contradiction between a sample of a model's runs and invariants, if there is one.
fn on_invariants(semantics: &Semantics, sample: &Sample, certificate: &Certificate) -> Option<String> {
    let parts = certificate.parts();
    let of_part =
        |part: &CertifiedPart| contradiction(semantics, sample, &part.target, part.proof.invariant(), parts.len());
    parts.iter().find_map(of_part)
}

/// The same of a proof for all sizes.
fn on_clauses(semantics: &Semantics, sample: &Sample, uniform: &Uniform) -> Option<String> {
    let model = semantics.model();
    // Ghosts of members have no variables in runs.
    let is_hidden = |leaf: &StateLeaf| match leaf {
        StateLeaf::Local(instance, local) => local.index() >= model.agent_of(*instance).locals.len(),
        StateLeaf::Automaton(_) | StateLeaf::Total(_) | StateLeaf::Deadlock | StateLeaf::Enabled(..) => false,
    };
    let clauses = uniform.clauses().iter().flat_map(|clause| clause.instances(uniform.reference(), model));
    let clauses: Vec<_> = clauses.filter(|clause| !clause.any_leaf(is_hidden)).collect();
    false_in(semantics, sample, &clauses)
}

fn contradiction(
    semantics: &Semantics,
    sample: &Sample,
    target: &Target,
    invariant: &Invariant,
    conjuncts: usize,
) -> Option<String> {
    let mut opinion = Opinion::new(semantics, target, invariant);
    let cost = opinion.atoms.len() + FOLLOWED * (invariant.clauses.len() + WAYS * target.system.constraints().len());
    let moments = (EFFORT / conjuncts / cost.max(1)).max(FEWEST.min(EFFORT / conjuncts));
    sample.flaw().map(str::to_owned).or_else(|| opinion.on(&sample.moments()[..moments.min(sample.moments().len())]))
}

/// The same of conditions on all states.
fn false_in(semantics: &Semantics, sample: &Sample, conditions: &[Expr<StateLeaf>]) -> Option<String> {
    let moments = (EFFORT / conditions.len().max(1)).max(FEWEST);
    let is_false = |moment: &Moment| {
        let value = |leaf| Some(semantics.value(&moment.state, leaf));
        let wrong = conditions.iter().find(|condition| !holds(*condition, &value))?;
        Some(format!("`{}` is false in {:?}", semantics.model().show_state_expr(wrong), moment.state))
    };
    sample.flaw().map(str::to_owned).or_else(|| sample.moments().iter().take(moments).find_map(is_false))
}

struct Opinion<'a> {
    semantics: &'a Semantics<'a>,
    target: &'a Target,
    invariant: &'a Invariant,
    /// The system with the atoms' terms.
    system: System,
    atoms: Vec<Atom>,
    rng: Rng,
    /// Per moment, the values of the variables that the target adds to those of the model, in some ways.
    added: Vec<Vec<Vec<Value>>>,
}

impl<'a> Opinion<'a> {
    fn new(semantics: &'a Semantics<'a>, target: &'a Target, invariant: &'a Invariant) -> Opinion<'a> {
        let mut system = target.system.clone();
        let atoms = atoms_and_labels(semantics.model(), &mut system, &target.formula);
        Opinion { semantics, target, invariant, system, atoms, rng: Rng::with_seed(SEED), added: Vec::new() }
    }

    fn on(&mut self, moments: &[Moment]) -> Option<String> {
        for moment in moments {
            let wrong = match &moment.came_by {
                None => None,
                Some((before, taken)) => self.misread(&moments[*before], taken),
            };
            let added = match &moment.came_by {
                None => vec![self.initially()],
                Some((before, taken)) => self.ways(*before, &moments[*before], taken),
            };
            let wrong = wrong.or_else(|| added.iter().find_map(|added| self.refuted(moment, added)));
            if wrong.is_some() {
                return wrong;
            }
            self.added.push(added);
        }
        None
    }

    /// An atom or a label that has another truth in the system than for the semantics.
    fn misread(&self, before: &Moment, taken: &Taken) -> Option<String> {
        let value = |leaf| Some(self.semantics.value(&before.state, leaf));
        let mut valuation = Valuation::new(before.values.clone(), taken.inputs.clone());
        let wrong = self.atoms.iter().find(|atom| {
            let truth = match &atom.formula {
                Formula::Atom(expr) => holds(expr, &value),
                Formula::Observed(observation) => self.semantics.observes(&before.state, &taken.step, observation),
                Formula::Label(instance, edge) if self.semantics.model().is_receive(*instance, *edge) => {
                    before.came_by.as_ref().is_some_and(|(_, taken)| taken.step.choice.receives(*instance, *edge))
                }
                Formula::Label(instance, edge) => taken.step.choice.performs(*instance, *edge),
                other @ (Formula::Not(_)
                | Formula::And(_)
                | Formula::Or(_)
                | Formula::Iff(..)
                | Formula::Next(_)
                | Formula::Until(..)
                | Formula::Branching(_)) => unreachable!("{other:?} is no atom"),
            };
            valuation.holds(self.system.terms(), atom.term) != truth
        });
        wrong.map(|atom| {
            let formula = self.semantics.model().show_formula(&atom.formula);
            format!("the system takes `{formula}` for something else in {:?}", before.state)
        })
    }

    /// The initial values of the variables that only the target's system has.
    fn initially(&self) -> Vec<Value> {
        let system = &self.target.system;
        let node = |term: &Term| system.terms().node(*term);
        let is_true = |id| system.init().iter().any(|term| *node(term) == TermNode::Leaf(Leaf::Var(id)));
        self.target.added_variables().map(|(id, _)| Value::Bool(is_true(id))).collect()
    }

    /// The same after a step, for some promises that are possible.
    fn ways(&mut self, before: usize, moment: &Moment, taken: &Taken) -> Vec<Vec<Value>> {
        let mut found = Vec::new();
        for added in self.added[before].clone() {
            for way in 0..self.promises(taken).min(WAYS) {
                let next = self.next(moment, taken, &added, way);
                found.extend(next.filter(|next| !found.contains(next)));
                if found.len() == FOLLOWED {
                    return found;
                }
            }
        }
        found
    }

    /// How many ways there are to make promises.
    fn promises(&self, taken: &Taken) -> usize {
        1 << (self.target.system.inputs().len() - taken.inputs.len()).min(16)
    }

    /// The next values of these variables if promises are made in some way, which may be impossible.
    fn next(&mut self, moment: &Moment, taken: &Taken, added: &[Value], way: usize) -> Option<Vec<Value>> {
        let system = &self.target.system;
        let promises = system.inputs().len() - taken.inputs.len();
        let few = 1 << promises.min(16) <= WAYS;
        let made = (0..promises).map(|number| if few { (way >> number & 1) as u32 } else { self.rng.u32(0..2) });
        let inputs = taken.inputs.iter().copied().chain(made).collect();
        let values = [moment.values.as_slice(), added].concat();
        let mut valuation = Valuation::new(values, inputs);
        let possible = system.constraints().iter().all(|&term| valuation.holds(system.terms(), term));
        possible.then(|| system.successor(&mut valuation).split_off(moment.values.len()))
    }

    /// A clause that is false, or that the state is bad.
    fn refuted(&self, moment: &Moment, added: &[Value]) -> Option<String> {
        let mut valuation = Valuation::new([moment.values.as_slice(), added].concat(), Vec::new());
        let terms = &self.invariant.terms;
        if self.invariant.clauses.iter().any(|&clause| !valuation.holds(terms, clause)) {
            return Some(format!("the invariant is false in a reachable state: {:?}", moment.state));
        }
        valuation.holds(terms, self.target.bad).then(|| format!("a bad state is reachable: {:?}", moment.state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::solver::ScriptSolver;
    use crate::claim::PartClaim;
    use crate::limits::Reason;
    use crate::model::Model;
    use crate::model::of_text::model;
    use crate::product::target::Reduction;
    use crate::ts::history::base_system;
    use crate::ts::ranking::Ranking;

    /// Says that every script is unsatisfiable.
    struct Credulous;

    impl ScriptSolver for Credulous {
        fn is_unsatisfiable(&self, _: &str) -> Result<bool, Reason> {
            Ok(true)
        }
    }

    const COUNTER: &str = "message-structure: NEW : int
        agent A
            local: n : int
            init: n = 0
            receive-guard: false
            repeat: (up: {true} *! (true)(NEW := n + 1)[n := n + 1] + never: {false} *! (true)()[])
        system = A(a, true)
        SPEC G (a-n < 50)
        SPEC G (a-n < 900)
        SPEC G (a-n < 5000)
        SPEC G (a-n = 0 -> X (a-n = 0))
        SPEC F (G (a-n < 5))
        SPEC G ([[NEW < 9]] (a-n < 9 & !a-never))";
    const BELOW_50: usize = 0;
    const BELOW_900: usize = 1;
    const BELOW_5000: usize = 2;
    const NEXT: usize = 3;
    const FINALLY: usize = 4;
    const OBSERVED: usize = 5;

    fn formula(model: &Model, spec: usize) -> Formula {
        model.specs[spec].formula.clone()
    }

    /// That the bad states of this spec are never reached, if it is an invariant.
    fn never_bad(model: &Model, spec: usize) -> Invariant {
        let target = Target::simplest(model, &base_system(model), &formula(model, spec), 0, &Ranking::default());
        let mut terms = target.system.terms().clone();
        let clauses = vec![terms.not(target.bad)];
        Invariant { terms, clauses, k: 1 }
    }

    /// The contradiction to a claim whose reduction watches all that can be watched.
    fn claimed(spec: usize, reduction: Reduction, invariant: Invariant) -> Option<String> {
        let model = model(COUNTER);
        let semantics = Semantics::new(&model);
        let claim = PartClaim { reduction, ranking: Ranking::default(), invariant };
        let certificate = Certificate::confirm(&model, spec, &[claim], &Credulous).expect("the solver agrees");
        on_invariants(&semantics, &Sample::new(&semantics), &certificate)
    }

    /// An invariant that every state satisfies.
    fn trivial() -> Invariant {
        Invariant { terms: base_system(&model(COUNTER)).terms().clone(), clauses: Vec::new(), k: 1 }
    }

    #[test]
    fn bad_states_are_found_on_runs() {
        for spec in [BELOW_50, BELOW_900] {
            let why = claimed(spec, Reduction::Invariance, trivial()).expect("a run leads to a bad state");
            assert!(why.contains("a bad state is reachable"), "{why}");
        }
        assert_eq!(claimed(BELOW_5000, Reduction::Invariance, trivial()), None, "no run of the sample is so long");
    }

    #[test]
    fn false_clauses_are_found_on_runs() {
        let model = model(COUNTER);
        let why = claimed(BELOW_5000, Reduction::Invariance, never_bad(&model, BELOW_50)).expect("the clause is false");
        assert!(why.contains("the invariant is false in a reachable state"), "{why}");
        assert_eq!(claimed(BELOW_5000, Reduction::Invariance, never_bad(&model, BELOW_5000)), None, "it is true");
    }

    #[test]
    fn promises_are_followed_to_bad_states() {
        for (spec, reduction) in
            [(NEXT, Reduction::Safety), (FINALLY, Reduction::Counting(0)), (FINALLY, Reduction::Counting(3))]
        {
            let why = claimed(spec, reduction, trivial()).unwrap_or_else(|| panic!("{reduction:?}"));
            assert!(why.contains("a bad state is reachable"), "{reduction:?}: {why}");
        }
    }

    #[test]
    fn atoms_with_another_truth_are_found_on_runs() {
        let model = model(COUNTER);
        let semantics = Semantics::new(&model);
        let (sample, system) = (Sample::new(&semantics), base_system(&model));
        let formula = formula(&model, OBSERVED);
        let target = Target::simplest(&model, &system, &formula, 0, &Ranking::default());
        let no_clauses = Invariant { terms: target.system.terms().clone(), clauses: Vec::new(), k: 1 };
        let read = Opinion::new(&semantics, &target, &no_clauses).atoms.len();
        assert_eq!(read, 3, "an observation, a state atom, a label");
        for wrong in 0..read {
            let mut opinion = Opinion::new(&semantics, &target, &no_clauses);
            let term = opinion.atoms[wrong].term;
            opinion.atoms[wrong].term = opinion.system.terms_mut().not(term);
            let why = opinion.on(sample.moments()).expect("the atom is wrong everywhere");
            assert!(why.contains("for something else"), "{why}");
        }
    }
}
