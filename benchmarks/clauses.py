"""Horn clauses and VMT-LIB of others: `peers.py --folder DIR`."""

import re
from pathlib import Path

ANSWERS = {"safe": "holds", "unsafe": "violated"}


class Ours:
    """rcheck-smt itself, with all engines or one of them."""

    name = "rcheck-smt"

    def __init__(self, arguments, execute, engine=None):
        self.arguments, self.execute = arguments, execute
        self.program = arguments.binary
        self.options = ("--engine", engine) if engine else ()
        if engine:
            self.name = f"--engine {engine}"

    def solve(self, path):
        """Its verdict, with the evidence checked."""
        result, text = self.execute([str(self.program), "prove", *self.options, str(path)], self.arguments, None)
        found = re.search(r"^.*: (holds|violated)\b", text, re.MULTILINE)
        return result._replace(answer=found.group(1)) if found and result.answer != "time" else result


class Solver:
    """A solver of Horn clauses, which says `sat` if they are satisfiable: no bad state is reachable."""

    def __init__(self, name, execute, arguments, command):
        self.name, self.arguments, self.execute, self.command = name, arguments, execute, command

    def solve(self, path):
        """Its answer; none to VMT-LIB."""
        if path.suffix != ".smt2":
            return None
        result, text = self.execute([*self.command, str(path)], self.arguments, None)
        found = re.search(r"^(sat|unsat)$", text, re.MULTILINE)
        if not found:
            return result
        return result._replace(answer={"sat": "holds", "unsat": "violated"}[found.group(1)])


def files(folder, only):
    """The systems of a folder, each with the answer that its `expected.tsv` states, if there is one."""
    table = folder / "expected.tsv"
    lines = table.read_text(encoding="utf-8").splitlines() if table.exists() else []
    expected = dict(line.split("\t")[:2] for line in lines if line and not line.startswith("#"))
    for path in sorted(Path(folder).iterdir()):
        if path.suffix in (".smt2", ".vmt") and (not only or re.search(only, path.name)):
            yield path, ANSWERS.get(expected.get(path.name), "open")
