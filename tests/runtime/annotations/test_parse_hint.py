# SPDX-License-Identifier: Apache-2.0
"""Which annotations are taken apart, and which are left to beartype or to nobody."""

import collections
import typing
from collections.abc import Callable, Collection, ItemsView, Iterator, Mapping, Sequence
from typing import Annotated, Any, Generic, Literal, NamedTuple, ParamSpec, TypeVar

import numpy as np
import pytest
from jaxtyping import Float
from typing_extensions import NotRequired, Self, TypeAliasType, TypedDict

from typedtensors.runtime.hints.containers import (
    FieldsHint,
    ItemsHint,
    KeysHint,
    MappingHint,
    TupleHint,
    UnionHint,
)
from typedtensors.runtime.hints.nodes import AnyHint, ArrayHint, ClassHint, Hint, PlainHint
from typedtensors.runtime.hints.parse import parse_hint
from typedtensors.runtime.hints.plain import UncheckableHintError

Array = Float[np.ndarray, "n"]
P = ParamSpec("P")
SPECIFICATION: Any = P
T = TypeVar("T")
K = TypeVar("K")


class Point(NamedTuple):
    x: int


class Moments(NamedTuple):
    mean: Array
    total: int


class Batch(TypedDict):
    x: Array
    weight: NotRequired[list[Array]]


class Options(TypedDict):
    rate: float


class Unresolved(NamedTuple):
    mean: "Absent"  # type: ignore[name-defined]


class Table(Sequence[T], Generic[K, T]): ...


Alias = TypeAliasType("Alias", list[Array])


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        pytest.param(Array, ArrayHint, id="array"),
        pytest.param(Array | None, UnionHint, id="optional"),
        pytest.param(list[Array] | None, UnionHint, id="union of containers"),
        pytest.param(list[Array], ItemsHint, id="list"),
        pytest.param(tuple[Array, ...], ItemsHint, id="tuple of any length"),
        pytest.param(tuple[int, Array], TupleHint, id="tuple"),
        pytest.param(dict[str, Array], MappingHint, id="dict"),
        pytest.param(collections.defaultdict[str, Array], MappingHint, id="defaultdict"),
        pytest.param(Collection[Array], ItemsHint, id="collection"),
        pytest.param(Moments, FieldsHint, id="named tuple"),
        pytest.param(Batch, KeysHint, id="typed dict"),
        pytest.param(Options, PlainHint, id="typed dict without arrays"),
        pytest.param(Annotated[list[Array], "rows"], ItemsHint, id="annotated"),
        pytest.param(Alias, ItemsHint, id="type alias"),
        pytest.param(int, ClassHint, id="class"),
        pytest.param(Point, ClassHint, id="named tuple without arrays"),
        pytest.param(Unresolved, ClassHint, id="named tuple that cannot be read"),
        pytest.param(int | None, UnionHint, id="union without arrays"),
        pytest.param(list[int], PlainHint, id="list without arrays"),
        pytest.param(tuple[int, str], PlainHint, id="tuple without arrays"),
        pytest.param(dict[str, int], PlainHint, id="dict without arrays"),
        pytest.param(Mapping[int, str], PlainHint, id="mapping without arrays"),
        pytest.param(Annotated[int, 3], PlainHint, id="annotated without arrays"),
        pytest.param(Literal["a"], PlainHint, id="literal"),
        pytest.param(Callable[[Array], Array], PlainHint, id="callable"),
        pytest.param(Iterator[Array], PlainHint, id="an iterator is not consumed"),
        pytest.param(ItemsView[str, Array], PlainHint, id="view of pairs"),
        pytest.param(Table[Array, int], PlainHint, id="a generic class of the user's"),
        pytest.param(Any, AnyHint, id="any"),
        pytest.param(object, AnyHint, id="object"),
        pytest.param(Self, AnyHint, id="self"),
        pytest.param(typing.NoReturn, AnyHint, id="no return"),
        pytest.param(SPECIFICATION.args, AnyHint, id="args of a parameter specification"),
        pytest.param(SPECIFICATION.kwargs, AnyHint, id="keywords of a parameter specification"),
    ],
)
def test_an_annotation_becomes_a_node(annotation: Any, kind: type[Hint]) -> None:
    assert type(parse_hint(annotation)) is kind


def test_what_beartype_does_not_know_is_said_in_one_line() -> None:
    with pytest.raises(UncheckableHintError) as caught:
        parse_hint(3)
    assert "\n" not in str(caught.value)


def test_the_array_annotations_of_a_tree_are_found() -> None:
    hint = parse_hint(dict[str, list[Array] | tuple[Moments, int]])
    assert list(hint.annotations()) == [Array, Array]
