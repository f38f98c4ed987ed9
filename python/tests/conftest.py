"""The tests run the tool that `RCHECK_SMT` names, or the installed one, on models of the project."""

import pathlib
import shutil
import signal

import pytest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent

# Shells start what is in the background deaf to Ctrl-C, and so would be all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of its own with some models."""
    fixtures = ("tests/fixtures/cli/relay.rcp", "tests/fixtures/cli/broken.rcp")
    for name in (*fixtures, "specs/features/fairness.rcp", "specs/ticket_lock.rcp", "specs/load_balancing.rcp"):
        shutil.copy(PROJECT / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
