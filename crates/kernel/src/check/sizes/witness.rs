//! That some member exists, in every state: for a clause about all members, none has to.
//!
//! A witness that a state has is one of the members that are looked at, with all who take part in the step; after the
//! step, one of these is.

use super::OpenInstance;
use super::clause::Clause;
use super::renaming::{Renaming, renamed};
use crate::claim::sizes::WitnessClaim;
use crate::model::formula::StateLeaf;
use crate::model::{Expr, InstanceId, Model, Sizes};
use crate::ts::atoms::state_predicate;
use crate::ts::system::{Domain, Origin, Parts, System, Variable};
use crate::ts::term::{Leaf, Sort, Term, Terms, VarId};

/// A member satisfies a condition where something is true of the agents that every instance has.
#[derive(Clone, Debug)]
pub struct Witness {
    /// Its representative, in the reference instance.
    pub member: InstanceId,
    /// When there is one.
    pub when: Expr<StateLeaf>,
    /// For each number of a range: the first one, the first one beyond, which number a member is a witness for.
    pub range: Option<[Expr<StateLeaf>; 3]>,
    /// The condition that it satisfies.
    pub condition: Expr<StateLeaf>,
}

impl Witness {
    /// The witness of a claim, over the system of the reference instance; nothing if it is about others.
    pub fn new(model: &Model, system: &System, terms: &Terms, claim: &WitnessClaim) -> Option<Witness> {
        let member = claim.member;
        model.place_of_member(member)?;
        let about = |term: Term, sort: Sort, also: Option<InstanceId>| {
            let Clause { expr, members } = Clause::of_term(model, system, terms, term)?;
            (terms.sort(term) == sort && members.iter().all(|it| also == Some(*it))).then_some(expr)
        };
        let range = match claim.range {
            None => None,
            Some([low, high, number]) => Some([
                about(low, Sort::Int, None)?,
                about(high, Sort::Int, None)?,
                about(number, Sort::Int, Some(member))?,
            ]),
        };
        let when = about(claim.when, Sort::Bool, None)?;
        Some(Witness { member, when, range, condition: about(claim.condition, Sort::Bool, Some(member))? })
    }

    /// The number of members of each family: itself.
    pub fn sizes(&self, model: &Model) -> Sizes {
        let mut sizes = vec![0; model.families().len()];
        sizes[model.place_of_member(self.member).expect("it is a member").0] = 1;
        sizes
    }

    /// That one of the members of an open instance is the witness, if there has to be one: for a number, or for the first
    /// one of the range.
    pub fn exists(&self, from: &Model, open: &mut OpenInstance, number: Option<Term>) -> Term {
        let (family, _) = from.place_of_member(self.member).expect("it is a member");
        let mut needed = vec![written(from, open, &self.when, &[])];
        let mut of_range = None;
        if let Some([low, high, of_member]) = &self.range {
            let (low, high) = (written(from, open, low, &[]), written(from, open, high, &[]));
            let number = number.unwrap_or(low);
            let terms = open.system.terms_mut();
            needed.extend([terms.le(low, number), terms.lt(number, high)]);
            of_range = Some((number, of_member));
        }
        let mut some = Vec::new();
        for member in open.model.families()[family].members() {
            let chosen = [(self.member, member)];
            let mut parts = vec![written(from, open, &self.condition, &chosen)];
            if let Some((number, of_member)) = of_range {
                let of_member = written(from, open, of_member, &chosen);
                parts.push(open.system.terms_mut().eq(of_member, number));
            }
            some.push(open.system.terms_mut().and(parts));
        }
        let terms = open.system.terms_mut();
        let (needed, some) = (terms.and(needed), terms.or(some));
        terms.implies(needed, some)
    }

    /// The same with a variable for the number, in a system that has it.
    pub fn of_any_number(&self, from: &Model, open: &mut OpenInstance) -> Term {
        let number = open.number();
        self.exists(from, open, Some(number))
    }
}

fn written(from: &Model, open: &mut OpenInstance, expr: &Expr<StateLeaf>, chosen: &[(InstanceId, InstanceId)]) -> Term {
    let members: Vec<InstanceId> = chosen.iter().map(|it| it.0).collect();
    let chosen: Vec<InstanceId> = chosen.iter().map(|it| it.1).collect();
    let expr = renamed(&Renaming::new(from, &open.model, &members, &chosen), expr);
    state_predicate(&open.model, &mut open.system, &expr)
}

impl OpenInstance {
    /// A variable of any value that no step changes. The system has it from now on.
    fn number(&mut self) -> Term {
        if let Some(known) = self.system.find(Origin::Number) {
            return self.system.var_term(known);
        }
        let Parts { mut terms, mut variables, mut updates, init, inputs, events, constraints } =
            self.system.clone().into_parts();
        let id = VarId(variables.len() as u32);
        let number = terms.leaf(Leaf::Var(id), Sort::Int, None);
        let (name, origin) = ("number".to_owned(), Origin::Number);
        variables.push(Variable { name, origin, sort: Sort::Int, domain: Domain::Unbounded });
        updates.push(Vec::new());
        self.system = System::new(Parts { terms, variables, inputs, events, init, constraints, updates });
        number
    }
}
