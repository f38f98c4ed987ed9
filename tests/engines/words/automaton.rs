//! Automata over letters, written down state by state, and the words that they accept.

use super::lassos::{Lassos, Set};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::rc::Rc;

/// Letters of an alphabet, as bits of their numbers.
pub type Letters = u16;

/// A step of an automaton.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Under these letters.
    pub letters: Letters,
    /// Which conditions are met by it, as bits.
    pub seen: u32,
    /// The number of the next state.
    pub target: usize,
}

/// A state of an automaton.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Under these letters all that matters was seen: whatever comes, the word is accepted.
    pub won: Letters,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A generalised Büchi automaton.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// Initial states with the letters under which they are.
    pub initial: Vec<(usize, Letters)>,
    /// The states.
    pub states: Vec<State>,
    /// How many conditions have to be met infinitely often; without any, a word has to be won.
    pub conditions: Option<u32>,
}

/// The steps from a state.
pub struct Moves<S> {
    /// See [`State::won`].
    pub won: Letters,
    /// Letters, conditions met and next state.
    pub steps: Vec<(Letters, u32, S)>,
}

impl Automaton {
    /// Its states are found from the initial ones.
    pub fn explore<S: Clone + Eq + Hash>(
        initial: Vec<(S, Letters)>,
        conditions: Option<u32>,
        moves: impl FnMut(&S) -> Moves<S>,
    ) -> Automaton {
        Automaton::explore_named(initial, conditions, moves).0
    }

    /// The same with what its states stand for.
    pub fn explore_named<S: Clone + Eq + Hash>(
        initial: Vec<(S, Letters)>,
        conditions: Option<u32>,
        mut moves: impl FnMut(&S) -> Moves<S>,
    ) -> (Automaton, Vec<S>) {
        let mut numbering = Numbering { numbers: FxHashMap::default(), list: Vec::new() };
        let initial = initial.into_iter().map(|(state, letters)| (numbering.of(state), letters)).collect();
        let mut states: Vec<State> = Vec::new();
        while let Some(next) = numbering.list.get(states.len()).cloned() {
            let Moves { won, steps } = moves(&next);
            let mut joined: FxHashMap<(u32, usize), Letters> = FxHashMap::default();
            for (letters, seen, target) in steps {
                *joined.entry((seen, numbering.of(target))).or_default() |= letters;
            }
            let steps = joined.into_iter().map(|((seen, target), letters)| Step { letters, seen, target }).collect();
            states.push(State { won, steps });
        }
        (Automaton { initial, states, conditions }, numbering.list)
    }

    /// Only what is met infinitely often counts.
    pub fn without_ends(mut self) -> Automaton {
        self.states.iter_mut().for_each(|state| state.won = 0);
        self
    }

    /// The words that it accepts.
    pub fn accepted(&self, lassos: &Lassos) -> Set {
        self.start(lassos, &Runs::new(self, lassos).accepting())
    }

    /// The words with a beginning of a run whose last state is won, and before which condition 0 is met so often.
    pub fn won_after(&self, lassos: &Lassos, times: usize) -> Set {
        let runs = Runs::new(self, lassos);
        let nowhere = runs.all(&lassos.none());
        let mut places = runs.reaching(&runs.won, 0, &nowhere);
        for _ in 0..times {
            places = runs.reaching(&nowhere, 0, &places);
        }
        self.start(lassos, &places)
    }

    fn start(&self, lassos: &Lassos, places: &Places) -> Set {
        let mut found = lassos.none();
        for (state, letters) in &self.initial {
            found.add_common(&lassos.where_one_of(0, *letters), &places[0][*state]);
        }
        found
    }
}

struct Numbering<S> {
    numbers: FxHashMap<S, usize>,
    list: Vec<S>,
}

impl<S: Clone + Eq + Hash> Numbering<S> {
    fn of(&mut self, state: S) -> usize {
        let list = &mut self.list;
        *self.numbers.entry(state).or_insert_with_key(|state| {
            list.push(state.clone());
            list.len() - 1
        })
    }
}

/// Per position and state, some words.
type Places = Vec<Vec<Set>>;

/// The runs of an automaton on all words of one shape.
struct Runs<'a> {
    automaton: &'a Automaton,
    lassos: &'a Lassos,
    /// Per position, state and step, the words that have a letter of the step.
    possible: Vec<Vec<Vec<Rc<Set>>>>,
    won: Places,
}

impl<'a> Runs<'a> {
    fn new(automaton: &'a Automaton, lassos: &'a Lassos) -> Runs<'a> {
        let mut having: Vec<FxHashMap<Letters, Rc<Set>>> = vec![FxHashMap::default(); lassos.length];
        let mut words = |position: usize, letters: Letters| {
            let known = having[position].entry(letters);
            known.or_insert_with(|| Rc::new(lassos.where_one_of(position, letters))).clone()
        };
        let (mut possible, mut won) = (Vec::new(), Vec::new());
        for at in 0..lassos.length {
            let mut steps = |state: &State| state.steps.iter().map(|step| words(at, step.letters)).collect();
            possible.push(automaton.states.iter().map(&mut steps).collect());
            won.push(automaton.states.iter().map(|state| (*words(at, state.won)).clone()).collect());
        }
        Runs { automaton, lassos, possible, won }
    }

    fn all(&self, set: &Set) -> Places {
        vec![vec![set.clone(); self.automaton.states.len()]; self.lassos.length]
    }

    /// The places from which a run is accepted: the largest set from which each condition is met on a way back to it
    /// (Emerson and Lei).
    fn accepting(&self) -> Places {
        let Some(conditions) = self.automaton.conditions else {
            return self.reaching(&self.won, 0, &self.all(&self.lassos.none()));
        };
        let mut places = self.all(&self.lassos.every());
        loop {
            let before = places.clone();
            for condition in 0..conditions {
                let reaching = self.reaching(&self.won, condition, &places);
                meet(&mut places, &reaching);
            }
            if conditions == 0 {
                let onward = self.onward(&places);
                meet(&mut places, &onward);
            }
            if places == before {
                return places;
            }
        }
    }

    /// The places from which some steps lead to one of `ends`, or, the last of them meeting the condition, to one of
    /// `goal`.
    fn reaching(&self, ends: &Places, condition: u32, goal: &Places) -> Places {
        let mut found = ends.clone();
        let mut grown = true;
        while grown {
            grown = false;
            self.for_each_step(|position, state, step, possible| {
                let after = self.lassos.after(position);
                if step.seen >> condition & 1 == 1 {
                    grown |= found[position][state].add_common(possible, &goal[after][step.target]);
                }
                if (position, state) != (after, step.target) {
                    let mut words = std::mem::take(&mut found[position][state]);
                    grown |= words.add_common(possible, &found[after][step.target]);
                    found[position][state] = words;
                }
            });
        }
        found
    }

    /// The places that are won, or from which a step leads to `goal`.
    fn onward(&self, goal: &Places) -> Places {
        let mut found = self.won.clone();
        self.for_each_step(|position, state, step, possible| {
            found[position][state].add_common(possible, &goal[self.lassos.after(position)][step.target]);
        });
        found
    }

    /// From the last position to the first.
    fn for_each_step(&self, mut visit: impl FnMut(usize, usize, &Step, &Set)) {
        for position in (0..self.lassos.length).rev() {
            for (number, state) in self.automaton.states.iter().enumerate() {
                for (step, possible) in state.steps.iter().zip(&self.possible[position][number]) {
                    visit(position, number, step, possible);
                }
            }
        }
    }
}

fn meet(places: &mut Places, others: &Places) {
    for (set, other) in places.iter_mut().flatten().zip(others.iter().flatten()) {
        *set &= other;
    }
}
