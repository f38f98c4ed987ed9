"""Many models, on many machines."""

from __future__ import annotations

import fcntl
import json
import math
import os
import threading
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from functools import partial
from itertools import islice
from typing import IO, Any, Iterable, Iterator, List, Mapping, Sequence, Union

from ._model import _bar
from ._records import Result, Results
from ._tool import IncompleteError, Interrupted, StrPath, ToolError, options, several, stream


#: Units that took less than that are answered several at a time, since a process takes a twentieth of a second to start.
_SMALL_SECONDS = 0.5

#: So much together, as far as is known: that is what a lost worker costs, and what the others wait for at the end.
_TOGETHER_SECONDS = 2.0
_TOGETHER_UNITS = 50


def units(paths: StrPath | Sequence[StrPath], **given: Any) -> list[str]:
    """What there is to verify in these files and folders, by names that every machine with the same files knows.
    Keyword arguments are the options of ``rcheck-smt batch``, as in ``const={"N": range(2, 7)}`` or ``deadlock=True``."""
    return [unit["id"] for unit in _listed(paths, given)]


def _listed(paths: StrPath | Sequence[StrPath], given: Mapping[str, Any]) -> list[dict[str, Any]]:
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    asked = ["batch", "--units", "--format=json", "--quiet", *options(**given), "--"]
    return list(map(json.loads, stream(asked + [os.fspath(file) for file in files])))


#: Exit codes of ``unit``: something was killed, for which a record says so.
_KILLED = 4


def answer(
    units: Sequence[str], how: Mapping[str, Any], folder: str, retries: int, stop: threading.Event | None = None
) -> list[str]:
    """The records of units, as lines of JSON. This is what workers run: the tool and the files have to be there.

    :param how: options of ``rcheck-smt unit``.
    :param folder: where the names of files start.
    :param retries: how often it is tried again where a process was killed. In the end, a record says so.
    :param stop: when it is set, nobody waits for the rest.
    """
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
        known = {json.loads(line)["id"] for line in lines}
        if lost := [unit for unit in units if unit not in known]:
            raise ToolError(f"no result of {', '.join(lost)}: in {folder}, there is no such file, or it has changed", 2)
        return lines
    raise ValueError("retries: a number from 0")


def _question(unit: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a unit, or a record, asks, whatever the content of the file was."""
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
    output: StrPath | None = None,
    resume: bool = False,
    slowest_first: StrPath | None = None,
    retries: int = 3,
    progress: bool | None = None,
    **listing: Any,
) -> Results:
    """Verifies all specs of many models; whoever is free takes the next one.

    :param client: a ``distributed.Client`` of Dask, whose workers have the tool and the same files at the same place, or a
        ``concurrent.futures.Executor``; without it, threads of this process start the tool.
    :param jobs: without a client, how many specs at the same time; if not said, one for each processor.
    :param output: a file of results, which has each as soon as it is known.
    :param resume: keep what the file answers, and do the rest.
    :param slowest_first: results of an earlier run: what took long then begins first, so that nobody waits at the end.
    :param retries: how often a unit is tried again whose worker was lost, or whose process was killed.
    :param listing: more options of ``rcheck-smt batch``, as for `units`.
    :raises IncompleteError: at the end, if units have no result, as where a worker has other files.
    :raises Interrupted: with what was known, if somebody presses Ctrl-C.
    """
    if resume and output is None:
        raise ValueError("resume needs the file of results that it goes on from: output")
    if retries < 0 or (jobs is not None and jobs < 1):
        raise ValueError("retries are a number from 0, and jobs one from 1")
    if not (client is None or hasattr(client, "submit")):
        raise TypeError(f"{client!r} is no client of Dask and no executor")
    how = {
        "mode": mode,
        "bound": bound,
        "engine": ",".join(several(engines)) or None,
        "timeout": timeout,
        "memory": memory,
    }
    with _Journal(output) as journal:
        known = {"output": output, "resume": True} if resume else {}
        asked = _jobs(_listed(paths, {"slowest_first": slowest_first, **known, **how, **listing}), slowest_first)
        total = sum(map(len, asked))
        journal.begin(keep=resume)
        failures: list[str] = []
        work = partial(answer, how={**how, "dialect": listing.get("dialect")}, folder=os.getcwd(), retries=retries)
        try:
            with _bar(f"{mode} {total} units", total, progress) as bar:
                for answered in _answers(client, jobs, work, asked, retries):
                    if isinstance(answered, BaseException):
                        failures.append(str(answered) or type(answered).__name__)
                        continue
                    for line in answered:
                        journal.add(line)
                        bar.update()
        except KeyboardInterrupt:
            raise Interrupted(_results(journal.lines)) from None
    results = _results(journal.lines)
    if failures:
        words = f"of {len(asked)} jobs, {len(failures)} failed, the first one so: {failures[0]}"
        raise IncompleteError(words, 2, results)
    return results


def _results(lines: Iterable[str]) -> Results:
    return Results(map(Result.read, _latest(lines)))


def _latest(lines: Iterable[str]) -> list[Mapping[str, Any]]:
    """The records in the order of the tool; of several for one question, the last one."""
    records = {record["id"]: record for record in map(json.loads, lines)}
    return sorted(records.values(), key=lambda record: (record["model"], str(record["constants"]), record["spec"] or 0))


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
        """What is there already; a last line may be cut. Another file than one of results stays as it is."""
        try:
            with open(path, encoding="utf-8") as file:
                self.lines = [line for line in file if line.endswith("\n")]
            is_ours = all({"id", "verdict", "seconds"} <= json.loads(line).keys() for line in self.lines)
        except (ValueError, AttributeError):
            is_ours = False
        if not is_ours or (not self.lines and os.path.getsize(path) > 0):
            self.__exit__()
            raise ToolError(f"{path} is no file of results, and would be overwritten; name another file", 2)

    def begin(self, keep: bool) -> None:
        """Puts a new file in the place of the old one. A device or a pipe is only written to."""
        self.lines = self.lines if keep else []
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


#: The lines that a job came to, or why it failed.
Answered = Union[List[str], BaseException]


def _answers(client: Any, jobs: int | None, work: Any, asked: Sequence[Sequence[str]], retries: int) -> Iterator[Answered]:
    if client is None:
        stop = threading.Event()
        with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
            try:
                yield from _of_executor(pool, partial(work, stop=stop), asked)
            finally:
                # Who is interrupted does not wait for what is at work.
                stop.set()
    elif isinstance(client, Executor):
        yield from _of_executor(client, work, asked)
    else:
        yield from _of_dask(client, work, asked, retries)


def _of_executor(pool: Executor, work: Any, asked: Sequence[Sequence[str]]) -> Iterator[Answered]:
    futures = [pool.submit(work, units) for units in asked]
    try:
        for future in as_completed(futures):
            yield future.exception() or future.result()
    finally:
        for future in futures:
            future.cancel()


def _of_dask(client: Any, work: Any, asked: Sequence[Sequence[str]], retries: int) -> Iterator[Answered]:
    from distributed import as_completed as completed

    # Whoever asks twice wants it done twice. Priorities keep the order.
    run = os.urandom(8).hex()
    waiting = iter(enumerate(asked))
    at_work: set[Any] = set()

    def submit() -> list[Any]:
        # Dask hands a worker more than it has threads for; behind a long job, the rest would wait there until the end.
        free = max(1, sum(client.nthreads().values())) - len(at_work)
        futures = [
            client.submit(work, units, key=f"{units[0]}-{run}", retries=retries, priority=-place, pure=False)
            for place, units in islice(waiting, max(0, free))
        ]
        at_work.update(futures)
        return futures

    try:
        done = completed(submit())
        for future in done:
            at_work.remove(future)
            done.update(submit())
            yield future.exception() or future.result()
    finally:
        client.cancel(list(at_work))
