//! Automata that are variables and inputs added to the system of the model, read state by state.

use super::automaton::{Automaton, Letters, Moves};
use super::lassos::Alphabet;
use super::letters::{Letter, Words};
use rcheck_smt::model::Value;
use rcheck_smt::ts::system::System;
use rcheck_smt::ts::term::{InputId, Leaf, Sort, Term, TermNode, VarId};
use rcheck_smt::ts::valuation::Valuation;
use rustc_hash::FxHashMap;

/// When a run of such an automaton is accepted.
pub enum Acceptance<'t> {
    /// It reaches a state with this property.
    Reach(Term),
    /// Each of these is true infinitely often.
    Infinitely(&'t [Term]),
    /// It reaches a state with this property, which is condition 0, too, to be counted.
    Counted(Term),
}

/// The automaton that `base` became `system` by.
pub fn automaton(
    words: &Words,
    alphabet: &Alphabet,
    base: &System,
    system: &System,
    acceptance: Acceptance,
) -> Automaton {
    automaton_named(words, alphabet, base, system, acceptance).0
}

/// The same with the values of the added variables in its states.
pub fn automaton_named(
    words: &Words,
    alphabet: &Alphabet,
    base: &System,
    system: &System,
    acceptance: Acceptance,
) -> (Automaton, Vec<Added>) {
    let mut reader = Reader::new(words, alphabet, base, system);
    let initial = reader.initial();
    let (count, won, terms) = match acceptance {
        Acceptance::Reach(bad) => (None, Some(bad), Vec::new()),
        Acceptance::Infinitely(terms) => (Some(terms.len() as u32), None, terms.to_vec()),
        Acceptance::Counted(seen) => (None, Some(seen), vec![seen]),
    };
    Automaton::explore_named(initial, count, |state| reader.moves(*state, won, &terms))
}

/// The values of the added variables, as bits.
pub type Added = u64;

/// The truth of a term per letter and choice of added inputs.
type Table = Vec<bool>;

/// What a term reads.
#[derive(Clone, Copy, Default)]
struct Reads {
    /// The model, so that it depends on the letter.
    letter: bool,
    /// Added inputs.
    inputs: bool,
    /// Added variables.
    state: bool,
}

struct Reader<'a> {
    words: &'a Words,
    alphabet: &'a Alphabet,
    base: &'a System,
    system: &'a System,
    inputs: usize,
    /// What terms read.
    reads: FxHashMap<Term, Reads>,
    /// What a term that reads nothing new says, per number of a letter.
    facts: FxHashMap<Term, Letters>,
    /// The terms that were evaluated in the present state.
    known: FxHashMap<Term, Table>,
    /// Valuations of rows of the present state, for terms that are no tables of tables.
    valuations: FxHashMap<usize, Valuation>,
    /// Per letter, a valuation without the added variables.
    letters: Vec<Valuation>,
    state: Added,
}

impl<'a> Reader<'a> {
    fn new(words: &'a Words, alphabet: &'a Alphabet, base: &'a System, system: &'a System) -> Reader<'a> {
        let added = &system.variables()[base.variables().len()..];
        assert!(added.len() <= 64 && added.iter().all(|variable| variable.sort == Sort::Bool));
        let inputs = system.inputs().len() - base.inputs().len();
        assert!(system.inputs().iter().rev().take(inputs).all(|input| input.count == 2));
        assert_eq!(system.constraints()[..base.constraints().len()], *base.constraints());
        let (reads, facts, known, valuations) = Default::default();
        let letters = Letter::all().map(|letter| words.valuation(base, letter, [], [])).collect();
        Reader { words, alphabet, base, system, inputs, reads, facts, known, valuations, letters, state: 0 }
    }

    fn added(&self) -> usize {
        self.system.variables().len() - self.base.variables().len()
    }

    /// The rows of tables: a letter, and a choice of the added inputs.
    fn rows(&self) -> usize {
        self.alphabet.letters.len() << self.inputs
    }

    fn row(&self, index: usize) -> (usize, usize) {
        (index >> self.inputs, index & ((1 << self.inputs) - 1))
    }

    fn enter(&mut self, state: Added) {
        self.state = state;
        self.known.clear();
        self.valuations.clear();
    }

    /// The states that the added initial conditions allow, with letters.
    fn initial(&mut self) -> Vec<(Added, Letters)> {
        let conditions = &self.system.init()[self.base.init().len()..];
        let mut states = vec![0];
        for index in 0..self.added() {
            let is = |value: bool| conditions.iter().any(|term| self.literal(*term) == Some((index, value)));
            match (is(true), is(false)) {
                (true, _) => states.iter_mut().for_each(|state| *state |= 1 << index),
                (false, true) => {}
                (false, false) => states.extend(states.clone().into_iter().map(|state| state | 1 << index)),
            }
        }
        let mut initial = Vec::new();
        for state in states {
            self.enter(state);
            let allowed = self.all(conditions);
            initial.push((state, self.letters(&allowed)));
        }
        initial.retain(|(_, letters)| *letters != 0);
        initial
    }

    /// The added variable that a literal is about, and what it says of it.
    fn literal(&self, term: Term) -> Option<(usize, bool)> {
        match self.system.terms().node(term) {
            TermNode::Leaf(Leaf::Var(id)) => Some((self.number(*id)?, true)),
            TermNode::Not(inner) => self.literal(*inner).map(|(index, value)| (index, !value)),
            _ => None,
        }
    }

    fn number(&self, id: VarId) -> Option<usize> {
        (id.0 as usize).checked_sub(self.base.variables().len())
    }

    fn moves(&mut self, state: Added, won: Option<Term>, conditions: &[Term]) -> Moves<Added> {
        self.enter(state);
        let constraints = &self.system.constraints()[self.base.constraints().len()..];
        let allowed = self.all(constraints);
        let next: Vec<Table> = (0..self.added()).map(|index| self.next(index)).collect();
        let seen: Vec<Table> = conditions.iter().map(|term| self.table(*term)).collect();
        let bits = |tables: &[Table], row: usize| {
            tables.iter().enumerate().fold(0, |bits, (index, table)| bits | u64::from(table[row]) << index)
        };
        let rows = (0..self.rows()).filter(|row| allowed[*row]);
        let steps = rows.map(|row| (1 << self.row(row).0, bits(&seen, row) as u32, bits(&next, row))).collect();
        let won = won.map_or(0, |bad| {
            let table = self.table(bad);
            self.letters(&table)
        });
        Moves { won, steps }
    }

    /// The letters of rows; what is true under a letter must be so for all choices, as it is about states.
    fn letters(&self, table: &Table) -> Letters {
        let choices = table.chunks(1 << self.inputs).enumerate();
        choices.fold(0, |letters, (letter, choices)| {
            assert!(choices.iter().all(|truth| *truth == choices[0]), "a state predicate reads an input");
            letters | Letters::from(choices[0]) << letter
        })
    }

    /// The next value of an added variable.
    fn next(&mut self, index: usize) -> Table {
        let cases = self.system.update(VarId((self.base.variables().len() + index) as u32));
        let mut next = vec![self.state >> index & 1 == 1; self.rows()];
        for case in cases {
            let (condition, value) = (self.table(case.condition), self.table(case.value));
            for row in (0..next.len()).filter(|row| condition[*row]) {
                next[row] = value[row];
            }
        }
        next
    }

    fn all(&mut self, terms: &[Term]) -> Table {
        let mut all = vec![true; self.rows()];
        for term in terms {
            let table = self.table(*term);
            all.iter_mut().zip(table).for_each(|(all, truth)| *all &= truth);
        }
        all
    }

    /// The truth of a term in the present state.
    fn table(&mut self, term: Term) -> Table {
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let table = self.evaluated(term);
        self.known.insert(term, table.clone());
        table
    }

    fn evaluated(&mut self, term: Term) -> Table {
        let terms = self.system.terms();
        let rows = self.rows();
        match terms.node(term) {
            TermNode::Bool(value) => vec![*value; rows],
            TermNode::Not(a) => self.table(*a).into_iter().map(|truth| !truth).collect(),
            TermNode::And(list) => self.all(list),
            TermNode::Or(list) => {
                let mut any = vec![false; rows];
                for term in list {
                    any.iter_mut().zip(self.table(*term)).for_each(|(any, truth)| *any |= truth);
                }
                any
            }
            TermNode::Eq(a, b) if terms.sort(*a) == Sort::Bool => {
                self.table(*a).into_iter().zip(self.table(*b)).map(|(a, b)| a == b).collect()
            }
            _ => self.literal_table(term).unwrap_or_else(|| self.other_table(term)),
        }
    }

    /// An added variable, or an added input that is compared with a constant.
    fn literal_table(&self, term: Term) -> Option<Table> {
        let terms = self.system.terms();
        match terms.node(term) {
            TermNode::Leaf(Leaf::Var(id)) => {
                let index = self.number(*id)?;
                Some(vec![self.state >> index & 1 == 1; self.rows()])
            }
            TermNode::Eq(a, b) => match (terms.node(*a), terms.node(*b)) {
                (TermNode::Leaf(Leaf::Input(InputId(id))), TermNode::Enum(value, _)) => {
                    let input = (*id as usize).checked_sub(self.base.inputs().len())?;
                    let says = |row| self.row(row).1 >> input & 1 == *value as usize;
                    Some((0..self.rows()).map(says).collect())
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn other_table(&mut self, term: Term) -> Table {
        match self.reads(term) {
            Reads { inputs: false, state: false, .. } => {
                let fact = self.fact(term);
                (0..self.rows()).map(|row| fact >> self.row(row).0 & 1 == 1).collect()
            }
            Reads { letter: true, .. } => (0..self.rows()).map(|row| self.computed(term, row)).collect(),
            Reads { inputs: true, .. } => {
                let choices: Table = (0..1 << self.inputs).map(|choice| self.computed(term, choice)).collect();
                choices.repeat(self.alphabet.letters.len())
            }
            Reads { .. } => vec![self.computed(term, 0); self.rows()],
        }
    }

    fn reads(&mut self, term: Term) -> Reads {
        if let Some(known) = self.reads.get(&term) {
            return *known;
        }
        let mut reads = Reads::default();
        self.system.terms().collect_leaves(term, &mut Default::default(), &mut |leaf| match leaf {
            Leaf::Var(id) if self.number(id).is_some() => reads.state = true,
            Leaf::Input(id) if id.0 as usize >= self.base.inputs().len() => reads.inputs = true,
            Leaf::Var(_) | Leaf::Input(_) => reads.letter = true,
        });
        self.reads.insert(term, reads);
        reads
    }

    /// A term about the model under all letters. What formulas do not read must not matter.
    fn fact(&mut self, term: Term) -> Letters {
        if let Some(known) = self.facts.get(&term) {
            return *known;
        }
        let terms = self.system.terms();
        let truth: Vec<bool> = self.letters.iter_mut().map(|valuation| valuation.holds(terms, term)).collect();
        let numbered = self.alphabet.letters.iter().enumerate();
        let fact = numbered.fold(0, |fact, (number, letter)| fact | Letters::from(truth[letter.0 as usize]) << number);
        let agrees = |letter: Letter| truth[letter.0 as usize] == (fact >> self.alphabet.number(letter) & 1 == 1);
        assert!(Letter::all().all(agrees), "a term reads more than its formula");
        self.facts.insert(term, fact);
        fact
    }

    /// Any term, by evaluation.
    fn computed(&mut self, term: Term, row: usize) -> bool {
        let (letter, choice) = self.row(row);
        let (state, inputs, added) = (self.state, self.inputs, self.added());
        let valuation = self.valuations.entry(row).or_insert_with(|| {
            let variables = (0..added).map(|index| Value::Bool(state >> index & 1 == 1));
            let inputs = (0..inputs).map(|input| (choice >> input & 1) as u32);
            self.words.valuation(self.base, self.alphabet.letters[letter], variables, inputs)
        });
        valuation.holds(self.system.terms(), term)
    }
}
