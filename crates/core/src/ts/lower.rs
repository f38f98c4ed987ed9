//! From the model to a transition system (`docs/semantics.md`).
//!
//! One event per send edge of an instance and one per meeting of a get edge with a supply edge; what
//! the receivers do is a function of the state, up to one small input per receiver that can have
//! several ready receives at once. The receivers' choices are never multiplied out.

use super::expressions::{Data, Expressions, Properties, Scope, constant, domain_of, sort_of};
use super::system::{Case, Domain, Event, EventKind, Input, Origin, Parts, Reception, System, Variable, event_is};
use super::term::{InputId, Leaf, Sort, Term, Terms, VarId};
use crate::model::{
    Action, CommandKind, CommandLeaf, Edge, EdgeId, Expr, GetTarget, InstanceId, LocalId, MessageId, Model, TotalId,
    Type, Value,
};
use rustc_hash::FxHashMap;

/// The transition system of a model.
pub fn lower(model: &Model) -> System {
    let mut lowering = Lowering::new(model);
    lowering.init();
    if let Some(joint) = &model.joint {
        lowering.joint(joint);
        return lowering.finish();
    }
    let mut gets = Vec::new();
    for instance in model.instance_ids() {
        for (id, edge) in edges(model, instance) {
            match edge.action.kind() {
                CommandKind::Send => lowering.send(instance, id, edge),
                CommandKind::Get => gets.push((instance, id, edge)),
                // They are parts of the events of others.
                CommandKind::Receive | CommandKind::Supply => {}
            }
        }
    }
    gets.into_iter().for_each(|(getter, get, edge)| lowering.get(getter, get, edge));
    lowering.finish()
}

/// The edges of an instance with their ids.
fn edges(model: &Model, instance: InstanceId) -> impl Iterator<Item = (EdgeId, &Edge)> {
    model.agent_of(instance).edges.iter().enumerate().map(|(index, edge)| (EdgeId(index as u32), edge))
}

/// An event while the number of events is still unknown.
struct EventDraft {
    kind: EventKind,
    guard: Term,
    enabled: Term,
    receptions: Vec<Reception>,
    /// Variable, when (apart from the event itself), new value.
    assignments: Vec<(VarId, Term, Term)>,
}

pub(super) struct Lowering<'m> {
    pub(super) model: &'m Model,
    pub(super) terms: Terms,
    pub(super) expressions: Expressions<'m>,
    variables: Vec<Variable>,
    /// Per instance the number of options that its choice input needs; below 2 there is none.
    options: Vec<u32>,
    init: Vec<Term>,
    drafts: Vec<EventDraft>,
    /// The inputs behind the event, where all act at once.
    pub(super) choices: Vec<Input>,
}

impl<'m> Lowering<'m> {
    fn new(model: &'m Model) -> Lowering<'m> {
        let mut variables = Vec::new();
        for id in model.instance_ids() {
            let (agent, name) = (model.agent_of(id), &model.instances[id.index()].name);
            variables.push(Variable {
                name: format!("{name}-automaton-state"),
                origin: Origin::Automaton(id),
                sort: Sort::Enum(agent.states),
                domain: Domain::all(agent.states),
            });
            variables.extend(agent.locals.iter().enumerate().map(|(index, local)| Variable {
                name: model.variable_name(id, LocalId(index as u32)),
                origin: Origin::Local(id, LocalId(index as u32)),
                sort: sort_of(model, local.ty),
                domain: domain_of(model, local.ty),
            }));
        }
        variables.extend((0..model.totals().len() as u32).map(|number| Variable {
            name: format!("total-{}", number + 1),
            origin: Origin::Total(TotalId(number)),
            sort: Sort::Int,
            domain: Domain::Unbounded,
        }));
        let expressions = Expressions::new(model);
        let options = vec![1; model.instances.len()];
        Lowering {
            model,
            terms: Terms::new(),
            expressions,
            variables,
            options,
            init: Vec::new(),
            drafts: Vec::new(),
            choices: Vec::new(),
        }
    }

    fn command(&mut self, expr: &Expr<CommandLeaf>, scope: Scope) -> Term {
        self.expressions.command(&mut self.terms, expr, scope)
    }

    fn init(&mut self) {
        for id in self.model.instance_ids() {
            let at_start = self.in_automaton_state(id, 0);
            let of_type = self.command(&self.model.agent_of(id).init, Scope::of(id));
            let of_instance = self.command(&self.model.instances[id.index()].init, Scope::of(id));
            self.init.extend([at_start, of_type, of_instance]);
        }
        let restriction =
            self.model.restriction.as_ref().map(|it| self.expressions.of_locals(&mut self.terms, &it.formula));
        self.init.extend(restriction);
    }

    fn in_automaton_state(&mut self, id: InstanceId, state: u32) -> Term {
        let automaton = self.expressions.automaton(&mut self.terms, id);
        let state = self.terms.constant_of_enum(state, self.model.agent_of(id).states);
        self.terms.eq(automaton, state)
    }

    /// That the value fits the declared type.
    pub(super) fn fits(&mut self, value: Term, ty: Type) -> Term {
        match ty {
            Type::Range(low, high) => Domain::Range(low, high).contains(&mut self.terms, value, Sort::Int),
            _ => self.terms.bool(true),
        }
    }

    /// That the assigned data fits.
    fn data_fits(&mut self, data: &[(MessageId, Term)]) -> Term {
        let fits: Vec<Term> =
            data.iter().map(|&(id, value)| self.fits(value, self.model.messages[id.index()].ty)).collect();
        self.terms.and(fits)
    }

    /// Adds the assignments of an edge that is taken when `condition` holds; the term says that the new values fit.
    fn take(&mut self, edge: &Edge, scope: Scope, condition: Term, out: &mut Vec<(VarId, Term, Term)>) -> Term {
        let model = self.model;
        let agent = model.agent_of(scope.instance);
        let automaton = self.expressions.first_variable(scope.instance);
        if edge.source != edge.target {
            let target = self.terms.constant_of_enum(edge.target, agent.states);
            out.push((automaton, condition, target));
        }
        let mut fits = Vec::new();
        for (local, expr) in &edge.updates {
            let ty = agent.locals[local.index()].ty;
            let value = self.expressions.typed(&mut self.terms, expr, ty, scope);
            fits.push(self.fits(value, ty));
            out.push((VarId(automaton.0 + 1 + local.0), condition, value));
        }
        self.terms.and(fits)
    }

    /// In the source state of an edge with its guard true.
    fn at(&mut self, edge: &Edge, scope: Scope) -> Term {
        let source = self.in_automaton_state(scope.instance, edge.source);
        let guard = self.command(&edge.guard, scope);
        self.terms.and([source, guard])
    }

    fn send(&mut self, sender: InstanceId, edge_id: EdgeId, edge: &Edge) {
        let Action::Send { channel, guard: send_guard, .. } = &edge.action else { unreachable!("a send edge") };
        let own = Scope::of(sender);
        let channel = self.expressions.typed(&mut self.terms, channel, Type::Channel, own);
        let data = self.expressions.data(&mut self.terms, sender, edge);
        let mut assignments = Vec::new();
        let always = self.terms.bool(true);
        let base = [self.at(edge, own), self.data_fits(&data), self.take(edge, own, always, &mut assignments)];
        let message = SentMessage { sender, channel, data: &data, send_guard };
        let (mut guard, mut enabled, mut receptions) = (base.to_vec(), base.to_vec(), Vec::new());
        if self.terms.and(base) != self.terms.bool(false) {
            for receiver in self.model.instance_ids().filter(|&id| id != sender) {
                let part = self.receive(receiver, &message, &mut receptions, &mut assignments);
                guard.push(part.guard);
                enabled.push(part.enabled);
            }
        }
        self.add_to_totals(&[sender], &mut assignments);
        let (guard, enabled) = (self.terms.and(guard), self.terms.and(enabled));
        self.draft(EventKind::Send { sender, edge: edge_id }, guard, enabled, receptions, assignments);
    }

    /// The conditions that a message puts on one other instance, with the receptions and assignments of that instance.
    fn receive(
        &mut self,
        receiver: InstanceId,
        message: &SentMessage,
        receptions: &mut Vec<Reception>,
        assignments: &mut Vec<(VarId, Term, Term)>,
    ) -> ReceiverPart {
        let model = self.model;
        let listening = Scope { channel: Some(message.channel), ..Scope::of(receiver) };
        let listens = self.command(&model.agent_of(receiver).receive_guard, listening);
        let star = constant(&mut self.terms, model, &Value::BROADCAST, Type::Channel);
        let broadcast = self.terms.eq(message.channel, star);
        let multicast = self.terms.not(broadcast);
        let hears = self.terms.or([broadcast, listens]);

        let ready = self.ready_receives(receiver, message);
        let deaf = ready.is_empty() || self.terms.is_false(hears);
        let addressed = if deaf { self.terms.bool(false) } else { self.addressed(receiver, message) };
        let colours = self.colours(&ready);
        let mut taken_some = Vec::new();
        let mut could_take = Vec::new();
        let mut all_fit = Vec::new();
        for ((edge_id, edge, ready), colour) in ready.iter().zip(colours) {
            let chosen = self.chosen(receiver, colour);
            let able = self.terms.and([hears, addressed, *ready]);
            let taken = self.terms.and([able, chosen]);
            let scope = Scope { data: message.data, channel: Some(message.channel), ..Scope::of(receiver) };
            let fits = self.take(edge, scope, taken, assignments);
            all_fit.push(self.terms.implies(taken, fits));
            could_take.push(self.terms.and([able, fits]));
            taken_some.push(taken);
            receptions.push(Reception { receiver, edge: *edge_id, taken });
        }
        let some_ready: Vec<Term> = ready.iter().map(|(_, _, ready)| *ready).collect();
        let some_ready = self.terms.or(some_ready);
        let must_as_broadcast = self.terms.and([broadcast, addressed, some_ready]);
        let must_as_multicast = self.terms.and([multicast, listens]);
        let must = self.terms.or([must_as_broadcast, must_as_multicast]);
        let (taken_some, could_take) = (self.terms.or(taken_some), self.terms.or(could_take));
        all_fit.push(self.terms.implies(must, taken_some));
        ReceiverPart { guard: self.terms.and(all_fit), enabled: self.terms.implies(must, could_take) }
    }

    /// That the receiver satisfies the send guard. Without a receive to take, or for one that never
    /// listens, that makes no difference, and the relabellings that the guard reads may be missing.
    fn addressed(&mut self, receiver: InstanceId, message: &SentMessage) -> Term {
        let scope =
            Scope { properties: Properties::Of(receiver), channel: Some(message.channel), ..Scope::of(message.sender) };
        self.command(message.send_guard, scope)
    }

    /// The receive edges that the message may reach, and when each is ready.
    fn ready_receives(&mut self, receiver: InstanceId, message: &SentMessage) -> Vec<(EdgeId, &'m Edge, Term)> {
        let mut ready = Vec::new();
        let model = self.model;
        for (id, edge) in edges(model, receiver) {
            let Action::Receive { channel } = &edge.action else { continue };
            if !edge.reads.iter().all(|id| message.data.iter().any(|(assigned, _)| assigned == id)) {
                continue;
            }
            let scope = Scope { data: message.data, channel: Some(message.channel), ..Scope::of(receiver) };
            let channel = self.expressions.typed(&mut self.terms, channel, Type::Channel, scope);
            let same_channel = self.terms.eq(channel, message.channel);
            let at = self.at(edge, scope);
            let term = self.terms.and([same_channel, at]);
            if !self.terms.is_false(term) {
                ready.push((id, edge, term));
            }
        }
        ready
    }

    /// A colour per receive such that those of one colour exclude each other; `None` for a receive
    /// that excludes all others and so needs no choice.
    fn colours(&mut self, ready: &[(EdgeId, &Edge, Term)]) -> Vec<Option<u32>> {
        let mut colours: Vec<Option<u32>> = Vec::new();
        for (index, &(_, _, a)) in ready.iter().enumerate() {
            let together = |terms: &mut Terms, b: Term| {
                let both = terms.and([a, b]);
                !terms.is_false(both)
            };
            let earlier: Vec<usize> = (0..index).filter(|&other| together(&mut self.terms, ready[other].2)).collect();
            let clashes =
                !earlier.is_empty() || ready[index + 1..].iter().any(|&(_, _, other)| together(&mut self.terms, other));
            let used: Vec<u32> = earlier.iter().filter_map(|&other| colours[other]).collect();
            colours.push(clashes.then(|| (0..).find(|colour| !used.contains(colour)).expect("colours do not end")));
        }
        colours
    }

    /// That the receiver's choice is this colour.
    fn chosen(&mut self, receiver: InstanceId, colour: Option<u32>) -> Term {
        let Some(colour) = colour else { return self.terms.bool(true) };
        // The number of options is known at the end only, so the choice is compared as an integer.
        self.options[receiver.index()] = self.options[receiver.index()].max(colour + 1);
        let input = self.terms.leaf(choice_placeholder(receiver), Sort::Int, None);
        let colour = self.terms.int(colour);
        self.terms.eq(input, colour)
    }

    fn get(&mut self, getter: InstanceId, get: EdgeId, get_edge: &Edge) {
        for supplier in self.model.instance_ids().filter(|&id| id != getter) {
            for (supply, supply_edge) in edges(self.model, supplier) {
                if let Action::Supply { .. } = supply_edge.action {
                    self.meet((getter, get, get_edge), (supplier, supply, supply_edge));
                }
            }
        }
    }

    fn meet(&mut self, (getter, get, get_edge): MeetingSide, (supplier, supply, supply_edge): MeetingSide) {
        let Action::Get { target, .. } = &get_edge.action else { unreachable!("a get edge") };
        let Action::Supply { to, .. } = &supply_edge.action else { unreachable!("a supply edge") };
        let get_data = self.expressions.data(&mut self.terms, getter, get_edge);
        let supply_data = self.expressions.data(&mut self.terms, supplier, supply_edge);
        let assigned = |data: &Data, edge: &Edge| edge.reads.iter().all(|id| data.iter().any(|(other, _)| other == id));
        if !assigned(&supply_data, get_edge) || !assigned(&get_data, supply_edge) {
            return;
        }
        if !to.serves(target) {
            // They never meet, and the relabellings that the predicate reads may be missing.
            return;
        }
        let asks = match target {
            GetTarget::Location(expr) => self.names(expr, getter, supplier),
            GetTarget::Predicate(expr) => {
                self.command(expr, Scope { properties: Properties::Of(supplier), ..Scope::of(getter) })
            }
        };
        let serves = match &to.named {
            Some((location, side)) => self.names(location, supplier, side.of(getter, supplier)),
            None => self.terms.bool(true),
        };
        let getting = Scope { data: &supply_data, ..Scope::of(getter) };
        let supplying = Scope { data: &get_data, ..Scope::of(supplier) };
        let (mut assignments, always) = (Vec::new(), self.terms.bool(true));
        let guard = [
            asks,
            serves,
            self.at(get_edge, getting),
            self.at(supply_edge, supplying),
            self.data_fits(&get_data),
            self.data_fits(&supply_data),
            self.take(get_edge, getting, always, &mut assignments),
            self.take(supply_edge, supplying, always, &mut assignments),
        ];
        self.add_to_totals(&[getter, supplier], &mut assignments);
        let guard = self.terms.and(guard);
        self.draft(EventKind::GetSupply { getter, get, supplier, supply }, guard, guard, Vec::new(), assignments);
    }

    /// Totals change by what the participants of a step do: no other agent changes what is summed up.
    fn add_to_totals(&mut self, participants: &[InstanceId], assignments: &mut Vec<(VarId, Term, Term)>) {
        let always = self.terms.bool(true);
        for (number, total) in self.model.totals().iter().enumerate() {
            let variable = self.expressions.total_variable(TotalId(number as u32));
            let before = self.expressions.total(&mut self.terms, TotalId(number as u32));
            let mut after = before;
            let members = self.model.families()[total.family].members();
            for member in members.filter(|member| participants.contains(member)) {
                let summand = self.expressions.value(&mut self.terms, &total.of_member(member));
                let mut assigned = |_: &mut Terms, leaf: Leaf| match leaf {
                    Leaf::Var(id) => {
                        let new = assignments.iter().find(|(of, when, _)| (*of, *when) == (id, always));
                        new.map(|(_, _, value)| *value)
                    }
                    Leaf::Input(_) => None,
                };
                let new = self.terms.substitute(summand, &mut assigned, &mut FxHashMap::default());
                let gain = self.terms.sub(new, summand);
                after = self.terms.add(after, gain);
            }
            if after != before {
                assignments.push((variable, always, after));
            }
        }
    }

    /// That the expression of `whose` names the instance `named`.
    fn names(&mut self, expr: &Expr<CommandLeaf>, whose: InstanceId, named: InstanceId) -> Term {
        let value = self.expressions.typed(&mut self.terms, expr, Type::Location, Scope::of(whose));
        let named = self.expressions.location(&mut self.terms, named);
        self.terms.eq(value, named)
    }

    pub(super) fn draft(
        &mut self,
        kind: EventKind,
        guard: Term,
        enabled: Term,
        receptions: Vec<Reception>,
        assignments: Vec<(VarId, Term, Term)>,
    ) {
        if !self.terms.is_false(guard) {
            let receptions = receptions.into_iter().filter(|r| !self.terms.is_false(r.taken)).collect();
            self.drafts.push(EventDraft { kind, guard, enabled, receptions, assignments });
        }
    }

    /// Numbers the events, gives the choices their inputs, adds the stutter.
    fn finish(mut self) -> System {
        let count = self.drafts.len() as u32 + 1;
        let mut inputs = vec![Input { name: "event".to_owned(), count, owner: None }];
        inputs.append(&mut self.choices);
        let mut choice_inputs = FxHashMap::default();
        for id in self.model.instance_ids() {
            let count = self.options[id.index()];
            if count > 1 {
                choice_inputs.insert(choice_placeholder(id), (InputId(inputs.len() as u32), count));
                let name = format!("choice-{}", self.model.instances[id.index()].name);
                inputs.push(Input { name, count, owner: Some(id) });
            }
        }
        let mut memo = FxHashMap::default();
        let mut resolve = |terms: &mut Terms, term: Term| {
            let mut replace = |terms: &mut Terms, leaf: Leaf| {
                // As an integer, so that comparisons with constants fold to comparisons of the input.
                let &(input, count) = choice_inputs.get(&leaf)?;
                let chosen = terms.leaf(Leaf::Input(input), Sort::Enum(count), None);
                Some(terms.number_of(chosen))
            };
            terms.substitute(term, &mut replace, &mut memo)
        };
        let mut events = Vec::new();
        let mut grouped: Vec<Vec<(Term, Vec<Term>)>> = vec![Vec::new(); self.variables.len()];
        for (index, draft) in std::mem::take(&mut self.drafts).into_iter().enumerate() {
            let this = event_is(&mut self.terms, index, count);
            for (id, condition, value) in draft.assignments {
                let condition = resolve(&mut self.terms, condition);
                let condition = self.terms.and([this, condition]);
                add_case(&mut grouped[id.0 as usize], condition, value, &self.terms);
            }
            let guard = resolve(&mut self.terms, draft.guard);
            let mut receptions = draft.receptions;
            receptions.iter_mut().for_each(|r| r.taken = resolve(&mut self.terms, r.taken));
            events.push(Event { kind: draft.kind, guard, enabled: draft.enabled, receptions });
        }
        let some_enabled = self.terms.or(events.iter().map(|event| event.enabled).collect::<Vec<_>>());
        let stuck = match self.model.open {
            Some(_) => self.terms.bool(true),
            None => self.terms.not(some_enabled),
        };
        events.push(Event { kind: EventKind::Stutter, guard: stuck, enabled: stuck, receptions: Vec::new() });
        let mut merge = |(value, conditions): (Term, Vec<Term>)| Case { condition: self.terms.or(conditions), value };
        let updates = grouped.into_iter().map(|cases| cases.into_iter().map(&mut merge).collect()).collect();
        let Lowering { terms, variables, init, .. } = self;
        System::new(Parts { terms, variables, inputs, events, init, constraints: Vec::new(), updates })
    }
}

/// One side of a get/supply.
type MeetingSide<'a> = (InstanceId, EdgeId, &'a Edge);

/// A message on its way.
struct SentMessage<'a> {
    sender: InstanceId,
    channel: Term,
    data: &'a [(MessageId, Term)],
    send_guard: &'a Expr<CommandLeaf>,
}

/// The contribution of one receiver to an event.
struct ReceiverPart {
    guard: Term,
    enabled: Term,
}

/// Stands for a receiver's choice while the number of its options is unknown. The ids start where no
/// input of a finished system can be.
fn choice_placeholder(receiver: InstanceId) -> Leaf {
    Leaf::Input(InputId(u32::MAX - receiver.0))
}

fn add_case(cases: &mut Vec<(Term, Vec<Term>)>, condition: Term, value: Term, terms: &Terms) {
    if terms.is_false(condition) {
        return;
    }
    match cases.iter_mut().find(|(known, _)| *known == value) {
        Some((_, conditions)) => conditions.push(condition),
        None => cases.push((value, vec![condition])),
    }
}
