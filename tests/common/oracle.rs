//! Decides by definition if every run of a small finite model satisfies a formula.
//!
//! A *moment* is a state, who received in the step before, and the step from here: all that atoms,
//! labels and observations speak about. A *node* is a moment with a guess, one bit per temporal
//! subformula, of what the next moment will say: for `X f` and the observation operators the truth of
//! f there, for the others their own truth there. The guesses give every subformula a truth at the
//! node. A node's successor is a node of a next moment where the guesses come true. A path of nodes
//! is a run with the right truths if, in addition, no eventuality stays pending for ever: `F f` and
//! `f U g` must again and again be false or fulfilled, and `G`, `W`, `R`, if false, refuted. So the
//! formula is violated iff a cycle that meets all these conditions is reachable from a node of an
//! initial moment where the formula is false.
//!
//! For small models: it takes 2^(temporal subformulas) guesses per moment. The tests of the library have it, too.

use rcheck_smt::model::branching::Branching;
use rcheck_smt::model::eval::truth::operands;
use rcheck_smt::model::eval::value::holds;
use rcheck_smt::model::eval::{Choice, EnumerationError, Exploration, Limits, Semantics, State, Step};
use rcheck_smt::model::formula::{StateLeaf, Strength};
use rcheck_smt::model::{EdgeId, Formula, InstanceId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::sync::Arc;

/// Why the oracle does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// The initial states cannot be listed.
    NotEnumerable(EnumerationError),
    /// The limits of the exploration were met.
    TooManyStates,
    /// More temporal subformulas than the oracle takes.
    TooManyOperators(usize),
    /// More strategies than can be tried.
    TooManyStrategies,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAnswer::NotEnumerable(reason) => reason.fmt(out),
            NoAnswer::TooManyStates => write!(out, "the model has more states than the limit"),
            NoAnswer::TooManyOperators(count) => write!(out, "{count} temporal operators are too many"),
            NoAnswer::TooManyStrategies => write!(out, "there are too many strategies"),
        }
    }
}

impl std::error::Error for NoAnswer {}

/// The most temporal subformulas.
const MOST_OPERATORS: usize = 14;

/// The explored model, ready for questions.
pub struct Oracle<'s> {
    semantics: &'s Semantics<'s>,
    moments: Moments,
}

impl<'s> Oracle<'s> {
    /// Explores the model.
    pub fn new(semantics: &'s Semantics<'s>, limits: Limits) -> Result<Oracle<'s>, NoAnswer> {
        let exploration = semantics.explore(limits).map_err(NoAnswer::NotEnumerable)?;
        if !exploration.complete() {
            return Err(NoAnswer::TooManyStates);
        }
        Ok(Oracle { semantics, moments: Moments::new(semantics, &exploration) })
    }

    /// The same for questions about runs that begin in any reachable state.
    pub fn everywhere(semantics: &'s Semantics<'s>, limits: Limits) -> Result<Oracle<'s>, NoAnswer> {
        let mut oracle = Oracle::new(semantics, limits)?;
        let states: FxHashSet<State> = oracle.moments.list.iter().map(|moment| moment.state.clone()).collect();
        oracle.moments.begin_everywhere(&|state| semantics.steps(state), states);
        Ok(oracle)
    }

    /// For runs from the same states by some steps only; a state without any of them stays as it is.
    pub fn outcome(&self, agrees: &dyn Fn(&State, &Step) -> bool) -> Oracle<'s> {
        let steps = |state: &State| {
            let mut steps = self.semantics.steps(state);
            steps.retain(|step| agrees(state, step));
            if steps.is_empty() {
                let (choice, target) = (Choice::Stutter, state.clone());
                steps.push(Step { choice, channel: None, data: Vec::new(), target });
            }
            steps
        };
        let mut moments = Moments::default();
        moments.begin_everywhere(&steps, self.states().cloned().collect());
        Oracle { semantics: self.semantics, moments }
    }

    /// The reachable states.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        self.moments.begin.keys()
    }

    /// From which states some run makes the formula false, given the truth of branching formulas.
    pub fn falsified(
        &self,
        formula: &Formula,
        label: &dyn Fn(&Branching, &State) -> bool,
    ) -> Result<FxHashSet<State>, NoAnswer> {
        let closure = Closure::few(formula)?;
        let mut product = Product::new(self.semantics, &self.moments, &closure, label);
        let mut violates = |initial: Vec<Node>| {
            product.initial = initial;
            product.has_violating_run()
        };
        let mut from = FxHashSet::default();
        for (state, moments) in &self.moments.begin {
            let nodes = moments.iter().flat_map(|moment| product_false(&closure, self, *moment, label));
            if violates(nodes.collect()) {
                from.insert(state.clone());
            }
        }
        Ok(from)
    }

    /// Which states runs from initial states visit that make the formula false.
    pub fn visited(
        &self,
        formula: &Formula,
        label: &dyn Fn(&Branching, &State) -> bool,
    ) -> Result<FxHashSet<State>, NoAnswer> {
        let closure = Closure::few(formula)?;
        let mut product = Product::new(self.semantics, &self.moments, &closure, label);
        let mut open = std::mem::take(&mut product.initial);
        let (mut known, mut visited) = (FxHashSet::default(), FxHashSet::default());
        while let Some(node) = open.pop() {
            if known.insert(node) {
                open.extend(product.successors(node));
            }
        }
        for node in known {
            product.initial = vec![node];
            let state = &self.moments.list[node.0].state;
            if !visited.contains(state) && product.has_violating_run() {
                visited.insert(state.clone());
            }
        }
        Ok(visited)
    }

    /// True if every run satisfies the formula.
    pub fn holds(&self, formula: &Formula) -> Result<bool, NoAnswer> {
        let closure = Closure::few(formula)?;
        let none = |_: &Branching, _: &State| unreachable!("there are no branching formulas");
        Ok(!Product::new(self.semantics, &self.moments, &closure, &none).has_violating_run())
    }
}

/// The nodes of a moment at which the formula is false.
fn product_false(
    closure: &Closure,
    oracle: &Oracle,
    moment: usize,
    label: &dyn Fn(&Branching, &State) -> bool,
) -> Vec<Node> {
    let facts = facts(oracle.semantics, &oracle.moments.list[moment], closure, label);
    let is_false = |guess: &u32| closure.truths(&facts, *guess).last() == Some(&false);
    (0..1u32 << closure.temporal.len()).filter(is_false).map(|guess| (moment, guess)).collect()
}

/// The subformulas, each once, operands before what is made of them.
struct Closure<'f> {
    list: Vec<&'f Formula>,
    operands: Vec<Vec<usize>>,
    /// Those with a guess, in the order of the guess's bits.
    temporal: Vec<usize>,
}

impl<'f> Closure<'f> {
    /// Unless it has too many temporal subformulas.
    fn few(formula: &'f Formula) -> Result<Closure<'f>, NoAnswer> {
        let closure = Closure::new(formula);
        let count = closure.temporal.len();
        if count > MOST_OPERATORS { Err(NoAnswer::TooManyOperators(count)) } else { Ok(closure) }
    }

    fn new(formula: &'f Formula) -> Closure<'f> {
        let mut closure = Closure { list: Vec::new(), operands: Vec::new(), temporal: Vec::new() };
        closure.add(formula, &mut FxHashMap::default());
        closure
    }

    fn add(&mut self, formula: &'f Formula, known: &mut FxHashMap<&'f Formula, usize>) -> usize {
        if let Some(index) = known.get(formula) {
            return *index;
        }
        let parts = operands(formula).into_iter().map(|part| self.add(part, known)).collect();
        let index = self.list.len();
        self.list.push(formula);
        self.operands.push(parts);
        known.insert(formula, index);
        if is_temporal(formula) {
            self.temporal.push(index);
        }
        index
    }

    /// The truth of every subformula, from the facts of a moment and a guess.
    fn truths(&self, facts: &[bool], guess: u32) -> Vec<bool> {
        let mut truths: Vec<bool> = Vec::with_capacity(self.list.len());
        let mut bits = (0..self.temporal.len()).map(|bit| guess >> bit & 1 == 1);
        for (index, formula) in self.list.iter().enumerate() {
            let part = |at: usize| truths[self.operands[index][at]];
            let mut next = || bits.next().expect("one bit per temporal subformula");
            let truth = match formula {
                Formula::Atom(_) | Formula::Label(..) | Formula::Observed(_) | Formula::Branching(_) => facts[index],
                Formula::Not(_) => !part(0),
                Formula::And(parts) => (0..parts.len()).all(part),
                Formula::Or(parts) => (0..parts.len()).any(part),
                Formula::Iff(..) => part(0) == part(1),
                Formula::Next(_) => next(),
                Formula::Until(..) => next() && part(0) || part(1),
            };
            truths.push(truth);
        }
        truths
    }

    /// The guess that a moment before one with these truths must have made.
    fn demand(&self, truths: &[bool]) -> u32 {
        let next = |index: &usize| match self.list[*index] {
            Formula::Next(_) => truths[self.operands[*index][0]],
            _ => truths[*index],
        };
        self.temporal.iter().enumerate().fold(0, |bits, (bit, index)| bits | u32::from(next(index)) << bit)
    }

    /// Which temporal subformulas do not put anything off here, as bits.
    fn fair(&self, truths: &[bool]) -> u32 {
        let fair = |index: &usize| {
            let part = |at: usize| truths[self.operands[*index][at]];
            match self.list[*index] {
                Formula::Until(Strength::Strong, ..) => !truths[*index] || part(1),
                Formula::Until(Strength::Weak, ..) => truths[*index] || !part(0),
                _ => true,
            }
        };
        self.temporal.iter().enumerate().fold(0, |bits, (bit, index)| bits | u32::from(fair(index)) << bit)
    }
}

fn is_temporal(formula: &Formula) -> bool {
    matches!(formula, Formula::Next(_) | Formula::Until(..))
}

/// The receivers of a step, with their commands.
type Received = Vec<(InstanceId, EdgeId)>;

struct Moment {
    state: State,
    received: Received,
    step: Step,
    /// All steps of the state.
    possible: Arc<Vec<Step>>,
}

/// The steps of a state.
type Steps<'s> = &'s dyn Fn(&State) -> Vec<Step>;

/// The reachable moments and which may follow which.
#[derive(Default)]
struct Moments {
    list: Vec<Moment>,
    successors: Vec<Vec<usize>>,
    initial: Vec<usize>,
    /// The moments of states at which a run begins, if that may be anywhere.
    begin: FxHashMap<State, Vec<usize>>,
}

impl Moments {
    /// Adds the moments of all states to which no step led.
    fn begin_everywhere(&mut self, steps: Steps, states: FxHashSet<State>) {
        let mut known: FxHashMap<(State, Received), Vec<usize>> = FxHashMap::default();
        for (index, moment) in self.list.iter().enumerate() {
            known.entry((moment.state.clone(), moment.received.clone())).or_default().push(index);
        }
        for state in states {
            let moments = self.of(steps, &mut known, &state, &Received::new());
            self.begin.insert(state, moments);
        }
        self.follow(steps, &mut known);
    }

    fn follow(&mut self, steps: Steps, known: &mut FxHashMap<(State, Received), Vec<usize>>) {
        while self.successors.len() < self.list.len() {
            let step = self.list[self.successors.len()].step.clone();
            let successors = self.of(steps, known, &step.target, step.choice.receivers());
            self.successors.push(successors);
        }
    }

    fn new(semantics: &Semantics, exploration: &Exploration) -> Moments {
        let (mut moments, mut known) = (Moments::default(), FxHashMap::default());
        let steps: Steps = &|state| semantics.steps(state);
        for state in exploration.layer(0) {
            let initial = moments.of(steps, &mut known, state, &Received::new());
            moments.initial.extend(initial);
        }
        moments.follow(steps, &mut known);
        moments
    }

    /// The moments of a state that was reached with these receivers.
    fn of(
        &mut self,
        steps: Steps,
        known: &mut FxHashMap<(State, Received), Vec<usize>>,
        state: &State,
        received: &[(InstanceId, EdgeId)],
    ) -> Vec<usize> {
        let key = (state.clone(), received.to_vec());
        if let Some(moments) = known.get(&key) {
            return moments.clone();
        }
        let first = self.list.len();
        let possible = Arc::new(steps(state));
        let moment = |step: &Step| {
            let (state, received, step) = (state.clone(), received.to_vec(), step.clone());
            Moment { state, received, step, possible: possible.clone() }
        };
        self.list.extend(possible.iter().map(moment));
        let moments: Vec<usize> = (first..self.list.len()).collect();
        known.insert(key, moments.clone());
        moments
    }
}

/// The truth at a moment of atoms and labels, and whether its step is observed; false elsewhere.
fn facts(
    semantics: &Semantics,
    moment: &Moment,
    closure: &Closure,
    label: &dyn Fn(&Branching, &State) -> bool,
) -> Vec<bool> {
    let fact = |formula: &&Formula| match formula {
        Formula::Atom(expr) => holds(expr, &|leaf| {
            let mut choices = moment.possible.iter().map(|step| &step.choice);
            Some(match leaf {
                StateLeaf::Deadlock => Value::Bool(choices.all(|choice| *choice == Choice::Stutter)),
                StateLeaf::Enabled(instance, edge) => {
                    let commands = semantics.model().commands_of(instance);
                    let all = edge.map_or((0..commands).map(EdgeId).collect(), |edge| vec![edge]);
                    Value::Bool(choices.any(|choice| all.iter().any(|edge| choice.performs(instance, *edge))))
                }
                other => semantics.value(&moment.state, other),
            })
        }),
        Formula::Label(instance, edge) => match semantics.model().is_receive(*instance, *edge) {
            true => moment.received.contains(&(*instance, *edge)),
            false => moment.step.choice.performs(*instance, *edge),
        },
        Formula::Observed(observation) => semantics.observes(&moment.state, &moment.step, observation),
        Formula::Branching(branching) => label(branching, &moment.state),
        _ => false,
    };
    closure.list.iter().map(fact).collect()
}

/// A moment and a guess.
type Node = (usize, u32);

struct Product<'p> {
    moments: &'p Moments,
    /// Bits of the temporal subformulas.
    all: u32,
    /// Per moment and demand: the guesses that meet it.
    guesses: Vec<FxHashMap<u32, Vec<u32>>>,
    /// Per moment and guess: what is not pending.
    fair: Vec<Vec<u32>>,
    initial: Vec<Node>,
}

impl<'p> Product<'p> {
    fn new(
        semantics: &Semantics,
        moments: &'p Moments,
        closure: &Closure,
        label: &dyn Fn(&Branching, &State) -> bool,
    ) -> Product<'p> {
        let count = 1u32 << closure.temporal.len();
        let mut product =
            Product { moments, all: count - 1, guesses: Vec::new(), fair: Vec::new(), initial: Vec::new() };
        let initial: FxHashSet<usize> = moments.initial.iter().copied().collect();
        for (index, moment) in moments.list.iter().enumerate() {
            let facts = facts(semantics, moment, closure, label);
            let mut guesses: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
            let mut fair = Vec::with_capacity(count as usize);
            for guess in 0..count {
                let truths = closure.truths(&facts, guess);
                guesses.entry(closure.demand(&truths)).or_default().push(guess);
                fair.push(closure.fair(&truths));
                if initial.contains(&index) && truths.last() == Some(&false) {
                    product.initial.push((index, guess));
                }
            }
            product.guesses.push(guesses);
            product.fair.push(fair);
        }
        product
    }

    fn successors(&self, (moment, guess): Node) -> Vec<Node> {
        let next = self.moments.successors[moment].iter();
        next.flat_map(|after| self.guesses[*after].get(&guess).into_iter().flatten().map(move |guess| (*after, *guess)))
            .collect()
    }

    /// True if some reachable cycle puts nothing off: Tarjan's strongly connected components.
    fn has_violating_run(&self) -> bool {
        let mut search = Components::default();
        self.initial.iter().any(|node| !search.index.contains_key(node) && self.search(&mut search, *node))
    }

    fn search(&self, search: &mut Components, root: Node) -> bool {
        let mut frames = vec![search.enter(root, self.successors(root))];
        while let Some(frame) = frames.last_mut() {
            let node = frame.node;
            if let Some(next) = frame.successors.pop() {
                if let Some(index) = search.index.get(&next) {
                    if search.on_stack.contains(&next) {
                        frame.low = frame.low.min(*index);
                    }
                } else {
                    frames.push(search.enter(next, self.successors(next)));
                }
                continue;
            }
            let low = frame.low;
            frames.pop();
            if let Some(parent) = frames.last_mut() {
                parent.low = parent.low.min(low);
            }
            if low == search.index[&node] && self.is_violating(&search.leave(node)) {
                return true;
            }
        }
        false
    }

    /// True if a component has a cycle, and every condition is met somewhere in it.
    fn is_violating(&self, component: &[Node]) -> bool {
        let cyclic = component.len() > 1 || self.successors(component[0]).contains(&component[0]);
        let met = component.iter().fold(0, |met, (moment, guess)| met | self.fair[*moment][*guess as usize]);
        cyclic && met == self.all
    }
}

#[derive(Default)]
struct Components {
    index: FxHashMap<Node, usize>,
    stack: Vec<Node>,
    on_stack: FxHashSet<Node>,
}

struct Frame {
    node: Node,
    low: usize,
    successors: Vec<Node>,
}

impl Components {
    fn enter(&mut self, node: Node, successors: Vec<Node>) -> Frame {
        let low = self.index.len();
        self.index.insert(node, low);
        self.stack.push(node);
        self.on_stack.insert(node);
        Frame { node, low, successors }
    }

    /// Takes the component that ends at its root off the stack.
    fn leave(&mut self, root: Node) -> Vec<Node> {
        let start = self.stack.iter().rposition(|node| *node == root).expect("a root is on the stack");
        let component = self.stack.split_off(start);
        component.iter().for_each(|node| {
            self.on_stack.remove(node);
        });
        component
    }
}
