//! Random models with families of any size: what is proved for all sizes is explored in instances of many, and what
//! some members of a large instance do is possible in a small open one, which the proof rule rests on.

use super::coverage::Coverage;
use super::harness::Source;
use crate::common::{self, random::Random};
use rcheck_smt::check::{ProofBy, Verdict};
use rcheck_smt::engine::explicit::Config;
use rcheck_smt::limits::{Budget, Stop};
use rcheck_smt::model::eval::value::evaluate;
use rcheck_smt::model::eval::{Choice, Semantics, State, Step};
use rcheck_smt::model::formula::StateLeaf;
use rcheck_smt::model::scheme::Ghost;
use rcheck_smt::model::{InstanceId, LocalId, Model, Sizes, Type, Value};
use rcheck_smt::smt::keeping_context;
use rcheck_smt::ts::history::base_system;
use rcheck_smt::ts::system::Origin;
use rcheck_smt::ts::valuation::Valuation;
use rcheck_smt::verify::{Engine, Limits, Subject};
use std::sync::Mutex;

/// The cases that every run of the test has to see.
pub const SEEN: [&str; 11] = [
    "proved for all sizes",
    "proved of named members",
    "violated for none or one",
    "violated for two or more",
    "steps by outsiders to a part",
    "steps of a part",
    "locations outside",
    "totals that a step changes",
    "totals that receives change",
    "proved with totals",
    "proved with deadlocks",
];

/// Sizes up to which what was proved is explored.
const EXPLORED: u32 = 4;
/// The most product states of an exploration.
const STATES: usize = 60_000;

/// How much work a search for a response may do.
const WORK: u64 = 800_000;

/// A model with one or two families, and specs about them.
pub fn model(seed: u64) -> String {
    let mut draw = Draw(Random::new(seed));
    let types = ["A", "B"].map(|name| draw.agent(name));
    let least = *draw.0.pick(&["*", "*", "*", "1..*"]);
    let second = *draw.0.pick(&["B(b, true)", "B(b, true)", "B(b[*], true)"]);
    let restriction = match draw.0.below(6) {
        2 => "where (count k : A . k-x = 1) <= 1",
        0 => "where forall k, j : A . k != j -> k-who != j-who",
        1 => "where forall k : A . k-x = 0",
        _ => "",
    };
    let specs: Vec<String> = (0..4).map(|_| format!("SPEC {};", draw.spec(second.contains('*')))).collect();
    format!(
        "enum channel {{c, d}}\nmessage-structure: M : 0..2, P : location\nproperty-variables: p : bool, n : 0..2\n{}{}\n\
         system = A(a[{least}], id = index) || {second}\n{restriction}\n{}\n",
        types[0],
        types[1],
        specs.join("\n")
    )
}

/// All small models where agents may or may not keep each other from taking a step.
pub fn about_deadlocks() -> Vec<String> {
    let mut texts = Vec::new();
    for listens in ["false", "true", "x", "chan = c"] {
        for channel in ["*", "c", "y"] {
            for receive in ["*? [x := true]", "*? [n := n + 1]", "c? [x := !x]", "c? [n := n + 1]"] {
                texts.push(format!(
                    "enum channel {{c}}
                     agent A
                         local: x : bool, n : 0..1, y : channel
                         init: !x & n = 0
                         receive-guard: {listens}
                         repeat: (s: {{!x}} {channel}! (true)()[x := true] + t: {{x}} {channel}! (true)()[x := false]
                             + r: {{true}} {receive})
                     system = A(a[1..*], true)
                     SPEC G !deadlock;
                     SPEC G (forall k : A . k-x -> !deadlock);
                     SPEC G (forall k : A . deadlock -> k-x)"
                ));
            }
        }
    }
    texts
}

struct Draw(Random);

impl Draw {
    fn of(&mut self, list: &[&str]) -> String {
        (*self.0.pick(list)).to_owned()
    }

    fn condition(&mut self) -> String {
        let one = self.of(&["true", "f", "!f", "x = 0", "x != 2", "who = myself", "who != myself", "x < 2", "id > 1"]);
        if self.0.percent(25) { format!("({one}) & ({})", self.condition()) } else { one }
    }

    fn updates(&mut self, message: bool) -> String {
        let own = ["x := 0", "x := 1", "x := 2 - x", "f := !f", "f := true", "who := myself", "f := x = 1", ""];
        let read = ["x := M", "who := P", "f := M = 1", "x := M, f := true", "who := P, x := 1", ""];
        if message && self.0.percent(60) { self.of(&read) } else { self.of(&own) }
    }

    fn data(&mut self) -> String {
        let m = self.of(&["0", "1", "x", "2 - x"]);
        let w = self.of(&["who", "myself"]);
        format!("M := {m}, P := {w}")
    }

    fn command(&mut self, index: usize) -> String {
        let label = format!("l{index}");
        let (guard, data) = (self.condition(), self.data());
        match self.0.below(8) {
            0..3 => {
                let channel = self.of(&["*", "c", "d"]);
                let to = self.of(&["true", "@p", "!@p", "@n = x", "@n != x", "false"]);
                format!("{label}: {{{guard}}} {channel}! ({to})({data})[{}]", self.updates(false))
            }
            3..6 => {
                let channel = self.of(&["*", "c", "d"]);
                format!("{label}: {{{guard}}} {channel}? [{}]", self.updates(true))
            }
            6 => {
                let from = self.of(&["who", "@p", "@n = 1", "true"]);
                format!("{label}: {{{guard}}} GET@({from})({data})[{}]", self.updates(true))
            }
            _ => {
                let to = self.of(&["any", "any", "myself", "who"]);
                format!("{label}: {{{guard}}} SUPPLY@({to})({data})[{}]", self.updates(true))
            }
        }
    }

    fn agent(&mut self, name: &str) -> String {
        let init = self.of(&["x = 0 & !f & who = myself", "x = 0 & !f", "x = 1 & who = myself", "!f & x < 2"]);
        let hears = self.of(&["chan = c", "chan = *", "true", "f", "chan = d & x = 0", "false"]);
        let (p, n) = (self.of(&["f", "x = 0", "who = myself"]), self.of(&["x", "2 - x"]));
        let count = 2 + self.0.below(4);
        let commands: Vec<String> = (0..count).map(|index| self.command(index)).collect();
        let process = match self.0.below(3) {
            0 => format!("{}; {}", commands[0], commands[1..].join(" + ")),
            _ => commands.join(" + "),
        };
        format!(
            "agent {name}\n    local: x : 0..2, f : bool, who : location, id : int\n    init: {init}{}\n    relabel:\n        \
             p <- {p}\n        n <- {n}\n    receive-guard: {hears}\n    repeat: ({process})\n",
            if name == "A" { "" } else { " & id = 7" }
        )
    }

    fn atom(&mut self, of: &str, other: &str) -> String {
        match self.0.below(9) {
            0 => format!("{of}-f"),
            1 => format!("{of}-x = {}", self.0.below(3)),
            2 => format!("{of}-who = {of}"),
            3 => format!("{of}-who = {other}"),
            4 => format!("{of}-id != {other}-id"),
            5 => format!("{of}-automaton-state = 0"),
            6 => format!("{of}-l0"),
            7 => format!("X {of}-l1"),
            _ => format!("{of}-x < 2"),
        }
    }

    fn body(&mut self, one: &str, other: &str) -> String {
        let (first, second) = (self.atom(one, other), self.atom(other, one));
        match self.0.below(6) {
            0 => format!("!(({first}) & ({second}))"),
            1 => format!("({first}) | ({second})"),
            2 => format!("({first}) -> ({second})"),
            3 => format!("[[sender = {one}]] ({})", self.atom(other, one).replace("X ", "").replace("-l0", "-f")),
            4 => format!("[[M = 1 & chan = c]] ({})", self.atom(one, other).replace("X ", "").replace("-l0", "-f")),
            _ => format!("({first}) -> X ({})", second.replace("X ", "")),
        }
    }

    /// Something about sums and numbers of members.
    fn total(&mut self) -> String {
        let about = ["k-x = 1", "k-x != 0", "k-f", "!k-f", "k-automaton-state = 0", "k-f & k-x < 2"];
        let (one, other) = (self.of(&about), self.of(&about));
        match self.0.below(7) {
            0 => format!("(count k : A . {one}) <= {}", self.0.below(3)),
            1 => "(sum k : A . k-x) <= 2 * size(A)".to_owned(),
            2 => format!("(sum k : A . k-x) {} {}", self.of(&["=", "<=", "!="]), self.of(&["0", "size(A)", "b1-x"])),
            3 => format!("(count k : A . {one}) + (count k : A . {other}) {} size(A)", self.of(&["<=", "=", ">="])),
            4 => format!("(exists k : A . {one}) -> (forall k : A . {other})"),
            5 => format!("(exists k : A . {one}) | (exists k : A . {other}) | size(A) = 0"),
            _ => format!("(forall k : A . {one}) <-> (forall k : A . {other})"),
        }
    }

    /// Something about deadlocks.
    fn stuck(&mut self) -> String {
        let about = ["k-x = 1", "k-f", "!k-f", "k-automaton-state = 0", "k-who = k", "k-x < 2"];
        let (one, other) = (self.of(&about), self.of(&about));
        match self.0.below(5) {
            0 => "!deadlock".to_owned(),
            1 => format!("forall k : A . deadlock -> ({one})"),
            2 => format!("forall k : A . ({one}) -> !deadlock"),
            3 => format!("forall k : A . (({one}) & X ({other})) -> X !deadlock"),
            _ => format!("forall k : A . [[sender = k]] (deadlock -> ({one}))"),
        }
    }

    fn spec(&mut self, two: bool) -> String {
        let b = if two { "j" } else { "b" };
        match self.0.below(10) {
            9 => format!("G ({})", self.stuck()),
            6..=8 => format!("G ({})", self.total().replace("b1-x", if two { "1" } else { "b-x" })),
            4 => format!("G (forall k : A . (k != a1) -> ({}))", self.body("k", "a1")),
            5 => format!("G ({})", self.body("a2", "a1")),
            0 => format!("G (forall k : A . {})", self.body("k", "k")),
            1 => format!("forall k : A . forall j : A . (k = j) | (G ({}))", self.body("k", "j")),
            2 if two => format!("G (forall k : A . forall j : B . {})", self.body("k", b)),
            2 => format!("G (forall k : A . {})", self.body("k", b)),
            _ => format!("G (forall k, j : A . (k != j) -> ({}))", self.body("k", "j")),
        }
    }
}

/// Proves the specs for all sizes, explores what was proved, and looks at parts of large instances.
pub fn check(source: &Source, coverage: &Mutex<Coverage>) -> Result<(), String> {
    let mut seen = Vec::new();
    check_specs(&source.model, &mut seen)?;
    for seed in 0..3 {
        project(&source.model, source.seed * 10 + seed, &mut seen)?;
    }
    coverage.lock().expect("no panic before").note(seen);
    Ok(())
}

/// Proves the specs for all sizes, and explores what was proved.
pub fn check_specs(model: &Model, seen: &mut Vec<&'static str>) -> Result<(), String> {
    let scheme = model.scheme().ok_or("it has families of any size")?;
    let subject = Subject::new(model);
    for spec in 0..model.specs.len() {
        let (stop, refused) = (Stop::new(), |why: &rcheck_smt::verify::Refused| panic!("{why}"));
        // With a limit on the time, larger and larger instances would be looked at until it is over.
        let budget = Budget::new(None);
        let limits = Limits { bound: 20, budget, stop: &stop, progress: &|_| {}, refused: &refused };
        let engines = [Engine::Explicit, Engine::Pdr];
        // By itself, as a violation would end the search for a wrong proof.
        let proved = keeping_context(|| subject.prove_for_all_sizes(spec, &engines, &limits));
        match proved.as_ref().and_then(Verdict::holds_by) {
            Some(ProofBy::Uniform(uniform)) => {
                seen.push("proved for all sizes");
                if model.show_formula(&model.specs[spec].formula).contains("deadlock") {
                    seen.push("proved with deadlocks");
                }
                if !uniform.reference().totals().is_empty() {
                    seen.push("proved with totals");
                }
                if scheme.named(spec).iter().any(|named| *named > 0) {
                    seen.push("proved of named members");
                }
                for sizes in all_sizes(model, &scheme.least(model, spec)) {
                    let instance = scheme.instance(&sizes).ok_or("an instance has errors")?;
                    let semantics = Semantics::new(instance);
                    let config = Config { states: STATES, ..Config::default() };
                    let explored = rcheck_smt::engine::explicit::run(&semantics, &instance.specs[spec].formula, config);
                    if let rcheck_smt::claim::explicit::ExplicitClaim::Violated(_) = explored {
                        return Err(format!("spec {} is proved for all sizes, and violated for {sizes:?}", spec + 1));
                    }
                }
            }
            Some(_) => return Err("an instance stands for all".to_owned()),
            None => {}
        }
        let outcome = keeping_context(|| subject.prove(spec, &engines, &limits)).map_err(|why| why.to_string())?;
        if let Verdict::Violated(counterexample) = &outcome.verdict {
            let sizes = counterexample.run().semantics().model().sizes();
            let few = sizes.iter().sum::<u32>() < 2;
            seen.push(if few { "violated for none or one" } else { "violated for two or more" });
        }
    }
    Ok(())
}

/// The sizes that are explored.
fn all_sizes(model: &Model, least: &Sizes) -> Vec<Sizes> {
    let mut all: Vec<Sizes> = vec![Vec::new()];
    for &least in least.iter().take(model.families().len()) {
        let with = |sizes: &Sizes, size| [&sizes[..], &[size]].concat();
        all = all.iter().flat_map(|sizes| (least..=EXPLORED).map(move |size| with(sizes, size))).collect();
    }
    all.retain(|sizes| sizes.iter().sum::<u32>() <= EXPLORED + 1);
    all
}

/// Takes a random walk in an instance of four, and holds each step against an open instance of those who take part and
/// some others.
fn project(model: &Model, seed: u64, seen: &mut Vec<&'static str>) -> Result<(), String> {
    let mut random = Random::new(seed);
    let scheme = model.scheme().ok_or("a scheme")?;
    let sizes: Sizes = model.families().iter().map(|_| 4).collect();
    let large = scheme.instance(&sizes).ok_or("an instance has errors")?;
    let semantics = Semantics::new(large);
    let locals: Vec<_> = large.instance_ids().map(|id| semantics.initial_locals(id).unwrap_or_default()).collect();
    let mut chosen = || {
        let parts = locals.iter().map(|list| (!list.is_empty()).then(|| (0, random.pick(list).clone())));
        parts.collect::<Option<Vec<_>>>()
    };
    let start = (0..20).find_map(|_| {
        let state = semantics.state_from(&chosen()?).ok()?;
        semantics.is_initial(&state).then_some(state)
    });
    let Some(mut state) = start else { return Ok(()) };
    for position in 0..12 {
        let steps = semantics.some_steps(&state, 4);
        let step = random.pick(&steps).clone();
        let mut part = Part::around(large, &step, &mut random);
        let ghosts = ghosts(&mut random);
        // No spec matters here.
        let open = scheme.open_instance(&part.sizes(large), usize::MAX, &ghosts).ok_or("no open instance")?;
        let (small, before) = (Semantics::new(&open), part.state(large, &open, &state));
        let (parts, choice) = (before.clone(), part.choice(&step));
        let before = small.state_from(&before).map_err(|why| why.to_string())?;
        if position == 0 && open.totals().is_empty() && !small.is_initial(&before) {
            return Err(format!("a part of an initial state is not initial: {state:?}"));
        }
        let taken = small.apply(&before, &choice).map_err(|why| {
            format!("{:?} in {state:?} is impossible for {:?}: {}", step.choice, part.members, why.describe(&open))
        })?;
        let parts_after = part.state(large, &open, &step.target);
        let after = small.state_from(&parts_after).map_err(|why| why.to_string())?;
        if taken.target != after {
            return Err(format!("{:?} in {state:?} leads elsewhere for {:?}", step.choice, part.members));
        }
        let system = base_system(&open);
        let values = system.values_of(|leaf| value_of(&open, &parts, &semantics, &state, leaf));
        if position == 0 && !system.is_initial(&mut Valuation::new(values.clone(), vec![0; system.inputs().len()])) {
            return Err(format!("a part of an initial state is not initial with totals: {state:?}"));
        }
        if open.total_of_receivers().is_some() {
            seen.push("totals that receives change");
        } else {
            let inputs = system.inputs_of(&choice, &values).ok_or("the step has no inputs")?;
            let followed = system.successor(&mut Valuation::new(values.clone(), inputs));
            let reached = system.values_of(|leaf| value_of(&open, &parts_after, &semantics, &step.target, leaf));
            if followed != reached {
                return Err(format!("{:?} in {state:?} leads to other totals for {:?}", step.choice, part.members));
            }
            let total = |values: &[Value]| -> Vec<Value> {
                let totals = system.variables().iter().zip(values);
                totals.filter(|(it, _)| matches!(it.origin, Origin::Total(_))).map(|(_, value)| value.clone()).collect()
            };
            if total(&values) != total(&reached) {
                seen.push("totals that a step changes");
            }
            let leaf = |leaf| Some(value_of(&open, &parts_after, &semantics, &step.target, leaf));
            if open.facts_of_totals().iter().any(|fact| evaluate(fact, &leaf) != Some(Value::Bool(true))) {
                return Err(format!("what is known of totals is wrong in {:?} for {:?}", step.target, part.members));
            }
        }
        let outside = |value: &Value| matches!(value, Value::Enum(index) if *index as usize >= open.instances.len());
        let locals = open.instance_ids().flat_map(|id| {
            let count = open.agent_of(id).locals.len() as u32;
            (0..count).map(move |local| (id, LocalId(local)))
        });
        let is_location =
            |(id, local): &(InstanceId, LocalId)| open.agent_of(*id).locals[local.index()].ty == Type::Location;
        if locals.filter(is_location).any(|(id, local)| outside(before.local(id, local))) {
            seen.push("locations outside");
        }
        seen.push(if step.choice == Choice::Stutter { "steps by outsiders to a part" } else { "steps of a part" });
        state = step.target;
    }
    Ok(())
}

/// Sums that a proof could need.
fn ghosts(random: &mut Random) -> Vec<Ghost> {
    let agent = || "A".to_owned();
    let local = |name: &str| Ghost::Local { agent: agent(), local: name.to_owned() };
    let state = |state| Ghost::State { agent: agent(), state };
    [local("x"), local("f"), state(0), state(1)].into_iter().filter(|_| random.percent(30)).collect()
}

/// The value of a leaf in a part of a large instance: totals are over all of its members.
fn value_of(open: &Model, parts: &[(u32, Vec<Value>)], large: &Semantics, state: &State, leaf: StateLeaf) -> Value {
    match leaf {
        StateLeaf::Automaton(instance) => Value::int(i64::from(parts[instance.index()].0)),
        StateLeaf::Local(instance, local) => parts[instance.index()].1[local.index()].clone(),
        StateLeaf::Total(id) => {
            let all = open.totals()[id.index()].here(large.model());
            evaluate(&all, &|leaf| Some(large.value(state, leaf))).expect("a sum")
        }
        StateLeaf::Deadlock | StateLeaf::Enabled(..) => unreachable!("no spec matters"),
    }
}

/// Some agents of an instance, among them all that are no members of families; ascending.
struct Part {
    members: Vec<InstanceId>,
    /// Agents outside whose names were seen, in that order.
    named: Vec<InstanceId>,
}

impl Part {
    /// Those who take part in a step, and some others.
    fn around(model: &Model, step: &Step, random: &mut Random) -> Part {
        let participants = match &step.choice {
            Choice::Send { sender, .. } => vec![*sender],
            Choice::GetSupply { getter, supplier, .. } => vec![*getter, *supplier],
            Choice::Joint(_) => unreachable!("agents take turns"),
            Choice::Stutter => Vec::new(),
        };
        let family = |id: InstanceId| model.families().iter().find(|family| family.members().any(|other| other == id));
        let mut taken: Vec<u32> = vec![0; model.families().len()];
        let mut members = Vec::new();
        for id in model.instance_ids() {
            let is_needed = |taken: &[u32]| {
                let place = model.families().iter().position(|family| family.members().any(|other| other == id));
                place.is_some_and(|place| taken[place] < model.families()[place].least)
            };
            if family(id).is_none() || participants.contains(&id) || is_needed(&taken) || random.percent(40) {
                members.push(id);
                if let Some(place) = model.families().iter().position(|it| it.members().any(|other| other == id)) {
                    taken[place] += 1;
                }
            }
        }
        Part { members, named: Vec::new() }
    }

    fn sizes(&self, model: &Model) -> Sizes {
        let size = |family: &rcheck_smt::model::Family| {
            family.members().filter(|member| self.members.contains(member)).count() as u32
        };
        model.families().iter().map(size).collect()
    }

    fn place(&self, id: InstanceId) -> InstanceId {
        InstanceId(self.members.iter().position(|member| *member == id).expect("it is a member") as u32)
    }

    /// A state of the members, with the numbers of members of families.
    fn state(&mut self, large: &Model, open: &Model, state: &State) -> Vec<(u32, Vec<Value>)> {
        let mut parts = Vec::new();
        for id in self.members.clone() {
            let agent = large.agent_of(id);
            let mut values: Vec<Value> = Vec::new();
            for (index, local) in agent.locals.iter().enumerate() {
                let value = state.local(id, LocalId(index as u32));
                let is_location = local.ty == Type::Location;
                values.push(if is_location { self.location(open, value) } else { value.clone() });
            }
            if open.agent_of(self.place(id)).locals.len() > agent.locals.len() {
                let number = large.families().iter().find_map(|family| family.members().position(|other| other == id));
                values.push(Value::int(number.map_or(1, |number| number as i64 + 1)));
            }
            parts.push((state.automaton(id), values));
        }
        parts
    }

    fn location(&mut self, open: &Model, value: &Value) -> Value {
        let Value::Enum(index) = value else { unreachable!("a location") };
        let id = InstanceId(*index);
        if self.members.contains(&id) {
            return Value::Enum(self.place(id).0);
        }
        if !self.named.contains(&id) {
            self.named.push(id);
        }
        let number = self.named.iter().position(|other| *other == id).expect("it is there now");
        Value::Enum((open.instances.len() + number) as u32)
    }

    fn choice(&self, step: &Step) -> Choice {
        match &step.choice {
            Choice::Send { sender, edge, receivers } => {
                let receivers = receivers.iter().filter(|(id, _)| self.members.contains(id));
                let receivers = receivers.map(|(id, edge)| (self.place(*id), *edge)).collect();
                Choice::Send { sender: self.place(*sender), edge: *edge, receivers }
            }
            Choice::GetSupply { getter, get, supplier, supply } => Choice::GetSupply {
                getter: self.place(*getter),
                get: *get,
                supplier: self.place(*supplier),
                supply: *supply,
            },
            Choice::Joint(_) => unreachable!("agents take turns"),
            Choice::Stutter => Choice::Stutter,
        }
    }
}

/// A model with families, and responses that its specs call for under assumptions of fairness.
pub fn with_responses(seed: u64) -> String {
    let mut draw = Draw(Random::new(seed ^ 0x5EED));
    let text = model(seed);
    let (before, _) = text.split_once("SPEC").expect("it has specs");
    let assumed = [
        "",
        "ASSUME forall k : A . weak(k);",
        "ASSUME (forall k : A . weak(k)) & (forall k : B . weak(k));",
        "ASSUME forall k : Agent . strong(k);",
        "ASSUME weak(a1);",
    ];
    let assumed = draw.of(&assumed);
    let spec = |draw: &mut Draw| {
        let about = ["k-f", "!k-f", "k-x = 0", "k-x = 1", "k-x != 2", "k-automaton-state = 0", "k-who = k"];
        let (start, goal) = (draw.of(&about), draw.of(&about));
        match draw.0.below(5) {
            0 => format!("SPEC forall k : A . G (F ({goal}));"),
            1 => format!("SPEC G (F (exists k : A . {goal}));"),
            2 => format!("SPEC G ((exists k : A . {start}) -> F (forall k : A . {goal}));"),
            _ => format!("SPEC forall k : A . G (({start}) -> F ({goal}));"),
        }
    };
    let specs: Vec<String> = (0..4).map(|_| spec(&mut draw)).collect();
    format!("{before}{assumed}\n{}\n", specs.join("\n"))
}

/// Proves responses for all sizes, and explores what was proved. How many were proved.
pub fn check_responses(model: &Model) -> Result<usize, String> {
    let scheme = model.scheme().ok_or("it has families of any size")?;
    let (subject, mut proved) = (Subject::new(model), 0);
    for spec in 0..model.specs.len() {
        let (stop, refused) = (Stop::new(), |why: &rcheck_smt::verify::Refused| panic!("{why}"));
        let limits =
            Limits { bound: 20, budget: common::patiently(), stop: &stop, progress: &|_| {}, refused: &refused };
        let search = || keeping_context(|| subject.prove_for_all_sizes(spec, &[Engine::Pdr], &limits));
        let Some(Some(Verdict::Holds(_))) = common::with_work(WORK, search) else { continue };
        proved += 1;
        for sizes in all_sizes(model, &scheme.least(model, spec)) {
            let instance = scheme.instance(&sizes).ok_or("an instance has errors")?;
            let semantics = Semantics::new(instance);
            let config = Config { states: STATES, ..Config::default() };
            let explored = rcheck_smt::engine::explicit::run(&semantics, &instance.specs[spec].formula, config);
            if let rcheck_smt::claim::explicit::ExplicitClaim::Violated(_) = explored {
                return Err(format!("spec {} is proved for all sizes, and violated for {sizes:?}", spec + 1));
            }
        }
    }
    Ok(proved)
}
