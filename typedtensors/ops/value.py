# SPDX-License-Identifier: Apache-2.0
"""The values rules work on.

A size is a `Dim`, an array a `Tensor`, a dtype a `DType`; booleans, strings, floats, None, slices,
Ellipsis, tuples, lists and dicts are themselves, and hold values. A layer (a configured
`torch.nn` module) is a `Layer`. A tuple of sizes is a `Shape` where their number is not known, and
the sizes of `*x.shape` then hold its `Variadic`. Everything else is `Unknown`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Value: TypeAlias = object


@dataclass(frozen=True)
class Unknown:
    """A value of which nothing is known, and why. Always silent."""

    reason: str


@dataclass(frozen=True)
class Layer:
    """A module instance: the canonical name of its class, and its constructor's arguments."""

    name: str
    config: Mapping[str, Value]
