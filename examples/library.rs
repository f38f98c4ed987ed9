#![allow(missing_docs)] // The documentation of the crate includes this file.

use rcheck_smt::{Semantics, Subject, Verdict, bmc, prove, read, simulate};

const MODEL: &str = "
    message-structure: N : int
    agent Counter
        local: n : int
        init: n = 0
        receive-guard: chan = *
        repeat: count: {true} *! (false)(N := n)[n := n + 1]
    system = Counter(one, true)
    SPEC G (one-n >= 0)
    SPEC G ([[N = 3]] false)
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = read("counter.rcp", MODEL)?;

    // A random run, on the concrete semantics.
    let semantics = Semantics::new(&model);
    assert_eq!(simulate(&semantics, 5, 1)?.steps().len(), 5);

    // Verdicts, with evidence that was checked. Specs are named by their index.
    let subject = Subject::new(&model);
    assert!(matches!(prove(&subject, 0, None)?, Verdict::Holds(_)));
    let Verdict::Violated(counterexample) = bmc(&subject, 1, 10, None)? else {
        panic!("it sends 3 at its fourth step")
    };
    assert_eq!(counterexample.run().steps().len(), 4);
    Ok(())
}
