//! ExportNames for everything in an exported system: those of the user, as long as every reader takes them.
//!
//! `client1-cLink` is an identifier in SMV and a symbol in SMT-LIB, and no identifier of a model has a
//! `-`, so the names of variables, inputs and events cannot clash. Constants can: they share one name
//! space with the reserved words of SMV, and `_` is appended until a name is free.

use super::relations::Relations;
use crate::model::{Model, Type};
use crate::ts::smtlib::symbols::{Free, event_name};
use crate::ts::system::{EVENT, Origin, System};
use crate::ts::term::{Leaf, Term, TermNode, Terms, VarId};

/// Which constants the values of an `Enum` sort are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumMeaning {
    /// Plain numbers: automaton states, choices.
    Numbers,
    /// The constants of a type of the model.
    Constants(Type),
    /// The events.
    Events,
}

/// ExportNames of one system, the same in every format.
#[derive(Clone, Debug)]
pub struct ExportNames {
    enums: Vec<Vec<String>>,
    channels: Vec<String>,
    locations: Vec<String>,
    events: Vec<String>,
    variables: Vec<(String, EnumMeaning)>,
    inputs: Vec<(String, EnumMeaning)>,
}

impl ExportNames {
    /// ExportNames for a system of the model, with whatever variables were added to it.
    pub fn new(model: &Model, system: &System) -> ExportNames {
        let mut free = Free::without(RESERVED.split_whitespace().chain(["event"]));
        let mut all = |names: &[String]| names.iter().map(|name| free.claim(name.clone())).collect::<Vec<String>>();
        let enums = model.enums.iter().map(|declared| all(&declared.constants)).collect();
        let channels: Vec<String> =
            model.channels.iter().map(|name| if name == "*" { "broadcast" } else { name }.to_owned()).collect();
        let channels = all(&channels);
        let instances: Vec<String> = model.instances.iter().map(|instance| instance.name.clone()).collect();
        let locations = all(&instances);
        let events: Vec<String> = system.events().iter().map(|event| event_name(model, event.kind)).collect();
        let events = all(&events);
        // In SMV, a dot leads into a module.
        let name = |name: &str| name.replace('.', "-");
        let variables =
            system.variables().iter().map(|v| (free.claim(name(&v.name)), kind_of(model, v.origin))).collect();
        let input = |(index, input): (usize, &crate::ts::system::Input)| match index == EVENT.0 as usize {
            true => (input.name.clone(), EnumMeaning::Events),
            false => (free.claim(name(&input.name)), EnumMeaning::Numbers),
        };
        let inputs = system.inputs().iter().enumerate().map(input).collect();
        ExportNames { enums, channels, locations, events, variables, inputs }
    }

    /// The name of a variable or an input.
    pub fn leaf(&self, leaf: Leaf) -> &str {
        &self.named(leaf).0
    }

    /// The values of a variable or an input of an `Enum` sort.
    pub fn kind(&self, leaf: Leaf) -> EnumMeaning {
        self.named(leaf).1
    }

    fn named(&self, leaf: Leaf) -> &(String, EnumMeaning) {
        match leaf {
            Leaf::Var(id) => &self.variables[id.0 as usize],
            Leaf::Input(id) => &self.inputs[id.0 as usize],
        }
    }

    /// The name of a variable.
    pub fn variable(&self, id: VarId) -> &str {
        self.leaf(Leaf::Var(id))
    }

    /// The name of an event.
    pub fn event(&self, index: usize) -> &str {
        &self.events[index]
    }

    /// The names of all values of a kind; none for numbers.
    pub fn values(&self, kind: EnumMeaning) -> &[String] {
        match kind {
            EnumMeaning::Numbers => &[],
            EnumMeaning::Constants(Type::Enum(id)) => &self.enums[id.index()],
            EnumMeaning::Constants(Type::Channel) => &self.channels,
            EnumMeaning::Constants(_) => &self.locations,
            EnumMeaning::Events => &self.events,
        }
    }

    /// One value.
    pub fn value(&self, kind: EnumMeaning, number: u32) -> String {
        self.values(kind).get(number as usize).cloned().unwrap_or_else(|| number.to_string())
    }

    /// A comment on each name whose values are numbers for constants.
    pub fn legend(&self, relations: &Relations) -> Vec<String> {
        let mut kinds: Vec<(EnumMeaning, Vec<&str>)> = Vec::new();
        let variables = relations.variables.iter().map(|&id| Leaf::Var(id));
        for leaf in variables.chain(relations.inputs.iter().map(|&id| Leaf::Input(id))) {
            let kind = self.kind(leaf);
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                _ if kind == EnumMeaning::Numbers => {}
                Some((_, leaves)) => leaves.push(self.leaf(leaf)),
                None => kinds.push((kind, vec![self.leaf(leaf)])),
            }
        }
        let line = |(kind, leaves): (EnumMeaning, Vec<&str>)| {
            let values = self.values(kind).iter().enumerate();
            let values: Vec<String> = values.map(|(number, name)| format!("{number} {name}")).collect();
            format!("{}: {}", leaves.join(", "), values.join(", "))
        };
        kinds.into_iter().map(line).collect()
    }

    /// The meaning of the values of a term of an `Enum` sort, as far as its leaves tell.
    pub fn kind_of_term(&self, terms: &Terms, term: Term) -> Option<EnumMeaning> {
        match *terms.node(term) {
            TermNode::Leaf(leaf) => Some(self.kind(leaf)),
            TermNode::Ite(_, a, b) => self.kind_of_term(terms, a).or_else(|| self.kind_of_term(terms, b)),
            _ => None,
        }
    }
}

/// The constants that a variable's values are.
fn kind_of(model: &Model, origin: Origin) -> EnumMeaning {
    let Origin::Local(instance, local) = origin else { return EnumMeaning::Numbers };
    match model.agent_of(instance).locals[local.index()].ty {
        ty @ (Type::Enum(_) | Type::Channel | Type::Location) => EnumMeaning::Constants(ty),
        Type::Bool | Type::Int | Type::Range(..) => EnumMeaning::Numbers,
    }
}

/// The words that NuSMV and nuXmv reserve.
const RESERVED: &str = "
    A ABF ABG AF AG ASSIGN AX BU COMPASSION COMPID COMPUTE COMPWFF CONSTANTS CONSTARRAY CONSTRAINT CTLSPEC CTLWFF
    DEFINE E EBF EBG EF EG EX F FAIRNESS FALSE FROZENVAR FUN G H IN INIT INVAR INVARSPEC ISA ITYPE IVAR JUSTICE
    LTLSPEC LTLWFF MAX MDEFINE MIN MIRROR MODULE NAME O PARAMETER PARSYNTH PRED PREDICATES PSLSPEC PSLWFF READ S SIMPWFF
    SPEC T TRANS TRUE U URGENT V VALID VAR WRITE X Y Z abs acos array asin at atan bool boolean case clock const cos
    count esac exp extend floor in init integer intervals ln max min mod next noncontinuous of pi process pow real
    resize self signed sin sizeof sqrt swconst switch tan time toint typeof union unsigned until uwconst word word1
    wrapper xnor xor
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::of_text::model;
    use crate::ts::history::base_system;

    const MODEL: &str = "
        enum channel {broadcast, next}
        enum mode {esac, on}
        agent Client
            local: mode_of : mode, link : channel, peer : location
            init: mode_of = on & link = next
            receive-guard: chan = *
            repeat: ({true} *! (false)()[link := broadcast] + command1: {true} *! (false)()[])
        system = Client(stutter, true)
    ";

    #[test]
    fn names_are_free_and_as_the_user_wrote_them() {
        let model = model(MODEL);
        let names = ExportNames::new(&model, &base_system(&model));
        assert_eq!(names.values(EnumMeaning::Constants(Type::Channel)), ["broadcast", "broadcast_", "next_"]);
        assert_eq!(names.value(EnumMeaning::Constants(Type::Enum(crate::model::EnumId(0))), 0), "esac_");
        assert_eq!(names.values(EnumMeaning::Constants(Type::Location)), ["stutter"]);
        assert_eq!(names.values(EnumMeaning::Events), ["stutter-command1", "stutter-command1_", "stutter_"]);
        assert_eq!(names.variable(VarId(1)), "stutter-mode_of");
        assert_eq!(names.value(EnumMeaning::Numbers, 7), "7");
    }
}
