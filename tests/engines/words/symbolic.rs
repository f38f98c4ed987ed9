//! Automata that are variables and inputs added to the system of the model, read state by state.

use super::automaton::{Automaton, Letters, Moves};
use super::lassos::Alphabet;
use super::letters::{Letter, Words};
use rcheck_smt::model::Value;
use rcheck_smt::ts::system::System;
use rcheck_smt::ts::term::{InputId, Leaf, Sort, Term, TermNode, VarId};
use rcheck_smt::ts::valuation::Valuation;
use rustc_hash::FxHashMap;
use std::rc::Rc;

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
type Table = Rc<[bool]>;

/// The truth of a comparison of integers, as far as it is known.
#[derive(Default)]
struct Compared {
    /// The Boolean terms under it that no other one is above.
    reads: Rc<[Term]>,
    /// Its truth under theirs, which are the bits.
    truth: FxHashMap<u64, bool>,
}

struct Reader<'a> {
    alphabet: &'a Alphabet,
    base: &'a System,
    system: &'a System,
    inputs: usize,
    /// The comparisons of integers.
    compared: FxHashMap<Term, Compared>,
    /// The truth of a term that reads nothing new, per number of a letter.
    facts: FxHashMap<Term, Letters>,
    /// The terms that were evaluated in the present state.
    known: FxHashMap<Term, Table>,
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
        let (compared, facts, known) = Default::default();
        let letters = Letter::all().map(|letter| words.valuation(base, letter)).collect();
        Reader { alphabet, base, system, inputs, compared, facts, known, letters, state: 0 }
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
        next.into()
    }

    fn all(&mut self, terms: &[Term]) -> Table {
        let mut all = vec![true; self.rows()];
        for term in terms {
            all.iter_mut().zip(&*self.table(*term)).for_each(|(all, truth)| *all &= truth);
        }
        all.into()
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
        match terms.node(term) {
            TermNode::Bool(value) => vec![*value; self.rows()].into(),
            TermNode::Not(a) => self.table(*a).iter().map(|truth| !truth).collect(),
            TermNode::And(list) => self.all(list),
            TermNode::Or(list) => {
                let mut any = vec![false; self.rows()];
                for term in list {
                    any.iter_mut().zip(&*self.table(*term)).for_each(|(any, truth)| *any |= truth);
                }
                any.into()
            }
            TermNode::Eq(a, b) if terms.sort(*a) == Sort::Bool => {
                let (a, b) = (self.table(*a), self.table(*b));
                a.iter().zip(&*b).map(|(a, b)| a == b).collect()
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
                Some(vec![self.state >> index & 1 == 1; self.rows()].into())
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

    /// A term about the model, or a comparison of integers that are made of Boolean terms.
    fn other_table(&mut self, term: Term) -> Table {
        if self.is_of_model(term) {
            let fact = self.fact(term);
            return (0..self.rows()).map(|row| fact >> self.row(row).0 & 1 == 1).collect();
        }
        let reads = self.compared(term).reads.clone();
        let tables: Vec<Table> = reads.iter().map(|read| self.table(*read)).collect();
        let key =
            |row: usize| tables.iter().enumerate().fold(0, |key, (index, table)| key | u64::from(table[row]) << index);
        (0..self.rows()).map(|row| self.computed(term, &reads, key(row))).collect()
    }

    fn is_of_model(&self, term: Term) -> bool {
        let (variables, inputs) = (self.base.variables().len(), self.base.inputs().len());
        let mut of_model = true;
        self.system.terms().collect_leaves(term, &mut Default::default(), &mut |leaf| {
            of_model &= match leaf {
                Leaf::Var(id) => (id.0 as usize) < variables,
                Leaf::Input(id) => (id.0 as usize) < inputs,
            }
        });
        of_model
    }

    fn compared(&mut self, term: Term) -> &mut Compared {
        let terms = self.system.terms();
        self.compared.entry(term).or_insert_with(|| {
            let (mut reads, mut open) = (Vec::new(), Vec::new());
            terms.for_each_child(term, |child| open.push(child));
            while let Some(term) = open.pop() {
                match terms.sort(term) {
                    Sort::Bool if reads.contains(&term) => {}
                    Sort::Bool => reads.push(term),
                    Sort::Int => terms.for_each_child(term, |child| open.push(child)),
                    Sort::Enum(_) => panic!("an added term compares what is no number"),
                }
            }
            assert!(reads.len() <= 64);
            Compared { reads: reads.into(), truth: FxHashMap::default() }
        })
    }

    /// A comparison under the truth of what it reads, by evaluation.
    fn computed(&mut self, term: Term, reads: &[Term], key: u64) -> bool {
        let terms = self.system.terms();
        *self.compared(term).truth.entry(key).or_insert_with(|| {
            let truth = |(index, read): (usize, &Term)| (*read, Value::Bool(key >> index & 1 == 1));
            let mut known = reads.iter().enumerate().map(truth).collect();
            let nothing_else = |leaf| panic!("a comparison reads {leaf:?}");
            terms.evaluate_with(term, &nothing_else, &mut known).as_bool()
        })
    }

    /// A term about the model under all letters. Variables that formulas do not read must not matter.
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
}
