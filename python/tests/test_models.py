"""Models, results, traces."""

import copy
import dataclasses
import html
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time

import pytest

import rcheck_smt
from rcheck_smt import Interrupted, Model, ModelError, Picture, Result, Results, ToolError, Trace

TOLD = ["small", "told_first", "never_negative", "goes_on", "starts_high"]


def test_specs_and_findings(folder):
    model = Model.load("relay.rcp")
    assert [spec.name for spec in model.specs] == TOLD
    first = model.specs[0]
    assert (first.number, first.line, first.expect) == (1, 41, "violated")
    assert first.text == "SPEC G (sink-got <= 41)" and str(first) == "1 small"
    assert {finding.severity for finding in model.findings} == {"note"}
    with pytest.raises(ModelError) as refused:
        Model.load(folder / "broken.rcp")
    assert all(finding.severity == "error" for finding in refused.value.findings)
    assert refused.value.findings[0].line > 0 and "broken.rcp:" in str(refused.value)
    for missing in ("missing.rcp", "-x"):
        with pytest.raises(ToolError, match=f"cannot read {missing}"):
            Model.load(missing)
    with pytest.raises(IsADirectoryError):
        Model.load(".")


def test_answers(folder):
    model = Model.load("relay.rcp")
    results = model.prove()
    assert [result.verdict for result in results] == ["violated", "holds", "violated", "violated", "violated"]
    assert all(result.agreement == "met" for result in results)
    assert results["told_first"].is_proved and results["told_first"].proof and results["told_first"].trace is None
    assert results[0].is_shown and results[0] == model.prove("small").only == model.prove(1).only
    assert model.prove(model.specs[0], engines=["bmc"]).only.engine == "bmc"
    clear = model.bmc("told_first", bound=4).only
    assert (clear.verdict, clear.depth, clear.is_proved) == ("clear", 4, False)
    assert [result.verdict for result in model.prove("small", deadlock=True)] == ["violated", "possible"]
    with pytest.raises(ToolError, match="no spec `tall`"):
        model.prove("tall")
    with pytest.raises(KeyError, match="called tall; there are small, told_first"):
        results["tall"]
    with pytest.raises(ValueError, match="5 results"):
        results.only
    # Not the spec with the same number here.
    with pytest.raises(ValueError, match="no spec of relay.rcp"):
        model.prove(Model.load("ticket_lock.rcp").specs[0])
    with pytest.raises(ValueError, match="no spec of relay.rcp"):
        model.prove(model.bmc(deadlock=True)[-1].spec)
    assert model.prove(results[0].spec, engines="bmc").only.verdict == "violated"


def test_seconds_are_no_part_of_equality(folder):
    model = Model.load("relay.rcp")
    assert model.bmc(bound=5) == model.bmc(bound=5)
    assert model.bmc("small") != model.bmc("starts_high")


def test_traces_index_compare_and_become_frames(folder):
    model = Model.load("relay.rcp")
    trace = model.bmc("small").only.trace
    assert len(trace) == len(trace.steps) + 1 == 3
    assert trace[0]["source"]["sent"] == 40 and trace[-1]["sink-got"] == 82 and trace.values("sink-got") == [0, 41, 82]
    assert trace[0] != trace[1] and trace[1].changes(trace[0])["sink-got"] == 41
    assert trace[0:2] == trace.states[:2]
    step = trace.steps[0]
    assert (step.kind, str(step.sender), step.data["N"]) == ("broadcast", "source-tell", 41)
    assert str(trace.steps[1]) == "source-point on c (N = 82) -> sink-take"
    assert trace == model.bmc("small").only.trace
    assert trace != model.bmc("goes_on").only.trace and model.bmc("goes_on").only.trace.loop is not None
    trace.save("trace.json")
    assert Trace.load("trace.json") == trace
    rcheck_smt._tool.run(["simulate", "relay.rcp", "--trace", "trace.json"])
    assert "sink-got = 82" in str(trace)
    for name, words in (("sunk", "no instance is called sunk"), ("sink-gut", "sink has automaton-state, got")):
        with pytest.raises(KeyError, match=words):
            trace[0][name]
        assert name not in trace[0]
    for damaged in ("", "{}", "[1]", '{"states": [3], "steps": []}', '{"states": [{"a": {"x": null}}], "steps": []}'):
        (folder / "trace.json").write_text(damaged)
        with pytest.raises(ValueError, match="trace.json is no trace"):
            Trace.load("trace.json")


def test_frames(folder):
    pandas = pytest.importorskip("pandas")
    model = Model.load("relay.rcp")
    frame = model.bmc("small").only.trace.to_frame()
    assert list(frame["sink-got"]) == [0, 41, 82] and list(frame.index) == [0, 1, 2]
    assert frame["step"][0].startswith("source-tell on *") and pandas.isna(frame["step"][2])
    assert list(model.bmc(bound=5).to_frame()["name"]) == TOLD


def test_assumptions_are_told_with_verdicts(folder):
    model = Model.load("fairness.rcp")
    free, held = model.prove("the_tool_comes_back_without_assumptions", "who_holds_puts_back_under_weak_fairness")
    assert (free.assumed, free.told) == ((), "holds") and ": holds under " not in str(free)
    assert held.verdict == "holds" and held.told == "holds under 1 assumption" and len(held.assumed) == 1
    assert ": holds under 1 assumption" in str(held) and "holds under 1 assumption" in repr(Results([free, held]))
    assert html.escape(held.assumed[0]) in held._repr_html_() and "holds under 1 assumption<" in Results([held])._repr_html_()
    older = {name: value for name, value in held.record.items() if name != "assumed"}
    assert Result.read(older).told == "holds under 1 assumption"
    pytest.importorskip("pandas")
    assert list(Results([free, held]).to_frame()["assumed"]) == ["", held.assumed[0]]


def test_notebooks(folder):
    model = Model.load("relay.rcp")
    result = model.bmc("small").only
    assert result._repr_html_().count("<svg") == 1 and "violated" in result._repr_html_()
    assert isinstance(result.chart, Picture) and result.chart._repr_svg_().startswith("<svg")
    assert result.record["evidence"] == []
    assert model.automaton("Sink").svg.startswith("<svg") and "<svg" in model._repr_html_()
    assert model.states(5).svg.startswith("<svg")
    assert model.bmc(bound=3)._repr_html_().count("<tr>") == 6
    # Names of specs are no markup.
    hostile = Results([result])
    assert "<script" not in hostile._repr_html_()


def test_constants(folder):
    source = (folder / "ticket_lock.rcp").read_text()
    (folder / "limit.rcp").write_text("const LIMIT = 9;\n" + source + "\n// name: few\nSPEC G (desk-next < LIMIT);\n")
    assert Model.load("limit.rcp", const={"LIMIT": 1}).bmc("few").only.depth == 1
    assert Model.load("limit.rcp", const={"LIMIT": 2}).bmc("few").only.depth == 2
    with pytest.raises(ToolError, match="no constant is called `LIMITS`"):
        Model.load("limit.rcp", const={"LIMITS": 2})


def test_simulation(folder):
    with Model.load("relay.rcp").simulate() as session:
        assert session.choices == ["source -- tell on * (N = 41) -> sink, other"]
        assert session.take(0)["sink-got"] == 41
        assert session.find("sink-got = 82")["sink-got"] == 82
        assert len(session.trace) == 3 and str(session.trace.steps[0].sender) == "source-tell"
        assert session.back(2)["sink-got"] == 0
        assert session.random(2)["sink-got"] == 82
        assert "guard" in session.why("source-tell") or "state" in session.why("source-tell")
        with pytest.raises(ToolError, match="there is 1 step|no step"):
            session.take(7)
        with pytest.raises(ToolError):
            session.find("sink-gut = 1")
        with pytest.raises(ToolError, match="not reached within"):
            session.find("sink-got = 99999")
        for line in ("steps\nsteps", "steps\rsteps", "steps\u2028"):
            with pytest.raises(ValueError):
                session.command(line)
        # A refused command has changed nothing.
        assert len(session.trace) == 3
        assert session.command("# end of the answer") == "" and len(session.choices) == 1
        with pytest.raises(ToolError, match="not reached: stuck"):
            session.until("sink-got = 99999")
        with pytest.raises(ToolError, match="has ended"):
            session.command("quit")
    with pytest.raises(ToolError, match="is closed"):
        session.choices
    with pytest.raises(ToolError):
        Model("missing.rcp", (), ()).simulate()


def test_values_are_copied_and_pickled(folder):
    model = Model.load("relay.rcp")
    results = model.bmc("small", "told_first", bound=4)
    trace = results[0].trace
    for value in (model, results, results[0], trace, trace[0], trace.steps[0], results[0].chart):
        for other in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert other == value and type(other) is type(value)
    assert hash(pickle.loads(pickle.dumps(trace[0]))) == hash(trace[0])
    written = dataclasses.asdict(results[0])
    assert written["verdict"] == "violated" and written["trace"]["steps"][0]["data"] == {"N": 41}
    with pytest.raises(TypeError):
        trace.steps[0].data["N"] = 42
    with pytest.raises(TypeError):
        trace[0]["sink"]["got"] = 42


def test_errors_are_pickled(folder):
    with pytest.raises(ModelError) as refused:
        Model.load("broken.rcp")
    for error in (refused.value, ToolError("refused", 2)):
        other = pickle.loads(pickle.dumps(error))
        assert type(other) is type(error) and (str(other), other.__dict__) == (str(error), error.__dict__)
    results = Model.load("relay.rcp").bmc("small")
    assert pickle.loads(pickle.dumps(Interrupted(results))).results == results


def test_files_are_named_by_words_or_paths(folder):
    model = Model.load("relay.rcp")
    results = model.bmc("small")
    for name in ("file", folder / "path"):
        results.save(name)
        results[0].chart.save(f"{name}.svg" if isinstance(name, str) else name.with_suffix(".svg"))
        results[0].trace.save(f"{name}.json")
    assert (folder / "file").read_text() == (folder / "path").read_text()
    assert (folder / "file.svg").read_text() == (folder / "path.svg").read_text()


def test_the_tool_is_found(folder, monkeypatch):
    monkeypatch.delenv("RCHECK_SMT", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    # Python 3.9 has no such function.
    monkeypatch.delattr(sysconfig, "get_default_scheme", raising=False)
    scripts = folder / "scripts"
    scripts.mkdir()
    (scripts / "rcheck-smt").touch()
    monkeypatch.setattr(sysconfig, "get_path", lambda name, scheme=None: str(folder if scheme else scripts))
    assert rcheck_smt.executable() == str(scripts / "rcheck-smt")
    # `pip install --target` puts it beside the module.
    shutil.rmtree(scripts)
    beside = folder / "target" / "bin"
    beside.mkdir(parents=True)
    (beside / "rcheck-smt").touch()
    monkeypatch.setattr(rcheck_smt._tool, "__file__", str(folder / "target" / "rcheck_smt" / "_tool.py"))
    assert rcheck_smt.executable() == str(beside / "rcheck-smt")
    shutil.rmtree(beside)
    with pytest.raises(FileNotFoundError, match="not installed"):
        rcheck_smt.executable()


def test_random_steps_that_lead_nowhere_are_not_taken(folder):
    with Model.load("ticket_lock.rcp").simulate() as session:
        session.random(2)
        before = session.trace
        with pytest.raises(ToolError, match="not reached in 1000 steps"):
            session.until("desk-next < 0")
        assert session.trace == before
        assert session.until("desk-next >= 3")["desk-next"] == 3


def test_sessions_begin_in_one_of_several_states(folder):
    text = pathlib.Path("relay.rcp").read_text()
    (folder / "free.rcp").write_text(text.replace("init: got = 0", "init: got <= 3 & got >= 0"))
    with Model.load("free.rcp").simulate() as session:
        with pytest.raises(ToolError, match="unboundedly many initial states"):
            session.choices
        session.command("constrain sink-got = 2 | sink-got = 3")
        assert session.command("initial random") and session.state["sink-got"] in (2, 3)
    (folder / "some.rcp").write_text(text.replace("local: seen : bool", "local: seen : bool, number : 0..3").replace("!seen\n", "!seen & number <= 2\n"))
    with Model.load("some.rcp").simulate() as session:
        assert session.choices == ["other-number = 0", "other-number = 1", "other-number = 2"]
        assert session.take(1)["other"]["number"] == 1


HARD = """
message-structure: V : int
agent A
    local: a : int, b : int, c : int
    init: a = 1 & b = 2 & c = 3
    receive-guard: chan = *
    repeat: (s: {true} *! (true)(V := a)[a := b * c + a, b := c * c - b, c := a * b + 1])
system = A(one, true)
"""


def test_ctrl_c_ends_a_command_not_the_session(folder):
    (folder / "hard.rcp").write_text(HARD)
    for delay in (0, 0.001, 0.01, 1):
        with Model.load("hard.rcp").simulate() as session:
            before = session.random(2)
            begun = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)).start()
                session.find("one-a * one-a * one-a + one-b * one-b * one-b = one-c * one-c * one-c")
                time.sleep(5)
            assert session.state == before, "a search that is given up takes no step"
            assert session.take(0) != before and len(session.choices) == 1
            assert time.monotonic() - begun < 60


def test_ctrl_c_in_a_terminal_reaches_no_session(folder):
    script = """
import os, signal, time
from rcheck_smt import Model
session = Model.load("relay.rcp").simulate()
try:
    os.killpg(0, signal.SIGINT)
    time.sleep(5)
except KeyboardInterrupt:
    time.sleep(0.5)
    print(len(session.choices))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, start_new_session=True)
    assert done.stdout == "1\n", done.stderr


def test_a_progress_bar_counts(folder, capsys):
    pytest.importorskip("tqdm")
    Model.load("relay.rcp").bmc(bound=3, progress=True)
    assert "bmc relay.rcp" in capsys.readouterr().err


INTERRUPTED = """
import _thread
from rcheck_smt import Interrupted, Model, _tool

model = Model.load("load_balancing.rcp")
waiting = _tool.Running.lines

pressed = False

def lines(self, every=0.5):
    # As soon as something is known, the user presses Ctrl-C.
    global pressed
    for line in waiting(self, 0.1):
        yield line
        if line is not None and not pressed:
            pressed = True
            _thread.interrupt_main()

_tool.Running.lines = lines
try:
    model.bmc("loads_are_small", "gifts_cancel_out", bound=90, jobs=2)
except Interrupted as interrupted:
    for result in interrupted.results:
        print(result.name, result.verdict, result.cause)
"""


def test_ctrl_c_ends_the_search_with_what_is_known(folder):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True)
    lines = sorted(done.stdout.splitlines())
    assert lines[0] == "gifts_cancel_out unknown interrupted", done


def test_the_version_is_the_tool_s():
    assert rcheck_smt.version()[0].isdigit()
