//! Constants, families, conditionals and sums: what they mean, and what is refused.

use crate::{findings, read};
use rcheck_smt::diag::Code;
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::model::written::Written;
use rcheck_smt::model::{Constants, Literal, Model, Observation};
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax;
use rcheck_smt::trace_file::fingerprint;
use rcheck_smt::ts::history::base_system;
use rcheck_smt::ts::valuation::Valuation;

const MODEL: &str = "\
const N = 3;
const fast = N > 2;
enum colour {red, green}
message-structure: WHO : location
agent Desk
    local: served : 0..2 * N, light : colour
    init: served = 0
    receive-guard: chan = *
    repeat: take: {true} *? [served := served + 1]
agent Client
    local: id : 0..N, tickets : int
    init: tickets = N
    receive-guard: false
    repeat: ask: {tickets > 0} *! (true)(WHO := myself)[tickets := tickets - 1]
system = Desk(desk, light = red) || Client(client[1..N], id = index)
SPEC G (sum k : Client . k-tickets <= N * size(Client));
SPEC G ((count k : Client . k-tickets = N) >= 0);
SPEC client2-id = 2;
";

/// The same without constants and families.
const PLAIN: &str = "\
enum colour {red, green}
message-structure: WHO : location
agent Desk
    local: served : 0..6, light : colour
    init: served = 0
    receive-guard: chan = *
    repeat: take: {true} *? [served := served + 1]
agent Client
    local: id : 0..3, tickets : int
    init: tickets = 3
    receive-guard: false
    repeat: ask: {tickets > 0} *! (true)(WHO := myself)[tickets := tickets - 1]
system = Desk(desk, light = red) || Client(client1, id = 1) || Client(client2, id = 2) || Client(client3, id = 3)
SPEC G (((client1-tickets + client2-tickets) + client3-tickets) <= 9);
SPEC G (((if client1-tickets = 3 then 1 else 0) + (if client2-tickets = 3 then 1 else 0)
    + (if client3-tickets = 3 then 1 else 0)) >= 0);
SPEC client2-id = 2;
";

/// The meaning of a model, as text: all but its constants, places and what warnings say.
fn meaning(model: &Model) -> (String, Vec<String>) {
    (fingerprint(model), model.specs.iter().map(|spec| model.show_formula(&spec.formula)).collect())
}

#[test]
fn constants_and_families_mean_what_they_stand_for() {
    let none = Constants::new();
    let (short, plain) = (read(MODEL, &none).expect("it is right"), read(PLAIN, &none).expect("it is right"));
    assert_eq!(meaning(&short), meaning(&plain));
    assert_eq!(short.show_constants(), "N = 3, fast = true");
    let names: Vec<&str> = short.instances.iter().map(|instance| instance.name.as_str()).collect();
    assert_eq!(names, ["desk", "client1", "client2", "client3"]);
}

#[test]
fn constants_can_be_given_other_values() {
    let two = Constants::from([("N".to_owned().into(), Literal::int(2))]);
    let model = read(MODEL, &two).expect("it is right");
    assert_eq!((model.show_constants().as_str(), model.instances.len()), ("N = 2, fast = false", 3));
    assert_eq!(meaning(&model), meaning(&read(&MODEL.replace("N = 3", "N = 2"), &Constants::new()).expect("right")));
    // A constant that depends on another one can be given on its own.
    let slow = Constants::from([("fast".to_owned().into(), Literal::Bool(false))]);
    assert_eq!(read(MODEL, &slow).expect("it is right").show_constants(), "N = 3, fast = false");
    let wrong = Constants::from([("N".to_owned().into(), Literal::Bool(true))]);
    let errors = read(MODEL, &wrong).expect_err("of another type");
    assert_eq!(errors[0].0, "N");
    assert!(errors[0].1.contains("cannot be true: it is of type `int`"), "{errors:?}");
}

#[test]
fn a_family_may_be_empty_unless_a_spec_names_a_member() {
    let text = MODEL.replace("[1..N]", "[2..1]").replace("SPEC client2-id = 2;", "SPEC size(Client) = 0;");
    let model = read(&text, &Constants::new()).expect("empty sums are 0");
    assert_eq!(model.instances.len(), 1);
    assert_eq!(model.show_formula(&model.specs[2].formula), "true");
}

/// Text to be replaced, and its replacement; the text that the first error points at, and words of it.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    ("const N = 3;", "const N = 3 + served;", "served", "no constant is called `served`"),
    ("const N = 3;", "const N = red;", "red", "no constant is called `red`"),
    ("id : 0..N", "id : 0..red", "red", "an enum constant cannot be read in the end of a range"),
    ("const fast = N > 2;", "const fast;", ";", "a constant is declared by `const name = 3;`"),
    ("const fast = N > 2;", "const fast := N > 2;", ":=", "a constant is declared by `const name = 3;`"),
    ("const fast = N > 2;", "const F = N > 2;", "F", "`F` is a keyword"),
    ("const fast = N > 2;", "const S = size(Client);", "size(Client)", "the number of instances is not known here"),
    (
        "Desk(desk, light = red) || Client(client[1..N], id = index)",
        "Client(client[2..1], true)",
        "Client(client[2..1], true",
        "the system has no instance",
    ),
    ("client[1..N]", "client[1..size(Desk)]", "size(Desk)", "the number of instances is not known here"),
    ("Desk(desk,", "Client(client[2..3], true) || Desk(desk,", "client", "the name `client2` is declared twice"),
    ("const fast = N > 2;", "const fast = M > 2;\nconst M = 3;", "M", "no constant is called `M`"),
    ("const fast = N > 2;", "const N = 4;", "N", "the name `N` is declared twice"),
    ("const fast = N > 2;", "const red = 4;", "red", "the name `red` is declared twice"),
    ("id : 0..N", "id : 0..fast", "fast", "expected `int`, found `bool`"),
    ("id : 0..N", "id : N..0", "N..0", "the range `3..0` has no value"),
    ("id : 0..N", "id : 0..M", "M", "no constant is called `M`"),
    ("id : 0..N", "id : 0..tickets", "tickets", "no constant is called `tickets`"),
    ("id : 0..N", "id : 0..9223372036854775807 + N", "9223372036854775807 + N", "fit into 64 bits"),
    ("client[1..N]", "client[1..served]", "served", "no constant is called `served`"),
    ("client[1..N]", "client[0 - 1..N]", "0 - 1..N", "numbers from 0 on"),
    ("client[1..N]", "client[1..1000000]", "1..1000000", "the limit is 100000 instances"),
    ("client[1..N]", "client[N]", "]", "expected `..`"),
    ("client[1..N]", "client[1..N", "[", "close it with `]`"),
    ("Desk(desk,", "Client(client2, true) || Desk(desk,", "client", "the name `client2` is declared twice"),
    ("id = index", "id = number", "number", "no variable or constant is called `number`"),
    ("light = red", "served = index", "index", "`index` is the number of a member of a family"),
    ("{tickets > 0}", "{tickets > index}", "index", "`index` is the number of a member of a family"),
    ("[served := served + 1]", "[N := served + 1]", "N", "`N`"),
    ("[served := served + 1]", "[served := if served then 1 else 2]", "served", "expected `bool`, found `0..6`"),
    (
        "[served := served + 1]",
        "[served := if true then 1 else red]",
        "if true then 1 else red",
        "one branch is of type `int`, the other one of type `colour`",
    ),
    ("k-tickets <= N", "k-id = 1 <= N", "sum k : Client . k-id = 1 <= N * size(Client)", "do not chain"),
    ("sum k : Client . k-tickets", "sum k : Client . (k-id = 1)", "(k-id = 1)", "what is summed up is a number"),
    (
        "(count k : Client . k-tickets = N) >= 0",
        "count k : Client . (k-tickets = N) >= 0",
        "(k-tickets = N) >= 0",
        "set parentheses around the count",
    ),
    ("count k : Client . k-tickets = N", "count k : Client . k-ask", "k-ask", "the label of a command"),
    ("count k : Client . k-tickets = N", "count k : Client . F k-tickets = N", "F k-tickets = N", "is no value"),
    ("count k : Client", "count k : Clint", "Clint", "did you mean `Client`?"),
    ("client[1..N]", "client(1..N)", "(", "the numbers of a family stand in square brackets"),
    ("client2-id = 2", "client[2]-id = 2", "client[2]-id", "write `client2`"),
    ("client2-id = 2", "client[k]-id = 2", "client[k]-id", "`forall k : Type . ..` is about all members"),
    (
        "(sum k : Client . k-tickets <=",
        "(sum(k : Client . k-tickets) <=",
        "sum(k : Client . k-tickets) <= N * size(Client)",
        "sums are written `(sum k : Type . e)`",
    ),
    (
        "(sum k : Client . k-tickets <=",
        "(sum k in Client . k-tickets <=",
        "sum k in Client . k-tickets <= N * size(Client)",
        "(sum k : Type . e)",
    ),
    (
        "sum k : Client . k-tickets",
        "(sum Client . tickets)",
        "sum Client . tickets",
        "sums are written `(sum k : Type . e)`",
    ),
    ("count k : Client .", "count k in Client .", "count k in Client . k-tickets = N", "counts `(count k : Type . f)`"),
    ("size(Client)", "size(Clients)", "Clients", "did you mean `Client`?"),
    ("id = index)", "id = index) where client1-ask", "client1-ask", "the initial values of locals only"),
    (
        "id = index)",
        "id = index) where forall k : Client . F k-id = 1",
        "forall k : Client . F k-id = 1",
        "locals only",
    ),
    ("id = index)", "id = index) where !deadlock", "!deadlock", "the initial values of locals only"),
    ("id = index)", "id = index) where k-id = 1", "k", "no instance or quantified variable is called `k`"),
    ("id = index)", "id = index) where", "", "expected an expression"),
    ("client2-id = 2", "client4-id = 2", "client4", "no instance or quantified variable is called `client4`"),
    ("client2-id = 2", "client-id = 2", "client", "its instances are `client1` to `client3`"),
    ("client2-id = 2", "forall k : Client . k-index = 2", "index", "no local or label of `Client`"),
];

/// A condition that is equal in both branches is one atom, whose receive or observation has all data or none.
#[test]
fn conditionals_are_atoms_whatever_their_type_is() {
    let model = |observation: &str, value: &str| {
        let text = format!(
            "const fast = true;
            enum size_of {{small, large}}
            message-structure: AMOUNT : int, KIND : size_of, FLAG : bool
            property-variables: lev : 0..2, pv : bool
            agent S
                local: u : bool, n : int, s : size_of
                relabel:
                    lev <- 0
                    pv <- u
                receive-guard: chan = *
                repeat: snd: {{true}} *! (@lev = 0)(AMOUNT := 2)[] + rcv: {{true}} *? [{value}]
            system = S(a, true) || S(b, true)
            SPEC [[{observation}]] false;"
        );
        let model = read(&text, &Constants::new()).unwrap_or_else(|errors| panic!("{observation}: {errors:?}"));
        let Written::Necessary(observation, _) = model.specs[0].formula.written() else { panic!("an observation") };
        (observation.clone(), model)
    };
    for equation in [
        "AMOUNT = (if KIND = small then 1 else 2)",
        "KIND = (if AMOUNT = 2 then large else small)",
        "lev = (if pv then 1 else 2)",
    ] {
        let (equal, with_equal) = model(equation, "");
        let is_atom = |observation: &Observation| matches!(observation, Observation::Data(_));
        let atomic = match &equal {
            Observation::Forall(inner) => is_atom(inner),
            other => is_atom(other),
        };
        assert!(atomic, "{equation}: {}", with_equal.show_observation(&equal));
        let (different, with_different) = model(&equation.replacen('=', "!=", 1), "");
        let shown = with_different.show_observation(&different);
        let Observation::Not(inner) = different else { panic!("{shown}") };
        assert_eq!(*inner, equal, "{shown}");
    }
    // A constant condition leaves one branch, of whatever type.
    for value in
        ["u := if fast then true else FLAG", "n := if fast then 1 else AMOUNT", "s := if fast then small else KIND"]
    {
        let (_, model) = model("true", value);
        assert!(model.agents[0].edges[1].reads.is_empty(), "{value}");
    }
    for value in ["u := if u then true else FLAG", "n := if u then 1 else AMOUNT", "s := if u then small else KIND"] {
        let (_, model) = model("true", value);
        assert_eq!(model.agents[0].edges[1].reads.len(), 1, "{value}");
    }
}

#[test]
fn nested_conditions_do_not_grow() {
    let nested = (0..200).fold("fast".to_owned(), |inner, _| format!("if {inner} then x else y"));
    let text = format!(
        "guard g(fast : bool, x : bool, y : bool) := {nested};
        agent A local: x : bool, y : bool receive-guard: false repeat: s: {{g(x, y, x)}} *! (true)()[x := y]
        system = A(a, true)
        SPEC G (g(a-x, a-y, true));"
    );
    assert_eq!(read(&text, &Constants::new()).err(), None);
}

/// If each level looked at the next one twice, this would be too large.
#[test]
fn nested_counts_are_read_once() {
    let nested = (0..40).fold("1".to_owned(), |inner, depth| format!("(count k{depth} : Desk . 0 < {inner})"));
    let text = MODEL.replace("client2-id = 2", &format!("{nested} = desk-served"));
    assert_eq!(read(&text, &Constants::new()).err(), None);
}

#[test]
fn constants_are_subtracted_even_where_a_family_has_such_a_name() {
    let text = MODEL.replace("const fast", "const client9 = 5;\nconst fast").replace("client2-id = 2", "client9-N = 2");
    let model = read(&text, &Constants::new()).expect("nine is no member");
    assert_eq!(model.show_formula(&model.specs[2].formula), "true");
}

#[test]
fn each_mistake_says_what_to_write() {
    let mut strange = Vec::new();
    for (right, wrong, place, words) in MISTAKES {
        assert!(MODEL.contains(right), "{right}");
        let errors = read(&MODEL.replacen(right, wrong, 1), &Constants::new()).err().unwrap_or_default();
        let is_right = |(found, said): &(String, String)| found == place && said.contains(words);
        if errors.len() != 1 || !errors.iter().all(is_right) {
            strange.push((wrong, errors));
        }
    }
    assert!(strange.is_empty(), "{strange:#?}");
}

/// Terms that depend on the size of a family cause no error if the size is unknown.
#[test]
fn a_family_of_unknown_size_is_one_error() {
    let specs = "SPEC forall k, j : Client . G (k != j -> k-id != j-id);
        SPEC G ((count k : Client . k-tickets = 1) < 2 & size(Client) = 1 & client3-id = 3);
        SPEC G ((sum k : Client . k-tickets) <= 100);
        SPEC exists k : Client . F k-tickets = 0;";
    let text =
        MODEL.replace("const fast = N > 2;", "").replace("light = red)", "light = red & served <= size(Client))");
    let text = text.split("SPEC").next().expect("a part").to_owned() + specs;
    let none = Constants::new();
    assert_eq!(findings(&text, &none), []);
    let constants = [
        "const N = 3",
        "const N : int = 3;",
        "N = 3;",
        "const n = 3;",
        "#define N 3",
        "const N = 3, M = 4;",
        "const N = random;",
        "const N = N;",
        "const N = 1/0;",
        "const N = 1..3;",
        "const N = 3; const N = 4;",
    ];
    let constants = constants.map(|wrong| ("const N = 3;", wrong));
    let families = ["[1..size(Client)]", "[1..100002]", "[0 - 1..1]", "[1..M]", "[1..served]", "[1..true]"];
    for (right, wrong) in constants.into_iter().chain(families.map(|wrong| ("[1..N]", wrong))) {
        let found = findings(&text.replacen(right, wrong, 1), &none);
        assert_eq!(found.len(), 1, "{wrong}: {found:#?}");
    }
    let truth = Constants::from([("N".to_owned().into(), Literal::Bool(true))]);
    assert_eq!(findings(&text, &truth).len(), 1);
}

#[test]
fn an_index_that_is_no_number_of_a_member_is_noted() {
    let hidden = |right: &str, wrong: &str| findings(&MODEL.replacen(right, wrong, 1), &Constants::new());
    let unused = hidden("", "");
    assert!(unused.iter().all(|(code, ..)| *code == Code::Unused), "{unused:?}");
    for (right, wrong, what) in [
        ("tickets : int", "tickets : int, index : int", "a local variable"),
        ("const N = 3;", "const N = 3; const index = 2;", "a constant"),
        ("message-structure: ", "message-structure: index : int, ", "a message variable"),
    ] {
        let found = hidden(right, wrong);
        let (code, place, said) = found.iter().find(|(code, ..)| *code == Code::HiddenIndex).expect(what);
        assert_eq!((*code, place.as_str()), (Code::HiddenIndex, "index"));
        assert!(said.starts_with(&format!("`index` is {what} here, not the number of the member;")), "{said}");
    }
    let elsewhere = hidden("light = red", "index = 0").len();
    assert_eq!(elsewhere, 1, "nothing hides a name that is not declared");
    let alone = MODEL.replacen("served : 0", "index : int, served : 0", 1).replacen(
        "light = red",
        "light = red & index = 0",
        1,
    );
    assert_eq!(findings(&alone, &Constants::new()), unused, "no family");
}

/// The text of the model without what the original language lacks.
fn plain(text: &str, constants: &Constants) -> String {
    let mut parsed = syntax::parse(&SourceFile::new("m.rcp", text), None);
    parsed.model.give(constants).expect("the constants are declared");
    let model = read(text, constants).expect("it is right");
    syntax::pretty::model(&syntax::plain(&parsed.model, &model.literals()).expect("it has a plain form"))
}

#[test]
fn plain_models_mean_the_same() {
    let without_counts = MODEL.replace("SPEC G ((count k : Client . k-tickets = N) >= 0);", "");
    // Beyond three, sums are grouped in another way.
    for number in [1, 2, 3] {
        let constants = Constants::from([("N".to_owned().into(), Literal::int(number))]);
        let text = without_counts.replace("client2", "client1");
        let written = plain(&text, &constants);
        for word in ["const", "sum", "size", "index", "[1..", "N"] {
            let is_there = written.split(|c: char| !c.is_alphanumeric() && c != '[' && c != '.').any(|it| it == word);
            assert!(!is_there, "{word}:\n{written}");
        }
        let (model, again) = (read(&text, &constants), read(&written, &Constants::new()));
        assert_eq!(meaning(&model.expect("right")), meaning(&again.expect("right")), "{written}");
        assert_eq!(plain(&written, &Constants::new()), written);
    }
    // A local or a constant hides what `index` means elsewhere.
    let local =
        without_counts.replace("id :", "index :").replace("id = index", "index = index").replace("-id", "-index");
    for hidden in [local, without_counts.replace("const N = 3;", "const N = 3; const index = 2;")] {
        let (model, again) =
            (read(&hidden, &Constants::new()), read(&plain(&hidden, &Constants::new()), &Constants::new()));
        assert_eq!(meaning(&model.expect("right")), meaning(&again.expect("right")));
    }
}

#[test]
fn what_has_no_plain_form_is_refused_at_its_place() {
    let text = MODEL.replace("served := served + 1", "served := if served = 0 then 1 else 2");
    let text =
        text.replace("id = index)", "id = index) where desk-served = 0") + "SPEC (count k : Client . k-id = 1) = 1;";
    let source = SourceFile::new("m.rcp", &text);
    let parsed = syntax::parse(&source, None);
    let refused = syntax::plain(&parsed.model, &read(&text, &Constants::new()).expect("right").literals());
    let refused = refused.expect_err("three kinds of things");
    let places: Vec<&str> = refused.iter().map(|finding| source.slice(finding.span)).collect();
    assert_eq!(places, ["if served = 0 then 1 else 2", "desk-served = 0", "(count k : Client . k-tickets = N)"]);
    let labels: Vec<&str> = refused.iter().map(|finding| finding.label.as_str()).collect();
    assert_eq!(labels[1..], ["only this tool reads it", "the first of 2; only this tool reads them"]);
    assert!(
        refused.iter().all(|finding| finding.help.as_ref().is_some_and(|help| help.contains("nothing was written")))
    );
}

#[test]
fn initial_states_are_restricted_across_instances() {
    let text = |restriction: &str| {
        format!(
            "agent Node
                local: next : location, token : bool
                receive-guard: false
                repeat: s: {{token}} *! (true)()[]
            system = Node(a, true) || Node(b, true) || Node(c, true)
                where {restriction}
            SPEC G (!deadlock);"
        )
    };
    let starts = |restriction: &str| {
        let model = read(&text(restriction), &Constants::new()).unwrap_or_else(|errors| panic!("{errors:?}"));
        let semantics = Semantics::new(&model);
        let states = semantics.initial_states().expect("few");
        assert!(states.iter().all(|state| semantics.is_initial(state)));
        let mut system = base_system(&model);
        let of_system = states.iter().filter(|state| {
            let values = system.values_of(|leaf| semantics.value(state, leaf));
            system.is_initial(&mut Valuation::new(values, Vec::new()))
        });
        assert_eq!(of_system.count(), states.len());
        system = base_system(&read(&text("true"), &Constants::new()).expect("right"));
        assert!(system.init().len() > 1);
        states.len()
    };
    // 27 ways to choose who is next, 8 to have tokens.
    assert_eq!(starts("true"), 27 * 8);
    assert_eq!(starts("(count k : Node . k-token) = 1"), 27 * 3);
    assert_eq!(starts("forall k, j : Node . k != j -> k-next != j-next"), 6 * 8);
    assert_eq!(starts("(forall k, j : Node . k != j -> k-next != j-next) & (exists k : Node . k-token)"), 6 * 7);
    assert_eq!(starts("a-token & !a-token"), 0);
    let model = text("forall k, j : Node . k != j -> k-next != j-next");
    let parsed = syntax::parse(&SourceFile::new("m.rcp", &model), None);
    let again = syntax::parse(&SourceFile::new("m.rcp", syntax::pretty::model(&parsed.model)), None);
    assert!(again.model == parsed.model && parsed.model.restriction.is_some());
}

/// Quantified formulas over states are values, too: the same as what is written out by hand.
#[test]
fn quantified_values_are_what_they_stand_for() {
    let shown = |spec: &str| {
        let text = MODEL.replace("client2-id = 2", spec);
        let model = read(&text, &Constants::new()).unwrap_or_else(|errors| panic!("{spec}: {errors:?}"));
        let spec = model.specs.last().expect("there are three");
        model.show_formula(&spec.formula)
    };
    let all = |word: &str| (1..=3).map(|k| format!("client{k}-tickets = 1")).collect::<Vec<_>>().join(word);
    for (quantified, expanded) in [
        (
            "G (if (forall k : Client . k-tickets = 1) then desk-served = 3 else true)",
            "G (if (ALL) then desk-served = 3 else true)",
        ),
        (
            "(if !(exists k : Client . k-tickets = 1) then 1 else 2) < desk-served",
            "(if !(ANY) then 1 else 2) < desk-served",
        ),
        (
            "(count j : Desk . (exists k : Client . k-tickets = 1) -> j-served = 1) = 1",
            "(count j : Desk . (ANY) -> j-served = 1) = 1",
        ),
        (
            "(sum j : Desk . (if (forall k : Client . k-tickets = 1) <-> fast then 1 else j-served)) > 1",
            "(sum j : Desk . (if (ALL) <-> fast then 1 else j-served)) > 1",
        ),
    ] {
        let expanded = expanded.replace("ALL", &all(" & ")).replace("ANY", &all(" | "));
        assert_eq!(shown(quantified), shown(&expanded), "{quantified}");
    }
    for (wrong, words) in [
        ("(forall k : Client . k-tickets = 1) < 3", "expected `int`, found `bool`"),
        ("(forall k : Client . k-tickets = 1) = desk-served", "cannot compare `bool` with `0..6`"),
        ("(if (forall k : Client . F k-tickets = 1) then 1 else 2) = 1", "is no value"),
        ("(count k : Client . [[true]] k-tickets = 1) = 1", "is no value"),
    ] {
        let errors = read(&MODEL.replace("client2-id = 2", wrong), &Constants::new()).err().unwrap_or_default();
        assert!(errors.len() == 1 && errors[0].1.contains(words), "{wrong}: {errors:?}");
    }
}

/// Words that are new in the language stay names where they are declared, or where nothing else can be meant.
#[test]
fn older_models_keep_their_names() {
    for text in [
        "enum e {if, then, else} agent A local: x : e init: x = if receive-guard: false repeat: s: {x = then} *! (true)()[x := else]
            system = A(a, true) SPEC G (a-x = if | a-x = then | a-x = else);",
        "agent A local: x : int init: x = 0 receive-guard: false repeat: s: {true} *! (true)()[]
            system = A(if, true) || A(then, true) || A(else, true) SPEC G (if-x = then-x & else-x = 0);",
        "guard if(x : int) := x > 0; agent A local: then : int init: then = 0 receive-guard: false
            repeat: s: {if(then)} *! (true)()[] system = A(a, true) SPEC G (if(a-then));",
    ] {
        assert!(read(text, &Constants::new()).is_ok(), "{:?}", read(text, &Constants::new()));
    }
    let text = "\
agent A
    local: if : int, then : int, else : bool, sum : int, count : int, size : int, index : int, const : int
    init: if = 0 & then = 1 & else & sum = 2 & count = 3 & size = 4 & index = 5 & const = 6
    receive-guard: false
    repeat: where: {if + then < sum | else} *! (true)()[sum := if + count, count := sum - size, const := index]
system = A(a, true)
SPEC G (a-sum + a-count - a-if < a-size * 2 | !a-else | a-then > a-const + a-index);
";
    assert!(read(text, &Constants::new()).is_ok(), "{:?}", read(text, &Constants::new()));
}

/// A model with one family of any size, a guard and further text.
fn of_any_size(family: &str, guard: &str, more: &str) -> String {
    format!(
        "message-structure: M : int\nagent Client\n    local: x : int\n    init: x = 0\n    receive-guard: false\n    \
         repeat: s: {{{guard}}} *! (true)(M := 1)[x := x + 1]\nsystem = Client(client[{family}], true)\n{more}\n\
         SPEC G (forall k : Client . k-x >= M0)\n"
    )
    .replace("M0", "0")
}

#[test]
fn families_of_any_size_have_members_from_one_on() {
    let names = |family: &str, more: &str, constants: &[(&str, i64)]| {
        let constants = constants.iter().map(|(name, size)| ((*name).to_owned().into(), Literal::int(*size))).collect();
        let model = read(&of_any_size(family, "true", more), &constants).expect("it has no errors");
        model.instances.iter().map(|instance| instance.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("*", "", &[]), ["client1", "client2"]);
    assert_eq!(names("3..*", "", &[]), ["client1", "client2", "client3"]);
    assert_eq!(names("*", "SPEC G (client4-x >= 0)", &[]), ["client1", "client2", "client3", "client4"]);
    assert_eq!(names("*", "", &[("client[*]", 0)]), [""; 0]);
    assert_eq!(names("1..*", "", &[("client[*]", 1)]), ["client1"]);
}

#[test]
fn what_is_wrong_with_families_of_any_size_is_said() {
    let cases = [
        ("-1..*", "true", "", "-1..*", "cannot have fewer than 0 members"),
        ("*..3", "true", "", "*", "`*` is no end of a range"),
        ("n..*", "true", "", "n", "no constant is called `n`"),
        ("true..*", "true", "", "true", "expected `int`, found `bool`"),
        ("1000000..*", "true", "", "1000000..*", "the limit is 100000 instances"),
        ("*", "x < index", "", "index", "`index` is the number of a member"),
        ("*", "true", "|| Client(client7, true)", "client7", "the name of a member of `client[*]`"),
        ("*", "true", "|| Client(client[*], true)", "client", "declared twice"),
        ("*", "true", "SPEC G (client-x >= 0)", "client", "its instances are `client1` to `client2`"),
    ];
    for (family, guard, more, place, words) in cases {
        let text = of_any_size(family, guard, more);
        let errors = read(&text, &Constants::new()).expect_err(&text);
        let said = errors.iter().any(|(at, said)| at == place && said.contains(words));
        assert!(said && errors.len() == 1, "{errors:?}\n{text}");
    }
    let below = Constants::from([("client[*]".to_owned().into(), Literal::int(2))]);
    let errors = read(&of_any_size("*", "true", "SPEC G (client4-x >= 0)"), &below).expect_err("there is no fourth");
    assert!(
        matches!(&errors[..], [(place, said)] if place == "client4" && said.contains("`--size client=4`")),
        "{errors:?}"
    );
    let errors = read(&of_any_size("3..*", "true", ""), &below).expect_err("too few");
    assert!(
        matches!(&errors[..], [(place, said)] if place == "3..*" && said.contains("at least 3 members")),
        "{errors:?}"
    );
}
