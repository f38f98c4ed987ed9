//! Random formulas, compared with the oracle; every verdict with its evidence.

use super::*;
use crate::model::Observation;
use crate::model::written::Written;
use fastrand::Rng;

/// Two agents that pass a token on; the receive can fail to be ready.
const MODEL: &str = "enum channel {c}
    message-structure: V : 0..1
    agent A
        local: on : bool, n : 0..2
        init: !on & n = 0
        receive-guard: chan = *
        repeat: (
            pass: {on} *! (true)(V := 1)[on := false]
            + work: {on & n < 2} *! (false)(V := 0)[n := n + 1]
            + take: {V = 1 & !on} *? [on := true, n := 0]
        )
    system = A(a, on) || A(b, true)
    SPEC a-on SPEC b-n = 2 SPEC a-take SPEC b-take SPEC a-pass SPEC b-work SPEC deadlock
    SPEC <<sender = a>> true SPEC <<V = 0>> true";

struct Leaves {
    atoms: Vec<Formula>,
    observations: Vec<Observation>,
}

impl Leaves {
    fn formula(&self, depth: usize, rng: &mut Rng) -> Formula {
        let [a, b] = match depth {
            0 => return rng.choice(&self.atoms).expect("some").clone(),
            _ => [(); 2].map(|()| self.formula(depth - 1, rng)),
        };
        let observation = rng.choice(&self.observations).expect("some").clone();
        match rng.u8(..14) {
            0 => a.not(),
            1 => Formula::And(vec![a, b]),
            2 => Formula::Or(vec![a, b]),
            3 => a.implies(b),
            4 => a.iff(b),
            5 => a.next(),
            6 => a.finally(),
            7 => a.globally(),
            8 => a.until(b),
            9 => a.weak_until(b),
            10 => a.release(b),
            11 => Formula::possible(observation, a),
            12 => Formula::necessary(observation, a),
            _ => rng.choice(&self.atoms).expect("some").clone(),
        }
    }
}

#[test]
fn random_formulas_agree_with_the_oracle() {
    // At first no agent is on, so that everything is stuck, or both or one of them are.
    let model = model(&MODEL.replace("init: !on & n = 0", "init: n = 0"));
    let semantics = Semantics::new(&model);
    let oracle = Oracle::new(&semantics, Limits::default()).expect("small");
    let mut leaves = Leaves { atoms: Vec::new(), observations: Vec::new() };
    for spec in &model.specs {
        match spec.formula.written() {
            Written::Possible(observation, _) => leaves.observations.push(observation.clone()),
            _ => leaves.atoms.push(spec.formula.clone()),
        }
    }
    let mut rng = Rng::with_seed(1);
    let (mut held, mut violated) = (0, 0);
    for round in 0..3_000 {
        let formula = leaves.formula(1 + round % 4, &mut rng);
        let formula = if round % 2 == 0 { formula.globally() } else { formula };
        let Ok(expected) = oracle.holds(&formula) else { continue };
        let found = decide(&semantics, &formula, Config::default());
        assert_eq!(found, Some(expected), "{}", model.show_formula(&formula));
        if expected { held += 1 } else { violated += 1 }
    }
    assert!(held >= 300 && violated >= 300, "{held} held, {violated} were violated");
}
