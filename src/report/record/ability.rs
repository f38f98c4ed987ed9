//! Answers to questions what groups can bring about by what their members see, for programs.

use crate::check::strategies::{Answer, Answers, Why};
use crate::model::strategy::Refusal;
use crate::model::{EdgeId, Instance, InstanceId, Model};
use crate::report::strategies::{show_can, show_taken};
use serde::{Deserialize, Serialize};

/// The answer to `can(g, f)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ability {
    /// The formula.
    pub formula: String,
    /// The members of the group.
    pub group: Vec<String>,
    /// True if they have a strategy.
    pub can: bool,
    /// Of a strategy, what members do not offer; all other commands they offer. Missing if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Vec<RefusedCommand>>,
    /// The text of the model with the strategy built in, where it is made: for editors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// If there is no strategy, the number of runs of which each strategy allows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<usize>,
}

/// A command that a member does not offer, or by which it does not take a message; of agents that act all at once, an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefusedCommand {
    /// The member.
    pub agent: String,
    /// The label of the command, or its text if it has none, or the action.
    pub command: String,
    /// Where, as a condition on what the member sees; missing if everywhere.
    pub when: Option<String>,
}

impl Ability {
    /// Those that a spec asks for.
    pub fn list(model: &Model, answers: &Answers) -> Vec<Ability> {
        answers.answers().iter().map(|answer| Ability::new(model, answer)).collect()
    }

    fn new(model: &Model, answer: &Answer) -> Ability {
        let names = answer.beginning().group().iter().map(|member| model.instances[member.index()].name.clone());
        let (refused, runs) = match answer.why() {
            Why::Can { strategy, .. } => {
                let offers = strategy.refusals.iter().map(|Refusal { member, edge, when }| {
                    let when = Some(model.show_state_expr(when)).filter(|when| when != "true");
                    RefusedCommand::new(model, (*member, *edge), when)
                });
                let takes = strategy.takes.iter().map(|take| {
                    let when = Some(show_taken(model, take)).filter(|when| !when.is_empty());
                    RefusedCommand::new(model, (take.member, take.edge), when)
                });
                (Some(offers.chain(takes).collect()), None)
            }
            Why::Cannot { runs, .. } => (None, Some(runs.failures.len())),
        };
        Ability {
            formula: show_can(model, answer),
            group: names.collect(),
            can: refused.is_some(),
            refused,
            model: None,
            runs,
        }
    }
}

impl RefusedCommand {
    fn new(model: &Model, (member, edge): (InstanceId, EdgeId), when: Option<String>) -> RefusedCommand {
        let Instance { name, agent, .. } = &model.instances[member.index()];
        let label = || model.agent_of(member).edges[edge.index()].label.clone();
        let action = model.action_name(member, edge).map(str::to_owned);
        let command = action.or_else(label).unwrap_or_else(|| model.show_command(*agent, edge));
        RefusedCommand { agent: name.clone(), command, when }
    }
}
