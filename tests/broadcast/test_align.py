# SPDX-License-Identifier: Apache-2.0
"""`align` puts named axes where another list of names has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st

from typedtensors.broadcast import AxisError, align

LIBRARIES = [pytest.param(torch.zeros, id="torch"), pytest.param(np.zeros, id="numpy")]


@pytest.mark.parametrize("zeros", LIBRARIES)
@pytest.mark.parametrize(
    ("shape", "spec", "to", "expected"),
    [
        pytest.param((3,), "d", "batch seq d", (1, 1, 3), id="inserts axes before"),
        pytest.param((2,), "batch", "batch seq d", (2, 1, 1), id="inserts axes behind"),
        pytest.param((3, 2), "d batch", "batch seq d", (2, 1, 3), id="permutes and inserts"),
        pytest.param((2, 3), "b d", "b d", (2, 3), id="leaves what is in place"),
        pytest.param((), "", "b d", (1, 1), id="takes a scalar"),
        pytest.param((4, 5, 3), "*b d", "*b h d", (4, 5, 1, 3), id="keeps a variadic"),
        pytest.param((4, 5, 3), "... d", "d ...", (3, 4, 5), id="moves a variadic"),
        pytest.param((3,), "d", "*b h d", (1, 3), id="a leading variadic adds no axis"),
        pytest.param((2,), "_d_", "b_ _d_", (1, 2), id="names that einops would not take"),
    ],
)
def test_result_has_one_axis_for_each_name(
    zeros: Any, shape: tuple[int, ...], spec: str, to: str, expected: tuple[int, ...]
) -> None:
    assert tuple(align(zeros(shape), spec, to=to).shape) == expected


@given(st.permutations("abcd"), st.integers(0, 4), st.permutations("abcd"))
def test_each_name_keeps_its_size_and_its_elements(
    source: list[str], count: int, target: list[str]
) -> None:
    """Against indexing by hand: `x[i, j]` is where the aligned array has `i` and `j`."""
    size = dict(zip("abcd", (2, 3, 4, 5), strict=True))
    names = source[:count]
    x = np.arange(np.prod([size[name] for name in names], dtype=int))
    x = x.reshape([size[name] for name in names])
    aligned = align(x, " ".join(names), to=" ".join(target))
    kept = [name for name in target if name in names]
    expected = np.transpose(x, [names.index(name) for name in kept])
    assert aligned.shape == tuple(size[name] if name in names else 1 for name in target)
    assert (aligned.reshape(expected.shape) == expected).all()


def test_what_numpy_reduces_to_no_axes_is_an_array_too() -> None:
    assert align(np.zeros(3).mean(), "", to="b d").shape == (1, 1)


def test_a_torch_result_is_a_view() -> None:
    x = torch.zeros(3, 2)
    align(x, "d b", to="b s d")[0, 0, 0] = 7
    assert x[0, 0] == 7


def test_a_numpy_result_is_a_view() -> None:
    x = np.zeros((3, 2))
    assert np.shares_memory(align(x, "d b", to="b s d"), x)


@pytest.mark.parametrize(
    ("shape", "spec", "to", "message"),
    [
        pytest.param((3,), "d", "batch seq", "no axis `d`", id="axis missing in to"),
        pytest.param((3,), "dim", "batch dims", "write `dims` for `dim`", id="a slip is named"),
        pytest.param((3, 3), "d d", "b d", "`d` occurs twice", id="repeated name"),
        pytest.param((3,), "d", "d b d", "`d` occurs twice", id="repeated name in to"),
        pytest.param((3, 2), "d", "b d", "2 axes (3, 2), expected 1 axis", id="too many axes"),
        pytest.param((3,), "*b h d", "*b h d", "expected at least 2 axes", id="too few axes"),
        pytest.param((3,), "3", "b d", "`3` does not name an axis", id="a size"),
        pytest.param((3,), "2*d", "b d", "`2*d` does not name an axis", id="arithmetic"),
        pytest.param((3,), "_", "b d", "`_` does not name an axis", id="no name"),
        pytest.param((3,), "d", "b *s d", "how many axes `*s` stands for", id="unknown count"),
        pytest.param((3,), "... *d", "b d", "more than one word", id="two variadics"),
        pytest.param((3,), "a, b", "b d", "`a,` does not name an axis", id="comma"),
    ],
)
def test_what_does_not_fit_says_what_to_do(
    shape: tuple[int, ...], spec: str, to: str, message: str
) -> None:
    with pytest.raises(AxisError) as caught:
        align(torch.zeros(shape), spec, to=to)
    assert message in str(caught.value)


def test_a_list_is_no_array() -> None:
    with pytest.raises(AxisError, match=r"type list, not an array.*as_tensor") as caught:
        align([1, 2], "d", to="b d")  # type: ignore[type-var]
    assert caught.value.code == "tensor-op"


def test_names_must_be_text() -> None:
    with pytest.raises(AxisError, match='one string such as "batch d", not list'):
        align(torch.zeros(2), ["d"], to="b d")  # type: ignore[arg-type]


@pytest.mark.parametrize("dynamic", [False, True])
def test_it_compiles_into_one_graph(*, dynamic: bool) -> None:
    def scale(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return x * align(w, "d batch", to="batch seq d")

    compiled = torch.compile(scale, backend="eager", fullgraph=True, dynamic=dynamic)
    for batch in (3, 5):
        x, w = torch.randn(batch, 2, 4), torch.randn(4, batch)
        assert torch.equal(compiled(x, w), scale(x, w))


def test_it_works_under_vmap_and_autograd() -> None:
    w = torch.randn(4, requires_grad=True)
    rows = torch.func.vmap(lambda row: row + align(w, "d", to="seq d"))(torch.zeros(5, 3, 4))
    (slope,) = torch.autograd.grad(rows.sum(), w)
    assert slope.tolist() == [15, 15, 15, 15]
