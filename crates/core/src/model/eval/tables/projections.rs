//! The cells on which entries of tables depend: projections of the state of an instance.
//!
//! Of an instance that is one cell this is that cell. Of a split one it is, command by command, the cells that the command
//! reads; and message by message and automaton state, the cells that are read to find out how the instance takes the message.
//! New values that do not decide if a command can be taken, like those of a queue that moves up, are asked for one by one: each
//! depends on the cells that it is computed from.

use super::cells::InstanceCells;
use super::{AskedSuppliers, LocalState, Missing, SentMessage, Tables};
use crate::model::eval::value::belongs;
use crate::model::eval::{Semantics, State};
use crate::model::{
    Action, Agent, CommandLeaf, Edge, EdgeId, Expr, GetTarget, InstanceId, LocalId, Model, SupplyTarget, Type, Value,
};

/// Stands for a number that is not known yet.
pub(super) const NONE: u32 = u32::MAX;

/// Some cells of an instance.
#[derive(Debug)]
pub(super) struct Projection {
    pub(super) instance: InstanceId,
    /// The automaton state, of a split instance.
    automaton: Option<u32>,
    subject: Subject,
    /// Some cell of the instance, and others.
    cell: u32,
    others: Vec<u32>,
    /// Per local state of the one cell the projected state, or its beginning.
    first: Vec<u32>,
}

/// The answer that depends on the cells of a projection.
#[derive(Clone, Copy, Debug)]
enum Subject {
    /// All that is asked about the instance.
    Instance,
    /// How it takes some messages.
    Messages,
    Command(EdgeId),
    /// The new value of a cell by a command, by its place among the updates.
    Update(EdgeId, usize, u32),
}

/// Local states of the cells of a projection, or of the first ones of them; and what is known there of the commands.
#[derive(Debug)]
pub(super) struct ProjectedState {
    pub(super) projection: u32,
    /// Those of the cells but the last one, and that of the last one.
    before: u32,
    last: u32,
    /// A range of offers, once it is known.
    pub(super) offers: Option<(u32, u32)>,
    pub(super) asked: AskedSuppliers,
    /// True if some supply can be taken, as far as its own side tells.
    pub(super) supplies: bool,
    /// The local state of the cell that an update sets.
    value: u32,
}

/// The projections of an instance, each for some of its commands.
#[derive(Debug)]
pub(super) struct CommandProjections {
    /// Of a split instance, per automaton state those of its commands but receives.
    by_automaton: Vec<Vec<u32>>,
    /// The only one, of an instance that is one cell; or [`NONE`].
    only: u32,
    /// Of a split instance, where its automaton states begin among those of all split instances.
    receiving: u32,
    /// Of a split instance, per command the cells that it sets to values that are asked for one by one, with the projections.
    apart: Vec<Vec<(u32, u32)>>,
}

/// The projections of all instances, and how many automaton states the split ones have.
pub(super) fn projections(
    model: &Model,
    instances: &[InstanceCells],
) -> (Vec<Projection>, Vec<CommandProjections>, usize) {
    let (mut projections, mut receiving) = (Vec::new(), 0);
    let of_instance = |(instance, cells): (InstanceId, &InstanceCells)| {
        let mut add = |automaton, subject, read: Vec<u32>| {
            projections.push(Projection::new(instance, automaton, subject, cells, read));
            projections.len() as u32 - 1
        };
        if !cells.is_split {
            let only = add(None, Subject::Instance, Vec::new());
            return CommandProjections { by_automaton: Vec::new(), only, receiving: 0, apart: Vec::new() };
        }
        let agent = model.agent_of(instance);
        let mut by_automaton = vec![Vec::new(); agent.states as usize];
        let mut apart = Vec::new();
        for (edge, number) in agent.edges.iter().zip((0..).map(EdgeId)) {
            let CommandReads { locals, updates } = reads(model, agent, edge);
            let update = |place: usize| {
                let (local, value) = &edge.updates[place];
                let (cell, read) = (cells.of(*local)?, cells.of_all(locals_in(value)));
                Some((cell, add(Some(edge.source), Subject::Update(number, place, cell), read)))
            };
            apart.push(updates.into_iter().filter_map(update).collect());
            if !matches!(edge.action, Action::Receive { .. }) {
                let projection = add(Some(edge.source), Subject::Command(number), cells.of_all(locals));
                by_automaton[edge.source as usize].push(projection);
            }
        }
        let begin = receiving;
        receiving += agent.states;
        CommandProjections { by_automaton, only: NONE, receiving: begin, apart }
    };
    let lists = model.instance_ids().zip(instances).map(of_instance).collect();
    (projections, lists, receiving as usize)
}

/// The data about an agent that a command depends on.
struct CommandReads {
    /// The locals on which depends whether it can be taken, which data it sends, with whom the step can be taken, what is
    /// observed of it, and the values that it sets, but for those of `updates`.
    locals: Vec<LocalId>,
    /// The places of the updates with other values.
    updates: Vec<usize>,
}

fn reads(model: &Model, agent: &Agent, edge: &Edge) -> CommandReads {
    let Edge { source: _, target: _, label: _, guard, action, updates, reads: _, span: _ } = edge;
    let mut read: Vec<&Expr<CommandLeaf>> = vec![guard];
    read.extend(action.data().iter().map(|(_, value)| value));
    match action {
        Action::Send { channel, guard, data: _ } => read.extend([channel, guard]),
        Action::Receive { channel } => read.push(channel),
        Action::Get { target: GetTarget::Location(expr) | GetTarget::Predicate(expr), data: _ } => read.push(expr),
        Action::Supply { to: SupplyTarget { named, by_name: _, by_predicate: _ }, data: _ } => {
            read.extend(named.iter().map(|(location, _)| location));
            // Conditions of gets and observations ask for them.
            read.extend(agent.relabel.iter().flatten());
        }
    }
    let decides = |(local, value): &&(LocalId, Expr<CommandLeaf>)| {
        value.any_leaf(|leaf| !matches!(leaf, CommandLeaf::Local(_) | CommandLeaf::Myself))
            || !stays_inside(model, agent, value, agent.locals[local.index()].ty)
    };
    read.extend(updates.iter().filter(decides).map(|(_, value)| value));
    let locals: Vec<LocalId> = read.into_iter().flat_map(locals_in).collect();
    let is_apart = |(_, value): &(LocalId, Expr<CommandLeaf>)| !locals_in(value).iter().all(|it| locals.contains(it));
    let updates = (0..updates.len()).filter(|place| !decides(&&updates[*place]) && is_apart(&updates[*place]));
    CommandReads { updates: updates.collect(), locals }
}

/// True if an expression has no value outside of a type.
fn stays_inside(model: &Model, agent: &Agent, expr: &Expr<CommandLeaf>, ty: Type) -> bool {
    let Type::Range(low, high) = ty else { return true };
    match expr {
        Expr::Const(value) => belongs(model, value, ty),
        Expr::Leaf(CommandLeaf::Local(local)) => {
            matches!(agent.locals[local.index()].ty, Type::Range(from, to) if low <= from && to <= high)
        }
        Expr::If(_, yes, no) => [yes, no].into_iter().all(|branch| stays_inside(model, agent, branch, ty)),
        Expr::Leaf(_) | Expr::Not(_) | Expr::Neg(_) | Expr::Binary(..) => false,
    }
}

/// The locals on which depends how an instance takes a message in an automaton state.
fn read_for(semantics: &Semantics, message: &SentMessage, receiver: InstanceId, automaton: u32) -> Vec<LocalId> {
    let (model, agent) = (semantics.model(), semantics.model().agent_of(receiver));
    let mut read = Vec::new();
    if message.channel != Value::BROADCAST {
        read.extend(locals_in(&agent.receive_guard));
    }
    let send_guard = semantics.edge(message.sender, message.edge).action.predicate().expect("a send");
    send_guard.for_each_leaf(&mut |leaf| {
        if let CommandLeaf::Property(property) = leaf {
            read.extend(agent.relabel[property.index()].iter().flat_map(locals_in));
        }
    });
    let receives = agent.edges.iter().filter(|edge| edge.source == automaton);
    for edge in receives.filter(|edge| semantics.can_be_ready(&message.channel, &message.data, receiver, edge)) {
        read.extend(reads(model, agent, edge).locals);
    }
    read
}

fn locals_in(expr: &Expr<CommandLeaf>) -> Vec<LocalId> {
    let mut read = Vec::new();
    expr.for_each_leaf(&mut |leaf| match leaf {
        CommandLeaf::Local(local) => read.push(*local),
        CommandLeaf::Message(_) | CommandLeaf::Property(_) | CommandLeaf::Chan | CommandLeaf::Myself => {}
    });
    read
}

impl Projection {
    /// With some cells. The first cell of a split instance is the automaton state, which stays the same in a projection.
    fn new(
        instance: InstanceId,
        automaton: Option<u32>,
        subject: Subject,
        cells: &InstanceCells,
        mut read: Vec<u32>,
    ) -> Projection {
        let cell = read.pop().unwrap_or(cells.first);
        Projection { instance, automaton, subject, cell, others: read, first: Vec::new() }
    }

    /// Those of some commands that are looked at.
    pub(super) fn among(&self, commands: &[EdgeId]) -> Vec<EdgeId> {
        match self.subject {
            Subject::Command(only) => commands.iter().copied().filter(|edge| *edge == only).collect(),
            Subject::Instance | Subject::Messages | Subject::Update(..) => commands.to_vec(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Projection>() + 4 * (self.others.capacity() + self.first.capacity())
    }
}

impl Tables<'_, '_> {
    /// The projections for the commands that an instance may take from a row.
    #[inline]
    pub(super) fn commands_of(&self, row: &[u32], instance: usize) -> &[u32] {
        let CommandProjections { by_automaton, only, .. } = &self.commands[instance];
        if *only == NONE { &by_automaton[self.automaton(row, instance) as usize] } else { std::slice::from_ref(only) }
    }

    /// The automaton state of an instance.
    fn automaton(&self, row: &[u32], instance: usize) -> u32 {
        let cell = self.instances[instance].first as usize;
        self.cells[cell].states[row[cell] as usize].automaton
    }

    /// The number of what a row has in the cells of a projection.
    #[inline(always)]
    pub(super) fn project(&self, projection: u32, row: &[u32]) -> Result<u32, Missing> {
        let Projection { cell, others, first, .. } = &self.projections[projection as usize];
        let mut number = first.get(row[*cell as usize] as usize).copied().unwrap_or(NONE);
        if !others.is_empty() {
            let longer = |number, other: &u32| self.longer.get(number, row[*other as usize]);
            let begin = Some(number).filter(|number| *number != NONE);
            number = begin.and_then(|begin| others.iter().try_fold(begin, longer)).unwrap_or(NONE);
        }
        if number == NONE { Err(self.not_projected(projection, row)) } else { Ok(number) }
    }

    #[cold]
    fn not_projected(&self, projection: u32, row: &[u32]) -> Missing {
        let Projection { cell, others, .. } = &self.projections[projection as usize];
        let others = others.iter().map(|cell| row[*cell as usize]).collect();
        Missing::Projected(projection, row[*cell as usize], others)
    }

    /// The projection for how an instance takes a message.
    #[inline]
    pub(super) fn receiving(&self, message: u32, receiver: usize, row: &[u32]) -> Result<u32, Missing> {
        let CommandProjections { only, receiving, .. } = &self.commands[receiver];
        if *only != NONE {
            return Ok(*only);
        }
        let automaton = self.automaton(row, receiver);
        match self.receiving[message as usize * self.split_states + (receiving + automaton) as usize] {
            NONE => Err(Missing::Receiving(message, InstanceId(receiver as u32), automaton)),
            projection => Ok(projection),
        }
    }

    /// Finds out on which cells depends how an instance takes a message.
    pub(super) fn fill_receiving(&mut self, message: u32, receiver: InstanceId, automaton: u32) {
        let read = read_for(self.semantics, &self.messages[message as usize], receiver, automaton);
        let instance = &self.instances[receiver.index()];
        let cells = instance.of_all(read);
        let (automata, place) = (self.commands[receiver.index()].receiving + automaton, self.projections.len() as u32);
        self.receiving[message as usize * self.split_states + automata as usize] = place;
        let (automaton, subject) = (Some(automaton), Subject::Messages);
        self.projections.push(Projection::new(receiver, automaton, subject, instance, cells));
    }

    /// Numbers local states of the cells of a projection.
    pub(super) fn fill_projected(&mut self, projection: u32, place: u32, others: &[u32]) {
        let new = self.projected.len() as u32;
        let first = &mut self.projections[projection as usize].first;
        if first.len() <= place as usize {
            first.resize(place as usize + 1, NONE);
        }
        let mut number = first[place as usize];
        if number == NONE {
            first[place as usize] = new;
            number = self.add_projected(projection, NONE, place);
        }
        for local_state in others {
            number = self.longer.get(number, *local_state).unwrap_or_else(|| {
                let longer = self.add_projected(projection, number, *local_state);
                self.longer.insert(number, *local_state, longer);
                longer
            });
        }
        let Projection { subject, instance, .. } = self.projections[projection as usize];
        if let Subject::Update(edge, place, cell) = subject {
            let state = self.with(&[number]);
            let (_, value) = &self.semantics.edge(instance, edge).updates[place];
            let value = self.semantics.own(&state, instance).value(value).expect("it reads locals only");
            let local_state = LocalState { automaton: 0, values: [value].into() };
            self.projected[number as usize].value = self.add(cell as usize, local_state);
        }
    }

    fn add_projected(&mut self, projection: u32, before: u32, last: u32) -> u32 {
        let (offers, asked, supplies, value) = (None, AskedSuppliers::None, false, NONE);
        self.projected.push(ProjectedState { projection, before, last, offers, asked, supplies, value });
        self.projected.len() as u32 - 1
    }

    /// The projection that says to which value a command sets a cell, if that is asked for apart.
    pub(super) fn update_apart(&self, instance: InstanceId, edge: EdgeId, cell: u32) -> Option<u32> {
        let apart = self.commands[instance.index()].apart.get(edge.index())?;
        apart.iter().find(|(written, _)| *written == cell).map(|(_, projection)| *projection)
    }

    /// Some changes of cells from a row.
    #[inline(always)]
    pub(super) fn changes<'a>(
        &'a self,
        range: (u32, u32),
        row: &[u32],
        space: &'a mut Vec<(u32, u32)>,
    ) -> Result<&'a [(u32, u32)], Missing> {
        // Without split instances each of them has a local state.
        if self.split_states == 0 {
            return Ok(&self.changes[range.0 as usize..range.1 as usize]);
        }
        space.clear();
        self.add_changes(range, row, space)?;
        Ok(space)
    }

    /// Adds some changes of cells; those without a local state are updates that are asked for apart.
    #[inline]
    pub(super) fn add_changes(
        &self,
        (start, end): (u32, u32),
        row: &[u32],
        changes: &mut Vec<(u32, u32)>,
    ) -> Result<(), Missing> {
        for (cell, number) in &self.changes[start as usize..end as usize] {
            changes.push(match *number {
                NONE => {
                    let Subject::Update(_, _, set) = self.projections[*cell as usize].subject else {
                        unreachable!("other changes have a local state")
                    };
                    (set, self.projected[self.project(*cell, row)? as usize].value)
                }
                number => (*cell, number),
            });
        }
        Ok(())
    }

    /// The projection that a projected state is one of.
    pub(super) fn projection_of(&self, projected: u32) -> &Projection {
        &self.projections[self.projected[projected as usize].projection as usize]
    }

    /// A state with these projected states, whatever else is in it.
    pub(super) fn with(&self, projected: &[u32]) -> State {
        let mut state = self.template.clone();
        for number in projected {
            let Projection { instance, automaton, cell, others, .. } = self.projection_of(*number);
            automaton.iter().for_each(|automaton| state.set_automaton(*instance, *automaton));
            let mut number = *number;
            for cell in others.iter().rev().chain([cell]) {
                let ProjectedState { before, last, .. } = self.projected[number as usize];
                self.cells[*cell as usize].write(&mut state, last);
                number = before;
            }
        }
        state
    }
}
