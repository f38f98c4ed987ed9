//! Recurrent sets as SMT-LIB queries, each of which is unsatisfiable.
//!
//! They are about the round alone: that the steps before it are a run, and that the formula is false if the
//! round is repeated for ever with the same truth of everything that it reads, needs no solver.

use super::conjunct;
use crate::certificate_file::queries::Query;
use crate::certificate_file::script::{Choice, Context, Frame, Script, comments};
use crate::certificate_file::tool;
use crate::check::Counterexample;
use crate::check::recurrent::{Recurrence, Round};
use crate::model::Model;
use crate::ts::smtlib::symbols::Symbols;
use crate::ts::term::{Term, Terms};

/// The queries of a violation of a spec by a recurrent set; `file` is how the model is called.
pub fn recurrent_queries(
    model: &Model,
    file: &str,
    spec: usize,
    counterexample: &Counterexample,
    recurrence: &Recurrence,
) -> Vec<Query> {
    let declared = &model.specs[spec];
    let conjunct = conjunct(&declared.formula, recurrence.conjunct());
    let round = Round::new(counterexample.run(), &conjunct, recurrence.set(), recurrence.start());
    let number = recurrence.conjunct() + 1;
    let heading = comments(&[
        format!(
            "{}: violation of spec {} {} of {file}",
            tool(),
            spec + 1,
            declared.name.as_deref().unwrap_or_default()
        ),
        format!("conjunct {number}: {}", model.show_formula(&conjunct)),
        format!("the steps from position {} on can be repeated for ever", recurrence.start()),
    ]);
    let question = Question::new(model, &round);
    let texts = [
        ("inside", question.inside()),
        ("total", question.total()),
        ("alike", question.alike()),
        ("closed", question.closed()),
    ];
    let query =
        |(name, text): (&str, String)| Query { name: format!("{number}-{name}"), text: heading.clone() + &text };
    texts.into_iter().map(query).collect()
}

struct Question<'a> {
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

impl<'a> Question<'a> {
    fn new(model: &Model, round: &'a Round<'a>) -> Question<'a> {
        let mut terms = round.system().terms().clone();
        let first = first(round, &mut terms);
        let steps = round.positions().map(|position| step(round, position, &mut terms)).collect();
        let atom = |terms: &mut Terms, (atom, truth): &(Term, Vec<bool>), position: usize| match truth[position] {
            true => *atom,
            false => terms.not(*atom),
        };
        let alike = round.positions();
        let alike = alike.map(|position| round.atoms().iter().map(|it| atom(&mut terms, it, position)).collect());
        let alike = alike.collect();
        Question { round, symbols: Symbols::new(model, round.system()), terms, first, steps, alike }
    }

    fn context(&self) -> Context<'_> {
        Context { system: self.round.system(), terms: &self.terms, symbols: &self.symbols }
    }

    /// Does the round start outside of the set?
    fn inside(&self) -> String {
        let mut script = self.script("Is the state where the round starts outside of the set?");
        let set = self.round.set();
        let frame = script.frame(0, &[&set[..], &self.first].concat(), Choice::None);
        script.assert_all("the state where the round starts", &frame.terms(&self.first));
        self.outside(&mut script, &frame);
        script.finish()
    }

    /// Is there a state of the set from which the steps of the round cannot be taken, one after the other?
    fn total(&self) -> String {
        let asked = "Is there a state of the set from which a step of the round is not possible?";
        let (mut script, frames) = self.unrolled(asked);
        let possible = frames.iter().zip(&self.steps).flat_map(|(frame, (_, possible))| frame.terms(possible));
        script.assert_not_all("some step is not possible, or has other receivers", &possible.collect::<Vec<_>>());
        script.finish()
    }

    /// Is there a state of the set from which the formula reads something else on the way?
    fn alike(&self) -> String {
        let asked = "Is there a state of the set from which the formula reads something else in the round?";
        let (mut script, frames) = self.unrolled(asked);
        let alike = frames.iter().zip(&self.alike).flat_map(|(frame, alike)| frame.terms(alike));
        script.assert_not_all("something is not as in the first round", &alike.collect::<Vec<_>>());
        script.finish()
    }

    /// Does the round lead from the set to a state outside of it?
    fn closed(&self) -> String {
        let (mut script, frames) = self.unrolled("Does the round lead from a state of the set out of it?");
        self.outside(&mut script, frames.last().expect("a round has an end"));
        script.finish()
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
fn step(round: &Round, position: usize, terms: &mut Terms) -> (Vec<u32>, Vec<Term>) {
    let choice = round.choice(position);
    let system = round.system();
    let event = &system.events()[system.event_of(choice).expect("it was confirmed")];
    let mut possible = vec![event.guard];
    for reception in &event.receptions {
        let taken = choice.receivers().contains(&(reception.receiver, reception.edge));
        possible.push(if taken { reception.taken } else { terms.not(reception.taken) });
    }
    (round.inputs(position).expect("it was confirmed"), possible)
}
