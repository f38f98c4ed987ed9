//! The query whether a round of steps can be repeated for ever.
//!
//! From every state of the recurrent set the choices of the round are possible, one after the other; everything that
//! the formula reads has the truth that it had in the first round; and the last step leads into the set again.

use super::Query;
use super::script::{Choice, Context, Frame, Script};
use crate::check::recurrent::{NOT_INSIDE, NOT_REPEATABLE, OTHER_TRUTH, Round};
use crate::model::Model;
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::term::{Term, Terms};

/// Can a round be repeated for ever?
pub struct RecurrentQueries<'a> {
    round: &'a Round<'a>,
    /// The system's arena, grown.
    terms: Terms,
    symbols: Symbols,
    /// That the state is the one where the first round starts.
    first: Vec<Term>,
    /// Per step its inputs, and what makes it possible with its receivers.
    steps: Vec<(Vec<u32>, Vec<Term>)>,
    /// Per step that everything which the formula reads is as in the first round.
    alike: Vec<Vec<Term>>,
}

impl<'a> RecurrentQueries<'a> {
    /// Of a round; `None` if the system does not have one of its steps.
    pub fn new(model: &Model, round: &'a Round<'a>) -> Option<RecurrentQueries<'a>> {
        let mut terms = round.system().terms().clone();
        let first = first(round, &mut terms);
        let steps = round.positions().map(|position| step(round, position, &mut terms)).collect::<Option<_>>()?;
        let atom = |terms: &mut Terms, (atom, truth): &(Term, Vec<bool>), position: usize| match truth[position] {
            true => *atom,
            false => terms.not(*atom),
        };
        let alike = round.positions();
        let alike = alike.map(|position| round.atoms().iter().map(|it| atom(&mut terms, it, position)).collect());
        let alike = alike.collect();
        Some(RecurrentQueries { round, symbols: Symbols::new(model, round.system()), terms, first, steps, alike })
    }

    /// All that has to be refuted.
    pub fn queries(&self) -> [Query; 4] {
        [self.inside(), self.total(), self.alike(), self.closed()]
    }

    fn context(&self) -> Context<'_> {
        Context { system: self.round.system(), terms: &self.terms, symbols: &self.symbols }
    }

    /// Does the round start outside of the set?
    pub fn inside(&self) -> Query {
        let mut script = self.script("Is the state where the round starts outside of the set?");
        let set = self.round.set();
        let frame = script.frame(0, &[&set[..], &self.first].concat(), Choice::None);
        script.assert_all("the state where the round starts", &frame.terms(&self.first));
        self.outside(&mut script, &frame);
        Query { name: "inside", script: script.finish(), fault: NOT_INSIDE }
    }

    /// Is there a state of the set from which the steps of the round cannot be taken, one after the other?
    pub fn total(&self) -> Query {
        let asked = "Is there a state of the set from which a step of the round is not possible?";
        let (mut script, frames) = self.unrolled(asked);
        let possible = frames.iter().zip(&self.steps).flat_map(|(frame, (_, possible))| frame.terms(possible));
        script.assert_not_all("some step is not possible, or has other receivers", &possible.collect::<Vec<_>>());
        Query { name: "total", script: script.finish(), fault: NOT_REPEATABLE }
    }

    /// Is there a state of the set from which the formula reads something else on the way?
    pub fn alike(&self) -> Query {
        let asked = "Is there a state of the set from which the formula reads something else in the round?";
        let (mut script, frames) = self.unrolled(asked);
        let alike = frames.iter().zip(&self.alike).flat_map(|(frame, alike)| frame.terms(alike));
        script.assert_not_all("something is not as in the first round", &alike.collect::<Vec<_>>());
        Query { name: "alike", script: script.finish(), fault: OTHER_TRUTH }
    }

    /// Does the round lead from the set to a state outside of it?
    pub fn closed(&self) -> Query {
        let (mut script, frames) = self.unrolled("Does the round lead from a state of the set out of it?");
        self.outside(&mut script, frames.last().expect("a round has an end"));
        Query { name: "closed", script: script.finish(), fault: "the round leads out of the recurrent set" }
    }

    /// The states of a round from a state of the set. Updates are functions of state and choice, so nothing has
    /// to be assumed of the steps.
    fn unrolled(&self, asked: &str) -> (Script<'_>, Vec<Frame<'_>>) {
        let mut script = self.script(asked);
        let set = self.round.set();
        let updates: Vec<Term> = self.context().update_terms().collect();
        let mut frames = Vec::new();
        for (number, ((inputs, possible), alike)) in self.steps.iter().zip(&self.alike).enumerate() {
            let set = if number == 0 { &set[..] } else { &[] };
            let terms = [set, &updates, possible, alike].concat();
            frames.push(script.frame(number, &terms, Choice::Fixed(inputs)));
        }
        frames.push(script.frame(frames.len(), &set, Choice::None));
        let inside = self.set(&script, &frames[0]);
        script.assert_all("state 0 is in the set", &inside);
        frames.windows(2).for_each(|pair| script.update(&pair[0], &pair[1]));
        (script, frames)
    }

    /// Ranges and conditions.
    fn set(&self, script: &Script, frame: &Frame) -> Vec<String> {
        [script.domains(frame), frame.terms(&self.round.set())].concat()
    }

    fn outside(&self, script: &mut Script, frame: &Frame) {
        let set = self.set(script, frame);
        script.assert_not_all("the state is outside of the set", &set);
    }

    /// An empty script, in the logic of everything that may occur.
    fn script(&self, asked: &str) -> Script<'_> {
        let context = self.context();
        let steps = self.steps.iter().flat_map(|(_, possible)| possible).chain(self.alike.iter().flatten()).copied();
        let logic = context.logic(context.update_terms().chain(steps).chain(self.round.set()));
        Script::new(context, asked, logic)
    }
}

/// That the variables of the model have their values of the state where the round starts.
fn first(round: &Round, terms: &mut Terms) -> Vec<Term> {
    let values = round.values(round.positions().start);
    let equal = |(id, value)| {
        let sort = round.system().variable(id).sort;
        let variable = round.system().variable(id).term(terms, id);
        let value = terms.constant(&value, sort);
        terms.eq(variable, value)
    };
    let ids = round.system().var_ids();
    ids.zip(values).map(equal).collect()
}

/// The inputs of a step, and what makes it possible with its receivers.
fn step(round: &Round, position: usize, terms: &mut Terms) -> Option<(Vec<u32>, Vec<Term>)> {
    let choice = round.choice(position);
    let system = round.system();
    let event = &system.events()[system.event_of(choice)?];
    let mut possible = vec![event.guard];
    for reception in &event.receptions {
        let taken = choice.receives(reception.receiver, reception.edge);
        possible.push(if taken { reception.taken } else { terms.not(reception.taken) });
    }
    Some((round.inputs(position)?, possible))
}
