//! From segments to the tree of a file: reads each segment by its rule and puts the parts together.

use super::ast::{Agent, Assignment, Assumption, Dialect, Expr, Global, Ident, Model, Part, Process, Spec};
use super::findings::{add, is_full};
use super::grouping;
use super::memory::{Key, Memory};
use super::parser::error::{Expect, SyntaxError};
use super::parser::{Grammar, Read, Remark, Rule, read};
use super::prepare::{Segment, SegmentKind, assumes};
use super::report;
use super::token::Token;
use super::walk;
use crate::diag::{Code, Diagnostic, Diagnostics, Severity};
use crate::limits::look;
use crate::source::{SourceFile, Span};

/// Reads the segments of a file, which a comment may have cut off, but for those that are remembered.
pub fn assemble(
    source: &SourceFile,
    segments: &[Segment<'_>],
    dialect: Dialect,
    is_cut: bool,
    memory: Option<&mut Memory>,
    diagnostics: &mut Diagnostics,
) -> Model {
    let mut assembler = Assembler {
        source,
        diagnostics,
        memory,
        model: Model::empty(dialect),
        agent: None,
        system: None,
        stage: Stage::Declarations,
        late_for: None,
        faults: 0,
        remarks: Vec::new(),
    };
    let first_spec = segments.iter().find(|segment| segment.kind == SegmentKind::Spec).map(Segment::keyword);
    let grammars = Grammars::new(dialect);
    if segments.is_empty() {
        if !assembler.diagnostics.has_errors() {
            add(assembler.diagnostics, report::empty(source));
        }
        return assembler.model;
    }
    for segment in segments {
        look();
        assembler.segment(&grammars, segment);
    }
    if is_cut {
        assembler.lose_rest();
    } else {
        assembler.check_system(first_spec);
    }
    assembler.finish()
}

/// The rules of the dialect of the file, and those of the other one to compare with.
struct Grammars<'s> {
    dialect: Dialect,
    ours: Grammar<'s>,
    theirs: Grammar<'s>,
}

impl Grammars<'_> {
    fn new(dialect: Dialect) -> Self {
        let other = match dialect {
            Dialect::Modern => Dialect::Classic,
            Dialect::Classic => Dialect::Modern,
        };
        Grammars { dialect, ours: Grammar::new(dialect), theirs: Grammar::new(other) }
    }
}

/// The order of the parts of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Declarations,
    Agents,
    System,
    Specs,
}

impl Stage {
    fn of(kind: SegmentKind) -> Stage {
        match kind {
            SegmentKind::System => Stage::System,
            SegmentKind::Spec => Stage::Specs,
            SegmentKind::Agent => Stage::Agents,
            kind if kind.is_section() => Stage::Agents,
            _ => Stage::Declarations,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Stage::Declarations => "the declarations",
            Stage::Agents => "the agents",
            Stage::System => "`system`",
            Stage::Specs => "the specs",
        }
    }
}

/// An agent, with the places of the sections that it has.
struct OpenAgent {
    agent: Agent,
    sections: Vec<(SegmentKind, Span)>,
    /// True if something in it could not be read: then a missing section may be there after all.
    damaged: bool,
}

impl OpenAgent {
    fn new(name: Ident, damaged: bool) -> OpenAgent {
        let process = Process::error(name.span);
        let agent = Agent { name, locals: Vec::new(), init: None, relabel: Vec::new(), receive_guard: None, process };
        OpenAgent { agent, sections: Vec::new(), damaged }
    }

    /// True if a section of this kind must be one of another agent: behind the behaviour, and not the first of its kind.
    fn is_followed_by(&self, kind: SegmentKind) -> bool {
        let has = |wanted| self.sections.iter().any(|(kind, _)| *kind == wanted);
        kind != SegmentKind::Repeat && has(SegmentKind::Repeat) && has(kind)
    }
}

struct Assembler<'a> {
    source: &'a SourceFile,
    diagnostics: &'a mut Diagnostics,
    memory: Option<&'a mut Memory>,
    model: Model,
    agent: Option<OpenAgent>,
    system: Option<Span>,
    stage: Stage,
    /// The part that stands too early, if that was reported.
    late_for: Option<Stage>,
    /// How many errors the grammar found, whether they were reported or not.
    faults: usize,
    /// Text that was read, but is no model: no reason to be silent about anything else, so it is reported in the end.
    remarks: Vec<Remark>,
}

impl Assembler<'_> {
    fn segment<'s>(&mut self, grammars: &Grammars<'s>, segment: &'s Segment<'s>) {
        if !segment.doubtful.is_empty() && segment.kind == SegmentKind::Relabel {
            self.lose_part_of(segment.kind);
        }
        if !segment.doubtful.is_empty() || matches!(segment.kind, SegmentKind::Stray | SegmentKind::Unknown) {
            self.damage(segment);
        }
        let is_reported = segment.tokens.first().is_some_and(|(token, _)| *token == Token::UnknownDeclaration);
        let is_in_agent = self.agent.is_some() && segment.kind == SegmentKind::Const;
        if !segment.kind.is_section() && !is_reported && !is_in_agent {
            self.close_agent();
        }
        if segment.kind == SegmentKind::Stray {
            report::stray(segment, self.source).into_iter().for_each(|stray| add(self.diagnostics, stray));
            return;
        }
        if segment.kind.is_section() {
            return self.section(grammars, segment);
        }
        if let Some(first) = self.system.filter(|_| segment.kind == SegmentKind::System) {
            return add(self.diagnostics, repeated("`system`", segment.keyword(), first));
        }
        self.check_order(segment);
        match segment.kind {
            SegmentKind::Agent => self.open_agent(grammars, segment),
            SegmentKind::System => self.system(grammars, segment),
            SegmentKind::Spec => {
                let formula = self
                    .read_grouped(segment, grammars, |g| &g.spec, |formula| vec![formula])
                    .unwrap_or_else(|| Expr::error(segment.span()));
                let span = segment.keyword().to(formula.span);
                if assumes(self.source.slice(segment.keyword())) {
                    let above = self.model.specs.len();
                    self.model.assumptions.push(Assumption { formula, above, span });
                } else {
                    self.model.specs.push(Spec { name: None, expect: None, formula, span });
                }
            }
            _ => self.global(grammars, segment),
        }
    }

    fn check_order(&mut self, segment: &Segment) {
        let stage = Stage::of(segment.kind);
        if stage < self.stage {
            if self.late_for.replace(self.stage) == Some(self.stage) {
                return;
            }
            let keyword = self.source.slice(segment.keyword());
            let message = format!("`{keyword}` must stand before {}", self.stage.name());
            let diagnostic = Diagnostic::new(Code::UnexpectedToken, segment.keyword(), message).label("too late");
            add(
                self.diagnostics,
                diagnostic.help("a file has declarations, agents, `system` and specs, in this order"),
            );
        } else {
            self.stage = stage;
        }
    }

    fn global<'s>(&mut self, grammars: &Grammars<'s>, segment: &'s Segment<'s>) {
        let ours = &grammars.ours;
        let global = match segment.kind {
            SegmentKind::Enum | SegmentKind::Channels => {
                let rule = if segment.kind == SegmentKind::Enum { &ours.enumeration } else { &ours.channels };
                self.read(segment, rule).map(|(name, constants)| Global::Enum { name, constants })
            }
            SegmentKind::Messages => self.read(segment, &ours.declarations).map(Global::Messages),
            SegmentKind::Properties => self.read(segment, &ours.declarations).map(Global::Properties),
            SegmentKind::PointToPoint => self.point_to_point(grammars, segment),
            SegmentKind::Const => {
                let constant = self.read(segment, &ours.constant);
                constant.map(|(name, value)| Global::Constant { name, value, given: None })
            }
            _ => self.read_grouped(segment, grammars, |g| &g.guard, |guard| vec![&guard.body]).map(Global::Guard),
        };
        self.model.globals.extend(global);
    }

    fn point_to_point<'s>(&mut self, grammars: &Grammars<'s>, segment: &'s Segment<'s>) -> Option<Global> {
        let first = self.model.globals.iter().find_map(|global| match global {
            Global::PointToPoint { keyword, .. } => Some(keyword.span),
            _ => None,
        });
        if let Some(first) = first {
            add(self.diagnostics, repeated("`point-to-point`", segment.keyword(), first).help("keep one of them"));
            return None;
        }
        let reading = self.read(segment, &grammars.ours.reading)?;
        let keyword = Ident { name: "point-to-point".to_owned(), span: segment.keyword() };
        Some(Global::PointToPoint { reading, keyword })
    }

    fn system<'s>(&mut self, grammars: &Grammars<'s>, segment: &'s Segment<'s>) {
        let system = self.read_grouped(
            segment,
            grammars,
            |g| &g.system,
            |(instances, restriction)| instances.iter().map(|instance| &instance.init).chain(restriction).collect(),
        );
        self.system = Some(segment.keyword());
        (self.model.system, self.model.restriction) = system.unwrap_or_default();
    }

    fn open_agent<'s>(&mut self, grammars: &Grammars<'s>, segment: &'s Segment<'s>) {
        let errors = self.errors();
        let end = segment.span().end as usize;
        let name = self.read(segment, &grammars.ours.agent);
        let damaged = self.errors() > errors;
        if damaged {
            // The text behind the name may have been meant as the locals.
            self.lose(Part::Members(self.model.agents.len()));
        }
        let name = name.unwrap_or_else(|| Ident { name: String::new(), span: Span::new(end, end) });
        self.agent = Some(OpenAgent::new(name, damaged));
    }

    fn section<'s>(&mut self, grammars: &Grammars<'s>, segment: &'s Segment<'s>) {
        let keyword = segment.keyword();
        let begins_agent = self.agent.as_ref().is_none_or(|open| open.is_followed_by(segment.kind));
        if begins_agent && self.stage <= Stage::Agents {
            self.open_nameless_agent(keyword);
        }
        let Some(mut open) = self.agent.take() else {
            let message = format!("`{}:` belongs in an agent", self.source.slice(keyword));
            add(
                self.diagnostics,
                Diagnostic::new(Code::UnexpectedToken, keyword, message).label("outside of an agent"),
            );
            return;
        };
        let mut same = open.sections.iter().filter(|(kind, _)| *kind == segment.kind);
        if let Some((_, first)) = same.next() {
            if same.next().is_none() {
                let name = format!("`{}:`", self.source.slice(keyword));
                add(self.diagnostics, repeated(&name, keyword, *first));
            }
            if segment.kind == SegmentKind::Local {
                open.agent.locals.extend(self.read(segment, &grammars.ours.declarations).unwrap_or_default());
            }
            open.sections.push((segment.kind, keyword));
            self.agent = Some(open);
            return;
        }
        if segment.kind == SegmentKind::Unknown {
            open.damaged = true;
            let agent = self.model.agents.len();
            self.lose(Part::Members(agent));
            self.lose(Part::Relabelling(agent));
            self.agent = Some(open);
            return;
        }
        open.sections.push((segment.kind, keyword));
        let errors = self.errors();
        let agent = &mut open.agent;
        match segment.kind {
            SegmentKind::Local => agent.locals = self.read(segment, &grammars.ours.declarations).unwrap_or_default(),
            SegmentKind::Init => agent.init = Some(self.condition(grammars, segment)),
            SegmentKind::ReceiveGuard => agent.receive_guard = Some(self.condition(grammars, segment)),
            SegmentKind::Relabel => agent.relabel = self.relabel(grammars, segment),
            _ => agent.process = self.process(grammars, segment),
        }
        open.damaged |= self.errors() > errors;
        self.agent = Some(open);
    }

    /// Opens an agent where only its sections stand.
    fn open_nameless_agent(&mut self, section: Span) {
        self.close_agent();
        add(
            self.diagnostics,
            Diagnostic::new(Code::UnexpectedToken, section, "`agent` and a name are missing here")
                .label("belongs to another agent than the sections before")
                .help("begin each agent with `agent Name`"),
        );
        self.lose(Part::Agents);
        let start = section.start as usize;
        self.agent = Some(OpenAgent::new(Ident { name: String::new(), span: Span::new(start, start) }, true));
    }

    fn condition<'s>(&mut self, grammars: &Grammars<'s>, segment: &'s Segment<'s>) -> Expr {
        self.read_grouped(segment, grammars, |g| &g.condition, |condition| vec![condition])
            .unwrap_or_else(|| Expr::error(segment.span()))
    }

    fn relabel<'s>(&mut self, grammars: &Grammars<'s>, segment: &'s Segment<'s>) -> Vec<Assignment> {
        let relabel = self.read_grouped(
            segment,
            grammars,
            |g| &g.relabel,
            |list| list.iter().map(|assignment| &assignment.value).collect(),
        );
        relabel.unwrap_or_default()
    }

    fn process<'s>(&mut self, grammars: &Grammars<'s>, segment: &'s Segment<'s>) -> Process {
        let process = self.remembered(grammars, segment).unwrap_or_else(|| Process::error(segment.span()));
        grouping::check_rep(&process, grammars.dialect, self.diagnostics);
        process
    }

    /// Reads a process, unless it is remembered; remembers it if nothing is to be said about it.
    fn remembered<'s>(&mut self, grammars: &Grammars<'s>, segment: &'s Segment<'s>) -> Option<Process> {
        let mut key = None;
        if let Some(memory) = self.memory.as_mut().filter(|_| segment.readable && !segment.corrected) {
            match memory.recall(Key::new(grammars.dialect, &segment.tokens), &segment.tokens) {
                Ok(process) => return Some(process),
                Err(unknown) => key = Some(unknown),
            }
        }
        let before = self.findings();
        let process = self.read_grouped(segment, grammars, |g| &g.repeat, process_expressions)?;
        let is_faultless = self.findings() == before && !is_full(self.diagnostics);
        if let (Some(memory), Some(key)) = (self.memory.as_mut(), key.filter(|_| is_faultless)) {
            memory.remember(key, &segment.tokens, &process);
        }
        Some(process)
    }

    /// How much there is to say so far.
    fn findings(&self) -> usize {
        self.diagnostics.iter().count() + self.remarks.len() + self.faults
    }

    fn close_agent(&mut self) {
        let Some(open) = self.agent.take() else { return };
        let has_process = open.sections.iter().any(|(kind, _)| *kind == SegmentKind::Repeat);
        if !has_process && !open.damaged {
            let name = &open.agent.name;
            add(
                self.diagnostics,
                Diagnostic::new(Code::UnexpectedToken, name.span, format!("agent `{}` has no behaviour", name.name))
                    .label("no `repeat:` follows")
                    .help("add `repeat:` with the commands of the agent"),
            );
        }
        self.model.agents.push(open.agent);
    }

    /// Reports that there is no `system`, where it should stand.
    fn check_system(&mut self, first_spec: Option<Span>) {
        if self.system.is_none() {
            let end = self.source.text().trim_end().len();
            let place = first_spec.unwrap_or(Span::new(end, end));
            add(
                self.diagnostics,
                Diagnostic::new(Code::UnexpectedToken, place, "the file has no `system`")
                    .label("expected `system = ..` before here")
                    .help("compose instances of the agents, as in `system = Type(name, true) || Type(other, true)`"),
            );
        }
    }

    /// Notes that the rest of the file was not read.
    fn lose_rest(&mut self) {
        let agent = self.model.agents.len();
        if let Some(open) = &mut self.agent {
            open.damaged = true;
            self.lose(Part::Members(agent));
            self.lose(Part::Relabelling(agent));
        }
        let lost =
            [(Stage::Declarations, Part::Globals), (Stage::Agents, Part::Agents), (Stage::System, Part::Instances)];
        let stage = self.stage;
        lost.into_iter().filter(|(last, _)| stage <= *last).for_each(|(_, part)| self.lose(part));
    }

    fn finish(mut self) -> Model {
        self.close_agent();
        for remark in &self.remarks {
            add(self.diagnostics, report::forbidden(remark));
        }
        self.model
    }

    fn read<'s, T>(&mut self, segment: &'s Segment<'s>, rule: &Rule<'s, T>) -> Option<T> {
        if !segment.readable {
            self.damage(segment);
            self.lose_part_of(segment.kind);
            return None;
        }
        let Read { value, errors, remarks } = read(rule, &segment.tokens);
        if !errors.is_empty() || remarks.iter().any(|remark| matches!(remark, Remark::TooHigh(_))) {
            self.damage(segment);
        }
        let hides = match segment.kind {
            SegmentKind::Repeat => false,
            SegmentKind::Relabel => !errors.is_empty(),
            // Where a family is broken, its members are not known.
            SegmentKind::System if segment.tokens.iter().any(|(token, _)| *token == Token::OpenBracket) => {
                !errors.is_empty() || !segment.doubtful.is_empty()
            }
            _ => errors.iter().any(hides_name),
        };
        if hides || value.is_none() {
            self.lose_part_of(segment.kind);
        }
        for error in report::independent(&errors, segment) {
            if is_full(self.diagnostics) {
                break;
            }
            if let Some(diagnostic) = report::diagnostic(error, segment, self.source) {
                add(self.diagnostics, diagnostic);
            }
        }
        self.faults += errors.len();
        self.remarks.extend(remarks);
        value
    }

    /// How many errors were found so far.
    fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|finding| finding.severity() == Severity::Error).count()
    }

    /// Notes that a segment could not be read as a whole.
    fn damage(&mut self, segment: &Segment) {
        let damage = self.model.damage.get_or_insert_default();
        damage.names.extend(segment.declared_names().map(str::to_owned));
    }

    /// Notes that a part of the file may declare more than what was read.
    fn lose(&mut self, part: Part) {
        self.model.damage.get_or_insert_default().lost.insert(part);
    }

    /// Notes that names are missing of what a segment declares, if it declares any; sections are those of the agent
    /// that is open.
    fn lose_part_of(&mut self, kind: SegmentKind) {
        let agent = self.model.agents.len();
        match kind {
            SegmentKind::Init | SegmentKind::ReceiveGuard | SegmentKind::Spec => {}
            SegmentKind::Agent => self.lose(Part::Agents),
            SegmentKind::System => self.lose(Part::Instances),
            SegmentKind::Relabel => self.lose(Part::Relabelling(agent)),
            kind if kind.is_section() => self.lose(Part::Members(agent)),
            _ => self.lose(Part::Globals),
        }
    }

    /// Reads a segment; if it is faultless, compares its expressions with what they are in the other dialect.
    fn read_grouped<'s, T>(
        &mut self,
        segment: &'s Segment<'s>,
        grammars: &Grammars<'s>,
        rule: impl for<'g> Fn(&'g Grammar<'s>) -> &'g Rule<'s, T>,
        expressions: impl Fn(&T) -> Vec<&Expr>,
    ) -> Option<T> {
        let before = self.findings();
        let ours = self.read(segment, rule(&grammars.ours))?;
        let faultless = !segment.corrected && self.findings() == before;
        if faultless && grouping::may_differ(&segment.tokens) {
            let theirs = read(rule(&grammars.theirs), &segment.tokens).value;
            let theirs = theirs.as_ref().map_or(Vec::new(), &expressions);
            for (ours, theirs) in expressions(&ours).into_iter().zip(theirs) {
                grouping::compare(ours, theirs, grammars.dialect, self.diagnostics);
            }
        }
        Some(ours)
    }
}

/// True if an error stands where a name is declared, so that are not known the name.
fn hides_name(error: &SyntaxError) -> bool {
    use Expect::{Declaration, Instance, Name};
    [Declaration, Instance, Name].into_iter().any(|what| error.expected.contains(what))
}

fn process_expressions(process: &Process) -> Vec<&Expr> {
    let mut expressions = Vec::new();
    walk::commands(process, &mut |command| {
        walk::command_expressions(command, &mut |expr| expressions.push(expr));
    });
    expressions
}

fn repeated(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::new(Code::UnexpectedToken, span, format!("{name} is given twice"))
        .label("second time")
        .related(first, "first time")
        .help("join the two")
}
