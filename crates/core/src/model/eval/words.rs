//! Steps in words.

use super::{Choice, Step};
use crate::model::{Model, Type};

/// The agents and their commands in a step, but for the receivers.
pub(super) fn name_step(model: &Model, step: &Step) -> String {
    let name = |instance, edge| model.show_command_name(instance, edge);
    match &step.choice {
        Choice::Stutter => "the stutter".to_string(),
        Choice::Joint(_) => model.show_actions(&step.choice),
        Choice::Send { sender, edge, .. } => name(*sender, *edge),
        Choice::GetSupply { getter, get, supplier, supply } => {
            format!("{} from {}", name(*getter, *get), name(*supplier, *supply))
        }
    }
}

/// The agents and their commands in a step, but for the receivers, its channel and its data.
pub(super) fn describe_message(model: &Model, step: &Step) -> String {
    let channel = step.channel.as_ref().map(|channel| format!(" on {}", model.show(channel, Type::Channel)));
    with_data(model, step, format!("{}{}", name_step(model, step), channel.unwrap_or_default()))
}

/// The agents and their commands in a step, its channel, the receivers, and its data.
pub fn describe_step(model: &Model, step: &Step) -> String {
    let Choice::Send { receivers, .. } = &step.choice else { return describe_message(model, step) };
    let name = |(receiver, edge): &(_, _)| model.show_command_name(*receiver, *edge);
    if receivers.is_empty() {
        return describe_message(model, step) + ", no receiver";
    }
    let receivers: Vec<String> = receivers.iter().map(name).collect();
    let channel = step.channel.as_ref().map(|channel| model.show(channel, Type::Channel)).unwrap_or_default();
    with_data(model, step, format!("{} on {channel} to {}", name_step(model, step), receivers.join(", ")))
}

fn with_data(model: &Model, step: &Step, who: String) -> String {
    let data = model.show_data(&step.data).join(", ");
    if data.is_empty() { who } else { format!("{who} with {data}") }
}
