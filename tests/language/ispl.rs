//! Files in ISPL: what is wrong with them is found in all sections in one run, and said at its place.

use crate::common::root;
use rcheck_smt::diag::Severity;
use rcheck_smt::ispl;
use rcheck_smt::model::Model;
use rcheck_smt::source::SourceFile;

fn fixture(name: &str) -> SourceFile {
    let path = root().join("tests/fixtures/ispl").join(name);
    SourceFile::new(name, std::fs::read_to_string(path).expect("the fixture is there"))
}

/// `line:column code message | help` of each finding, and the model.
fn read(source: &SourceFile) -> (Option<Model>, Vec<String>) {
    let (model, found) = ispl::read(source);
    let line = |finding: &rcheck_smt::diag::Diagnostic| {
        let at = source.line_column(finding.span.start);
        let help = finding.help.as_ref().map(|help| format!(" | help: {help}")).unwrap_or_default();
        format!("{}:{} {} {}{help}", at.line, at.column, finding.code.as_str(), finding.message)
    };
    (model, found.iter().map(line).collect())
}

#[test]
fn faults_of_all_sections_are_found_in_one_run() {
    let source = fixture("faults.ispl");
    let (model, lines) = read(&source);
    assert!(model.is_none());
    insta::assert_snapshot!("faults", lines.join("\n"));
    // Every section has some.
    let begins = |word: &str| {
        let at = source.text().find(&format!("\n{word}")).unwrap_or_else(|| panic!("no section {word}"));
        source.line_column(at as u32 + 1).line
    };
    let sections = [
        "Agent Environment",
        "Agent Driver",
        "Agent Pedestrian",
        "Evaluation",
        "InitStates",
        "Groups",
        "Fairness",
        "Formulae",
        "Formulas",
    ];
    let number = |line: &String| line.split(':').next().and_then(|it| it.parse::<usize>().ok()).expect("a line");
    for pair in sections.windows(2) {
        let range = begins(pair[0])..begins(pair[1]);
        assert!(lines.iter().any(|line| range.contains(&number(line))), "nothing in {}", pair[0]);
    }
}

#[test]
fn strategies_are_read() {
    let (found, diagnostics) = ispl::read(&fixture("strategies.ispl"));
    assert_eq!(diagnostics.iter().count(), 0);
    let model = found.expect("a model");
    let strategic: Vec<bool> = model.specs.iter().map(|spec| spec.formula.is_strategic()).collect();
    assert_eq!(strategic, [false, true, true, false, true]);
}

/// A text has one finding, at this place.
fn assert_only_finding(text: String, place: &str) {
    let source = SourceFile::new("m.ispl", text);
    let (_, found) = ispl::read(&source);
    let places: Vec<&str> = found.iter().map(|finding| source.slice(finding.span)).collect();
    assert_eq!(places, [place], "{found:#?}");
}

/// A file with something in its place.
fn small(change: (&str, &str)) -> String {
    let text = "Agent Lamp
  Vars:
    on : boolean;
    level : 0..2;
    hue : {red, blue};
  end Vars
  Actions = {flip, none};
  Protocol:
    level < 2 : {flip, none};
    Other : {none};
  end Protocol
  Evolution:
    on = true and level = level + 1 if level <= 1 and Action = flip and on = false;
  end Evolution
end Agent
Evaluation
  lit if Lamp.on = true;
end Evaluation
InitStates
  Lamp.on = false and Lamp.level = 0 and Lamp.hue = red;
end InitStates
Formulae
  AG (lit or !lit);
end Formulae
";
    assert_eq!(text.matches(change.0).count(), 1, "{change:?}");
    text.replace(change.0, change.1)
}

/// Sections without content are read, in every agent and in the file.
#[test]
fn empty_sections_are_read() {
    let changes = [
        ("  Actions = {flip, none};", "  RedStates: end RedStates\n  Actions = {flip, none};"),
        ("InitStates\n  Lamp.on = false and Lamp.level = 0 and Lamp.hue = red;\n", "InitStates\n"),
        ("Formulae\n  AG (lit or !lit);\n", "Formulae\n"),
        ("end InitStates\n", "end InitStates\nGroups\nend Groups\nFairness\nend Fairness\n"),
        ("Formulae\n  AG (lit or !lit);\n", "Formulae\n  EF Lamp.GreenStates; O(Lamp, lit); EF Lamp.RedStates;\n"),
        ("    on = true and level = level + 1 if level <= 1 and Action = flip and on = false;\n", ""),
        ("    level < 2 : {flip, none};\n    Other : {none};\n", ""),
    ];
    for change in changes {
        let (model, lines) = read(&SourceFile::new("m.ispl", small(change)));
        assert!(model.is_some() && lines.is_empty(), "{change:?}: {lines:?}");
    }
    let joint = |change| read(&SourceFile::new("m.ispl", small(change))).0.and_then(|model| model.joint);
    // Without lines a protocol allows everything; an agent without actions takes one that no condition can name.
    let free = joint(("    level < 2 : {flip, none};\n    Other : {none};\n", "")).expect("it is read");
    assert_eq!((free.behaviours[0].protocol.len(), &free.behaviours[0].other), (0, &vec![0, 1]));
    let text =
        small(("flip, none};\n  Protocol:\n    level < 2 : {flip, none};\n    Other : {none};\n", "};\n  Protocol:\n"));
    let text = text.replace("Action = flip and on = false", "on = false");
    let idle = read(&SourceFile::new("m.ispl", text.clone())).0.and_then(|model| model.joint).expect("it is read");
    assert_eq!((&idle.behaviours[0].actions, &idle.behaviours[0].other), (&vec!["none".to_owned()], &vec![0]));
    assert_only_finding(text.replace("<= 1 and on = false", "<= 1 and Action = none"), "none");
}

/// Warnings hide no error, however many there are.
#[test]
fn many_warnings_hide_no_error() {
    let groups = "end InitStates\nGroups g = {Lamp}; end Groups\nFormulae\n";
    let many = format!("{groups}{}  nothing;\n", "  <g> F lit;\n".repeat(120));
    let (model, lines) = read(&SourceFile::new("m.ispl", small(("end InitStates\nFormulae\n", &many))));
    assert!(model.is_none() && lines.iter().any(|line| line.contains("E0202")), "{lines:?}");
}

/// The operands of `U` in CTL are whole formulas; in LTL, `U` binds more tightly than `!`, and joins to the left.
#[test]
fn operands_of_until_are_those_of_mcmas() {
    let formula = |text: &str| {
        let text = small(("  AG (lit or !lit);\n", &format!("  {text};\n")));
        let (model, lines) = read(&SourceFile::new(
            "m.ispl",
            text.replace("end Evaluation", "  p if Lamp.level = 0;\n  q if Lamp.level = 1;\nend Evaluation"),
        ));
        let model = model.unwrap_or_else(|| panic!("{text}: {lines:?}"));
        model.specs[0].formula.clone()
    };
    for (one, other) in [
        ("A(p U q or lit)", "A((p) U (q or lit))"),
        ("E(p or q U lit and q)", "E((p or q) U (lit and q))"),
        ("A(p -> q U !q -> p)", "A((p -> q) U ((!q) -> p))"),
        ("A(!p U q)", "A((!p) U q)"),
        ("LTL !p U q", "LTL !(p U q)"),
        ("LTL X p U q", "LTL (X p) U q"),
        ("LTL p U q U lit", "LTL (p U q) U lit"),
        ("LTL p or q U lit and p", "LTL p or ((q U lit) and p)"),
        ("CTL* A(p or q U lit)", "CTL* A(p or (q U lit))"),
    ] {
        assert_eq!(formula(one), formula(other), "{one}");
    }
}

/// One mistake, one error, at its place, with words that say what to do.
#[test]
fn one_mistake_is_one_error() {
    let mistakes = [
        (("Actions = {flip, none}", "Actions = {flip; none}"), ";", "commas stand between names"),
        (("level < 2 :", "Action = flip :"), "Action", "actions are read in the conditions of evolutions only"),
        (("hue = red", "hue = rde"), "rde", "did you mean `red`?"),
        (("end Vars", "end Var"), "end Var", "write `end Vars`"),
        (("Evaluation\n  lit", "Evaluations\n  lit"), "Evaluations", "did you mean `Evaluation`?"),
        (("Actions = {flip, none}", "Actions = {flip none}"), "none", "expected `,` or `}`, found `none`"),
        (("level + 1", "levels + 1"), "levels", "did you mean `level`?"),
        (("level + 1", "level / 0"), "0", "a divisor is a number other than 0"),
        (("level + 1", "7 / 2"), "7 / 2", "2 does not divide it"),
        (("level + 1", "level & 1"), "level", "there are no operators on the bits of numbers"),
        (("level + 1", "level % 2"), "%", "there is no remainder"),
        (("flip and on = false", "flip & on = false"), "=", "join truth values before they are compared"),
        (("level + 1", "99999999999999999999"), "99999999999999999999", "this number does not fit into 64 bits"),
        (("on = false;", "on == false;"), "", ""),
        (("Action = flip and on", "Action = flip && on"), "&&", "write `and`"),
        (("AG (lit", "AG (Lamp.on"), "Lamp.on", "declare a proposition in `Evaluation`, as in `p if Lamp.on = ..;`"),
        (("AG (lit", "AGG (lit"), "(", "`AGG` is no operator"),
        (("AG (lit or", "AG (lit & "), "&", "write `and`"),
        (("Lamp.on = false and", "Lamp.on = wrong and"), "wrong", "nothing here is called `wrong`"),
        (("level : 0..2", "level : int"), "int", "numbers have bounds"),
        (("level : 0..2", "levels : 0..2"), "level", "did you mean `levels`?"),
        (("level : 0..2;", "level : 0..2,"), ",", "expected `;` behind this variable"),
        (("on : boolean", "on, off : boolean"), ",", "each variable has a line of its own"),
        (("on : boolean", "on : {true, false}"), "{true, false}", "write `boolean`"),
        (("{red, blue}", "(red, blue)"), "(", "names are listed in braces"),
        (("{red, blue}", "{\"red\", \"blue\"}"), "\"red\"", "without quotation marks"),
        (("Actions = {flip, none}", "Actions: flip, none"), ":", "write `=`"),
        (("Actions = {flip, none}", "Actions = {flip, none, flip}"), "flip", "rename one of them"),
        (("Actions = {flip, none}", "Moves = {flip, none}"), "Moves", "the sections are"),
        (("Other : {none}", "otherwise : {none}"), "otherwise", "is called `Other`"),
        (("  end Evolution\n", ""), "end Agent", "no `end Evolution` closes this section"),
        (("end Evolution", "end Evolution;"), ";", "leave it out"),
        (("Agent Lamp", "Agent Lmap"), "Lamp", "did you mean `Lmap`?"),
        (("Agent Lamp", "Agent"), "Vars", "expected the name of an agent"),
        (("lit if", "lti if"), "lit", "did you mean `lti`?"),
        (("lit if", "lit :="), ":=", "`p if condition;`"),
        (("Lamp.on = true;", "Lamp on = true;"), "on", "expected `;` behind this proposition"),
        (("Lamp.level = 0 and", "Lamp.level = 0;"), "Lamp.hue = red", "join both by `and`"),
        (("AG (lit or !lit)", "AG [lit or !lit]"), "[", "parentheses are written"),
        (("AG (lit", "[] (lit"), "[]", "write `AG f`"),
        (("AG (lit or", "AG (lit or\u{1b}"), "\u{1b}", "unknown character"),
        (("AG (lit or !lit)", "AG (lit => lit)"), "=>", "implication is written `->`"),
        (("AG (lit or !lit)", "AG (lit <==> lit)"), "<==>", "equivalence is written `<->`"),
        (("AG (lit or !lit)", "AG (lit ~> lit)"), "~>", "implication is written `->`"),
        (("AG (lit", "AG (Lamp->on"), "Lamp->on", "declare a proposition in `Evaluation`, as in `p if Lamp.on = ..;`"),
        (("AG (lit", "AG (Lamp -> lit"), "Lamp", "no proposition is called `Lamp`"),
        (("lit if Lamp.on", "lit if Lamp->on"), "->", "expected `.`, found `->`; here; write `Lamp.on`"),
        (("lit if Lamp.on", "lit if Lamp => on"), "=>", "write `Lamp.on`"),
        (("lit if Lamp.on", "lit if Lamp→on"), "→", "write `Lamp.on`"),
        (("lit if Lamp.on", "lit if Lamp::on"), "::", "write `Lamp.on`"),
        (("lit if Lamp.on", "lit if Lamp-on"), "-", "write `Lamp.on`"),
        (("lit if Lamp.on = true", "lit if Lamp.on = true <=> Lamp.level = 0"), "<=>", "write `(a -> b) and (b -> a)`"),
        (("lit if Lamp.on = true", "lit if Lamp.on = true <-> Lamp.level = 0"), "<->", "write `(a -> b) and (b -> a)`"),
        (("lit if Lamp.on = true", "lit if Lamp.on = true → Lamp.level = 0"), "→", "implication is written `->`"),
        (("lit if", "lit ->"), "->", "`p if condition;`"),
        (("on = true and level", "Lamp->on = true and level"), "->", "write `Lamp.on`"),
        (("Action = flip", "Lamp->Action = flip"), "->", "write `Lamp.Action`"),
        (("Action = flip", "Action -> flip"), "->", "write `=`"),
        (("Other :", "Other =>"), "=>", "write `:`"),
        (("level < 2 :", "level < 2 =>"), "=>", "write `:`"),
        (("AG (lit or !lit);", "AG lit; // all"), "//", "comments begin with `--`"),
        (("level < 2", "level =< 2"), "=<", "did you mean `<=`?"),
        (("level : 0..2", "level : 0..9999999999999999999"), "9999999999999999999", "does not fit into 64 bits"),
    ];
    for (change, place, words) in mistakes {
        let text = small(change);
        let source = SourceFile::new("m.ispl", &text);
        let (model, found) = ispl::read(&source);
        let errors: Vec<_> = found.iter().filter(|it| it.severity() == Severity::Error).collect();
        if words.is_empty() {
            assert!(model.is_some() && errors.is_empty(), "{change:?}: {errors:#?}");
            continue;
        }
        let [error] = &errors[..] else { panic!("{change:?}: {errors:#?}") };
        let said = format!("{}; {}; {}", error.message, error.label, error.help.as_deref().unwrap_or_default());
        assert!(source.slice(error.span) == place && said.contains(words), "{change:?}: {said} at {:?}", error.span);
    }
}

/// A name that is declared twice hides no name that is not declared.
#[test]
fn repeated_declarations_silence_nothing() {
    let changes = [
        (
            "end Agent\n",
            "end Agent\nAgent Lamp\n Vars: dusk : boolean; end Vars\n Actions = {none};\n Protocol: Other : {none}; end Protocol\nend Agent\n",
        ),
        (
            "hue : {red, blue};",
            "hue : {red, blue, red};\n hue : {red, blue}; level : 0..2; late : 2..1; late : boolean;",
        ),
        ("Actions = {flip, none};", "Actions = {flip, none, flip};"),
        ("level < 2 :", "level < 2 and dim = true :"),
        ("Other : {none}", "Other : {nothing}"),
        (
            "lit if Lamp.on = true;",
            "lit if Lamp.on = true;\n lit if Lamp.hue = green; cold if Bulb.on = true and Lamp.dusk = true;",
        ),
        ("Formulae\n", "Groups\n all = {Lamp}; all = {Lamp};\nend Groups\nFormulae\n GK(absent, bright);\n"),
    ];
    let text = changes.iter().fold(small(("AG", "AG")), |text, (from, to)| text.replacen(from, to, 1));
    let (_, lines) = read(&SourceFile::new("m.ispl", text));
    for missing in ["dim", "nothing", "green", "Bulb", "absent", "bright"] {
        let told = lines.iter().filter(|line| line.contains(&format!("`{missing}`")) && line.contains("E0202"));
        assert_eq!(told.count(), 1, "{missing}: {lines:#?}");
    }
    let repeated = lines.iter().filter(|line| line.contains("two "));
    assert_eq!(repeated.count(), 8, "{lines:#?}");
    // Mistakes of a second declaration are not told of; but the second agent may be meant.
    assert!(!lines.iter().any(|line| line.contains("dusk")), "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("the range 2..1 has no value")), "{lines:#?}");
}

/// Another section adds to the first one; what both list is told of once.
#[test]
fn second_sections_add_to_the_first_ones() {
    let text = small(("Actions = {flip, none};", "Actions = {flip};\n  Actions = {flip, none};"));
    let source = SourceFile::new("m.ispl", text);
    let (_, lines) = read(&source);
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("the agent `Lamp` has two sections `Actions`"), "{lines:#?}");
}

/// Whatever closes a section that was opened by a wrong name, there is one error.
#[test]
fn a_misspelt_section_is_one_error() {
    for (section, wrong) in [
        ("Vars", "Var"),
        ("Vars", "Variables"),
        ("Protocol", "Protocols"),
        ("Evolution", "evolution"),
        ("Evaluation", "Evaluations"),
        ("InitStates", "InitialStates"),
        ("Formulae", "Formulas"),
        ("Agent", "Agnet"),
    ] {
        let right = small(("AG", "AG"));
        for text in [right.replacen(section, wrong, 1), right.replace(section, wrong)] {
            assert_only_finding(text, wrong);
        }
    }
}

/// A word of the language as a name is told of where it is declared, however often it is used.
#[test]
fn keywords_as_names_are_one_error() {
    for (name, keyword) in
        [("lit", "end"), ("lit", "F"), ("lit", "E"), ("lit", "Agent"), ("hue", "K"), ("Lamp", "Vars")]
    {
        let text = small(("AG", "AG")).replace(name, keyword);
        assert_only_finding(text, keyword);
    }
}

/// Long and deep texts end with a finding, and soon.
#[test]
fn hostile_texts_are_digested() {
    let deep = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(20_000), close.repeat(20_000));
    let formulas = [
        deep("(", "lit", ")"),
        deep("!", "lit", ""),
        deep("AG ", "lit", ""),
        deep("K(Lamp, ", "lit", ")"),
        deep("lit -> ", "lit", ""),
        deep("lit U ", "lit", ""),
        deep("lit and ", "lit", ""),
        deep("<", "lit", ">"),
    ];
    for formula in formulas {
        let text = small(("AG (lit or !lit)", &formula));
        let (model, found) = ispl::read(&SourceFile::new("m.ispl", &text));
        assert_eq!(model.is_none(), found.has_errors(), "{}", &formula[..60]);
    }
    let conditions =
        [deep("(", "level = 1", ")"), deep("!", "on = true", ""), deep("-", "1", ""), deep("1 + ", "1", "")];
    for condition in conditions {
        let text = small(("Lamp.level = 0", &condition));
        assert!(ispl::read(&SourceFile::new("m.ispl", &text)).1.has_errors(), "{}", &condition[..60]);
    }
    // Many mistakes are not all told.
    let formulas: String = (0..5_000).map(|number| format!("AG lit{number};\n")).collect();
    let many = small(("AG (lit or !lit)", &formulas));
    assert_eq!(ispl::read(&SourceFile::new("m.ispl", &many)).1.iter().count(), 100);
}

/// So deep texts are read, evaluated and dropped; deeper ones are refused at the place where that is noticed.
#[test]
fn texts_may_be_nested_deeply() {
    let deep = |open: &str, inner: &str, close: &str, levels: usize| {
        format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
    };
    for (old, open, inner, close, levels) in [
        ("AG (lit or !lit)", "(", "lit", ")", 1),
        ("AG (lit or !lit)", "!", "lit", "", 1),
        ("AG (lit or !lit)", "AX ", "lit", "", 1),
        ("AG (lit or !lit)", "lit and (lit or (", "lit", "))", 2),
        ("AG (lit or !lit)", "K(Lamp, ", "lit", ")", 1),
        ("Lamp.level = 0", "(", "Lamp.level = 0", ")", 1),
        ("Lamp.level = 0", "!", "Lamp.level = 0", "", 1),
        ("Lamp.level = 0", "Lamp.level = 0 and (Lamp.level = 0 or (", "Lamp.level = 0", "))", 2),
        ("Lamp.level = 0", "Lamp.level = 0 -> ", "Lamp.level = 0", "", 1),
    ] {
        let read = |levels: usize| {
            let text = small((old, &deep(open, inner, close, levels)));
            ispl::read(&SourceFile::new("m.ispl", &text))
        };
        // Some levels are those of the text around.
        let (model, found) = read(4_990 / levels);
        assert_eq!((model.is_some(), found.iter().count()), (true, 0), "{open}: {found:#?}");
        let (model, found) = read(5_010 / levels);
        let codes: Vec<&str> = found.iter().map(|finding| finding.code.as_str()).collect();
        assert_eq!((model.is_none(), codes.as_slice()), (true, &["E0106"][..]), "{open}: {found:#?}");
    }
}

/// Conditions on the states of a file, as the simulator asks for them.
#[test]
fn conditions_are_over_variables_and_propositions() {
    let text = small(("AG", "AG"));
    let ask = |condition: &str| {
        let source = SourceFile::new("m.ispl", format!("{text}{condition}"));
        let (formula, found) = ispl::condition(&source, text.len());
        let place = |it: &rcheck_smt::diag::Diagnostic| (source.slice(it.span).to_owned(), it.message.clone());
        (formula.is_some(), found.iter().map(place).collect::<Vec<_>>())
    };
    assert_eq!(ask("Lamp.level + 1 < 2 and !lit"), (true, Vec::new()));
    assert_eq!(ask("lit -> Lamp.hue = red"), (true, Vec::new()));
    for (condition, place, words) in [
        ("Lamp.colour = red", "colour", "`Lamp` has no variable `colour`"),
        ("lit; lit", ";", "expected the end of the condition, found `;`"),
        ("AG lit", "lit", "expected the end of the condition, found `lit`"),
        ("Lamp.level", "Lamp.level", "expected a condition, found a number"),
        ("Lamp.Action = flip", "Action", "actions are read in the conditions of evolutions only"),
        ("", "", "expected an expression, found the end of the file"),
    ] {
        assert_eq!(ask(condition), (false, vec![(place.to_owned(), words.to_owned())]), "{condition}");
    }
}
