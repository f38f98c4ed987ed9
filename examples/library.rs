#![allow(missing_docs)] // The documentation of the crate includes this file.

use rcheck_smt::check::Verdict;
use rcheck_smt::limits::{Budget, Stop};
use rcheck_smt::model::elaborate;
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::parse;
use rcheck_smt::verify::{Limits, Subject};

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

fn main() {
    let source = SourceFile::new("counter.rcp", MODEL);
    let (model, findings) = elaborate(&parse(&source, None).model);
    assert!(!findings.has_errors());
    let model = model.expect("a model without errors");

    let subject = Subject::new(&model);
    let stop = Stop::new();
    let limits = Limits {
        bound: 10,
        budget: Budget::new(None),
        stop: &stop,
        progress: &|_| {},
        refused: &|claim| panic!("{claim}"),
    };
    let first = subject.bmc(0, &limits).expect("evidence that was checked");
    assert!(matches!(first.verdict, Verdict::NoCounterexample { depth: 10 }));

    let second = subject.bmc(1, &limits).expect("evidence that was checked");
    let Verdict::Violated(counterexample) = second.verdict else { panic!("it sends 3 at its fourth step") };
    assert_eq!(counterexample.run().steps().len(), 4);
}
