# SPDX-License-Identifier: Apache-2.0
"""A guard in a notebook: events and errors name the cell as the notebook does."""

from __future__ import annotations

import sys
import types

import pytest
import torch

from typedtensors.guard import guard

CELLS = (
    "import torch\nfrom typedtensors import guard",
    "pred, target = torch.ones(4, 1), torch.ones(4)",
    """with guard(action="record") as report:
    table = (
        pred
        - target
    )
event = report.events[0]
print(f"{event.file}:{event.line}", event.expression)""",
    "with guard():\n    pred - target",
)


def test_event_names_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """IPython compiles each cell under a file name of its own, and says which cell that is."""

    def format_code_name(name: str) -> tuple[str, str] | None:
        return ("Cell", "In[7]") if name == "<cell>" else None

    compiler = types.SimpleNamespace(format_code_name=format_code_name)
    ipython = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(compile=compiler))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    names = {"pred": torch.ones(4, 1), "target": torch.ones(4), "__name__": "__main__"}
    with guard(action="record") as report:
        exec(compile("\npred - target", "<cell>", "exec"), names)  # noqa: S102
    (event,) = report.events
    assert str(event).startswith("In[7]:2: ")
    assert event.function == "__main__.<module>"


@pytest.mark.slow
def test_notebook_shows_cells_and_their_lines() -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, CELLS)])
    nbclient.NotebookClient(notebook, timeout=120, allow_errors=True).execute()
    (printed,) = notebook.cells[2].outputs
    assert printed.text == "In[3]:3 pred - target\n"
    (error,) = notebook.cells[3].outputs
    assert error.ename == "BroadcastError"
    assert error.evalue.startswith("In[4]:2: `pred - target` broadcasts (4, 1) and (4,) to (4, 4)")
