//! Symmetries are found, visited states are fewer, verdicts are the same, and altered symmetries prove nothing.

use super::*;
use crate::claim::symmetry::Renaming;

/// The case study with so many clients and machines in the two groups.
fn case_study(clients: usize, group1: usize, group2: usize) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/resource_allocation/modern.rcp");
    let text = std::fs::read_to_string(path).expect("readable");
    let machines = group1 + group2;
    let links: Vec<String> = (1..=machines).map(|number| format!("vmm{number}")).collect();
    let mut instances: Vec<String> = (1..=clients).map(|number| format!("Client(client{number}, true)")).collect();
    instances.push("Manager(manager, true)".to_string());
    for number in 1..=machines {
        let group = if number <= group1 { "g1" } else { "g2" };
        instances.push(format!("Machine(machine{number}, (gLink = {group}) & (pLink = vmm{number}))"));
    }
    let (globals, _) = text.split_once("system =").expect("it has a system");
    let globals = globals.replace("vmm1, vmm2, vmm3", &links.join(", "));
    model(&format!("{globals}\nsystem = {}\nSPEC true", instances.join(" || ")))
}

/// The number of states that are visited, with the symmetries of the model.
fn visited(model: &Model) -> usize {
    let always = Formula::TRUE.globally();
    match run(&Semantics::new(model), &always, Config::default()) {
        ExplicitClaim::Holds(certificate) => certificate.states(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn classes_of_the_case_study() {
    assert_eq!(visited(&case_study(3, 2, 1)), 43);
    assert_eq!(visited(&case_study(4, 2, 2)), 88);
    assert_eq!(visited(&case_study(5, 3, 2)), 127);
}

/// Philosophers at a round table: forks are channels, and each of them is shared by two neighbours.
const RING: &str = "enum channel {f1, f2, f3}
    agent P
        local: left : channel, right : channel, token : bool
        init: true
        receive-guard: chan = left
        repeat: (pass: {token} right! (true)()[token := false] + take: {!token} left? [token := true])
    system = P(a, left = f3 & right = f1 & TOKEN) || P(b, left = f1 & right = f2) || P(c, left = f2 & right = f3)";

/// The generators of a model.
fn generators(model: &Model) -> Vec<Renaming> {
    let symmetries = Symmetries::of(model);
    let all = symmetries.fixing(&[], &[], &Influence::of_behaviour(model));
    all.into_iter().map(|(index, _)| symmetries.generators()[index].clone()).collect()
}

#[test]
fn rings_can_be_turned() {
    let free = model(&RING.replace("& TOKEN", ""));
    let found = generators(&free);
    let turns: Vec<&[u32]> = found.iter().map(|renaming| renaming.instances.as_slice()).collect();
    assert_eq!(turns, [[1, 2, 0], [2, 0, 1]]);
    assert_eq!(found[0].channels, [0, 2, 3, 1]);
    // Eight states; the tokens of neighbours are all that matters.
    assert_eq!(visited(&free), 4);
    let fixed = model(&RING.replace("TOKEN", "token"));
    assert_eq!(generators(&fixed), []);
}

/// Workers that take turns at a job; `BREAK` makes them differ.
const WORKERS: &str = "enum channel {chat} enum id {one, two, three}
    message-structure: WHO : id, AT : location
    agent Worker
        local: me : id, last : id, at : location, n : 0..1, boss : bool
        init: n = 0 & boss & at = myself & last = me
        receive-guard: chan = *
        repeat: (
            work: {n = 0 BREAK} *! (true)(WHO := me, AT := myself)[n := 1]
            + rest: {n = 1} *! (false)(WHO := me, AT := myself)[n := 0]
            + hear: {true} *? [last := WHO, at := AT]
        )
    system = Worker(a, me = one) || Worker(b, me = two) || Worker(c, me = three)";

fn workers(code: &str, specs: &str) -> Model {
    model(&format!("{} {specs}", WORKERS.replace("BREAK", code)))
}

#[test]
fn symmetries_end_where_the_code_tells_instances_apart() {
    let kept =
        ["", "& last != me", "& at != myself", "& (last = one | last = two | last = three)", "& (three = two | n = 0)"];
    for code in kept {
        assert_eq!(generators(&workers(code, "SPEC true")).len(), 3, "{code}");
    }
    let broken = ["& me != two", "& at != a", "& (last = one | last = two)"];
    for code in broken {
        assert!(generators(&workers(code, "SPEC true")).len() < 3, "{code}");
    }
    let count = |system: &str| {
        let text = WORKERS.replace("BREAK", "");
        let (start, _) = text.split_once("system").expect("it has a system");
        generators(&model(&format!("{start} {system} SPEC true"))).len()
    };
    // Only the two that are alike.
    assert_eq!(count("system = Worker(a, me = one) || Worker(b, me = two) || Worker(c, me = three & n = 0)"), 1);
    assert_eq!(count("system = Worker(a, me = one) || Worker(b, me = one) || Worker(c, me = three)"), 1);
    // No agent: what is one's own is the other's neighbour.
    assert_eq!(count("system = Worker(a, me = one & at = b) || Worker(b, me = two)"), 0);
    assert_eq!(count("system = Worker(a, me = one & last = two) || Worker(b, me = two & last = one)"), 1);
}

/// How many generators are used for each conjunct; nothing for images of others.
fn used(model: &Model) -> Vec<Option<usize>> {
    let proof = proved(model, |_| {}).expect("a certificate");
    let certificate = proof.certificate();
    let of_part = |part: &PartCertificate| match part {
        PartCertificate::Closed(set) => Some(certificate.graphs[set.graph as usize].generators.len()),
        PartCertificate::Image { .. } => None,
    };
    certificate.parts.iter().map(of_part).collect()
}

#[test]
fn only_symmetries_that_leave_atoms_as_they_are_are_used() {
    let used = |spec: &str| used(&workers("", spec));
    assert_eq!(used("SPEC G (a-n >= 0)"), [Some(1)]);
    assert_eq!(used("SPEC G (a-n >= 0 | b-n = 3)"), [Some(0)]);
    assert_eq!(used("SPEC forall k : Worker . G (k-n >= 0)"), [Some(1), None, None]);
    assert_eq!(used("SPEC G (a-n = 0 | c-n = 0 | b-n = 0 | a-n = 1)"), [Some(1)]);
    assert_eq!(used("SPEC forall k : Worker . forall j : Worker . G (k-n >= j-n - 1)").iter().flatten().count(), 2);
    assert_eq!(used("SPEC G (a-me = one)"), [Some(1)]);
    // As a whole it is the same for all, but its atoms are not.
    assert_eq!(used("SPEC (F a-work) | (F b-work) | (F c-work)"), [Some(0)]);
    assert_eq!(used("SPEC F ((<<sender = a>> true) | (<<sender = b>> true) | (<<sender = c>> true))"), [Some(3)]);
    assert_eq!(used("SPEC G ([[sender != a & sender != b]] (c-n >= 0))"), [Some(1)]);
}

#[test]
fn proofs_say_whether_states_stand_for_others() {
    let is_symmetric = |model: &Model| proved(model, |_| {}).expect("a certificate").is_symmetric();
    assert!(is_symmetric(&workers("", "SPEC G (a-n >= 0)")), "others than a are alike");
    assert!(!is_symmetric(&workers("", "SPEC G (a-n >= 0 | b-n = 3)")), "the formula tells all of them apart");
    let text = WORKERS.replace("BREAK", "");
    let (start, _) = text.split_once("system").expect("it has a system");
    let two = "system = Worker(a, me = one) || Worker(b, me = two) SPEC forall k : Worker . G (k-n >= 0)";
    assert!(is_symmetric(&model(&format!("{start} {two}"))), "one conjunct is the image of the other");
}

/// The token goes round: up to a turn of the ring nothing changes, but the run is back after three steps.
#[test]
fn loops_are_unrolled_until_they_close() {
    let alike = "(a-token = b-token) & (b-token = c-token) & (c-token = a-token)";
    let model = model(&format!("{} SPEC F ({alike})", RING.replace("& TOKEN", "")));
    let (semantics, formula) = (Semantics::new(&model), &model.specs[0].formula);
    assert_eq!(decide(&semantics, formula, Config::default()), Some(false));
    let ExplicitClaim::Violated(trace) = run(&semantics, formula, Config::default()) else { panic!("it is violated") };
    assert_eq!((trace.choices.len(), trace.loop_start), (3, Some(0)));
}

/// Checks an altered certificate of three conjuncts: the first one, with a symmetry of the other two instances, and its
/// two images.
fn altered(alter: impl FnOnce(&mut ExplicitCertificate)) -> Result<(), Refused> {
    proved(&workers("", "SPEC forall k : Worker . G (k-n >= 0)"), alter).map(|_| ())
}

/// Names of instances, channels and private constants in states are renamed with the instances.
#[test]
fn values_are_renamed_with_their_owners() {
    let fine = |model: &Model| {
        let proof = proved(model, |_| {}).expect("nothing was altered");
        assert!(!proof.certificate().graphs[0].generators.is_empty(), "states stand for others");
    };
    fine(&workers("& last != me", "SPEC G (a-n >= 0)"));
    fine(&workers("& at != myself", "SPEC G (a-n >= 0)"));
    let some_agent = "a-token | b-token | c-token | (!a-token & !b-token & !c-token)";
    fine(&model(&format!("{} SPEC G ({some_agent})", RING.replace("& TOKEN", ""))));
}

fn generator(certificate: &mut ExplicitCertificate) -> &mut Renaming {
    &mut certificate.graphs[0].generators[0]
}

#[test]
fn altered_generators_prove_nothing() {
    assert_eq!(altered(|_| {}), Ok(()));
    let refused = |alter: &dyn Fn(&mut Renaming), why: &str| {
        let result = altered(|certificate| alter(generator(certificate)));
        assert!(says(&result, &[NO_SYMMETRY]) && says(&result, &[why]), "{why}: {result:?}");
    };
    refused(&|renaming| renaming.instances = vec![0, 0, 1], "no permutation");
    refused(&|renaming| renaming.instances = vec![0, 1], "no permutation");
    refused(&|renaming| renaming.constants.clear(), "no permutation");
    refused(&|renaming| renaming.commands[0] = vec![0, 1, 3], "no permutation");
    refused(&|renaming| renaming.channels = vec![1, 0], "broadcast channel");
    refused(&|renaming| renaming.commands[0] = vec![1, 0, 2], "changes agent `Worker`");
    // The names change, but not their private constants.
    refused(&|renaming| renaming.constants[0] = vec![0, 1, 2], "`b` and `c` are not alike");
    refused(&|renaming| renaming.instances = vec![0, 1, 2], "`b` and `b` are not alike");
    // A symmetry of the model, but not of the atoms.
    let swap = |renaming: &mut Renaming| {
        (renaming.instances, renaming.constants[0]) = (vec![1, 0, 2], vec![1, 0, 2]);
    };
    refused(&swap, "changes conjunct 0");
}

/// A symmetry of the model that the formula does not have, or something that is none for the second agent type.
#[test]
fn added_generators_prove_nothing() {
    let refused = |model: &Model, generator: Renaming, why: &str| {
        let result = proved(model, |certificate| certificate.graphs[0].generators.push(generator));
        assert!(says(&result, &[NO_SYMMETRY]) && says(&result, &[why]), "{why}: {result:?}");
    };
    let workers = workers("", "SPEC G ([[sender = a]] (c-n >= 0))");
    let swap = generators(&workers).into_iter().find(|renaming| renaming.instances == [1, 0, 2]);
    refused(&workers, swap.expect("a and b are alike"), "changes conjunct 0");
    let two = model(
        "agent A local: n : 0..1 init: n = 0 receive-guard: false repeat: up: {n = 0} *! (true)()[n := 1]
        agent B local: m : 0..1 init: m = 0 receive-guard: false repeat: up: {m = 0} *! (true)()[m := 1]
        system = A(a, true) || B(b, true) || B(c, true)
        SPEC G (a-n >= 0)",
    );
    let swap = generators(&two).remove(0);
    for commands in [vec![], vec![1], vec![0, 0]] {
        let mut wrong = swap.clone();
        wrong.commands[1] = commands;
        refused(&two, wrong, "no permutation");
    }
}

#[test]
fn altered_images_prove_nothing() {
    let image = |certificate: &mut ExplicitCertificate, other: u32, renaming: Option<Renaming>| {
        let PartCertificate::Image { of, by } = &mut certificate.parts[1] else { panic!("it is an image") };
        *of = other;
        *by = renaming.unwrap_or(by.clone());
    };
    for of in [1, 2, 3] {
        let result = altered(|certificate| image(certificate, of, None));
        assert!(says(&result, &[MALFORMED]), "{of}: {result:?}");
    }
    let result = altered(|certificate| {
        // It leaves the first conjunct as it is.
        let renaming = generator(certificate).clone();
        image(certificate, 0, Some(renaming));
    });
    assert!(says(&result, &[NO_SYMMETRY]), "{result:?}");
}

#[test]
fn what_stands_for_others_must_be_there() {
    let first = |certificate: &mut ExplicitCertificate| match certificate.parts.remove(0) {
        PartCertificate::Closed(set) => set,
        PartCertificate::Image { .. } => panic!("it is the first"),
    };
    let mut size = 0;
    altered(|certificate| size = certificate.states()).expect("nothing was altered");
    for state in 0..size {
        let result = altered(|certificate| {
            let mut set = first(certificate);
            let mut rows: Vec<Vec<u32>> = set.members.rows().collect();
            rows.remove(state);
            set.members = Members::from_rows(&rows, set.members.ranks().clone()).expect("different members");
            certificate.parts.insert(0, PartCertificate::Closed(set));
        });
        let missing = says(&result, &[NOT_CLOSED, INITIAL_MISSING]);
        assert!(missing, "{state}: {result:?}");
    }
    let result = altered(|certificate| certificate.graphs[0].generators.clear());
    assert!(says(&result, &[NOT_CLOSED, INITIAL_MISSING]), "{result:?}");
}
