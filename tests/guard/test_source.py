# SPDX-License-Identifier: Apache-2.0
"""Reading the source of an event, with column positions and, as on Python 3.10, without."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from typedtensors.guard import guard
from typedtensors.guard.reading import source, syntax


def parsed(text: str) -> syntax.Parsed:
    found = syntax.parse(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "places", "method", "expected"),
    [
        pytest.param("a -  b*2", (0, 1), True, ["a", "b*2"], id="operator"),
        pytest.param("a == 1e-7", (0, 1), True, ["a", "1e-7"], id="comparison"),
        pytest.param("a += b", (0, 1), True, ["a", "b"], id="in place"),
        pytest.param("a.mul(b)", (0, 1), True, ["a", "b"], id="method"),
        pytest.param("x.masked_fill(m, -1e4)", (0, 1), True, ["x", "m"], id="method and a number"),
        pytest.param("torch.mul(a, other=b)", (0, 1), False, ["a", "b"], id="function"),
        pytest.param("crit(net(x),\n y[0])", (0, 1), False, ["net(x)", "y[0]"], id="two lines"),
        pytest.param("torch.where(c, a, b)", (0, 2), False, ["c", "b"], id="some of three"),
        pytest.param("torch.add(*pair)", (0, 1), False, [None, None], id="starred"),
        pytest.param("loss = f(a, b)", (0, 1), False, ["a", "b"], id="a whole statement"),
        pytest.param("a - b if c else d", (0, 1), True, [None, None], id="not the operation"),
    ],
)
def test_texts_of_operands(
    text: str,
    places: tuple[int, ...],
    method: bool,  # noqa: FBT001
    expected: list[str | None],
) -> None:
    assert syntax.arguments(parsed(text), places, method=method) == expected


SOURCE = """\
def step(x, y):
    if (x - y).any():
        loss = f(
            x,
            y,
        )
        with mode(x) as m:
            pass
    return loss
"""


@pytest.mark.parametrize(
    ("line", "lines", "text"),
    [
        (2, range(2, 3), "(x - y).any()"),
        (4, range(3, 7), "loss = f(\n            x,\n            y,\n        )"),
        (7, range(7, 8), "mode(x)"),
        (9, range(9, 10), "return loss"),
        (99, range(99, 100), None),
    ],
)
def test_statement_at_a_line(line: int, lines: range, text: str | None) -> None:
    assert syntax.statement(SOURCE, line) == (lines, text)


def test_source_that_is_no_python_has_no_statement() -> None:
    assert syntax.statement("def (", 1) == (range(1, 2), None)


def table(column: Tensor, row: Tensor) -> Tensor:
    """A suspicious broadcast."""
    return torch.sub(
        column,
        row,
    )


def silenced_table(column: Tensor, row: Tensor) -> Tensor:
    """A broadcast that the last line of its statement accepts."""
    return torch.sub(
        column,
        row,
    )  # broadcast: ok


@pytest.mark.parametrize("columns", [True, False], ids=["columns", "no columns"])
def test_site_of_an_event(monkeypatch: pytest.MonkeyPatch, columns: bool) -> None:  # noqa: FBT001
    monkeypatch.setattr(source, "_sites", {})
    if not columns:
        monkeypatch.setattr(
            source, "_position", lambda frame: (frame.f_lineno, frame.f_lineno, None, None)
        )
    with guard(action="record") as report:
        table(torch.ones(3, 1), torch.ones(3))
        silenced_table(torch.ones(3, 1), torch.ones(3))
    (event,) = report.events
    assert event.line == table.__code__.co_firstlineno + 2
    assert event.expression == ("" if columns else "return ") + "torch.sub( column, row, )"
    assert event.fix == "`column.squeeze(-1)` or `row.unsqueeze(-1)`"


def test_code_without_source_is_reported_with_its_shapes() -> None:
    names: dict[str, Callable[[Tensor, Tensor], Tensor]] = {}
    exec("def f(a, b):\n    return a - b", names)  # noqa: S102 - the test's own source
    with guard(action="record") as report:
        names["f"](torch.ones(3, 1), torch.ones(3))
    (event,) = report.events
    assert (event.file, event.line, event.expression) == ("<string>", 2, None)
    assert "`sub` broadcasts (3, 1) and (3,) to (3, 3)" in str(event)
    assert event.fix is not None
    assert "on the operand of shape (3, 1)" in event.fix
