//! Message sequence charts: every message appears once, nothing overlaps, the text fits.
//!
//! The runs are walks on the concrete semantics of the models that we ship: no solver is involved.

use crate::common;
use rcheck_smt::model::Model;
use rcheck_smt::model::eval::{Choice, Influence, Run, Semantics, State};
use rcheck_smt::report::chart::{Back, Chart, Mark, Message};
use svg::node::Attributes;
use svg::parser::Event;

/// Calls `look` with the chart of a walk of each model whose initial states can be listed.
fn for_each_walk(look: impl Fn(&str, &Chart)) {
    for path in common::shipped() {
        let source = common::source(&path);
        let model = common::model(&source);
        if let Some(chart) = walk(&model, 12, path.display().to_string()) {
            look(source.name(), &chart);
        }
    }
}

/// A chart of a walk that does not always take the first step; with a loop if it ends with a stutter.
fn walk(model: &Model, length: usize, title: String) -> Option<Chart> {
    let semantics = Semantics::new(model);
    let initial = semantics.initial_states().ok()?.first()?.clone();
    let (choices, states) = steps(&semantics, &initial, length);
    let loop_start = (choices.last() == Some(&Choice::Stutter)).then(|| choices.len() - 1);
    let influence = Influence::of(model, &model.specs[0].formula);
    let run = Run::replay(&semantics, initial, &choices, loop_start, &influence).expect("a walk is a run");
    assert_eq!(run.states(), states);
    let mark = Some(Mark { position: choices.len() / 2, text: "a remark <&>".to_owned() });
    Some(Chart { mark, ..Chart::of_run(&run, title) })
}

fn steps(semantics: &Semantics, initial: &State, length: usize) -> (Vec<Choice>, Vec<State>) {
    let (mut choices, mut states) = (Vec::new(), vec![initial.clone()]);
    for number in 0..length {
        let mut possible = semantics.steps(&states[number]);
        let step = possible.swap_remove(number * 7 % possible.len());
        states.push(step.target);
        choices.push(step.choice);
        if choices.last() == Some(&Choice::Stutter) {
            break;
        }
    }
    (choices, states)
}

/// A rectangle of a picture: its class, left, top, right and bottom.
struct Area {
    class: String,
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

fn number(attributes: &Attributes, name: &str) -> f64 {
    attributes.get(name).unwrap_or_else(|| panic!("no {name}")).parse().expect("a number")
}

fn area(attributes: &Attributes) -> Area {
    let (left, top) = (number(attributes, "x"), number(attributes, "y"));
    let (right, bottom) = (left + number(attributes, "width"), top + number(attributes, "height"));
    Area { class: attributes["class"].to_string(), left, top, right, bottom }
}

/// The elements of a picture with that name.
fn elements(picture: &str, wanted: &str) -> Vec<Attributes> {
    let parser = svg::read(picture).expect("the picture is SVG");
    let found = parser.filter_map(|event| match event {
        Event::Tag(name, _, attributes) if name == wanted => Some(attributes),
        Event::Error(error) => panic!("{error}"),
        _ => None,
    });
    found.collect()
}

#[test]
fn every_message_and_every_head_appears_once() {
    for_each_walk(|name, chart| {
        let picture = chart.to_svg();
        let with = |wanted: &str, attribute: &str| -> Vec<usize> {
            let all = elements(&picture, wanted);
            all.iter().filter_map(|found| found.get(attribute)?.parse().ok()).collect()
        };
        let numbers: Vec<usize> = (0..chart.steps.len()).collect();
        assert_eq!(with("g", "data-step"), numbers, "{name}");
        let positions: Vec<usize> = (0..=chart.steps.len()).collect();
        assert_eq!(with("g", "data-position"), positions, "{name}");
        let expected: Vec<usize> = chart.steps.iter().flat_map(|step| heads(&step.message)).collect();
        assert_eq!(with("g", "data-to"), expected, "{name}");
        let notes = elements(&picture, "rect").iter().filter(|found| &*found["class"] == "note").count();
        assert_eq!(notes, chart.steps.iter().map(|step| step.notes.len()).sum::<usize>(), "{name}");
    });
}

fn heads(message: &Message) -> Vec<usize> {
    match message {
        Message::Send { receivers, .. } => receivers.clone(),
        Message::Meet { getter, supplier, .. } => vec![*supplier, *getter],
        Message::Joint | Message::Stutter => Vec::new(),
    }
}

/// Names, notes, captions and numbers have their places for themselves, inside the picture.
#[test]
fn nothing_overlaps() {
    for_each_walk(|name, chart| {
        let picture = chart.to_svg();
        let whole = elements(&picture, "svg");
        let (width, height) = (number(&whole[0], "width"), number(&whole[0], "height"));
        let shapes: Vec<Area> = elements(&picture, "rect").iter().skip(1).map(area).collect();
        let solid = |shape: &&Area| ["note", "quiet", "box", "bad"].iter().any(|class| shape.class.starts_with(class));
        let solid: Vec<&Area> = shapes.iter().filter(solid).collect();
        assert!(!solid.is_empty(), "{name}");
        for (index, one) in solid.iter().enumerate() {
            assert!(one.left >= 0.0 && one.right <= width && one.bottom <= height, "{name}: {}", one.class);
            for other in &solid[index + 1..] {
                let apart = one.right <= other.left || other.right <= one.left;
                let apart = apart || one.bottom <= other.top || other.bottom <= one.top;
                assert!(apart, "{name}: {} at {} covers {} at {}", one.class, one.top, other.class, other.top);
            }
        }
    });
}

#[test]
fn text_fits_and_has_every_message() {
    for_each_walk(|name, chart| {
        for width in [60, 100, 140] {
            let text = chart.to_text(width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{name} at {width}:\n{text}");
            let arrows = ['\u{25ba}', '\u{25c4}'].map(|head| text.matches(head).count()).iter().sum::<usize>();
            let expected: usize = chart.steps.iter().map(|step| heads(&step.message).len()).sum();
            assert_eq!(arrows, expected, "{name} at {width}:\n{text}");
            assert!(text.contains("a remark <&>"), "{name}");
            assert_eq!(text.contains("\u{250c}\u{2500} loop"), chart.back.is_some(), "{name}");
        }
    });
}

#[test]
fn mermaid_has_every_arrow() {
    for_each_walk(|name, chart| {
        let diagram = chart.to_mermaid();
        let arrows = diagram.lines().filter(|line| line.contains("->>") || line.contains("-)")).count();
        let expected: usize = chart.steps.iter().map(|step| heads(&step.message).len()).sum();
        assert_eq!(arrows, expected, "{name}:\n{diagram}");
        let opened = diagram.lines().filter(|line| ["par", "loop"].iter().any(|word| line.trim().starts_with(word)));
        let closed = diagram.lines().filter(|line| line.trim() == "end");
        assert_eq!(opened.count(), closed.count() + diagram.matches("    participant").count(), "{name}:\n{diagram}");
        assert!(chart.to_markdown().contains("```mermaid\nsequenceDiagram\n"));
    });
}

/// 25 instances: those that take no part are left out where there is no room, and no line is too long.
#[test]
fn many_instances_in_a_terminal() {
    let lifeline = |number: usize| rcheck_smt::report::chart::Lifeline {
        name: format!("participant{number}"),
        agent: "Participant".to_owned(),
        initial: vec!["x = 1".to_owned()],
    };
    let note = |lifeline: usize| rcheck_smt::report::chart::Note {
        lifeline,
        command: "take".to_owned(),
        moved: Some((0, 1)),
        changes: Vec::new(),
    };
    let message = Message::Send { sender: 3, channel: None, data: vec!["X = 1".to_owned()], receivers: vec![1, 7, 20] };
    let step = rcheck_smt::report::chart::ChartStep { message, notes: [1, 3, 7, 20].map(note).to_vec() };
    let lifelines = (1..=25).map(lifeline).collect();
    let chart = Chart { title: "many".to_owned(), lifelines, steps: vec![step], back: None, mark: None };
    insta::assert_snapshot!(chart.to_text(100));
}

/// A part that repeats with other values is framed, but not called a loop.
#[test]
fn rounds_are_framed() {
    let model = common::model(&common::source("features/recurrent_gap.rcp"));
    let chart = walk(&model, 3, "rounds".to_owned()).expect("the initial states can be listed");
    let back = Back { start: 1, forgotten: vec!["race-fast".to_owned()], recurrent: true };
    let chart = Chart { back: Some(back), ..chart };
    let (text, picture, diagram) = (chart.to_text(60), chart.to_svg(), chart.to_mermaid());
    assert!(
        text.contains("\u{250c}\u{2500} rounds") && text.contains("again from 1") && !text.contains("loop"),
        "{text}"
    );
    assert!(picture.contains(">rounds<") && !picture.contains(">loop<"), "{picture}");
    for drawn in [text, picture, diagram] {
        assert!(drawn.contains("with other values of") || drawn.contains("other values"), "{drawn}");
    }
}

/// The same shapes for papers; words of models are no commands there, and lengths are those of the picture.
#[test]
fn charts_in_tikz() {
    let model = common::model(&common::source("resource_allocation/modern.rcp"));
    let title = "\\input{x} 50% of_$a$ & #1 ~ ^ a--b <c>".to_owned();
    let chart = walk(&model, 3, title).expect("the initial states can be listed");
    let text = chart.to_tikz();
    let words = "\\textbackslash{}input\\{x\\}~50\\%~of\\_\\$a\\$~\\&~\\#1~\\textasciitilde{}~\\textasciicircum{}~a-{}-{}b~\\textless{}c\\textgreater{}";
    assert!(text.contains(words), "{text}");
    let picture = chart.to_svg();
    for (shape, command) in
        [("<rect", " rectangle "), ("<circle", " circle ["), ("<text", "\\node["), ("<polygon", "-- cycle")]
    {
        // The background stays paper.
        let background = usize::from(shape == "<rect");
        assert_eq!(picture.matches(shape).count() - background, text.matches(command).count(), "{shape}\n{text}");
    }
    assert_eq!(text.matches("\\begin").count(), text.matches("\\end").count(), "{text}");
}

#[test]
fn snapshots() {
    for (name, path) in
        [("resource_allocation", "resource_allocation/modern.rcp"), ("stable_allocation", "stable_allocation.rcp")]
    {
        let model = common::model(&common::source(path));
        let chart = walk(&model, 3, name.to_owned()).expect("the initial states can be listed");
        insta::assert_snapshot!(format!("{name}_svg"), chart.to_svg());
        insta::assert_snapshot!(format!("{name}_text"), chart.to_text(100));
        insta::assert_snapshot!(format!("{name}_markdown"), chart.to_markdown());
    }
}
