//! `why` and `blocked`: what keeps commands from being taken.

use super::session::{Answer, Session};
use super::show::{DIM, GOOD, command_name, find_command};
use crate::model::eval::WhyNot;
use crate::model::eval::why::{Attempt, Blocked, Obstacle};
use crate::model::{Action, EdgeId, InstanceId};

impl Session<'_> {
    pub(super) fn why(&self, name: &str) -> Answer {
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
            text += match model.agent_of(instance).edges[edge.index()].action {
                Action::Get { .. } => "nobody else is at a supply\n",
                Action::Supply { .. } => "nobody else is at a get\n",
                _ => "nobody else is at a send\n",
            };
        }
        for attempt in &attempts {
            text += &self.attempt(attempt);
        }
        Ok(text)
    }

    /// The sends and gets that leave the present automaton states and cannot be taken.
    pub(super) fn blocked(&self) -> Answer {
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

    fn attempt(&self, attempt: &Attempt) -> String {
        let Some((partner, edge)) = attempt.partner else { return self.obstacles(&attempt.obstacles, 0) };
        let name = command_name(self.model(), partner, edge);
        format!("with {name}:\n{}", self.obstacles(&attempt.obstacles, 1))
    }

    fn obstacles(&self, obstacles: &[Obstacle], depth: usize) -> String {
        obstacles.iter().map(|obstacle| self.obstacle(obstacle, depth)).collect()
    }

    fn obstacle(&self, obstacle: &Obstacle, depth: usize) -> String {
        let indentation = "  ".repeat(depth);
        let mut text = format!("{indentation}{}{}\n", obstacle.why.describe(self.model()), self.place(&obstacle.why));
        for part in &obstacle.false_parts {
            let values = part.describe_values(self.semantics);
            let values = if values.is_empty() { values } else { format!(": {values}") };
            text += &format!("{indentation}  `{}` is false{values}\n", part.describe(self.semantics));
        }
        if let (WhyNot::NoReadyReceive(instance), true) = (&obstacle.why, obstacle.because.is_empty()) {
            let at = self.timeline().map_or(0, |timeline| timeline.state().automaton(*instance));
            text += &format!("{indentation}  no receive leaves its automaton state {at}\n");
        }
        text + &self.obstacles(&obstacle.because, depth + 1)
    }

    /// Where somebody is who should be elsewhere.
    fn place(&self, why: &WhyNot) -> String {
        let (WhyNot::WrongAutomatonState(instance, edge), Ok(timeline)) = (why, self.timeline()) else {
            return String::new();
        };
        let source = self.model().agent_of(*instance).edges[edge.index()].source;
        format!(": it is in {}, not in {source}", timeline.state().automaton(*instance))
    }
}
