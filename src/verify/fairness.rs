//! Which fairness a spec needs that unfair runs violate.

use super::durations;
use super::{Engine, InternalError, Limits, Subject};
use crate::check::{Counterexample, Ending, Verdict};
use crate::model::fairness::{Actor, Assumption, Fairness};
use crate::model::{AgentId, EdgeId, Formula, InstanceId, Model, Spec};
use crate::source::Span;
use std::collections::BTreeMap;

/// How many sets of assumptions are tried.
const ROUNDS: usize = 4;

/// The outcome of a spec that is violated by an unfair run if each agent concerned is treated fairly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnderFairness {
    /// It holds under these assumptions, as a file has them.
    Holds(Vec<String>),
    /// It is violated by a run that is fair to all.
    Violated,
}

/// The agents that are treated fairly: all instances of a type, or one command of each.
type Treated = BTreeMap<(AgentId, Option<EdgeId>), Fairness>;

impl Subject<'_> {
    /// The same spec under fairness to those to whom its counterexample is unfair, and to others where it takes them. Nothing if
    /// the counterexample is unfair to no agent, or it is not known soon.
    pub fn under_fairness(
        &self,
        spec: usize,
        counterexample: &Counterexample,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Option<UnderFairness>, InternalError> {
        let model = counterexample.run().semantics().model();
        let Some(spec) = model.specs.get(spec).filter(|spec| spec.question.is_none()) else { return Ok(None) };
        let mut treated = Treated::new();
        if !matches!(add(model, &counterexample.run().unfair_to(), &mut treated), Added::More) {
            return Ok(None);
        }
        let limits = Limits { budget: limits.budget.aside(durations::FAIRNESS), ..limits.quiet() };
        let search = FairnessSearch { model, spec, engines, limits };
        for _ in 0..ROUNDS {
            let others = match search.tried(spec, &treated)? {
                Tried::Holds => return search.least(treated),
                Tried::Violated(unfair) => unfair,
                Tried::Unknown => return Ok(None),
            };
            match add(model, &others, &mut treated) {
                Added::More => {}
                Added::Nothing => return Ok(Some(UnderFairness::Violated)),
                Added::Nameless => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// The outcome of a spec under some fairness.
enum Tried {
    Holds,
    /// By a run that is unfair to these.
    Violated(Vec<(Actor, Fairness)>),
    Unknown,
}

/// The search for fairness that a spec needs.
struct FairnessSearch<'a> {
    model: &'a Model,
    spec: &'a Spec,
    engines: &'a [Engine],
    limits: Limits<'a>,
}

impl FairnessSearch<'_> {
    fn tried(&self, spec: &Spec, treated: &Treated) -> Result<Tried, InternalError> {
        let spec = Spec { name: None, text: None, ..spec.clone() };
        let spec = if treated.is_empty() { spec } else { spec.under(self.model, &[assumption(self.model, treated)]) };
        let fair = self.model.with_specs(vec![spec]);
        let subject = Subject::new(&fair);
        let outcome = match subject.prove(0, self.engines, &self.limits) {
            Ok(outcome) => outcome,
            Err(InternalError::Refused(_)) => return Ok(Tried::Unknown),
            Err(contradiction) => return Err(contradiction),
        };
        Ok(match &outcome.verdict {
            Verdict::Holds(_) => Tried::Holds,
            // If values differ from round to round, it is not known to which agents a run is unfair.
            Verdict::Violated(other) if matches!(other.ending(), Ending::Recurrent(_)) => Tried::Unknown,
            Verdict::Violated(other) => Tried::Violated(other.run().unfair_to()),
            Verdict::NoCounterexample { .. } | Verdict::Unknown { .. } => Tried::Unknown,
        })
    }

    /// Leaves out whose fairness is not needed, as far as that is known soon.
    fn least(&self, mut treated: Treated) -> Result<Option<UnderFairness>, InternalError> {
        let FairnessSearch { model, spec, .. } = *self;
        // Together with other assumptions, fairness may be more than any run satisfies.
        let under = |treated: &Treated| spec.clone().under(model, &[assumption(model, treated)]).under;
        let assumed = under(&treated).map(|under| under.assumed()).filter(|assumed| !assumed.is_fairness(model));
        if let Some(assumed) = assumed {
            let nothing = Spec { formula: assumed.negated(), under: None, ..spec.clone() };
            if !matches!(self.tried(&nothing, &Treated::new())?, Tried::Violated(_)) {
                return Ok(None);
            }
        }
        for who in treated.keys().copied().collect::<Vec<_>>() {
            let mut fewer = treated.clone();
            fewer.remove(&who);
            if !fewer.is_empty() && matches!(self.tried(spec, &fewer)?, Tried::Holds) {
                treated = fewer;
            }
        }
        let list = treated.iter().map(|(who, fairness)| shown(model, *who, *fairness));
        Ok(Some(UnderFairness::Holds(list.collect())))
    }
}

/// The outcome of assumptions by a run that is unfair to some agent.
enum Added {
    /// There are more of them.
    More,
    /// It is unfair to no other agent.
    Nothing,
    /// It is unfair to commands alone that no formula can name.
    Nameless,
}

/// Adds the types to whose instances a run is unfair, or the commands if it is unfair to no instance.
fn add(model: &Model, unfair: &[(Actor, Fairness)], treated: &mut Treated) -> Added {
    let is_instance = |(actor, _): &&(Actor, Fairness)| matches!(actor, Actor::Instance(_));
    let some_instance = unfair.iter().any(|it| is_instance(&it));
    let mut added = Added::Nothing;
    for (actor, fairness) in unfair.iter().filter(|it| is_instance(it) == some_instance) {
        let agent = model.instances[actor.instance().index()].agent;
        let who = match actor {
            Actor::Instance(_) => (agent, None),
            Actor::Command(_, edge) if model.agents[agent.index()].edges[edge.index()].label.is_none() => {
                if matches!(added, Added::Nothing) {
                    added = Added::Nameless;
                }
                continue;
            }
            Actor::Command(_, edge) => (agent, Some(*edge)),
        };
        let known = treated.get(&who).copied();
        if known.is_none() || known == Some(Fairness::Weak) && *fairness == Fairness::Strong {
            treated.insert(who, *fairness);
            added = Added::More;
        }
    }
    added
}

fn of_type(model: &Model, agent: AgentId) -> Vec<InstanceId> {
    model.instance_ids().filter(|instance| model.instances[instance.index()].agent == agent).collect()
}

fn assumption(model: &Model, treated: &Treated) -> Assumption {
    let all = treated.iter().flat_map(|((agent, edge), fairness)| {
        of_type(model, *agent).into_iter().map(move |instance| {
            let actor = edge.map_or(Actor::Instance(instance), |edge| Actor::Command(instance, edge));
            actor.is_treated(*fairness, model)
        })
    });
    Assumption { formula: Formula::And(all.collect()), span: Span::default() }
}

/// As a file has it.
fn shown(model: &Model, (agent, edge): (AgentId, Option<EdgeId>), fairness: Fairness) -> String {
    let label = edge.and_then(|edge| model.agents[agent.index()].edges[edge.index()].label.as_ref());
    let label = label.map_or(String::new(), |label| format!("-{label}"));
    let word = fairness.word();
    let instances = of_type(model, agent);
    if let ([only], true) = (&instances[..], model.families().is_empty()) {
        return format!("ASSUME {word}({}{label});", model.instances[only.index()].name);
    }
    let is_taken = |name: &str| model.instances.iter().any(|instance| instance.name == name);
    let variable = ["k", "m", "i"].into_iter().find(|name| !is_taken(name)).unwrap_or("someone");
    format!("ASSUME forall {variable} : {} . {word}({variable}{label});", model.agents[agent.index()].name)
}
