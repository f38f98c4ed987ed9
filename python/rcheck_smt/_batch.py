"""Many models, on many machines."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import math
import os
import platform
import queue
import tempfile
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, Callable, Generator, Iterable, Iterator, List, Mapping, Sequence, Tuple, Union

from ._model import _bar
from ._records import Result, Results
from ._tool import IncompleteError, Interrupted, StrPath, ToolError, options, several, stream


#: Units that took less than that are answered several at a time, since a process takes a twentieth of a second to start.
_SMALL_SECONDS = 0.5

#: So much together, as far as is known: that is what a lost worker costs, and what the others wait for at the end.
_TOGETHER_SECONDS = 2.0
_TOGETHER_UNITS = 50


#: The options that choose what to verify: these of ``rcheck-smt batch``.
_WHAT = ("const", "size", "any_number", "fair", "point_to_point", "dialect", "deadlock", "overflow", "dead_code", "shard")

#: How, and what is known of it already.
_HOW = ("mode", "bound", "engine", "timeout", "memory", "certificate", "traces", "output", "resume", "slowest_first")


def units(paths: StrPath | Sequence[StrPath], **given: Any) -> list[str]:
    """The units to verify in these files and folders, by names that every machine with the same files knows.
    Keyword arguments are those options of ``rcheck-smt batch`` which say what to verify (``const``, ``size``, ``any_number``,
    ``fair``, ``point_to_point``, ``dialect``, ``deadlock``, ``overflow``, ``dead_code``, ``shard``), as in ``const={"N": range(2, 7)}`` or
    ``deadlock=True``, or what is known of it (``mode``, ``output``, ``resume``, ``slowest_first``, ..).

    :raises TypeError: if a keyword argument is something else.
    :raises ToolError: if the tool refuses one, or a folder has no model.
    """
    _refuse_others(given, (*_WHAT, *_HOW))
    return [unit["id"] for unit in _listed(paths, given)]


def _refuse_others(given: Iterable[str], allowed: Sequence[str]) -> None:
    for name in given:
        if name not in allowed:
            written = name in ("html", "junit", "csv")
            why = "`rcheck-smt report` writes that from a file of results" if written else f"there are {', '.join(allowed)}"
            raise TypeError(f"{name!r} is no option here; {why}")


def _listed(paths: StrPath | Sequence[StrPath], given: Mapping[str, Any]) -> list[dict[str, Any]]:
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not files:
        raise ValueError("there is nothing to verify: name files, or folders with models")
    asked = ["batch", "--units", "--format=json", "--quiet", *options(**given), "--"]
    listed = list(map(json.loads, stream(asked + [os.fspath(file) for file in files])))
    for unit in listed:
        if os.path.isdir(unit["model"]):
            raise ToolError(f"{unit['model']}: the folder has no model", 2)
    return listed


#: Exit codes of ``unit``: something was killed, for which a record says so.
_KILLED = 4


def answer(
    units: Sequence[str], how: Mapping[str, Any], folder: str, retries: int, stop: Callable[[], bool]
) -> list[str]:
    """The records of units, as lines of JSON. This is what workers run: the tool and the files have to be there. A unit has none
    if there is no such file here, or another one; an error says so if all are like that.

    :param how: options of ``rcheck-smt unit``.
    :param folder: where the names of files start.
    :param retries: how often it is tried again where a process was killed. In the end, a record says so.
    :param stop: true once no caller waits for it any more. The tool ends half a second later.
    """
    if stop():
        raise ToolError("no caller waits for it any more", 130)
    asked = ["unit", "--format=json", "--quiet", "--jobs=1", *options(**how), "--", *units]
    for left in range(retries, -1, -1):
        # A file with errors has a record, too.
        codes = (0, 2) if left else (0, 2, _KILLED)
        try:
            lines = list(stream(asked, codes, folder, stop))
        except ToolError as error:
            if left and error.code in (_KILLED, -9, -15):
                continue
            raise
        if not lines:
            raise ToolError(_elsewhere(folder), 2)
        return lines
    raise ValueError("retries: a number from 0")


def _elsewhere(folder: str) -> str:
    return f"in {folder}, there is no such file, or it has changed"


def _question(unit: Mapping[str, Any]) -> tuple[Any, ...]:
    """The question of a unit, or of a record, whatever the content of the file was."""
    return unit["model"], json.dumps(unit["constants"]), unit["spec"], unit["check"], unit["name"]


def _jobs(listed: Sequence[Mapping[str, Any]], slowest_first: StrPath | None) -> list[list[str]]:
    """Units that were small, several at a time, after all others, one by one in the order of the list."""
    took: dict[tuple[Any, ...], float] = {}
    if slowest_first is not None:
        with open(slowest_first, encoding="utf-8") as file:
            records = [json.loads(line) for line in file if line.endswith("\n")]
        took = {_question(record): record["seconds"]["wall"] for record in records}
    seconds = [took.get(_question(unit), math.inf) for unit in listed]
    single = [[unit["id"]] for unit, time in zip(listed, seconds) if time >= _SMALL_SECONDS]
    # Neighbours share what is made of their model.
    small = sorted((_question(unit), unit["id"], time) for unit, time in zip(listed, seconds) if time < _SMALL_SECONDS)
    jobs: list[list[str]] = []
    left = 0.0
    for _, name, time in small:
        if left < time or len(jobs[-1]) >= _TOGETHER_UNITS:
            jobs.append([])
            left = _TOGETHER_SECONDS
        jobs[-1].append(name)
        left -= time
    return single + jobs


def batch(
    paths: StrPath | Sequence[StrPath],
    *,
    mode: str = "prove",
    client: Any = None,
    jobs: int | None = None,
    bound: int | None = None,
    engines: str | Sequence[str] | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    certificate: StrPath | None = None,
    traces: StrPath | None = None,
    output: StrPath | None = None,
    resume: bool = False,
    slowest_first: StrPath | None = None,
    retries: int = 3,
    progress: bool | None = None,
    **what: Any,
) -> Results:
    """Verifies all specs of many models; a free worker takes the next one. The results are in the order of the tool.

    :param client: a ``distributed.Client`` of Dask, whose workers have the tool and the same files at the same place, or a
        ``concurrent.futures.Executor``; without it, threads of this process start the tool. They also do what an executor
        leaves that breaks, as one of processes does when one of them is killed.
    :param jobs: without a client, how many specs at the same time; if not said, one for each processor.
    :param certificate: a folder for the evidence; ``traces`` one for counterexamples. Workers write to them.
    :param output: a file of results, which has each as soon as it is known.
    :param resume: keep what the file answers, and do the rest. Results of models that have changed are dropped.
    :param slowest_first: results of an earlier run: units that took long then begin first, so that no worker waits at the end.
    :param retries: how often a unit is tried again whose process was killed; with Dask, also how often it is tried again on
        whatever worker is free if one has not the same file. Lost workers are Dask's to count (``allowed-failures``).
    :param what: more options of ``rcheck-smt batch``, as for `units`.
    :raises IncompleteError: at the end, if units have no result, as where a worker has other files, jobs are cancelled, or the
        client is closed. It names them, and has the results of the others.
    :raises Interrupted: with the results so far, if the user presses Ctrl-C. All workers for this stop then, on other machines,
        too; only the workers of executors on other machines come to the end of their unit.
    """
    if resume and output is None:
        raise ValueError("resume needs the file of results that it goes on from: output")
    if retries < 0 or (jobs is not None and jobs < 1):
        raise ValueError("retries are a number from 0, and jobs one from 1")
    if not (client is None or hasattr(client, "submit")):
        raise TypeError(f"{client!r} is no client of Dask and no executor")
    if getattr(client, "asynchronous", False):
        raise TypeError("the client is asynchronous, and batch waits: call it in another thread, with a client that is not")
    _refuse_others(what, _WHAT)
    how = {
        "mode": mode,
        "bound": bound,
        "engine": ",".join(several(engines)) or None,
        "timeout": timeout,
        "memory": memory,
        "certificate": certificate,
        "traces": traces,
    }
    folder = os.getcwd()
    work = partial(answer, how={**how, "dialect": what.get("dialect")}, folder=folder, retries=retries)
    with _Journal(output) as journal:
        listed = _listed(paths, {**how, **what})
        left = listed
        if resume or slowest_first is not None:
            known = {"output": output, "resume": True} if resume else {}
            left = _listed(paths, {**how, **what, **known, "slowest_first": slowest_first})
        asked = _jobs(left, slowest_first)
        journal.begin(listed if resume else None)
        #: Why units have no result.
        lost: dict[str, str] = {}
        failure: BaseException | None = None
        try:
            answers = contextlib.closing(_answers(client, jobs, work, asked, retries))
            with answers as answered, _bar(f"{mode} {len(left)} units", len(left), progress) as bar:
                for names, lines in answered:
                    if isinstance(lines, BaseException):
                        failure = failure or lines
                        lost.update(dict.fromkeys(names, _why(lines)))
                        continue
                    for line in lines:
                        journal.add(line)
                        bar.update()
                    found = {json.loads(line)["id"] for line in lines}
                    lost.update({name: _elsewhere(folder) for name in names if name not in found})
        except KeyboardInterrupt:
            raise Interrupted(journal.results(listed, mode)) from None
        except Exception as error:
            # Of the client: it is closed, or has lost its scheduler.
            failure = error
        journal.end()
        results = journal.results(listed, mode)
        there = {result.record["id"] for result in results}
    if failure is not None or lost:
        missing = tuple(unit["id"] for unit in listed if unit["id"] not in there or unit["id"] in lost)
        why = next((lost[name] for name in missing if name in lost), "") or _why(failure)
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        words = f"{len(missing)} of {len(listed)} units have no result: {', '.join(missing[:_NAMED])}{more}. The first one: {why}"
        raise IncompleteError(words, 2, results, missing) from failure
    return results


#: Number of units without a result that are named.
_NAMED = 10


def _why(failure: BaseException | None) -> str:
    words = str(failure)
    if isinstance(failure, (CancelledError, asyncio.CancelledError)):
        return f"it was cancelled{f' ({words})' if words else ''}"
    return words if isinstance(failure, ToolError) else f"{type(failure).__name__}: {words}"


class _Journal:
    """A file of results that grows. One run at a time writes it, of the tool or of this module."""

    def __init__(self, path: StrPath | None) -> None:
        self.lines: list[str] = []
        self._path = None if path is None else os.path.realpath(path)
        self._file: IO[str] | None = None
        self._is_new = False
        self._is_file = False
        if self._path is not None:
            self._is_new = not os.path.exists(self._path)
            self._file = self._locked("a")
            self._is_file = os.path.isfile(self._path)
            if self._is_file and not self._is_new:
                self._read(self._path)

    def _locked(self, mode: str, path: str | None = None) -> IO[str]:
        file = open(path or self._path or "", mode, encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise ToolError(f"another run is writing {self._path}; wait for its end, or name another file", 2) from None
        except OSError:
            # Some file systems have no locks.
            pass
        return file

    def _read(self, path: str) -> None:
        """Reads the results that are there already; a last line may be cut. Another file than one of results stays as it is."""
        try:
            with open(path, encoding="utf-8") as file:
                self.lines = [line for line in file if line.endswith("\n")]
            is_ours = all({"id", "verdict", "seconds"} <= json.loads(line).keys() for line in self.lines)
        except (ValueError, AttributeError):
            is_ours = False
        if not is_ours or (not self.lines and os.path.getsize(path) > 0):
            self.__exit__()
            raise ToolError(f"{path} is no file of results, and would be overwritten; name another file", 2)

    def begin(self, kept: Sequence[Mapping[str, Any]] | None) -> None:
        """Forgets what was there; if units are `kept`, only what is about their files as they were before."""
        if kept is None:
            self.lines = []
        else:
            present = {unit["model"]: unit["sha256"] for unit in kept}
            records = zip(self.lines, map(json.loads, self.lines))
            self.lines = [line for line, record in records if present.get(record["model"], record["sha256"]) == record["sha256"]]
        self._replace()

    def end(self) -> None:
        """Leaves the last record of each question."""
        last = {(record["id"], record["mode"]): line for line, record in zip(self.lines, map(json.loads, self.lines))}
        if len(last) < len(self.lines):
            self.lines = list(last.values())
            self._replace()

    def results(self, listed: Sequence[Mapping[str, Any]], mode: str) -> Results:
        """Of these units, in their order; of several of one unit, the last one."""
        records = {(record["id"], record["mode"]): record for record in map(json.loads, self.lines)}
        found = (records.get((unit["id"], mode)) for unit in listed)
        return Results(Result.read(record) for record in found if record is not None)

    def _replace(self) -> None:
        """Puts a new file in the place of the old one. A device or a pipe is only written to."""
        if self._file is not None and self._path is not None and self._is_file:
            old, new = self._file, self._path + ".new"
            self._file = self._locked("w", new)
            self._file.writelines(self.lines)
            self._file.flush()
            os.replace(new, self._path)
            old.close()
            self._is_new = False

    def __enter__(self) -> _Journal:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
            # Nothing came of it.
            if self._is_new and self._is_file and self._path is not None:
                os.remove(self._path)

    def add(self, line: str) -> None:
        """Is on the disk, whatever happens to this process next."""
        self.lines.append(line)
        if self._file is not None:
            self._file.write(line)
            self._file.flush()


#: The units of a job; the lines that it came to, or why it failed.
Answered = Tuple[Sequence[str], Union[List[str], BaseException]]


@dataclass(frozen=True)
class _Asker:
    """The process that waits for answers, on a machine, as long as its folder is there."""

    machine: str
    process: int
    folder: str

    def is_gone(self) -> bool:
        """True if it is known here that it does not wait any more."""
        if platform.node() != self.machine:
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        return not os.path.exists(self.folder)


def _answers(
    client: Any, jobs: int | None, work: Any, asked: Sequence[Sequence[str]], retries: int
) -> Generator[Answered, None, None]:
    if not (client is None or isinstance(client, Executor)):
        yield from _of_dask(client, partial(work, stop=_is_cancelled), asked, retries)
        return
    # An interrupt does not wait for the workers: first goes the folder.
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as threads:
        with tempfile.TemporaryDirectory(prefix="rcheck-smt-") as folder:
            work = partial(work, stop=_Asker(platform.node(), os.getpid(), folder).is_gone)
            left: list[Sequence[str]] = []
            for units, answered in _of_executor(client or threads, work, asked):
                if client is not None and isinstance(answered, BrokenExecutor):
                    left.append(units)
                else:
                    yield units, answered
            yield from _of_executor(threads, work, left)


def _of_executor(pool: Executor, work: Any, asked: Sequence[Sequence[str]]) -> Iterator[Answered]:
    futures: dict[Any, Sequence[str]] = {}
    try:
        for units in asked:
            try:
                futures[pool.submit(work, units)] = units
            except BrokenExecutor as error:
                yield units, error
        # `concurrent.futures.as_completed` waits for ever for what `shutdown(cancel_futures=True)` cancels.
        done: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        for future in futures:
            future.add_done_callback(done.put)
        for _ in futures:
            future = done.get()
            yield futures[future], _outcome(future)
    finally:
        for future in futures:
            future.cancel()


def _outcome(future: Any) -> list[str] | BaseException:
    try:
        failure: BaseException | None = future.exception()
        if failure is not None:
            return failure
        lines: list[str] = future.result()
        return lines
    except (CancelledError, asyncio.CancelledError) as error:
        return error


def _of_dask(client: Any, work: Any, asked: Sequence[Sequence[str]], retries: int) -> Iterator[Answered]:
    from distributed import as_completed as completed

    # A second call is work of its own. One group of tasks, of one `map`: of such, the scheduler keeps those that no worker is free
    # for, in their order, and an adaptive cluster sees that there are some.
    run = f"rcheck-smt-{os.urandom(8).hex()}"
    futures = client.map(work, asked, key=[(run, units[0]) for units in asked], retries=retries, pure=False)
    try:
        jobs = dict(zip(futures, asked))
        for future in completed(futures):
            yield jobs[future], _outcome(future)
    finally:
        # A client that is closed has nothing to cancel, and why it is closed matters more.
        with contextlib.suppress(Exception):
            client.cancel(futures)


def _is_cancelled() -> bool:
    """True if the task of this thread of a worker of Dask was cancelled, or the client that asked has ended."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    return task is None or task.state == "cancelled" or worker.status.name in ("closing", "closed", "failed")
