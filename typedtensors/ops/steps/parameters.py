# SPDX-License-Identifier: Apache-2.0
"""What distributions are made from: arrays and numbers that broadcast to one shape.

Source: https://docs.pytorch.org/docs/stable/distributions.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.ops import promotion
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.value import Distribution, Unknown
from typedtensors.shapes import ANY, DType, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

PREFIX = "torch.distributions."
_FLOATS = frozenset({"float"})


def together(call: Call, names: Iterable[str]) -> Shape:
    """The shape that the arguments broadcast to; numbers alone have none."""
    operands = {name: call[name] for name in names}
    if all(isinstance(value, Unknown) for value in operands.values()):
        raise Undetermined("no parameter is known")
    if any(isinstance(value, (Tensor, Unknown)) for value in operands.values()):
        return meet(call, operands)
    return Shape(())


def element(values: Iterable[Value]) -> DType:
    """The dtype of what is drawn: that of the parameters, if they agree on a float."""
    found = {value.dtype if isinstance(value, Tensor) else ANY for value in values if _holds(value)}
    if not found:
        return promotion.DEFAULT_FLOAT
    dtype = found.pop()
    return dtype if not found and promotion.kinds(dtype) == _FLOATS else ANY


def _holds(value: Value) -> bool:
    """Whether the value may be an array; a number takes an array's dtype."""
    return isinstance(value, (Tensor, Unknown))


def one_of(call: Call, *names: str) -> str:
    """The one of these arguments that is given. Raises Conflicting if not exactly one is."""
    given = [name for name in names if call[name] is not None]
    if len(given) == 1:
        return given[0]
    if any(isinstance(call[name], Unknown) for name in given):
        raise Undetermined("which of the parameters is given is not known")
    words = ", ".join(f"`{name}`" for name in names)
    raise Conflicting(wording.misused(call.name, f"takes exactly one of {words}"))


def is_checked(call: Call) -> bool:
    """Whether torch compares shapes for this distribution: unless it is told not to."""
    return call["validate_args"] in (None, True)


def unbatched(call: Call, name: str) -> tuple[Shape, Shape]:
    """The shape of an argument without its last axis, and that axis.

    Raises Conflicting if it has none.
    """
    shape = call.tensor(name).shape
    if shape.rank == 0:
        where = wording.argument(name, call.name)
        raise Conflicting(wording.rank_differs(where, "... n", shape.text))
    if not shape.suffix:
        raise Undetermined(f"the last axis of `{name}` is not known")
    return Shape(shape.axes[:-1]), Shape(shape.axes[-1:])


def made(
    call: Call, batch: Shape, event: Shape, dtype: DType, parameters: dict[str, Shape]
) -> Distribution:
    """The distribution that a constructor makes."""
    return Distribution(
        kind=call.op.removeprefix(PREFIX),
        batch=batch,
        event=event,
        dtype=dtype,
        parameters=tuple((name, Tensor(shape, dtype)) for name, shape in parameters.items()),
        checked=is_checked(call),
    )
