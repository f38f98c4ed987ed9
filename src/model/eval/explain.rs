//! Why a formula is false on a run: from the formula down to the atoms that decide.

use super::truth::Evaluation;
use super::{Choice, Run, State, Step, Truth};
use crate::model::formula::StateLeaf;
use crate::model::{Action, Expr, Formula, Model, Observation, Type};

/// One step of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// A position of the run; behind the last step it is one of the loop's later rounds.
    pub position: usize,
    /// The formula that is true or false there, as the user writes it.
    pub subformula: String,
    /// Its truth there, and what that means or comes from.
    pub why: String,
}

impl Run<'_> {
    /// Why the formula is false on the run: the subformulas that decide, from the whole formula down
    /// to atoms. Empty if it is not false.
    pub fn explain(&self, formula: &Formula) -> Vec<Reason> {
        let evaluation = self.evaluation(formula);
        let mut explainer = Explainer { run: self, reasons: Vec::new() };
        if evaluation.at(0) == Truth::False {
            explainer.explain(&evaluation, 0, false);
        }
        explainer.reasons
    }
}

struct Explainer<'r, 's> {
    run: &'r Run<'s>,
    reasons: Vec<Reason>,
}

impl Explainer<'_, '_> {
    fn model(&self) -> &Model {
        self.run.semantics().model()
    }

    fn note(&mut self, evaluation: &Evaluation, position: usize, why: impl Into<String>) {
        let subformula = self.model().show_formula(evaluation.formula());
        self.reasons.push(Reason { position, subformula, why: why.into() });
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
            Formula::Next(_) => {
                self.note(evaluation, position, format!("{truth}: look at the next position"));
                self.explain(&parts[0], position + 1, truth);
            }
            Formula::Globally(_) | Formula::Finally(_) => self.unary(evaluation, position, truth),
            Formula::Until(..) | Formula::WeakUntil(..) | Formula::Release(..) => {
                self.binary(evaluation, position, truth);
            }
            Formula::Possible(observation, _) => self.observation(evaluation, observation, true, position, truth),
            Formula::Necessary(observation, _) => self.observation(evaluation, observation, false, position, truth),
        }
    }

    fn atom(&mut self, evaluation: &Evaluation, expr: &Expr<StateLeaf>, position: usize, truth: bool) {
        let state = self.run.state(evaluation.positions(), position);
        let values = self.values(expr, state);
        let why = if values.is_empty() { truth.to_string() } else { format!("{truth}: {values}") };
        self.note(evaluation, position, why);
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
            Some(step) => format!("{truth}: {which} is {}", describe_step(self.model(), step)),
            None => format!("{truth}: no step comes before"),
        };
        self.note(evaluation, position, why);
    }

    /// A conjunction or disjunction: one decisive part, or all of them.
    fn chain(&mut self, evaluation: &Evaluation, position: usize, truth: bool) {
        let conjunction = matches!(evaluation.formula(), Formula::And(_));
        let parts = evaluation.operands();
        if conjunction != truth {
            let decisive = parts.iter().enumerate().find(|(_, part)| part.at(position) == Truth::from(truth));
            let Some((index, part)) = decisive else { return };
            if parts.len() > 1 {
                let kind = if conjunction { "conjunct" } else { "alternative" };
                self.note(evaluation, position, format!("{truth}: see {kind} {} of {}", index + 1, parts.len()));
            }
            return self.explain(part, position, truth);
        }
        if parts.len() != 1 {
            let all = if truth { "true: every conjunct holds" } else { "false: no alternative holds" };
            self.note(evaluation, position, all);
        }
        for part in parts {
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
            return self.note(evaluation, position, format!("{why} from position {position} on"));
        }
        if let Some(first) = first(body, position, truth) {
            let why = if truth { "holds" } else { "fails" };
            self.note(evaluation, position, format!("{truth}: the body {why} at position {first} for the first time"));
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
                self.note(evaluation, position, format!("{truth}: the {side} side {holds} at position {at} first"));
                self.explain(part, at, truth);
                if !truth && !release {
                    self.explain(right, at, false);
                }
            }
            (_, None) => {
                let always = if truth { "holds at every position" } else { "never holds" };
                let why = format!("{truth}: the {other} side {always} from position {position} on");
                self.note(evaluation, position, why);
            }
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
        let step = describe_step(self.model(), step);
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

/// Who takes which command in a step, its channel and its data.
pub fn describe_step(model: &Model, step: &Step) -> String {
    let name = |instance, edge| model.show_command_name(instance, edge);
    let who = match &step.choice {
        Choice::Stutter => return "the stutter".to_string(),
        Choice::Send { sender, edge, receivers } => {
            let receivers: Vec<String> = receivers.iter().map(|(receiver, edge)| name(*receiver, *edge)).collect();
            let receivers = if receivers.is_empty() { "nobody".to_string() } else { receivers.join(", ") };
            let channel = step.channel.as_ref().map(|channel| model.show(channel, Type::Channel));
            format!("{} on {} to {receivers}", name(*sender, *edge), channel.unwrap_or_default())
        }
        Choice::GetSupply { getter, get, supplier, supply } => {
            format!("{} from {}", name(*getter, *get), name(*supplier, *supply))
        }
    };
    let data = step.data.iter().map(|(message, value)| {
        let variable = &model.messages[message.index()];
        format!("{} = {}", variable.name, model.show(value, variable.ty))
    });
    let data = data.collect::<Vec<_>>().join(", ");
    if data.is_empty() { who } else { format!("{who} with {data}") }
}
