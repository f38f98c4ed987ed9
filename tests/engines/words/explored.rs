//! The automata of explorations: of the engine that explores, and of the check of what it found.

use super::asked::Asked;
use super::automaton::{Automaton, Letters, Moves};
use super::lassos::Alphabet;
use super::letters::{Letter, Words};
use super::recognisers::{Parts, Recogniser};
use rcheck_smt::check::explicit::tableau::{Obligations, Tableau, Way};
use rcheck_smt::engine::explicit::automaton::{self as engine, Alternative};
use rcheck_smt::model::Formula;
use rcheck_smt::model::eval::tables::{Fact, Facts};
use rcheck_smt::model::formula::Strength;
use rcheck_smt::model::subformulas::Obligation;
use rustc_hash::FxHashSet;

/// `engine::explicit::automaton`.
pub struct Explored;

impl Recogniser for Explored {
    fn name(&self) -> &'static str {
        "engine::explicit::automaton"
    }

    fn parts(&self, words: &Words, alphabet: &Alphabet, formula: &Formula) -> Parts {
        let mut automata = Vec::new();
        for part in formula.parts() {
            let unfolded = Unfolded::new(words, alphabet, &part);
            unfolded.check()?;
            if unfolded.automaton.is_cosafe() {
                automata.push((part.clone(), unfolded.written(None)));
            }
            let conditions = unfolded.automaton.marks().due() as u32;
            automata.push((part.clone(), unfolded.written(Some(conditions))));
        }
        Ok(automata)
    }
}

struct Unfolded {
    automaton: engine::Automaton,
    /// Per number of a letter, the truth of the atoms.
    letters: Vec<Vec<u64>>,
    /// The atoms that do not depend on the step from a state.
    of_state: Vec<u64>,
}

impl Unfolded {
    fn new(words: &Words, alphabet: &Alphabet, part: &Formula) -> Unfolded {
        let mut atoms = Facts::default();
        let automaton = engine::Automaton::of_negation(&words.model, part, &mut atoms);
        let letters = alphabet.letters.iter().map(|letter| truth(words, &atoms, *letter)).collect();
        let of_state = automaton.mask(&atoms, |atom| matches!(atom, Fact::State(_) | Fact::Received(..)));
        Unfolded { automaton, letters, of_state }
    }

    /// With these conditions, or with nothing but what is won. States guess, in their last word, which conditions are
    /// requested no more: then those are met.
    fn written(&self, conditions: Option<u32>) -> Automaton {
        let marks = self.automaton.marks();
        let bit = |to: &Alternative, bit: usize| to.marks[0] >> bit & 1 == 1;
        let initial = ([self.automaton.initial(), vec![0]].concat(), Letters::MAX);
        Automaton::explore(vec![initial], conditions, |set| {
            let (guess, set) = set.split_last().expect("it was put there");
            let mut steps = Vec::new();
            for (letter, to) in self.steps(set) {
                let given_up = |condition: usize| guess >> condition & 1 == 1;
                if (0..marks.conditions).any(|condition| given_up(condition) && bit(&to, marks.requested(condition))) {
                    continue;
                }
                for later in (0..1u64 << marks.conditions).filter(|later| guess & !later == 0) {
                    let met = !(to.marks[0] as u32) | (later << marks.eventualities) as u32;
                    steps.push((1 << letter, met, [to.next.clone(), vec![later]].concat()));
                }
            }
            Moves { won: self.won(set, conditions.is_none()), steps }
        })
    }

    /// When the state satisfies the obligations; also when there are none, if nothing else decides.
    fn won(&self, set: &[u64], cosafe: bool) -> Letters {
        let empty = cosafe && set.iter().all(|words| *words == 0);
        let won = |letter: &Vec<u64>| empty || self.automaton.satisfied(set, letter, &self.of_state);
        self.letters
            .iter()
            .enumerate()
            .fold(0, |letters, (number, letter)| letters | Letters::from(won(letter)) << number)
    }

    /// The alternatives of a set, with numbers of letters.
    fn steps(&self, set: &[u64]) -> Vec<(usize, Alternative)> {
        let steps = |(number, letter): (usize, &Vec<u64>)| {
            self.automaton.unfold(set, letter).into_iter().map(move |to| (number, to)).collect::<Vec<_>>()
        };
        self.letters.iter().enumerate().flat_map(steps).collect()
    }

    /// That alternatives are minimal, and that what is pending is demanded again.
    fn check(&self) -> Result<(), String> {
        let mut open = vec![self.automaton.initial()];
        let mut known = FxHashSet::default();
        while let Some(set) = open.pop() {
            if known.insert(set.clone()) {
                for letter in &self.letters {
                    let alternatives = self.automaton.unfold(&set, letter);
                    self.check_alternatives(&alternatives)?;
                    open.extend(alternatives.into_iter().map(|to| to.next));
                }
            }
        }
        Ok(())
    }

    fn check_alternatives(&self, alternatives: &[Alternative]) -> Result<(), String> {
        for (index, to) in alternatives.iter().enumerate() {
            let mut others = alternatives[..index].iter().chain(&alternatives[index + 1..]);
            if others.any(|other| is_within(&other.next, &to.next) && is_within(&other.marks, &to.marks)) {
                return Err(format!("{to:?} is not minimal among {alternatives:?}"));
            }
            let demanded = self.automaton.obligations(&to.next);
            let mut pending = (0..self.automaton.marks().eventualities).filter(|index| to.marks[0] >> index & 1 == 1);
            if !pending.all(|index| demanded.contains(&self.automaton.eventuality(index))) {
                return Err(format!("{to:?} keeps pending what it does not demand again"));
            }
        }
        Ok(())
    }
}

fn is_within(left: &[u64], right: &[u64]) -> bool {
    left.iter().zip(right).all(|(left, right)| left & !right == 0)
}

/// The atoms that are true under a letter, as bits.
fn truth(words: &Words, atoms: &Facts, letter: Letter) -> Vec<u64> {
    let holds = |atom: &Fact| match *atom {
        Fact::State(expr) => words.holds(expr, letter),
        Fact::Received(instance, edge) | Fact::Performed(instance, edge) => words.labelled(instance, edge, letter),
        Fact::Observed(observation) => words.observed(observation, letter),
        Fact::Branching(_) => unreachable!("words are single runs"),
    };
    let bits = atoms.list().iter().enumerate().filter(|(_, atom)| holds(atom));
    vec![bits.fold(0, |bits, (index, _)| bits | 1 << index)]
}

/// `check::explicit::tableau`.
pub struct Checked;

impl Recogniser for Checked {
    fn name(&self) -> &'static str {
        "check::explicit::tableau"
    }

    fn parts(&self, words: &Words, alphabet: &Alphabet, formula: &Formula) -> Parts {
        let automaton = |part: Formula| {
            let automaton = checked(words, alphabet, &part);
            (part, automaton)
        };
        Ok(formula.parts().into_iter().map(automaton).collect())
    }
}

fn checked(words: &Words, alphabet: &Alphabet, part: &Formula) -> Automaton {
    let tableau = Tableau::new(part);
    let eventualities = eventualities(&tableau);
    let facts = |letter: &Letter| tableau.list.iter().map(|formula| words.fact(formula, *letter)).collect();
    let facts: Vec<Vec<bool>> = alphabet.letters.iter().map(facts).collect();
    let seen = |way: &Way| {
        assert!(way.pending.iter().all(|pending| eventualities.contains(pending) && way.next.contains(pending)));
        let met = eventualities.iter().enumerate().filter(|(_, eventuality)| !way.pending.contains(eventuality));
        met.fold(0, |bits, (index, _)| bits | 1 << index)
    };
    let initial = (Obligations::from([tableau.negation()]), Letters::MAX);
    Automaton::explore(vec![initial], Some(eventualities.len() as u32), |set| {
        let set: Vec<Obligation> = set.iter().copied().collect();
        let ways = |number: usize| tableau.ways(&set, &facts[number]).into_iter().map(move |way| (number, way));
        let ways = (0..facts.len()).flat_map(ways);
        Moves { won: 0, steps: ways.map(|(number, way)| (1 << number, seen(&way), way.next)).collect() }
    })
}

/// The obligations that can be pending: that something happens, said positively or negatively.
fn eventualities(tableau: &Tableau) -> Vec<Obligation> {
    let truth = |formula: &Formula| match formula {
        Formula::Until(Strength::Strong, ..) => Some(true),
        Formula::Until(Strength::Weak, ..) => Some(false),
        _ => None,
    };
    let number = tableau.list.iter().zip(0..);
    number.filter_map(|(formula, subformula)| Some(Obligation { subformula, truth: truth(formula)? })).collect()
}

/// That what obligations consist of follows from them: each holds on the words on which the obligation does.
pub fn check_consequences(asked: &Asked) -> Result<(), String> {
    let tableau = Tableau::new(asked.formula);
    let numbers = 0..tableau.list.len() as u32;
    let obligations = numbers.flat_map(|subformula| [true, false].map(|truth| Obligation { subformula, truth }));
    let words = |obligation: &Obligation, shape: usize| {
        let satisfying = &asked.satisfying(tableau.list[obligation.subformula as usize])[shape];
        if obligation.truth { satisfying.clone() } else { !satisfying }
    };
    for obligation in obligations {
        let consequences = tableau.consequences(&[obligation].into());
        for (consequence, shape) in
            consequences.iter().flat_map(|c| (0..asked.shapes.len()).map(move |shape| (c, shape)))
        {
            if words(&obligation, shape).common(&!&words(consequence, shape)).first().is_some() {
                return Err(format!("{obligation:?} does not imply {consequence:?}"));
            }
        }
    }
    Ok(())
}
