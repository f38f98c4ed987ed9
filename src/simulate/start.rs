//! The family of initial states, and how its user narrows it.

use super::show::{CHANGE, DIM, HEADING};
use crate::model::eval::{EnumerationError, Influence, Run, Semantics, State, Truth};
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, CommandLeaf, Expr, Formula, InstanceId, LocalId, Model, Type, Value};
use crate::words::count;
use fastrand::Rng;
use std::collections::HashSet;

/// As long as all instances together have no more combinations, they are listed and filtered.
const LISTED: usize = 10_000;

/// The number of the initial states, and of the values of a variable, that are shown.
const SHOWN: usize = 20;
const VALUES: usize = 8;

/// Integers that nothing bounds are drawn from minus this to this; of long ranges, from this many values at each end.
const DRAWN: i64 = 10;

/// Attempts to hit the constraints by chance.
const ATTEMPTS: usize = 10_000;

/// The values that the locals of one instance can have together at the start.
type Choices = Result<Vec<Vec<Value>>, EnumerationError>;

/// The initial states that satisfy the constraints.
#[derive(Clone, Debug)]
pub(super) struct Family {
    constraints: Vec<(String, Formula)>,
    per_instance: Vec<Choices>,
    /// All of them, if they are few.
    states: Option<Vec<State>>,
}

impl Family {
    /// All initial states that satisfy the constraints, which are given with their texts and speak about
    /// the state alone.
    pub(super) fn new<'s>(semantics: &'s Semantics<'s>, constraints: Vec<(String, Formula)>) -> Family {
        let narrowed = narrowed(semantics.model(), &constraints);
        let own = Semantics::new(&narrowed);
        let per_instance: Vec<Choices> = narrowed.instance_ids().map(|instance| own.initial_locals(instance)).collect();
        let mut family = Family { constraints, per_instance, states: None };
        if family.combinations().is_some_and(|count| count <= LISTED) {
            let states = own.initial_states().unwrap_or_default();
            let admits = family.test(semantics);
            family.states = Some(states.into_iter().filter(admits).collect());
        }
        family
    }

    pub(super) fn constraints(&self) -> &[(String, Formula)] {
        &self.constraints
    }

    /// The conjunction of the constraints.
    pub(super) fn condition(&self) -> Formula {
        Formula::And(self.constraints.iter().map(|(_, formula)| formula.clone()).collect())
    }

    /// The only one, if it is.
    pub(super) fn only(&self) -> Option<&State> {
        match self.states.as_deref() {
            Some([state]) => Some(state),
            _ => None,
        }
    }

    /// True if there is certainly none.
    pub(super) fn is_empty(&self) -> bool {
        self.states.as_ref().is_some_and(Vec::is_empty)
    }

    /// The one with this number, from 1.
    pub(super) fn state(&self, number: usize) -> Result<&State, String> {
        let Some(states) = &self.states else {
            return Err("the initial states are not listed: there are too many".to_owned());
        };
        let found = number.checked_sub(1).and_then(|index| states.get(index));
        found.ok_or_else(|| format!("there is no initial state {number}: there are {}", states.len()))
    }

    fn no_state(&self) -> &'static str {
        match self.constraints.is_empty() {
            true => "there is no initial state",
            false => "no initial state satisfies the constraints",
        }
    }

    /// Any of them, by chance.
    pub(super) fn random<'s>(&self, semantics: &'s Semantics<'s>, random: &mut Rng) -> Result<State, String> {
        if let Some(states) = &self.states {
            return random.choice(states).cloned().ok_or_else(|| self.no_state().to_owned());
        }
        let choices = drawable(narrowed(semantics.model(), &self.constraints));
        let choices = choices.map_err(|why| format!("{why}: give it a value with `constrain`"))?;
        let admits = self.test(semantics);
        for _ in 0..ATTEMPTS {
            let parts: Option<Vec<(u32, Vec<Value>)>> =
                choices.iter().map(|list| random.choice(list.iter()).map(|values| (0, values.clone()))).collect();
            let Some(parts) = parts else { break };
            let state = semantics.state_from(&parts).map_err(|error| error.to_string())?;
            if admits(&state) {
                return Ok(state);
            }
        }
        Err("no initial state was found by chance; `find true` asks the solver for one".to_owned())
    }

    fn combinations(&self) -> Option<usize> {
        let counts = self.per_instance.iter().map(|list| list.as_ref().ok().map(Vec::len));
        counts.into_iter().try_fold(1usize, |product, count| product.checked_mul(count?))
    }

    /// True if a state is initial and satisfies the constraints.
    fn test<'s>(&self, semantics: &'s Semantics<'s>) -> impl Fn(&State) -> bool + use<'s> {
        let (condition, influence) = (self.condition(), Influence::of_behaviour(semantics.model()));
        move |state| {
            let run = Run::replay(semantics, state.clone(), &[], None, &influence);
            run.is_ok_and(|run| run.evaluate(&condition) == Truth::True)
        }
    }

    pub(super) fn show(&self, model: &Model) -> String {
        let mut text = match &self.states {
            Some(states) if states.is_empty() => format!("{}\n", self.no_state()),
            Some(states) if states.len() == 1 => format!("{HEADING}1 initial state{HEADING:#}\n"),
            Some(states) => format!("{HEADING}{} initial states{HEADING:#}; choose one\n", states.len()),
            None => match self.combinations() {
                Some(combinations) => {
                    let states = count(combinations, "initial state");
                    format!("{HEADING}at most {states}{HEADING:#}; constrain them, or take any\n")
                }
                None => format!("{HEADING}unboundedly many initial states{HEADING:#}; constrain them\n"),
            },
        };
        for (constraint, _) in &self.constraints {
            text += &format!("  {DIM}constraint:{DIM:#} {constraint}\n");
        }
        match &self.states {
            Some(states) => text += &self.list(model, states),
            None => {
                for (instance, choices) in model.instance_ids().zip(&self.per_instance) {
                    text += &show_choices(model, instance, choices);
                }
            }
        }
        let start = match &self.states {
            Some(_) => "`N` or `initial random` starts",
            None => "`initial random` starts",
        };
        text + &format!("  {start}, `constrain COND` narrows, `find COND` lets the solver choose\n")
    }

    /// The differences among the states, numbered; their common values first.
    fn list(&self, model: &Model, states: &[State]) -> String {
        let Some(first) = states.first() else { return String::new() };
        let mut common = Vec::new();
        let mut free = Vec::new();
        for instance in model.instance_ids() {
            for (id, local) in model.locals_of(instance) {
                let name = model.variable_name(instance, id);
                let value = move |state: &State| model.show(state.local(instance, id), local.ty);
                let differs = states.iter().any(|state| state.local(instance, id) != first.local(instance, id));
                if differs { free.push((name, value)) } else { common.push(format!("{name} = {}", value(first))) }
            }
        }
        let common = if common.is_empty() { String::new() } else { format!("  in common: {}\n", common.join(", ")) };
        let width = states.len().to_string().len();
        let lines = states.iter().take(SHOWN).enumerate().map(|(index, state)| {
            let values: Vec<String> = free.iter().map(|(name, value)| format!("{name} = {}", value(state))).collect();
            format!("  {HEADING}{:>width$}{HEADING:#}  {}\n", index + 1, values.join(", "))
        });
        let lines: String = lines.collect();
        let more = states.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!("  {DIM}.. and {more} more{DIM:#}\n") } else { String::new() };
        common + &lines + &more
    }
}

/// The values to draw from, per instance: all, but for integers that nothing bounds, and those with too many values.
fn drawable(mut model: Model) -> Result<Vec<Vec<Vec<Value>>>, EnumerationError> {
    let (mut choices, mut bounded) = (Vec::new(), HashSet::new());
    for instance in model.instance_ids() {
        choices.push(loop {
            match Semantics::new(&model).initial_locals(instance) {
                Ok(list) => break list,
                Err(EnumerationError::Unbounded { variable } | EnumerationError::TooMany { variable })
                    if bounded.insert(variable.clone()) =>
                {
                    bound(&mut model, instance, &variable);
                }
                Err(why) => return Err(why),
            }
        });
    }
    Ok(choices)
}

/// Adds to the initial condition of an instance that its variable has one of a few values.
fn bound(model: &mut Model, instance: InstanceId, variable: &str) {
    let name = &model.instances[instance.index()].name;
    let locals = &model.agent_of(instance).locals;
    let index = locals.iter().position(|local| format!("{name}-{}", local.name) == variable);
    let index = index.expect("a variable of the instance");
    let leaf = Expr::Leaf(CommandLeaf::Local(LocalId(index as u32)));
    let values: Vec<i64> = match locals[index].ty {
        Type::Range(low, high) => {
            let ends = [low..=high.min(low.saturating_add(DRAWN)), low.max(high.saturating_sub(DRAWN))..=high];
            ends.into_iter().flatten().collect()
        }
        _ => (-DRAWN..=DRAWN).collect(),
    };
    let equations =
        values.into_iter().map(|value| Expr::binary(BinaryOp::Eq, leaf.clone(), Expr::Const(Value::int(value))));
    let any = equations.reduce(|left, right| Expr::binary(BinaryOp::Or, left, right)).expect("some values");
    let init = &mut model.instances[instance.index()].init;
    *init = Expr::binary(BinaryOp::And, init.clone(), any);
}

/// The locals of an instance, each with its values.
fn show_choices(model: &Model, instance: InstanceId, choices: &Choices) -> String {
    let name = &model.instances[instance.index()].name;
    let list = match choices {
        Err(why) => return format!("  {name}: {why}\n"),
        Ok(list) => list,
    };
    let locals = model.agent_of(instance).locals.iter().enumerate().map(|(index, local)| {
        let mut values: Vec<&Value> = list.iter().map(|values| &values[index]).collect();
        values.sort_unstable();
        values.dedup();
        let shown: Vec<String> = values.iter().take(VALUES).map(|value| model.show(value, local.ty)).collect();
        let dots = if values.len() > VALUES { " | .." } else { "" };
        match shown.len() {
            1 => format!("{} = {}", local.name, shown[0]),
            _ => format!("{} {CHANGE}= {}{dots}{CHANGE:#}", local.name, shown.join(" | ")),
        }
    });
    format!("  {name}: {}\n", locals.collect::<Vec<_>>().join(", "))
}

/// The model with the constraints on single instances, and what `where` or `InitStates` says of them, among their
/// initial conditions, where they can determine what is unbounded.
fn narrowed(model: &Model, constraints: &[(String, Formula)]) -> Model {
    let mut narrowed = model.clone();
    let said = model.restriction.iter().map(|restriction| &restriction.formula);
    for constraint in constraints.iter().map(|(_, constraint)| constraint).chain(said) {
        for conjunct in constraint.conjuncts() {
            let Formula::Atom(expr) = conjunct else { continue };
            for (instance, part) in expr.operands(BinaryOp::And).into_iter().filter_map(own_condition) {
                let init = &mut narrowed.instances[instance.index()].init;
                *init = Expr::binary(BinaryOp::And, init.clone(), part);
            }
        }
    }
    narrowed
}

/// The expression in the instance's own terms, if it reads nothing but locals of one instance.
fn own_condition(expr: &Expr<StateLeaf>) -> Option<(InstanceId, Expr<CommandLeaf>)> {
    let mut owners = Vec::new();
    expr.for_each_leaf(&mut |leaf| match leaf {
        StateLeaf::Local(instance, _) => owners.push(Some(*instance)),
        StateLeaf::Automaton(_) | StateLeaf::Total(_) | StateLeaf::Deadlock | StateLeaf::Enabled(..) => {
            owners.push(None)
        }
    });
    let owner = (*owners.first()?)?;
    owners.iter().all(|other| *other == Some(owner)).then(|| (owner, in_own_terms(expr)))
}

fn in_own_terms(expr: &Expr<StateLeaf>) -> Expr<CommandLeaf> {
    let inner = |expr: &Expr<StateLeaf>| Box::new(in_own_terms(expr));
    match expr {
        Expr::Const(value) => Expr::Const(value.clone()),
        Expr::Leaf(StateLeaf::Local(_, local)) => Expr::Leaf(CommandLeaf::Local(*local)),
        Expr::Leaf(other) => unreachable!("{other:?} is no local"),
        Expr::Not(operand) => Expr::Not(inner(operand)),
        Expr::Neg(operand) => Expr::Neg(inner(operand)),
        Expr::Binary(op, left, right) => Expr::Binary(*op, inner(left), inner(right)),
        Expr::If(condition, yes, no) => Expr::If(inner(condition), inner(yes), inner(no)),
    }
}
