//! Minimised models on which the two sides once disagreed; every new one is added here.

/// What went wrong, and the model.
pub const MODELS: [(&str, &str); 3] = [
    (
        "a get by predicate never meets a supply to those who name it: no relabelling is needed for it",
        "property-variables: p : bool
         agent A
             receive-guard: false
             repeat: ask: {true} GET@(@p)()[]
         agent B
             receive-guard: false
             repeat: give: {true} SUPPLY@(myself)()[]
         system = A(a, true) || B(b, true)
         SPEC deadlock;",
    ),
    (
        "who never listens to a multicast needs no relabelling for it",
        "enum channel {c}
         property-variables: p : bool
         agent A
             receive-guard: false
             repeat: say: {true} c! (@p)()[]
         agent B
             receive-guard: false
             repeat: hear: {true} c? []
         system = A(a, true) || B(b, true)
         SPEC G (a-say & !b-hear);",
    ),
    (
        "a Boolean that is free initially was encoded as false",
        "agent A
             local: x : bool
             receive-guard: false
             repeat: act: {x} *! (true)()[]
         system = A(a, true)
         SPEC deadlock;
         SPEC !deadlock;
         SPEC G !a-x;",
    ),
];
