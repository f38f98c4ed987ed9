"""Models that are made of another one: the outcome of a strategy, and a model that begins in given states."""

from __future__ import annotations

import copy
import dataclasses

from initial import Variable
from model import Agent, Command, Instance, Model, Spec
from semantics import Local
from trees import FALSE, TRUE, Node, atom, binary, negation, node, number, pairwise, rebuild

Exclusions = dict[tuple[int, int], list[Node]]      # conditions in code, by instance and command


def constant(type_: tuple, value) -> Node:
    """A value of a type as an expression."""
    name = type_[1] if type_[0] == "enum" else "int" if type_[0] == "range" else type_[0]
    return node("const", name, value)


def all_true(conditions: list[Node]) -> Node:
    """The conjunction of conditions, from left to right."""
    if not conditions:
        return TRUE
    result = conditions[0]
    for c in conditions[1:]:
        result = node("&", result, c)
    return result


def in_code(tree: Node) -> Node:
    """A condition about the locals of one instance as one in the code of its agent type."""
    if tree.kind == "var":
        return node("local", tree.args[1])
    return rebuild(tree, in_code)


def with_instances(model: Model, instances: list[Instance]) -> Model:
    """The model with other instances in place of its own."""
    result = copy.copy(model)
    result.instances = instances
    result.instance_of = {i.name: i for i in instances}
    return result


# -------------------------------------------------------------------- outcomes

def outcome(model: Model, excluded: Exclusions, specs: list[Node]) -> Model:
    """The model in which commands are excluded under conditions, with other specs.

    Each instance of which something is excluded gets an agent type of its own, behind those of the file.
    """
    instances, agents = [], list(model.agents)
    for i in model.instances:
        if any(owner == i.number for owner, _ in excluded):
            agents.append(restricted(i, len(agents), excluded))
            i = dataclasses.replace(i, agent=agents[-1])
        instances.append(i)
    result = with_instances(model, instances)
    result.agents = agents
    result.specs = [Spec(None, f, []) for f in specs]
    result.assumptions = []
    return result


def restricted(i: Instance, number_: int, excluded: Exclusions) -> Agent:
    """The agent type of an instance with stronger guards."""
    commands = []
    for c in i.agent.commands:
        guard = c.guard
        for condition in excluded.get((i.number, c.number), []):
            guard = node("&", guard, negation(condition))
        commands.append(dataclasses.replace(c, guard=guard))
    return dataclasses.replace(i.agent, number=number_, commands=commands)


# ------------------------------------------------------- models from given states

def starting(model: Model, states: list[list[Local]]) -> Model:
    """The model that begins in given states, whose automaton states are locals."""
    agents = [placed(agent) for agent in model.agents]
    instances = [dataclasses.replace(i, agent=agents[i.agent.number], condition=TRUE) for i in model.instances]
    result = with_instances(model, instances)
    result.agents = agents
    result.starts = [[(0, values + (state,)) for state, values in local_states] for local_states in states]
    result.where = atom(start_condition(result, result.starts))
    return result


def placed(agent: Agent) -> Agent:
    """An agent type whose automaton state is its last local."""
    name = "place"
    while agent.local(name) is not None:
        name += "_"
    place = len(agent.locals)
    locals_ = agent.locals + [(name, ("range", 0, agent.states - 1))]
    return dataclasses.replace(agent, locals=locals_, init=None, commands=[moving(c, place) for c in agent.commands],
                               states=1)


def moving(c: Command, place: int) -> Command:
    """A command that is at its source by its guard, and goes to its target by an update."""
    guard = node("&", binary("=", node("local", place), number(c.source)), c.guard)
    return dataclasses.replace(c, source=0, target=0, guard=guard, updates=c.updates | {place: number(c.target)})


def start_condition(model: Model, starts: list[list[Local]]) -> Node:
    """The condition that a state is one of these."""
    cases = []
    for state in starts:
        values = {(i.number, x): v for i in model.instances for x, v in enumerate(state[i.number][1])}
        cases.append(all_true([is_value(model, variable, v) for variable, v in values.items()]))
    return pairwise(cases, lambda a, b: node("|", a, b), FALSE)


def is_value(model: Model, variable: Variable, value) -> Node:
    i, x = variable
    return binary("=", node("var", i, x), constant(model.instances[i].agent.locals[x][1], value))


def with_places(model: Model, tree: Node) -> Node:
    """A formula about a model with locals in place of automaton states."""
    if tree.kind == "auto":
        return node("var", tree.args[0], len(model.instances[tree.args[0]].agent.locals) - 1)
    return rebuild(tree, lambda t: with_places(model, t))
