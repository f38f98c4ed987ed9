//! Minimised models on which the two sides once disagreed; every new one is added here.

/// The mistake that was made, and the model.
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

/// Specs about all runs on which an engine was once wrong, and the model.
pub const PROOFS: [(&str, &str); 4] = [
    (
        "an until that is demanded anew on every step was taken for one that stays pending for ever: integers",
        "agent A
             local: n : int
             init: n = 0
             receive-guard: false
             repeat: up: {true} *! (true)()[n := n + 1]
         system = A(a, true)
         SPEC F (X (G (a-n < 5)));
         SPEC F (<<sender = a>> (G (a-n < 5)));
         SPEC (G ([[sender = a]] (F a-up))) -> (G (a-n < 5));
         SPEC (G (a-up -> X (F a-up))) -> (F (G (a-n < 5)));",
    ),
    (
        "the same, finite",
        "agent A
             local: x : bool
             init: !x
             receive-guard: false
             repeat: s: {true} *! (true)()[]
         system = A(a, true)
         SPEC F (X (G a-x));
         SPEC F (<<sender = a>> (G a-x));
         SPEC (G (X (F (!a-x)))) -> (F a-x);
         SPEC (G ([[sender = a]] (F a-s))) -> (F a-x);
         SPEC F (X (a-x & G a-x));",
    ),
    (
        "the same, with an until that is pending now and then, and demanded anew in between",
        "agent A
             local: x : 0..3
             init: x = 0
             receive-guard: false
             repeat: s: {x < 3} *! (true)()[x := x + 1] + t: {x = 3} *! (true)()[x := 0]
         system = A(a, true)
         SPEC F (X (G (a-x != 2)));
         SPEC F (X (X (a-x = 1 R a-x != 3)));
         SPEC (G (X ((a-x != 3) U a-x = 3))) -> (F G (a-x = 0));
         SPEC G (X (F a-x = 2));",
    ),
    (
        "obligations that differ only in an observation that no step shows were one for the check",
        "agent A
             local: x : 0..3
             init: x <= 1
             receive-guard: false
             repeat: s: {x < 3} *! (true)()[x := x + 1] + t: {x = 3} *! (true)()[x := 2]
         agent B
             receive-guard: false
             repeat: hear: {true} *? []
         system = A(a, true) || B(b, true)
         SPEC F (X ((G (a-x = 1)) -> (<<false>> (a-x = 2))));
         SPEC F (X ((G (a-x = 1)) -> (<<sender = b>> (a-x = 2))));
         SPEC G (F (X ((F (a-x != 1)) | (<<sender = b>> deadlock))));
         SPEC (F (a-x != 1)) | (<<chan = *>> (F (a-x != 1)));
         SPEC ((deadlock W b-hear) -> (G ([[chan != *]] (deadlock W b-hear))));",
    ),
];
