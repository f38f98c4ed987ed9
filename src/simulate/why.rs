//! `why` and `blocked`: what keeps commands from being taken.

use super::session::{Session, Told};
use super::show::{DIM, GOOD, command_name, find_command};
use crate::model::eval::why::Blocked;
use crate::model::{EdgeId, InstanceId};

impl Session<'_> {
    pub(super) fn why(&self, name: &str) -> Told {
        let state = self.timeline()?.state();
        let model = self.model();
        let (instance, edge) = find_command(model, name)?;
        let full = model.show_command(model.instances[instance.index()].agent, edge);
        let mut text = format!("{DIM}{full}{DIM:#}\n");
        let numbers = self.numbers_of(instance, edge);
        if !numbers.is_empty() {
            let steps = if numbers.len() == 1 { "step" } else { "steps" };
            return Ok(format!("{text}{GOOD}possible{GOOD:#}: {steps} {}\n", numbers.join(", ")));
        }
        let attempts = self.semantics.attempts(state, instance, edge);
        if attempts.is_empty() {
            let kind = model.agent_of(instance).edges[edge.index()].action.kind();
            text += &format!("no other agent is at a {}\n", kind.counterpart().word());
        }
        for attempt in &attempts {
            text += &attempt.describe(self.semantics, state);
        }
        Ok(text)
    }

    /// The sends and gets that leave the present automaton states and cannot be taken.
    pub(super) fn blocked(&self) -> Told {
        let blocked = self.semantics.blocked(self.timeline()?.state());
        let line = |blocked: &Blocked| {
            let name = command_name(self.model(), blocked.instance, blocked.edge);
            format!("  {name}: {}\n", blocked.describe(self.semantics))
        };
        let text: String = blocked.iter().map(line).collect();
        Ok(if text.is_empty() { "nothing is blocked\n".to_owned() } else { text })
    }

    /// The numbers of the steps in which the instance takes the command.
    fn numbers_of(&self, instance: InstanceId, edge: EdgeId) -> Vec<String> {
        let steps = self.offered();
        let takes =
            |choice: &crate::model::eval::Choice| choice.performs(instance, edge) || choice.receives(instance, edge);
        let numbers = steps.iter().enumerate().filter(|(_, step)| takes(&step.choice));
        numbers.map(|(index, _)| (index + 1).to_string()).collect()
    }
}
