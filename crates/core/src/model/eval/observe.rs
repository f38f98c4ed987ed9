//! Which steps an observation descriptor observes (`docs/logic.md#observations`).

use super::scope::{Properties, Scope, lookup, relabelled};
use super::value::holds;
use super::{Choice, Semantics, State, Step};
use crate::model::formula::{Connective, DataLeaf, Role};
use crate::model::{Action, CommandLeaf, EdgeId, Expr, GetTarget, InstanceId, Observation, PropertyId, Value};
use std::collections::BTreeSet;

/// Values of some property variables.
type Assignment = Vec<(PropertyId, Value)>;

impl Semantics<'_> {
    /// True if a step from the state is observed. A stutter never is.
    ///
    /// `exists` and `forall` range over the values of the property variables that occur in the
    /// observation or in the step's send guard or predicate; elaboration accepts only those of finite
    /// type there.
    pub fn observes(&self, state: &State, step: &Step, observation: &Observation) -> bool {
        match &step.choice {
            Choice::Send { .. } | Choice::GetSupply { .. } | Choice::Joint(_) => {
                self.satisfied(state, step, observation, &[])
            }
            Choice::Stutter => false,
        }
    }

    fn satisfied(
        &self,
        state: &State,
        step: &Step,
        observation: &Observation,
        assignment: &[(PropertyId, Value)],
    ) -> bool {
        let satisfied = |part: &Observation| self.satisfied(state, step, part, assignment);
        match observation {
            Observation::Const(value) => *value,
            Observation::Role(role, instance) => has_role(&step.choice, *role, *instance),
            Observation::PointToPoint => matches!(step.choice, Choice::GetSupply { .. }),
            Observation::Locality(name) => self.has_locality(&step.choice, *name),
            Observation::Data(expr) => holds(expr, &|leaf| read(step, assignment, leaf)),
            Observation::Not(inner) => !satisfied(inner),
            Observation::Joined(Connective::And, left, right) => satisfied(left) && satisfied(right),
            Observation::Joined(Connective::Or, left, right) => satisfied(left) || satisfied(right),
            Observation::Joined(Connective::Implies, left, right) => !satisfied(left) || satisfied(right),
            Observation::Joined(Connective::Iff, left, right) => satisfied(left) == satisfied(right),
            Observation::Exists(inner) => {
                self.assignments(state, step, inner).iter().any(|chosen| self.satisfied(state, step, inner, chosen))
            }
            Observation::Forall(inner) => {
                self.assignments(state, step, inner).iter().all(|chosen| self.satisfied(state, step, inner, chosen))
            }
        }
    }

    /// The assignments to the property variables that the step allows.
    fn assignments(&self, state: &State, step: &Step, observation: &Observation) -> Vec<Assignment> {
        let mut read = observation.properties();
        let (instance, guard) = match &step.choice {
            Choice::Send { sender, edge, .. } => (*sender, self.send_guard(*sender, *edge)),
            Choice::GetSupply { getter, get, supplier, .. } => match self.get_target(*getter, *get) {
                GetTarget::Predicate(predicate) => (*getter, predicate),
                GetTarget::Location(_) => {
                    let own =
                        |property: &PropertyId| Some((*property, relabelled(self.model, state, *supplier, *property)?));
                    return vec![read.iter().filter_map(own).collect()];
                }
            },
            Choice::Joint(_) | Choice::Stutter => return Vec::new(),
        };
        guard.for_each_leaf(&mut |leaf| {
            if let CommandLeaf::Property(property) = leaf {
                read.insert(*property);
            }
        });
        let scope = Scope { chan: step.channel.as_ref(), ..self.own(state, instance) };
        let mut all = self.all_assignments(&read);
        all.retain(|assigned| Scope { properties: Properties::Assigned(assigned), ..scope }.holds(guard));
        all
    }

    /// All assignments to these property variables.
    fn all_assignments(&self, properties: &BTreeSet<PropertyId>) -> Vec<Assignment> {
        let mut all = vec![Vec::new()];
        for property in properties {
            let ty = self.model.properties[property.index()].ty;
            let values: Vec<Value> =
                self.model.values_of(ty).expect("elaboration accepts finite property variables only").collect();
            let extended = all.iter().flat_map(|prefix: &Assignment| {
                values.iter().map(move |value| prefix.iter().cloned().chain([(*property, value.clone())]).collect())
            });
            all = extended.collect();
        }
        all
    }

    fn send_guard(&self, sender: InstanceId, edge: EdgeId) -> &Expr<CommandLeaf> {
        self.edge(sender, edge).action.predicate().expect("a send")
    }

    /// True if a get used this name, or a predicate if there is none.
    fn has_locality(&self, choice: &Choice, name: Option<InstanceId>) -> bool {
        let Choice::GetSupply { getter, get, supplier, .. } = choice else { return false };
        match self.get_target(*getter, *get) {
            GetTarget::Location(_) => name == Some(*supplier),
            GetTarget::Predicate(_) => name.is_none(),
        }
    }

    fn get_target(&self, getter: InstanceId, edge: EdgeId) -> &GetTarget {
        let action = &self.edge(getter, edge).action;
        let Action::Get { target, .. } = action else { unreachable!("a get by {action:?}") };
        target
    }
}

fn has_role(choice: &Choice, role: Role, instance: InstanceId) -> bool {
    match *choice {
        Choice::Send { sender, .. } => {
            sender == instance && matches!(role, Role::Sender | Role::Initiator | Role::Producer)
        }
        Choice::GetSupply { getter, supplier, .. } => match role {
            Role::Sender => false,
            Role::Getter | Role::Initiator => getter == instance,
            Role::Supplier | Role::Producer => supplier == instance,
        },
        Choice::Joint(_) | Choice::Stutter => false,
    }
}

/// The value that an atom reads; `None` where the step does not have it, which makes the atom false.
fn read(step: &Step, assignment: &[(PropertyId, Value)], leaf: DataLeaf) -> Option<Value> {
    match leaf {
        DataLeaf::Message(message) => lookup(&step.data, message).cloned(),
        DataLeaf::Property(property) => {
            assignment.iter().find(|(assigned, _)| *assigned == property).map(|(_, value)| value.clone())
        }
        DataLeaf::Chan => step.channel.clone(),
    }
}
