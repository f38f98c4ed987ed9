"""A session with the simulator."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import tempfile
from pathlib import Path
from typing import Sequence

from ._tool import Running, ToolError
from ._trace import State, Trace

_CHOICE = re.compile(r"^  (\d+)  (.*)$", re.MULTILINE)

#: The message of the simulator before the session has begun, where there are several initial states.
_NOT_BEGUN = "choose an initial state first"


class Simulation:
    """Steps through a model; what is possible says the concrete semantics. Close it, or use it in ``with``.

    Ctrl-C ends the command that is at work, not the session: a search has taken no step then, while random steps that
    were taken stay.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self._files = tempfile.TemporaryDirectory(prefix="rcheck-smt-")
        self._running = Running(["simulate", "--quiet", *arguments], talks=True)
        self._has_begun = self._is_closed = False
        self._ask("")
        self._has_begun = True

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the session."""
        self._is_closed = True
        self._running.close()
        self._files.cleanup()

    def command(self, line: str) -> str:
        """The answer to a command of the simulator; ``help`` lists them. Raises `ToolError` if it is refused."""
        if not line.isprintable():
            raise ValueError("a command is one line, without control characters")
        answer = self._ask(line)
        if answer.startswith("error: ") or re.search(r"^\[E\d+\]", answer, re.MULTILINE):
            raise ToolError(answer.removeprefix("error: "), 2)
        return answer

    def _ask(self, line: str) -> str:
        if self._is_closed:
            raise ToolError("the session is closed", 0)
        # A comment ends the answer: the tool repeats it, and says nothing to it. It is another one each time, so that no answer
        # is taken for that to another command.
        end = f"# {os.urandom(8).hex()}"
        try:
            self._send(f"{line}\n{end}\n")
            answer = self._until(end)
        except KeyboardInterrupt:
            self._give_up(end)
            raise
        if answer is not None:
            return answer.partition(f"> {line}\n")[2]
        code, words = self._running.end()
        raise ToolError("the session has ended" if self._has_begun else words, code)

    def _send(self, words: str) -> None:
        stdin = self._running.process.stdin
        assert stdin is not None
        # A process that has ended says so where it is read.
        with contextlib.suppress(BrokenPipeError):
            stdin.write(words)
            stdin.flush()

    def _until(self, end: str) -> str | None:
        """The output before that line; nothing without that line."""
        answer = ""
        for words in self._running.lines():
            if words == f"> {end}\n":
                return answer
            answer += words or ""
        return None

    def _give_up(self, end: str) -> None:
        """Ends the command that is at work; the session, if that cannot be."""
        is_told = False
        try:
            for words in self._running.lines(every=0.3):
                if words == f"> {end}\n":
                    return
                # Between two commands, an interrupt would end the session: who answers at once is not told.
                if words is None and not is_told:
                    self._running.process.send_signal(signal.SIGINT)
                    is_told = True
        except KeyboardInterrupt:
            pass
        self.close()

    def _reach(self, line: str) -> State:
        answer = self.command(line)
        if missed := re.search("^not reached.*", answer, re.MULTILINE):
            raise ToolError(missed[0], 0)
        return self.state

    @property
    def choices(self) -> list[str]:
        """The steps that are possible, or, before the first one, the initial states if there are several; `take` takes one.
        Raises `ToolError` if there are unboundedly many."""
        try:
            listed = self.command("steps")
        except ToolError as error:
            if not str(error).startswith(_NOT_BEGUN):
                raise
            listed = self.command("initial")
            if not _CHOICE.search(listed):
                raise ToolError(listed, 0) from None
        return [words for _, words in _CHOICE.findall(listed)]

    def take(self, choice: int) -> State:
        """Takes one of `choices`, counted from 0 as in the list."""
        self.command(str(choice + 1))
        return self.state

    def random(self, steps: int = 1) -> State:
        """Takes random steps."""
        self.command(f"random {steps}")
        return self.state

    def until(self, condition: str) -> State:
        """Takes random steps until a condition holds, as the simulator reads it. Raises `ToolError`, and takes none, if
        it does not hold soon (after 1,000 steps)."""
        position = len(self.trace) - 1
        try:
            return self._reach(f"until {condition}")
        except ToolError:
            self.command(f"goto {position}")
            raise

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
