"""The display of a notebook, in a real kernel."""

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = [
    "from rcheck_smt import Model\nmodel = Model.load('relay.rcp')",
    "model.bmc('small').only",
    "model.automaton('Sink')",
    "model.prove(timeout=60)",
    "model.bmc('small').only.trace.to_frame()",
    "model.prove('tall')",
]


def test_a_notebook_shows_charts_pictures_tables_and_errors(folder):
    pytest.importorskip("pandas")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    client = nbclient.NotebookClient(
        notebook, timeout=1800, kernel_name="python3", allow_errors=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    shown = [{kind: words for output in cell.outputs for kind, words in output.get("data", {}).items()} for cell in notebook.cells]
    assert shown[1]["text/html"].count("<svg") == 1 and "violated" in shown[1]["text/html"]
    assert shown[2]["image/svg+xml"].startswith("<svg")
    assert shown[3]["text/html"].count("<tr>") == 6
    assert "sink-got" in shown[4]["text/html"]
    bar = "".join(output.get("text", "") for output in notebook.cells[3].outputs)
    assert "prove relay.rcp" in bar
    (error,) = [output for output in notebook.cells[5].outputs if output.output_type == "error"]
    assert error.ename == "ToolError" and "no spec `tall`" in error.evalue
