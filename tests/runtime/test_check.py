# SPDX-License-Identifier: Apache-2.0
"""`check` and `matches` compare one value with one annotation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from jaxtyping import Float, Int
from torch import Tensor

from typedtensors import TensorCheckError, check, matches, typechecked

f = torch.zeros


def test_check_returns_the_very_value() -> None:
    x = f(2, 3)
    assert check(x, Float[Tensor, "b d"]) is x


def test_outside_a_checked_function_each_check_stands_alone() -> None:
    check(f(2), Float[Tensor, "n"])
    check(f(3), Float[Tensor, "n"])


def test_names_bound_by_check_are_known_to_what_follows() -> None:
    @typechecked
    def encode(x: Float[Tensor, "b"]) -> Float[Tensor, "b k"]:
        check(f(7), Float[Tensor, "k"])
        return f(len(x), 8)

    with pytest.raises(TensorCheckError) as caught:
        encode(f(2))
    error = caught.value
    assert (error.argument, error.axis, error.expected, error.actual) == ("return", 1, 7, 8)
    assert "  where k = 7" in str(error)


def test_check_that_fails_binds_nothing() -> None:
    @typechecked
    def encode(x: Float[Tensor, "b"]) -> None:
        with pytest.raises(TensorCheckError):
            check((f(7), f(3, 3)), tuple[Float[Tensor, "k"], Float[Tensor, "n"]])
        check(f(8), Float[Tensor, "k"])

    encode(f(2))


@pytest.mark.parametrize(
    ("value", "annotation", "expected"),
    [
        pytest.param(f(2, 3), Float[Tensor, "b d"], True, id="fits"),
        pytest.param(f(2, 3), Float[Tensor, "b b"], False, id="shape"),
        pytest.param(f(2, 3), Int[Tensor, "b d"], False, id="dtype"),
        pytest.param(np.zeros(3), Float[Tensor, "d"], False, id="class"),
        pytest.param(None, Float[Tensor, "d"] | None, True, id="optional"),
        pytest.param([f(2), f(3)], list[Float[Tensor, "d"]], False, id="container"),
        pytest.param("text", int, False, id="no array"),
    ],
)
def test_matches_says_whether_it_fits(value: Any, annotation: Any, *, expected: bool) -> None:
    assert matches(value, annotation) is expected


def test_matches_binds_what_fits_and_nothing_else() -> None:
    @typechecked
    def route(x: Float[Tensor, "b"]) -> None:
        assert not matches(f(5, 5), Float[Tensor, "k b"])
        assert matches(f(7), Float[Tensor, "k"])
        assert not matches(f(5), Float[Tensor, "k"])

    route(f(2))


def test_the_environment_switches_check_off_but_not_matches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TYPEDTENSORS", "off")
    x = f(2, 3)
    assert check(x, Float[Tensor, "b b"]) is x
    assert not matches(x, Float[Tensor, "b b"])


def test_check_names_the_part_that_is_wrong() -> None:
    with pytest.raises(TensorCheckError) as caught:
        check({"a": [f(2), f(3)]}, dict[str, list[Float[Tensor, "n"]]])
    assert caught.value.argument == "x['a'][1]"
