# SPDX-License-Identifier: Apache-2.0
"""Arguments bind to an op's parameters as Python binds them, or the call is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.dims import Dim
from typedtensors.ops import Unknown
from typedtensors.ops.arguments import Parameters

_SUM = Parameters.parse("input, dim=None, keepdim=False, *, dtype=None")


@pytest.mark.parametrize(
    ("args", "kwargs", "expected"),
    [
        pytest.param(("x",), {}, ("x", None, False, None), id="defaults"),
        pytest.param(("x", 1, True), {}, ("x", 1, True, None), id="positions"),
        pytest.param(("x",), {"keepdim": True, "dim": 1}, ("x", 1, True, None), id="names"),
        pytest.param(("x",), {"axis": 1, "keepdims": True}, ("x", 1, True, None), id="NumPy's"),
        pytest.param((), {"x": "x"}, ("x", None, False, None), id="NumPy's name of the array"),
    ],
)
def test_arguments_bind(args: Any, kwargs: Any, expected: Any) -> None:
    bound = _SUM.bind(args, kwargs)
    assert not isinstance(bound, Unknown)
    assert tuple(bound[name] for name in ("input", "dim", "keepdim", "dtype")) == expected


@pytest.mark.parametrize(
    ("args", "kwargs", "reason"),
    [
        pytest.param((), {}, "argument `input` is missing", id="too few"),
        pytest.param(("x", 1, True, None), {}, "more positional arguments", id="too many"),
        pytest.param(("x",), {"where": "m"}, "argument `where` is not known", id="an unknown one"),
        pytest.param(("x", 1), {"dim": 2}, "argument `dim` is not known", id="one twice"),
    ],
)
def test_a_call_that_does_not_fit_is_unknown(args: Any, kwargs: Any, reason: str) -> None:
    found = _SUM.bind(args, kwargs)
    assert isinstance(found, Unknown)
    assert reason in found.reason


def test_the_rest_is_collected_where_the_op_takes_it() -> None:
    bound = Parameters.parse("first, *others, flag=0, **named").bind((1, 2, 3), {"extra": 4})
    assert not isinstance(bound, Unknown)
    assert bound == {"first": 1, "others": (2, 3), "named": {"extra": 4}, "flag": Dim.of(0)}
