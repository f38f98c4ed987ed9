//! Letters: what formulas read at one position, and a model all words over them are runs of.

use crate::common::parsed;
use rcheck_smt::model::formula::{Connective, StateLeaf};
use rcheck_smt::model::written::Written;
use rcheck_smt::model::{BinaryOp, EdgeId, Expr, Formula, InstanceId, Model, Observation, Value};
use rcheck_smt::ts::history::base_system;
use rcheck_smt::ts::system::{EVENT, EventKind, Origin, System};
use rcheck_smt::ts::valuation::Valuation;

/// One thing to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bit {
    /// A state atom.
    X,
    /// Another one.
    Y,
    /// The label of a send, which is observed too.
    Sent,
    /// The label of a receive: of the step before, so false at the start.
    Received,
}

/// All bits, in their order in a letter.
pub const BITS: [Bit; 4] = [Bit::X, Bit::Y, Bit::Sent, Bit::Received];

/// The truth of all bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Letter(pub u8);

impl Letter {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Letter> {
        (0..16).map(Letter)
    }

    /// One bit.
    pub fn has(self, bit: Bit) -> bool {
        self.0 >> bit as u8 & 1 == 1
    }
}

/// Every step is the send `s` or another one, both agents that have a bit choose it anew, and `r` is received or
/// something else is. So every word whose first letter has no `r` is a run.
const MODEL: &str = "
    message-structure: M : bool
    agent Source
        local: unused : bool
        init: !unused
        receive-guard: false
        repeat: (s: {true} *! (true)(M := true)[] + t: {true} *! (true)(M := false)[])
    agent Chooser
        local: bit : bool
        init: true
        receive-guard: chan = *
        repeat: (up: {true} *? [bit := true] + down: {true} *? [bit := false])
    agent Receiver
        local: unused : bool
        init: !unused
        receive-guard: chan = *
        repeat: (r: {true} *? [] + q: {true} *? [])
    system = Source(a, true) || Chooser(x, true) || Chooser(y, true) || Receiver(z, true)
    SPEC x-bit;
    SPEC y-bit;
    SPEC a-s;
    SPEC z-r;
    SPEC <<M>> true;
";

/// The model, and what its formulas are made of.
pub struct Words {
    /// The model.
    pub model: Model,
    /// Its system.
    pub system: System,
    /// The atom of each bit.
    pub atoms: [Formula; 4],
    /// The observation that is true of the send.
    pub observation: Observation,
    x: InstanceId,
    y: InstanceId,
    sent: (InstanceId, EdgeId),
}

impl Words {
    /// Reads the model.
    pub fn new() -> Words {
        let model = parsed(MODEL);
        let atom = |spec: usize| model.specs[spec].formula.clone();
        let atoms = [atom(0), atom(1), atom(2), atom(3)];
        let spec = atom(4);
        let Written::Possible(observation, _) = spec.written() else { panic!("an observation") };
        let Formula::Label(a, s) = atoms[2] else { panic!("a label") };
        let instance = |atom: &Formula| match atom {
            Formula::Atom(Expr::Leaf(StateLeaf::Local(instance, _))) => *instance,
            other => panic!("{other:?} is no local"),
        };
        let (x, y) = (instance(&atoms[0]), instance(&atoms[1]));
        let system = base_system(&model);
        Words { system, atoms, observation: observation.clone(), x, y, sent: (a, s), model }
    }

    /// True if a command is the send that formulas read.
    fn is_sent(&self, instance: InstanceId, edge: EdgeId) -> bool {
        (instance, edge) == self.sent
    }

    /// The truth of a state atom under a letter.
    pub fn holds(&self, expr: &Expr<StateLeaf>, letter: Letter) -> bool {
        match expr {
            Expr::Const(value) => value.as_bool(),
            Expr::Leaf(StateLeaf::Local(instance, _)) => letter.has(if *instance == self.x { Bit::X } else { Bit::Y }),
            Expr::Not(inner) => !self.holds(inner, letter),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.holds(a, letter), self.holds(b, letter));
                match op {
                    BinaryOp::And => a && b,
                    BinaryOp::Or => a || b,
                    BinaryOp::Implies => !a || b,
                    BinaryOp::Iff | BinaryOp::Eq => a == b,
                    other => panic!("no formula has {other:?}"),
                }
            }
            other => panic!("no formula has {other:?}"),
        }
    }

    /// The truth of a label under a letter.
    pub fn labelled(&self, instance: InstanceId, edge: EdgeId, letter: Letter) -> bool {
        letter.has(if self.is_sent(instance, edge) { Bit::Sent } else { Bit::Received })
    }

    /// The truth of an observation under a letter.
    pub fn observed(&self, observation: &Observation, letter: Letter) -> bool {
        match observation {
            Observation::Const(value) => *value,
            Observation::Data(_) => letter.has(Bit::Sent),
            Observation::Not(a) => !self.observed(a, letter),
            Observation::Joined(connective, a, b) => {
                let (a, b) = (self.observed(a, letter), self.observed(b, letter));
                match connective {
                    Connective::And => a && b,
                    Connective::Or => a || b,
                    Connective::Implies => !a || b,
                    Connective::Iff => a == b,
                }
            }
            other => panic!("no formula has {other:?}"),
        }
    }

    /// The truth of a formula without temporal operators in front at a position; false for others.
    pub fn fact(&self, formula: &Formula, letter: Letter) -> bool {
        match formula {
            Formula::Atom(expr) => self.holds(expr, letter),
            Formula::Label(instance, edge) => self.labelled(*instance, *edge, letter),
            Formula::Observed(observation) => self.observed(observation, letter),
            _ => false,
        }
    }
}

impl Words {
    /// The system under a letter, without what was added to it.
    pub fn valuation(&self, base: &System, letter: Letter) -> Valuation {
        let state = base.variables().iter().map(|variable| self.value(variable.origin, letter)).collect();
        let mut inputs = vec![0; base.inputs().len()];
        inputs[EVENT.0 as usize] = self.event(base, letter);
        Valuation::new(state, inputs)
    }

    /// The value of a variable of the system under a letter.
    fn value(&self, origin: Origin, letter: Letter) -> Value {
        match origin {
            Origin::Received(..) => Value::Bool(letter.has(Bit::Received)),
            Origin::Local(instance, _) if instance == self.x => Value::Bool(letter.has(Bit::X)),
            Origin::Local(instance, _) if instance == self.y => Value::Bool(letter.has(Bit::Y)),
            Origin::Local(..) => Value::Bool(false),
            Origin::Automaton(_) => Value::Enum(0),
            other => panic!("no variable of the model: {other:?}"),
        }
    }

    /// The event of a step under a letter.
    fn event(&self, system: &System, letter: Letter) -> u32 {
        let is_it = |kind| matches!(kind, EventKind::Send { sender, edge } if self.is_sent(sender, edge) == letter.has(Bit::Sent));
        system.events().iter().position(|event| is_it(event.kind)).expect("both sends are events") as u32
    }
}
