//! Proofs of conjuncts that are alike: what a symmetry makes of the invariant of one proves its image.
//!
//! If a symmetry maps runs to runs, and one conjunct to another, then the image of the invariant of the one holds in all
//! reachable states, and excludes what violates the other. That is a claim like any other, which is checked.

use super::explicit::symmetry::Symmetries;
use crate::claim::symmetry::Renaming;
use crate::claim::{Invariant, PartClaim};
use crate::model::subformulas::{Obligation, subformulas};
use crate::model::{Formula, InstanceId, Model, Type};
use crate::product::negation::{Bit, Negation, Passed};
use crate::product::target::Reduction;
use crate::ts::ranking::Ranking;
use crate::ts::system::{Origin, System};
use crate::ts::term::{Leaf, Sort, Term, TermNode, Terms, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

/// How a formula is another one after a symmetry of the model.
#[derive(Debug)]
pub struct Image {
    /// The number of the other, which is not an image itself.
    pub of: usize,
    renaming: Renaming,
    /// For each subformula of the other ([`subformulas`]) what it becomes.
    places: Vec<u32>,
}

/// Symmetries of a model, which generate all that were found.
pub fn symmetries(model: &Model) -> Vec<Renaming> {
    Symmetries::of(model).generators().to_vec()
}

/// For each formula how an earlier one becomes it, if one does.
pub fn images(model: &Model, formulas: &[Formula]) -> Vec<Option<Image>> {
    let symmetries = Symmetries::of(model);
    let found = symmetries.images(formulas).into_iter().zip(formulas);
    let image = |(image, formula): (Option<(usize, Renaming)>, &Formula)| {
        let (of, renaming) = image?;
        let places = symmetries.places(&renaming, &subformulas(&formulas[of]), &subformulas(formula))?;
        Some(Image { of, renaming, places })
    };
    found.map(image).collect()
}

/// The claim about a formula that is an image, from one about the other on a system of the model; nothing if that claim
/// speaks of what no renaming moves.
pub fn image(
    model: &Model,
    system: &System,
    (of, claim): (&Formula, &PartClaim),
    formula: &Formula,
    image: &Image,
) -> Option<PartClaim> {
    let mut moved = Moved::new(model, system, image)?;
    if claim.reduction != Reduction::Invariance {
        let negation = |formula| Negation::new(model, system.clone(), formula);
        moved.add_obligations(&negation(of), &negation(formula), image)?;
    }
    let (terms, clauses) = moved.terms(&claim.invariant.terms, &claim.invariant.clauses)?;
    let invariant = Invariant { terms, clauses, k: claim.invariant.k };
    let (terms, components) = moved.terms(&claim.ranking.terms, &claim.ranking.components)?;
    Some(PartClaim { reduction: claim.reduction, ranking: Ranking { terms, components }, invariant })
}

/// For each variable of a system, and for obligations and memories of the one negation, the one that has its value in
/// the image of a state, and the images of its values if they are renamed. Counters come after them, and stay.
struct Moved<'a> {
    system: &'a System,
    variables: Vec<(VarId, Option<&'a [u32]>)>,
}

impl<'a> Moved<'a> {
    fn new(model: &Model, system: &'a System, Image { renaming, .. }: &'a Image) -> Option<Moved<'a>> {
        let ids: FxHashMap<Origin, VarId> = system.var_ids().map(|id| (system.variable(id).origin, id)).collect();
        let moved = system.var_ids().map(|id| {
            let (to, ty) = moved_origin(model, system.variable(id).origin, renaming)?;
            Some((*ids.get(&to)?, ty.and_then(|ty| renaming.values(ty))))
        });
        Some(Moved { system, variables: moved.collect::<Option<Vec<_>>>()? })
    }

    /// Adds the obligations and memories of the one negation, which become those of the other; nothing if they do not.
    fn add_obligations(&mut self, of: &Negation, to: &Negation, Image { places, .. }: &Image) -> Option<()> {
        let bits = of.bits.iter().map(|Bit { passed: Passed { obligation, is_eventuality }, .. }| {
            let subformula = places[obligation.subformula as usize];
            to.bit(Passed { obligation: Obligation { subformula, ..*obligation }, is_eventuality: *is_eventuality })
        });
        let bits = bits.collect::<Option<Vec<usize>>>()?;
        if bits.len() != to.bits.len() || bits.iter().collect::<FxHashSet<_>>().len() != bits.len() {
            return None;
        }
        let place = |bit: usize| bits.len() + to.bits[..bit].iter().filter(|bit| bit.passed.is_eventuality).count();
        let eventualities = of.bits.iter().zip(&bits).filter(|(bit, _)| bit.passed.is_eventuality);
        let added = bits.iter().copied().chain(eventualities.map(|(_, &bit)| place(bit)));
        let first = self.variables.len();
        self.variables.extend(added.map(|number| (VarId((first + number) as u32), None)));
        Some(())
    }

    /// The images of the values of a term, if it is a variable whose values are renamed.
    fn values(&self, terms: &Terms, term: Term) -> Option<&'a [u32]> {
        match terms.node(term) {
            TermNode::Leaf(Leaf::Var(id)) => self.variables.get(id.0 as usize)?.1,
            _ => None,
        }
    }

    /// The images of terms of an arena; nothing if one does more with renamed values than compare variables.
    fn terms(&self, arena: &Terms, list: &[Term]) -> Option<(Terms, Vec<Term>)> {
        let mut terms = arena.clone();
        let mut constants: FxHashMap<(u32, u32), Term> = FxHashMap::default();
        for variable in self.system.variables() {
            let Sort::Enum(count) = variable.sort else { continue };
            constants.extend((0..count).map(|value| ((value, count), terms.constant_of_enum(value, count))));
        }
        let is_plain = Cell::new(true);
        let node_of = |terms: &Terms, term: Term| {
            let node = terms.node(term).clone();
            match node {
                TermNode::Eq(a, b) => {
                    match (self.values(terms, a), self.values(terms, b), terms.node(a), terms.node(b)) {
                        (Some(values), None, _, TermNode::Enum(value, count)) => {
                            TermNode::Eq(a, constants[&(values[*value as usize], *count)])
                        }
                        (None, Some(values), TermNode::Enum(value, count), _) => {
                            TermNode::Eq(constants[&(values[*value as usize], *count)], b)
                        }
                        (one, other, ..) => {
                            is_plain.set(is_plain.get() && one == other);
                            node
                        }
                    }
                }
                TermNode::Ite(_, a, b) => {
                    let is_renamed = [a, b].iter().any(|part| self.values(terms, *part).is_some());
                    is_plain.set(is_plain.get() && !is_renamed);
                    node
                }
                node => node,
            }
        };
        let mut replace = |terms: &mut Terms, leaf: Leaf| {
            let Leaf::Var(id) = leaf else { return None };
            let (to, _) = *self.variables.get(id.0 as usize)?;
            let is_of_model = (to.0 as usize) < self.system.variables().len();
            Some(if is_of_model {
                self.system.variable(to).term(terms, to)
            } else {
                terms.leaf(Leaf::Var(to), Sort::Bool, None)
            })
        };
        let mut memo = FxHashMap::default();
        let list = list.iter().map(|term| terms.rebuild(&node_of, *term, &mut replace, &mut memo)).collect();
        is_plain.get().then_some((terms, list))
    }
}

/// The image of the origin of a variable under a renaming, and the type of its values if renamings change these.
fn moved_origin(model: &Model, origin: Origin, renaming: &Renaming) -> Option<(Origin, Option<Type>)> {
    let image = |instance: InstanceId| InstanceId(renaming.instances[instance.index()]);
    Some(match origin {
        Origin::Automaton(instance) => (Origin::Automaton(image(instance)), None),
        Origin::Local(instance, local) => {
            let ty = model.agent_of(instance).locals[local.index()].ty;
            (Origin::Local(image(instance), local), Some(ty))
        }
        Origin::Received(instance, edge) => {
            let (instance, edge) = renaming.command(model, (instance, edge));
            (Origin::Received(instance, edge), None)
        }
        _ => return None,
    })
}
