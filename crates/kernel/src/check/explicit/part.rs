//! The evidence for one conjunct.

use super::graph::{FoundSteps, MemberRecord, StateSpace, StepList, Symmetric};
use super::recurrence::Recurrence;
use super::tableau::{self, Obligations, Tableau};
use super::witnesses::Walks;
use crate::check::Refused;
use crate::claim::explicit::{ClosedSet, Members, Rank, Ranks, Why};
use crate::model::eval::tables::{Fact, Facts};
use crate::model::normal::Literal;
use crate::model::subformulas::{Obligation, subformulas};
use crate::model::{EdgeId, Formula, InstanceId, Model};
use crate::records::{Layout, Records, bits};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;

/// How many members are looked at a second time, with the steps that the semantics lists.
const SECOND_LOOKS: u32 = 64;

/// A way to go on from a set of obligations.
pub struct Onward {
    way: Way,
    /// True if each condition is requested, and whether it is answered.
    pub requested: Arc<[bool]>,
    pub answered: Arc<[bool]>,
}

impl Onward {
    /// The eventualities that are pending.
    pub fn pending(&self) -> &[Obligation] {
        &self.way.pending
    }
}

/// The outcome of a set of obligations.
#[derive(Clone)]
struct Way {
    /// The sets of obligations of the certificate that what remains implies, and those that imply it.
    implied: Arc<[u32]>,
    implying: Arc<[u32]>,
    /// The eventualities that are pending.
    pending: Arc<[Obligation]>,
}

/// The ways to meet one set of obligations.
#[derive(Default)]
struct Ways {
    /// The subformulas whose truth decides.
    reads: Vec<u32>,
    /// Per truth of these the ways.
    known: FxHashMap<Vec<bool>, Vec<Way>>,
}

/// Checks one conjunct, member by member.
pub struct PartCheck<'a> {
    certificate: &'a ClosedSet,
    index: usize,
    tableau: Tableau<'a>,
    /// All conditions, and what each generator makes of each of them.
    conditions: Vec<(Obligation, Recurrence)>,
    exchanged: Vec<Vec<u32>>,
    /// Per reason the conditions that it names.
    named: Vec<Vec<u32>>,
    /// Per rank, true if some run violates the conjunct.
    witnessed: Vec<bool>,
    /// The movements of conditions by words of generators, the identity first; and per movement and generator, that by
    /// both.
    movements: Vec<Vec<u32>>,
    next_movement: FxHashMap<(u32, usize), u32>,
    /// Per subformula the fact that it is, if it is one.
    facts: Vec<Option<usize>>,
    /// The facts about states, about steps, and about receives.
    state: Vec<u64>,
    now: Vec<u64>,
    receives: Vec<u64>,
    /// Per set of receives of the certificate its facts.
    received: Vec<Vec<u64>>,
    /// Sets of facts of the present state and step.
    letters: Records,
    /// Per letter of a state and of a step of the tables the letter of both.
    joined: FxHashMap<(u32, u32), u32>,
    /// Per letter of a step of the tables the number of its receives.
    places: FxHashMap<u32, Option<u32>>,
    /// Per set of obligations, receives and letter a range of ways to go on.
    ranges: FxHashMap<[u32; 3], (u32, u32)>,
    /// Per set of obligations.
    ways: FxHashMap<u32, Ways>,
    onward: Vec<Onward>,
    /// Per set of obligations those and what they consist of, if there are witnesses.
    consequences: Vec<Obligations>,
    walks: Walks,
}

/// The sets of obligations with which runs start: those that follow from the falsity of the conjunct, and those from
/// which, with the conditions, it follows.
pub struct Start {
    implied: Vec<u32>,
    implying: Vec<u32>,
}

/// A member, and its rank; true if that says that some run violates the conjunct.
#[derive(Clone, Copy)]
struct Source {
    member: u32,
    rank: u32,
    is_witnessed: bool,
}

/// Space for one member after the other.
#[derive(Default)]
struct Work {
    found: FoundSteps,
    state: Vec<u32>,
    /// Per step what the symmetries make of the conditions, if there are any.
    moved: Vec<u32>,
    /// Per step a range of ways to go on, and its receives.
    ways: Vec<((u32, u32), Option<u32>)>,
}

/// The fact that a subformula is, if it is one.
fn fact<'f>(model: &Model, formula: &'f Formula) -> Option<Fact<'f>> {
    Literal::of(formula).map(|literal| Fact::of(model, literal))
}

/// Adds the facts of a conjunct.
pub fn add_facts<'f>(facts: &mut Facts<'f>, model: &Model, conjunct: &'f Formula) {
    for fact in subformulas(conjunct).into_iter().filter_map(|formula| fact(model, formula)) {
        facts.add(fact);
    }
}

impl<'a> PartCheck<'a> {
    /// Of the conjunct with this index, whose facts are among these; refuses a certificate whose indices lead nowhere.
    pub fn new(
        model: &Model,
        conjunct: &'a Formula,
        facts: &Facts<'a>,
        certificate: &'a ClosedSet,
        index: usize,
        symmetric: &Symmetric,
    ) -> Result<PartCheck<'a>, Refused> {
        let tableau = Tableau::new(conjunct);
        check_indices(certificate, tableau.list.len()).map_err(Refused::malformed)?;
        let conditions = conditions(certificate, &tableau).map_err(Refused::malformed)?;
        let formulas = conditions.iter().map(|(it, _)| (tableau.list[it.subformula as usize], it.truth));
        let exchanged = symmetric.exchanged(&formulas.collect::<Vec<_>>())?;
        let words = bits::words(facts.list().len());
        let [mut state, mut now, mut receives] = [vec![0; words], vec![0; words], vec![0; words]];
        let mut of_subformulas = Vec::new();
        // Those of other runs are looked at elsewhere.
        let mut own = FxHashSet::default();
        conjunct.for_each_part(&mut |part| {
            own.insert(part);
            !matches!(part, Formula::Branching(_))
        });
        for formula in &tableau.list {
            let fact = fact(model, formula).filter(|_| own.contains(formula));
            let found = fact.and_then(|fact| Some((facts.number(fact)?, fact)));
            if let Some((bit, fact)) = found {
                match fact {
                    Fact::State(_) | Fact::Branching(_) => bits::set(&mut state, bit),
                    Fact::Received(..) => bits::set(&mut receives, bit),
                    Fact::Performed(..) | Fact::Observed(_) => bits::set(&mut now, bit),
                }
            }
            of_subformulas.push(found.map(|(bit, _)| bit));
        }
        let received = certificate.received.iter().map(|list| {
            let mut set = vec![0; words];
            for (instance, edge) in list {
                let fact = Fact::Received(InstanceId(*instance), EdgeId(*edge));
                let bit = facts.number(fact).filter(|bit| bits::get(&receives, *bit));
                bits::set(&mut set, bit.ok_or("a receive does not occur in the conjunct")?);
            }
            Ok(set)
        });
        let received: Result<Vec<Vec<u64>>, &str> = received.collect();
        let walks = Walks::new(&certificate.witnesses, &conditions);
        let walks = walks.map_err(Refused::malformed)?;
        let is_witnessed = |rank: &Rank| certificate.reasons[rank.why as usize] == Why::Witnessed;
        let witnessed: Vec<bool> = certificate.ranks.iter().map(is_witnessed).collect();
        let consequences = certificate.obligations.iter().filter(|_| witnessed.contains(&true));
        let consequences = consequences.map(|set| tableau.consequences(&set.iter().copied().collect())).collect();
        Ok(PartCheck {
            certificate,
            index,
            tableau,
            movements: vec![(0..conditions.len() as u32).collect()],
            next_movement: FxHashMap::default(),
            named: certificate.reasons.iter().map(|why| numbers(&conditions, why)).collect(),
            conditions,
            witnessed,
            exchanged,
            facts: of_subformulas,
            state,
            now,
            receives,
            received: received.map_err(Refused::malformed)?,
            letters: Records::new(words),
            joined: FxHashMap::default(),
            places: FxHashMap::default(),
            ranges: FxHashMap::default(),
            ways: FxHashMap::default(),
            onward: Vec::new(),
            consequences,
            walks,
        })
    }

    /// That no run from an initial state violates the conjunct, if [`PartCheck::check_members`] finds nothing wrong.
    pub fn check_initial(&self, space: &impl StateSpace) -> Result<(), Refused> {
        self.check_width(space)?;
        let start = self.start();
        let there = space.all_initial(&mut |state| self.is_violated_from(&start, state) == Some(false));
        if there { Ok(()) } else { Err(self.wrong("an initial state is missing")) }
    }

    /// That members are as wide as states, with two more numbers.
    fn check_width(&self, space: &impl StateSpace) -> Result<(), Refused> {
        let members = &self.certificate.members;
        match members.is_empty() || members.width() == space.width() + 2 {
            true => Ok(()),
            false => Err(Refused::malformed("members of another width")),
        }
    }

    /// That the initial states are there; members that are reached from them are noted from now on.
    pub fn begin(&mut self, space: &impl StateSpace) -> Result<(), Refused> {
        self.check_width(space)?;
        let start = self.start();
        let mut starts = Vec::new();
        let there = space.all_initial(&mut |state| {
            starts.extend(self.members_at(state, &start.implying));
            self.members_at(state, &start.implied).next().is_some()
        });
        self.walks.begin(self.certificate.members.len(), starts.into_iter());
        if there { Ok(()) } else { Err(self.wrong("an initial state is missing")) }
    }

    /// True if a run from an initial state, as they were given to [`PartCheck::begin`], leads to a member.
    pub fn is_reached(&self, member: u32) -> bool {
        self.walks.is_reached(member)
    }

    /// The sets of obligations with which runs start.
    pub fn start(&self) -> Start {
        let falsity = Obligations::from([self.tableau.negation()]);
        let exact: Obligations = self.tableau.beginning().1.into_iter().collect();
        Start { implied: self.implied(&self.tableau.consequences(&falsity)), implying: self.implying(&exact) }
    }

    /// True if some run from a state violates the conjunct, and false if none does; `None` if no member says so.
    pub fn is_violated_from(&self, start: &Start, state: &[u32]) -> Option<bool> {
        let is_witnessed = |member| self.is_witnessed(self.rank_of(member));
        if self.members_at(state, &start.implied).any(|member| !is_witnessed(member)) {
            return Some(false);
        }
        self.members_at(state, &start.implying).any(is_witnessed).then_some(true)
    }

    /// The members with a state, without receives, and with one of these sets of obligations.
    fn members_at(&self, state: &[u32], sets: &[u32]) -> impl Iterator<Item = u32> {
        let no_receives = self.received.iter().position(|set| set.iter().all(|word| *word == 0));
        let mut numbers = [state, &[no_receives.unwrap_or_default() as u32, 0]].concat();
        let mut record = Vec::new();
        sets.iter().filter(move |_| no_receives.is_some()).filter_map(move |set| {
            *numbers.last_mut().expect("it was added") = *set;
            self.certificate.members.find(&numbers, &mut record)
        })
    }

    fn rank(&self, member: u32, obligations: u32) -> u32 {
        self.certificate.members.ranks().of(member, obligations).expect("the number of ranks was checked")
    }

    fn rank_of(&self, member: u32) -> u32 {
        let members = &self.certificate.members;
        self.rank(member, members.layout().get(members.records().get(member), members.width() - 1))
    }

    /// True if a rank says that some run violates the conjunct.
    fn is_witnessed(&self, rank: u32) -> bool {
        self.witnessed[rank as usize]
    }

    /// That the steps from some of the members stay among the members, with proper ranks.
    pub fn check_members(&mut self, space: &mut impl StateSpace, members: Range<u32>) -> Result<(), Refused> {
        let mut work = Work::default();
        let looks = (self.certificate.members.len() as u32 / SECOND_LOOKS).max(1);
        self.check_width(space)?;
        for member in members {
            self.check_member(space, member, &mut work)?;
            if member.is_multiple_of(looks) && !space.are_steps_right(&work.state) {
                return Err(
                    self.wrong(format_args!("the tables have other steps from member {member} than the semantics"))
                );
            }
        }
        Ok(())
    }

    fn check_member(
        &mut self,
        space: &mut impl StateSpace,
        member: u32,
        Work { found, state, moved, ways }: &mut Work,
    ) -> Result<(), Refused> {
        let certificate = self.certificate;
        certificate.members.unpack(member, state);
        let obligations = state.pop().expect("the width was checked");
        let received = state.pop().expect("the width was checked");
        let known = space.has(state)
            && (received as usize) < self.received.len()
            && (obligations as usize) < certificate.obligations.len();
        if !known {
            return Err(Refused::malformed("a member refers to something missing"));
        }
        let layout = certificate.members.layout();
        let record = MemberRecord { layout, record: certificate.members.records().get(member) };
        space.find_steps(state, record, &self.state, found);
        let letter = self.letters.insert(&found.facts);
        moved.clear();
        let mut start = 0;
        for end in &found.steps.ends {
            let applied = &found.steps.applied[start..*end];
            moved.push(applied.iter().fold(0, |movement, generator| self.further(movement, *generator)));
            start = *end;
        }
        let here = self.ways_on([obligations, received, letter]);
        let width = layout.width();
        let StepList { letters, targets, fits, .. } = &mut found.steps;
        ways.clear();
        for (index, of_step) in letters.iter().enumerate() {
            let (range, place) = match of_step {
                0 => (here, self.place(space, 0)),
                _ => {
                    let letter = self.joined(space, letter, *of_step);
                    (self.ways_on([obligations, received, letter]), self.place(space, *of_step))
                }
            };
            let first =
                self.onward[range.0 as usize..range.1 as usize].first().and_then(|onward| onward.way.implied.first());
            let place = place.filter(|_| fits[index]);
            if let (Some(place), Some(set)) = (place, first) {
                put(layout, &mut targets[index * width..(index + 1) * width], place, *set);
            }
            ways.push((range, place));
        }
        certificate.members.records().warm(targets);
        let rank = self.rank(member, obligations);
        let from = Source { member, rank, is_witnessed: self.is_witnessed(rank) };
        for (index, ((start, end), place)) in ways.iter().enumerate() {
            let target = &mut targets[index * width..(index + 1) * width];
            let moved = moved.get(index).copied().unwrap_or_default();
            for onward in &self.onward[*start as usize..*end as usize] {
                self.check_onward(from, onward, (*place, moved), target)?;
                if let Some(place) = place.filter(|_| from.is_witnessed) {
                    walk(&certificate.members, &mut self.walks, member, onward, (place, target));
                }
            }
        }
        Ok(())
    }

    /// That some member has the state of the target, obligations that are implied, and a proper rank.
    fn check_onward(
        &self,
        Source { member, rank, is_witnessed }: Source,
        onward: &Onward,
        (place, moved): (Option<u32>, u32),
        target: &mut [u64],
    ) -> Result<(), Refused> {
        let members = &self.certificate.members;
        let mut closed = false;
        for set in onward.way.implied.iter() {
            if !place.is_some_and(|place| put(members.layout(), target, place, *set)) {
                continue;
            }
            if let Some(next) = members.records().find(target) {
                closed = true;
                let to = self.rank(next, *set);
                if is_witnessed || !self.is_witnessed(to) && self.is_ranked(rank, to, onward, moved) {
                    return Ok(());
                }
            }
        }
        let what = if closed { "is not ranked" } else { "leads out of the set" };
        Err(self.wrong(format_args!("a step from member {member} {what}")))
    }

    fn wrong(&self, what: impl Display) -> Refused {
        Refused::wrong(format_args!("conjunct {}: {what}", self.index))
    }

    /// That members with witnesses have runs that violate the conjunct, once all members were checked.
    pub fn check_witnesses(&self) -> Result<(), Refused> {
        self.walks.conclude(self.witnessed()).map_err(Refused::malformed)
    }

    /// The members with witnesses.
    pub fn witnessed(&self) -> impl Iterator<Item = u32> {
        let members = 0..self.certificate.members.len() as u32;
        members.filter(|member| self.is_witnessed(self.rank_of(*member)))
    }

    /// True if a step on which conditions move so may lead from one rank to another: to a smaller one, or, inside of one,
    /// as its reason says.
    fn is_ranked(&self, from: u32, to: u32, step: &Onward, moved: u32) -> bool {
        let ranks = &self.certificate.ranks;
        if ranks[from as usize].within.is_none() && ranks[to as usize].within.is_none() {
            return self.may_go(from, to, step, moved) == Some(true);
        }
        // From the largest rank on to what it consists of.
        let decided = |(from, to)| self.may_go(from, to, step, moved);
        self.around(from).into_iter().zip(self.around(to)).find_map(decided).unwrap_or(false)
    }

    /// The same of two ranks that are parts of the same; nothing if that is for the parts of the rank to say.
    fn may_go(&self, from: u32, to: u32, step: &Onward, moved: u32) -> Option<bool> {
        let [from, to] = [from, to].map(|rank| &self.certificate.ranks[rank as usize]);
        if from.order != to.order {
            return Some(to.order < from.order);
        }
        let reasons = &self.certificate.reasons;
        match (&reasons[from.why as usize], &reasons[to.why as usize]) {
            (Why::Pending(one), Why::Pending(other)) => Some(one == other && step.way.pending.contains(one)),
            (Why::Unanswered(_), Why::Unanswered(_)) => {
                let [one, other] = [from, to].map(|rank| &self.named[rank.why as usize]);
                let movement = &self.movements[moved as usize];
                let same =
                    one.len() == other.len() && one.iter().all(|number| other.contains(&movement[*number as usize]));
                let any = |list: &[bool]| one.iter().any(|number| list[*number as usize]);
                if !same || any(&step.answered) { Some(false) } else { any(&step.requested).then_some(true) }
            }
            _ => Some(false),
        }
    }

    /// The number of a movement of conditions followed by one more generator.
    fn further(&mut self, movement: u32, generator: usize) -> u32 {
        if let Some(known) = self.next_movement.get(&(movement, generator)) {
            return *known;
        }
        let images = &self.exchanged[generator];
        let next: Vec<u32> = self.movements[movement as usize].iter().map(|number| images[*number as usize]).collect();
        let number = self.movements.iter().position(|known| *known == next).unwrap_or_else(|| {
            self.movements.push(next);
            self.movements.len() - 1
        });
        self.next_movement.insert((movement, generator), number as u32);
        number as u32
    }

    /// The ranks of which a rank is a part, the largest first, and the rank.
    fn around(&self, rank: u32) -> Vec<u32> {
        let mut list = vec![rank];
        while let Some(within) = list.last().and_then(|rank| self.certificate.ranks[*rank as usize].within) {
            list.push(within);
        }
        list.reverse();
        list
    }

    /// The facts of a state and of a step from it.
    fn joined(&mut self, space: &impl StateSpace, letter: u32, of_step: u32) -> u32 {
        if of_step == 0 {
            return letter;
        }
        if let Some(known) = self.joined.get(&(letter, of_step)) {
            return *known;
        }
        let step = space.letter(of_step).iter().zip(&self.now).map(|(fact, now)| fact & now);
        let both: Vec<u64> = self.letters.get(letter).iter().zip(step).map(|(state, step)| state | step).collect();
        let number = self.letters.insert(&both);
        self.joined.insert((letter, of_step), number);
        number
    }

    /// Which set of receives of the certificate a step has; nothing if it is missing there.
    fn place(&mut self, space: &impl StateSpace, of_step: u32) -> Option<u32> {
        if let Some(known) = self.places.get(&of_step) {
            return *known;
        }
        let of_step_receives = space.letter(of_step).iter().zip(&self.receives).map(|(fact, all)| fact & all);
        let set: Vec<u64> = of_step_receives.collect();
        let place = self.received.iter().position(|known| *known == set).map(|place| place as u32);
        self.places.insert(of_step, place);
        place
    }

    /// The ways to go on from a set of obligations, receives and a letter, as a range.
    fn ways_on(&mut self, key: [u32; 3]) -> (u32, u32) {
        if let Some(range) = self.ranges.get(&key) {
            return *range;
        }
        let [set, received, letter] = key;
        let (now, before) = (self.letters.get(letter), &self.received[received as usize]);
        // Receives are facts of the step before only.
        let truth = |fact: &Option<usize>| fact.is_some_and(|bit| bits::get(now, bit) || bits::get(before, bit));
        let facts: Vec<bool> = self.facts.iter().map(truth).collect();
        let is_met =
            |obligation: Option<Obligation>| obligation.map(|obligation| self.tableau.is_met(obligation, &facts));
        let conditions = self.conditions.iter().map(|(_, recurrence)| recurrence);
        let requested: Arc<[bool]> = conditions.clone().map(|it| is_met(it.request).unwrap_or(true)).collect();
        let answered: Arc<[bool]> = conditions.map(|it| is_met(it.answer).unwrap_or(false)).collect();
        let start = self.onward.len() as u32;
        for way in self.ways_of(set, &facts) {
            let (requested, answered) = (requested.clone(), answered.clone());
            self.onward.push(Onward { way, requested, answered });
        }
        let range = (start, self.onward.len() as u32);
        self.ranges.insert(key, range);
        range
    }

    /// The ways to meet a set of obligations: once for all truths of what they read, whatever else is true.
    fn ways_of(&mut self, set: u32, facts: &[bool]) -> Vec<Way> {
        let certificate = self.certificate;
        let obligations = &certificate.obligations[set as usize];
        let of_set = self.ways.entry(set).or_insert_with(|| {
            let reads = self.tableau.below(obligations).into_iter();
            let reads = reads.filter(|subformula| self.facts[*subformula as usize].is_some());
            Ways { reads: reads.collect(), known: FxHashMap::default() }
        });
        let truths: Vec<bool> = of_set.reads.iter().map(|subformula| facts[*subformula as usize]).collect();
        if let Some(known) = of_set.known.get(&truths) {
            return known.clone();
        }
        let way = |way: tableau::Way| {
            let implied = self.implied(&self.tableau.consequences(&way.next)).into();
            let implying = self.implying(&way.next).into();
            Way { implied, implying, pending: way.pending.into_iter().collect() }
        };
        let ways: Vec<Way> = self.tableau.ways(obligations, facts).into_iter().map(way).collect();
        self.ways.get_mut(&set).expect("it was added").known.insert(truths, ways.clone());
        ways
    }

    /// The sets of obligations of the certificate that imply these; none if there are no witnesses.
    fn implying(&self, these: &Obligations) -> Vec<u32> {
        let follow = |from: &Obligations| these.iter().all(|obligation| self.tableau.follows(*obligation, from));
        self.consequences.iter().zip(0..).filter(|(from, _)| follow(from)).map(|(_, number)| number).collect()
    }

    /// The sets of obligations of the certificate that these imply, larger ones first.
    fn implied(&self, by: &Obligations) -> Vec<u32> {
        let sets = self.certificate.obligations.iter().zip(0..);
        let implied = sets.filter(|(set, _)| set.iter().all(|obligation| by.contains(obligation)));
        let mut implied: Vec<(usize, u32)> = implied.map(|(set, number)| (set.len(), number)).collect();
        implied.sort_by_key(|(size, _)| usize::MAX - size);
        implied.into_iter().map(|(_, number)| number).collect()
    }
}

/// Tells walks of the members that a step of a run leads to.
fn walk(members: &Members, walks: &mut Walks, from: u32, onward: &Onward, (place, target): (u32, &mut [u64])) {
    for set in onward.way.implying.iter() {
        if put(members.layout(), target, place, *set)
            && let Some(next) = members.records().find(target)
        {
            walks.step(from, next, onward);
        }
    }
}

/// Writes the last two numbers of a member, if they fit.
fn put(layout: &Layout, target: &mut [u64], place: u32, set: u32) -> bool {
    let [at_place, at_set] = [layout.len() - 2, layout.len() - 1];
    let fits = place <= layout.greatest(at_place) && set <= layout.greatest(at_set);
    if fits {
        layout.set(target, at_place, place);
        layout.set(target, at_set, set);
    }
    fits
}

/// All conditions that follow from the falsity of the conjunct; those that ranks name are among them.
fn conditions(part: &ClosedSet, tableau: &Tableau) -> Result<Vec<(Obligation, Recurrence)>, &'static str> {
    let implied = tableau.consequences(&Obligations::from([tableau.negation()]));
    let all = implied.into_iter().filter_map(|it| Some((it, tableau.recurrence(it)?)));
    let all: Vec<(Obligation, Recurrence)> = all.collect();
    let named = part.reasons.iter().flat_map(|why| match why {
        Why::Unanswered(conditions) => &conditions[..],
        Why::Passing | Why::Pending(_) | Why::Witnessed => &[],
    });
    let is_known = |condition: &Obligation| all.iter().any(|(known, _)| known == condition);
    match named.into_iter().all(is_known) {
        true => Ok(all),
        false => Err("a condition does not follow from the falsity of the conjunct"),
    }
}

/// The conditions that a reason names, each once.
fn numbers(all: &[(Obligation, Recurrence)], why: &Why) -> Vec<u32> {
    let Why::Unanswered(list) = why else { return Vec::new() };
    (0..all.len() as u32).filter(|number| list.contains(&all[*number as usize].0)).collect()
}

/// That all indices are in range, but for those of members.
fn check_indices(part: &ClosedSet, subformulas: usize) -> Result<(), &'static str> {
    let known = |obligation: &Obligation| (obligation.subformula as usize) < subformulas;
    let of_reasons = part.reasons.iter().flat_map(|why| match why {
        Why::Passing | Why::Witnessed => &[],
        Why::Pending(eventuality) => std::slice::from_ref(eventuality),
        Why::Unanswered(conditions) => &conditions[..],
    });
    if !part.obligations.iter().flatten().chain(of_reasons).all(known) {
        return Err("an obligation is no subformula");
    }
    let outer = |(number, rank): (usize, &Rank)| rank.within.is_none_or(|within| (within as usize) < number);
    if !part.ranks.iter().enumerate().all(outer) {
        return Err("a rank is a part of a later one");
    }
    if part.ranks.iter().any(|rank| rank.why as usize >= part.reasons.len()) {
        return Err("a reason is missing");
    }
    let (members, ranks) = (&part.members, part.members.ranks());
    let is_member = |member: &u32| (*member as usize) < members.len();
    let loops = part.witnesses.loops.iter().flat_map(|it| &it.members);
    if !part.witnesses.next.iter().flat_map(|(from, to)| [from, to]).chain(loops).all(is_member) {
        return Err("a witness leads to something missing");
    }
    let (ranks, expected) = match ranks {
        Ranks::ByObligations(ranks) => (ranks, part.obligations.len()),
        Ranks::Each(ranks) => (ranks, members.len()),
    };
    if ranks.len() != expected || ranks.iter().any(|rank| *rank as usize >= part.ranks.len()) {
        return Err("a rank refers to something missing");
    }
    Ok(())
}
