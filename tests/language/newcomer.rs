//! Mistakes of the first day: each is one error, at its place, and says what to write instead.

use crate::read;
use rcheck_smt::model::Constants;
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax;

const MODEL: &str = "\
enum channel {line}
enum kind {small, large}
message-structure: LOAD : int, KIND : kind
property-variables: busy : bool

agent Source
    local: sent : int, next : kind
    init: sent = 0 & next = small
    receive-guard: chan = *
    repeat: (
        send: {sent < 10} line! (!@busy)(LOAD := sent, KIND := next)[sent := sent + 1]
    )

agent Worker
    local: load : int, size : kind, working : bool
    init: load = 0 & !working
    relabel: busy <- working
    receive-guard: chan = line
    repeat: (
        take: {true} line? [load := LOAD, size := KIND, working := true];
        rest: {true} *! (false)()[working := false]
    )

system = Source(source, true) || Worker(one, true) || Worker(two, true)

// name: loads_grow, expect: holds
SPEC G ([[sender = source]] (one-load = two-load & one-size = two-size));
// name: all_rest, expect: violated
SPEC forall k : Worker . G (k-working -> X !k-working);
";

/// The right text, the text of a newcomer, the text that the error points at, and a part of its message.
type Mistake = (&'static str, &'static str, &'static str, &'static str);

const MISTAKES: &[Mistake] = &[
    // Parts that are left out
    ("system = Source(", "Source(", "Source", "`system =` is missing here"),
    ("system = Source(", "\nSource(", "Source", "system = Type(name, true) || Type(other, true)"),
    ("    local: load", "    load", "load", "`local:` is missing here"),
    ("    local: sent : int, next : kind", "    next : kind, sent : int", "next", "`local:` is missing here"),
    ("SPEC G ([[", "G ([[", "G", "`SPEC` is missing here"),
    ("SPEC forall k", "forall k", "forall", "`SPEC` is missing here"),
    (
        "load : int, size : kind, working",
        "load : int\n    local: size : kind\n    local: working",
        "local",
        "given twice",
    ),
    // Parts that stand elsewhere
    ("agent Worker", "ASSUME weak(one);\nagent Worker", "ASSUME", "between the specs, behind `system`"),
    ("system =", "ASSUME weak(one);\nsystem =", "ASSUME", "between the specs, behind `system`"),
    ("enum channel", "ASSUME weak(one);\nenum channel", "ASSUME", "between the specs, behind `system`"),
    (
        "system = Source(source, true) || Worker(one, true) || Worker(two, true)\n",
        "ASSUME weak(one);\n",
        "ASSUME",
        "compose instances",
    ),
    (
        "system = Source(source, true) || Worker(one, true) || Worker(two, true)\n",
        "SPEC true;\nASSUME strong(one-rest);\n",
        "SPEC",
        "compose instances",
    ),
    ("Worker(one, true)", "one(Worker, true)", "one(Worker", "the type comes first"),
    // Separators
    ("working := true];", "working := true]", "rest", "separated by `;`"),
    ("working := true];", "working := true],", ",", "separated by `;`"),
    ("()[working := false]", "()[working := false];", ";", "`;` stands between commands, not behind the last one"),
    ("[working := false]", "[working := false;]", ";", "leave it out"),
    ("line? [load := LOAD, ", "line? [load := LOAD; ", ";", "commas stand between assignments"),
    ("load : int, size", "load : int; size", ";", "commas stand between declarations"),
    ("working : bool\n", "working : bool,\n", "", "no comma stands behind the last declaration"),
    ("|| Worker(two", ", Worker(two", ",", "`||` stands between instances"),
    ("|| Worker(two, true)", "|| Worker(two, true);", ";", "no semicolon stands behind the system"),
    ("working : bool\n", "working : bool;\n", ";", "no semicolon stands behind the list of local variables"),
    ("{line}", "{line};", ";", "no semicolon stands behind the enum"),
    ("next = small", "next = small;", ";", "no semicolon stands behind the initial condition"),
    ("take: {", "+ take: {", "+", "not before the first"),
    ("take: {", "take {", "{", "a colon stands behind a label"),
    ("take: {", "take = {", "=", "a colon stands behind a label"),
    ("rest: {true}", "rest: {}", "}", "has the guard `{true}`"),
    ("];\n        rest", "]\n      | rest", "|", "`+` stands between alternatives"),
    ("];\n        rest", "] ++\n        rest", "+", "`+` stands between alternatives"),
    ("agent Worker", "agent Worker:", ":", "no colon stands behind the name"),
    ("system =", "system:", ":", "`system = Type(name, true)"),
    ("enum kind {small, large}", "enum kind {small; large}", ";", "commas stand between names"),
    ("enum kind {small, large}", "guard g(x : int; y : int) := x < y;\nenum kind {small, large}", ";", "commas stand"),
    (
        "true];\n        rest: {true} *! (false)()[working := false]",
        "true]\n        (rest: {true} *! (false)()[working := false])",
        "(",
        "separated by `;`",
    ),
    ("init: sent = 0 &", "init: sent = 0,", ",", "joined by `&`"),
    // Operators and values
    ("[sent := sent + 1]", "[sent = sent + 1]", "=", "values are assigned by `:=`"),
    ("[sent := sent + 1]", "[sent == sent + 1]", "==", "values are assigned by `:=`"),
    ("[sent := sent + 1]", "[sent++]", "+", "write `sent := sent + 1`"),
    ("[sent := sent + 1]", "[sent--]", "-", "write `sent := sent - 1`"),
    ("[sent := sent + 1]", "[sent += 2]", "+", "write `sent := sent + ..`"),
    ("init: sent = 0", "init: sent := 0", ":=", "values are compared by `=`"),
    ("load = 0 & !working", "load = 0 and !working", "and", "conjunction is written `&`"),
    ("& !working", "& not working", "not", "negation is written `!`"),
    ("load = 0 & !working", r"load = 0 /\ !working", r"/\", "conjunction is written `&`"),
    ("k-working -> X", r"k-working \/ X", r"\/", "disjunction is written `|`"),
    ("[sent := sent + 1]", "[sent' := sent + 1]", "'", "is assigned: `[x := ..]`"),
    ("sent < 10", "sent <> 10", "<>", "is written `a != b`"),
    ("sent < 10", "sent ≤ 10", "≤", "write `<=`"),
    ("sent < 10", "sent =< 10", "=<", "did you mean `<=`?"),
    ("one-load = two-load", "one-load =< two-load", "=<", "did you mean `<=`?"),
    ("sent < 10", "sent++ < 10", "sent++", "write `sent + 1`"),
    ("sent < 10", "sent-- < 10", "sent--", "write `sent - 1`"),
    ("LOAD := sent", "LOAD := sent++", "sent++", "write `sent + 1`"),
    ("sent + 1", "sent – 1", "–", "write `-`"),
    ("forall k", "∀ k", "∀", "U+2200; write `forall`"),
    ("local: sent", "local:\u{a0}sent", "\u{a0}", "U+00A0; write an ordinary space"),
    ("-> X", "=> X", "=>", "implication is written `->`"),
    ("-> X", "==> X", "==>", "implication is written `->`"),
    ("busy <- working", "busy => working", "=>", "`property <- expression`"),
    ("size := KIND", "size => KIND", "=>", "`variable := value`"),
    ("sent : int", "sent => int", "=>", "`name : type`"),
    ("-> X", "<=> X", "<=>", "is written `<->`"),
    ("X !k-working", "k-working xor k-working", "xor", "`!(a <-> b)`"),
    ("working := false", "working := 0", "0", "write `false`"),
    ("& !working", "& working = 1", "working = 1", "write `true`"),
    ("sent < 10", "0 < sent < 10", "0 < sent < 10", "comparisons do not chain"),
    ("sent < 10", "sent < 1.5", "1.5", "numbers are integers"),
    ("sent + 1]", "sent mod 7]", "mod", "there is no remainder"),
    ("sent := sent + 1", "sent := sent > 3 ? 0 : sent + 1", "sent > 3 ? 0 : sent + 1", "write `if c then a else b`"),
    ("sent := sent + 1", "sent := if sent > 3 then 0", "]", "`if` needs both: `if c then a else b`"),
    ("next = small", "next = \"small\"", "\"small\"", "write them without quotation marks"),
    // Names
    ("repeat: (\n        send", "repaet: (\n        send", "repaet", "did you mean `repeat`?"),
    ("receive-guard: chan = line", "recieve-guard: chan = line", "recieve-guard", "did you mean `receive-guard`?"),
    ("[sent := sent + 1]", "[snet := sent + 1]", "snet", "did you mean `sent`?"),
    ("line! (", "lime! (", "lime", "did you mean `line`?"),
    ("message-structure:", "message-structures:", "message-structures", "did you mean `message-structure`?"),
    ("message-structure:", "message-struct:", "message-struct", "did you mean `message-structure`?"),
    ("receive-guard: chan = line", "receive-guards: chan = line", "receive-guards", "did you mean `receive-guard`?"),
    ("enum channel", "enum chanel", "chanel", "did you mean `channel`?"),
    ("enum channel", "enm channel", "enm", "did you mean `enum`?"),
    ("enum kind", "enum knid", "kind", "did you mean `knid`?"),
    ("line! (", "broadcast! (", "broadcast", "is written `*`"),
    (" || Worker(one, true)", "", "one", "those of `system"),
    ("busy <-", "bsuy <-", "bsuy", "did you mean `busy`?"),
    ("take: {", "take-it: {", "-", "write `take_it`"),
    ("small, large", "small-one, large", "-", "write `small_one`"),
    ("working : bool", "bool working", "bool", "write `working : bool`"),
    ("load : int", "bool : int", "bool", "choose another name"),
    ("size : kind", "size : Source", "Source", "types are `bool`"),
    ("sent : int", "sent : real", "real", "types are `bool`"),
    ("sent : int", "sent : integer", "integer", "did you mean `int`?"),
    ("sent : int", "sent : nat", "nat", "did you mean `int`?"),
    ("chan = line", "chan = channel.line", "channel.line", "write `line`"),
    ("next = small", "next = kind.small", "kind.small", "write `small`"),
    ("(one-load = two-load", "(one.load = two-load", "one.load", "is written `one-load`"),
    ("k-working -> X", "working -> X", "working", "write `one-working`"),
    ("local: sent : int", "local: rep : int", "rep", "choose another name"),
    ("agent Source", "agent G", "G", "choose another name"),
    ("take: {true}", "init: {true}", "init", "choose another name"),
    ("Worker(two,", "Worker(X,", "X", "choose another name"),
    ("load : int, size", "load : bool, load : int, size", "load", "rename one of them"),
    ("agent Worker", "agent Source", "Source", "rename one of them"),
    ("Worker(two,", "Worker(one,", "one", "rename one of them"),
    ("one-load = two-load", "one-laod = two-load", "laod", "did you mean `load`?"),
    (
        "one-load = two-load",
        "one-cargo = two-load",
        "cargo",
        "the locals of this agent are `load`, `size` and `working`",
    ),
    ("sender = source", "sendr = source", "sendr", "did you mean `sender`?"),
    ("sender = source", "sender = src", "src", "those of `system"),
    ("sender = source", "sender = sourc", "sourc", "did you mean `source`?"),
    ("sender = source", "sender = Source", "Source", "quantify over its instances"),
    ("sender = source", "sender = small", "small", "expected an instance or a quantified variable"),
    ("sender = source", "sender = 1", "1", "as in `sender = i`"),
    ("sender = source", "sent = 3", "sent", "outside of the observation"),
    ("sender = source", "freight = 3", "freight", "observations read message variables"),
    ("X !k-working", "(k-size = green)", "green", "locals are written `i-x`"),
    ("[working := false]", "[k := false]", "k", "the locals of this agent are `load`, `size` and `working`"),
    ("working := false", "working := green", "green", "declare it behind `local:`"),
    ("LOAD := sent", "sent := sent", "sent", "a local variable, not a message variable"),
    ("LOAD := sent", "sent := LOAD", "sent := LOAD", "write `LOAD := sent`"),
    ("[load := LOAD,", "[LOAD := load,", "LOAD := load", "write `load := LOAD`"),
    ("busy <- working", "working <- busy", "working <- busy", "write `busy <- working`"),
    ("busy <- working", "working <- true", "working", "a local variable, not a property variable"),
    ("LOAD := sent", "WEIGHT := sent", "WEIGHT", "the message variables are `KIND` and `LOAD`"),
    ("[load := LOAD,", "[one-load = LOAD,", "-", "write `load := ..`"),
    ("one-load = two-load", "one-take = 3", "one-take", "write it alone"),
    ("one-load = two-load", "one-take + 1 > 3", "one-take", "the label of a command, not a variable"),
    ("one-load = two-load", "one-load = -one-take", "one-take", "the label of a command, not a variable"),
    ("LOAD := sent", "LOAD := send", "send", "labels are read in specs"),
    ("sender = source", "one-take", "one-take", "write `one-take` outside of the observation"),
    ("sender = source", "one-load = two-load", "one-load", "outside of the observation"),
    ("sender = source", "one-load = 3 & one-working", "one-load", "outside of the observation"),
    ("[[sender = source]]", "[one-load = 3 & two-working]", "[one-load = 3 & two-working]", "are no parentheses"),
    // Missing parts
    ("rest: {true} *!", "rest: *!", "*", "`{true}` if it is always possible"),
    ("line! (!@busy)(LOAD", "line! (LOAD", "(", "stands the send guard"),
    ("KIND := next)[sent := sent + 1]", "KIND := next)", ")", "`[]` if it changes nothing"),
    ("line? [", "line? (LOAD)[", "(", "a receive has no data"),
    ("line? [", "line! [", "[", "a receive is written `c? [..]`"),
    ("(LOAD := sent, KIND := next)[", "[", "[", "`()` if there are none"),
    ("*! (false)()", "GET@(@busy)", "[", "`()` if there are none"),
    ("*! (false)()", "SUPPLY@(any)", "[", "`()` if there are none"),
    ("*! (false)()", "SUPPLY@()()", ")", "`any`, `myself`, an instance or a variable of type `location`"),
    ("*! (false)()", "SUPPLY@(@busy)()", "@", "a supply serves `any`"),
    ("*! (false)()", "SUPPLY@(working = true)()", "=", "a supply serves `any`"),
    ("*! (false)()", "SUPPLY@(working)()", "working", "a variable of type `location`"),
    ("*! (false)()", "SUPPLY@(line)()", "line", "a supply serves `any`"),
    ("*! (false)()", "SUPPLY@(small)()", "small", "a supply serves `any`"),
    ("*! (false)()", "SUPPLY@(absent)()", "absent", "a supply serves `any`"),
    ("*! (false)()", "SUPPLY@(Worker)()", "Worker", "name one of its instances"),
    ("*! (false)()", "GET@(line)()", "line", "a get names the supplier"),
    ("*! (false)()", "GET@(*)()", "*", "a get names the supplier"),
    ("*! (false)()", "GET@(load)()", "load", "a get names the supplier"),
    ("*! (false)()", "GET@(any)()", "any", "`GET@(true)` asks any agent"),
    ("*! (false)()", "GET@(Worker)()", "Worker", "name one of its instances"),
    ("*! (false)()", "GET(true)()", "(", "written `GET@(..)"),
    ("*! (false)()", "* (false)()", "(", "a send is written `c! (guard)(data)[updates]`"),
    ("*! (false)()", "SUPPLY@any", "any", "as in `SUPPLY@(any)()[]`"),
    ("*! (false)()", "GET@one()", "one", "whom it asks stands in parentheses"),
    ("line? [", "line?[] [", "[", "one list of updates"),
    ("line? [", "?line [", "?", "the channel comes first"),
    ("(LOAD := sent, KIND := next)", "{LOAD := sent, KIND := next}", "{", "`(MSG := x)`"),
    ("working := true];", "working := true);", ")", "write `]`"),
    ("[[sender = source]]", "<<sender = source]]", "]]", "write `>>`"),
    ("()[working := false]\n    )", "()[working := false]\n    }", "}", "write `)`"),
    ("repeat: (\n        take", "repeat: {\n        take", "{", "`repeat: (..)`"),
    ("Worker(two, true)", "Worker(two; true)", ";", "between names and conditions"),
    ("chan = line", "chn = line", "chn", "did you mean `chan`?"),
    ("load : int,", "load : int = 0,", "=", "`init: x = 0`"),
    ("load : int,", "load : {a, b},", "{", "its name is the type"),
    ("*! (false)()", "supply@(any)()", "@", "written `SUPPLY@(..)"),
    ("(LOAD := sent, KIND := next)", "(sent)", ")", "`variable := value`"),
    ("repeat: (\n        take", "repeat (\n        take", "(", "write `repeat:`"),
    ("Worker(two, true)", "Worker(two)", ")", "`Type(name, true)`"),
    ("agent Worker", "process Worker", "process", "did you mean `agent`?"),
    ("agent Source", "module Source", "module", "did you mean `agent`?"),
    ("agent Worker\n", "", "local", "begin each agent with `agent Name`"),
    ("    relabel: busy <- working\n", "", "Worker", "add `busy <- ..`"),
    ("system = Source(source, true) || Worker(one, true) || Worker(two, true)\n", "", "SPEC", "compose instances"),
    ("repeat: (\n        take", "(\n        take", "(", "write `repeat:`"),
    // Types
    ("load := LOAD", "load := line", "line", "declared as `channel`"),
    ("line? [load", "load? [load", "load", "expected `channel`, found `int`"),
    ("{sent < 10}", "{sent}", "sent", "compare it"),
    ("chan = line", "chan = 1", "chan = 1", "a channel is compared with another one"),
    ("sender = source", "chan = 1", "chan = 1", "a channel is compared with another one"),
    ("one-size = two-size", "one-size = 1", "one-size = 1", "the constants of `kind` are `small` and `large`"),
    ("k-working -> X", "k = 1 -> X", "k = 1", "a location is compared with an instance"),
    ("k-working -> X", "k-working = 3 -> X", "k-working = 3", "the values of `bool` are"),
    ("KIND := next", "KIND := 3", "3", "the constants of `kind` are `small` and `large`"),
    ("sent : int", "sent : 0...9", ".", "as in `0..3`"),
    ("sent : int", "sent : [0..10]", "[", "as in `0..10`"),
    ("sent : int", "sent : 0-10", "-", "as in `0..10`"),
    ("{sent < 10}", "{LOAD < 10}", "LOAD", "guards and updates of receives"),
    // Brackets and comments
    ("enum channel {line}", "# my model\nenum channel {line}", "#", "comments begin with `//`"),
    ("enum channel {line}", "enum channel = {line}", "=", "`enum name {one, another}`"),
    ("receive-guard: chan = line", "receive-guard: {chan = line}", "{", "no braces stand around"),
    ("{true} line?", "{true line?", "{", "close it with `}`"),
    ("source]]", "source]", "]", "close it with `]]`"),
    ("enum channel {line}", "/* my model\nenum channel {line}", "/*", "close it with `*/`"),
    ("message-structure", "/* message-structure", "/*", "close it with `*/`"),
    ("agent Worker", "/* agent Worker", "/*", "close it with `*/`"),
    ("repeat: (\n        take", "/* repeat: (\n        take", "/*", "close it with `*/`"),
    ("take: {true}", "take: /* {true}", "/*", "close it with `*/`"),
    ("|| Worker(two", "|| /* Worker(two", "/*", "close it with `*/`"),
    ("system =", "/* system =", "/*", "close it with `*/`"),
    ("one-size = two-size", "one-size /* = two-size", "/*", "close it with `*/`"),
    ("// name: all", "/* // name: all", "/*", "close it with `*/`"),
    ("true) || Worker(one", "true || Worker(one", "(", "close it with `)`"),
    // Declarations of others
    ("enum kind", "define N = 3;\nenum kind", "define", "constants are declared by `const name = 3;`"),
    ("enum channel", "let N = 3;\nenum channel", "let", "constants are declared by `const name = 3;`"),
    ("agent Source", "const N : int = 3\nagent Source", "const", "constants are declared by `const name = 3;`"),
    ("agent Source", "const int N = 3;\nagent Source", "const", "constants are declared by `const name = 3;`"),
    ("    receive-guard", "    const N = 3;\n    receive-guard", "const", "must stand before the agents"),
    ("system =", "const N = 3;\nsystem =", "const", "must stand before the agents"),
    ("enum kind", "const N = 3\nenum kind", "", "expected `;`"),
    ("enum kind", "const N := 3;\nenum kind", ":=", "expected `=`"),
    ("enum kind", "const N = M;\nconst M = 3;\nenum kind", "M", "no constant is called `M`"),
    ("enum kind", "const N = small;\nenum kind", "small", "no constant is called `small`"),
    ("enum kind", "#define N 3\nenum kind", "#", "constants are declared by `const name = 3;`"),
    ("agent Source", "type small_number = 0..3;\nagent Source", "type", "types are declared by `enum"),
    ("agent Source", "var x : int;\nagent Source", "var", "variables belong to agents"),
    ("agent Source", "int x = 0;\nagent Source", "int", "variables belong to agents"),
    ("enum channel {line}", "channel line", "channel", "channels are declared by `enum channel {"),
    ("enum channel {line}", "channels {line}", "channels", "channels are declared by `enum channel {"),
    // Specs
    ("X !k-working", "Y !k-working", "Y", "there are `X`, `F` and `G`"),
    ("X !k-working", "X Y k-working", "Y", "past operators are not part of the language"),
    ("X !k-working", "X (k-working T k-working)", "T", "past operators are not part of the language"),
    ("X !k-working", "GF k-working", "GF", "write `G F`"),
    ("X !k-working", "X XX(k-working)", "XX", "write `X X`"),
    ("X !k-working", "N k-working", "N", "the operators of formulas are"),
    ("X !k-working", "k-working M k-working", "M", "the operators of formulas are"),
    ("forall k : Worker .", "forall k in Worker .", "in", "`forall k : Type . f`"),
    (
        "forall k : Worker .",
        "forall k : Worker :",
        ":",
        "expected `.`, found `:`; expected `.`; quantifiers are written",
    ),
    ("forall k : Worker .", "forall k : int .", "int", "agent types"),
    ("(k-working -> X", "((sum j : Worker j-load) = 1 -> X", "j", "sums are written `(sum k : Type . e)`"),
    ("(k-working -> X", "((count j : Worker (j-working)) = 1 -> X", "(", "counts `(count k : Type . f)`"),
    ("X !k-working", "X acts(one-load)", "one-load", "write `acts(i)`"),
    ("X !k-working", "X !strong(3)", "3", "write `strong(i)`"),
    ("X !k-working", "k-working U[0,3] !k-working", "U[0,3]", "no bounds"),
    ("X !k-working", "[]<>!k-working", "[]<>", "write `G F (..)`"),
    ("X !k-working", "<<sender = k>>", ")", "`true` if that does not matter"),
    ("name: all_rest", "name: 3", "3", "a number is the place of a spec"),
    (
        "forall k : Worker . G",
        "forall (k : Worker) G",
        "forall (k : Worker) G (k-working -> X !k-working)",
        "`forall k : Type . f`",
    ),
    ("X !k-working", "AX !k-working", "AX", "write `A(X ..)`"),
    ("SPEC forall", "SPEC waits: forall", ":", "a comment above it"),
    ("SPEC forall", "ASSUME: forall", ":", "no colon stands behind `ASSUME`"),
    ("SPEC forall", "ASSUME fair: forall", ":", "assumptions have no names"),
    ("expect: violated", "expect: violatd", "violatd", "did you mean `violated`?"),
    ("expect: holds", "expect: hold", "hold", "did you mean `holds`?"),
    ("expect: holds", "expected: holds", "expected: holds", "did you mean `expect:`?"),
    ("expect: holds", "expect holds", "expect holds", "`// expect: holds|violated|unknown`"),
    ("name: all_rest", "name: all rest", "all rest", "a name is one word"),
    (
        "// name: all_rest, expect: violated",
        "/* name: all_rest */",
        "/* name: all_rest */",
        "begin the comment with `//`",
    ),
    (
        "// name: all_rest, expect: violated",
        "/* expect: violatd */",
        "/* expect: violatd */",
        "begin the comment with `//`",
    ),
    (
        "// name: all_rest, expect: violated",
        "/** expected: violated */",
        "/** expected: violated */",
        "begin the comment with `//`",
    ),
    ("// name: all_rest, expect: violated", "/// expect: violated", "/ expect: violated", "did you mean `expect:`?"),
    ("// name: all_rest, expect: violated", "// - expect: violatd", "- expect: violatd", "did you mean `expect:`?"),
    (
        "// name: all_rest, expect: violated",
        "// expect - violated",
        "expect - violated",
        "`// expect: holds|violated|unknown`",
    ),
    (
        "// name: all_rest, expect: violated",
        "// expect\u{ff1a}violated",
        "expect\u{ff1a}violated",
        "`// expect: holds|violated|unknown`",
    ),
    ("// name: all_rest, expect: violated", "// nmae: all_rest", "nmae: all_rest", "did you mean `name:`?"),
    ("// name: all_rest, expect: violated", "// names: all_rest", "names: all_rest", "did you mean `name:`?"),
    ("// name: all_rest, expect: violated", "// name = all_rest", "name = all_rest", "`// name: N`"),
    ("name: all_rest", "name: loads_grow", "loads_grow", "rename one of them"),
    (
        "two-size));\n// name: all_rest, expect: violated\nSPEC forall",
        "two-size)) &\n// name: all_rest, expect: violated\n   forall",
        "// name: all_rest, expect: violated",
        "is `SPEC` missing",
    ),
];

/// The errors of a text: the text that they point at, and all that they say.
fn errors(text: &str) -> Vec<(String, String)> {
    read(text, &Constants::new()).err().unwrap_or_default()
}

fn replaced(text: &str, right: &str, wrong: &str) -> String {
    assert!(text.contains(right), "{right}");
    text.replacen(right, wrong, 1)
}

#[test]
fn the_model_is_right() {
    assert_eq!(errors(MODEL), []);
}

/// A process in brackets of another kind, closed by the same.
#[test]
fn braces_around_a_process_are_one_error() {
    let process =
        &MODEL[MODEL.find("repeat: (\n        take").expect("a process")..MODEL.find("\n\nsystem").expect("a system")];
    for (open, close) in [("{", "}"), ("[", "]")] {
        let inner = process.strip_prefix("repeat: (").and_then(|it| it.strip_suffix(')')).expect("parentheses");
        let found = errors(&MODEL.replace(process, &format!("repeat: {open}{inner}{close}")));
        assert!(found.len() == 1 && found[0].0 == open && found[0].1.contains("`repeat: (..)`"), "{found:#?}");
    }
}

#[test]
fn each_mistake_is_one_error_that_says_what_to_write() {
    for (right, wrong, place, words) in MISTAKES {
        let found = errors(&replaced(MODEL, right, wrong));
        assert_eq!(found.len(), 1, "{wrong}: {found:#?}");
        assert_eq!(found[0].0, *place, "{wrong}: {}", found[0].1);
        assert!(found[0].1.contains(words), "{wrong}: {}", found[0].1);
    }
}

/// A label without its colon is one all the same, also where specs read it.
#[test]
fn labels_without_colons_are_labels() {
    let text = replaced(&replaced(MODEL, "k-working -> X", "k-take -> X"), "take: {", "take {");
    let found = errors(&text);
    assert!(found.len() == 1 && found[0].1.contains("a colon stands behind a label"), "{found:#?}");
    let together = replaced(&replaced(MODEL, "working := true];", "working := true]"), "rest: {", "rest {");
    let found = errors(&together);
    assert!(found.len() == 2 && found[0].1.contains("separated by `;`"), "{found:#?}");
}

#[test]
fn arguments_of_guards_stand_in_parentheses() {
    let declared = replaced(MODEL, "agent Source", "guard low(x : int, y : int) := x < y;\nagent Source");
    for (right, wrong, place, meant) in [
        ("{sent < 10}", "{low sent 10}", "low sent 10", "`low(sent, 10)`"),
        ("{sent < 10}", "{low sent & next = small}", "low sent", "`low(sent)`"),
        ("busy <- working", "busy <- low load 3", "low load 3", "`low(load, 3)`"),
        ("k-working -> X", "low 1 3 -> X", "low 1 3", "`low(1, 3)`"),
    ] {
        let found = errors(&replaced(&declared, right, wrong));
        assert_eq!(found.len(), 1, "{wrong}: {found:#?}");
        assert_eq!(found[0].0, place, "{wrong}");
        assert!(found[0].1.contains(meant), "{wrong}: {}", found[0].1);
    }
}

/// Each instance that is written the other way round is one error, and its name is known.
#[test]
fn types_come_first() {
    let text = replaced(&replaced(MODEL, "Worker(one,", "one(Worker,"), "Worker(two,", "two(Worker,");
    let found = errors(&text);
    let says_so = |(_, words): &(String, String)| words.contains("write `Worker(");
    assert!(found.len() == 2 && found.iter().all(says_so), "{found:#?}");
}

/// `ASSUME` is a name where no assumption can begin.
#[test]
fn the_word_for_assumptions_is_free_for_names() {
    for (right, name) in [("load", "ASSUME"), ("take", "ASSUME"), ("busy", "ASSUME"), ("Worker", "ASSUME")] {
        assert_eq!(errors(&MODEL.replace(right, name).replace("ASSUMEs_grow", "loads_grow")), [], "{right}");
    }
}

/// A wrapper around a part, or a part elsewhere than it belongs, is one error, however much it holds.
#[test]
fn misplaced_parts_are_one_error() {
    let system = "system = Source(source, true) || Worker(one, true) || Worker(two, true)\n";
    let first = format!("{system}{}", replaced(MODEL, system, ""));
    let found = errors(&first);
    assert!(found.len() == 1 && found[0].1.contains("in this order"), "{found:#?}");
    let braces = MODEL.replace("agent Worker", "agent Worker {").replace("system =", "}\nsystem =");
    let found = errors(&braces);
    assert!(found.len() == 1 && found[0].1.contains("remove this brace"), "{found:#?}");
    let clash = MODEL.replace("source", "sent");
    let found = errors(&clash);
    assert!(found.len() == 1 && found[0].0 == "sent", "{found:#?}");
}

/// A command that ends too early, without `;` behind it, is not the end of the process.
#[test]
fn a_command_ends_where_the_next_one_begins() {
    let early = replaced(MODEL, "line? [load := LOAD, size := KIND, working := true];", "line! (true)(LOAD := 1)");
    let found = errors(&early);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found.iter().any(|(_, words)| words.contains("but here the next command begins")), "{found:#?}");
}

/// Lines end as on any system.
#[test]
fn carriage_returns_end_lines() {
    assert_eq!(errors(&MODEL.replace('\n', "\r")), []);
    assert_eq!(errors(&MODEL.replace('\n', "\r\n")), []);
}

/// No warning tells of two readings of a formula that cannot be read.
#[test]
fn corrected_formulas_get_no_warning_about_their_grouping() {
    for wrong in ["G k-working xor k-working", "G k-working S k-working", "G k-working => X k-working"] {
        let text = replaced(MODEL, "G (k-working -> X !k-working)", wrong);
        let parsed = syntax::parse(&SourceFile::new("m.rcp", text), None);
        assert_eq!(parsed.diagnostics.iter().count(), 1, "{:#?}", parsed.diagnostics);
    }
}

/// Several replacements, the text that the error points at, and a part of what it says.
type Renaming = (&'static [(&'static str, &'static str)], &'static str, &'static str);

const WORDS_AS_NAMES: &[Renaming] = &[
    (&[("(source,", "(sender,"), ("[[sender = source", "[[sender = one")], "sender", "rename the declared `sender`"),
    (&[("(source,", "(getter,"), ("[[sender = source", "[[one != getter")], "getter", "who gets"),
    (&[("large}", "sender}")], "sender", "who sends the message"),
    (&[("KIND : kind\n", "KIND : kind, sender : location\n")], "sender", "who sends the message"),
    (
        &[
            ("busy : bool\n", "p2p : bool\n"),
            ("(!@busy)", "(!@p2p)"),
            ("busy <-", "p2p <-"),
            ("sender = source", "p2p"),
        ],
        "p2p",
        "a get with its supply",
    ),
    (
        &[("KIND : kind\n", "KIND : kind, p2p : bool\n"), ("sender = source", "p2p = true")],
        "p2p",
        "a get with its supply",
    ),
    (
        &[("(source,", "(deadlock,"), ("sender = source", "true"), ("X !k-working", "X !deadlock")],
        "deadlock",
        "that no step is possible",
    ),
    (&[("large}", "deadlock}"), ("X !k-working", "X deadlock")], "deadlock", "that no step is possible"),
    (
        &[("forall k :", "forall deadlock :"), ("(k-working -> X !k-working)", "!deadlock")],
        "deadlock",
        "choose another name",
    ),
    (
        &[("forall k :", "forall sender :"), ("k-working -> X !k-working", "[[sender = one]] false")],
        "sender",
        "choose another name",
    ),
    (
        &[
            ("size : kind", "any : location"),
            ("size := KIND, ", ""),
            ("*! (false)", "SUPPLY@(any)"),
            ("one-size = two-size", "true"),
        ],
        "any",
        "each instance that gets",
    ),
    (
        &[("(source,", "(any,"), ("sender = source", "true"), ("*! (false)", "SUPPLY@(any)")],
        "any",
        "each instance that gets",
    ),
];

/// A word of the language that is a name, too, is never read as either where both could be meant.
#[test]
fn words_of_the_language_are_never_taken_over_silently() {
    for (replacements, place, words) in WORDS_AS_NAMES {
        let text = replacements.iter().fold(MODEL.to_owned(), |text, (right, wrong)| replaced(&text, right, wrong));
        let found = errors(&text);
        assert_eq!(found.len(), 1, "{replacements:?}: {found:#?}");
        assert_eq!(found[0].0, *place, "{replacements:?}: {}", found[0].1);
        assert!(found[0].1.contains(words), "{replacements:?}: {}", found[0].1);
    }
}

/// Where the word makes no sense, the name is what it is everywhere else.
#[test]
fn words_of_the_language_are_free_for_names() {
    let constants = MODEL.replace("large", "sender").replace("sender = source", "KIND = sender & sender = KIND");
    assert_eq!(errors(&constants), []);
    let messages = MODEL.replace("LOAD", "p2p").replace("sender = source", "p2p = 3 & p2p > 2");
    assert_eq!(errors(&messages), []);
    let instances = MODEL.replace("source", "deadlock").replace("sender = deadlock", "sender != deadlock");
    assert_eq!(errors(&instances), []);
}

/// A proposal is a name that can stand at the place: neither what cannot be read there, nor what is of another type.
#[test]
fn names_are_proposed_where_they_can_stand() {
    let mistakes = [
        ("{sent < 10}", "{LOAR < 10}"),
        ("init: load = 0", "init: LOADD = 0"),
        ("LOAD := sent", "LOAD := buzy"),
        ("line! (", "LOADS! ("),
        ("chan = line", "chan = sline & chan = smal"),
        ("line? [", "smal? ["),
        ("one-load = two-load", "one-load = LOAR"),
        ("size := KIND", "size := LOADS"),
    ];
    for (right, wrong) in mistakes {
        let found = errors(&replaced(MODEL, right, wrong));
        let proposals = ["`LOAD`?", "`busy`?", "`small`?"];
        assert!(!found.is_empty(), "{wrong}");
        assert!(!found.iter().any(|(_, words)| proposals.iter().any(|name| words.contains(name))), "{found:#?}");
    }
    let constant = errors(&replaced(MODEL, "one-size = two-size", "one-size = smal"));
    assert!(constant.len() == 1 && constant[0].1.contains("did you mean `small`?"), "{constant:#?}");
}

/// Mistakes elsewhere are reported, too, if the system or the channels cannot be read.
#[test]
fn broken_declarations_hide_no_other_mistakes() {
    let system = "system = Source(source, true) || Worker(one, true) || Worker(two, true)\n";
    let broken = [
        ("Worker(two, true)", "Worker(two true)"),
        ("Worker(two, true)", "Worker(two)"),
        ("Worker(two, true)", "Worker(two, 3 + )"),
        ("|| Worker(one, true)", ", Worker(one, true)"),
        ("Source(source, true)", "Source(source, true"),
        (system, ""),
        (system, "system = 3\n"),
    ];
    let mistakes = [
        ("k-working -> X", "k-working = 3 -> X", "k-working = 3"),
        ("!k-working)", "!k-size)", "k-size"),
        ("KIND := next", "KIND := 3", "3"),
    ];
    for (right, wrong) in broken {
        for (spec, mistake, place) in mistakes {
            let found = errors(&replaced(&replaced(MODEL, right, wrong), spec, mistake));
            assert_eq!(found.len(), 2, "{wrong} and {mistake}: {found:#?}");
            assert!(found.iter().any(|(found, _)| found == place), "{wrong} and {mistake}: {found:#?}");
        }
    }
    for wrong in ["(line)", ": line", " line", "{line other}", "{line;}"] {
        let text = replaced(&replaced(MODEL, " {line}", wrong), "line? [", "wire? [");
        let found = errors(&text);
        assert!(found.len() == 2 && found[1].0 == "wire", "{wrong}: {found:#?}");
    }
    for wrong in ["", " {3}", " {}"] {
        let found = errors(&replaced(MODEL, " {line}", wrong));
        assert_eq!(found.len(), 1, "{wrong}: {found:#?}");
    }
}

/// Two mistakes in two places are two errors, whatever kinds they are of.
#[test]
fn all_errors_come_in_one_run() {
    let mistakes = [
        ("    relabel: busy <- working\n", "", "no relabelling for `busy`"),
        ("init: sent = 0", "init: sent = = 0", "expected an expression"),
        ("size := KIND", "size := true", "expected `kind`, found `bool`"),
        ("[sent := sent + 1]", "[snet := sent + 1]", "`snet`"),
        ("enum channel {line}", "enum channel {line", "never closed"),
        ("property-variables: busy : bool", "property-variables: busy : bool, G : bool", "a keyword"),
        ("expect: violated", "expect: violatd", "`violatd`"),
        ("X !k-working", "X !k-wroking", "`wroking`"),
    ];
    for (index, (right, wrong, first)) in mistakes.iter().enumerate() {
        for (other_right, other_wrong, second) in &mistakes[index + 1..] {
            let text = replaced(&replaced(MODEL, right, wrong), other_right, other_wrong);
            let found = errors(&text);
            assert_eq!(found.len(), 2, "{first} and {second}: {found:#?}");
            for words in [first, second] {
                assert!(found.iter().any(|(_, all)| all.contains(words)), "{words}: {found:#?}");
            }
        }
    }
}

/// A name that is wrong where it is declared is right everywhere else, as often as it is used.
#[test]
fn uses_of_a_wrong_declaration_are_no_further_errors() {
    let keyword = MODEL.replace("sent", "init");
    assert_eq!(errors(&keyword).len(), 1, "{:#?}", errors(&keyword));
    let keyword = MODEL.replace("two", "X");
    assert_eq!(errors(&keyword).len(), 1, "{:#?}", errors(&keyword));
    for keyword in ["F", "G", "X", "U", "W", "R"] {
        let local = MODEL.replace("sent", keyword);
        assert_eq!(errors(&local).len(), 1, "{:#?}", errors(&local));
    }
    let agent = MODEL[..MODEL.find("system").expect("a system")].rfind("agent Worker").expect("an agent");
    let worker = &MODEL[agent..MODEL.find("system").expect("a system")];
    let twice = MODEL.replace("system", &format!("{worker}system"));
    assert_eq!(errors(&twice).len(), 1, "{:#?}", errors(&twice));
    let unlisted = MODEL.replace("busy : bool", "busy : int").replace("(!@busy)", "(@busy > 0)");
    let unlisted = unlisted.replace("busy <- working", "busy <- load") + "SPEC G ([[busy > 1]] F [[busy = 2]] true)";
    assert_eq!(errors(&unlisted).len(), 1, "{:#?}", errors(&unlisted));
    for keyword in ["G", "X", "U", "rep", "int", "channel", "true", "SPEC", "forall", "repeat"] {
        let agent = MODEL.replace("Worker", keyword);
        let found = errors(&agent);
        assert!(found.len() == 1 && found[0].0 == keyword, "{found:#?}");
    }
    let doubled = MODEL.replace("agent Source\n    local: ", "agent Source\n    local: sent : bool, ");
    assert_eq!(errors(&doubled).len(), 1, "{:#?}", errors(&doubled));
    let of_another_kind =
        MODEL.replace("local: sent", "local: line : int, sent").replace("LOAD := sent", "LOAD := line");
    assert_eq!(errors(&of_another_kind).len(), 1, "{:#?}", errors(&of_another_kind));
    let nameless = MODEL.replace(", working : bool", ", 3 : bool");
    assert_eq!(errors(&nameless).len(), 1, "{:#?}", errors(&nameless));
    let numbered = MODEL.replace("one", "client1").replace("two, true", "client1, true").replace("two-", "client2-");
    assert_eq!(errors(&numbered).len(), 1, "{:#?}", errors(&numbered));
    for keyword in ["int", "system", "channel", "automaton-state"] {
        let everywhere = MODEL.replace("load", keyword).replace(&format!("{keyword}s_grow"), "loads_grow");
        assert_eq!(errors(&everywhere).len(), 1, "{:#?}", errors(&everywhere));
    }
    let messages = MODEL.replace("LOAD : int,", "LOAD : bool, LOAD : int,");
    assert_eq!(errors(&messages).len(), 1, "{:#?}", errors(&messages));
}

/// Each token of them would be a mistake.
#[test]
fn files_with_json_are_no_models() {
    for text in ["{\"format\": \"certificate\", \"parts\": [1, 2]}", " [\n  {\"spec\": 1}\n]\n", "[[1, 2], [3]]"] {
        let found = read(text, &Constants::new()).err().unwrap_or_default();
        assert!(found.len() == 1 && found[0].1.contains("this is JSON, no model"), "{text}: {found:?}");
    }
}
