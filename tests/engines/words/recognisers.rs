//! Recognisers: parts of the tool that decide on which runs a formula is false, as automata over letters.

use super::automaton::Automaton;
use super::explored::{Checked, Explored};
use super::lassos::Alphabet;
use super::letters::Words;
use super::symbolic::{self, Acceptance};
use rcheck_smt::check::target::{Target, eventualities};
use rcheck_smt::claim::reduction::Reduction;
use rcheck_smt::model::{Formula, Spec};
use rcheck_smt::property::Property;
use rcheck_smt::property::ltl::{Ltl, LtlId};
use rcheck_smt::property::{reduction, tableau};
use rcheck_smt::ts::ranking::Ranking;
use rcheck_smt::ts::system::System;

/// The conjuncts of a formula, and per conjunct the automaton of the words on which it is false; an error is a fault that
/// shows in the automaton itself.
pub type Parts = Result<Vec<(Formula, Automaton)>, String>;

/// Says on which runs a formula is false, conjunct by conjunct.
pub trait Recogniser: Sync {
    /// For failures.
    fn name(&self) -> &'static str;

    /// The automata for a formula.
    fn parts(&self, words: &Words, alphabet: &Alphabet, formula: &Formula) -> Parts;
}

/// All of them.
pub const ALL: [&dyn Recogniser; 6] = [&Tableau, &Seen, &Explored, &Checked, &Simplest, &Rounds];

/// The parts of a formula on a system, as engines and checks of invariants get them.
pub fn property(words: &Words, system: &mut System, formula: &Formula) -> Property {
    let spec = Spec { formula: formula.clone(), ..words.model.specs[0].clone() };
    Property::new(&words.model, system, &spec)
}

/// Builds an automaton of each part on a system.
fn of_parts(
    words: &Words,
    mut system: System,
    formula: &Formula,
    build: impl Fn(&System, &Ltl, LtlId) -> Automaton,
) -> Vec<(Formula, Automaton)> {
    let Property { ltl, parts } = property(words, &mut system, formula);
    parts.into_iter().map(|part| (part.formula, build(&system, &ltl, part.negation))).collect()
}

/// The product with the obligations, `property::tableau`, on the system that checks of invariants use.
pub struct Tableau;

impl Recogniser for Tableau {
    fn name(&self) -> &'static str {
        "property::tableau"
    }

    fn parts(&self, words: &Words, alphabet: &Alphabet, formula: &Formula) -> Parts {
        Ok(of_parts(words, words.system.clone(), formula, |system, ltl, negation| {
            let product = tableau::product(system.clone(), ltl, negation);
            let acceptance = match &product.acceptance {
                tableau::Acceptance::Reach(bad) => Acceptance::Reach(*bad),
                tableau::Acceptance::Infinitely(terms) => Acceptance::Infinitely(terms),
            };
            symbolic::automaton(words, alphabet, system, &product.system, acceptance)
        }))
    }
}

/// The same with all conditions of acceptance made one, `property::reduction::accepting`, on the system that engines
/// use.
pub struct Seen;

impl Recogniser for Seen {
    fn name(&self) -> &'static str {
        "ts::counter::all_seen"
    }

    fn parts(&self, words: &Words, alphabet: &Alphabet, formula: &Formula) -> Parts {
        Ok(of_parts(words, words.simplified.clone(), formula, |system, ltl, negation| {
            match reduction::accepting(system.clone(), ltl, negation) {
                Some(accepting) => {
                    let seen = Acceptance::Infinitely(std::slice::from_ref(&accepting.seen));
                    symbolic::automaton(words, alphabet, system, &accepting.system, seen)
                }
                None => {
                    let reached = reduction::reachability(system.clone(), ltl, negation, &Default::default());
                    symbolic::automaton(words, alphabet, system, &reached.system, Acceptance::Reach(reached.bad))
                }
            }
        }))
    }
}

/// The target that invariants are checked on, `check::target`, with the simplest reduction that fits.
pub struct Simplest;

impl Recogniser for Simplest {
    fn name(&self) -> &'static str {
        "check::target"
    }

    fn parts(&self, words: &Words, alphabet: &Alphabet, formula: &Formula) -> Parts {
        let part = |part| {
            let target = Target::simplest(&words.model, &words.system, &part, 0);
            (part, of_target(words, alphabet, &target))
        };
        Ok(formula.conjuncts().into_iter().map(part).collect())
    }
}

/// The same by rounds, for every formula.
pub struct Rounds;

impl Recogniser for Rounds {
    fn name(&self) -> &'static str {
        "check::measure"
    }

    fn parts(&self, words: &Words, alphabet: &Alphabet, formula: &Formula) -> Parts {
        let (base, none) = (&words.system, Ranking::default());
        let part = |part| {
            let target = Target::new(
                &words.model,
                base.clone(),
                &part,
                Reduction::Counting(0),
                &none,
                &eventualities(&words.model, base, &part),
            );
            let target = target.ok_or("rounds cannot be counted")?;
            Ok((part, of_target(words, alphabet, &target)))
        };
        formula.conjuncts().into_iter().map(part).collect()
    }
}

/// Bad states are reached once, or rounds end for ever.
fn of_target(words: &Words, alphabet: &Alphabet, target: &Target) -> Automaton {
    let acceptance = match target.reduction {
        Reduction::Invariance | Reduction::Safety => Acceptance::Reach(target.bad),
        Reduction::Counting(_) | Reduction::Ranking(_) => Acceptance::Infinitely(std::slice::from_ref(&target.bad)),
    };
    symbolic::automaton(words, alphabet, &words.system, &target.system, acceptance)
}
