#!/usr/bin/env python3
"""How soon the language server answers, as its own processor time: after keystrokes in models of 1,000 and 10,000 lines, and
from opening the case study to the verdicts on all its specs (there the worker processes count, too); and each step through a
counterexample.

Usage: benchmarks/latency.py [PROGRAM]     (target/release/rcheck-smt if not said; Linux)
"""

import os
import sys
from pathlib import Path

from usage import answer_help

answer_help(__doc__)
ROOT = Path(__file__).resolve().parents[1]
os.environ["RCHECK_SMT"] = str(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/rcheck-smt").resolve())
sys.path[:0] = [str(ROOT / "tests/lsp"), str(ROOT / ".lsp-client")]

from editor import Raw  # noqa: E402

KEYS = 40


def seconds(pid):
    """The processor time of a process, with threads that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children(pid):
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def model(lines):
    """A model with so many lines: agents of 19 lines each."""
    agents = []
    for n in range(lines // 19 + 1):
        commands = ";\n".join(
            f"        c{k}: {{x{n} < 5 & y{n}}} *! (true)(M := x{n})[x{n} := x{n} + 1]" for k in range(12)
        )
        agents.append(
            f"agent A{n}\n    local: x{n} : 0..5, y{n} : bool\n    init: x{n} = 0\n    receive-guard: chan = *\n"
            f"    repeat: (\n{commands}\n    )\n\n"
        )
    system = "system = " + " || ".join(f"A{n}(a{n}, true)" for n in range(lines // 19 + 1))
    return f"enum channel {{c}}\nmessage-structure: M : int\n\n{''.join(agents)}{system}\nSPEC G (a0-x0 >= 0);\n"


def until_diagnosed(server, version):
    while True:
        said = server.receive()
        if said.get("method") == "textDocument/publishDiagnostics" and said["params"].get("version") == version:
            return


def keystrokes(lines):
    server, uri, text = Raw(), "file:///model.rcp", model(lines)
    item = {"uri": uri, "languageId": "rcheck", "version": 0, "text": text}
    server.notify("textDocument/didOpen", {"textDocument": item})
    until_diagnosed(server, 0)
    line = text[: text.index(f"init: x{lines // 38}")].count("\n")
    begun = seconds(server.server.pid)
    for key in range(1, KEYS + 1):
        # `x` becomes `xx`, which is an error, and `x` again.
        start, end = {"line": line, "character": 10}, {"line": line, "character": 10 if key % 2 else 11}
        change = {"range": {"start": start, "end": end}, "text": "x" if key % 2 else ""}
        identifier = {"uri": uri, "version": key}
        server.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
        until_diagnosed(server, key)
    each = (seconds(server.server.pid) - begun) / KEYS
    server.server.kill()
    server.server.wait()
    print(f"diagnostics after a keystroke, {text.count(chr(10))} lines: {1000 * each:.1f} ms")


def case_study():
    server, path = Raw(), ROOT / "specs/resource_allocation/modern.rcp"
    uri = path.as_uri()
    item = {"uri": uri, "languageId": "rcheck", "version": 0, "text": path.read_text()}
    server.notify("textDocument/didOpen", {"textDocument": item})
    answer = server.ask("workspace/executeCommand", {"command": "rcheck-smt.prove", "arguments": [{"uri": uri}]})
    verdicts = [result["verdict"] for result in answer["result"]]
    used = seconds(server.server.pid) + sum(seconds(child) for child in children(server.server.pid))
    spec = next(result["spec"] for result in answer["result"] if result["hasTrace"])
    begun = seconds(server.server.pid)
    for key in range(KEYS):
        argument = {"uri": uri, "spec": spec, "position": key % 4}
        server.ask("workspace/executeCommand", {"command": "rcheck-smt.step", "arguments": [argument]})
    each = (seconds(server.server.pid) - begun) / KEYS
    server.end()
    print(f"a step through a counterexample: {1000 * each:.1f} ms")
    print(f"from opening the case study to {len(verdicts)} verdicts ({', '.join(sorted(set(verdicts)))}): {used:.2f} s")


keystrokes(1_000)
keystrokes(10_000)
case_study()
