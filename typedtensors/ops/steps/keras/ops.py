# SPDX-License-Identifier: Apache-2.0
"""Rules under the names of `keras.ops`, shared with the frameworks whose semantics they have.

Keras promotes dtypes in its own way: what its ops make of one dtype of floats is known.
Source: https://keras.io/api/ops/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops import promotion
from typedtensors.ops.fields import Fields
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.steps.renaming import renamed
from typedtensors.shapes import ANY, DType, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typedtensors.ops.call import Call
    from typedtensors.ops.rule import Example
    from typedtensors.ops.value import Value

_FLOATS = frozenset({"float32", "float64"})


def keras_op(
    *names: str,
    params: str,
    examples: tuple[Example, ...],
    like: Callable[[Call], Value],
    home: str = "keras.ops",
    bools: bool = False,
    **words: str,
) -> None:
    """Register a rule as what `keras.ops.<name>` does.

    `words` are what the rule calls the parameters: `input="x"` where it reads `input`. `bools`: it
    gives bools whatever it is given.
    """
    apply = renamed(like, **words) if words else like
    full = tuple(f"{home}.{name}" for name in names)
    rule(*full, params=params, examples=examples)(_with_dtype_of_keras(apply, bools=bools))


def _with_dtype_of_keras(apply: Callable[[Call], Value], *, bools: bool) -> Callable[[Call], Value]:
    def loosened(call: Call) -> Value:
        given = {array.dtype for value in call.arguments.values() for array in _arrays(value)}
        found = apply(call)
        if bools and isinstance(found, Tensor):
            return found.with_dtype(promotion.BOOL)
        return _loosened(found, given)

    return loosened


def _arrays(value: Value) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _arrays(each)


def _loosened(value: Value, given: set[DType]) -> Value:
    if isinstance(value, Tensor):
        own = len(given) == 1 and value.dtype in given and (value.dtype.names or _ALL) <= _FLOATS
        return value if own else value.with_dtype(ANY)
    if isinstance(value, Fields):
        return tuple(_loosened(each, given) for each in value)
    if isinstance(value, (tuple, list)):
        return type(value)(_loosened(each, given) for each in value)
    return value


_ALL = frozenset({""})


def require_no_bias(first: Shape, second: Shape) -> None:
    """Raise Undetermined where Keras adds the second operand along an axis that fits by its size.

    On TensorFlow a vector, or what has one axis that is not 1, is a bias of the first operand's
    last axis, or else of its axis 1, wherever a broadcast would put it.
    """
    own, given = first.fixed, second.fixed
    if first == second or second == Shape(first.suffix[-1:]):
        return
    if own is None or given is None:
        raise Undetermined("Keras may take it for a bias")
    if len(own) < 2:
        return
    if sum(not axis.is_one and not axis.flexible for axis in given) > 1:
        return
    fits = (own[1].dim, own[-1].dim)
    for at, axis in enumerate(given):
        is_last = at == len(given) - 1 and axis.dim == own[-1].dim
        stays = is_last and len(given) <= len(own)
        if not axis.is_one and axis.dim in fits and not stays:
            raise Undetermined("Keras takes it for a bias")
