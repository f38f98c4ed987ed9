//! Instances of which each variable is a cell of its own.

use super::*;

/// A server with most of the state, and clients that are alike.
fn mailbox() -> Model {
    let place = |k: u32| format!("put{k}: {{count = {}}} box? [place{k} := OWN, count := {k}]\n+\n", k - 1);
    let moved: String = (1..6).map(|k| format!(", place{k} := place{}", k + 1)).collect();
    model(&format!(
        "enum channel {{box, c1, c2, c3, c4}}
        message-structure: OWN : channel
        agent Client
            local: own : channel, waits : 0..6
            init: waits = 0
            receive-guard: chan = own
            repeat: (
                ask: {{waits < 6}} box! (true)(OWN := own)[waits := waits + 1]
                +
                hear: {{waits > 0}} own? [waits := waits - 1]
            )
        agent Server
            local: count : 0..6, {}
            init: count = 0 & {}
            receive-guard: chan = box
            repeat: (
                {}
                answer: {{count > 0}} place1! (true)()[count := count - 1{moved}, place6 := *]
            )
        system = Server(server, true) || Client(a, own = c1) || Client(b, own = c2)
            || Client(c, own = c3) || Client(d, own = c4)
        SPEC G (a-waits + b-waits + c-waits + d-waits = server-count);
        SPEC G (server-count = 6 -> X server-count = 5);
        SPEC G (server-count < 6);",
        (1..=6).map(|k| format!("place{k} : channel")).collect::<Vec<_>>().join(", "),
        (1..=6).map(|k| format!("place{k} = *")).collect::<Vec<_>>().join(" & "),
        (1..=6).map(place).collect::<String>(),
    ))
}

#[test]
fn verdicts_are_the_same_with_symmetries_and_without() {
    let model = mailbox();
    let semantics = Semantics::new(&model);
    let decided: Vec<_> = model.specs.iter().map(|spec| decide(&semantics, &spec.formula, Config::default())).collect();
    assert_eq!(decided, [Some(true), Some(true), Some(false)]);
}

#[test]
fn what_is_split_has_to_be_that_of_the_local_states() {
    let model = mailbox();
    let semantics = Semantics::new(&model);
    let certificate = certificate(&model);
    assert_eq!(certificate.graphs[0].split, [0]);
    assert!(!certificate.graphs[0].generators.is_empty());
    for (split, word) in
        [(vec![], MALFORMED), (vec![0, 0], MALFORMED), (vec![0, 5], MALFORMED), (vec![0, 1], NO_SYMMETRY)]
    {
        let mut altered = certificate.clone();
        altered.graphs[0].split = split;
        let result = confirm(&semantics, &model.specs[0].formula, altered.into(), 1);
        assert!(says(&result, &[word]), "{result:?}");
    }
    let mut altered = certificate;
    altered.graphs[0].local_states[1].swap(0, 1);
    let result = confirm(&semantics, &model.specs[0].formula, altered.into(), 1);
    assert!(result.is_err(), "{result:?}");
}
