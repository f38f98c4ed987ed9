//! Long counterexamples by loops that are taken as single steps: on random models they are claimed only where an exploration
//! finds one as well.

use crate::common::random::Random;
use crate::common::{self, parsed};
use rcheck_smt::check::Verdict;
use rcheck_smt::verify::{Engine, Subject};

fn decide<'s>(subject: &'s Subject, spec: usize, engine: Engine) -> Verdict<'s> {
    let stop = rcheck_smt::limits::Stop::new();
    let limits = common::limits(usize::MAX, common::patiently(), &stop);
    subject.prove(spec, &[engine], &limits).expect("evidence that survives its check").verdict
}

/// Several agents with random commands: claims are checked when they are made, and an exploration agrees.
#[test]
fn random_loops_are_as_in_an_exploration() {
    let (mut found, mut violated) = (0, 0);
    for seed in 0..common::setting("RCHECK_LOOPS", 60) {
        let mut random = Random::new(seed as u64);
        let mut text = "message-structure: N : int\n".to_owned();
        for agent in ["A", "B"] {
            let mut commands = Vec::new();
            for number in 0..3 {
                let guard = *random.pick(&["on", "!on", "x < 14", "x > y", "y != 7", "on & x < 18", "!on & y < 15"]);
                let effect = *random.pick(&[
                    "x := x + 1",
                    "x := x + 2, on := !on",
                    "y := y + 1",
                    "on := !on",
                    "x := 0, y := y + 3",
                    "x := x - 1, y := y + 2",
                ]);
                commands.push(format!("c{number}: {{{guard}}} *! (false)(N := x)[{effect}]"));
            }
            let takes = *random.pick(&["y := N", "x := x + 1", "on := false", "y := y + N"]);
            commands.push(format!("take: {{on}} *? [{takes}]"));
            text += &format!(
                "agent {agent} local: x : 0..19, y : 0..19, on : bool init: x = 0 & y = 0 & on receive-guard: chan = * repeat: ({})\n",
                commands.join(" + ")
            );
        }
        let (x, y) = (random.between(0, 19), random.between(0, 19));
        text += "system = A(a, true) || B(b, true)\n";
        text += &match random.below(3) {
            0 => format!("SPEC G !(a-x = {x} & b-y = {y});"),
            1 => format!("SPEC G (a-y < {y} | b-on);"),
            _ => format!("SPEC (a-x < {x}) W (b-y > {y});"),
        };
        let model = parsed(&text);
        let subject = Subject::new(&model);
        let claimed = matches!(decide(&subject, 0, Engine::Loops), Verdict::Violated(_));
        let expected = match decide(&subject, 0, Engine::Explicit) {
            Verdict::Violated(_) => true,
            Verdict::Holds(_) => false,
            other => panic!("{other:?}\n{text}"),
        };
        assert!(expected || !claimed, "seed {seed}: {text}");
        violated += usize::from(expected);
        found += usize::from(claimed);
    }
    assert!(found * 10 >= violated * 9, "{found} of {violated}");
}
