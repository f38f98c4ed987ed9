//! The listings of the papers are read as they stand there, and mean what the papers say of them.

use crate::common::oracle::Oracle;
use crate::{findings, read};
use rcheck_smt::diag::Code;
use rcheck_smt::model::Constants;
use rcheck_smt::model::eval::{Limits, Semantics};
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::{parse, plain, pretty};

/// The case study of the article on language support (its figures 1 and 3 to 5, and its system).
const ALLOCATION: &str = r"
channel: c, empty, g1, g2, vmm1, vmm2, vmm3, t
enum rolevals {client, vm, mgr}
enum msgvals {reserve, request, release, buy, connect, full, complete}
message-structure: MSG : msgvals, LNK : channel
property-variables: pv : rolevals

agent Client
  local: role : rolevals, cLink : channel, mLink : channel, tLink : channel
  init: cLink == c && mLink == empty && tLink == t && role==client
  relabel:
    pv <- role
  receive-guard: (ch == *) | (ch == cLink) | (ch == tLink)
repeat: (
    (sReserve: <cLink==c > *! (pv==role)(MSG := reserve)[]
    +
    rReserve: <cLink==c && MSG == reserve > *?
    [cLink := empty]
    )
    ;
    (
    sRequest: <cLink!=empty > cLink! (pv==mgr)
    (MSG := request)[]
    ;
    rConnect: <mLink==empty && MSG == connect >
    cLink? [mLink := LNK]
    ;
    sRelease: <TRUE > *! (pv==role)(MSG := release)
    [cLink := empty]
    ;
    sBuy: <mLink!=empty > mLink! (TRUE)(MSG := buy)
    [mLink := empty]
    ;
    (
      sSolve: <TRUE > tLink!(TRUE)(MSG := complete)[]
      +
      rSolve:<MSG == complete > tLink? []
    )
    +
    rRelease: <cLink==empty && MSG == release > *?
    [cLink := c]
    )
)

agent Manager
  local: hLink : channel, sLink : channel, cLink : channel, role : rolevals
  init: hLink == g1 && sLink == g2 && cLink == c && role == mgr
  relabel:
    pv <- role
  receive-guard: (ch = *) | (ch = cLink) | (ch = hLink)
  repeat: (
    rRequest: <MSG == request> cLink? [];
    sForward: <TRUE> hLink! (TRUE)(MSG := request)[]
    ;
    (
      rConnect: <MSG == connect> cLink? []
      +

      rep ( rFull: <MSG == full> hLink? [];
         sRequest: <TRUE> sLink! (TRUE)
           (MSG := request)[]
       )
     )
 )

agent Machine
  local: gLink : channel, pLink : channel, cLink : channel, asgn : boolean
  init: !asgn && cLink == empty
  relabel:
    pv <- vm
  receive-guard: ch = * | ch = gLink | ch = pLink | ch = cLink
  repeat: (
    rForward: <cLink==empty && MSG == request> gLink?
    [cLink:= c];
    (
      sConnect: <cLink==c && !asgn> cLink! (TRUE)(MSG
      := connect, LNK := pLink)[cLink:= empty, asgn:= TRUE]
      +
      sFull: <cLink==c && asgn> gLink! (TRUE)(MSG :=
      full)[cLink:= empty]
     +
     rConnect: <cLink==c && MSG == connect> cLink?
     [cLink:= empty]
     +
     rFull: <cLink==c && asgn && MSG == full> gLink?
     [cLink:= empty]
   )
   +
   rBuy: <MSG == buy> pLink? []
 )

system = Client(client1, TRUE) || Client(client2, TRUE)
        || Client(client3, TRUE) || Manager(manager, TRUE)
        || Machine(machine1, gLink = g1 && pLink = vmm1)
        || Machine(machine2, gLink = g1 && pLink = vmm2)
        || Machine(machine3, gLink = g2 && pLink = vmm3)
";

/// Formulas of its sections 5.2 and 6.3, and of section 5 of the earlier paper.
const FORMULAS: &str = r"
LTOL G([sender = client1 && MSG = reserve] F <sender = client1 && MSG = request> TRUE)
LTOL G([sender = client1 && MSG = request] F <MSG = connect> client1-mLink != empty)
LTOL G([sender = manager && MSG = request] \/ k : Machine . k-cLink = c)
LTOL /\ k : Machine . G (!k-asgn -> F <sender = k && MSG = connect>TRUE)
LTOL \/ k : Client . F <sender = k && exists(pv = mgr) && MSG = request> TRUE
LTOL \/ k : Client . F <sender = k && MSG = complete>TRUE && (/\ k : Client . F k-mLink != empty)
LTOL G (<sender = manager && MSG = request>TRUE -> (/\ k : Machine . [sender = manager] k-cLink = c))
LTL G (client1-sReserve -> F client1-sRequest)
LTL G (manager-sForward -> X machine1-rForward)
LTL F (client1-sRelease & G(!client1-rConnect))
";

/// True for those that hold. Of (2) in section 6.3 the article says that it is violated, of the last one the earlier paper that it
/// holds: it does with `X` before its `G`, as a receive label is still true in the state that the receive leads to.
const HOLD: [bool; 10] = [true, true, true, true, true, true, false, true, true, false];

fn formatted(text: &str) -> String {
    let source = SourceFile::new("m.rcp", text);
    pretty::format(&source, &parse(&source, None))
}

fn none() -> Constants {
    Constants::default()
}

#[test]
fn the_case_study_is_read_and_gets_stuck_in_one_state() {
    let model = read(&format!("{ALLOCATION}{FORMULAS}"), &none()).expect("it is read as it stands");
    assert_eq!(model.specs.len(), 10);
    let found = Semantics::new(&model).explore(Limits { depth: 40, states: 100_000 }).expect("few initial states");
    assert!(found.complete());
    assert_eq!((found.deadlocked(), found.depth()), (1, 21));
}

#[test]
fn its_formulas_have_the_verdicts_that_the_papers_say() {
    let later = "LTL F (client1-sRelease & X G(!client1-rConnect))\nLTL G (manager-sForward -> X machine3-rForward)\n";
    let model = read(&format!("{ALLOCATION}{FORMULAS}{later}"), &none()).expect("it is read as it stands");
    let semantics = Semantics::new(&model);
    let oracle = Oracle::new(&semantics, Limits { depth: 40, states: 100_000 }).expect("it is small");
    let verdicts: Vec<bool> =
        model.specs.iter().map(|spec| oracle.holds(&spec.formula).expect("it is short")).collect();
    // The machine of the other group hears nothing of what the manager forwards.
    assert_eq!(verdicts, [&HOLD[..], &[true, false]].concat());
}

#[test]
fn the_earlier_paper_leaves_out_updates() {
    let earlier = ALLOCATION
        .replace("property-variables: pv", "communication-variables: cv")
        .replace("pv", "cv")
        .replace("hLink! (TRUE)(MSG := request)[]", "hLink! (TRUE)(MSG := request)");
    let with_updates = earlier.replace("hLink! (TRUE)(MSG := request)", "hLink! (TRUE)(MSG := request)[]");
    assert!(read(&earlier, &none()).is_ok());
    assert_eq!(formatted(&earlier), formatted(&with_updates));
}

#[test]
fn the_guard_of_the_web_interface_hides_a_channel() {
    let guard = "guard g(r : rolevals, c : channel, m : channel) := (channel == *) && (@pv ==\nr) | (channel == c) && \
        (@pv == mgr) | (channel == m) ;\n\nagent Client";
    let text = ALLOCATION
        .replace("agent Client", guard)
        .replace("*! (pv==role)(MSG := reserve)[]", "*! g(role,cLink,mLink)(MSG :=\nreserve)[cLink := c]");
    assert!(read(&text, &none()).is_ok());
    let codes: Vec<Code> = findings(&text, &none()).into_iter().map(|(code, ..)| code).collect();
    assert!(codes.contains(&Code::HiddenName), "{codes:?}");
}

#[test]
fn the_inner_of_two_variables_of_one_name_is_meant() {
    let with = |formula: &str| read(&format!("{ALLOCATION}LTOL {formula}"), &none()).expect("it is read");
    let twice = with(r"\/ k : Client . F k-mLink != empty && (/\ k : Client . F k-mLink = empty)");
    let once = with(r"\/ k : Client . F k-mLink != empty && (/\ j : Client . F j-mLink = empty)");
    assert_eq!(twice.specs[0].formula, once.specs[0].formula);
}

const WORDS: &str = "channels: c
message-structure: MSG : integer
property-variables: p : boolean
agent A
    local: x : integer, b : boolean
    init: x == 0 && b
    relabel:
        p <- (x >= 20)
    receive-guard: ch = c
    repeat: (l: <x < 5> c! (p)(MSG := x)[x := x + 1] + <TRUE> *? [])
system = A(one, TRUE) | A(two, TRUE)
LTL F keep-all;
SPEC G (PROGRESS);
";

/// The same text with other words, in one or in both.
fn means(text: &str, same: &str) {
    assert!(read(text, &none()).is_ok(), "{text}: {:?}", read(text, &none()).err());
    assert_eq!(formatted(text), formatted(same));
}

#[test]
fn words_of_the_papers_are_words_of_ours() {
    let ours = WORDS.replace("integer", "int").replace("boolean", "bool").replace("channels:", "channel:");
    means(WORDS, &ours.replace("keep-all", "deadlock").replace("PROGRESS", "!deadlock"));
    // Names that are declared mean their declarations.
    let declared =
        WORDS.replace("channels: c\n", "channels: c\nenum integer {small}\n").replace("x == 0", "x == small");
    let errors = read(&declared, &none()).unwrap_err();
    assert!(errors.iter().all(|(text, _)| text != "integer"), "{errors:?}");
    // Modern files have their own.
    let modern = "enum channel {c}\nagent A local: x : integer repeat: a: {true} c? []\nsystem = A(a, true)";
    assert!(read(modern, &none()).is_err());
}

const CLASSIC: &str = "channels: c
message-structure: MSG : int
communication-variables: p : bool
agent A
    local: x : int
    init: x = 0
    relabel: p <- x < 3
    receive-guard: ch = *
    repeat: PROCESS
system = A(one, TRUE) | A(two, TRUE)
";

fn classic(process: &str) -> String {
    CLASSIC.replace("PROCESS", process)
}

#[test]
fn a_guard_before_a_process_restricts_its_first_commands() {
    let guarded = "<x > 1> ( a: <x < 5> *! (TRUE)()[x := x + 1]; d: <TRUE> *! (TRUE)()[] + b: <MSG > 3> *? [x := 0] )";
    let alone = "( a: <(x > 1) & (x < 5)> *! (TRUE)()[x := x + 1]; d: <TRUE> *! (TRUE)()[] + b: <(x > 1) & (MSG > 3)> *? [x := 0] )";
    means(&classic(guarded), &classic(alone));
    let errors = read(&classic("<x > 1> ( rep a: <x < 5> *! (TRUE)()[] )"), &none()).unwrap_err();
    assert!(errors[0].1.contains("a guard cannot stand before `rep`"), "{errors:?}");
}

#[test]
fn get_and_supply_have_guards_in_angle_brackets() {
    let text = classic("( g: <x < 5> GET@(p)(MSG := x)[x := x + MSG] + s: <x >= 0> SUPPLY@(any)(MSG := 1)[] )");
    assert!(read(&text, &none()).is_ok());
}

#[test]
fn a_guard_may_be_called_like_a_communication_variable() {
    let other = classic("a: <q(x)> *! (p)()[]").replace("agent A", "guard q(y : int) := y > 0;\nagent A");
    let like = other.replace("q(", "p(");
    let (like, other) = (read(&like, &none()), read(&other, &none()));
    assert_eq!(
        format!("{:?}", like.expect("read").agents[0].edges),
        format!("{:?}", other.expect("read").agents[0].edges)
    );
}

#[test]
fn what_follows_an_empty_list_is_no_variable() {
    let empty = classic("a: <TRUE> *! (TRUE)()[]").replace(" p : bool", "").replace("    relabel: p <- x < 3\n", "");
    for between in ["", "const N = 2;\n", "enum e {other}\n", "guard q() := TRUE;\n"] {
        assert!(read(&empty.replace("agent A", &format!("{between}agent A")), &none()).is_ok(), "{between}");
    }
    let variable = classic("a: <TRUE> *! (TRUE)()[]").replace("p : bool", "const : bool").replace("p <-", "const <-");
    assert!(read(&variable, &none()).is_ok(), "{:?}", read(&variable, &none()));
}

#[test]
fn sizes_of_several_types() {
    let text = "enum channel {c}
agent A local: x : int init: x = 0 receive-guard: chan = * repeat: a: {x < size(A | B)} *! (true)()[x := x + 1]
agent B receive-guard: chan = * repeat: a: {true} *? []
system = A(one, true) || B(two, true) || B(three, true)
SPEC G (one-x <= SIZE);
";
    let with = |size: &str| format!("{:?}", read(&text.replace("SIZE", size), &none()).expect("read").specs[0].formula);
    assert_eq!(with("size(A | B)"), with("3"));
    assert_eq!(with("size(B | B)"), with("2"));
    assert_eq!(with("size(A | Agent)"), with("3"));
    assert!(read(&text.replace("SIZE", "size(A | C)"), &none()).is_err());
    // In conditions of instances and in the restriction, too.
    let conditions = text.replace("SIZE", "3").replace("A(one, true)", "A(one, x = size(A) - size(A))");
    for condition in ["one-x = size(A)", "3 = size(A | B)", "size(B) = size(B) & one-x = size(B) - 2"] {
        let restricted = conditions.replace("\nSPEC", &format!(" where {condition}\nSPEC"));
        assert!(read(&restricted, &none()).is_ok(), "{condition}: {:?}", read(&restricted, &none()).err());
    }
}

#[test]
fn only_names_that_fit_are_proposed() {
    let text = "enum channel {line}
agent Source
    local: sent : 0..5, ready : bool
    init: sent = 0 & ready
    receive-guard: false
    repeat: send: {sent < 5} *! (true)()[sent := sent + 1]
system = Source(one, true)
SPEC G (FORMULA);
";
    let help = |formula: &str| read(&text.replace("FORMULA", formula), &none()).unwrap_err()[0].1.clone();
    assert!(help("one-sen < 3").contains("did you mean `sent`?"), "{}", help("one-sen < 3"));
    assert!(help("!one-sen").contains("did you mean `sen"), "{}", help("!one-sen"));
    assert!(help("one-sen -> one-ready").contains("did you mean `send`?"), "{}", help("one-sen -> one-ready"));
}

#[test]
fn a_semicolon_too_much_is_named() {
    for (process, title) in [
        ("( a: <TRUE> *! (TRUE)()[]; + b: <TRUE> *? [] )", "before `+`"),
        ("( a: <TRUE> *! (TRUE)()[] + b: <TRUE> *? []; )", "before `)`"),
        ("a: <TRUE> *! (TRUE)()[];", "at the end"),
    ] {
        let errors = read(&classic(process), &none()).unwrap_err();
        assert_eq!((errors.len(), errors[0].0.as_str()), (1, ";"), "{errors:?}");
        assert!(errors[0].1.contains(title), "{errors:?}");
    }
}

#[test]
fn recursion_by_name_is_a_loop_where_it_is_one() {
    let steps = ["a: <x < 5> *! (TRUE)()[x := x + 1]", "b: <MSG > 3> *? [x := 0]", "<TRUE> *! (TRUE)(MSG := x + 1)[]"];
    let [a, b, c] = steps;
    means(&classic(&format!("rep X . ({a}; {b}; X)")), &classic(&format!("rep ({a}; {b})")));
    means(&classic(&format!("rep X. ({a}; X + {b}; {c}; X)")), &classic(&format!("rep ({a} + {b}; {c})")));
    means(&classic(&format!("{c}; rep P . ({a}; P)")), &classic(&format!("{c}; rep ({a})")));
    for other in [
        format!("rep X . ({a}; X + {b})"),
        format!("rep X . ({a}; ({b}; X + {c}); X)"),
        format!("rep X . ({a}; {b})"),
        format!("rep X . {a}"),
    ] {
        let errors = read(&classic(&other), &none()).unwrap_err();
        assert!(
            errors[0].1.contains("read in plain loops only") && errors[0].1.contains("write `rep"),
            "{other}: {errors:?}"
        );
    }
}

/// Two agent types that share guards, and what each calls in the guard of its command.
fn sharing(guards: &str, one: &str, two: &str) -> String {
    format!(
        "enum channel {{c}}
message-structure: MSG : int
{guards}
agent A local: x : 0..9, up : bool init: x = 0 & up receive-guard: chan = *
    repeat: a: {{{one}}} *! (true)(MSG := x)[x := x + 1]
agent B local: x : 0..3 init: x = 1 receive-guard: chan = * repeat: b: {{{two}}} *? []
system = A(first, true) || B(second, true)
"
    )
}

#[test]
fn guards_read_the_locals_of_the_agents_that_call_them() {
    let model = |text: &str| {
        format!(
            "{:?}",
            read(text, &none())
                .expect("it is read")
                .agents
                .iter()
                .map(|agent| &agent.edges[0].guard)
                .collect::<Vec<_>>()
        )
    };
    let guards = "guard below(limit : int) := x < limit;
guard between(x : int, limit : int) := x < limit & below(limit);";
    let called = sharing(guards, "below(5)", "below(2)");
    assert_eq!(model(&called), model(&sharing("", "x < 5", "x < 2")));
    // A parameter hides the local, not in the guards that are called.
    assert_eq!(model(&sharing(guards, "between(1, 5)", "below(2)")), model(&sharing("", "1 < 5 & x < 5", "x < 2")));
}

#[test]
fn a_call_says_which_local_there_is_not() {
    let guards = "guard free() := up & x < 3;\nguard twice() := free();";
    for name in ["free", "twice"] {
        let text = sharing(guards, "free()", &format!("{name}()"));
        let errors = read(&text, &none()).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0].0, format!("{name}()"));
        assert!(errors[0].1.contains("reads `up`, which is no local of `B`"), "{errors:?}");
    }
    // In specs no agent calls it.
    let spec = sharing(guards, "free()", "true") + "SPEC G free();";
    let errors = read(&spec, &none()).unwrap_err();
    assert!(errors.len() == 1 && errors[0].1.contains("of the agent that calls it"), "{errors:?}");
    // A type is wrong for one agent, where the guard is written.
    let wrong = sharing("guard small() := x < 3 & up = (x > 1) & x;", "small()", "true");
    assert!(!read(&wrong, &none()).unwrap_err().is_empty());
    // Nothing is wrong with what nothing calls.
    assert!(read(&sharing(guards, "true", "true"), &none()).is_ok());
    let recursive = sharing("guard g() := up & g();", "g()", "true");
    let errors = read(&recursive, &none()).unwrap_err();
    assert!(errors.len() == 1 && errors[0].1.contains("defined by itself"), "{errors:?}");
}

#[test]
fn plain_files_have_no_guard_that_reads_locals() {
    let guards = "guard below(limit : int) := x < limit;\nguard odd(n : int) := !(n = 2) & below(n-1);";
    let text = sharing(guards, "odd(3 + 1)", "MSG < 3");
    let in_plain_form = |text: &str| {
        let source = SourceFile::new("m.rcp", text);
        let mut parsed = parse(&source, None);
        parsed.model = plain(&parsed.model, &none()).expect("it has a plain form");
        pretty::format(&source, &parsed)
    };
    let written = in_plain_form(&text);
    assert!(!written.contains("guard below") && !written.contains("guard odd"), "{written}");
    let meaning = |text: &str| format!("{:?}", read(text, &none()).expect("it is read").agents[0].edges[0].guard);
    assert_eq!(meaning(&written), meaning(&text));
}

/// The client and the server of the article on point-to-point communication (its section 7), as its calculus has them, and
/// a send and a receive like those of its example 3.
const CALCULUS: &str = r#"channels: c
enum level {none, H, L}
message-structure: ID : location, RT : level, D : level
communication-variables: p : boolean
agent PC
    local: rating : level, Partner : location, xPartner : location, demand : level
    init: rating = none
    relabel: p <- TRUE
    receive-guard: ch = *
    repeat: rep X. (
  <rating ≠ H ∧ rating ≠ RT>Get((RT, ID), (id, demand))
  @any[rating := RT; xPartner := Partner; Partner := ID];
  [
    <xPartner = client1>X
    +
    <xPartner ≠ client1>Get(.,)@xPartner[xPartner := client1]; X
  ]
)
agent PS
    local: rating : level, Partner : location, demand : level
    init: demand = none
    relabel: p <- TRUE
    receive-guard: ch = *
    repeat: rep X. (
  <Partner = client1>Supply((ID, D), (rating, id))
  @any[Partner = ID; demand := D]; X
  +
  <TRUE>Supply(.,)@self
  [demand := Partner := none]; X
  +
  (p = TRUE)! ⋆ (H, L); X
  +
  <RT = H>(RT, ID) ⋆ ?(Partner = ID); X
)
system = PC(client1, TRUE) || PS(server1, TRUE)
"#;

#[test]
fn actions_of_the_calculus_are_one_error_each_that_says_how_they_are_written() {
    let errors = read(CALCULUS, &none()).unwrap_err();
    let said: Vec<&str> = errors.iter().map(|(_, said)| said.split(';').next().unwrap_or_default()).collect();
    let of = |title: &str| said.iter().filter(|said| **said == title).count();
    assert_eq!(of("a get is written otherwise"), 2, "{errors:#?}");
    assert_eq!(of("a supply is written otherwise"), 2, "{errors:#?}");
    assert_eq!(of("a send begins with its channel"), 1, "{errors:#?}");
    assert_eq!(of("a receive does not list its data"), 1, "{errors:#?}");
    assert_eq!(of("a process stands in parentheses"), 1, "{errors:#?}");
    assert_eq!(of("a name of a process is read in plain loops only"), 1, "{errors:#?}");
    // The others are three signs.
    assert_eq!(said.iter().filter(|said| said.ends_with("is not part of the language")).count(), 3, "{errors:#?}");
    assert_eq!(errors.len(), 11, "{errors:#?}");
}
