//! Structure automata: from the process of an agent type to edges between numbered states
//! (`docs/semantics.md#structure-automata`).

use crate::source::Span;
use crate::syntax::ast::{Command, Process, ProcessKind};

/// A command between two states.
#[derive(Debug)]
pub(super) struct Step<'a> {
    /// The state that it leaves.
    pub(super) source: u32,
    /// The state that it enters.
    pub(super) target: u32,
    /// The command.
    pub(super) command: &'a Command,
    /// The `rep` before it that never ends, if there is one.
    pub(super) after: Option<Span>,
}

/// A structure automaton; its initial state is 0.
#[derive(Debug)]
pub(super) struct Automaton<'a> {
    /// The number of states.
    pub(super) states: u32,
    /// The commands in the order of the text.
    pub(super) steps: Vec<Step<'a>>,
    /// True if the whole process could be read.
    pub(super) complete: bool,
}

impl<'a> Automaton<'a> {
    /// The automaton of what an agent type repeats.
    pub(super) fn new(process: &'a Process) -> Automaton<'a> {
        let mut automaton = Automaton { states: 1, steps: Vec::new(), complete: true };
        automaton.add(process, 0, 0, None);
        automaton
    }

    /// Adds a process between two states. A middle state is numbered before what stands around it.
    fn add(&mut self, process: &'a Process, source: u32, target: u32, after: Option<Span>) {
        match &process.kind {
            ProcessKind::Error => self.complete = false,
            ProcessKind::Command(command) => self.steps.push(Step { source, target, command, after }),
            ProcessKind::Sequence(first, second) => {
                let middle = self.states;
                self.states += 1;
                self.add(first, source, middle, after);
                self.add(second, middle, target, after.or_else(|| endless(first)));
            }
            ProcessKind::Choice(left, right) => {
                self.add(left, source, target, after);
                self.add(right, source, target, after);
            }
            ProcessKind::Rep(body) => self.add(body, source, source, after),
        }
    }
}

/// The place of a `rep` for which the process never ends, if it never does.
fn endless(process: &Process) -> Option<Span> {
    match &process.kind {
        ProcessKind::Error | ProcessKind::Command(_) => None,
        ProcessKind::Sequence(first, second) => endless(first).or_else(|| endless(second)),
        ProcessKind::Choice(left, right) => endless(left).filter(|_| endless(right).is_some()),
        ProcessKind::Rep(_) => Some(process.span),
    }
}

/// Which of the states `0..states` can be reached from 0 along the given edges.
pub(super) fn reachable(states: u32, edges: &[(u32, u32)]) -> Vec<bool> {
    let mut targets = vec![Vec::new(); states as usize];
    for &(source, target) in edges {
        targets[source as usize].push(target);
    }
    let mut reached = vec![false; states as usize];
    let mut open = vec![0];
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut reached[state as usize], true) {
            open.append(&mut targets[state as usize]);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::ast::{Action, Expr, ExprKind};

    fn process(kind: ProcessKind) -> Process {
        Process::new(kind, Span::default())
    }

    fn command() -> Process {
        let expr = |kind| Expr::new(kind, Span::default());
        let action = Action::Receive { channel: expr(ExprKind::Star) };
        let (guard, span) = (expr(ExprKind::Bool(true)), Span::default());
        let command = Command { label: None, guard, action, data: Vec::new(), updates: Vec::new(), span };
        process(ProcessKind::Command(Box::new(command)))
    }

    fn sequence(first: Process, second: Process) -> Process {
        process(ProcessKind::Sequence(Box::new(first), Box::new(second)))
    }

    fn choice(left: Process, right: Process) -> Process {
        process(ProcessKind::Choice(Box::new(left), Box::new(right)))
    }

    fn rep(body: Process) -> Process {
        process(ProcessKind::Rep(Box::new(body)))
    }

    fn edges(process: &Process) -> Vec<(u32, u32)> {
        Automaton::new(process).steps.iter().map(|step| (step.source, step.target)).collect()
    }

    #[test]
    fn sequences_are_numbered_by_their_nesting() {
        let modern = sequence(sequence(command(), command()), command());
        assert_eq!(edges(&modern), [(0, 2), (2, 1), (1, 0)]);
        let classic = sequence(command(), sequence(command(), command()));
        assert_eq!(edges(&classic), [(0, 1), (1, 2), (2, 0)]);
    }

    #[test]
    fn choices_share_both_ends() {
        let process = sequence(choice(command(), command()), choice(sequence(command(), command()), command()));
        assert_eq!(edges(&process), [(0, 1), (0, 1), (1, 2), (2, 0), (1, 0)]);
    }

    #[test]
    fn rep_starts_and_ends_where_it_starts() {
        let process = choice(sequence(command(), rep(sequence(command(), command()))), command());
        assert_eq!(edges(&process), [(0, 1), (1, 2), (2, 1), (0, 0)]);
    }

    #[test]
    fn what_follows_rep_is_not_reached() {
        let process = sequence(rep(command()), sequence(command(), command()));
        let automaton = Automaton::new(&process);
        assert_eq!(automaton.states, 3);
        let after: Vec<bool> = automaton.steps.iter().map(|step| step.after.is_some()).collect();
        assert_eq!(after, [false, true, true]);
        assert_eq!(reachable(3, &edges(&process)), [true, false, false]);
    }

    #[test]
    fn a_choice_goes_on_unless_all_its_branches_are_endless() {
        let process = sequence(choice(rep(command()), command()), command());
        assert!(Automaton::new(&process).steps.iter().all(|step| step.after.is_none()));
    }
}
