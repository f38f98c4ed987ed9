//! Random specs about the corners: labels of all kinds where runs begin anew, quantifiers without members, fairness that
//! contradicts itself.

use crate::common::random::Random;

/// An instance, or a variable that stands for a member of the family.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Conditions on its state.
    pub states: Vec<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Those that are no receives.
    pub initiatives: Vec<String>,
}

/// The names that specs may use.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// The instances that are listed.
    pub instances: Vec<Subject>,
    /// Any member of the family, if there is one.
    pub member: Option<Subject>,
}

/// The most temporal operators of a spec.
const OPERATORS: usize = 4;

/// Draws specs.
pub struct Specs<'r> {
    /// The source of random choices.
    pub random: &'r mut Random,
    /// About what.
    pub vocabulary: &'r Vocabulary,
}

impl Specs<'_> {
    /// A condition on initial states, perhaps one that none satisfies.
    pub fn restriction(&mut self) -> Option<String> {
        let is_of_local = |state: &&String| state.ends_with("-b");
        let of = |subject: &Subject| subject.states.iter().find(is_of_local).cloned();
        let mut conditions: Vec<String> = self.vocabulary.instances.iter().filter_map(of).collect();
        if let Some(member) = self.vocabulary.member.as_ref().and_then(of) {
            conditions.extend(["exists", "forall"].map(|word| format!("({word} k : M . {member})")));
            conditions.push(format!("((count k : M . {member}) = 1)"));
        }
        match self.random.below(12) {
            0 => Some("false".to_owned()),
            1..=3 if !conditions.is_empty() => Some(self.random.pick(&conditions).clone()),
            4 if !conditions.is_empty() => {
                let (one, other) = (self.random.pick(&conditions), self.random.pick(&conditions));
                Some(format!("({one} & !{other})"))
            }
            _ => None,
        }
    }

    /// A formula that restricts the runs of which the later specs speak.
    pub fn assumption(&mut self, spec: usize) -> Option<String> {
        match self.random.below(if spec == 0 { 8 } else { 12 }) {
            0 => Some(self.fairness()),
            1 => Some(self.contradiction()),
            2 => {
                let operator = *self.random.pick(&["X", "F", "G"]);
                Some(format!("({operator} {})", self.atom()))
            }
            3 => {
                let (one, other) = (self.label(), self.condition());
                Some(format!("({one} U {other})"))
            }
            _ => None,
        }
    }

    /// A spec.
    pub fn spec(&mut self) -> String {
        let mut operators = OPERATORS;
        let depth = 2 + self.random.below(3);
        match self.random.below(6) {
            0 => {
                let premise = self.fairness();
                operators -= 2;
                format!("({premise} -> {})", self.formula(depth, &mut operators))
            }
            1 => {
                let premise = self.contradiction();
                operators -= 2;
                format!("({premise} -> {})", self.formula(depth, &mut operators))
            }
            2 => {
                let body = self.branching(depth, &mut operators);
                format!("(G {body})")
            }
            _ => self.formula(depth, &mut operators),
        }
    }

    fn formula(&mut self, depth: usize, operators: &mut usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        let temporal = if *operators > 0 { 1 } else { 0 };
        match self.random.weighted(&[8, 10, 14, 30 * temporal, 12 * temporal, 8 * temporal, 20, 4]) {
            0 => self.atom(),
            1 => format!("(!{})", self.formula(depth - 1, operators)),
            2 => {
                let operator = *self.random.pick(&["&", "|", "->", "<->"]);
                format!("({} {operator} {})", self.formula(depth - 1, operators), self.formula(depth - 1, operators))
            }
            3 => {
                *operators -= 1;
                let operator = *self.random.pick(&["X", "F", "G"]);
                format!("({operator} {})", self.formula(depth - 1, operators))
            }
            4 => {
                *operators -= 1;
                let operator = *self.random.pick(&["U", "W", "R"]);
                format!("({} {operator} {})", self.formula(depth - 1, operators), self.formula(depth - 1, operators))
            }
            5 => {
                *operators -= 1;
                let observation = self.observation();
                let body = self.formula(depth - 1, operators);
                if self.random.percent(50) {
                    format!("(<<{observation}>> {body})")
                } else {
                    format!("([[{observation}]] {body})")
                }
            }
            6 => self.branching(depth, operators),
            _ => self.contradiction(),
        }
    }

    /// A statement about other runs from here, or about states that look alike.
    fn branching(&mut self, depth: usize, operators: &mut usize) -> String {
        let body = match self.random.percent(40) {
            true => self.label(),
            false => self.formula(depth - 1, operators),
        };
        let Some(knower) = self.instance() else {
            return format!("{}({body})", self.random.pick(&["A", "E"]));
        };
        let group = match (self.random.below(3), &self.vocabulary.member) {
            (0, Some(_)) => "M".to_owned(),
            (1, _) => "Agent".to_owned(),
            _ => format!("{{{}}}", knower.name),
        };
        match self.random.below(8) {
            0..=2 => format!("A({body})"),
            3 | 4 => format!("E({body})"),
            5 | 6 => format!("K({}, {body})", knower.name),
            _ if group == "M" => format!("(forall j{depth} : M . K(j{depth}, {body}))"),
            _ => format!("{}({group}, {body})", self.random.pick(&["GK", "DK", "GCK"])),
        }
    }

    fn instance(&mut self) -> Option<Subject> {
        let instances = &self.vocabulary.instances;
        if instances.is_empty() { None } else { Some(self.random.pick(instances).clone()) }
    }

    /// Something true or false at a moment.
    fn atom(&mut self) -> String {
        match self.random.weighted(&[50, 25, 8, 6, 6, 5]) {
            0 => self.label(),
            1 => self.condition(),
            2 => "deadlock".to_owned(),
            3 => format!("enabled({})", self.actor()),
            4 => format!("acts({})", self.actor()),
            _ => (*self.random.pick(&["true", "false"])).to_owned(),
        }
    }

    /// A label of any kind, or that of some or all members.
    fn label(&mut self) -> String {
        self.about(|subject| &subject.labels)
    }

    /// A condition on a state.
    fn condition(&mut self) -> String {
        if let Some(member) = &self.vocabulary.member
            && self.random.percent(20)
        {
            let what = self.random.pick(&member.states);
            let right = match (self.random.below(6), self.vocabulary.instances.is_empty()) {
                (0, _) => "size(M)".to_owned(),
                (1, false) => "size(M | A)".to_owned(),
                _ => self.random.below(3).to_string(),
            };
            return format!("((count k : M . ({what})) {} {right})", ["=", ">", "<"][self.random.below(3)]);
        }
        self.about(|subject| &subject.states)
    }

    fn about(&mut self, list: impl Fn(&Subject) -> &Vec<String>) -> String {
        let of_member =
            self.vocabulary.member.as_ref().filter(|_| self.vocabulary.instances.is_empty() || self.random.percent(35));
        match of_member {
            Some(member) => {
                let what = self.random.pick(list(member));
                format!("({} k : M . ({what}))", ["forall", "exists"][self.random.below(2)])
            }
            None => {
                let instance = self.random.pick(&self.vocabulary.instances);
                format!("({})", self.random.pick(list(instance)))
            }
        }
    }

    /// An instance or a command that is no receive, of one that is listed.
    fn actor(&mut self) -> String {
        let Some(instance) = self.instance() else { return "m1".to_owned() };
        if instance.initiatives.is_empty() || self.random.percent(40) {
            return instance.name;
        }
        self.random.pick(&instance.initiatives).clone()
    }

    fn fairness(&mut self) -> String {
        let word = *self.random.pick(&["weak", "strong", "strong"]);
        match &self.vocabulary.member {
            Some(_) if self.vocabulary.instances.is_empty() || self.random.percent(25) => {
                format!("(forall k : M . {word}(k))")
            }
            _ => format!("{word}({})", self.actor()),
        }
    }

    /// Demands that no run meets, or hardly one.
    fn contradiction(&mut self) -> String {
        let (one, other) = (self.atom(), self.atom());
        match self.random.below(4) {
            0 => format!("((G (F {one})) & (F (G (!{one}))))"),
            1 => format!("((G (F {one})) & (G (F {other})))"),
            2 => format!("({} & (G (F {one})))", self.fairness()),
            _ => format!("((F (G {one})) & (G (F (!{other}))))"),
        }
    }

    fn observation(&mut self) -> String {
        let fixed = ["true", "p2p", "chan = *", "chan = c", "V", "!V", "exists(w)", "forall(w)"];
        match self.instance() {
            Some(instance) if self.random.percent(40) => {
                format!(
                    "{} = {}",
                    self.random.pick(&["sender", "getter", "supplier", "initiator", "producer"]),
                    instance.name
                )
            }
            _ => (*self.random.pick(&fixed)).to_owned(),
        }
    }
}
