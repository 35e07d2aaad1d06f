# SPDX-License-Identifier: Apache-2.0
"""The values rules work on.

A size is a `Dim`, an array a `Tensor`, a dtype a `DType`; booleans, strings, floats, None, slices,
Ellipsis, tuples, lists and dicts are themselves, and hold values; a sequence of any number of items
is `Many`. A layer (a configured `torch.nn` module) is a `Layer`, a `torch.device` a `Device`,
another object of a framework whose methods have rules an `Object`, one of `torch.distributions` a
`Distribution`. A tuple of sizes is a `Shape`
where their number is not known, and the sizes of `*x.shape` then hold its `Variadic`. Everything
else is `Unknown`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from typedtensors.dims import Dim
from typedtensors.dims.quick import dataclass
from typedtensors.shapes import DType, Shape

Value: TypeAlias = object

# Stands for every float whose value is not known: no shape depends on which it is.
SOME_FLOAT = 0.5


@dataclass(frozen=True)
class Unknown:
    """A value of which nothing is known, and why. Always silent."""

    reason: str


@dataclass(frozen=True)
class Layer:
    """A module instance: the canonical name of its class, and its constructor's arguments."""

    name: str
    config: Mapping[str, Value]


@dataclass(frozen=True)
class Device:
    """Where an array lives. Which device it is changes no shape; that it is no dtype does."""


@dataclass(frozen=True)
class Rounds:
    """How many items there are of something, if a name or an expression of names says so.

    `piece` is a size that is not the same for each of them, and adds up to `whole` over all: what
    `x[i : i + size]` takes of an axis while `i` goes through `range(0, whole, size)`.
    """

    number: Dim
    piece: Dim | None = None
    whole: Dim | None = None


@dataclass(frozen=True)
class Many:
    """A sequence of any number of items, each of which is like `item`."""

    item: Value
    rounds: Rounds | None = None

    @property
    def number(self) -> Dim:
        """How many items there are."""
        return Dim.fresh("len") if self.rounds is None else self.rounds.number


@dataclass(frozen=True)
class Object:
    """An instance of a framework's class, of which only the class matters (a random generator).

    Its methods are ops under the class's name, with the object as their first argument.
    """

    name: str


# Stands for a bool that the elements of an array decide.
SOME_BOOL = Object("builtins.bool")


@dataclass(frozen=True)
class Distribution(Object):
    """A distribution for each element of `batch`, over arrays of the shape `event`.

    `name` is the base class's, whose methods are the ops; `kind` is its own class. `parameters` are
    what it is made from, by attribute. `inner` is the distribution of which `Independent` takes the
    last `joined` axes of the batch for axes of the event. `checked`: torch compares the shapes of
    what it is asked about with its own.
    """

    name: str = field(default="torch.distributions.Distribution", init=False)
    kind: str
    batch: Shape
    event: Shape
    dtype: DType
    parameters: tuple[tuple[str, Value], ...] = ()
    inner: Distribution | None = None
    joined: int = 0
    checked: bool = True
