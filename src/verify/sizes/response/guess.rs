//! Guesses, from runs, of what becomes less while a goal is waited for, and of who helps.

use super::nodes::{Bits, Nodes, bits, is_within};
use super::runs::{Waiting, WaitingStep};
use super::words;
use crate::check::sizes::progress::{Case, Progress};
use crate::check::sizes::response::Response;
use crate::claim::sizes::Helper;
use crate::limits::tick;
use crate::model::eval::Choice;
use crate::model::fairness::Actor;
use crate::model::formula::StateLeaf;
use crate::model::{Action, EdgeId, Expr, InstanceId, Model, Value};
use dashu_int::ops::BitTest;
use rustc_hash::FxHashMap;

/// More nodes are too many to learn from.
const MOST_NODES: usize = 6000;

/// Why nothing is guessed.
pub const NO_HELPER: &str =
    "in some state, no agent that is treated fairly can do something that brings the goal nearer";

/// The members that might help, as seen over the reference instance.
struct HelpingMembers {
    helper: Helper,
    /// The member, if it is any other member.
    other: Option<InstanceId>,
    /// By what it can act.
    enabling: Vec<EdgeId>,
    /// The commands of its steps.
    acting: Vec<EdgeId>,
}

/// The candidate conditions on rows, or on rows with one more member each.
struct CandidateSpace {
    literals: Vec<Expr<StateLeaf>>,
    /// A row, and who stands for the other member.
    places: Vec<(usize, Option<InstanceId>)>,
    nodes: Nodes,
}

/// Evidence for a response that no run contradicts.
pub fn guess(waiting: &Waiting, response: &Response, fair: &[Actor]) -> Result<Progress, &'static str> {
    let progress = |pending, ranks, cases| Progress {
        response: response.clone(),
        members: waiting.members.clone(),
        pending,
        ranks,
        cases,
    };
    if waiting.rows.is_empty() {
        // It never begins, as far as is known.
        return Ok(progress(vec![Expr::FALSE], Vec::new(), Vec::new()));
    }
    let guesser = Guesser::new(waiting, fair);
    let all = guesser.ranks();
    let mut cases = guesser.cases(&all).ok_or(NO_HELPER)?;
    let mut ranks = all;
    for place in (0..ranks.len()).rev() {
        let mut fewer = ranks.clone();
        fewer.remove(place);
        if let Some(found) = guesser.cases(&fewer).filter(|_| guesser.are_ranks(&fewer)) {
            (ranks, cases) = (fewer, found);
        }
    }
    let ranks = ranks.into_iter().map(|(expr, _)| expr).collect();
    Ok(progress(guesser.always(), ranks, cases))
}

/// Something that might become less, with its value in each row.
type RankCandidate = (Expr<StateLeaf>, Vec<i64>);

struct Guesser<'w> {
    waiting: &'w Waiting<'w>,
    who: Vec<InstanceId>,
    options: Vec<HelpingMembers>,
    /// Without another member, and with one of each family.
    spaces: Vec<(Option<InstanceId>, CandidateSpace)>,
}

impl<'w> Guesser<'w> {
    fn new(waiting: &'w Waiting<'w>, fair: &[Actor]) -> Guesser<'w> {
        let reference = waiting.reference;
        let fixed = reference.instance_ids().filter(|it| reference.place_of_member(*it).is_none());
        let who: Vec<InstanceId> = waiting.members.iter().copied().chain(fixed).collect();
        let others = reference.families().iter().filter_map(|family| family.members().find(|it| !who.contains(it)));
        let others: Vec<InstanceId> = others.collect();
        let mut options = Vec::new();
        for &instance in who.iter().chain(&others) {
            for actor in fair.iter().filter(|actor| actor.instance() == instance) {
                add_options(reference, *actor, others.contains(&instance), &mut options);
            }
        }
        options.push(HelpingMembers { helper: Helper::Any, other: None, enabling: Vec::new(), acting: Vec::new() });
        let spaces = std::iter::once(None).chain(others.into_iter().map(Some));
        let spaces = spaces.filter(|other| options.iter().any(|option| option.other == *other));
        let spaces = spaces.map(|other| (other, CandidateSpace::new(waiting, &who, other))).collect();
        Guesser { waiting, who, options, spaces }
    }

    /// The conditions that are true in all rows.
    fn always(&self) -> Vec<Expr<StateLeaf>> {
        let Some((_, space)) = self.spaces.iter().find(|(other, _)| other.is_none()) else { return Vec::new() };
        let everywhere = Bits::ones(space.nodes.count);
        let literals = space.literals.iter().zip(&space.nodes.literals);
        literals.filter(|(_, bits)| is_within(&everywhere, bits)).map(|(literal, _)| literal.clone()).collect()
    }

    /// The candidate ranks that no step makes greater, unless an earlier one becomes less.
    fn ranks(&self) -> Vec<RankCandidate> {
        let mut open: Vec<&WaitingStep> = self.waiting.links.iter().collect();
        let mut candidates: Vec<RankCandidate> = Vec::new();
        for expr in words::ranks(self.waiting.reference, &self.who) {
            tick();
            let values = self.waiting.rows.iter().map(|row| as_number(self.waiting.value(row, &expr, None)?));
            if let Some(values) = values.collect::<Option<Vec<i64>>>() {
                candidates.push((expr, values));
            }
        }
        let mut chosen = Vec::new();
        loop {
            let good = candidates.iter().position(|(_, values)| {
                let falls = |link: &&&WaitingStep| values[link.to] < values[link.from];
                let harmless = |link: &&WaitingStep| {
                    values[link.to] == values[link.from]
                        || values[link.to] < values[link.from] && values[link.from] >= 0
                };
                open.iter().all(harmless) && open.iter().any(|link| falls(&link))
            });
            let Some(place) = good else { return chosen };
            let rank = candidates.remove(place);
            open.retain(|link| rank.1[link.to] == rank.1[link.from]);
            chosen.push(rank);
        }
    }

    /// True if no step makes them greater.
    fn are_ranks(&self, ranks: &[RankCandidate]) -> bool {
        self.waiting.links.iter().all(|link| {
            let mut changes = ranks.iter().map(|(_, values)| (values[link.from], values[link.to]));
            changes.find(|(from, to)| from != to).is_none_or(|(from, to)| to < from && from >= 0)
        })
    }

    /// The helpers and their rows, if some agent does in all of them.
    fn cases(&self, ranks: &[RankCandidate]) -> Option<Vec<Case>> {
        let is_open = |link: &&WaitingStep| ranks.iter().all(|(_, values)| values[link.from] == values[link.to]);
        let open: Vec<&WaitingStep> = self.waiting.links.iter().filter(is_open).collect();
        let mut covered: Vec<bool> = self.waiting.rows.iter().map(|row| !row.counts).collect();
        let mut cases = Vec::new();
        let mut known: Vec<Option<(Bits, Nodes)>> = self.options.iter().map(|_| None).collect();
        for row in 0..covered.len() {
            if covered[row] {
                continue;
            }
            let found = self.options.iter().zip(&mut known).find_map(|(option, known)| {
                let space = self.space(option)?;
                let (good, nodes) = known.get_or_insert_with(|| self.seen(option, space, &open));
                let seeds = (0..space.places.len()).filter(|&node| space.places[node].0 == row && good.bit(node));
                let learned = seeds.into_iter().find_map(|seed| nodes.learn(seed, good))?;
                Some((option, space, nodes.extension(&learned), learned))
            });
            let (option, space, extension, learned) = found?;
            for (node, (row, _)) in space.places.iter().enumerate() {
                covered[*row] |= extension.bit(node);
            }
            let literals = learned.into_iter().map(|literal| space.literals[literal].clone());
            cases.push(Case { condition: words::all(literals), helper: option.helper });
        }
        Some(cases)
    }

    fn space(&self, option: &HelpingMembers) -> Option<&CandidateSpace> {
        self.spaces.iter().find(|(other, _)| *other == option.other).map(|(_, space)| space)
    }

    /// The nodes where a helper can act, and does not unless that lowers the ranks; and the steps that do not lower them.
    fn seen(&self, option: &HelpingMembers, space: &CandidateSpace, open: &[&WaitingStep]) -> (Bits, Nodes) {
        let place_of: FxHashMap<_, usize> =
            space.places.iter().enumerate().map(|(node, place)| (*place, node)).collect();
        let mut acts = vec![false; space.places.len()];
        let mut links = Vec::new();
        for (node, (row, who)) in space.places.iter().enumerate() {
            let actor = self.actor(option, *row, *who);
            for link in open.iter().filter(|link| link.from == *row) {
                acts[node] |= match actor {
                    None => link.choice != Choice::Stutter,
                    Some(actor) => option.acting.iter().any(|edge| link.choice.performs(actor, *edge)),
                };
                links.extend(place_of.get(&(link.to, *who)).map(|&to| (node, to)));
            }
        }
        let can = |node: usize| {
            let (row, who) = space.places[node];
            let state = self.waiting.rows[row].state;
            let is = |leaf| self.waiting.runs.value(state, &Expr::Leaf(leaf)) == Some(Value::Bool(true));
            match self.actor(option, row, who) {
                None => !is(StateLeaf::Deadlock),
                Some(actor) => option.enabling.iter().any(|&edge| is(StateLeaf::Enabled(actor, Some(edge)))),
            }
        };
        let good = bits(space.places.len(), |node| !acts[node] && can(node));
        (good, Nodes { count: space.nodes.count, literals: space.nodes.literals.clone(), links })
    }

    /// The helper in the instance of the runs.
    fn actor(&self, option: &HelpingMembers, row: usize, who: Option<InstanceId>) -> Option<InstanceId> {
        let Helper::Agent { instance, .. } = option.helper else { return None };
        let row = &self.waiting.rows[row];
        let place = self.waiting.members.iter().position(|member| *member == instance);
        Some(who.or(place.map(|place| row.chosen[place])).unwrap_or_else(|| {
            let (from, to) = (self.waiting.reference, self.waiting.runs.model());
            crate::check::sizes::renaming::Renaming::new(from, to, &[], &[]).of(instance)
        }))
    }
}

impl CandidateSpace {
    fn new(waiting: &Waiting, who: &[InstanceId], other: Option<InstanceId>) -> CandidateSpace {
        let reference = waiting.reference;
        let model = waiting.runs.model();
        let mut places = Vec::new();
        for (place, row) in waiting.rows.iter().enumerate() {
            match other.and_then(|other| reference.place_of_member(other)) {
                None => places.push((place, None)),
                Some((family, _)) => {
                    let others = model.families()[family].members().filter(|it| !row.chosen.contains(it));
                    places.extend(others.map(|it| (place, Some(it))));
                }
            }
        }
        places.truncate(MOST_NODES);
        let all: Vec<InstanceId> = other.into_iter().chain(who.iter().copied()).collect();
        let (mut literals, mut truths) = (Vec::new(), Vec::new());
        for atom in words::atoms(reference, &all) {
            tick();
            let value = |(row, who): &(usize, Option<InstanceId>)| {
                waiting.value(&waiting.rows[*row], &atom, other.zip(*who)).map(|value| value.as_bool())
            };
            let Some(values) = places.iter().map(value).collect::<Option<Vec<bool>>>() else { continue };
            for (literal, truth) in words::literals(atom).into_iter().zip([true, false]) {
                literals.push(literal);
                truths.push(bits(places.len(), |node| values[node] == truth));
            }
        }
        let nodes = Nodes { count: places.len(), literals: truths, links: Vec::new() };
        CandidateSpace { literals, places, nodes }
    }
}

/// The ways in which some agent that is treated fairly can act.
fn add_options(reference: &Model, actor: Actor, is_other: bool, options: &mut Vec<HelpingMembers>) {
    let instance = actor.instance();
    let command = match actor {
        Actor::Instance(_) => None,
        Actor::Command(_, edge) => Some(edge),
    };
    let acting = actor.commands(reference);
    let edges = &reference.agent_of(instance).edges;
    let is_send = |edge: &EdgeId| matches!(edges[edge.index()].action, Action::Send { .. });
    let (sends, meetings): (Vec<EdgeId>, Vec<EdgeId>) = acting.iter().partition(|edge| is_send(edge));
    let other = is_other.then_some(instance);
    let mut add = |by: Option<EdgeId>| {
        let enabling: Vec<EdgeId> = meetings.iter().copied().chain(by).collect();
        if !enabling.is_empty() {
            let helper = Helper::Agent { instance, command, by };
            options.push(HelpingMembers { helper, other, enabling, acting: acting.clone() });
        }
    };
    add(None);
    sends.into_iter().for_each(|edge| add(Some(edge)));
}

/// An integer, or a truth value that counts one where it is true.
fn as_number(value: Value) -> Option<i64> {
    match value {
        Value::Int(number) => i64::try_from(&number).ok(),
        Value::Bool(truth) => Some(i64::from(truth)),
        Value::Enum(_) => None,
    }
}
