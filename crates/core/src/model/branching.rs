//! Truth in a state, whichever run came there: on other runs from it, and in the knowledge of agents
//! (`docs/knowledge.md`).
//!
//! A *branching formula* is one of these state formulas: `A(f)`, `E(f)`, knowledge, and what a group can bring about
//! (`docs/strategies.md`). An agent can see its local state: its automaton state and its locals. Two states look alike to it
//! if these are the same in both.
//!
//! Evaluation on one run does not know the truth of such a formula, unless it is given it
//! ([`super::eval::Run::evaluation_given`]). Explorations and decision diagrams label states with it; for other engines,
//! knowledge becomes conditions in specs about single runs.

use super::formula::{StateLeaf, Strength};
use super::written::Written;
use super::{Formula, InstanceId, Model};

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branching {
    /// The operator.
    pub operator: Operator,
    /// The formula that it says of runs, or of states: then it is a state formula.
    pub body: Formula,
    /// Which runs there are: those that satisfy this; without, all.
    pub among: Option<Formula>,
}

/// The operator of a branching formula, which says something of its body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `A(f)`: it is true on all runs from here.
    All,
    /// `E(f)`: it is true on some run from here.
    Some,
    /// It is known to some agent: true in all states that are possible for it.
    Known(Knowledge, Vec<InstanceId>),
    /// The group has a strategy: with it, the body is true on all runs from here, whatever the others do.
    Strategy(Information, Vec<InstanceId>),
}

/// The information by which members of a group decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Information {
    /// `can(g, f)`: each by what it sees.
    Own,
    /// `could(g, f)`, and `<g> f` in ISPL: by the whole state.
    Full,
    /// Agents that act all at once, each by what it sees: their protocols allow one action each. The body is about the model with such
    /// protocols, whatever stands inside.
    Protocols,
}

/// The aim of a group that decides by the whole state, step by step.
#[derive(Clone, Debug, PartialEq)]
pub enum Objective {
    /// `X f`
    Next(Formula),
    /// `f U g`, `f W g`
    Until(Strength, Formula, Formula),
}

/// The kind of knowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Knowledge {
    /// `K(i, f)`: i knows f, in every reachable state that looks like this one to i.
    Own,
    /// `GK(g, f)`: every member of the group knows f.
    Everybody,
    /// `DK(g, f)`: f in every reachable state that looks like this one to all members.
    Distributed,
    /// `GCK(g, f)`: f in every state that chains of states lead to, each alike to the next one for some member.
    Common,
}

impl Knowledge {
    /// How specs write it.
    pub fn word(self) -> &'static str {
        match self {
            Knowledge::Own => "K",
            Knowledge::Everybody => "GK",
            Knowledge::Distributed => "DK",
            Knowledge::Common => "GCK",
        }
    }

    /// True if two states look alike only if they do so to all members.
    pub fn is_joint(self) -> bool {
        self == Knowledge::Distributed
    }
}

impl Operator {
    /// How specs write it.
    pub fn word(&self) -> &'static str {
        match self {
            Operator::All => "A",
            Operator::Some => "E",
            Operator::Known(knowledge, _) => knowledge.word(),
            Operator::Strategy(Information::Own, _) => "can",
            Operator::Strategy(Information::Full, _) => "could",
            Operator::Strategy(Information::Protocols, _) => "uniform",
        }
    }

    /// The agents that know or can do something.
    pub fn group(&self) -> &[InstanceId] {
        match self {
            Operator::All | Operator::Some => &[],
            Operator::Known(_, group) | Operator::Strategy(_, group) => group,
        }
    }

    /// The truth of the formula that one state or run decides: `E(f)` is true because of one run, the others are false because of one.
    pub fn witnessed(&self) -> bool {
        *self == Operator::Some
    }

    /// True if one state or run shows that the formula has a truth. Of strategies none does.
    pub fn is_witnessed(&self, truth: bool) -> bool {
        truth == self.witnessed() && !matches!(self, Operator::Strategy(..))
    }
}

impl Branching {
    /// The formula that it asks about the runs from a state: of a path quantifier what all satisfy, or none does; of
    /// knowledge about some runs only what is false on these. Nothing if it asks about no runs.
    pub fn question(&self) -> Option<Formula> {
        let claim = match &self.operator {
            Operator::All => self.body.clone(),
            Operator::Some => self.body.clone().not(),
            Operator::Known(..) => return self.among.as_ref().map(|assumed| assumed.clone().not()),
            Operator::Strategy(..) => return None,
        };
        Some(match &self.among {
            Some(assumed) => assumed.clone().implies(claim),
            None => claim,
        })
    }
}

/// True if it is about the state, and strategies change nothing about that: which steps are possible, they do change.
fn is_about_model(formula: &Formula) -> bool {
    let is_of_outcome = |leaf: &StateLeaf| matches!(leaf, StateLeaf::Deadlock | StateLeaf::Enabled(..));
    formula.is_combination_of(&|part| match part {
        Formula::Atom(expr) => !expr.any_leaf(is_of_outcome),
        other => matches!(other, Formula::Branching(_)),
    })
}

/// The formulas about states, at least one, that have to be true again and again, if that is all that an assumption says.
pub fn recurring(assumed: &Formula) -> Option<Vec<&Formula>> {
    all_recurring(assumed).filter(|list| !list.is_empty())
}

fn all_recurring(assumed: &Formula) -> Option<Vec<&Formula>> {
    match assumed.written() {
        Written::And(list) => Some(list.into_iter().map(all_recurring).collect::<Option<Vec<_>>>()?.concat()),
        Written::Globally(inner) => match inner.written() {
            Written::Finally(formula) if is_about_model(formula) => Some(vec![formula]),
            _ => None,
        },
        _ => None,
    }
}

impl Objective {
    /// The objective of a formula about runs, if it has one temporal operator, over state formulas.
    pub fn of(formula: &Formula) -> Option<Objective> {
        let objective = match formula {
            Formula::Next(inner) => Objective::Next((**inner).clone()),
            Formula::Until(strength, stays, goal) => Objective::Until(*strength, (**stays).clone(), (**goal).clone()),
            Formula::Not(inner) => match Objective::of(inner)? {
                Objective::Next(inner) => Objective::Next(inner.not()),
                // The goal does not come, or what has to stay ends before.
                Objective::Until(strength, stays, goal) => {
                    let dual = match strength {
                        Strength::Strong => Strength::Weak,
                        Strength::Weak => Strength::Strong,
                    };
                    let ends = Formula::And(vec![stays.not(), goal.clone().not()]);
                    Objective::Until(dual, goal.not(), ends)
                }
            },
            Formula::And(list) | Formula::Or(list) => match &list[..] {
                [only] => return Objective::of(only),
                _ => return None,
            },
            Formula::Atom(_) | Formula::Label(..) | Formula::Observed(_) | Formula::Iff(..) | Formula::Branching(_) => {
                return None;
            }
        };
        let is_about_states = match &objective {
            Objective::Next(inner) => is_about_model(inner),
            Objective::Until(_, stays, goal) => is_about_model(stays) && is_about_model(goal),
        };
        is_about_states.then_some(objective)
    }
}

impl Formula {
    /// True if other runs or knowledge occur in it.
    pub fn is_branching(&self) -> bool {
        let mut found = matches!(self, Formula::Branching(_));
        self.for_each_child(&mut |child| found |= child.is_branching());
        found
    }

    /// True if it says that some group has a strategy.
    pub fn is_strategic(&self) -> bool {
        let mut found = matches!(self, Formula::Branching(it) if matches!(it.operator, Operator::Strategy(..)));
        self.for_each_child(&mut |child| found |= child.is_strategic());
        found
    }

    /// True if it is about a state, whichever step comes next and came before.
    pub fn is_about_state(&self) -> bool {
        self.is_combination_of(&|part| matches!(part, Formula::Atom(_) | Formula::Branching(_)))
    }

    /// The branching formula, if it is `A(f)`.
    pub fn as_all(&self) -> Option<&Branching> {
        let Formula::Branching(branching) = self else { return None };
        Some(&**branching).filter(|branching| branching.operator == Operator::All)
    }

    /// With something else in place of the outermost branching formulas.
    pub fn with_branching(&self, other: &dyn Fn(&Branching) -> Formula) -> Formula {
        self.with_parts(&|part| {
            let Formula::Branching(branching) = part else { return None };
            Some(other(branching))
        })
    }

    /// The same where only runs count that satisfy an assumption.
    pub fn among(&self, assumed: &Formula) -> Formula {
        self.with_branching(&|branching| {
            Formula::Branching(Box::new(Branching {
                operator: branching.operator.clone(),
                body: branching.body.among(assumed),
                among: Some(assumed.clone()),
            }))
        })
    }

    /// The same, if at the beginning of a run; nothing is said there of what came before, so that `A(f)` is f.
    pub fn of_all_runs(self) -> Formula {
        if let Formula::And(list) = self {
            return Formula::And(list.into_iter().map(Formula::of_all_runs).collect());
        }
        match self.as_all() {
            Some(branching) => branching.body.clone().of_all_runs(),
            None => self,
        }
    }
}

impl Model {
    /// `i` or `{i, j}`
    pub fn show_group(&self, knowledge: Knowledge, group: &[InstanceId]) -> String {
        let names: Vec<&str> = group.iter().map(|member| self.instances[member.index()].name.as_str()).collect();
        match knowledge {
            Knowledge::Own => names.join(""),
            _ => format!("{{{}}}", names.join(", ")),
        }
    }
}
