//! Observation descriptors as predicates over state and event (`docs/logic.md#observations`).

use super::expressions::{Data, Expressions, Properties, Scope, constant, lower_binary, lower_expr};
use super::system::{EventKind, System};
use super::term::{Term, Terms};
use crate::model::formula::{DataLeaf, Role};
use crate::model::{Action, CommandLeaf, EdgeId, Expr, GetTarget, InstanceId, Model, Observation, PropertyId, Type};
use rustc_hash::FxHashMap;

/// When the current step is observed. No stutter is, whatever the observation says.
pub fn observation(model: &Model, expressions: &Expressions, system: &mut System, observation: &Observation) -> Term {
    let mut events_by_condition: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
    for index in 0..system.events().len() {
        let event = &system.events()[index];
        let (kind, dead) = (event.kind, system.terms().is_false(event.guard));
        if matches!(kind, EventKind::Joint { .. } | EventKind::Clause(_) | EventKind::Stutter) || dead {
            continue;
        }
        let view = EventView::new(model, expressions, system.terms_mut(), kind);
        let condition = view.observed(system.terms_mut(), observation, &[]);
        events_by_condition.entry(condition).or_default().push(index);
    }
    let mut ways: Vec<(Term, Vec<usize>)> = events_by_condition.into_iter().collect();
    ways.sort_unstable();
    let ways: Vec<Term> = ways
        .into_iter()
        .map(|(condition, events)| {
            let events: Vec<Term> = events.into_iter().map(|index| system.event_is(index)).collect();
            let terms = system.terms_mut();
            let one_of_them = terms.or(events);
            terms.and([one_of_them, condition])
        })
        .collect();
    system.terms_mut().or(ways)
}

/// Which assignments to the property variables a step allows.
enum Allowed<'m> {
    /// Those that satisfy the predicate of this instance.
    Satisfying(InstanceId, &'m Expr<CommandLeaf>),
    /// The relabelling of this instance: a get by name has found its supplier.
    RelabellingOf(InstanceId),
}

/// One event as an observer sees it.
struct EventView<'m> {
    model: &'m Model,
    expressions: &'m Expressions<'m>,
    kind: EventKind,
    channel: Option<Term>,
    data: Data,
    allowed: Allowed<'m>,
}

impl<'m> EventView<'m> {
    fn new(model: &'m Model, expressions: &'m Expressions<'m>, terms: &mut Terms, kind: EventKind) -> EventView<'m> {
        let edge = |instance: InstanceId, edge: EdgeId| &model.agent_of(instance).edges[edge.index()];
        match kind {
            EventKind::Send { sender, edge: sent } => {
                let edge = edge(sender, sent);
                let Action::Send { channel, guard, .. } = &edge.action else { unreachable!("a send edge") };
                let channel = expressions.typed(terms, channel, Type::Channel, Scope::of(sender));
                let data = expressions.data(terms, sender, edge);
                EventView {
                    model,
                    expressions,
                    kind,
                    channel: Some(channel),
                    data,
                    allowed: Allowed::Satisfying(sender, guard),
                }
            }
            EventKind::GetSupply { getter, get, supplier, supply } => {
                let (get, supply) = (edge(getter, get), edge(supplier, supply));
                let Action::Get { target, .. } = &get.action else { unreachable!("a get edge") };
                let allowed = match target {
                    GetTarget::Predicate(predicate) => Allowed::Satisfying(getter, predicate),
                    GetTarget::Location(_) => Allowed::RelabellingOf(supplier),
                };
                // The supplier's data first: it is what counts where both sides assign a variable.
                let mut data = expressions.data(terms, supplier, supply);
                for (id, value) in expressions.data(terms, getter, get) {
                    if data.iter().all(|(other, _)| *other != id) {
                        data.push((id, value));
                    }
                }
                EventView { model, expressions, kind, channel: None, data, allowed }
            }
            EventKind::Joint { .. } | EventKind::Clause(_) | EventKind::Stutter => unreachable!("no agent observes it"),
        }
    }

    /// The observation on this event; `assigned` are the values of property variables inside of an
    /// `exists` or `forall`.
    fn observed(&self, terms: &mut Terms, observation: &Observation, assigned: &[(PropertyId, Term)]) -> Term {
        match observation {
            Observation::Const(value) => terms.bool(*value),
            Observation::Role(role, instance) => terms.bool(self.has_role(*role, *instance)),
            Observation::PointToPoint => terms.bool(matches!(self.kind, EventKind::GetSupply { .. })),
            Observation::Locality(name) => {
                let locality = match &self.allowed {
                    Allowed::RelabellingOf(supplier) => Some(*supplier),
                    Allowed::Satisfying(..) => None,
                };
                terms.bool(matches!(self.kind, EventKind::GetSupply { .. }) && locality == *name)
            }
            Observation::Data(expr) => self.comparison(terms, expr, assigned),
            Observation::Not(a) => {
                let a = self.observed(terms, a, assigned);
                terms.not(a)
            }
            Observation::Joined(connective, a, b) => {
                let (a, b) = (self.observed(terms, a, assigned), self.observed(terms, b, assigned));
                lower_binary(terms, connective.op(), a, b)
            }
            Observation::Exists(inner) => self.quantified(terms, inner, true),
            Observation::Forall(inner) => self.quantified(terms, inner, false),
        }
    }

    fn has_role(&self, role: Role, instance: InstanceId) -> bool {
        match (self.kind, role) {
            (EventKind::Send { sender, .. }, Role::Sender | Role::Initiator | Role::Producer) => sender == instance,
            (EventKind::Send { .. }, Role::Getter | Role::Supplier) => false,
            (EventKind::GetSupply { getter, .. }, Role::Getter | Role::Initiator) => getter == instance,
            (EventKind::GetSupply { supplier, .. }, Role::Supplier | Role::Producer) => supplier == instance,
            (EventKind::GetSupply { .. }, Role::Sender) => false,
            (EventKind::Joint { .. } | EventKind::Clause(_) | EventKind::Stutter, _) => false,
        }
    }

    /// A comparison is false when it reads something that the step does not have.
    fn comparison(&self, terms: &mut Terms, expr: &Expr<DataLeaf>, assigned: &[(PropertyId, Term)]) -> Term {
        let missing = |leaf: &DataLeaf| match leaf {
            DataLeaf::Message(id) => self.data.iter().all(|(other, _)| other != id),
            DataLeaf::Chan => self.channel.is_none(),
            DataLeaf::Property(id) => match self.allowed {
                Allowed::Satisfying(..) => false,
                Allowed::RelabellingOf(supplier) => self.model.agent_of(supplier).relabel[id.index()].is_none(),
            },
        };
        if expr.any_leaf(missing) {
            return terms.bool(false);
        }
        let properties = match self.allowed {
            Allowed::Satisfying(..) => Properties::Assigned(assigned),
            Allowed::RelabellingOf(supplier) => Properties::Of(supplier),
        };
        let leaf_type = |leaf: &DataLeaf| self.model.data_type(*leaf);
        lower_expr(terms, self.model, expr, &leaf_type, &mut |terms, leaf| match *leaf {
            DataLeaf::Message(id) => self.data.iter().find(|(other, _)| *other == id).expect("not missing").1,
            DataLeaf::Property(id) => self.expressions.property(terms, id, properties),
            DataLeaf::Chan => self.channel.expect("not missing"),
        })
    }

    /// Some allowed assignment satisfies `inner` (`exists`), or every one does.
    fn quantified(&self, terms: &mut Terms, inner: &Observation, exists: bool) -> Term {
        let Allowed::Satisfying(whose, predicate) = self.allowed else {
            return self.observed(terms, inner, &[]);
        };
        let mut ids = inner.properties();
        predicate.for_each_leaf(&mut |leaf| {
            if let CommandLeaf::Property(id) = leaf {
                ids.insert(*id);
            }
        });
        let mut results = Vec::new();
        for assigned in assignments(self.model, terms, ids) {
            let properties = Properties::Assigned(&assigned);
            let scope = Scope { properties, channel: self.channel, ..Scope::of(whose) };
            let allowed = self.expressions.command(terms, predicate, scope);
            let satisfied = self.observed(terms, inner, &assigned);
            results.push(if exists { terms.and([allowed, satisfied]) } else { terms.implies(allowed, satisfied) });
        }
        if exists { terms.or(results) } else { terms.and(results) }
    }
}

/// All assignments of values to the given property variables, which are of finite types.
fn assignments(
    model: &Model,
    terms: &mut Terms,
    ids: impl IntoIterator<Item = PropertyId>,
) -> Vec<Vec<(PropertyId, Term)>> {
    let mut all = vec![Vec::new()];
    for id in ids {
        let ty = model.properties[id.index()].ty;
        let values = model.values_of(ty).expect("quantified property variables are of finite types");
        let values: Vec<Term> = values.map(|value| constant(terms, model, &value, ty)).collect();
        let extend = |partial: &Vec<(PropertyId, Term)>| {
            let partial = partial.clone();
            values.clone().into_iter().map(move |value| [partial.as_slice(), &[(id, value)]].concat())
        };
        all = all.iter().flat_map(extend).collect();
    }
    all
}
