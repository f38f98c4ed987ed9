"""The tool as a process: where it is, how it is run, what its exit codes mean."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import sysconfig
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Sequence, Union

if TYPE_CHECKING:
    from ._records import Finding, Result

#: Names another binary than the installed one.
VARIABLE = "RCHECK_SMT"

#: Tells the tool to end when the process that started it has ended, however that came.
DEPENDENT = "RCHECK_SMT_DEPENDENT"

#: The tool read its input, and says what it has to say in records.
ANSWERS = frozenset((0, 1, 4))

StrPath = Union[str, "os.PathLike[str]"]


class ToolError(Exception):
    """The tool refused its arguments, or failed. ``str`` of it has the tool's own words."""

    def __init__(self, words: str, code: int) -> None:
        super().__init__(words.strip() or f"rcheck-smt ended with exit code {code}")
        #: The exit code; negative if a signal ended the process.
        self.code = code

    def __reduce__(self) -> "tuple[Any, ...]":
        # It may be raised in another process.
        return type(self), (str(self), self.code)


class ModelError(ToolError):
    """The model has errors."""

    def __init__(self, words: str, code: int, findings: "tuple[Finding, ...]") -> None:
        super().__init__(words, code)
        #: The errors, with their places.
        self.findings = findings

    def __reduce__(self) -> "tuple[Any, ...]":
        return type(self), (str(self), self.code, self.findings)


class IncompleteError(ToolError):
    """Some units of a batch have no result, whatever was tried."""

    def __init__(self, words: str, code: int, results: "Sequence[Result]", lost: "tuple[str, ...]") -> None:
        super().__init__(words, code)
        #: Those of the others.
        self.results = results
        #: The names of all units that have none.
        self.lost = lost

    def __reduce__(self) -> "tuple[Any, ...]":
        return type(self), (str(self), self.code, self.results, self.lost)


class Interrupted(KeyboardInterrupt):
    """The user pressed Ctrl-C, or interrupted the notebook."""

    def __init__(self, results: "Sequence[Result]") -> None:
        super().__init__("interrupted")
        #: The results until then.
        self.results = results

    def __reduce__(self) -> "tuple[Any, ...]":
        return type(self), (self.results,)


def executable() -> str:
    """The path of the tool: the environment variable ``RCHECK_SMT``, or what was installed with this module, or else
    what is on the ``PATH``."""
    if named := os.environ.get(VARIABLE):
        return named
    users = [name for name in sysconfig.get_scheme_names() if name.endswith("_user")]
    folders = [sysconfig.get_path("scripts"), *(sysconfig.get_path("scripts", scheme) for scheme in users)]
    # The place that `pip install --target` takes.
    folders.append(str(Path(__file__).resolve().parent.parent / "bin"))
    for folder in folders:
        path = Path(folder) / "rcheck-smt"
        if path.is_file():
            return str(path)
    if found := shutil.which("rcheck-smt"):
        return found
    raise FileNotFoundError(f"rcheck-smt is not installed; pip installs it, and the variable {VARIABLE} names another one")


def version() -> str:
    """The version of the tool."""
    return run(["--version"]).split()[1]


def several(given: str | Sequence[str] | None) -> list[str]:
    """One word is a list of one word, not of its letters."""
    return [given] if isinstance(given, str) else list(given or ())


def environment() -> dict[str, str]:
    """That of the tool: it does not outlive this process. Workers of Dask have the C library give back memory at once, for the sake
    of Python's arrays; solvers take nearly twice as long with that."""
    kept = {name: value for name, value in os.environ.items() if name != "MALLOC_TRIM_THRESHOLD_"}
    return {**kept, DEPENDENT: "1"}


def options(**given: Any) -> list[str]:
    """Keyword arguments as options: ``None`` and ``False`` are left out, ``True`` is an option alone, lists are repeated,
    mappings are ``NAME=VALUE``."""
    words: list[str] = []
    for name, value in given.items():
        option = "--" + name.strip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, dict):
            words += [f"{option}={key}={_word(each)}" for key, each in value.items()]
        elif isinstance(value, (list, tuple)):
            words += [f"{option}={_word(each)}" for each in value]
        else:
            words.append(f"{option}={_word(value)}")
    return words


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, range):
        if value.step != 1 or not value:
            raise ValueError(f"{value!r} is no range of the tool: it needs at least one value, and steps of 1")
        return f"{value.start}..{value.stop - 1}"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def run(arguments: Iterable[str], codes: Iterable[int] = (0,)) -> str:
    """The output of the tool. Other exit codes than these raise `ToolError`."""
    return "".join(stream(arguments, codes))


class Running:
    """A process that is read while it works, and, if the caller `talks`, written to."""

    def __init__(self, arguments: Iterable[str], folder: str | None = None, talks: bool = False) -> None:
        pipe = subprocess.PIPE
        # A group of its own: Ctrl-C in a terminal reaches the process that waits here, which passes it on once.
        self.process = subprocess.Popen(
            [executable(), "--color=never", *arguments],
            stdin=pipe if talks else subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            encoding="utf-8",
            cwd=folder,
            env=environment(),
            start_new_session=True,
        )
        self._lines: "queue.Queue[str | None]" = queue.Queue()
        self._words: list[str] = []
        self._readers = [
            threading.Thread(target=self._read_lines, daemon=True),
            threading.Thread(target=self._read_words, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def _read_lines(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_words(self) -> None:
        assert self.process.stderr is not None
        self._words.extend(self.process.stderr)

    def lines(self, every: float = 0.5) -> "Iterator[str | None]":
        """The lines as they come, and ``None`` whenever nothing came for so many seconds."""
        while True:
            try:
                line = self._lines.get(timeout=every)
            except queue.Empty:
                yield None
                continue
            if line is None:
                return
            yield line

    def end(self) -> tuple[int, str]:
        """Waits for the end. Returns the exit code and what was said on standard error."""
        for reader in self._readers:
            reader.join()
        return self.process.wait(), "".join(self._words)

    def interrupt(self) -> list[str]:
        """Asks the process to say what it knows and to end. Returns what it had not said yet."""
        self.process.send_signal(signal.SIGINT)
        last = [line for line in self.lines() if line is not None]
        self.end()
        return last

    def close(self) -> None:
        """Ends the process, if it has not ended, and whatever it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.end()
        if self.process.stdin is not None:
            # The input may not be read any more.
            with contextlib.suppress(OSError):
                self.process.stdin.close()


def stream(
    arguments: Iterable[str],
    codes: Iterable[int] = (0,),
    folder: str | None = None,
    stop: "Callable[[], bool] | None" = None,
) -> Iterator[str]:
    """The lines that the tool prints, as they come, until ``stop`` is true; names of files start in the folder."""
    running = Running(arguments, folder)
    try:
        for line in running.lines():
            if line is not None:
                yield line
            elif stop is not None and stop():
                return
        code, words = running.end()
    except KeyboardInterrupt:
        running.interrupt()
        raise
    finally:
        running.close()
    if code not in codes:
        raise ToolError(words, code)
