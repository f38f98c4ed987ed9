//! Checks beyond specs (`docs/logic.md#checks-beyond-specs`), as specs: so each of them is decided, and its evidence checked,
//! as any spec is.
//!
//! - **Deadlock**: `G !deadlock`.
//! - **Overflow** of a command: in no reachable state would a step with it exist if there were no ranges, and
//!   leave one: by the command's data, or by its updates. The condition is a state formula; see `overflow`.
//! - **Dead code**: `G !i-l` for each instance i of the agent type and its command l. The command is dead if this
//!   holds, and a run that takes it if not.
//!
//! Overflow and dead code are questions about a command of an agent type: all its instances count. Of agents that act all at
//! once, overflow is one about a line of an evolution.
//!
//! [`Spec::question`] changes only the words of reports and, for dead code, the exit code.

mod joint;
mod overflow;
pub(super) mod substitute;

use super::formula::StateLeaf;
use super::{AgentId, EdgeId, Expr, Formula, Instance, InstanceId, Model, Spec};
use crate::source::Span;

/// The question of a check, and the statement of its spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// True if the system can get stuck; that it cannot.
    Deadlock,
    /// True if the command, or the line of an evolution, can leave a range; that it cannot.
    Overflow(AgentId, EdgeId),
    /// True if no run takes the command; that none does.
    DeadCode(AgentId, EdgeId),
}

/// Which kinds of questions to ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// About deadlock.
    pub deadlock: bool,
    /// About the overflow of each command and each line of an evolution that can have one.
    pub overflow: bool,
    /// About the life of each command.
    pub dead_code: bool,
}

impl Kinds {
    /// True if any is asked for.
    pub fn any(self) -> bool {
        self != Kinds::default()
    }
}

/// All checks of these kinds, in the order of the commands in the file. The specs are no part of the model yet.
pub fn checks(model: &Model, kinds: Kinds) -> Vec<Spec> {
    let mut list = Vec::new();
    if kinds.deadlock {
        let formula = Formula::Atom(Expr::Leaf(StateLeaf::Deadlock)).never();
        list.push(check(Question::Deadlock, "deadlock".to_string(), formula, Span::new(0, 0)));
    }
    for (agent, edge) in commands(model) {
        if kinds.overflow && instances(model, agent).any(|instance| can_overflow(model, instance, edge)) {
            let formula = all(model, agent, |instance| Formula::Atom(overflow::overflow(model, instance, edge)));
            list.push(of_command(
                model,
                Question::Overflow(agent, edge),
                "overflow of command",
                (agent, edge),
                formula,
            ));
        }
    }
    if kinds.overflow {
        list.extend(lines(model));
    }
    for (agent, edge) in commands(model).filter(|_| kinds.dead_code) {
        let formula = all(model, agent, |instance| Formula::Label(instance, edge));
        list.push(of_command(model, Question::DeadCode(agent, edge), "command", (agent, edge), formula));
    }
    list
}

fn can_overflow(model: &Model, instance: InstanceId, edge: EdgeId) -> bool {
    overflow::can_overflow(model, instance, &model.agent_of(instance).edges[edge.index()])
}

fn commands(model: &Model) -> impl Iterator<Item = (AgentId, EdgeId)> {
    let of_agent = |(index, agent): (usize, &super::Agent)| {
        (0..agent.edges.len() as u32).map(move |edge| (AgentId(index as u32), EdgeId(edge)))
    };
    model.agents.iter().enumerate().flat_map(of_agent)
}

/// The overflow of lines of evolutions, of each that can have one.
fn lines(model: &Model) -> Vec<Spec> {
    let mut list = Vec::new();
    if let Some(joint) = &model.joint {
        for (instance, behaviour) in model.instance_ids().zip(&joint.behaviours) {
            for (number, line) in (0..).zip(&behaviour.lines) {
                let overflow = joint::overflow(model, joint, instance, number);
                if overflow != Expr::FALSE {
                    let Instance { name, agent, .. } = &model.instances[instance.index()];
                    let question = Question::Overflow(*agent, behaviour.line(number));
                    let name = format!("overflow of line {} of {name}", number + 1);
                    list.push(check(question, name, Formula::Atom(overflow).never(), line.span));
                }
            }
        }
    }
    list
}

fn instances(model: &Model, agent: AgentId) -> impl Iterator<Item = InstanceId> {
    model.instance_ids().filter(move |instance| model.instances[instance.index()].agent == agent)
}

/// It happens for no instance of the type.
fn all(model: &Model, agent: AgentId, what: impl Fn(InstanceId) -> Formula) -> Formula {
    Formula::And(instances(model, agent).map(|instance| what(instance).never()).collect())
}

fn of_command(
    model: &Model,
    question: Question,
    kind: &str,
    (agent, edge): (AgentId, EdgeId),
    formula: Formula,
) -> Spec {
    let agent = &model.agents[agent.index()];
    let command = &agent.edges[edge.index()];
    let name = match &command.label {
        Some(label) => format!("{kind} {}-{label}", agent.name),
        None => format!("{kind} {} of {}", edge.0 + 1, agent.name),
    };
    check(question, name, formula, command.span)
}

fn check(question: Question, name: String, formula: Formula, span: Span) -> Spec {
    let expanded = Vec::new();
    Spec { name: Some(name), expect: None, formula, under: None, text: None, span, question: Some(question), expanded }
}
