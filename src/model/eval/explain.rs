//! Why a formula is false on a run: from the formula down to the atoms that decide.

use super::truth::{Evaluation, Positions};
use super::{Choice, Run, State, Step, Truth};
use crate::model::formula::StateLeaf;
use crate::model::{Action, Expr, Formula, Model, Observation, Type};

/// Of many parts that all have a say, so many are explained.
const EXAMPLES: usize = 3;

/// One step of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// A position of the run.
    pub position: usize,
    /// Whether the loop has come round by then, so that the step before is one of the loop.
    pub later_round: bool,
    /// The formula that is true or false there, as the user writes it.
    pub subformula: String,
    /// Its truth there, and what that means or comes from.
    pub why: String,
}

impl Run<'_> {
    /// Why the formula is false on the run: the subformulas that decide, from the whole formula down
    /// to atoms. Empty if it is not false.
    pub fn explain(&self, formula: &Formula) -> Vec<Reason> {
        self.explain_evaluation(&self.evaluation(formula), false)
    }

    /// The same for [`Run::evaluation_repeating`].
    pub fn explain_repeating(&self, formula: &Formula, start: usize) -> Vec<Reason> {
        self.explain_evaluation(&self.evaluation_repeating(formula, start), true)
    }

    fn explain_evaluation(&self, evaluation: &Evaluation, values_differ: bool) -> Vec<Reason> {
        let mut explainer = Explainer { run: self, values_differ, reasons: Vec::new() };
        if evaluation.at(0) == Truth::False {
            explainer.explain(evaluation, 0, false);
        }
        explainer.reasons
    }
}

struct Explainer<'r, 's> {
    run: &'r Run<'s>,
    /// Whether later rounds of the loop have other values than the first.
    values_differ: bool,
    reasons: Vec<Reason>,
}

impl Explainer<'_, '_> {
    fn model(&self) -> &Model {
        self.run.semantics().model()
    }

    fn note(&mut self, evaluation: &Evaluation, position: usize, why: impl Into<String>) {
        let subformula = self.model().show_formula(evaluation.formula());
        let index = evaluation.positions().in_trace(position);
        self.reasons.push(Reason { position: index, later_round: index != position, subformula, why: why.into() });
    }

    /// Explains why the formula has this truth at the position; it must have it.
    fn explain(&mut self, evaluation: &Evaluation, position: usize, truth: bool) {
        let parts = evaluation.operands();
        match evaluation.formula() {
            Formula::Atom(expr) => self.atom(evaluation, expr, position, truth),
            Formula::Label(instance, edge) => {
                let command = &self.model().agent_of(*instance).edges[edge.index()];
                let receives = matches!(command.action, Action::Receive { .. });
                self.label(evaluation, receives, position, truth);
            }
            Formula::Not(_) => self.explain(&parts[0], position, !truth),
            Formula::And(_) | Formula::Or(_) => self.chain(evaluation, position, truth),
            Formula::Implies(..) => self.implication(evaluation, position, truth),
            Formula::Iff(..) => {
                self.note(
                    evaluation,
                    position,
                    if truth { "true: both sides agree" } else { "false: the sides differ" },
                );
                for part in parts {
                    self.explain(part, position, part.at(position) == Truth::True);
                }
            }
            Formula::Next(_) => self.explain(&parts[0], position + 1, truth),
            Formula::Globally(_) | Formula::Finally(_) => self.unary(evaluation, position, truth),
            Formula::Until(..) | Formula::WeakUntil(..) | Formula::Release(..) => {
                self.binary(evaluation, position, truth);
            }
            Formula::Possible(observation, _) => self.observation(evaluation, observation, true, position, truth),
            Formula::Necessary(observation, _) => self.observation(evaluation, observation, false, position, truth),
        }
    }

    /// Constants explain themselves.
    fn atom(&mut self, evaluation: &Evaluation, expr: &Expr<StateLeaf>, position: usize, truth: bool) {
        if is_constant(evaluation.formula()) && !self.reasons.is_empty() {
            return;
        }
        let state = self.run.state(evaluation.positions(), position);
        let values = if self.has_values(evaluation, position) { self.values(expr, state) } else { String::new() };
        let obvious = values == format!("{} = {truth}", self.model().show_formula(evaluation.formula()));
        let why = if values.is_empty() || obvious { truth.to_string() } else { format!("{truth}: {values}") };
        self.note(evaluation, position, why);
    }

    /// Whether the values at a position are those that the trace shows.
    fn has_values(&self, evaluation: &Evaluation, position: usize) -> bool {
        !self.values_differ || evaluation.positions().in_trace(position) == position
    }

    /// The values of the variables of an atom, each once.
    fn values(&self, expr: &Expr<StateLeaf>, state: &State) -> String {
        let mut values: Vec<String> = Vec::new();
        expr.for_each_leaf(&mut |leaf| {
            let (name, ty) = self.model().state_leaf(*leaf);
            let value = format!("{name} = {}", self.model().show(&self.run.state_value(state, *leaf), ty));
            if !values.contains(&value) {
                values.push(value);
            }
        });
        values.join(", ")
    }

    fn label(&mut self, evaluation: &Evaluation, receives: bool, position: usize, truth: bool) {
        let positions = evaluation.positions();
        let (step, which) = match receives {
            true => (self.run.step_before(positions, position), "the step to here"),
            false => (self.run.step(positions, position), "the step from here"),
        };
        let why = match step {
            Some(step) => format!("{truth}: {which} is {}", name_step(self.model(), step)),
            None => format!("{truth}: no step comes before"),
        };
        self.note(evaluation, position, why);
    }

    /// A conjunction or disjunction: one decisive part, or some of them all.
    fn chain(&mut self, evaluation: &Evaluation, position: usize, truth: bool) {
        let conjunction = matches!(evaluation.formula(), Formula::And(_));
        let mut parts = Vec::new();
        flatten(evaluation, conjunction, &mut parts);
        if conjunction != truth {
            let decisive = parts.iter().enumerate().find(|(_, part)| part.at(position) == Truth::from(truth));
            let Some((index, part)) = decisive else { return };
            if parts.len() > 1 {
                let kind = if conjunction { "conjunct" } else { "alternative" };
                self.note(evaluation, position, format!("{truth}: see {kind} {} of {}", index + 1, parts.len()));
            }
            return self.explain(part, position, truth);
        }
        let count = parts.len();
        parts.retain(|part| !is_constant(part.formula()));
        let cut = parts.len() > EXAMPLES + 1;
        if count != 1 {
            let all = if truth { "true: every conjunct holds" } else { "false: no alternative holds" };
            let cut = if cut { format!("; {EXAMPLES} of {count}:") } else { String::new() };
            self.note(evaluation, position, format!("{all}{cut}"));
        }
        for part in parts.into_iter().take(if cut { EXAMPLES } else { usize::MAX }) {
            self.explain(part, position, truth);
        }
    }

    fn implication(&mut self, evaluation: &Evaluation, position: usize, truth: bool) {
        let [left, right] = evaluation.operands() else { return };
        if !truth {
            self.note(evaluation, position, "false: the left side holds, the right side does not");
            self.explain(left, position, true);
            self.explain(right, position, false);
        } else if left.at(position) == Truth::False {
            self.note(evaluation, position, "true: the left side does not hold");
            self.explain(left, position, false);
        } else {
            self.note(evaluation, position, "true: the right side holds");
            self.explain(right, position, true);
        }
    }

    /// `F` and `G`.
    fn unary(&mut self, evaluation: &Evaluation, position: usize, truth: bool) {
        let [body] = evaluation.operands() else { return };
        let globally = matches!(evaluation.formula(), Formula::Globally(_));
        if globally == truth {
            let why = if truth { "true: holds at every position" } else { "false: never holds" };
            return self.always(evaluation, body, position, truth, why);
        }
        if let Some(first) = first(body, position, truth) {
            let (why, place) = (if truth { "holds" } else { "fails" }, place(evaluation.positions(), first));
            self.note(evaluation, position, format!("{truth}: the body {why} at {place} for the first time"));
            self.explain(body, first, truth);
        }
    }

    /// `U`, `W` and `R`.
    fn binary(&mut self, evaluation: &Evaluation, position: usize, truth: bool) {
        let [left, right] = evaluation.operands() else { return };
        let release = matches!(evaluation.formula(), Formula::Release(..));
        // Where the operator becomes true, or false: the side that decides, and where.
        let decisive = match (release, truth) {
            (false, true) => (right, first(right, position, true)),
            (false, false) => (left, first(left, position, false)),
            (true, true) => (left, first(left, position, true)),
            (true, false) => (right, first(right, position, false)),
        };
        let (side, other) = if std::ptr::eq(decisive.0, left) { ("left", "right") } else { ("right", "left") };
        let holds = if truth { "holds" } else { "fails" };
        match decisive {
            (part, Some(at)) => {
                let place = place(evaluation.positions(), at);
                self.note(evaluation, position, format!("{truth}: the {side} side {holds} at {place} first"));
                self.explain(part, at, truth);
                if !truth && !release {
                    self.explain(right, at, false);
                }
            }
            (_, None) => {
                let always = if truth { "holds at every position" } else { "never holds" };
                let part = if other == "left" { left } else { right };
                self.always(evaluation, part, position, truth, &format!("{truth}: the {other} side {always}"));
            }
        }
    }

    /// The body has this truth at every position from here on: says so, and explains one of them if
    /// there is more to say than the trace shows.
    fn always(&mut self, evaluation: &Evaluation, body: &Evaluation, position: usize, truth: bool, why: &str) {
        let positions = evaluation.positions();
        let from = place(positions, position);
        match self.example(body, position, truth) {
            None => self.note(evaluation, position, format!("{why} from {from} on")),
            Some(at) => {
                let example = place(positions, at);
                self.note(evaluation, position, format!("{why} from {from} on; for example at {example}"));
                self.explain(body, at, truth);
            }
        }
    }

    /// Where a formula that is false at every position from here on comes nearest to the truth: with
    /// most conjuncts, or with a step that is observed; otherwise in the loop.
    fn example(&self, body: &Evaluation, position: usize, truth: bool) -> Option<usize> {
        let positions = body.positions();
        match body.formula() {
            _ if truth => None,
            Formula::Atom(_) | Formula::Label(..) => None,
            Formula::Not(_) => body.operands()[0].operands().first().map(|_| positions.late().max(position)),
            Formula::And(_) => {
                let mut parts = Vec::new();
                flatten(body, true, &mut parts);
                let held = |at: usize| parts.iter().filter(|part| part.at(at) == Truth::True).count();
                let best = positions.from(position).rev().max_by_key(|at| held(*at))?;
                (held(best) > 0).then_some(best)
            }
            Formula::Possible(observation, _) => {
                positions.from(position).find(|at| self.run.observed(positions, observation, *at) == Truth::True)
            }
            _ => Some(positions.late().max(position)),
        }
    }

    fn observation(
        &mut self,
        evaluation: &Evaluation,
        observation: &Observation,
        possible: bool,
        position: usize,
        truth: bool,
    ) {
        let positions = evaluation.positions();
        let Some(step) = self.run.step(positions, position) else { return };
        let seen = self.run.observed(positions, observation, position) == Truth::True;
        let verb = if seen { "is observed" } else { "is not observed" };
        let step = match self.has_values(evaluation, position) {
            true => describe_message(self.model(), step),
            false => name_step(self.model(), step),
        };
        self.note(evaluation, position, format!("{truth}: the step from here, {step}, {verb}"));
        if seen || possible == truth {
            self.explain(&evaluation.operands()[0], position + 1, truth);
        }
    }
}

/// The first position from `position` on where the formula has this truth.
fn first(evaluation: &Evaluation, position: usize, truth: bool) -> Option<usize> {
    evaluation.positions().from(position).find(|at| evaluation.at(*at) == Truth::from(truth))
}

/// A position as the trace has it.
fn place(positions: &Positions, position: usize) -> String {
    let index = positions.in_trace(position);
    if index == position { format!("position {position}") } else { format!("position {index} in a later round") }
}

/// The operands of a conjunction (else of a disjunction), with those of operands of the same kind.
fn flatten<'e, 'f>(evaluation: &'e Evaluation<'f>, conjunction: bool, parts: &mut Vec<&'e Evaluation<'f>>) {
    for part in evaluation.operands() {
        match part.formula() {
            Formula::And(_) if conjunction => flatten(part, conjunction, parts),
            Formula::Or(_) if !conjunction => flatten(part, conjunction, parts),
            _ => parts.push(part),
        }
    }
}

/// Whether the formula reads nothing.
fn is_constant(formula: &Formula) -> bool {
    let Formula::Atom(expr) = formula else { return false };
    let mut reads = false;
    expr.for_each_leaf(&mut |_| reads = true);
    !reads
}

/// Who takes which command in a step, but for the receivers.
fn name_step(model: &Model, step: &Step) -> String {
    let name = |instance, edge| model.show_command_name(instance, edge);
    match &step.choice {
        Choice::Stutter => "the stutter".to_string(),
        Choice::Send { sender, edge, .. } => name(*sender, *edge),
        Choice::GetSupply { getter, get, supplier, supply } => {
            format!("{} from {}", name(*getter, *get), name(*supplier, *supply))
        }
    }
}

/// Who takes which command in a step, but for the receivers, its channel and its data.
fn describe_message(model: &Model, step: &Step) -> String {
    let channel = step.channel.as_ref().map(|channel| format!(" on {}", model.show(channel, Type::Channel)));
    with_data(model, step, format!("{}{}", name_step(model, step), channel.unwrap_or_default()))
}

/// Who takes which command in a step, its channel, the receivers, and its data.
pub fn describe_step(model: &Model, step: &Step) -> String {
    let Choice::Send { receivers, .. } = &step.choice else { return describe_message(model, step) };
    let name = |(receiver, edge): &(_, _)| model.show_command_name(*receiver, *edge);
    let receivers: Vec<String> = receivers.iter().map(name).collect();
    let receivers = if receivers.is_empty() { "nobody".to_string() } else { receivers.join(", ") };
    let channel = step.channel.as_ref().map(|channel| model.show(channel, Type::Channel)).unwrap_or_default();
    with_data(model, step, format!("{} on {channel} to {receivers}", name_step(model, step)))
}

fn with_data(model: &Model, step: &Step, who: String) -> String {
    let data = step.data.iter().map(|(message, value)| {
        let variable = &model.messages[message.index()];
        format!("{} = {}", variable.name, model.show(value, variable.ty))
    });
    let data = data.collect::<Vec<_>>().join(", ");
    if data.is_empty() { who } else { format!("{who} with {data}") }
}
