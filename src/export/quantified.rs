//! A proof for all sizes as one SMT-LIB script with quantifiers: about an uninterpreted sort of agents, however many there
//! are, so that its readers need not trust the rule about open instances.
//!
//! It is written from the model, not from a transition system: `C.x` is the local `x` of an agent of type `C`, `C.x.next`
//! what it is after a step; enums, channels and automaton states are numbers.

use super::Subject;
use crate::check::sizes::Uniform;
use crate::check::sizes::clause::Clause;
use crate::check::sizes::step;
use crate::check::{ProofBy, Verdict};
use crate::escape::visible;
use crate::model::formula::StateLeaf;
use crate::model::{
    Action, Agent, AgentId, BinaryOp, CommandLeaf, Edge, Expr, Family, Formula, GetTarget, InstanceId, LocalId,
    MessageId, Model, Type, Value,
};
use crate::ts::smtlib::write::{application, between, integer, quotient};
use std::collections::BTreeSet;

/// The claim of a proof, in first-order logic.
pub struct Quantified {
    /// Declarations and definitions.
    declarations: String,
    /// Each question, and the formula that has to be unsatisfiable.
    questions: Vec<(&'static str, String)>,
}

impl Quantified {
    /// Of a proof; nothing where it would need what first-order logic does not have, as sums, or what no sort is made for
    /// here, as channels of members' own.
    pub fn new(model: &Model, spec: usize, uniform: &Uniform) -> Option<Quantified> {
        let reference = uniform.reference();
        let plain = |family: &Family| !family.is_given && family.channels.is_empty();
        if !uniform.evidence().is_empty()
            || !reference.totals().is_empty()
            || !model.families().iter().all(plain)
            || reference.sizes().contains(&0)
        {
            return None;
        }
        let writer = Writer { model: reference };
        let mut declarations = writer.declarations(uniform.least());
        declarations += "; the step: a send, or a get and supply\n";
        let events = writer.events()?;
        events.iter().for_each(|event| declarations += &event.definition);
        let some: Vec<String> = events.iter().map(Event::happens).collect();
        declarations += &format!("(define-fun step () Bool {})\n", application("or", &some));
        let invariant = |next| -> Option<Vec<String>> {
            uniform.clauses().iter().map(|clause| writer.clause(clause, next)).collect()
        };
        declarations +=
            &format!("; the invariant, before and after a step\n{}", define("invariant", &invariant(false)?));
        declarations += &define("invariant.next", &invariant(true)?);
        declarations += &format!("; the initial states\n{}", define("initial", &writer.initial()?));
        let mut questions = vec![
            ("an initial state violates the invariant", asserted(&["initial", "(not invariant)"])),
            ("a step leads out of the invariant", asserted(&["invariant", "step", "(not invariant.next)"])),
        ];
        if let Some(good) = states_of(reference.specs[spec].claimed()).and_then(|states| writer.clauses_of(&states)) {
            declarations += &format!("; the states that the spec allows\n{}", define("good", &good));
            questions.push(("a state with the invariant violates the spec", asserted(&["invariant", "(not good)"])));
        }
        Some(Quantified { declarations, questions })
    }

    /// Each question as a script of its own, with what it asks.
    pub fn scripts(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.questions.iter().map(|(what, asserted)| (*what, format!("{}{asserted}", self.declarations)))
    }

    /// True if the spec is about states alone: then one of the questions is whether it follows.
    pub fn is_whole(&self) -> bool {
        self.questions.len() == 3
    }

    /// The proof for all sizes that a verdict is, as one script for people; nothing for other verdicts, and where it would need
    /// more than first-order logic has.
    pub fn of(subject: Subject, spec: usize, verdict: &Verdict) -> Option<String> {
        let model = verdict.model(subject.model);
        let ProofBy::Uniform(uniform) = verdict.holds_by()? else { return None };
        let quantified = Quantified::new(model, spec, uniform)?;
        let subject = Subject { model, ..subject };
        let heading = [&subject.heading()[..], &[subject.spec(spec), "a proof for all sizes".to_owned()]].concat();
        let heading: String = heading.iter().map(|line| format!("; {}\n", visible(line))).collect();
        Some(format!("{heading}{}", quantified.text()))
    }

    /// All questions as one script, for people.
    fn text(&self) -> String {
        let question =
            |(what, asserted): &(&str, String)| format!("; {what}\n(push 1)\n{asserted}(check-sat)\n(pop 1)\n");
        let questions: String = self.questions.iter().map(question).collect();
        let whole = match self.is_whole() {
            true => "",
            false => "; The spec is about steps: whether some step violates it is asked in open instances alone.\n",
        };
        format!("{}; each answer is `unsat`\n{questions}{whole}", self.declarations)
    }
}

fn asserted(list: &[&str]) -> String {
    list.iter().map(|it| format!("(assert {it})\n")).collect()
}

fn define(name: &str, parts: &[String]) -> String {
    format!("(define-fun {name} () Bool {})\n", application("and", parts))
}

fn forall(variables: &[String], condition: &[String], body: &str) -> String {
    if variables.is_empty() {
        return body.to_owned();
    }
    let bound: Vec<String> = variables.iter().map(|variable| format!("({variable} Agent)")).collect();
    format!("(forall ({}) (=> {} {body}))", bound.join(" "), application("and", condition))
}

fn equal(left: &str, right: &str) -> String {
    format!("(= {left} {right})")
}

/// The conditions on states that a spec says to be true, if it is about nothing else.
fn states_of(formula: &Formula) -> Option<Vec<Expr<StateLeaf>>> {
    let always = step::always(formula).ok()?;
    let said = |(formula, truth): (&Formula, bool)| {
        if truth { conjuncts_of(formula) } else { Some(vec![Expr::Not(Box::new(formula.as_state_expr()?))]) }
    };
    Some(always.into_iter().map(said).collect::<Option<Vec<_>>>()?.concat())
}

fn conjuncts_of(formula: &Formula) -> Option<Vec<Expr<StateLeaf>>> {
    let expr = formula.as_state_expr()?;
    Some(expr.operands(BinaryOp::And).into_iter().cloned().collect())
}

/// One kind of step.
struct Event {
    name: String,
    participants: Vec<&'static str>,
    definition: String,
}

impl Event {
    /// That it happens between some agents.
    fn happens(&self) -> String {
        let bound: Vec<String> = self.participants.iter().map(|it| format!("({it} Agent)")).collect();
        format!("(exists ({}) ({} {}))", bound.join(" "), self.name, self.participants.join(" "))
    }
}

/// The meaning of the leaves of an expression: text, and type; nothing for what has no meaning there.
type Meaning<'a, L> = &'a dyn Fn(L) -> Option<(String, Type)>;
/// The agent that a location stands for.
type Named<'a> = &'a dyn Fn(InstanceId) -> Option<String>;

/// A message: what each variable that it carries is.
type MessageData = Vec<(MessageId, String)>;

/// An agent of a type that a command is about, and what the command reads of others.
#[derive(Clone, Copy)]
struct Scope<'a> {
    agent: AgentId,
    who: &'a str,
    data: &'a [(MessageId, String)],
    channel: Option<&'a str>,
    /// The agent whose relabelling gives property variables their values.
    other: Option<(AgentId, &'a str)>,
}

impl<'a> Scope<'a> {
    fn of(agent: AgentId, who: &'a str) -> Scope<'a> {
        Scope { agent, who, data: &[], channel: None, other: None }
    }
}

struct Writer<'m> {
    model: &'m Model,
}

impl Writer<'_> {
    fn agent(&self, id: AgentId) -> &Agent {
        &self.model.agents[id.index()]
    }

    fn agent_ids(&self) -> impl Iterator<Item = AgentId> + use<> {
        (0..self.model.agents.len() as u32).map(AgentId)
    }

    /// The agents that are not members of a family.
    fn fixed(&self) -> impl Iterator<Item = InstanceId> + '_ {
        self.model.instance_ids().filter(|id| self.model.place_of_member(*id).is_none())
    }

    fn name(&self, id: InstanceId) -> Option<String> {
        let is_fixed = id.index() < self.model.instances.len() && self.model.place_of_member(id).is_none();
        is_fixed.then(|| format!("agent.{}", self.model.instances[id.index()].name))
    }

    /// A member of a family.
    fn is_member(&self, family: usize, who: &str) -> String {
        equal(&format!("(place {who})"), &(self.fixed().count() + family).to_string())
    }

    fn is_of_type(agent: &Agent, who: &str) -> String {
        format!("(is.{} {who})", agent.name)
    }

    /// The value of a local, or of the automaton state.
    fn local(agent: &Agent, local: Option<LocalId>, who: &str, next: bool) -> String {
        format!("({} {who})", Self::function(agent, local, next))
    }

    /// The function that gives each agent the value of a local, or its automaton state.
    fn function(agent: &Agent, local: Option<LocalId>, next: bool) -> String {
        let name = local.map_or("automaton-state", |local| &agent.locals[local.index()].name);
        format!("{}.{name}{}", agent.name, if next { ".next" } else { "" })
    }

    fn locals(agent: &Agent) -> impl Iterator<Item = Option<LocalId>> + use<> {
        [None].into_iter().chain((0..agent.locals.len() as u32).map(|local| Some(LocalId(local))))
    }

    fn declarations(&self, least: &[u32]) -> String {
        let mut text = "(set-logic ALL)\n; agents, and which instance or family each is\n(declare-sort Agent 0)\n\
                        (declare-fun place (Agent) Int)\n"
            .to_owned();
        for (place, id) in self.fixed().enumerate() {
            let name = self.name(id).expect("it is no member");
            let is_it = format!("(forall ((a Agent)) (= (= (place a) {place}) (= a {name})))");
            text += &format!("(declare-const {name} Agent)\n(assert {is_it})\n");
        }
        let places = self.fixed().count() + self.model.families().len();
        text += &format!("(assert (forall ((a Agent)) (and (<= 0 (place a)) (< (place a) {places}))))\n");
        for (family, least) in least.iter().enumerate() {
            let members: Vec<String> = (1..=*least).map(|member| format!("member.{family}.{member}")).collect();
            for member in &members {
                text += &format!("(declare-const {member} Agent)\n(assert {})\n", self.is_member(family, member));
            }
            if members.len() > 1 {
                text += &format!("(assert {})\n", application("distinct", &members));
            }
        }
        text += "; what they hold, before and after a step\n";
        let mut unchanged = Vec::new();
        for id in self.agent_ids() {
            let agent = self.agent(id);
            let at = |(place, _): (usize, InstanceId)| equal("(place a)", &place.to_string());
            let here =
                self.fixed().enumerate().filter(|(_, instance)| self.model.instances[instance.index()].agent == id);
            let families = self.model.families().iter().enumerate().filter(|(_, family)| family.agent == id);
            let places: Vec<String> =
                here.map(at).chain(families.map(|(family, _)| self.is_member(family, "a"))).collect();
            text += &format!("(define-fun is.{} ((a Agent)) Bool {})\n", agent.name, application("or", &places));
            for local in Self::locals(agent) {
                let ty = local.map_or(Type::Int, |local| agent.locals[local.index()].ty);
                for next in [false, true] {
                    text += &format!("(declare-fun {} (Agent) {})\n", Self::function(agent, local, next), sort(ty));
                }
                let before = Self::local(agent, local, "a", false);
                unchanged.push(equal(&before, &Self::local(agent, local, "a", true)));
                let states = i64::from(agent.states);
                let range = local.map_or(Some((0, states - 1)), |_| self.range(ty));
                if let Some((low, high)) = range {
                    let fits = between(&before, low, high);
                    text += &format!("(assert (forall ((a Agent)) (=> {} {fits})))\n", Self::is_of_type(agent, "a"));
                }
            }
        }
        text += &format!("(define-fun same ((a Agent)) Bool {})\n", application("and", &unchanged));
        text
    }

    /// The least and the greatest number of a type that has them.
    fn range(&self, ty: Type) -> Option<(i64, i64)> {
        match ty {
            Type::Range(low, high) => Some((low, high)),
            Type::Enum(_) | Type::Channel => self.model.cardinality(ty).map(|count| (0, count as i64 - 1)),
            Type::Bool | Type::Int | Type::Location => None,
        }
    }

    fn text<L: Copy>(&self, expr: &Expr<L>, expected: Option<Type>, leaf: Meaning<L>, named: Named) -> Option<String> {
        let part = |part: &Expr<L>, expected| self.text(part, expected, leaf, named);
        Some(match expr {
            Expr::Const(Value::Bool(value)) => value.to_string(),
            Expr::Const(Value::Int(value)) => integer(value),
            Expr::Const(Value::Enum(value)) if expected == Some(Type::Location) => named(InstanceId(*value))?,
            Expr::Const(Value::Enum(value)) => value.to_string(),
            Expr::Leaf(name) => leaf(*name)?.0,
            Expr::Not(inner) => format!("(not {})", part(inner, None)?),
            Expr::Neg(inner) => format!("(- {})", part(inner, None)?),
            Expr::If(condition, yes, no) => {
                format!("(ite {} {} {})", part(condition, None)?, part(yes, expected)?, part(no, expected)?)
            }
            Expr::Binary(BinaryOp::Div, left, right) => {
                let Expr::Const(Value::Int(divisor)) = &**right else { unreachable!("a divisor is a constant") };
                quotient(&part(left, None)?, divisor)
            }
            Expr::Binary(op, left, right) => {
                let ty = type_of(left, leaf).or_else(|| type_of(right, leaf));
                let operator = match op {
                    BinaryOp::And => "and",
                    BinaryOp::Or => "or",
                    BinaryOp::Implies => "=>",
                    BinaryOp::Iff | BinaryOp::Eq => "=",
                    BinaryOp::Ne => "distinct",
                    BinaryOp::Lt => "<",
                    BinaryOp::Le => "<=",
                    BinaryOp::Gt => ">",
                    BinaryOp::Ge => ">=",
                    BinaryOp::Add => "+",
                    BinaryOp::Sub => "-",
                    BinaryOp::Mul | BinaryOp::Div => "*",
                };
                format!("({operator} {} {})", part(left, ty)?, part(right, ty)?)
            }
        })
    }

    fn command(&self, expr: &Expr<CommandLeaf>, expected: Option<Type>, scope: Scope) -> Option<String> {
        let leaf = |leaf: CommandLeaf| match leaf {
            CommandLeaf::Local(local) => {
                let agent = self.agent(scope.agent);
                Some((Self::local(agent, Some(local), scope.who, false), agent.locals[local.index()].ty))
            }
            CommandLeaf::Message(id) => {
                let (_, value) = scope.data.iter().find(|(assigned, _)| *assigned == id)?;
                Some((value.clone(), self.model.messages[id.index()].ty))
            }
            CommandLeaf::Property(id) => {
                let ((agent, who), ty) = (scope.other?, self.model.properties[id.index()].ty);
                let relabelled = self.agent(agent).relabel[id.index()].as_ref()?;
                Some((self.command(relabelled, Some(ty), Scope::of(agent, who))?, ty))
            }
            CommandLeaf::Chan => Some((scope.channel?.to_owned(), Type::Channel)),
            CommandLeaf::Myself => Some((scope.who.to_owned(), Type::Location)),
        };
        self.text(expr, expected, &leaf, &|id| self.name(id))
    }

    /// The data that an agent sends along, and that it fits.
    fn data(&self, edge: &Edge, scope: Scope) -> Option<(MessageData, Vec<String>)> {
        let (mut data, mut fits) = (MessageData::new(), Vec::new());
        for (id, expr) in edge.action.data() {
            let ty = self.model.messages[id.index()].ty;
            let value = self.command(expr, Some(ty), scope)?;
            fits.extend(fitting(&value, ty));
            data.push((*id, value));
        }
        Some((data, fits))
    }

    /// In the automaton state of a command, with its guard true.
    fn at(&self, edge: &Edge, scope: Scope) -> Option<Vec<String>> {
        let state = Self::local(self.agent(scope.agent), None, scope.who, false);
        Some(vec![equal(&state, &edge.source.to_string()), self.command(&edge.guard, None, scope)?])
    }

    /// The next local state of an agent after a command, and that it fits.
    fn take(&self, edge: &Edge, scope: Scope) -> Option<Vec<String>> {
        let agent = self.agent(scope.agent);
        let mut parts = Vec::new();
        for local in Self::locals(agent) {
            let next = Self::local(agent, local, scope.who, true);
            let update = |local: LocalId| edge.updates.iter().find(|(updated, _)| *updated == local);
            let value = match (local, local.and_then(update)) {
                (None, _) => edge.target.to_string(),
                (Some(id), Some((_, expr))) => {
                    let ty = agent.locals[id.index()].ty;
                    let value = self.command(expr, Some(ty), scope)?;
                    parts.extend(fitting(&value, ty));
                    value
                }
                (local, None) => Self::local(agent, local, scope.who, false),
            };
            parts.push(equal(&next, &value));
        }
        Some(parts)
    }

    fn events(&self) -> Option<Vec<Event>> {
        let mut events = Vec::new();
        let edges = |id: AgentId| self.agent(id).edges.iter().enumerate();
        for id in self.agent_ids() {
            for (number, edge) in edges(id) {
                let name = format!("{}.{number}", self.agent(id).name);
                match &edge.action {
                    Action::Send { .. } => events.push(self.send(format!("send.{name}"), id, edge)?),
                    Action::Get { .. } => {
                        for other in self.agent_ids() {
                            for (supply, other_edge) in edges(other) {
                                let name = format!("get.{name}.{}.{supply}", self.agent(other).name);
                                events.extend(self.meet(name, (id, edge), (other, other_edge))?);
                            }
                        }
                    }
                    Action::Receive { .. } | Action::Supply { .. } => {}
                }
            }
        }
        Some(events)
    }

    fn send(&self, name: String, id: AgentId, edge: &Edge) -> Option<Event> {
        let Action::Send { channel, guard, .. } = &edge.action else { unreachable!("a send") };
        let own = Scope::of(id, "s");
        let channel = self.command(channel, Some(Type::Channel), own)?;
        let (data, fits) = self.data(edge, own)?;
        let mut receivers = Vec::new();
        for other in self.agent_ids() {
            let scope = Scope { data: &data, channel: Some(&channel), ..Scope::of(other, "r") };
            let sender = Scope { channel: Some(&channel), other: Some((other, "r")), ..own };
            let does = self.receive(scope, &channel, guard, sender)?;
            receivers.push(format!("(=> {} {does})", Self::is_of_type(self.agent(other), "r")));
        }
        let all = forall(&["r".to_owned()], &["(distinct r s)".to_owned()], &application("and", &receivers));
        let parts =
            [vec![Self::is_of_type(self.agent(id), "s")], self.at(edge, own)?, fits, self.take(edge, own)?, vec![all]];
        let definition = format!("(define-fun {name} ((s Agent)) Bool {})\n", application("and", &parts.concat()));
        Some(Event { name, participants: vec!["s"], definition })
    }

    /// The reaction of an agent of a type to a message.
    fn receive(&self, scope: Scope, channel: &str, send_guard: &Expr<CommandLeaf>, sender: Scope) -> Option<String> {
        let agent = self.agent(scope.agent);
        let listens = self.command(&agent.receive_guard, None, scope)?;
        let (mut ready, mut taken) = (Vec::new(), Vec::new());
        for edge in &agent.edges {
            let Action::Receive { channel: own } = &edge.action else { continue };
            if !edge.reads.iter().all(|id| scope.data.iter().any(|(assigned, _)| assigned == id)) {
                continue;
            }
            let mut is_ready = self.at(edge, scope)?;
            is_ready.push(equal(&self.command(own, Some(Type::Channel), scope)?, channel));
            taken.push(application("and", &[is_ready.clone(), self.take(edge, scope)?].concat()));
            ready.push(application("and", &is_ready));
        }
        let addressed = if ready.is_empty() { "false".to_owned() } else { self.command(send_guard, None, sender)? };
        let broadcast = equal(channel, "0");
        let must = format!(
            "(ite {broadcast} {} {listens})",
            application("and", &[addressed.clone(), application("or", &ready)])
        );
        let takes = application("and", &[addressed, application("or", &taken)]);
        Some(format!("(ite {must} {takes} (same {}))", scope.who))
    }

    /// A get and a supply; nothing inside if they never fit.
    fn meet(&self, name: String, get: (AgentId, &Edge), supply: (AgentId, &Edge)) -> Option<Option<Event>> {
        let (Action::Get { target, .. }, Action::Supply { to, .. }) = (&get.1.action, &supply.1.action) else {
            return Some(None);
        };
        let (getter, supplier) = (Scope::of(get.0, "g"), Scope::of(supply.0, "p"));
        let ((asked, asked_fits), (given, given_fits)) = (self.data(get.1, getter)?, self.data(supply.1, supplier)?);
        let is_read = |data: &MessageData, edge: &Edge| edge.reads.iter().all(|id| data.iter().any(|(it, _)| it == id));
        if !to.serves(target) || !is_read(&given, get.1) || !is_read(&asked, supply.1) {
            return Some(None);
        }
        let asks = match target {
            GetTarget::Location(expr) => equal(&self.command(expr, Some(Type::Location), getter)?, "p"),
            GetTarget::Predicate(expr) => self.command(expr, None, Scope { other: Some((supply.0, "p")), ..getter })?,
        };
        let serves = match &to.named {
            Some((location, side)) => {
                vec![equal(&self.command(location, Some(Type::Location), supplier)?, side.of("g", "p"))]
            }
            None => Vec::new(),
        };
        let (getting, supplying) = (Scope { data: &given, ..getter }, Scope { data: &asked, ..supplier });
        let others = ["(distinct r g)", "(distinct r p)"].map(str::to_owned);
        let parts = [
            vec!["(distinct g p)".to_owned(), Self::is_of_type(self.agent(get.0), "g")],
            vec![Self::is_of_type(self.agent(supply.0), "p"), asks],
            serves,
            self.at(get.1, getting)?,
            self.at(supply.1, supplying)?,
            [asked_fits, given_fits].concat(),
            self.take(get.1, getting)?,
            self.take(supply.1, supplying)?,
            vec![forall(&["r".to_owned()], &others, "(same r)")],
        ];
        let parts = application("and", &parts.concat());
        let definition = format!("(define-fun {name} ((g Agent) (p Agent)) Bool {parts})\n");
        Some(Some(Event { name, participants: vec!["g", "p"], definition }))
    }

    fn initial(&self) -> Option<Vec<String>> {
        let mut parts = Vec::new();
        let members = |family: usize| self.model.families()[family].members().next();
        let fixed = self.fixed().map(|id| Some((id, self.name(id)?, Vec::new())));
        let any = "a".to_owned();
        let families = (0..self.model.families().len())
            .map(|family| Some((members(family)?, any.clone(), vec![self.is_member(family, &any)])));
        for place in fixed.chain(families) {
            let (id, who, condition) = place?;
            let instance = &self.model.instances[id.index()];
            let (agent, scope) = (self.agent(instance.agent), Scope::of(instance.agent, &who));
            let said = [
                equal(&Self::local(agent, None, &who, false), "0"),
                self.command(&agent.init, None, scope)?,
                self.command(&instance.init, None, scope)?,
            ];
            let variables: Vec<String> = if condition.is_empty() { Vec::new() } else { vec![who.clone()] };
            parts.push(forall(&variables, &condition, &application("and", &said)));
        }
        if let Some(restriction) = &self.model.restriction {
            parts.extend(self.clauses_of(&conjuncts_of(&restriction.formula)?)?);
        }
        Some(parts)
    }

    /// Conditions on states of members as clauses, each once.
    fn clauses_of(&self, conditions: &[Expr<StateLeaf>]) -> Option<Vec<String>> {
        let clauses = conditions.iter().map(|it| self.clause(&Clause::new(self.model, it.clone())?, false));
        Some(clauses.collect::<Option<BTreeSet<String>>>()?.into_iter().collect())
    }

    /// A clause: about all lists of different members.
    fn clause(&self, clause: &Clause, next: bool) -> Option<String> {
        let variable = |place: usize| format!("i{}", place + 1);
        let named = |id: InstanceId| match clause.members.binary_search(&id) {
            Ok(place) => Some(variable(place)),
            Err(_) => self.name(id),
        };
        let leaf = |leaf: StateLeaf| {
            let (id, local) = match leaf {
                StateLeaf::Local(id, local) => (id, Some(local)),
                StateLeaf::Automaton(id) => (id, None),
                StateLeaf::Deadlock | StateLeaf::Enabled(..) | StateLeaf::Total(_) => return None,
            };
            let agent = self.model.agent_of(id);
            let ty = local.map_or(Type::Int, |local| agent.locals[local.index()].ty);
            Some((Self::local(agent, local, &named(id)?, next), ty))
        };
        let body = self.text(&clause.expr, None, &leaf, &named)?;
        let variables: Vec<String> = (0..clause.members.len()).map(variable).collect();
        let family = |id: &InstanceId| self.model.place_of_member(*id).expect("it is a member").0;
        let mut conditions: Vec<String> =
            clause.members.iter().zip(&variables).map(|(id, it)| self.is_member(family(id), it)).collect();
        if variables.len() > 1 {
            conditions.push(application("distinct", &variables));
        }
        Some(forall(&variables, &conditions, &body))
    }
}

fn sort(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "Bool",
        Type::Location => "Agent",
        Type::Int | Type::Range(..) | Type::Enum(_) | Type::Channel => "Int",
    }
}

/// That a new value stays in its range.
fn fitting(value: &str, ty: Type) -> Option<String> {
    match ty {
        Type::Range(low, high) => Some(between(value, low, high)),
        _ => None,
    }
}

fn type_of<L: Copy>(expr: &Expr<L>, leaf: Meaning<L>) -> Option<Type> {
    match expr {
        Expr::Leaf(name) => leaf(*name).map(|(_, ty)| ty),
        Expr::If(_, yes, no) => type_of(yes, leaf).or_else(|| type_of(no, leaf)),
        _ => None,
    }
}
