# SPDX-License-Identifier: Apache-2.0
"""`Call`, one application of a rule: its arguments, and what applying it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING, TypeVar

from typedtensors.dims import Dim, Facts, Verdict
from typedtensors.dims.quick import dataclass
from typedtensors.ops.names import short
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.value import Unknown
from typedtensors.shapes.dtype import ANY
from typedtensors.shapes.shape import Shape
from typedtensors.shapes.tensor import Tensor

if TYPE_CHECKING:
    from typedtensors.ops.outcome import Broadcast, Outcome
    from typedtensors.ops.value import Layer, Value


class Framework(Enum):
    """Whose semantics a call has: argument names, promotion, defaults."""

    TORCH = "torch"
    NUMPY = "numpy"
    JAX = "jax"
    TENSORFLOW = "tensorflow"


# NumPy and JAX take lists and numbers, too.
_STRICT = frozenset({Framework.TORCH, Framework.TENSORFLOW})

T = TypeVar("T")


def _no_invoke(_value: Value, _args: tuple[Value, ...]) -> Outcome:
    return Unknown("calling this value needs the code that holds it")


@dataclass
class Call:
    """The input of a rule, and the record of what applying it showed.

    `arguments` are bound to the rule's parameters, defaults filled in. `facts` and `broadcasts`
    grow while the rule runs; the call lives for one application, so rules stay pure.
    """

    op: str
    arguments: Mapping[str, Value]
    framework: Framework = Framework.TORCH
    facts: Facts = field(default_factory=Facts)
    layer: Layer | None = None
    invoke: Callable[[Value, tuple[Value, ...]], Outcome] = _no_invoke
    broadcasts: list[Broadcast] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The op as people write it: `+`, `sum`, `Linear`."""
        return short(self.op)

    def __getitem__(self, name: str) -> Value:
        """The argument of that name."""
        return self.arguments[name]

    def tensor(self, name: str) -> Tensor:
        """The argument as an array. Raises Undetermined if it is not known to be one.

        An argument of which nothing is known is some array, where torch or TensorFlow takes
        nothing else: what a layer makes of it has the size that the layer says.
        """
        value = self.arguments[name]
        if isinstance(value, Unknown) and self.framework in _STRICT:
            return Tensor(Shape.unknown(), ANY)
        return self._wanted(name, Tensor, "an array")

    def dim(self, name: str) -> Dim:
        """The argument as an integer, symbolic or not. Raises Undetermined otherwise."""
        return self._wanted(name, Dim, "an integer")

    def integer(self, name: str) -> int:
        """The argument as a literal integer. Raises Undetermined otherwise."""
        value = self.dim(name).value
        if value is None:
            raise Undetermined(f"`{name}` is not a literal integer")
        return value

    def flag(self, name: str) -> bool:
        """The argument as a literal bool. Raises Undetermined otherwise."""
        return self._wanted(name, bool, "a literal bool")

    def _wanted(self, name: str, kind: type[T], what: str) -> T:
        value = self.arguments[name]
        if isinstance(value, kind):
            return value
        reason = value.reason if isinstance(value, Unknown) else f"`{name}` is not {what}"
        raise Undetermined(reason)

    def same(self, left: Dim, right: Dim) -> Verdict:
        """Whether two dims the op takes to be equal are; learns from the undecided."""
        verdict, self.facts = self.facts.equate(left, right)
        return verdict

    def requires(self, actual: Dim, needed: Dim) -> Verdict:
        """As `same`, where a layer or weight of a given size consumes `actual`."""
        verdict, self.facts = self.facts.require(actual, needed)
        return verdict
