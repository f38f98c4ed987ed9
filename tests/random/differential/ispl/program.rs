//! Random models in ISPL, as trees of their own that nothing of the tool reads, and their text.

use crate::common::random::Random;
use std::fmt::{self, Display, Formatter};

/// A model.
#[derive(Clone, Debug)]
pub struct Program {
    /// True if each line of an evolution sets one variable.
    pub is_single: bool,
    /// The first one is the environment, if there is one.
    pub agents: Vec<Agent>,
    pub propositions: Vec<Expr>,
    /// The conditions on initial states.
    pub initial: Vec<Expr>,
    pub groups: Vec<Vec<usize>>,
    pub fairness: Vec<Formula>,
    pub formulas: Vec<(Logic, Formula)>,
}

#[derive(Clone, Debug)]
pub struct Agent {
    pub name: String,
    pub variables: Vec<Variable>,
    /// Variables of the environment that it names in `Lobsvars`.
    pub lobsvars: Vec<usize>,
    pub actions: usize,
    /// Conditions with actions; one without a condition is last, and serves the other states. Without any, all actions are
    /// possible.
    pub protocol: Vec<(Option<Expr>, Vec<usize>)>,
    /// Assignments and conditions.
    pub evolution: Vec<(Vec<(usize, Expr)>, Expr)>,
    pub red: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub domain: Domain,
    /// True if it stands in `Obsvars`.
    pub all_see: bool,
}

/// The values of a variable; all are numbers here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    Boolean,
    Range(i64, i64),
    /// A number of constants, `v0` and so on, listed from this one on.
    Listed(i64, usize),
}

impl Domain {
    pub fn values(&self) -> std::ops::RangeInclusive<i64> {
        match self {
            Domain::Boolean => 0..=1,
            Domain::Range(low, high) => *low..=*high,
            Domain::Listed(count, _) => 0..=count - 1,
        }
    }

    fn is_like(&self, other: &Domain) -> bool {
        match (self, other) {
            (Domain::Boolean, Domain::Boolean) | (Domain::Range(..), Domain::Range(..)) => true,
            (Domain::Listed(one, _), Domain::Listed(other, _)) => one == other,
            _ => false,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Expr {
    Truth(bool),
    Number(i64),
    /// `v1`
    Constant(i64),
    Variable(usize, usize),
    /// That an agent takes an action, or not.
    Acts(usize, usize, bool),
    Not(Box<Expr>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Implies(Box<Expr>, Box<Expr>),
    /// `=`, `<>`, `<`, `<=`, `>`, `>=`, `+`, `-`, `*`, `/`, `&`, `|`, `^`
    Binary(&'static str, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    Ctl,
    Ltl,
    CtlStar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Everybody,
    Distributed,
    Common,
}

#[derive(Clone, Debug)]
pub enum Formula {
    Truth(bool),
    Proposition(usize),
    /// `A.RedStates` (true), `A.GreenStates`
    Red(usize, bool),
    Not(Box<Formula>),
    All(Vec<Formula>),
    Any(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    Finally(Box<Formula>),
    Globally(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    /// On all runs (true), or on some.
    Path(bool, Box<Formula>),
    /// A group can bring about something with one temporal operator.
    Can(usize, Box<Formula>),
    Knows(usize, Box<Formula>),
    KnowsOf(Known, usize, Box<Formula>),
    Obliged(usize, Box<Formula>),
}

impl Formula {
    /// The formulas directly below.
    pub fn children(&self) -> Vec<&Formula> {
        match self {
            Formula::Truth(_) | Formula::Proposition(_) | Formula::Red(..) => Vec::new(),
            Formula::Not(a)
            | Formula::Next(a)
            | Formula::Finally(a)
            | Formula::Globally(a)
            | Formula::Path(_, a)
            | Formula::Can(_, a)
            | Formula::Knows(_, a)
            | Formula::KnowsOf(_, _, a)
            | Formula::Obliged(_, a) => vec![a],
            Formula::All(list) | Formula::Any(list) => list.iter().collect(),
            Formula::Implies(a, b) | Formula::Iff(a, b) | Formula::Until(a, b) => vec![a, b],
        }
    }

    /// True if it is about other runs or states, whatever is inside.
    pub fn is_branching(&self) -> bool {
        matches!(
            self,
            Formula::Path(..) | Formula::Can(..) | Formula::Knows(..) | Formula::KnowsOf(..) | Formula::Obliged(..)
        )
    }

    pub fn is_temporal(&self) -> bool {
        matches!(self, Formula::Next(_) | Formula::Finally(_) | Formula::Globally(_) | Formula::Until(..))
    }

    /// The temporal operators that are about one and the same run.
    pub fn temporal(&self) -> usize {
        if self.is_branching() {
            return 0;
        }
        usize::from(self.is_temporal()) + self.children().into_iter().map(Formula::temporal).sum::<usize>()
    }
}

/// The most temporal operators that are about one run.
const TEMPORAL: usize = 3;

impl Program {
    /// Some model, which may have too many states.
    pub fn random(random: &mut Random) -> Program {
        let has_environment = random.percent(75);
        let agents = 2 + random.below(2);
        let mut program = Program {
            is_single: random.percent(40),
            agents: Vec::new(),
            propositions: Vec::new(),
            initial: Vec::new(),
            groups: Vec::new(),
            fairness: Vec::new(),
            formulas: Vec::new(),
        };
        for index in 0..agents {
            let is_environment = has_environment && index == 0;
            let name = if is_environment { "Environment".to_owned() } else { format!("P{index}") };
            let variables = (0..1 + random.below(2)).map(|_| Variable {
                domain: match random.below(3) {
                    0 => Domain::Boolean,
                    1 => Domain::Range(-(random.below(2) as i64), 1 + random.below(2) as i64),
                    _ => Domain::Listed(2 + random.below(2) as i64, random.below(2)),
                },
                all_see: is_environment && random.percent(40),
            });
            let variables: Vec<Variable> = variables.collect();
            let actions = 1 + random.below(3);
            program.agents.push(Agent {
                name,
                variables,
                lobsvars: Vec::new(),
                actions,
                protocol: Vec::new(),
                evolution: Vec::new(),
                red: None,
            });
        }
        if has_environment {
            for agent in 1..agents {
                for variable in 0..program.agents[0].variables.len() {
                    if random.percent(40) {
                        program.agents[agent].lobsvars.push(variable);
                    }
                }
            }
        }
        (0..agents).for_each(|agent| program.behaviour(agent, random));
        let everything = program.all_variables();
        program.propositions = (0..3).map(|_| program.condition(&everything, false, 2, random)).collect();
        program.initial = program.beginning(random);
        program.groups = (0..2)
            .map(|_| {
                let some: Vec<usize> = (0..agents).filter(|_| random.percent(65)).collect();
                if some.is_empty() { vec![random.below(agents)] } else { some }
            })
            .collect();
        if random.percent(40) {
            program.fairness = (0..1 + random.below(2)).map(|_| program.proposition(random)).collect();
        }
        program.formulas = (0..5)
            .map(|index| {
                let logic = [Logic::Ctl, Logic::Ltl, Logic::CtlStar][(index + random.below(2)) % 3];
                (logic, program.formula(logic, random))
            })
            .collect();
        program
    }

    fn all_variables(&self) -> Vec<(usize, usize)> {
        let of = |(agent, declared): (usize, &Agent)| (0..declared.variables.len()).map(move |it| (agent, it));
        self.agents.iter().enumerate().flat_map(of).collect()
    }

    /// The variables that an agent sees.
    pub fn seen(&self, agent: usize) -> Vec<(usize, usize)> {
        let mut seen: Vec<(usize, usize)> = (0..self.agents[agent].variables.len()).map(|it| (agent, it)).collect();
        let environment = &self.agents[0];
        if environment.name == "Environment" && agent != 0 {
            let sees = |it: &usize| environment.variables[*it].all_see || self.agents[agent].lobsvars.contains(it);
            seen.extend((0..environment.variables.len()).filter(sees).map(|it| (0, it)));
        }
        seen
    }

    fn behaviour(&mut self, agent: usize, random: &mut Random) {
        let seen = self.seen(agent);
        let actions = self.agents[agent].actions;
        let some = |random: &mut Random| {
            let some: Vec<usize> = (0..actions).filter(|_| random.percent(60)).collect();
            if some.is_empty() { vec![random.below(actions)] } else { some }
        };
        let mut protocol: Vec<(Option<Expr>, Vec<usize>)> = Vec::new();
        for _ in 0..random.below(3) {
            protocol.push((Some(self.condition(&seen, false, 1, random)), some(random)));
        }
        // Without lines every action is possible; with some but without `Other` an agent may be stuck, and all others with it.
        if random.percent(85) {
            protocol.push((None, some(random)));
        }
        let own = self.agents[agent].variables.len();
        let mut evolution = Vec::new();
        for _ in 0..1 + random.below(4) {
            let mut set: Vec<usize> = (0..own).filter(|_| random.percent(60)).collect();
            if self.is_single || set.is_empty() {
                set = vec![random.below(own)];
            }
            let assignments = set.into_iter().map(|it| (it, self.value(agent, it, &seen, random))).collect();
            evolution.push((assignments, self.condition(&seen, true, 2, random)));
        }
        let red = random.percent(40).then(|| self.condition(&seen, false, 1, random));
        let declared = &mut self.agents[agent];
        (declared.protocol, declared.evolution, declared.red) = (protocol, evolution, red);
    }

    /// A new value for a variable, which may leave its range.
    fn value(&self, agent: usize, variable: usize, seen: &[(usize, usize)], random: &mut Random) -> Expr {
        let domain = &self.agents[agent].variables[variable].domain;
        let is_like = |it: &&(usize, usize)| self.agents[it.0].variables[it.1].domain.is_like(domain);
        let alike: Vec<&(usize, usize)> = seen.iter().filter(is_like).collect();
        let of_variable = |random: &mut Random| {
            let (agent, variable) = random.pick(&alike);
            Expr::Variable(*agent, *variable)
        };
        match domain {
            Domain::Boolean if random.percent(25) => self.condition(seen, false, 1, random),
            Domain::Range(..) if random.percent(50) => match self.number(seen, 2, random) {
                // A number outside of the range is an error.
                Expr::Number(_) => literal(domain, random),
                other => other,
            },
            _ if random.percent(25) => of_variable(random),
            _ => literal(domain, random),
        }
    }

    fn number(&self, seen: &[(usize, usize)], depth: usize, random: &mut Random) -> Expr {
        let is_number = |it: &&(usize, usize)| matches!(self.agents[it.0].variables[it.1].domain, Domain::Range(..));
        let numbers: Vec<&(usize, usize)> = seen.iter().filter(is_number).collect();
        if depth > 0 && random.percent(55) {
            let parts = [(); 2].map(|()| Box::new(self.number(seen, depth - 1, random)));
            let [left, right] = parts;
            // A constant that is no integer is an error where it is assigned.
            if !matches!(*left, Expr::Number(_)) && random.percent(20) {
                return Expr::Binary("/", left, Box::new(Expr::Number(*random.pick(&[2, 3, -2]))));
            }
            return Expr::Binary(["+", "-", "*", "+"][random.below(4)], left, right);
        }
        if !numbers.is_empty() && random.percent(60) {
            let (agent, variable) = random.pick(&numbers);
            return Expr::Variable(*agent, *variable);
        }
        Expr::Number(random.between(-1, 2))
    }

    /// A condition over some variables, and over actions if so.
    fn condition(&self, seen: &[(usize, usize)], acts: bool, depth: usize, random: &mut Random) -> Expr {
        let part = |random: &mut Random| self.condition(seen, acts, depth - 1, random);
        if depth > 0 && random.percent(50) {
            return match random.below(5) {
                0 => Expr::Not(Box::new(part(random))),
                1 => Expr::Implies(Box::new(part(random)), Box::new(part(random))),
                2 => Expr::Any((0..2 + random.below(2)).map(|_| part(random)).collect()),
                _ => Expr::All((0..2 + random.below(2)).map(|_| part(random)).collect()),
            };
        }
        if acts && random.percent(50) {
            let agent = random.below(self.agents.len());
            return Expr::Acts(agent, random.below(self.agents[agent].actions), random.percent(75));
        }
        if random.percent(8) {
            return Expr::Truth(random.percent(70));
        }
        // Long lists of cases.
        if depth > 0 && random.percent(15) {
            let case = |random: &mut Random| {
                let one = |(agent, variable): &(usize, usize)| {
                    let value = literal(&self.agents[*agent].variables[*variable].domain, random);
                    equation(*agent, *variable, value)
                };
                Expr::All(seen.iter().map(one).collect())
            };
            return Expr::Any((0..9).map(|_| case(random)).collect());
        }
        if depth > 0 && random.percent(15) {
            let [left, right] = [(); 2].map(|()| Box::new(part(random)));
            let bits = Box::new(Expr::Binary(["&", "|", "^"][random.below(3)], left, right));
            return Expr::Binary("=", bits, Box::new(Expr::Truth(random.percent(50))));
        }
        let (agent, variable) = *random.pick(seen);
        let domain = &self.agents[agent].variables[variable].domain;
        match domain {
            Domain::Range(..) => {
                let op = *random.pick(&["=", "<>", "<", "<=", ">", ">="]);
                let other = self.number(seen, 1, random);
                Expr::Binary(op, Box::new(Expr::Variable(agent, variable)), Box::new(other))
            }
            _ => {
                let is_like = |it: &&(usize, usize)| self.agents[it.0].variables[it.1].domain.is_like(domain);
                let alike: Vec<&(usize, usize)> = seen.iter().filter(is_like).collect();
                let other = if random.percent(25) {
                    let (agent, variable) = random.pick(&alike);
                    Expr::Variable(*agent, *variable)
                } else {
                    literal(domain, random)
                };
                let op = if random.percent(75) { "=" } else { "<>" };
                Expr::Binary(op, Box::new(Expr::Variable(agent, variable)), Box::new(other))
            }
        }
    }

    fn beginning(&self, random: &mut Random) -> Vec<Expr> {
        let mut list = Vec::new();
        for (agent, variable) in self.all_variables() {
            if random.percent(75) {
                list.push(equation(agent, variable, literal(&self.agents[agent].variables[variable].domain, random)));
            }
        }
        if list.is_empty() || random.percent(25) {
            list.push(self.condition(&self.all_variables(), false, 2, random));
        }
        list
    }

    /// A formula without temporal operators, knowledge and the like.
    fn proposition(&self, random: &mut Random) -> Formula {
        match random.below(12) {
            0 => Formula::Truth(random.percent(50)),
            1 | 2 => Formula::Red(random.below(self.agents.len()), random.percent(50)),
            3 | 4 => Formula::Not(Box::new(self.proposition(random))),
            _ => Formula::Proposition(random.below(self.propositions.len())),
        }
    }

    fn formula(&self, logic: Logic, random: &mut Random) -> Formula {
        match logic {
            Logic::Ltl => self.of_runs(logic, 4, TEMPORAL, random).0,
            _ => self.of_state(logic, 4, random),
        }
    }

    fn of_state(&self, logic: Logic, depth: usize, random: &mut Random) -> Formula {
        let part = |random: &mut Random| Box::new(self.of_state(logic, depth - 1, random));
        if depth == 0 {
            return self.proposition(random);
        }
        match random.below(10) {
            0 => self.proposition(random),
            1 => Formula::Not(part(random)),
            2 => self.connected(*part(random), *part(random), random),
            3..=6 => {
                let is_all = random.percent(50);
                let can = random.percent(40);
                let body = match logic {
                    Logic::CtlStar if !can => self.of_runs(logic, depth - 1, TEMPORAL, random).0,
                    _ => match random.below(4) {
                        0 => Formula::Next(part(random)),
                        1 => Formula::Finally(part(random)),
                        2 => Formula::Globally(part(random)),
                        _ => Formula::Until(part(random), part(random)),
                    },
                };
                match can {
                    true => Formula::Can(random.below(self.groups.len()), Box::new(body)),
                    false => Formula::Path(is_all, Box::new(body)),
                }
            }
            _ => self.known(logic, depth, random),
        }
    }

    /// A formula of knowledge or of obligation.
    fn known(&self, logic: Logic, depth: usize, random: &mut Random) -> Formula {
        let body = if logic == Logic::Ltl || logic == Logic::CtlStar && random.percent(30) {
            self.of_runs(logic, depth - 1, 2, random).0
        } else {
            self.of_state(logic, depth - 1, random)
        };
        let body = Box::new(body);
        match random.below(6) {
            0 => Formula::Obliged(random.below(self.agents.len()), body),
            1 | 2 => {
                let known = *random.pick(&[Known::Everybody, Known::Distributed, Known::Common]);
                Formula::KnowsOf(known, random.below(self.groups.len()), body)
            }
            3 => Formula::KnowsOf(Known::Common, random.below(self.groups.len()), body),
            _ => Formula::Knows(random.below(self.agents.len()), body),
        }
    }

    /// A formula about a run with at most so many temporal operators, and how many are left.
    fn of_runs(&self, logic: Logic, depth: usize, left: usize, random: &mut Random) -> (Formula, usize) {
        if depth == 0 {
            return (self.proposition(random), left);
        }
        match random.below(9) {
            0 => (self.proposition(random), left),
            1 => {
                let (inner, left) = self.of_runs(logic, depth - 1, left, random);
                (Formula::Not(Box::new(inner)), left)
            }
            2 => {
                let (one, left) = self.of_runs(logic, depth - 1, left, random);
                let (other, left) = self.of_runs(logic, depth - 1, left, random);
                (self.connected(one, other, random), left)
            }
            3 => match logic {
                Logic::Ltl => (self.known(logic, depth, random), left),
                _ => (self.of_state(logic, depth - 1, random), left),
            },
            _ if left == 0 => (self.proposition(random), left),
            4 | 5 => {
                let (inner, left) = self.of_runs(logic, depth - 1, left - 1, random);
                (if random.percent(60) { Formula::Finally(inner.into()) } else { Formula::Next(inner.into()) }, left)
            }
            6 | 7 => {
                let (inner, left) = self.of_runs(logic, depth - 1, left - 1, random);
                (Formula::Globally(inner.into()), left)
            }
            _ => {
                let (one, left) = self.of_runs(logic, depth - 1, left - 1, random);
                let (other, left) = self.of_runs(logic, depth - 1, left, random);
                (Formula::Until(one.into(), other.into()), left)
            }
        }
    }

    fn connected(&self, one: Formula, other: Formula, random: &mut Random) -> Formula {
        match random.below(4) {
            0 => Formula::All(vec![one, other]),
            1 => Formula::Any(vec![one, other]),
            2 => Formula::Implies(one.into(), other.into()),
            _ => Formula::Iff(one.into(), other.into()),
        }
    }

    /// An expression as text, as it stands in an agent, or in none.
    fn text(&self, expr: &Expr, inside: Option<usize>) -> String {
        let part = |expr: &Expr| format!("({})", self.text(expr, inside));
        let list = |list: &[Expr], word: &str| list.iter().map(part).collect::<Vec<_>>().join(word);
        match expr {
            Expr::Truth(value) => value.to_string(),
            Expr::Number(number) => number.to_string(),
            Expr::Constant(number) => format!("v{number}"),
            Expr::Variable(agent, variable) if inside == Some(*agent) => format!("x{variable}"),
            Expr::Variable(agent, variable) => format!("{}.x{variable}", self.agents[*agent].name),
            Expr::Acts(agent, action, is_so) => {
                let op = if *is_so { "=" } else { "<>" };
                let whose =
                    if inside == Some(*agent) { String::new() } else { format!("{}.", self.agents[*agent].name) };
                format!("{whose}Action {op} a{action}")
            }
            Expr::Not(inner) => format!("!{}", part(inner)),
            Expr::All(parts) => list(parts, " and "),
            Expr::Any(parts) => list(parts, " or "),
            Expr::Implies(left, right) => format!("{} -> {}", part(left), part(right)),
            Expr::Binary(op, left, right) => {
                // Constants are recognised where they stand bare.
                let side = |expr: &Expr| match expr {
                    Expr::Constant(_) | Expr::Variable(..) | Expr::Truth(_) => self.text(expr, inside),
                    other => part(other),
                };
                format!("{} {op} {}", side(left), side(right))
            }
        }
    }

    fn said(&self, formula: &Formula) -> String {
        let part = |formula: &Formula| format!("({})", self.said(formula));
        let list = |list: &[Formula], word: &str| list.iter().map(part).collect::<Vec<_>>().join(word);
        match formula {
            Formula::Truth(value) => value.to_string(),
            Formula::Proposition(number) => format!("p{number}"),
            Formula::Red(agent, is_red) => {
                format!("{}.{}States", self.agents[*agent].name, if *is_red { "Red" } else { "Green" })
            }
            Formula::Not(inner) => format!("!{}", part(inner)),
            Formula::All(parts) => list(parts, " and "),
            Formula::Any(parts) => list(parts, " or "),
            Formula::Implies(a, b) => format!("{} -> {}", part(a), part(b)),
            Formula::Iff(a, b) => format!("{} <-> {}", part(a), part(b)),
            Formula::Next(a) => format!("X {}", part(a)),
            Formula::Finally(a) => format!("F {}", part(a)),
            Formula::Globally(a) => format!("G {}", part(a)),
            Formula::Until(a, b) => format!("{} U {}", part(a), part(b)),
            Formula::Path(is_all, body) => {
                let quantifier = if *is_all { "A" } else { "E" };
                match &**body {
                    Formula::Next(a) => format!("{quantifier}X {}", part(a)),
                    Formula::Finally(a) => format!("{quantifier}F {}", part(a)),
                    Formula::Globally(a) => format!("{quantifier}G {}", part(a)),
                    other => format!("{quantifier} {}", part(other)),
                }
            }
            Formula::Can(group, body) => match &**body {
                Formula::Until(..) => format!("<g{group}> {}", part(body)),
                other => format!("<g{group}> {}", self.said(other)),
            },
            Formula::Knows(agent, body) => format!("K({}, {})", self.agents[*agent].name, self.said(body)),
            Formula::KnowsOf(known, group, body) => {
                let word = match known {
                    Known::Everybody => "GK",
                    Known::Distributed => "DK",
                    Known::Common => "GCK",
                };
                format!("{word}(g{group}, {})", self.said(body))
            }
            Formula::Obliged(agent, body) => format!("O({}, {})", self.agents[*agent].name, self.said(body)),
        }
    }
}

fn literal(domain: &Domain, random: &mut Random) -> Expr {
    let values = domain.values();
    let value = random.between(*values.start(), *values.end());
    match domain {
        Domain::Boolean => Expr::Truth(value == 1),
        Domain::Range(..) => Expr::Number(value),
        Domain::Listed(..) => Expr::Constant(value),
    }
}

fn equation(agent: usize, variable: usize, value: Expr) -> Expr {
    Expr::Binary("=", Box::new(Expr::Variable(agent, variable)), Box::new(value))
}

impl Display for Program {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        let joined = |list: Vec<String>| list.join(", ");
        if self.is_single {
            writeln!(out, "Semantics = SingleAssignment;")?;
        }
        for (index, agent) in self.agents.iter().enumerate() {
            writeln!(out, "Agent {}", agent.name)?;
            if !agent.lobsvars.is_empty() {
                let names = agent.lobsvars.iter().map(|it| format!("x{it}")).collect();
                writeln!(out, "  Lobsvars = {{{}}};", joined(names))?;
            }
            for (section, all_see) in [("Obsvars", true), ("Vars", false)] {
                let of_section = |(_, it): &(usize, &Variable)| it.all_see == all_see;
                let list: Vec<_> = agent.variables.iter().enumerate().filter(of_section).collect();
                if list.is_empty() {
                    continue;
                }
                writeln!(out, "  {section}:")?;
                for (number, variable) in list {
                    let domain = match &variable.domain {
                        Domain::Boolean => "boolean".to_owned(),
                        Domain::Range(low, high) => format!("{low}..{high}"),
                        Domain::Listed(count, first) => {
                            let names = (0..*count).map(|it| format!("v{}", (it + *first as i64) % count)).collect();
                            format!("{{{}}}", joined(names))
                        }
                    };
                    writeln!(out, "    x{number} : {domain};")?;
                }
                writeln!(out, "  end {section}")?;
            }
            if let Some(red) = &agent.red {
                writeln!(out, "  RedStates:\n    {};\n  end RedStates", self.text(red, Some(index)))?;
            }
            let action = |it: usize| format!("a{it}");
            writeln!(out, "  Actions = {{{}}};", joined((0..agent.actions).map(action).collect()))?;
            writeln!(out, "  Protocol:")?;
            for (condition, actions) in &agent.protocol {
                let condition = condition.as_ref().map_or("Other".to_owned(), |it| self.text(it, Some(index)));
                writeln!(out, "    {condition} : {{{}}};", joined(actions.iter().map(|it| action(*it)).collect()))?;
            }
            writeln!(out, "  end Protocol\n  Evolution:")?;
            for (assignments, condition) in &agent.evolution {
                let one = |(variable, value): &(usize, Expr)| {
                    let value = match value {
                        Expr::Truth(_) | Expr::Constant(_) | Expr::Number(_) => self.text(value, Some(index)),
                        other => format!("({})", self.text(other, Some(index))),
                    };
                    format!("x{variable} = {value}")
                };
                let assignments: Vec<String> = assignments.iter().map(one).collect();
                writeln!(out, "    {} if {};", assignments.join(" and "), self.text(condition, Some(index)))?;
            }
            writeln!(out, "  end Evolution\nend Agent")?;
        }
        writeln!(out, "Evaluation")?;
        for (number, condition) in self.propositions.iter().enumerate() {
            writeln!(out, "  p{number} if {};", self.text(condition, None))?;
        }
        let initial: Vec<String> = self.initial.iter().map(|it| format!("({})", self.text(it, None))).collect();
        writeln!(out, "end Evaluation\nInitStates\n  {};\nend InitStates\nGroups", initial.join(" and "))?;
        for (number, members) in self.groups.iter().enumerate() {
            let names = members.iter().map(|it| self.agents[*it].name.clone()).collect();
            writeln!(out, "  g{number} = {{{}}};", joined(names))?;
        }
        writeln!(out, "end Groups")?;
        if !self.fairness.is_empty() {
            writeln!(out, "Fairness")?;
            self.fairness.iter().try_for_each(|it| writeln!(out, "  {};", self.said(it)))?;
            writeln!(out, "end Fairness")?;
        }
        writeln!(out, "Formulae")?;
        for (logic, formula) in &self.formulas {
            let begin = match logic {
                Logic::Ctl => "",
                Logic::Ltl => "LTL ",
                Logic::CtlStar => "CTL* ",
            };
            writeln!(out, "  {begin}{};", self.said(formula))?;
        }
        writeln!(out, "end Formulae")
    }
}
