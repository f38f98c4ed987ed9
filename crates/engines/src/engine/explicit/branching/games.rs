//! Strategies by the whole state: games on the graph (Alur, Henzinger, Kupferman, Alternating-time temporal logic,
//! JACM 2002), with agents that act asynchronously.
//!
//! In a state the group chooses which commands its members offer, and how they take each message. As strategies have no memory
//! and decide by the whole state, it offers nothing where others can begin a step: what it offers only adds steps. Where only members
//! can, it offers one command, or none, and then nothing changes any more. So what a state is worth is a formula over
//! what the states are worth that steps lead to: some offer, for each message that it may bring some way to take it, each step. Of agents that act all
//! at once the offer is empty, and the message is that something is done: some actions of the group, each step with them.

use super::graph::Graph;
use crate::claim::branching::FairStates;
use crate::limits::ticks;
use crate::model::eval::Decisions;
use crate::model::formula::Strength;
use crate::model::{EdgeId, InstanceId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A node of the game. Those of states come first.
type Node = u32;

/// A formula over states that is monotone: what each state is worth for the group.
pub struct Game {
    /// Per node true if one successor is enough, false if all are needed.
    is_choice: Vec<bool>,
    /// Per node where its successors begin.
    first: Vec<u32>,
    successors: Vec<Node>,
    /// The other way round: per node where those begin that it is a successor of.
    first_sources: Vec<u32>,
    sources: Vec<Node>,
    states: usize,
}

/// A step with what is decided for it, and where it leads.
struct Played {
    decisions: Decisions,
    target: u32,
}

impl Game {
    /// The game of a group.
    pub fn new(graph: &Graph, group: &[InstanceId]) -> Game {
        let states = graph.len();
        let is_joint = graph.model().joint.is_some();
        let mut drawing = Drawing { group, is_joint, inner: Vec::new(), states };
        let roots: Vec<Vec<Node>> = (0..states as u32)
            .map(|state| {
                let played = graph.decisions(state).into_iter();
                drawing.options(state, played.map(|(decisions, target)| Played { decisions, target }).collect())
            })
            .collect();
        let is_choice =
            roots.iter().map(|_| true).chain(drawing.inner.iter().map(|(is_choice, _)| *is_choice)).collect();
        let (first_sources, sources) = (Vec::new(), Vec::new());
        let mut game = Game { is_choice, first: vec![0], successors: Vec::new(), first_sources, sources, states };
        for list in roots.into_iter().chain(drawing.inner.into_iter().map(|(_, list)| list)) {
            game.successors.extend(list);
            game.first.push(game.successors.len() as u32);
        }
        (game.first_sources, game.sources) = game.reversed();
        game
    }

    /// In which states all act, if they act all at once.
    pub fn acts(&self) -> Vec<bool> {
        (0..self.states as Node).map(|state| !self.list(state).is_empty()).collect()
    }

    /// In which states the group can see to it that the next state is one of some.
    pub fn next(&self, good: &[bool]) -> Vec<bool> {
        let mut worth = vec![None; self.is_choice.len()];
        (0..self.states as Node).map(|state| self.value(state, good, &mut worth)).collect()
    }

    fn value(&self, node: Node, good: &[bool], worth: &mut Vec<Option<bool>>) -> bool {
        if let Some(known) = worth[node as usize] {
            return known;
        }
        let mut of = |next: &Node| match good.get(*next as usize) {
            Some(good) => *good,
            None => self.value(*next, good, worth),
        };
        let list = self.list(node);
        let value = if self.is_choice[node as usize] { list.iter().any(&mut of) } else { list.iter().all(of) };
        worth[node as usize] = Some(value);
        value
    }

    fn list(&self, node: Node) -> &[Node] {
        &self.successors[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// Per state its rank in what the group can do about `f U g`, or what others can do against `f W g`: a state of rank n depends on states
    /// of smaller ranks only.
    pub fn until(&self, strength: Strength, stays: &[bool], goal: &[bool]) -> Vec<Option<u32>> {
        // With `W` what others can do: they see to it that neither stays.
        let by_group = strength == Strength::Strong;
        let count = self.is_choice.len();
        let needs_all = |node: usize| self.is_choice[node] != by_group;
        let mut open: Vec<u32> =
            (0..count).map(|node| if needs_all(node) { self.list(node as Node).len() as u32 } else { 1 }).collect();
        let (mut ranks, mut done) = (vec![None; self.states], vec![false; count]);
        // States that are decided whatever comes next, then nodes that nothing leads on from.
        let at_once = |state: usize| if by_group { goal[state] } else { !goal[state] && !stays[state] };
        let never = |state: usize| if by_group { !goal[state] && !stays[state] } else { goal[state] };
        let mut queue: Vec<Node> =
            (0..self.states).filter(|state| at_once(*state)).map(|state| state as Node).collect();
        queue.extend((0..count as Node).filter(|node| {
            let of_state = (*node as usize) < self.states;
            let is_open = of_state && (at_once(*node as usize) || never(*node as usize));
            !is_open && needs_all(*node as usize) && self.list(*node).is_empty()
        }));
        queue.iter().for_each(|node| done[*node as usize] = true);
        let (mut next, mut rank) = (0, 0);
        while next < queue.len() {
            let node = queue[next];
            next += 1;
            ticks(1);
            if let Some(of_state) = ranks.get_mut(node as usize) {
                *of_state = Some(rank);
                rank += 1;
            }
            let range = self.first_sources[node as usize] as usize..self.first_sources[node as usize + 1] as usize;
            for source in &self.sources[range] {
                let place = *source as usize;
                open[place] = open[place].saturating_sub(1);
                let is_never = place < self.states && never(place);
                if open[place] == 0 && !done[place] && !is_never {
                    done[place] = true;
                    queue.push(*source);
                }
            }
        }
        ranks
    }

    /// In which states not all that the group can do leads to some states: others can see to it that the next state is none of them.
    fn prevented(&self, bad: &[bool]) -> Vec<bool> {
        let bad: Vec<bool> = bad.iter().map(|it| !it).collect();
        self.next(&bad).into_iter().map(|it| !it).collect()
    }

    /// Where others can see to it that the states of a set are not left, and that each condition is true again and again (Busard,
    /// Pecheur, Qu, Raimondi, Reasoning about strategies under partial observability and fairness constraints, 2013).
    pub fn fair(&self, stays: &[bool], conditions: &[Vec<bool>]) -> FairStates {
        let mut inside = stays.to_vec();
        let mut found = FairStates { outside: vec![None; self.states], ..FairStates::default() };
        let leaves: Vec<bool> = stays.iter().map(|it| !it).collect();
        // Where they can lead to a state of the set in which a condition is true.
        let leading = |inside: &[bool], condition: &[bool]| {
            let not_there: Vec<bool> = inside.iter().zip(condition).map(|(one, other)| !(one & other)).collect();
            self.until(Strength::Weak, &not_there, &leaves)
        };
        let mut unchanged = 0;
        for number in (0..conditions.len() as u32).cycle() {
            let ranks = leading(&inside, &conditions[number as usize]);
            let can_lead: Vec<bool> = ranks.iter().map(Option::is_some).collect();
            let goes_on = self.prevented(&can_lead);
            let lost = (0..self.states).filter(|state| inside[*state] && !goes_on[*state]).collect::<Vec<_>>();
            unchanged = if lost.is_empty() { unchanged + 1 } else { 0 };
            if unchanged == conditions.len() {
                break;
            }
            if lost.is_empty() {
                continue;
            }
            for state in lost {
                found.outside[state] = Some((found.stages.len() as u32, !can_lead[state]));
                inside[state] = false;
            }
            found.stages.push(number);
        }
        let ranks: Vec<_> = conditions.iter().map(|condition| leading(&inside, condition)).collect();
        let of_state = |state: usize| ranks.iter().map(|ranks| ranks[state].expect("they can lead there")).collect();
        found.inside = (0..self.states).map(|state| inside[state].then(|| of_state(state))).collect();
        found
    }

    /// Per node those that it is a successor of.
    fn reversed(&self) -> (Vec<u32>, Vec<Node>) {
        let mut begins = vec![0; self.is_choice.len() + 1];
        self.successors.iter().for_each(|node| begins[*node as usize + 1] += 1);
        for node in 1..begins.len() {
            begins[node] += begins[node - 1];
        }
        let (mut ends, mut sources) = (begins.clone(), vec![0; self.successors.len()]);
        for node in 0..self.is_choice.len() as Node {
            for successor in self.list(node) {
                let end = &mut ends[*successor as usize];
                sources[*end as usize] = node;
                *end += 1;
            }
        }
        (begins, sources)
    }
}

/// Nodes that are no states, as they are made.
struct Drawing<'g> {
    group: &'g [InstanceId],
    is_joint: bool,
    inner: Vec<(bool, Vec<Node>)>,
    states: usize,
}

impl Drawing<'_> {
    /// The successors of a state, of which one is enough.
    fn options(&mut self, state: u32, played: Vec<Played>) -> Vec<Node> {
        if let [Played { decisions, .. }] = &played[..]
            && decisions.begins.is_none()
            && decisions.takes.is_empty()
        {
            // The stutter, which is no action of those that act all at once.
            return if self.is_joint { Vec::new() } else { vec![state] };
        }
        let is_offered = |it: &Played| it.decisions.begins.is_some_and(|(instance, _)| self.group.contains(&instance));
        let (offered, given): (Vec<Played>, Vec<Played>) = played.into_iter().partition(is_offered);
        if !given.is_empty() {
            return vec![self.messages(given)];
        }
        let mut offers: BTreeMap<(InstanceId, EdgeId), Vec<Played>> = BTreeMap::new();
        for it in offered {
            offers.entry(it.decisions.begins.expect("it is offered")).or_default().push(it);
        }
        offers.into_values().map(|steps| self.messages(steps)).chain([state]).collect()
    }

    /// Each message can come.
    fn messages(&mut self, played: Vec<Played>) -> Node {
        let mut messages: FxHashMap<_, Vec<Played>> = FxHashMap::default();
        let mut order = Vec::new();
        for it in played {
            let message = it.decisions.message.clone();
            let list = messages.entry(message.clone()).or_default();
            if list.is_empty() {
                order.push(message);
            }
            list.push(it);
        }
        let each = order.iter().map(|message| messages.remove(message).expect("it is listed"));
        let each: Vec<Node> = each.map(|steps| self.answers(steps)).collect();
        self.node(false, each)
    }

    /// The members choose how they take one message.
    fn answers(&mut self, played: Vec<Played>) -> Node {
        let mut answers = Vec::new();
        let steps: Vec<&Played> = played.iter().collect();
        self.answer(&steps, 0, &mut answers);
        self.node(true, answers)
    }

    /// The same for the members from one on.
    fn answer(&mut self, steps: &[&Played], member: usize, answers: &mut Vec<Node>) {
        let Some(instance) = self.group.get(member).copied() else {
            let targets = steps.iter().map(|it| it.target).collect();
            answers.push(self.node(false, targets));
            return;
        };
        let taken = |it: &Played| it.decisions.takes.iter().find(|(who, _)| *who == instance).map(|(_, edge)| *edge);
        let mut ways: Vec<EdgeId> = steps.iter().filter_map(|it| taken(it)).collect();
        ways.sort_unstable();
        ways.dedup();
        if ways.len() <= 1 {
            return self.answer(steps, member + 1, answers);
        }
        for way in ways {
            let agree: Vec<&Played> =
                steps.iter().copied().filter(|it| taken(it).is_none_or(|edge| edge == way)).collect();
            self.answer(&agree, member + 1, answers);
        }
    }

    fn node(&mut self, is_choice: bool, mut successors: Vec<Node>) -> Node {
        successors.sort_unstable();
        successors.dedup();
        if let [only] = successors[..] {
            return only;
        }
        self.inner.push((is_choice, successors));
        (self.states + self.inner.len() - 1) as Node
    }
}
