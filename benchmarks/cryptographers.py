#!/usr/bin/env python3
"""Writes the dining cryptographers in ISPL, for any number of them.

Usage: benchmarks/cryptographers.py N > model.ispl

In the first step each looks at two coins, in the second all say whether these are equal (or the opposite, if they
paid), and the environment notes the parity of what was said. There are 3 * (N + 1) * 2^N states.
"""

import itertools
import sys

from usage import answer_help


def parity(agents, is_odd):
    """That an odd, or even, number of agents says "different": half by half, so that the condition grows with the square."""
    if len(agents) == 1:
        return f"C{agents[0]}.Action = {'different' if is_odd else 'equal'}"
    left, right = agents[: len(agents) // 2], agents[len(agents) // 2 :]
    ways = [(True, not is_odd), (False, is_odd)]
    return "(" + " or ".join(f"{parity(left, a)} and {parity(right, b)}" for a, b in ways) + ")"


def environment(count):
    coins = "".join(f"    coin{i + 1} : boolean;\n" for i in range(count))
    lines = ""
    for name, is_odd in (("odd", True), ("even", False)):
        lines += f"    said = {name} if said = nothing and {parity(range(1, count + 1), is_odd)};\n"
    return f"""Agent Environment
  Obsvars:
    said : {{nothing, even, odd}};
  end Obsvars
  Vars:
{coins}  end Vars
  Actions = {{none}};
  Protocol:
    Other : {{none}};
  end Protocol
  Evolution:
{lines}  end Evolution
end Agent
"""


def cryptographer(number, count):
    one, other = f"coin{number}", f"coin{number % count + 1}"
    return f"""
Agent C{number}
  Lobsvars = {{{one}, {other}}};
  Vars:
    paid : boolean;
    sees : {{nothing, same, other}};
  end Vars
  Actions = {{equal, different, silent}};
  Protocol:
    paid = false and sees = same or paid = true and sees = other : {{equal}};
    paid = false and sees = other or paid = true and sees = same : {{different}};
    Other : {{silent}};
  end Protocol
  Evolution:
    sees = same if sees = nothing and Environment.{one} = Environment.{other};
    sees = other if sees = nothing and Environment.{one} <> Environment.{other};
  end Evolution
end Agent
"""


def model(count):
    agents = range(1, count + 1)
    none_paid = " and ".join(f"!paid{i}" for i in agents)
    others = " or ".join(f"paid{i}" for i in agents if i != 1)
    ignorant = " and ".join(f"!K(C1, paid{i})" for i in agents if i != 1)
    at_most_one = "\n    and ".join(
        f"(C{i}.paid = false or C{j}.paid = false)" for i, j in itertools.combinations(agents, 2)
    )
    propositions = "".join(f"  paid{i} if C{i}.paid = true;\n" for i in agents)
    return (
        environment(count)
        + "".join(cryptographer(i, count) for i in agents)
        + f"""
Evaluation
  odd if Environment.said = odd;
  even if Environment.said = even;
{propositions}end Evaluation

InitStates
  Environment.said = nothing
    and {" and ".join(f"C{i}.sees = nothing" for i in agents)}
    and {at_most_one};
end InitStates

Groups
  all = {{{", ".join(f"C{i}" for i in agents)}}};
end Groups

Formulae
  -- name: who_did_not_pay_learns_no_more
  -- expect: holds
  AG (odd and !paid1 -> K(C1, {others}) and {ignorant});
  -- name: nobody_paid_is_common_knowledge
  -- expect: holds
  AG (even -> GCK(all, {none_paid}));
  -- name: what_was_said_stays_said
  -- expect: holds
  CTL* A ((X X odd and X X G odd) or (X X even and X X G even));
end Formulae
"""
    )


if __name__ == "__main__":
    answer_help(__doc__)
    sys.stdout.write(model(int(sys.argv[1])))
