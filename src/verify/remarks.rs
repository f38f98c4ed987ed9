//! Remarks about a model, whatever its specs say: no initial state, no step, locals that start with any value,
//! commands that are never taken. The search is cheap and incomplete: it may miss some.
//!
//! It rests on the concrete semantics, also where a solver finds a start without a step. A solver decides that there is
//! no initial state ([`super::initial`]). Contradicting assumptions, and that states have successors
//! ([`super::successors`]), are proved as specs are.

use super::durations;
use super::initial::{Clash, clashes};
use super::successors::differences;
use super::{Engine, Limits, Subject};
use crate::check::Verdict;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::limits::{Budget, Stop, within};
use crate::model::eval::{Choice, Semantics, State};
use crate::model::fairness::Under;
use crate::model::formula::StateLeaf;
use crate::model::joint::Joint;
use crate::model::{
    Agent, AgentId, CommandLeaf, EdgeId, Expr, Formula, Instance, InstanceId, LocalId, Model, Spec, Type, Value,
};
use crate::smt::unroll::Unrolling;
use crate::smt::with_context;
use crate::source::Span;
use crate::ts::lower::lower;
use crate::words::count;
use rustc_hash::{FxHashMap, FxHashSet};

/// About so many commands are tried, which bounds the states that are visited.
const EFFORT: usize = 100_000;
/// The most states that are visited.
const STATES: usize = 2000;
/// The most instances for which a solver looks for a start without a step.
const FEW: usize = 200;
/// Number of steps of a state from which on some may have been left out.
const CHOICES: usize = 200;
/// The most further members with which larger systems are looked at.
const FURTHER: u32 = 16;
/// The most locals whose values are shown.
const SHOWN: usize = 6;
/// The most commands that are named beside the first one.
const RELATED: usize = 3;

/// The errors that make a model empty: that it has no initial state.
pub fn errors(model: &Model) -> Vec<Diagnostic> {
    // Instances of other sizes may have one, unless some instance has no values of its own that is in all of them.
    let is_in_all = |instance: InstanceId| match model.place_of_member(instance) {
        Some((family, place)) => place < model.families()[family].least,
        None => true,
    };
    let is_error = |clash: &&Clash| model.scheme().is_none() || clash.instance.is_some_and(is_in_all);
    clashes(model)
        .iter()
        .filter(is_error)
        .map(|clash| no_initial_state(model, clash, "there is no initial state"))
        .collect()
}

/// The same of values that the command line chose for a model that has initial states for others: its specs hold for these
/// values, so that it is no error.
pub fn for_chosen_values(error: Diagnostic) -> Diagnostic {
    let message = format!("for the values from the command line, {}", error.message);
    let error = Diagnostic { code: Code::NoInitialStateForValues, message, ..error };
    error.help("without a run every spec holds, whatever it says; other values may have initial states")
}

/// Warnings about a model that has an initial state, by place.
pub fn remarks(semantics: &Semantics) -> Diagnostics {
    let look = || {
        let look = NearStates::new(semantics);
        let unseen = look.starts == 0 && semantics.model().instances.len() <= FEW;
        let start = unseen.then(|| stuck_start(semantics)).flatten();
        start.map(|state| stuck_at_once(semantics, &state)).into_iter().chain(look.remarks()).collect::<Vec<_>>()
    };
    let looked = within(Budget::new(None).aside(durations::REMARKS), &Stop::new(), look);
    let model = semantics.model();
    let of_sizes = |remark: Diagnostic| match model.scheme() {
        Some(_) => {
            Diagnostic { message: format!("{}, for {}", remark.message, model.show_sizes(&model.sizes())), ..remark }
        }
        None => remark,
    };
    let found = free_locals(model).into_iter().chain(contradictions(model)).chain(differences(model));
    let found = found.chain(larger_without_start(model)).chain(looked.into_iter().flatten().map(of_sizes));
    found.collect::<Diagnostics>().sorted()
}

/// The first assumptions that, with those above them, no run satisfies; proved as any spec is, if that takes little time.
fn contradictions(model: &Model) -> Option<Diagnostic> {
    let most = model.specs.iter().filter_map(|spec| spec.under.as_deref()).max_by_key(|it| it.assumptions.len())?;
    let doubtful = |number: &usize| !most.assumptions[*number].formula.is_fairness(model);
    let first = (0..most.assumptions.len()).find(doubtful)?;
    if !errors(model).is_empty() {
        return None;
    }
    let is_satisfiable = |number: usize| {
        let budget = Budget::new(None).aside(durations::ASIDE);
        let assumed = Formula::And(most.assumptions[..=number].iter().map(|it| it.formula.clone()).collect());
        let spec = Spec { formula: assumed.negated(), under: None, name: None, text: None, ..model.specs[0].clone() };
        let asked = model.with_specs(vec![spec]);
        let subject = Subject::new(&asked);
        let outcome = subject.prove(0, &Engine::ALL, &Limits::new(budget, &Stop::new())).ok()?;
        match outcome.verdict {
            Verdict::Holds(_) => Some(false),
            Verdict::Violated(_) => Some(true),
            Verdict::NoCounterexample { .. } | Verdict::Unknown { .. } => None,
        }
    };
    // As they seldom contradict each other, all together come first.
    let last = most.assumptions.len() - 1;
    let all = is_satisfiable(last);
    if all == Some(true) {
        return None;
    }
    for number in first..last {
        match is_satisfiable(number) {
            Some(true) => {}
            Some(false) => return Some(contradiction(most, number)),
            None => break,
        }
    }
    all.map(|_| contradiction(most, last))
}

fn contradiction(under: &Under, number: usize) -> Diagnostic {
    let message = match number {
        0 => "no run satisfies this assumption",
        _ => "no run satisfies this assumption and those above it",
    };
    let remark = Diagnostic::new(Code::Contradiction, under.assumptions[number].span, message);
    remark.label("every spec below holds vacuously").help("a proof was found and checked, as for any spec")
}

/// That larger systems have no initial state, if a few more members of some family show it.
fn larger_without_start(model: &Model) -> Option<Diagnostic> {
    let scheme = model.scheme()?;
    let mut families = model.families().iter().enumerate().filter(|(_, family)| !family.is_given);
    families.find_map(|(place, family)| {
        let with = |members: u32| {
            let mut sizes = model.sizes();
            sizes[place] = members;
            sizes
        };
        let clash = |members: u32| {
            let model = scheme.agents(&with(members))?;
            let sizes = format!("`{}[*] = {members}`", family.name);
            let what = format!("systems with {sizes} or more have no initial state");
            clashes(&model).first().map(|clash| no_initial_state(&model, clash, &what))
        };
        let (mut fits, mut fails) = (family.least, family.size + FURTHER);
        let mut found = clash(fails)?;
        while fails - fits > 1 {
            let middle = fits + (fails - fits) / 2;
            match clash(middle) {
                Some(earlier) => (found, fails) = (earlier, middle),
                None => fits = middle,
            }
        }
        let help = "larger systems have no run, so that every spec holds for them, whatever it says: give locals types \
            that fit all members";
        Some(Diagnostic { code: Code::NoInitialStateOfLarger, ..found }.help(help))
    })
}

/// An initial state without a step, if a solver finds one.
fn stuck_start(semantics: &Semantics) -> Option<State> {
    with_context(&Stop::new(), || {
        let system = lower(semantics.model());
        let deadlock = system.deadlock();
        let mut path = Unrolling::new(&system, system.var_ids().collect(), Unrolling::theory_for(&system));
        let stuck = path.literal(0, deadlock);
        let Ok(Some(found)) = path.check(&[stuck], Budget::new(None).aside(durations::ASIDE)) else {
            return None;
        };
        let state = path.trace(&found, 0, None).ok().and_then(|trace| semantics.state_from(&trace.initial).ok());
        // A remark rests on the concrete semantics.
        state.filter(|state| semantics.is_initial(state) && semantics.deadlocked(state))
    })
}

/// `what: no values of the locals of .. fit`
fn no_initial_state(model: &Model, Clash { instance, places }: &Clash, what: &str) -> Diagnostic {
    let of =
        |instance: InstanceId| format!("no values of the locals of `{}` fit", model.instances[instance.index()].name);
    // In ISPL one condition is about all.
    let together = match model.joint {
        Some(_) => "no values of all variables together fit `InitStates`",
        None => "no values of all locals together fit `where`",
    };
    let why = instance.map_or_else(|| together.to_owned(), of);
    let message = format!("{what}: {why}");
    let mut places = places.iter().copied();
    let remark = Diagnostic::new(Code::NoInitialState, places.next().unwrap_or_default(), message);
    let first = match places.len() {
        0 => "this is never true",
        _ => "this and the other conditions contradict each other",
    };
    let member = instance.and_then(|instance| condition_of_member(model, instance, remark.span));
    let first = member.map_or_else(|| first.to_owned(), |condition| format!("{first}: {condition}"));
    let remark = places.fold(remark.label(first), |remark, place| remark.related(place, "one of them"));
    remark.help("without a run every spec holds, whatever it says; change one of these conditions")
}

/// A condition that the members of a family share, as it is of one of them: with its number in place of `index`.
fn condition_of_member(model: &Model, instance: InstanceId, place: Span) -> Option<String> {
    let has_it = |instance: &&Instance| instance.conditions.iter().any(|condition| condition.span == place);
    let Instance { name, agent, conditions, .. } = &model.instances[instance.index()];
    let condition = conditions.iter().find(|condition| condition.span == place)?;
    let is_shared = model.instances.iter().filter(has_it).nth(1).is_some();
    let says = !matches!(condition.expr, Expr::Const(_));
    (is_shared && says).then(|| format!("`{}` of `{name}`", model.show_expr(*agent, &condition.expr, Type::Bool)))
}

/// Locals that no condition mentions.
fn free_locals(model: &Model) -> Vec<Diagnostic> {
    let free = |(id, agent): (AgentId, &Agent)| {
        let instances: Vec<_> = model.instances.iter().filter(|instance| instance.agent == id).collect();
        let mentions = |expr: &Expr<CommandLeaf>, local| expr.any_leaf(|leaf| *leaf == CommandLeaf::Local(local));
        let is_free = |local| {
            let free = instances.iter().any(|instance| !mentions(&instance.init, local));
            free && !mentions(&agent.init, local) && !is_restricted(model, id, local)
        };
        let locals = (0..agent.locals.len() as u32).map(LocalId).filter(|&local| is_free(local));
        locals.map(|local| free_local(agent, local)).collect::<Vec<_>>()
    };
    (0..).map(AgentId).zip(&model.agents).flat_map(free).collect()
}

/// True if what is said of all instances together mentions a local of an agent type.
fn is_restricted(model: &Model, agent: AgentId, local: LocalId) -> bool {
    let is_it = |leaf: &StateLeaf| matches!(*leaf, StateLeaf::Local(instance, other) if other == local && model.instances[instance.index()].agent == agent);
    let mut pending: Vec<&Formula> = model.restriction.iter().map(|restriction| &restriction.formula).collect();
    while let Some(formula) = pending.pop() {
        if matches!(formula, Formula::Atom(expr) if expr.any_leaf(is_it)) {
            return true;
        }
        formula.for_each_child(&mut |part| pending.push(part));
    }
    false
}

fn free_local(agent: &Agent, local: LocalId) -> Diagnostic {
    let variable = &agent.locals[local.index()];
    let message = format!("`{}` of `{}` starts with any value of its type", variable.name, agent.name);
    Diagnostic::new(Code::FreeLocal, variable.span, message).label("no initial condition mentions it")
}

fn stuck_at_once(semantics: &Semantics, state: &State) -> Diagnostic {
    let words = format!("no step is possible from an initial state: {}", values(semantics.model(), state));
    stuck(semantics, state, Code::StuckAtOnce, words, &TakenCommands::default())
}

/// The first locals of a state.
fn values(model: &Model, state: &State) -> String {
    let locals = model.instance_ids().flat_map(|instance| {
        model.locals_of(instance).map(move |(id, local)| {
            let value = model.show(state.local(instance, id), local.ty);
            format!("{} = {value}", model.variable_name(instance, id))
        })
    });
    let locals: Vec<String> = locals.collect();
    let more = if locals.len() > SHOWN { ", .." } else { "" };
    locals.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ") + more
}

/// Commands that some step takes.
type TakenCommands = FxHashSet<(AgentId, EdgeId)>;

/// A state without a step, and what keeps the commands from being taken, those first that were taken before; or which agents
/// have no action.
fn stuck(semantics: &Semantics, state: &State, code: Code, message: String, taken: &TakenCommands) -> Diagnostic {
    let model = semantics.model();
    let places = match &model.joint {
        Some(joint) => without_action(semantics, joint, state),
        None => blocked(semantics, state, taken),
    };
    let mut places = places.into_iter();
    let Some((first, why)) = places.next() else {
        return Diagnostic::new(code, Span::default(), message).label("no send and no get leaves the automaton states");
    };
    let remark = Diagnostic::new(code, first, message).label(why);
    places.take(RELATED).fold(remark, |remark, (place, why)| remark.related(place, why))
}

/// The protocols that allow no action.
pub(super) fn without_action(semantics: &Semantics, joint: &Joint, state: &State) -> Vec<(Span, String)> {
    let told = |instance: InstanceId| {
        let name = &semantics.model().instances[instance.index()].name;
        let why = format!("the protocol of `{name}` allows no action there");
        (joint.behaviours[instance.index()].protocol_place, why)
    };
    semantics.without_action(joint, state).into_iter().map(told).collect()
}

/// The commands that leave the automaton states, and what keeps them from being taken.
fn blocked(semantics: &Semantics, state: &State, taken: &TakenCommands) -> Vec<(Span, String)> {
    let model = semantics.model();
    let mut blocked = semantics.blocked(state);
    blocked.sort_by_key(|blocked| !taken.contains(&(model.instances[blocked.instance.index()].agent, blocked.edge)));
    let place = |(instance, edge): (InstanceId, EdgeId)| model.agent_of(instance).edges[edge.index()].span;
    let told = blocked.iter().map(|it| (place((it.instance, it.edge)), it.describe_named(semantics)));
    told.collect()
}

/// The states that are near, breadth first.
struct NearStates<'s> {
    semantics: &'s Semantics<'s>,
    /// The number of initial states that were seen.
    starts: usize,
    /// True if all reachable states were.
    complete: bool,
    /// The first state without a step, and the number of steps to it.
    stuck: Option<(State, usize)>,
    taken: TakenCommands,
}

impl<'s> NearStates<'s> {
    fn new(semantics: &'s Semantics<'s>) -> NearStates<'s> {
        let mut look =
            NearStates { semantics, starts: 0, complete: false, stuck: None, taken: TakenCommands::default() };
        if let Some(starts) = initial_states(semantics) {
            look.starts = starts.len();
            look.complete = look.visit(starts);
        }
        look
    }

    /// True if all states that can be reached were visited.
    fn visit(&mut self, starts: Vec<State>) -> bool {
        let commands: usize =
            self.semantics.model().instance_ids().map(|id| self.semantics.model().agent_of(id).edges.len()).sum();
        let most = (EFFORT / commands.max(1)).min(STATES);
        let instances = self.semantics.model().instances.len();
        let mut known: FxHashMap<State, usize> = starts.iter().map(|state| (state.clone(), 0)).collect();
        let mut queue = starts;
        let (mut next, mut complete) = (0, true);
        while next < queue.len() {
            if next == most {
                return false;
            }
            let (state, depth) = (queue[next].clone(), known[&queue[next]]);
            if state.is_huge() {
                complete = false;
                next += 1;
                continue;
            }
            let steps = self.semantics.some_steps(&state, CHOICES);
            complete &= steps.len() < CHOICES;
            for step in steps {
                self.note(&state, depth, &step.choice);
                let room = known.len() * instances < EFFORT;
                complete &= room;
                if room && !known.contains_key(&step.target) {
                    known.insert(step.target.clone(), depth + 1);
                    queue.push(step.target);
                }
            }
            next += 1;
        }
        complete
    }

    fn note(&mut self, state: &State, depth: usize, choice: &Choice) {
        let model = self.semantics.model();
        let mut takes = |(instance, edge): (InstanceId, EdgeId)| {
            self.taken.insert((model.instances[instance.index()].agent, edge));
        };
        match choice {
            Choice::Stutter if self.stuck.is_none() => self.stuck = Some((state.clone(), depth)),
            Choice::Joint(_) | Choice::Stutter => {}
            Choice::Send { sender, edge, receivers } => {
                takes((*sender, *edge));
                receivers.iter().for_each(|&receiver| takes(receiver));
            }
            Choice::GetSupply { getter, get, supplier, supply } => {
                takes((*getter, *get));
                takes((*supplier, *supply));
            }
        }
    }

    fn remarks(&self) -> Vec<Diagnostic> {
        let mut remarks = Vec::new();
        if let Some((state, depth)) = &self.stuck {
            remarks.push(match depth {
                0 => stuck_at_once(self.semantics, state),
                _ => {
                    let message = format!("the system can get stuck, after {} at the earliest", count(*depth, "step"));
                    stuck(self.semantics, state, Code::GetsStuck, message, &self.taken)
                }
            });
        }
        if self.complete && self.starts > 0 {
            remarks.extend(self.never_taken());
        }
        remarks
    }

    fn never_taken(&self) -> impl Iterator<Item = Diagnostic> {
        let model = self.semantics.model();
        let used: FxHashSet<AgentId> = model.instances.iter().map(|instance| instance.agent).collect();
        let commands = (0..).map(AgentId).zip(&model.agents).filter(move |(id, _)| used.contains(id));
        let commands = commands.flat_map(|(id, agent)| (0..).map(EdgeId).zip(&agent.edges).map(move |edge| (id, edge)));
        commands.filter(|(id, (edge, _))| !self.taken.contains(&(*id, *edge))).map(|(id, (_, edge))| {
            let agent = &model.agents[id.index()].name;
            let message = match &edge.label {
                Some(label) => format!("no run takes this command: `{label}` of `{agent}`"),
                None => format!("no run takes this command of `{agent}`"),
            };
            Diagnostic::new(Code::CommandNeverTaken, edge.span, message)
        })
    }
}

/// All initial states, if they are few and can be listed.
fn initial_states(semantics: &Semantics) -> Option<Vec<State>> {
    let model = semantics.model();
    let locals = model.instance_ids().map(|instance| semantics.initial_locals_within(instance, STATES).ok());
    let locals: Vec<Vec<Vec<Value>>> = locals.collect::<Option<_>>()?;
    let count = locals.iter().try_fold(1usize, |count, list| count.checked_mul(list.len()));
    count.filter(|&count| count <= STATES)?;
    let mut states: Vec<Vec<(u32, Vec<Value>)>> = vec![Vec::new()];
    for list in &locals {
        let extended = states.iter().flat_map(|state| {
            list.iter().map(move |values| state.iter().cloned().chain([(0, values.clone())]).collect())
        });
        states = extended.collect();
    }
    let states: Vec<State> = states.iter().map(|state| semantics.state_from(state).ok()).collect::<Option<_>>()?;
    Some(states.into_iter().filter(|state| semantics.is_initial(state)).collect())
}
