//! All short runs of a small graph, and the truth of formulas on them, by the definitions alone: a
//! third opinion beside the oracle and replayed runs, and the only one on lengths.

use super::graph::Graph;
use rcheck_smt::model::eval::truth::operands;
use rcheck_smt::model::eval::value::holds;
use rcheck_smt::model::eval::{Semantics, State, Step};
use rcheck_smt::model::formula::StateLeaf;
use rcheck_smt::model::formula::Strength;
use rcheck_smt::model::{Action, Expr, Formula, Value};

/// A truth value; `None` where a beginning does not tell.
type Truth = Option<bool>;

/// A position of a run: a node, and the number of the step from there, except at the end of a beginning.
type Position = (usize, Option<usize>);

/// Which runs that loop back count as violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lassos {
    /// None.
    No,
    /// Those whose last state is that where the loop starts, and was entered by the same receives as
    /// far as the formula has labels of them.
    Alike,
    /// Those whose last state is that where the loop starts.
    Any,
}

/// The facts known of the shortest violation of a formula.
#[derive(Clone, Copy, Debug)]
pub struct Shortest {
    /// Its number of steps, if one was found.
    pub found: Option<usize>,
    /// No run with up to that many steps violates the formula.
    pub clear: Option<usize>,
}

/// A formula on the runs of a graph.
pub struct Runs<'g> {
    graph: &'g Graph,
    subformulas: Vec<&'g Formula>,
    operands: Vec<Vec<usize>>,
    /// Per node and subformula: the truth of what speaks of a state, or of the step before.
    of_nodes: Vec<Vec<bool>>,
    /// Per node, step and subformula: the truth of what speaks of the step.
    of_steps: Vec<Vec<Vec<bool>>>,
}

impl<'g> Runs<'g> {
    /// Evaluates the atoms of a formula everywhere.
    pub fn new(semantics: &Semantics, graph: &'g Graph, formula: &'g Formula) -> Runs<'g> {
        let (mut subformulas, mut parts) = (Vec::new(), Vec::new());
        collect(formula, &mut subformulas, &mut parts);
        let of_node = |index: usize| {
            let node = &graph.nodes[index];
            let fact = |formula: &&Formula| match formula {
                Formula::Atom(expr) => atom(semantics, &node.state, expr),
                Formula::Label(instance, edge) => node.received.contains(&(*instance, *edge)),
                _ => false,
            };
            subformulas.iter().map(fact).collect()
        };
        let of_step = |index: usize, step: &Step| {
            let fact = |formula: &&Formula| match formula {
                Formula::Label(instance, edge) => step.choice.performs(*instance, *edge),
                Formula::Observed(seen) => semantics.observes(&graph.nodes[index].state, step, seen),
                _ => false,
            };
            subformulas.iter().map(fact).collect()
        };
        let of_nodes = (0..graph.nodes.len()).map(of_node).collect();
        let of_steps = (0..graph.nodes.len())
            .map(|index| graph.nodes[index].steps.iter().map(|(step, _)| of_step(index, step)).collect())
            .collect();
        let operands = mark_receives(semantics, &subformulas, parts);
        Runs { graph, subformulas, operands, of_nodes, of_steps }
    }

    /// Looks for the shortest violation with up to `bound` steps, among beginnings and lassos; gives
    /// up after about so many runs.
    pub fn shortest(&self, bound: usize, lassos: Lassos, mut effort: usize) -> Shortest {
        let mut clear = None;
        for length in 0..=bound {
            match self.count(length, effort) {
                Some(count) => effort -= count,
                None => break,
            }
            let from = |node| self.violated_from(&mut vec![(node, None)], length, lassos);
            let violated = (0..self.graph.initial).any(from);
            if violated {
                return Shortest { found: Some(length), clear };
            }
            clear = Some(length);
        }
        Shortest { found: None, clear }
    }

    /// The number of paths with so many steps; `None` if they are too many or leave what is expanded.
    fn count(&self, length: usize, limit: usize) -> Option<usize> {
        let mut ends = vec![0usize; self.graph.nodes.len()];
        ends[..self.graph.initial].fill(1);
        for _ in 0..length {
            let mut next = vec![0usize; ends.len()];
            for (node, count) in ends.iter().enumerate().filter(|(_, count)| **count > 0) {
                if node >= self.graph.expanded {
                    return None;
                }
                for (_, target) in &self.graph.nodes[node].steps {
                    next[*target] = next[*target].saturating_add(*count);
                }
            }
            ends = next;
        }
        // The steps from the last node decide how a loop goes on.
        let (_, unknown) = ends.split_at(self.graph.expanded);
        if unknown.iter().any(|count| *count > 0) {
            return None;
        }
        let total = ends.iter().fold(0usize, |total, count| total.saturating_add(*count));
        Some(total).filter(|total| *total <= limit)
    }

    /// True if the path can be extended by so many steps to a beginning or a lasso that violates.
    fn violated_from(&self, path: &mut Vec<Position>, more: usize, lassos: Lassos) -> bool {
        let (last, _) = path[path.len() - 1];
        if more == 0 {
            let mut loops = (0..path.len() - 1).filter(|&start| self.closes(path[start].0, last, lassos));
            return self.truth(path, None) == Some(false)
                || loops.any(|start| self.truth_of_lasso(path, start) == Some(false));
        }
        let end = path.len() - 1;
        for (index, (_, target)) in self.graph.nodes[last].steps.iter().enumerate() {
            path[end].1 = Some(index);
            path.push((*target, None));
            let violated = self.violated_from(path, more - 1, lassos);
            path.pop();
            path[end].1 = None;
            if violated {
                return true;
            }
        }
        false
    }

    fn closes(&self, start: usize, end: usize, lassos: Lassos) -> bool {
        let alike = || {
            let labels = (0..self.subformulas.len()).filter(|&at| matches!(self.subformulas[at], Formula::Label(..)));
            labels.into_iter().all(|label| self.of_nodes[start][label] == self.of_nodes[end][label])
        };
        let same_state = self.graph.nodes[start].state == self.graph.nodes[end].state;
        lassos != Lassos::No && same_state && (lassos == Lassos::Any || alike())
    }

    /// The path once, and then its loop for ever: the second visit to the start of the loop comes
    /// from another step than the first one, which receive labels see.
    fn truth_of_lasso(&self, path: &[Position], start: usize) -> Truth {
        let (end, rounds) = (path.len() - 1, &path[start..path.len() - 1]);
        let mut word = path[..end].to_vec();
        word.push((path[end].0, rounds[0].1));
        word.extend(&rounds[1..]);
        self.truth(&word, Some(end))
    }

    /// The truth at the first position; with `back`, the last one is followed by that one.
    fn truth(&self, word: &[Position], back: Option<usize>) -> Truth {
        let mut rows: Vec<Vec<Truth>> = Vec::with_capacity(self.subformulas.len());
        for index in 0..self.subformulas.len() {
            let row = self.row(word, back, index, &rows);
            rows.push(row);
        }
        rows[rows.len() - 1][0]
    }

    fn row(&self, word: &[Position], back: Option<usize>, index: usize, rows: &[Vec<Truth>]) -> Vec<Truth> {
        let part = |operand: usize, at: usize| rows[self.operands[index][operand]][at];
        let after = |at: usize| if at + 1 < word.len() { Some(at + 1) } else { back };
        let next = |at: usize| after(at).and_then(|after| part(0, after));
        let stepped = |at: usize| word[at].1.map(|step| self.of_steps[word[at].0][step][index]);
        let each = |rule: &dyn Fn(usize) -> Truth| (0..word.len()).map(rule).collect::<Vec<_>>();
        let fix = |seed: bool, rule: &dyn Fn(usize, Truth) -> Truth| {
            let mut row = vec![Some(seed); word.len()];
            loop {
                let before = row.clone();
                for at in (0..word.len()).rev() {
                    row[at] = rule(at, after(at).and_then(|after| row[after]));
                }
                if row == before {
                    return row;
                }
            }
        };
        let parts = self.operands[index].len();
        match self.subformulas[index] {
            Formula::Branching(_) => unreachable!("these specs are about single runs"),
            Formula::Atom(_) => each(&|at| Some(self.of_nodes[word[at].0][index])),
            // A receive label is its own only operand: see `mark_receives`.
            Formula::Label(..) if parts == 1 => each(&|at| Some(self.of_nodes[word[at].0][index])),
            Formula::Label(..) => each(&stepped),
            Formula::Not(_) => each(&|at| not(part(0, at))),
            Formula::And(_) => {
                each(&|at| (0..parts).map(|operand| part(operand, at)).reduce(and).unwrap_or(Some(true)))
            }
            Formula::Or(_) => each(&|at| (0..parts).map(|operand| part(operand, at)).reduce(or).unwrap_or(Some(false))),
            Formula::Iff(..) => each(&|at| Some(part(0, at)? == part(1, at)?)),
            Formula::Next(_) => each(&next),
            Formula::Until(strength, ..) => {
                fix(*strength == Strength::Weak, &|at, later| or(part(1, at), and(part(0, at), later)))
            }
            Formula::Observed(_) => each(&stepped),
        }
    }
}

/// The subformulas, operands first.
fn collect<'f>(formula: &'f Formula, list: &mut Vec<&'f Formula>, parts: &mut Vec<Vec<usize>>) -> usize {
    let operands: Vec<usize> = operands(formula).into_iter().map(|operand| collect(operand, list, parts)).collect();
    list.push(formula);
    parts.push(operands);
    list.len() - 1
}

/// Gives the labels of receives, which speak of the step before, an operand to tell them apart.
fn mark_receives(semantics: &Semantics, list: &[&Formula], mut parts: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    for (index, formula) in list.iter().enumerate() {
        if let Formula::Label(instance, edge) = formula {
            let command = &semantics.model().agent_of(*instance).edges[edge.index()];
            if matches!(command.action, Action::Receive { .. }) {
                parts[index].push(index);
            }
        }
    }
    parts
}

fn atom(semantics: &Semantics, state: &State, expr: &Expr<StateLeaf>) -> bool {
    holds(expr, &|leaf| {
        Some(match leaf {
            StateLeaf::Local(instance, local) => state.local(instance, local).clone(),
            StateLeaf::Automaton(instance) => Value::int(i64::from(state.automaton(instance))),
            StateLeaf::Deadlock => Value::Bool(semantics.deadlocked(state)),
            StateLeaf::Enabled(instance, edge) => Value::Bool(semantics.steps(state).iter().any(|step| {
                let takes = |edge| step.choice.performs(instance, edge);
                edge.map_or_else(|| semantics.model().agent_of(instance).initiatives().any(takes), takes)
            })),
            StateLeaf::Total(_) => unreachable!("only open instances have totals"),
        })
    })
}

fn not(a: Truth) -> Truth {
    a.map(|a| !a)
}

fn and(a: Truth, b: Truth) -> Truth {
    if a == Some(false) || b == Some(false) { Some(false) } else { Some(a? && b?) }
}

fn or(a: Truth, b: Truth) -> Truth {
    not(and(not(a), not(b)))
}
