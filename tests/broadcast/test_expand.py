# SPDX-License-Identifier: Apache-2.0
"""`expand` and `expand_as` give new axes a size and never stretch an old one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from typedtensors.broadcast import AxisError, expand, expand_as, sizes

LIBRARIES = [pytest.param(torch.zeros, id="torch"), pytest.param(np.zeros, id="numpy")]


@pytest.mark.parametrize("zeros", LIBRARIES)
@pytest.mark.parametrize(
    ("shape", "spec", "other", "other_spec"),
    [
        pytest.param((3,), "d", (2, 5, 3), "batch seq d", id="new axes before"),
        pytest.param((3, 2), "d batch", (2, 5, 3), "batch seq d", id="permuted"),
        pytest.param((4, 2, 3), "*b d", (4, 2, 5, 3), "*b s d", id="variadic in both"),
        pytest.param((3,), "d", (4, 2, 3), "*b d", id="variadic in the other"),
        pytest.param((), "", (2, 3), "b d", id="scalar"),
    ],
)
def test_expand_as_takes_the_other_shape(
    zeros: Any, shape: tuple[int, ...], spec: str, other: tuple[int, ...], other_spec: str
) -> None:
    assert tuple(expand_as(zeros(shape), spec, zeros(other), other_spec).shape) == other


@pytest.mark.parametrize(
    ("shape", "spec", "other", "other_spec", "message"),
    [
        pytest.param(
            (3,), "d", (2, 4), "b d", "axis 0 is 3, expected 4 from `other` (`d`)", id="size"
        ),
        pytest.param((1,), "d", (2, 4), "b d", "axis 0 is 1, expected 4", id="never stretched"),
        pytest.param(
            (3, 4, 9), "*b d", (2, 9), "*b d", "`*b`: shape is (3, 4), expected (2,)", id="run"
        ),
        pytest.param((3,), "d", (2, 3), "d", "`other` of `expand_as`: 2 axes", id="other's rank"),
        pytest.param((3,), "k", (2, 3), "b d", "no axis `k`", id="missing name"),
    ],
)
def test_expand_as_rejects_what_does_not_agree(
    shape: tuple[int, ...], spec: str, other: tuple[int, ...], other_spec: str, message: str
) -> None:
    with pytest.raises(AxisError) as caught:
        expand_as(torch.zeros(shape), spec, torch.zeros(other), other_spec)
    assert message in str(caught.value)


def test_expanding_copies_nothing() -> None:
    x, y = torch.zeros(3), np.zeros(3)
    assert expand(x, "d -> b d", b=1000).data_ptr() == x.data_ptr()
    assert np.shares_memory(expand(y, "d -> b d", b=1000), y)


def test_expand_verifies_the_size_of_an_old_axis() -> None:
    assert tuple(expand(torch.zeros(3), "d -> b d", b=2, d=3).shape) == (2, 3)
    with pytest.raises(AxisError, match="axis 0 is 3, expected 5 from `d=5`"):
        expand(torch.zeros(3), "d -> b d", b=2, d=5)


def test_any_name_can_be_a_size() -> None:
    assert sizes(expand(np.zeros(3), "x -> pattern x", pattern=2), "p x") == {"p": 2, "x": 3}


@pytest.mark.parametrize(
    ("pattern", "sizes", "message"),
    [
        pytest.param("d -> b d", {}, "the size of `b` is not given; fix: pass `b=...`", id="none"),
        pytest.param(
            "d -> b d", {"bb": 2, "b": 1}, "`bb`, which is not on the right", id="unknown"
        ),
        pytest.param("d b d", {}, "it needs one `->`", id="no arrow"),
        pytest.param("d -> b -> d", {}, "it needs one `->`", id="two arrows"),
    ],
)
def test_expand_says_what_is_wrong_with_its_pattern(
    pattern: str, sizes: dict[str, int], message: str
) -> None:
    with pytest.raises(AxisError) as caught:
        expand(torch.zeros(3), pattern, **sizes)
    assert message in str(caught.value)


@pytest.mark.parametrize("size", ["2", 2.0, True, None])
def test_a_size_is_an_integer(size: object) -> None:
    with pytest.raises(AxisError, match=f"`b={size!r}` is no size"):
        expand(np.zeros(3), "d -> b d", b=size)  # type: ignore[arg-type]


def test_arrays_of_an_unknown_framework_are_named() -> None:
    class Grid:
        shape = (3,)
        dtype = "float32"

    with pytest.raises(AxisError, match="arrays of type Grid are of no known framework"):
        expand_as(Grid(), "d", Grid(), "d")


@pytest.mark.parametrize("dynamic", [False, True])
def test_both_compile_into_one_graph(*, dynamic: bool) -> None:
    def tile(row: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return expand_as(row, "d", x, "b s d") + expand(row, "d -> s d", s=x.shape[1])

    compiled = torch.compile(tile, backend="eager", fullgraph=True, dynamic=dynamic)
    for batch in (3, 5):
        row, x = torch.randn(4), torch.randn(batch, 2, 4)
        assert torch.equal(compiled(row, x), tile(row, x))


def test_gradients_add_up_over_the_new_axes() -> None:
    row = torch.zeros(3, requires_grad=True)
    (slope,) = torch.autograd.grad(expand_as(row, "d", torch.zeros(2, 5, 3), "b s d").sum(), row)
    assert slope.tolist() == [10, 10, 10]
