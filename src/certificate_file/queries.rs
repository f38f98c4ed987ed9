//! Invariants as SMT-LIB queries, each of which is unsatisfiable.
//!
//! They are written from the terms of the system that the language defines and share nothing with the way
//! in which our own solver sees it. That variables stay in their ranges is not assumed: it is proved as a
//! part of the invariant.

use super::part::conjuncts;
use super::script::{Choice, Context, Frame, Script, comments};
use super::target::{Target, targets_of};
use super::{legend, tool};
use crate::check::certificate::Certificate;
use crate::claim::Invariant;
use crate::claim::reduction::Reduction;
use crate::model::Model;
use crate::ts::ranking::Ranking;
use crate::ts::smtlib::write::closed;
use crate::ts::term::Term;

/// A question for a solver, which it should answer with `unsat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The number of the conjunct, from 1, and what is asked: `1-initial`.
    pub name: String,
    /// An SMT-LIB script.
    pub text: String,
}

/// The queries of a proof of a spec; `file` is how the model is called.
pub fn queries(model: &Model, file: &str, spec: usize, certificate: &Certificate) -> Vec<Query> {
    let targets = targets_of(model, spec, certificate);
    let mut queries = Vec::new();
    for (index, (target, part)) in targets.iter().zip(certificate.parts()).enumerate() {
        let invariant = part.proof.invariant();
        let question = Question { target, invariant, clauses: conjuncts(target, invariant) };
        let heading = heading(model, file, spec, index + 1, target, &part.ranking);
        let mut add = |name: &str, text: String| {
            queries.push(Query { name: format!("{}-{name}", index + 1), text: format!("{heading}{text}") });
        };
        add("initial", question.initial());
        add("inductive", question.inductive());
        add("safe", question.safe());
    }
    queries
}

/// Which proof the query belongs to, in comments.
fn heading(model: &Model, file: &str, spec: usize, number: usize, target: &Target, ranking: &Ranking) -> String {
    let name = model.specs[spec].name.as_deref().unwrap_or_default();
    let mut lines = vec![
        format!("{}: proof of spec {} {name} of {file}", tool(), spec + 1),
        format!("conjunct {number}: {}", model.show_formula(&target.reached.formula)),
        match target.reached.reduction {
            Reduction::Invariance => "invariance: a state is bad if it has what the conjunct rules out".to_owned(),
            Reduction::Safety => "safety: a state is bad if the negation of the conjunct was seen there".to_owned(),
            Reduction::Counting(0) => {
                "liveness: a state is bad if a round of the eventualities of the negation ends there".to_owned()
            }
            Reduction::Counting(times) => {
                format!("liveness: a state is bad if {} rounds of the eventualities of the negation ended", times + 1)
            }
            Reduction::Ranking(times) => format!(
                "liveness: a state is bad if {} rounds of the eventualities of the negation ended since the ranking \
                 changed, or if the ranking grew or changed below zero",
                times + 1
            ),
        },
    ];
    let Ranking { terms, components } = ranking;
    let component = |(index, &component)| format!("ranking, {index}: {}", closed(terms, &target.symbols, component));
    lines.extend((1..).zip(components).map(component));
    lines.extend(legend::legend(model, target).into_iter().map(|(name, meaning)| format!("{name}: {meaning}")));
    comments(&lines)
}

struct Question<'a> {
    target: &'a Target,
    invariant: &'a Invariant,
    clauses: Vec<Term>,
}

impl Question<'_> {
    fn context(&self) -> Context<'_> {
        let Target { reached, symbols, .. } = self.target;
        Context { system: &reached.system, terms: &self.invariant.terms, symbols }
    }

    /// Is there a run on which the invariant is violated in one of the first k states?
    fn initial(&self) -> String {
        let (k, init) = (self.invariant.k, self.target.reached.system.init());
        let mut script = self.script(&match k {
            1 => "Is there an initial state that violates the invariant?".to_owned(),
            _ => format!("Is the invariant violated within the first {k} states of a run?"),
        });
        let roots = |frame| if frame == 0 { init } else { &[] };
        let frames: Vec<Frame> =
            (0..k).map(|frame| self.frame(&mut script, frame, roots(frame), frame + 1 < k)).collect();
        let initial = [script.domains(&frames[0]), frames[0].terms(init)].concat();
        script.assert_all("state 0 is an initial state", &initial);
        (1..k).for_each(|frame| script.step(&frames[frame - 1], &frames[frame]));
        let invariant: Vec<String> = frames.iter().flat_map(|frame| self.invariant(&script, frame)).collect();
        script.assert_not_all("the invariant is violated", &invariant);
        script.finish()
    }

    /// Is there a step from a state that satisfies the invariant to one that does not?
    fn inductive(&self) -> String {
        let k = self.invariant.k;
        let mut script = self.script(&match k {
            1 => "Does a step lead from a state that satisfies the invariant to one that does not?".to_owned(),
            _ => format!("Do steps through {k} different states that satisfy the invariant lead to one that does not?"),
        });
        let frames: Vec<Frame> = (0..=k).map(|frame| self.frame(&mut script, frame, &[], frame < k)).collect();
        for (number, frame) in frames[..k].iter().enumerate() {
            let invariant = self.invariant(&script, frame);
            script.assert_all(&format!("state {number} satisfies the invariant"), &invariant);
            frames[..number].iter().for_each(|earlier| script.different(earlier, frame));
            script.step(frame, &frames[number + 1]);
        }
        let invariant = self.invariant(&script, &frames[k]);
        script.assert_not_all(&format!("state {k} does not"), &invariant);
        script.finish()
    }

    /// Is there a bad state that satisfies the invariant?
    fn safe(&self) -> String {
        let mut script = self.script("Is there a bad state that satisfies the invariant?");
        let bad = self.target.reached.bad;
        let frame = self.frame(&mut script, 0, &[bad], false);
        let invariant = self.invariant(&script, &frame);
        script.assert_all("the state satisfies the invariant", &invariant);
        script.assert_all("and is bad", &[frame.term(bad)]);
        script.finish()
    }

    /// All terms that a state of a script may need.
    fn frame<'s>(&'s self, script: &mut Script<'s>, number: usize, also: &[Term], steps: bool) -> Frame<'s> {
        let step_terms = if steps { self.context().step_terms() } else { Vec::new() };
        let terms = [also, &self.clauses, &step_terms].concat();
        script.frame(number, &terms, if steps { Choice::Any } else { Choice::None })
    }

    /// Ranges and clauses.
    fn invariant(&self, script: &Script, frame: &Frame) -> Vec<String> {
        [script.domains(frame), frame.terms(&self.clauses)].concat()
    }

    /// An empty script, in the logic of everything that may occur.
    fn script(&self, asked: &str) -> Script<'_> {
        let (context, reached) = (self.context(), &self.target.reached);
        let own = reached.system.init().iter().chain(&self.clauses).chain([&reached.bad]).copied();
        Script::new(context, asked, context.logic(context.step_terms().into_iter().chain(own)))
    }
}
