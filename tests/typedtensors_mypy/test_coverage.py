# SPDX-License-Identifier: Apache-2.0
"""What counts as known, what as unknown, and what is named as the reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from mypy.modulefinder import BuildSource

from tests.typedtensors_mypy.programs import Sources
from typedtensors.config import Config
from typedtensors_mypy.commands.coverage import Coverage, measure
from typedtensors_mypy.commands.tally import tally
from typedtensors_mypy.interpreter import check_module
from typedtensors_mypy.interpreter.frame import Sighting

HEAD = "import torch\nfrom torch import Tensor, nn\nfrom jaxtyping import Float\n"
PARAMETER = "a parameter whose annotation says no shape"


def covered(source: str) -> Coverage:
    """How much is known in a module."""
    program = Sources({"main": HEAD + source})
    module = program.module("main")
    assert module is not None
    sightings: list[Sighting] = []
    given_up: dict[str, str] = {}
    check_module(module, program, Config(), sightings, given_up=given_up)
    return measure(module, sightings, given_up)


def test_arrays_of_known_shape_are_known() -> None:
    found = covered('def f(x: Float[Tensor, "b d"]):\n    return x.T + 1\n')
    # The parameter `x`, its use, `x.T`, and the sum.
    assert (found.known, found.unknown, found.reasons) == (4, 0, {})


def test_a_parameter_without_a_shape_is_the_one_reason_for_all_that_comes_of_it() -> None:
    found = covered("def f(x: Tensor):\n    y = x.T + 1\n    return y.sum(0)\n")
    assert (found.known, found.reasons) == (0, {PARAMETER: 1})
    assert found.unknown == 6


def test_an_op_without_a_rule_is_named() -> None:
    found = covered(
        'def f(x: Float[Tensor, "b d"]):\n    y = torch.no_such_op(x)\n    return y + y\n'
    )
    assert found.reasons == {"`torch.no_such_op` is not followed": 1}


def test_axes_that_an_annotation_leaves_open_are_known() -> None:
    found = covered('def f(x: Float[Tensor, "*batch d"], y: Float[Tensor, "..."]):\n    pass\n')
    assert (found.known, found.unknown) == (1, 1)


def test_what_one_call_shows_is_known() -> None:
    source = "def g(x):\n    return x.T\n"
    assert covered(source).known == 0
    assert covered(source + "g(torch.zeros(2, 3))\n").known > 0


@pytest.mark.parametrize(
    "expression",
    [
        "x.shape[0]",
        "x.shape[i]",
        "x.size(i)",
        "x.sum().item()",
        "x.tolist()",
        "len(x)",
        "isinstance(x, i)",
        "'{}'.format(x)",
        "x.device",
        "x is i",
    ],
)
def test_what_is_no_array_counts_neither_way(expression: str) -> None:
    head = 'def f(i, x: Float[Tensor, "b d"]):\n    '
    nothing, found = covered(f"{head}x\n    x.sum()"), covered(f"{head}y = {expression}")
    assert found.unknown == 0
    assert found.known <= nothing.known


def test_a_statement_that_only_hands_on_an_array_loses_nothing() -> None:
    assert covered('def f(log, x: Float[Tensor, "b d"]):\n    log(x)\n').unknown == 0


def test_what_comes_after_a_mistake_is_not_lost() -> None:
    source = 'def f(x: Float[Tensor, "b d"], y: Float[Tensor, "b e"]):\n    z = x + y\n'
    assert covered(source).unknown == 0


def test_a_function_that_is_given_up_is_named() -> None:
    loops = "".join(f"{'    ' * n}for i{n} in (1, 2, 3, 4):\n" for n in range(1, 17))
    found = covered(f'def f(x: Float[Tensor, "b d"]):\n{loops}{"    " * 17}x = x.T\n')
    assert found.given_up == {"f": "too many steps"}


def test_a_lambda_among_the_defaults_has_parameters_of_its_own() -> None:
    found = covered('def f(x: Float[Tensor, "b"], key=lambda other: other):\n    return x\n')
    assert (found.known, found.unknown) == (2, 0)


def test_a_file_that_this_python_cannot_parse_is_no_success(tmp_path: Path) -> None:
    """The syntax of a newer Python than the one that runs it is no error to mypy."""
    later, other = tmp_path / "later.py", tmp_path / "other.py"
    later.write_text("from jaxtyping import Float\n\nfrom later on import it\n", encoding="utf-8")
    other.write_text("from later on import it\n", encoding="utf-8")
    paths = {"later": str(later), "other": str(other)}
    found = tally([BuildSource(path, name) for name, path in paths.items()], paths, Config())
    assert (found.specs, found.written) == (0, 1)
    assert [*found.unread] == [str(later)]
    assert "line 3: the Python" in found.unread[str(later)]
