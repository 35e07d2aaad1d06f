# SPDX-License-Identifier: Apache-2.0
"""Every element of every container is checked, and all share the names of the call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypedDict

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from typedtensors import TensorCheckError, typechecked

f = torch.zeros


class Stats(NamedTuple):
    mean: Float[Tensor, "d"]
    total: int


class Batch(TypedDict, total=False):
    x: Float[Tensor, "n d"]
    y: list[Float[Tensor, "n"]]
    name: str


def keys(batch: Batch, d: Float[Tensor, "d"]) -> None: ...


def a_list(xs: list[Float[Tensor, "n d"]]) -> None: ...


def a_pair(xy: tuple[Float[Tensor, "n"], Float[Tensor, "n"]]) -> None: ...


def a_tuple(xs: tuple[Float[Tensor, "n"], ...]) -> None: ...


def a_mapping(columns: Mapping[str, Float[Tensor, "n"]]) -> None: ...


def nested(xs: dict[str, list[Float[Tensor, "n"]]]) -> None: ...


def fields(stats: Stats, x: Float[Tensor, "d"]) -> None: ...


def a_sequence(xs: Sequence[Float[Tensor, "n"]]) -> None: ...


def annotated(xs: Annotated[list[Float[Tensor, "n"]], "rows"]) -> None: ...


def either(xs: list[Float[Tensor, "n"]] | Float[Tensor, "k n"], y: Float[Tensor, "n"]) -> None: ...


@pytest.mark.parametrize(
    ("function", "good", "bad", "argument"),
    [
        pytest.param(a_list, [[f(3, 4)] * 9], [[f(3, 4)] * 9 + [f(3, 5)]], "xs[9]", id="list"),
        pytest.param(a_list, [[f(3, 4)]], [(f(3, 4),)], "xs", id="a tuple is no list"),
        pytest.param(a_pair, [(f(3), f(3))], [(f(3), f(4))], "xy[1]", id="tuple"),
        pytest.param(a_pair, [(f(3), f(3))], [(f(3),)], "xy", id="tuple of another length"),
        pytest.param(a_tuple, [(f(3),) * 9], [(f(3),) * 9 + (f(4),)], "xs[9]", id="any length"),
        pytest.param(
            a_mapping,
            [{"a": f(3), "b": f(3)}],
            [{"a": f(3), "b": f(3), "c": f(4)}],
            "columns['c']",
            id="mapping",
        ),
        pytest.param(
            nested,
            [{"a": [f(3)]}],
            [{"a": [f(3), f(3)], "b": [f(3), f(3), f(4)]}],
            "xs['b'][2]",
            id="nested",
        ),
        pytest.param(
            fields, [Stats(f(3), 1), f(3)], [Stats(f(2, 1), 1), f(3)], "stats.mean", id="fields"
        ),
        pytest.param(
            keys,
            [{"x": f(3, 4), "y": [f(3)], "name": "a"}, f(4)],
            [{"x": f(3, 4), "y": [f(3), f(2)]}, f(4)],
            "batch['y'][1]",
            id="keys",
        ),
        pytest.param(keys, [{}, f(4)], [{"name": 1}, f(4)], "batch['name']", id="keys left out"),
        pytest.param(a_sequence, [(f(3),)], [(f(3), f(3), f(4))], "xs[2]", id="sequence"),
        pytest.param(annotated, [[f(3)]], [[f(3), f(3), f(4)]], "xs[2]", id="annotated"),
        pytest.param(either, [f(2, 3), f(3)], [f(2, 3), f(2)], "y", id="union"),
    ],
)
def test_the_odd_element_is_named(
    function: Callable[..., Any], good: list[Any], bad: list[Any], argument: str
) -> None:
    checked = typechecked(function)
    checked(*good)
    with pytest.raises(TensorCheckError) as caught:
        checked(*bad)
    assert caught.value.argument == argument


def test_an_option_of_a_union_that_fails_binds_nothing() -> None:
    """The list fits up to its last element, and has bound `n` to 3 by then."""

    @typechecked
    def function(
        xs: tuple[Float[Tensor, "n"], Float[Tensor, "k"], Float[Tensor, "k"]] | tuple[Any, ...],
        y: Float[Tensor, "n"],
    ) -> None: ...

    function((f(3), f(4), f(5)), f(7))


def test_an_iterator_is_not_consumed() -> None:
    @typechecked
    def first(xs: Iterator[Any] | list[Float[Tensor, "n"]]) -> Any:
        assert isinstance(xs, Iterator)
        return next(xs)

    assert first(iter([f(3)])).shape == (3,)


def test_an_empty_container_fits() -> None:
    typechecked(a_list)([])
    typechecked(a_mapping)({})
