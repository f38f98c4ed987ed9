"""Verifies reconfigurable multi-agent systems, with the tool ``rcheck-smt``.

>>> from rcheck_smt import Model
>>> model = Model.load("ticket_lock.rcp")
>>> model.prove("mutual_exclusion").only.verdict
'holds'

Every call runs the tool in a process of its own, and reads the records that it prints: what it does to its memory, or a
crash of the solver, does not concern the process that asks. Verdicts are the tool's, with evidence that it has checked.
"""

from ._batch import batch, units
from ._model import Model
from ._records import Finding, Picture, Result, Results, Spec
from ._simulation import Simulation
from ._tool import IncompleteError, Interrupted, ModelError, ToolError, executable, version
from ._trace import State, Step, Taken, Trace

__all__ = [
    "Finding",
    "IncompleteError",
    "Interrupted",
    "Model",
    "ModelError",
    "Picture",
    "Result",
    "Results",
    "Simulation",
    "Spec",
    "State",
    "Step",
    "Taken",
    "ToolError",
    "Trace",
    "batch",
    "executable",
    "units",
    "version",
]
