//! Models of any size: their specs are as expected, by proofs for all sizes and by violations in the least ones.

use crate::common::{self, model, patiently, source};
use rcheck_smt::certificate_file::Document;
use rcheck_smt::check::{ProofBy, Verdict};
use rcheck_smt::limits::Stop;
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::model::scheme::TypeRefusal;
use rcheck_smt::model::spec::Expectation;
use rcheck_smt::model::{AgentId, BinaryOp, CommandLeaf, EdgeId, Expr, LocalId, Value};
use rcheck_smt::syntax;
use rcheck_smt::syntax::ast::{ConstantName, Constants, Literal};
use rcheck_smt::verify::{self, Engine, Subject};

fn prove<'s>(subject: &'s Subject, spec: usize) -> Verdict<'s> {
    let stop = Stop::new();
    subject
        .prove(spec, &Engine::ALL, &common::limits(usize::MAX, patiently(), &stop))
        .expect("no claim is refused")
        .verdict
}

#[test]
fn specs_are_as_expected() {
    let names =
        ["bakery_lamport_bogus", "berkeley", "burns", "dragon", "germanish", "mesi", "moesi", "mutex", "ticket_o"];
    for name in names.into_iter().chain([
        "read_write_lock",
        "two_phase_commit",
        "reader_count",
        "bank",
        "bounded_buffer",
        "load_balancing",
        "server",
        "ticket_lock",
        "token",
    ]) {
        let model = model(&source(format!("parametrised/{name}.rcp")));
        let subject = Subject::new(&model);
        for (index, spec) in model.specs.iter().enumerate() {
            let verdict = prove(&subject, index);
            let met = match spec.expect {
                Some(Expectation::Holds) => matches!(verdict.holds_by(), Some(ProofBy::Uniform(_))),
                Some(Expectation::Violated) => matches!(verdict, Verdict::Violated(_)),
                _ => false,
            };
            assert!(met, "{name}: {:?} is expected to be {:?}: {verdict:?}", spec.name, spec.expect);
        }
    }
}

/// The least size that violates, and the number of steps.
fn violation(text: &str) -> (Vec<u32>, usize) {
    let model = common::parsed(text);
    let subject = Subject::new(&model);
    match prove(&subject, 0) {
        Verdict::Violated(counterexample) => {
            (counterexample.run().semantics().model().sizes(), counterexample.run().steps().len())
        }
        other => panic!("{other:?} of {text}"),
    }
}

#[test]
fn violations_are_of_the_least_size() {
    let with = |spec: &str| {
        format!(
            "message-structure: M : int
             agent A local: x : int init: x = 0 receive-guard: false repeat: s: {{x < 2}} *! (true)()[x := x + 1]
             agent Desk local: n : int init: n = 0 receive-guard: false repeat: r: {{true}} *? [n := n + 1]
             system = A(a[*], true) || Desk(desk, true)
             SPEC {spec}"
        )
    };
    assert_eq!(violation(&with("G (desk-n = 0)")), (vec![1], 1));
    assert_eq!(violation(&with("G (desk-n <= 3)")), (vec![2], 4));
    assert_eq!(violation(&with("G (desk-n <= 8)")), (vec![5], 9));
    assert_eq!(violation(&with("G (a3-x = 0)")), (vec![3], 1));
    assert_eq!(violation(&with("exists k : A . true")), (vec![0], 0));
}

/// The model of a shipped file, in which instances of some types stand for any number.
fn any_number(path: &str, agents: &[&str], specs: &str) -> rcheck_smt::model::Model {
    let text = source(path).text().split("// name:").next().expect("it has specs").to_owned() + specs;
    let mut tree = syntax::parse(&rcheck_smt::source::SourceFile::new("test.rcp", text), None).model;
    let given: Constants =
        agents.iter().map(|agent| (ConstantName::AnyNumber((*agent).to_owned()), Literal::Bool(true))).collect();
    tree.give(&given).expect("some are alike");
    rcheck_smt::model::elaborate(&tree).0.expect("it has no errors")
}

/// Agents of a type with a number, which stand for any number of them.
fn numbered(instances: &str, spec: &str) -> rcheck_smt::model::Model {
    let text = format!(
        "enum colour {{red, p3}}
         agent P local: id : int, hue : colour init: hue = red receive-guard: false repeat: s: {{true}} *! (true)()[]
         system = {instances}
         SPEC {spec}"
    );
    let mut tree = syntax::parse(&rcheck_smt::source::SourceFile::new("test.rcp", text), None).model;
    tree.give(&Constants::from([(ConstantName::AnyNumber("P".to_owned()), Literal::Bool(true))]))
        .expect("they are alike");
    rcheck_smt::model::elaborate(&tree).0.expect("it has no errors")
}

#[test]
fn numbers_of_further_members_follow_those_that_are_listed() {
    for (listed, all) in [
        ([1, 2, 3], [1, 2, 3, 4, 5]),
        ([10, 20, 30], [10, 20, 30, 40, 50]),
        ([7, 1, 2], [7, 1, 2, 8, 9]),
        ([3, 2, 1], [3, 2, 1, 4, 5]),
        ([-3, -1, 1], [-3, -1, 1, 3, 5]),
    ] {
        let [a, b, c] = listed;
        let model = numbered(&format!("P(p1, id = {a}) || P(p2, id = {b}) || P(p4, id = {c})"), "true");
        let five = model.scheme().expect("a family").instance(&[5]).expect("no errors");
        let state = Semantics::new(five).initial_states().expect("one").remove(0);
        let numbers: Vec<_> = five.instance_ids().map(|id| state.local(id, LocalId(0)).number()).collect();
        assert_eq!(numbers, all.map(Some));
    }
    // They are the same number, so they do not differ.
    let model = numbered("P(p1, id = 0) || P(p2, id = 0) || P(p5, id = -0)", "true");
    assert_eq!((model.families().len(), model.families()[0].size), (1, 2));
    let model = |spec: &str| numbered("P(p1, id = 2) || P(p2, id = 4)", spec);
    for holds in ["G (forall k : P . k-id >= 2)", "G (forall k, j : P . k != j -> k-id != j-id)"] {
        let model = model(holds);
        let subject = Subject::new(&model);
        let verdict = prove(&subject, 0);
        assert!(matches!(verdict.holds_by(), Some(ProofBy::Uniform(_))), "{holds}: {verdict:?}");
    }
    let model = model("G (forall k : P . k-id <= 4)");
    let subject = Subject::new(&model);
    assert!(matches!(prove(&subject, 0), Verdict::Violated(_)), "the third one has a larger number");
}

/// `p3` is a constant, so no member may be called so.
#[test]
fn names_of_further_members_are_new() {
    let model = numbered("P(p1, id = 1) || P(p2, id = 2)", "true");
    let three = model.scheme().expect("a family").instance(&[3]).expect("no errors");
    let names: Vec<&str> = three.instances.iter().map(|instance| instance.name.as_str()).collect();
    assert_eq!(names, ["p1", "p2", "p_3"]);
}

#[test]
fn listed_instances_stand_for_any_number() {
    let clients = "SPEC G (forall k, j : Client . (k != j) -> !(k-inside & j-inside))";
    let cases = [
        ("ticket_lock.rcp", &["Client"][..], clients),
        ("bank.rcp", &["Account"], "SPEC G (forall k, j : Account . (k != j) -> !(k-blocked & j-blocked))"),
        (
            "resource_allocation/modern.rcp",
            &["Client", "Machine"],
            "SPEC G (forall k, j : Client . (k != j) -> (k-mLink = empty) | (k-mLink != j-mLink))
             SPEC G (forall k : Client . forall j : Machine . (k-mLink = j-pLink) -> j-asgn)",
        ),
    ];
    for (path, agents, specs) in cases {
        let model = any_number(path, agents, specs);
        assert_eq!(model.families().len(), agents.len(), "{path}");
        let subject = Subject::new(&model);
        for spec in 0..model.specs.len() {
            let verdict = prove(&subject, spec);
            assert!(matches!(verdict.holds_by(), Some(ProofBy::Uniform(_))), "{path}, spec {}: {verdict:?}", spec + 1);
        }
    }
}

/// Twelve clients are more than provers of one instance can do with.
#[test]
fn many_agents_profit_from_proofs_for_any_number() {
    let text = source("ticket_lock.rcp").text().split("// name:").next().expect("it has specs").to_owned();
    let (before, _) = text.split_once("system").expect("it has a system");
    let model = common::parsed(&format!(
        "{before}system = Desk(desk, true) || Client(client[1..12], true)
         SPEC G (forall k, j : Client . (k != j) -> !(k-inside & j-inside))"
    ));
    let subject = Subject::new(&model);
    let verdict = prove(&subject, 0);
    assert!(matches!(verdict.holds_by(), Some(ProofBy::Uniform(_))), "{verdict:?}");
    let document = Document::new(&model, "test.rcp", 0, &verdict).expect("it is decided");
    assert!(document.given().contains_key(&ConstantName::AnyNumber("Client".to_owned())));
    let general = model.parameters.general.model().expect("the clients are alike");
    let semantics = Semantics::new(general);
    let certified = verify::certify(&document, &semantics, patiently()).expect("it is checked again");
    assert!(matches!(certified.verdict, Verdict::Holds(_)));
}

/// A proof about the outcome of a table is one about strategies only for some specs, and for tables that members can keep to.
#[test]
fn tables_for_all_sizes_are_of_the_group() {
    let agents = "agent Wk
        local: on : bool, loc : location
        init: !on
        receive-guard: false
        repeat: (go: {!on} *! (false)()[on := true] + off: {on} *! (false)()[on := false])
    agent Sup
        local: x : bool
        receive-guard: false
        repeat: (u: {true} SUPPLY@(any)()[] + d: {true} SUPPLY@(any)()[])
    system = Sup(s, true) || Wk(w[1..*], true)\n";
    let model = |specs: &str| common::parsed(&format!("{agents}{specs}"));
    let asks = |specs: &str| model(specs).scheme().expect("a family").asks_for_strategy(0);
    assert!(asks("SPEC can(Wk, G (forall i : Wk . !i-on));"));
    assert!(asks("ASSUME forall i : Wk . weak(i-go); SPEC can(Wk, G (forall i : Wk . !i-on));"));
    for specs in [
        "SPEC can(Wk, A(G (forall i : Wk . !i-on)));",
        "SPEC can(Wk, G (forall i : Wk . K(s, !i-on)));",
        "SPEC (F s-x) -> can(Wk, G (forall i : Wk . !i-on));",
        "SPEC !can(Wk, G (forall i : Wk . !i-on));",
        "SPEC G can(Wk, G (forall i : Wk . !i-on));",
        "ASSUME G F s-x; SPEC can(Wk, G (forall i : Wk . !i-on));",
        "SPEC G s-x;",
    ] {
        assert!(!asks(specs), "{specs}");
    }
    let refusing = |specs: &str, agent: usize, edge: u32, when: Expr<CommandLeaf>| {
        let model = model(specs);
        let table = [TypeRefusal { agent: AgentId(agent as u32), edge: EdgeId(edge), when }];
        model.outcome_of_table(0, &table).is_some()
    };
    let local = |number: u32| Expr::Leaf(CommandLeaf::Local(LocalId(number)));
    let spec = "SPEC can(Wk, G (forall i : Wk . !i-on));";
    assert!(refusing(spec, 0, 0, Expr::TRUE) && refusing(spec, 0, 0, local(0)));
    let named = Expr::binary(BinaryOp::Eq, local(1), Expr::Const(Value::Enum(1)));
    assert!(!refusing(spec, 0, 0, named), "an agent is named");
    assert!(!refusing(spec, 0, 7, Expr::TRUE), "no command");
    assert!(!refusing(spec, 0, 0, Expr::Leaf(CommandLeaf::Myself)));
    assert!(!refusing(spec, 1, 0, Expr::TRUE), "a supply of an agent that is no member");
    assert!(!refusing("SPEC can(Agent, G (forall i : Wk . !i-on));", 1, 0, Expr::TRUE), "a supply");
    assert!(!refusing("SPEC can({w1}, G (forall i : Wk . !i-on));", 0, 0, Expr::TRUE), "not all of the type");
    // The supplier could answer in two ways, and it matters which.
    let assumed = "ASSUME weak(s-u); SPEC can({s}, G (forall i : Wk . !i-on));";
    assert!(asks(assumed) && model(assumed).outcome_of_table(0, &[]).is_none());
}
