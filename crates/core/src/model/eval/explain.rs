//! Why a formula is false on a run: from the formula down to the atoms that decide.

use super::explanation::{Explanation, ExplanationStep, RunPart};
use super::truth::{Evaluation, Given, Positions};
use super::words::{describe_message, name_step};
use super::{Run, State, Truth};
use crate::model::branching::Branching;
use crate::model::formula::StateLeaf;
use crate::model::written::Written;
use crate::model::{Expr, Formula, Model, Observation};

/// Of many parts that all have a say, so many are explained.
const EXAMPLES: usize = 3;

impl Run<'_> {
    /// Why the formula is false on the run: the subformulas that decide, from the whole formula down
    /// to atoms. Nothing if it is not false.
    pub fn explain(&self, formula: &Formula) -> Option<Explanation> {
        self.explain_evaluation(&self.evaluation(formula), false)
    }

    /// Why the formula is true or false of the run that begins at a position, given the truth of branching formulas. Nothing
    /// if it is not.
    pub fn explain_given(&self, formula: &Formula, position: usize, truth: bool, given: Given) -> Option<Explanation> {
        self.explain_at(&self.evaluation_given(formula, position, given), position, truth, false)
    }

    /// The same for [`Run::evaluation_repeating`].
    pub fn explain_repeating(&self, formula: &Formula, start: usize) -> Option<Explanation> {
        self.explain_evaluation(&self.evaluation_repeating(formula, start), true)
    }

    fn explain_evaluation(&self, evaluation: &Evaluation, values_differ: bool) -> Option<Explanation> {
        self.explain_at(evaluation, 0, false, values_differ)
    }

    fn explain_at(
        &self,
        evaluation: &Evaluation,
        position: usize,
        truth: bool,
        values_differ: bool,
    ) -> Option<Explanation> {
        if evaluation.at(position) != Truth::from(truth) {
            return None;
        }
        let mut explainer = Explainer {
            run: self,
            values_differ,
            reasons: Vec::new(),
            way: Vec::new(),
            conjunct: 0,
            conjuncts: true,
            branching: Vec::new(),
        };
        let shown = explainer.explain(evaluation, position, truth);
        // Constants that were folded into nothing: the formula itself is all there is to see.
        let shown =
            shown.unwrap_or_else(|| explainer.note(evaluation, position, RunPart::State(position), truth.to_string()));
        let Explainer { reasons, way, conjunct, branching, .. } = explainer;
        let conjunct = (conjunct, evaluation.formula().conjuncts().len());
        let ShownAt { place, later_round, reason } = shown;
        Some(Explanation { reasons, conjunct, place, later_round, decisive: reason, way, branching })
    }
}

struct Explainer<'r, 's> {
    run: &'r Run<'s>,
    /// True if later rounds of the loop have other values than the first.
    values_differ: bool,
    reasons: Vec<ExplanationStep>,
    /// The subformulas on the way to here, as long as one decides alone.
    way: Vec<Formula>,
    /// The number of conjuncts of the whole formula before the one that decides.
    conjunct: usize,
    /// True if conjunctions are still conjuncts of the whole formula.
    conjuncts: bool,
    /// The branching formulas that decide.
    branching: Vec<(usize, Branching, bool)>,
}

/// A place that shows something, and the reason that says so.
#[derive(Clone, Copy)]
struct ShownAt {
    place: RunPart,
    later_round: bool,
    reason: usize,
}

impl ShownAt {
    /// The order of importance: places that go on for ever are the greatest, then the last ones.
    fn rank(&self) -> (bool, usize) {
        (matches!(self.place, RunPart::Always(_)), self.place.position())
    }
}

impl Explainer<'_, '_> {
    fn model(&self) -> &Model {
        self.run.semantics().model()
    }

    /// Notes a reason; says that it shows at the place, which is a position as the evaluation counts them.
    fn note(&mut self, evaluation: &Evaluation, position: usize, place: RunPart, why: impl Into<String>) -> ShownAt {
        let subformula = self.model().show_formula(evaluation.formula());
        let positions = evaluation.positions();
        let index = positions.in_trace(position);
        self.reasons.push(ExplanationStep {
            position: index,
            later_round: index != position,
            subformula,
            why: why.into(),
        });
        let seen = match place {
            RunPart::State(at) => RunPart::State(positions.in_trace(at)),
            RunPart::Step(at) => RunPart::Step(positions.step_in_trace(at)),
            RunPart::Always(at) => RunPart::Always(positions.in_trace(at)),
        };
        ShownAt { place: seen, later_round: seen != place, reason: self.reasons.len() - 1 }
    }

    /// Explains why the formula has this truth at the position, which it must have; says where that shows,
    /// unless the formula is a constant that needs no words.
    fn explain(&mut self, evaluation: &Evaluation, position: usize, truth: bool) -> Option<ShownAt> {
        self.way.push(evaluation.formula().clone());
        let written = evaluation.formula().written();
        if !matches!(written, Written::And(_) | Written::Globally(_) | Written::Next(_) | Written::Necessary(..)) {
            // An implication is split where it is a conjunct of the whole formula, but not below it.
            let (_, above) = self.way.split_last().expect("it was pushed");
            let is_conjunct = above.iter().all(is_conjunction);
            self.conjuncts &= matches!(written, Written::Implies(..)) && is_conjunct;
        }
        self.explain_by_operator(evaluation, position, truth)
    }

    /// The same about one of several that decide together: the way ends with what they are parts of.
    fn explain_aside(&mut self, evaluation: &Evaluation, position: usize, truth: bool) -> Option<ShownAt> {
        let (way, conjuncts) = (self.way.len(), std::mem::replace(&mut self.conjuncts, false));
        let shown = self.explain(evaluation, position, truth);
        self.way.truncate(way);
        self.conjuncts = conjuncts;
        shown
    }

    fn explain_by_operator(&mut self, evaluation: &Evaluation, position: usize, truth: bool) -> Option<ShownAt> {
        let here = RunPart::State(position);
        match Written::of(evaluation) {
            Written::Atom(expr) => self.atom(evaluation, expr, position, truth),
            Written::Label(instance, edge) => {
                let receives = self.model().is_receive(instance, edge);
                Some(self.label(evaluation, receives, position, truth))
            }
            Written::Branching(branching) => {
                let decides = (evaluation.positions().in_trace(position), branching.clone(), truth);
                if !self.branching.contains(&decides) {
                    self.branching.push(decides);
                }
                Some(self.note(evaluation, position, here, truth.to_string()))
            }
            Written::Not(inner) => self.explain(inner, position, !truth),
            Written::And(_) | Written::Or(_) => self.chain(evaluation, position, truth),
            Written::Implies(left, right) => self.implication(evaluation, [left, right], position, truth),
            Written::Iff(left, right) => {
                let why = if truth { "true: both sides agree" } else { "false: the sides differ" };
                let own = self.note(evaluation, position, here, why);
                let sides = [left, right].map(|part| (part, part.at(position) == Truth::True));
                Some(self.all(sides.to_vec(), position).unwrap_or(own))
            }
            Written::Next(inner) => self.explain(inner, position + 1, truth),
            Written::Globally(body) => self.unary(evaluation, body, true, position, truth),
            Written::Finally(body) => self.unary(evaluation, body, false, position, truth),
            Written::Until(left, right) | Written::WeakUntil(left, right) => {
                self.binary(evaluation, [left, right], false, position, truth)
            }
            Written::Release(left, right) => self.binary(evaluation, [left, right], true, position, truth),
            Written::Observed(seen) => self.observation(evaluation, seen, None, truth, position, truth),
            Written::Possible(seen, then) => self.observation(evaluation, seen, Some(then), true, position, truth),
            Written::Necessary(seen, then) => self.observation(evaluation, seen, Some(then), false, position, truth),
        }
    }

    /// Formulas that decide together, with their truths.
    fn all(&mut self, parts: Vec<(&Evaluation, bool)>, position: usize) -> Option<ShownAt> {
        let shown: Vec<ShownAt> =
            parts.into_iter().filter_map(|(part, truth)| self.explain_aside(part, position, truth)).collect();
        shown.into_iter().max_by_key(ShownAt::rank)
    }

    /// Constants explain themselves.
    fn atom(
        &mut self,
        evaluation: &Evaluation,
        expr: &Expr<StateLeaf>,
        position: usize,
        truth: bool,
    ) -> Option<ShownAt> {
        if is_constant(evaluation.formula()) && !self.reasons.is_empty() {
            return None;
        }
        let state = self.run.state(evaluation.positions(), position);
        let values = if self.has_values(evaluation, position) { self.values(expr, state) } else { String::new() };
        let obvious = values == format!("{} = {truth}", self.model().show_formula(evaluation.formula()));
        let why = if values.is_empty() || obvious { truth.to_string() } else { format!("{truth}: {values}") };
        Some(self.note(evaluation, position, RunPart::State(position), why))
    }

    /// True if the values at a position are those that the trace shows.
    fn has_values(&self, evaluation: &Evaluation, position: usize) -> bool {
        !self.values_differ || evaluation.positions().in_trace(position) == position
    }

    /// The values of the variables of an atom, each once.
    fn values(&self, expr: &Expr<StateLeaf>, state: &State) -> String {
        let mut values: Vec<String> = Vec::new();
        expr.for_each_leaf(&mut |leaf| {
            let (name, ty) = self.model().state_leaf(*leaf);
            let value = format!("{name} = {}", self.model().show(&self.run.semantics().value(state, *leaf), ty));
            if !values.contains(&value) {
                values.push(value);
            }
        });
        values.join(", ")
    }

    fn label(&mut self, evaluation: &Evaluation, receives: bool, position: usize, truth: bool) -> ShownAt {
        let positions = evaluation.positions();
        let (step, which, place) = match receives {
            true => (self.run.step_before(positions, position), "the step to here", RunPart::State(position)),
            false => (self.run.step(positions, position), "the step from here", RunPart::Step(position)),
        };
        let why = match step {
            Some(step) => format!("{truth}: {which} is {}", name_step(self.model(), step)),
            None if position == 0 => format!("{truth}: no step comes before"),
            None => format!("{truth}: the runs considered begin here"),
        };
        self.note(evaluation, position, place, why)
    }

    /// A conjunction or disjunction: one decisive part, or some of them all.
    fn chain(&mut self, evaluation: &Evaluation, position: usize, truth: bool) -> Option<ShownAt> {
        let conjunction = is_conjunction(evaluation.formula());
        let mut parts = Vec::new();
        flatten(evaluation, conjunction, &mut parts);
        if conjunction != truth {
            return self.decisive_part(evaluation, &parts, position, truth);
        }
        let count = parts.len();
        parts.retain(|part| !is_constant(part.formula()));
        let cut = parts.len() > EXAMPLES + 1;
        let own = (count != 1).then(|| {
            let all = if truth { "true: every conjunct holds" } else { "false: no alternative holds" };
            let cut = if cut { format!("; {EXAMPLES} of {count}:") } else { String::new() };
            self.note(evaluation, position, RunPart::State(position), format!("{all}{cut}"))
        });
        if let ([only], 1) = (parts.as_slice(), count) {
            return self.explain(only, position, truth);
        }
        let shown = parts.into_iter().take(if cut { EXAMPLES } else { usize::MAX }).map(|part| (part, truth));
        self.all(shown.collect(), position).or(own)
    }

    /// The first part of a conjunction or disjunction that decides it.
    fn decisive_part(
        &mut self,
        evaluation: &Evaluation,
        parts: &[&Evaluation],
        position: usize,
        truth: bool,
    ) -> Option<ShownAt> {
        let index = parts.iter().position(|part| part.at(position) == Truth::from(truth))?;
        let own = (parts.len() > 1).then(|| {
            let kind = if truth { "alternative" } else { "conjunct" };
            let why = format!("{truth}: see {kind} {} of {}", index + 1, parts.len());
            self.note(evaluation, position, RunPart::State(position), why)
        });
        if self.conjuncts {
            let is_top = self.way.iter().all(is_conjunction);
            let count = |part: &Formula| if is_top { part.conjuncts() } else { part.split() }.len();
            self.conjunct += parts[..index].iter().map(|part| count(part.formula())).sum::<usize>();
        }
        self.explain(parts[index], position, truth).or(own)
    }

    fn implication(
        &mut self,
        evaluation: &Evaluation,
        [left, right]: [&Evaluation; 2],
        position: usize,
        truth: bool,
    ) -> Option<ShownAt> {
        let here = RunPart::State(position);
        if !truth {
            let why = "false: the left side holds, the right side does not";
            let own = self.note(evaluation, position, here, why);
            let are_assumed = self.conjuncts && are_assumptions(left.formula());
            let left = if are_assumed { None } else { self.explain_aside(left, position, true) };
            return self.explain(right, position, false).or(left).or(Some(own));
        }
        let (why, decisive, value) = match left.at(position) {
            Truth::False => ("true: the left side does not hold", left, false),
            _ => ("true: the right side holds", right, true),
        };
        let own = self.note(evaluation, position, here, why);
        self.explain(decisive, position, value).or(Some(own))
    }

    /// `F` and `G`.
    fn unary(
        &mut self,
        evaluation: &Evaluation,
        body: &Evaluation,
        globally: bool,
        position: usize,
        truth: bool,
    ) -> Option<ShownAt> {
        if globally == truth {
            let why = if truth { "true: holds at every position" } else { "false: never holds" };
            return Some(self.always(evaluation, body, position, truth, why));
        }
        let first = first(body, position, truth)?;
        let (why, place) = (if truth { "holds" } else { "fails" }, place(evaluation.positions(), first));
        let why = format!("{truth}: the body {why} at {place} for the first time");
        let own = self.note(evaluation, position, RunPart::State(first), why);
        self.explain(body, first, truth).or(Some(own))
    }

    /// `U`, `W` and `R`.
    fn binary(
        &mut self,
        evaluation: &Evaluation,
        [left, right]: [&Evaluation; 2],
        release: bool,
        position: usize,
        truth: bool,
    ) -> Option<ShownAt> {
        // The place where the operator becomes true, or false: the side that decides, and its position.
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
                let why = format!("{truth}: the {side} side {holds} at {place} first");
                let own = self.note(evaluation, position, RunPart::State(at), why);
                let shown = self.explain(part, at, truth);
                let also = (!truth && !release).then(|| self.explain_aside(right, at, false)).flatten();
                shown.or(also).or(Some(own))
            }
            (_, None) => {
                let always = if truth { "holds at every position" } else { "never holds" };
                let part = if other == "left" { left } else { right };
                let why = format!("{truth}: the {other} side {always}");
                Some(self.always(evaluation, part, position, truth, &why))
            }
        }
    }

    /// The body has this truth at every position from here on: says so, and explains one of them if
    /// there is more to say than the trace shows.
    fn always(
        &mut self,
        evaluation: &Evaluation,
        body: &Evaluation,
        position: usize,
        truth: bool,
        why: &str,
    ) -> ShownAt {
        let positions = evaluation.positions();
        let (from, all) = (place(positions, position), RunPart::Always(position));
        match self.example(body, position, truth) {
            None => self.note(evaluation, position, all, format!("{why} from {from} on")),
            Some(at) => {
                let example = place(positions, at);
                let own =
                    self.note(evaluation, position, all, format!("{why} from {from} on; for example at {example}"));
                self.explain_aside(body, at, truth);
                own
            }
        }
    }

    /// The position at which a formula that is false at every position from here on comes nearest to the truth: with
    /// most conjuncts, or with a step that is observed; otherwise in the loop.
    fn example(&self, body: &Evaluation, position: usize, truth: bool) -> Option<usize> {
        let positions = body.positions();
        if truth {
            return None;
        }
        match Written::of(body) {
            Written::Atom(_) | Written::Label(..) | Written::Observed(_) => None,
            Written::Not(inner) => (!inner.operands().is_empty()).then(|| positions.late().max(position)),
            Written::And(_) => {
                let mut parts = Vec::new();
                flatten(body, true, &mut parts);
                let held = |at: usize| parts.iter().filter(|part| part.at(at) == Truth::True).count();
                let best = positions.from(position).rev().max_by_key(|at| held(*at))?;
                (held(best) > 0).then_some(best)
            }
            Written::Possible(observation, _) => {
                positions.from(position).find(|at| self.run.observed(positions, observation, *at) == Truth::True)
            }
            Written::Or(_)
            | Written::Implies(..)
            | Written::Iff(..)
            | Written::Next(_)
            | Written::Finally(_)
            | Written::Globally(_)
            | Written::Until(..)
            | Written::WeakUntil(..)
            | Written::Release(..)
            | Written::Necessary(..)
            | Written::Branching(_) => Some(positions.late().max(position)),
        }
    }

    fn observation(
        &mut self,
        evaluation: &Evaluation,
        observation: &Observation,
        then: Option<&Evaluation>,
        possible: bool,
        position: usize,
        truth: bool,
    ) -> Option<ShownAt> {
        let positions = evaluation.positions();
        let step = self.run.step(positions, position)?;
        let seen = self.run.observed(positions, observation, position) == Truth::True;
        let verb = if seen { "is observed" } else { "is not observed" };
        let step = match self.has_values(evaluation, position) {
            true => describe_message(self.model(), step),
            false => name_step(self.model(), step),
        };
        let why = format!("{truth}: the step from here, {step}, {verb}");
        let own = self.note(evaluation, position, RunPart::Step(position), why);
        match then {
            Some(then) if seen || possible == truth => self.explain(then, position + 1, truth).or(Some(own)),
            _ => Some(own),
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
fn flatten<'e>(evaluation: &'e Evaluation<'e>, conjunction: bool, parts: &mut Vec<&'e Evaluation<'e>>) {
    match Written::of(evaluation) {
        Written::And(list) if conjunction => list.into_iter().for_each(|part| flatten(part, conjunction, parts)),
        Written::Or(list) if !conjunction => list.into_iter().for_each(|part| flatten(part, conjunction, parts)),
        _ => parts.push(evaluation),
    }
}

/// True if it is written as a conjunction.
fn is_conjunction(formula: &Formula) -> bool {
    matches!(formula.written(), Written::And(_))
}

/// True if it is a conjunction of formulas about whole runs, of which the trace shows each as well as words could.
fn are_assumptions(formula: &Formula) -> bool {
    fn is_temporal(formula: &Formula) -> bool {
        match formula.written() {
            Written::Globally(_) | Written::Finally(_) => true,
            Written::And(list) => list.into_iter().all(is_temporal),
            Written::Implies(_, right) => is_temporal(right),
            _ => false,
        }
    }
    is_conjunction(formula) && is_temporal(formula)
}

/// True if the formula reads nothing.
fn is_constant(formula: &Formula) -> bool {
    let Formula::Atom(expr) = formula else { return false };
    let mut reads = false;
    expr.for_each_leaf(&mut |_| reads = true);
    !reads
}
