//! Equal agents, and specs that differ in a few small numbers: what a sloppy comparison of their conjuncts, or of their
//! atoms, mistakes for each other.

use crate::common::random::Random;

/// Specs that once were mistaken for others, and the models.
pub const MISTAKEN: [&str; 2] = [
    "agent Lamp
         local: on : 0..1
         init: on = 0
         receive-guard: false
         repeat: toggle: {true} *! (true)()[on := 1 - on]
     system = Lamp(a, true) || Lamp(b, true) || Lamp(c, true) || Lamp(d, true)
     SPEC G (X (b-on < 2 & c-on < 4));
     SPEC G (X (b-on < 5 & c-on < 6));
     SPEC G (X (b-on < 4 & d-on < 1));
     SPEC G (X (a-on < 5 & d-on < 1));
     SPEC G (b-on <= 6 & c-on >= -5);
     SPEC G (a-on <= 1 & c-on >= 0);",
    "enum access {lends, writes, reads, none}
     enum kind {share, take}
     message-structure: KIND : kind
     agent Page
         local: role : access
         init: role = none
         receive-guard: chan = *
         repeat: (
             read: {role = none} *! (true)(KIND := share)[role := reads]
             + write: {role != writes} *! (true)(KIND := take)[role := writes]
             + lend: {role = writes} *! (true)(KIND := share)[role := lends]
             + drop: {role != none} *! (false)()[role := none]
             + weaken: {KIND = share & role != none} *? [role := reads]
             + lose: {KIND = take} *? [role := none]
         )
     system = Page(a, true) || Page(b, true) || Page(c, true)
     SPEC forall k : Page . forall j : Page . (k = j) | (G !((k-role != none) & (j-role = writes)));
     SPEC forall k : Page . forall j : Page . (k = j) | (G !((k-role = writes) & (j-role != none)));",
];

/// A loop that closes with other agents in the same places: of a step into the loop and the last one of the loop, which are images
/// of each other, one lets one agent act and the other one another agent.
pub const UNFAIR: &str = "message-structure: V : 0..2
     agent A
         local: n : 0..2
         init: n < 2
         receive-guard: chan = *
         repeat: s0: {n = 1} *! (true)(V := 0)[n := 2] + s1: {n = 0} *! (true)(V := 0)[]
             + s2: {n > 0} *! (true)(V := 2)[n := 1] + hear: {n = V} *? [n := if n = V then 0 else n]
     system = A(p, true) || A(q, true) || A(r, true)
     ASSUME forall k : A . strong(k);
     SPEC forall k : A . G (k-n = 0 -> (F k-n = 2));";

/// Four agents that are alike, or three and one, with specs about two of them.
pub fn model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let most = random.between(1, 2);
    let start = if random.percent(70) { "n = 0" } else { "true" };
    let step = *random.pick(&["n := n + 1", "n := 1 - n", "n := n"]);
    let guard = *random.pick(&["n < 1", "true", "n != 1"]);
    let last = if random.percent(80) { "true" } else { "n = 0" };
    let specs: Vec<String> = (0..6).map(|_| format!("SPEC {};", spec(&mut random))).collect();
    format!(
        "agent A
             local: n : 0..{most}
             init: {start}
             receive-guard: false
             repeat: s: {{{guard}}} *! (true)()[{step}]
         system = A(p, true) || A(q, true) || A(r, true) || A(t, {last})
         {}",
        specs.join("\n")
    )
}

/// Three agents that are alike and hear each other, and perhaps another one, under assumptions that are the same of all.
pub fn fair_model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let guards = ["true", "n = 0", "n = 1", "n != 2", "n > 0"];
    let updates = ["", "n := 0", "n := 1", "n := 2", "n := if n = 2 then 0 else n + 1"];
    let heard = ["n := 0", "n := 1", "n := V", "n := if n = V then 0 else n"];
    let mut commands: Vec<String> = (0..random.between(1, 3))
        .map(|index| {
            let (guard, value) = (*random.pick(&guards), random.below(3));
            format!("s{index}: {{{guard}}} *! (true)(V := {value})[{}]", random.pick(&updates))
        })
        .collect();
    if random.percent(60) {
        commands.push(format!("hear: {{{}}} *? [{}]", random.pick(&["true", "V = 1", "n = V"]), random.pick(&heard)));
    }
    let fourth = *random.pick(&["", " || A(t, n = 0)", " || A(t, n = 1)"]);
    let start = *random.pick(&["n = 0", "true", "n < 2"]);
    let mut text = format!(
        "message-structure: V : 0..2
         agent A
             local: n : 0..2
             init: {start}
             receive-guard: chan = *
             repeat: {}
         system = A(p, true) || A(q, true) || A(r, true){fourth}\n",
        commands.join(" + ")
    );
    for _ in 0..3 {
        let [one, other, third] = [0; 3].map(|_| random.below(3));
        let assumption = match random.below(7) {
            0 | 1 => "strong(k)".to_owned(),
            2 => "weak(k)".to_owned(),
            3 => "strong(k-s0)".to_owned(),
            4 => format!("(G (F k-n = {one})) -> (G (F k-n = {other}))"),
            5 => format!("G (F (k-n = {one} | k-s0))"),
            _ => format!("(G (F (k-n = {one} & p-n = {other}))) -> (G (F k-s0))"),
        };
        text += &format!("ASSUME forall k : A . {assumption};\n");
        for _ in 0..3 {
            let spec = match random.below(8) {
                0 => format!("G (F p-n = {one})"),
                1 => format!("forall k : A . G (k-n = {one} -> (F k-n = {other}))"),
                2 => format!("G (F (exists k : A . k-n = {one}))"),
                3 => format!("F (G (forall k : A . k-n = {one}))"),
                4 => format!("forall k : A . (G (F k-n = {one})) -> (G (F k-n = {third}))"),
                5 => "G (F acts(p))".to_owned(),
                6 => format!("G (p-n = {one} -> (F (forall k : A . k-n != {other})))"),
                _ => "forall k : A . G (F k-s0)".to_owned(),
            };
            text += &format!("SPEC {spec};\n");
        }
    }
    text
}

fn spec(random: &mut Random) -> String {
    let first = random.below(4);
    let second = (first + 1 + random.below(3)) % 4;
    let (one, other) = (atom(["p", "q", "r", "t"][first], random), atom(["p", "q", "r", "t"][second], random));
    let joined = match random.below(3) {
        0 => format!("{one} & {other}"),
        1 => format!("{one} | {other}"),
        _ => {
            let (k, j) = (atom("k", random), atom("j", random));
            return format!("forall k : A . forall j : A . (k = j) | (G !(({k}) & ({j})))");
        }
    };
    match random.below(4) {
        0 => format!("G (X ({joined}))"),
        1 => format!("F (G ({joined}))"),
        2 => format!("G ({joined})"),
        _ => format!("X (G ({joined}))"),
    }
}

fn atom(instance: &str, random: &mut Random) -> String {
    let variable = *random.pick(&["n", "automaton-state"]);
    let operator = *random.pick(&["<=", "<", ">=", "=", "!="]);
    let bound = random.between(-3, 7);
    format!("{instance}-{variable} {operator} {bound}")
}
