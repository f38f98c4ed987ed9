//! The printer: what it prints reads back as the same formula.

use super::*;

const MODEL: &str = "enum channel {c, d} enum role {boss, staff}
    message-structure: V : int, RANK : role
    property-variables: who : role
    agent A
        local: x : int, b : bool, l : location, k : channel, r : role
        init: true
        relabel: who <- r
        receive-guard: chan = c
        repeat: (
            snd: {b & (x > 0)} k! ((@who = boss) | (@who = r))(V := x * (x - 1), RANK := boss)[x := -x + 1, k := *]
            + rcv: {RANK = staff} c? [l := myself]
            + get: {l != myself} GET@(l)()[x := V]
            + ask: {true} GET@(@who = boss)(V := 1)[]
            + sup: {true} SUPPLY@(j)(V := x / 2)[]
        )
    system = A(i, true) || A(j, true)";

fn with_spec(spec: &str) -> Model {
    model(&format!("{MODEL} SPEC {spec}"))
}

#[test]
fn formulas_read_back() {
    let cases = [
        "G (i-b -> F j-snd)",
        "(G i-b) -> F j-snd",
        "(F i-b) & G i-b",
        "i-b & j-b & i-rcv",
        "i-b & (j-b | i-rcv)",
        "(i-b & j-b) | i-rcv",
        "(i-b -> j-b) -> i-b",
        "i-b -> (j-b -> i-b)",
        "(i-b U j-b) W i-b",
        "i-b R (F j-b)",
        "!(i-b & j-b)",
        "!(F i-b)",
        "!i-b U X X j-b",
        "i-x + 1 = j-x * (2 - i-x)",
        "i-x - (j-x - 1) < -3",
        "i-k = * & i-r = boss & i-l = j",
        "i-automaton-state = 0 & !deadlock",
        "<<sender = i & chan = * & !(V > 3)>> (i-b & j-b)",
        "[[exists(who = boss) | forall(who = RANK)]] F i-b",
        "G [[p2p & getter != j]] <<true>> i-b",
        "(i-b <-> j-b) & true",
    ];
    for text in cases {
        let first = with_spec(text);
        let printed = first.show_formula(&first.specs[0].formula);
        let second = with_spec(&printed);
        assert_eq!(first.specs[0].formula, second.specs[0].formula, "{text} printed as {printed}");
    }
}

#[test]
fn few_parentheses_but_no_doubt() {
    let shown = |text: &str| {
        let model = with_spec(text);
        model.show_formula(&model.specs[0].formula)
    };
    assert_eq!(shown("G ((i-b) -> (F (j-b)))"), "G (i-b -> F j-b)");
    assert_eq!(shown("G i-b -> F j-b"), "G (i-b -> F j-b)");
    assert_eq!(shown("(F i-b) & (F j-b) & i-b"), "(F i-b) & (F j-b) & i-b");
    assert_eq!(shown("(F i-b) & (i-b & F j-b)"), "(F i-b) & (i-b & F j-b)");
    assert_eq!(shown("i-b | j-b & i-rcv"), "(i-b | j-b) & i-rcv");
    assert_eq!(shown("F (G (X (i-l = j)))"), "F G X (i-l = j)");
}

#[test]
fn commands_are_shown_in_full() {
    let model = with_spec("true");
    let commands = (0..5).map(|edge| model.show_command(crate::model::AgentId(0), crate::model::EdgeId(edge)));
    assert_eq!(
        commands.collect::<Vec<_>>(),
        [
            "snd: {b & x > 0} k ! (@who = boss | @who = r) (V := x * (x - 1), RANK := boss) [x := -x + 1, k := *]",
            "rcv: {RANK = staff} c ? [l := myself]",
            "get: {l != myself} GET@(l) () [x := V]",
            "ask: {true} GET@(@who = boss) (V := 1) []",
            "sup: {true} SUPPLY@(j) (V := x / 2) []",
        ]
    );
}
