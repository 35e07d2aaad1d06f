# SPDX-License-Identifier: Apache-2.0
"""Every hint, on drawn calls: what it says is done, and the call then checks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from hypothesis import HealthCheck, given, settings, strategies as st
from jaxtyping import AnnotationError, Bool, Float, Int, Shaped
from torch import Tensor

from typedtensors import TensorCheckError, typechecked

SPECS = ["a b", "b a", "a", "a b c", "*s a", "#a b", "2 a", "_ b", "... b", "a 2*a", ""]
KINDS = [Shaped, Float, Int, Bool]
DTYPES = [torch.float32, torch.int64, torch.bool]
SHAPES = st.lists(st.sampled_from([1, 2, 3]), max_size=4).map(tuple)
ARGUMENT = st.tuples(
    st.sampled_from(SPECS), st.sampled_from(KINDS), SHAPES, st.sampled_from(DTYPES)
)
_tally: Counter[str] = Counter()


def apply_hint(hint: str, arguments: dict[str, Tensor]) -> dict[str, Tensor]:
    """Do what a hint says."""
    swapped = re.fullmatch(r"swap `(\w)` and `(\w)`", hint)
    if swapped:
        one, two = swapped.groups()
        return {**arguments, one: arguments[two], two: arguments[one]}
    passed = re.fullmatch(r"pass `((\w)\..*)`", hint)
    assert passed, hint
    expression, name = passed.groups()
    return {**arguments, name: eval(expression, dict(arguments))}  # noqa: S307  our own text


def error_of(function: Callable[..., Any], arguments: dict[str, Tensor]) -> TensorCheckError | None:
    """Return why a call is rejected, None if it is not or nobody can tell."""
    try:
        function(**arguments)
    except TensorCheckError as error:
        return error
    except AnnotationError:
        return None
    return None


@settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.lists(ARGUMENT, min_size=1, max_size=3))
def test_a_hint_makes_the_call_check(drawn: list[tuple[str, Any, tuple[int, ...], Any]]) -> None:
    def function(x: Any = None, y: Any = None, z: Any = None) -> None: ...

    hints = [kind[Tensor, spec] for spec, kind, _, _ in drawn]
    function.__annotations__ = dict(zip("xyz", hints, strict=False))
    tensors = [torch.zeros(shape, dtype=dtype) for _, _, shape, dtype in drawn]
    arguments = dict(zip("xyz", tensors, strict=False))
    checked = typechecked(function)
    error = error_of(checked, arguments)
    if error is not None:
        assert error.argument in arguments
        assert "internal" not in str(error)
    if error is not None and error.hint is not None:
        _tally["hinted"] += 1
        checked(**apply_hint(error.hint, arguments))


def test_the_draws_above_hold_hints() -> None:
    """A property of hints says nothing if none is ever given."""
    if not _tally:
        test_a_hint_makes_the_call_check()
    assert _tally["hinted"] > 20, _tally
