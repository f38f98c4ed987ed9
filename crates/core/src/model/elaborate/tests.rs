//! Models that the elaboration builds, for texts without errors.

use super::elaborate;
use crate::model::expr::BinaryOp::{Add, Eq, Ge, Mul, Ne};
use crate::model::formula::{Connective, DataLeaf, Role, StateLeaf};
use crate::model::written::Written;
use crate::model::{
    Action, CommandLeaf, EdgeId, Expr, Formula, GetTarget, InstanceId, LocalId, MessageId, Model, Observation,
    PropertyId, Side, Type, Value,
};
use crate::source::SourceFile;
use crate::syntax::{MAX_HEIGHT, parse};

fn try_model(text: &str) -> Option<Model> {
    let parsed = parse(&SourceFile::new("test", text), None);
    let (model, diagnostics) = elaborate(&parsed.model);
    assert!(!diagnostics.has_errors(), "{diagnostics:#?}");
    model
}

const SYSTEM: &str = "
    enum channel {c, d}
    enum role {one, two}
    message-structure: V : 0..9, B : bool
    property-variables: pv : role, ok : bool
    guard to(r : role, more : bool) := @pv = r & more;
    guard double(n : int) := n * 2;
    agent A
        local: n : 0..9, l : channel, peer : location, flag : bool
        init: n = 1
        relabel: pv <- two ok <- n = 1
        receive-guard: chan = l
        repeat: (s: {flag} l! (to(one, n = double(n + 1)))(V := n)[n := 3]; r: {V >= n} d? [flag := B]
            + {true} GET@(peer)()[n := V]
            + {true} GET@(ok)()[]
            + {true} GET@(flag)()[]
            + {true} GET@(j)()[]
            + {true} SUPPLY@(peer)(V := 2)[]
            + {true} SUPPLY@(i)(V := 2)[])
    system = A(i, true) || A(j, n = 1)
";

fn model(specs: &str) -> Model {
    try_model(&format!("{SYSTEM}\n{specs}")).expect("a model")
}

fn formula(spec: &str) -> Formula {
    model(&format!("SPEC {spec}")).specs.remove(0).formula
}

fn observation(text: &str) -> Observation {
    match formula(&format!("<<{text}>> true")).written() {
        Written::Possible(observation, _) => observation.clone(),
        other => panic!("no observation: {other:?}"),
    }
}

fn equal<L>(left: Expr<L>, right: Expr<L>) -> Expr<L> {
    Expr::binary(Eq, left, right)
}

fn number<L>(value: i64) -> Expr<L> {
    Expr::Const(Value::int(value))
}

fn not(observation: Observation) -> Observation {
    Observation::Not(Box::new(observation))
}

fn kind(op: crate::model::BinaryOp, value: u32) -> Observation {
    let pv = Expr::Leaf(DataLeaf::Property(PropertyId(0)));
    Observation::Data(Expr::binary(op, pv, Expr::Const(Value::Enum(value))))
}

#[test]
fn channels_begin_with_broadcast_and_are_no_enum() {
    let model = model("");
    assert_eq!(model.channels, ["*", "c", "d"]);
    assert_eq!(model.enums.len(), 1);
    assert_eq!(model.agents[0].locals[1].ty, Type::Channel);
}

#[test]
fn guards_are_inlined_with_their_arguments() {
    let model = model("");
    let Action::Send { channel, guard, data } = &model.agents[0].edges[0].action else { panic!("no send") };
    let n = Expr::Leaf(CommandLeaf::Local(LocalId(0)));
    assert_eq!(*channel, Expr::Leaf(CommandLeaf::Local(LocalId(1))));
    assert_eq!(data[..], [(MessageId(0), n.clone())]);
    let doubled = Expr::binary(Mul, Expr::binary(Add, n.clone(), number(1)), number(2));
    let asked = equal(Expr::Leaf(CommandLeaf::Property(PropertyId(0))), Expr::Const(Value::Enum(0)));
    assert_eq!(*guard, Expr::binary(crate::model::BinaryOp::And, asked, equal(n, doubled)));
}

#[test]
fn reads_are_those_of_guard_and_updates() {
    let edges = &model("").agents[0].edges;
    assert_eq!(edges[0].reads, []);
    assert_eq!(edges[1].reads, [MessageId(0), MessageId(1)]);
    assert_eq!(
        edges[1].guard,
        Expr::binary(Ge, Expr::Leaf(CommandLeaf::Message(MessageId(0))), Expr::Leaf(CommandLeaf::Local(LocalId(0))))
    );
}

#[test]
fn gets_name_a_location_or_give_a_predicate() {
    let edges = &model("").agents[0].edges;
    let target = |edge: usize| match &edges[edge].action {
        Action::Get { target, .. } => target.clone(),
        other => panic!("no get: {other:?}"),
    };
    assert_eq!(target(2), GetTarget::Location(Expr::Leaf(CommandLeaf::Local(LocalId(2)))));
    assert_eq!(target(3), GetTarget::Predicate(Expr::Leaf(CommandLeaf::Property(PropertyId(1)))));
    assert_eq!(target(4), GetTarget::Predicate(Expr::Leaf(CommandLeaf::Local(LocalId(3)))));
    assert_eq!(target(5), GetTarget::Location(Expr::Const(Value::Enum(1))));
    let server = |edge: usize| match &edges[edge].action {
        Action::Supply { to, .. } => to.named.clone(),
        other => panic!("no supply: {other:?}"),
    };
    assert_eq!(server(6), Some((Expr::Leaf(CommandLeaf::Local(LocalId(2))), Side::Getter)));
    assert_eq!(server(7), Some((Expr::Const(Value::Enum(0)), Side::Getter)));
}

#[test]
fn atoms_are_as_large_as_they_can_be() {
    let state = |id| Formula::Atom(equal(Expr::Leaf(StateLeaf::Automaton(InstanceId(id))), number(1)));
    let flag = Expr::Leaf(StateLeaf::Local(InstanceId(0), LocalId(3)));
    let both = Expr::binary(crate::model::BinaryOp::And, flag, Expr::Leaf(StateLeaf::Deadlock));
    assert_eq!(formula("F (i-flag & deadlock)"), Formula::Atom(both).finally());
    let label = Formula::Label(InstanceId(0), EdgeId(0));
    let expected = Formula::And(vec![label.clone(), state(0), state(1)]);
    assert_eq!(formula("(i-s & i-automaton-state = 1) & j-automaton-state = 1"), expected);
    assert_eq!(formula("i-s = (j-automaton-state = 1)"), label.iff(state(1)));
}

#[test]
fn quantifiers_expand_in_the_order_written_and_compare_instances() {
    let atom = |value| Formula::Atom(Expr::Const(Value::Bool(value)));
    let expected =
        Formula::And(vec![Formula::Or(vec![atom(false), atom(true)]), Formula::Or(vec![atom(true), atom(false)])]);
    assert_eq!(formula("forall k : A . exists m : Agent | A . k != m-myself"), expected);
}

#[test]
fn observations_negate_roles_and_channels() {
    let sender = Observation::Role(Role::Sender, InstanceId(1));
    assert_eq!(observation("sender = j"), sender);
    assert_eq!(observation("j != sender"), not(sender));
    let channel = Observation::Data(equal(Expr::Leaf(DataLeaf::Chan), Expr::Const(Value::Enum(1))));
    assert_eq!(observation("chan != c"), not(channel));
    let data = Expr::binary(Ne, Expr::Leaf(DataLeaf::Message(MessageId(0))), number(1));
    assert_eq!(observation("V != 1"), Observation::Data(data));
}

#[test]
fn property_variables_outside_are_for_all_assignments() {
    let forall = |inner| Observation::Forall(Box::new(inner));
    assert_eq!(observation("@pv = two"), forall(kind(Eq, 1)));
    assert_eq!(observation("pv != two"), not(forall(kind(Eq, 1))));
    assert_eq!(observation("!ok"), not(forall(Observation::Data(Expr::Leaf(DataLeaf::Property(PropertyId(1)))))));
}

#[test]
fn the_outermost_of_nested_assignments_counts() {
    let inner = kind(Ne, 0).joined(Connective::And, not(kind(Eq, 1)));
    let expected = Observation::Exists(Box::new(inner));
    assert_eq!(observation("exists(pv != one & forall(!(exists(pv = two))))"), expected);
}

#[test]
fn incomplete_trees_give_no_model_and_no_findings() {
    for text in ["agent A repeat: {true} *? [] SPEC true", &format!("{SYSTEM} SPEC F )")] {
        assert_eq!(try_model(text), None);
    }
}

#[test]
fn the_highest_trees_fit_the_stack() {
    let chain = vec!["i-flag"; MAX_HEIGHT - 3].join(" U ");
    assert!(matches!(formula(&chain), Formula::Until(..)));
    let alternatives = vec!["V = 1"; MAX_HEIGHT - 9].join(" | ");
    assert!(matches!(observation(&alternatives), Observation::Joined(Connective::Or, ..)));
    let sum = vec!["NUMBER"; MAX_HEIGHT - 9].join(" + ");
    assert!(matches!(formula(&format!("{} > 0", sum.replace("NUMBER", "i-n"))), Formula::Atom(_)));
    let text = SYSTEM.replace("n = 1", &format!("{} > 0", sum.replace("NUMBER", "n")));
    assert!(try_model(&text).is_some());
}
