# SPDX-License-Identifier: Apache-2.0
"""The quick `dataclass` makes what Python's own makes, but for the guard of a frozen class."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field

import pytest

from typedtensors.dims import quick


@quick.dataclass(frozen=True)
class Point:
    x: int
    seen: list[int] = field(default_factory=list, compare=False)
    tag: str = field(default="", repr=False)


@quick.dataclass(frozen=True)
class Weighed(Point):
    weight: int = 1


@quick.dataclass(frozen=True)
class Remainder:
    value: int

    def __hash__(self) -> int:
        return self.value % 3


@quick.dataclass
class Counter:
    count: int = 0


@quick.dataclass(frozen=True, eq=False)
class Node:
    name: str


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        pytest.param(Point(1), Point(1, [2]), True, id="a-field-left-out-of-comparison"),
        pytest.param(Point(1), Point(1, tag="a"), False, id="another-field"),
        pytest.param(Point(1), Weighed(1), False, id="a-subclass"),
        pytest.param(Weighed(1, weight=2), Weighed(1, weight=2), True, id="with-inherited-fields"),
        pytest.param(Counter(1), Counter(1), True, id="not-frozen"),
        pytest.param(Node("a"), Node("a"), False, id="by-identity"),
    ],
)
def test_values_are_equal_by_their_fields_and_class(
    one: object, other: object, *, equal: bool
) -> None:
    assert [one == other, one == other] == [equal, equal]
    assert (one != other) is not equal


def test_equal_values_of_a_frozen_class_hash_alike() -> None:
    assert len({Weighed(1, [2]), Weighed(1, [3]), Weighed(2)}) == 2


def test_values_of_another_class_are_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Counter())


def test_a_class_keeps_the_hash_it_has() -> None:
    assert hash(Remainder(5)) == 2
    assert Remainder(5) != Remainder(2)


def test_a_value_shows_its_class_and_fields() -> None:
    assert repr(Weighed(1, tag="a")) == "Weighed(x=1, seen=[], weight=1)"


@pytest.mark.parametrize(
    "copied",
    [
        pytest.param(copy.deepcopy, id="copied"),
        pytest.param(lambda value: pickle.loads(pickle.dumps(value)), id="pickled"),  # noqa: S301
        pytest.param(dataclasses.replace, id="replaced"),
    ],
)
def test_a_copy_is_equal(copied: object) -> None:
    assert callable(copied)
    assert copied(Weighed(1, [2], weight=3)) == Weighed(1, [2], weight=3)
