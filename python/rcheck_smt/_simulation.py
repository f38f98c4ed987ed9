"""A session with the simulator."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Sequence

from ._tool import ToolError, environment, executable
from ._trace import State, Trace

_CHOICE = re.compile(r"^  (\d+)  (.*)$", re.MULTILINE)


class Simulation:
    """Steps through a model; what is possible says the concrete semantics. Close it, or use it in ``with``."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._files = tempfile.TemporaryDirectory(prefix="rcheck-smt-")
        # A comment ends the answer to each command: the tool repeats it, and says nothing to it.
        self._end = f"# {os.urandom(8).hex()}"
        self._process = subprocess.Popen(
            [executable(), "--color=never", "simulate", "--quiet", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=environment(),
        )
        self._has_begun = False
        self._ask("")
        self._has_begun = True

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the session."""
        self._process.kill()
        self._process.communicate()
        self._files.cleanup()

    def command(self, line: str) -> str:
        """The answer to a command of the simulator; ``help`` lists them. Raises `ToolError` if it is refused."""
        if not line.isprintable():
            raise ValueError("a command is one line, without control characters")
        answer = self._ask(line)
        if answer.startswith("error: ") or re.match(r"\[[EWN]\d+\]", answer):
            raise ToolError(answer.removeprefix("error: "), 2)
        return answer

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        if self._process.stdin.closed:
            raise ToolError("the session is closed", 0)
        answer = ""
        try:
            self._process.stdin.write(f"{line}\n{self._end}\n")
            self._process.stdin.flush()
            for words in self._process.stdout:
                if words == f"> {self._end}\n":
                    return answer.partition(f"> {line}\n")[2]
                answer += words
        except BrokenPipeError:
            pass
        self._process.wait()
        assert self._process.stderr is not None
        words = "the session has ended" if self._has_begun else self._process.stderr.read()
        raise ToolError(words, self._process.returncode)

    def _reach(self, line: str) -> State:
        answer = self.command(line)
        if missed := re.search("^not reached.*", answer, re.MULTILINE):
            raise ToolError(missed[0], 0)
        return self.state

    @property
    def choices(self) -> list[str]:
        """The steps that are possible, or the initial states; `take` takes one."""
        return [words for _, words in _CHOICE.findall(self.command("steps"))]

    def take(self, choice: int) -> State:
        """Takes one of `choices`, counted from 0 as in the list."""
        self.command(str(choice + 1))
        return self.state

    def random(self, steps: int = 1) -> State:
        """Takes random steps."""
        self.command(f"random {steps}")
        return self.state

    def until(self, condition: str) -> State:
        """Takes random steps until a condition holds, as the simulator reads it. Raises `ToolError` if none leads there."""
        return self._reach(f"until {condition}")

    def find(self, condition: str) -> State:
        """Takes a shortest way to a condition. Raises `ToolError`, and takes none, if there is no short one."""
        return self._reach(f"find {condition}")

    def back(self, steps: int = 1) -> State:
        """Takes steps back."""
        self.command(f"back {steps}")
        return self.state

    def why(self, command: str) -> str:
        """Why a command cannot be taken."""
        return self.command(f"why {command}")

    @property
    def trace(self) -> Trace:
        """The run so far."""
        file = Path(self._files.name) / "trace.json"
        self.command(f"save {file}")
        return Trace.load(file)

    @property
    def state(self) -> State:
        """The state that is reached."""
        return self.trace[-1]
