# SPDX-License-Identifier: Apache-2.0
"""A rule's examples as text, each with what the rule makes of it.

>>> from typedtensors.ops import Array, example, lookup
>>> described(lookup("torch.mm"), "torch.mm", example(Array("n k"), Array("k m")))
'torch.mm(float32[n k], float32[k m]) -> float32[n m]'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from typedtensors.dims import Dim, Facts, parse_dim
from typedtensors.ops.outcome import Conflict, Known
from typedtensors.ops.promotion import text as dtype_text
from typedtensors.ops.registry import lookup
from typedtensors.ops.rule import Array, Example, Module
from typedtensors.ops.value import Device, Distribution, Layer, Many, Object, Unknown
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor, Variadic

if TYPE_CHECKING:
    from typedtensors.ops.rule import Rule
    from typedtensors.ops.value import Value

_CALLS = (".forward", ".__call__")


def described(rule: Rule, op: str, example: Example) -> str:
    """One example: the call in the spelling `op`, and the result as far as the rule says."""
    made = "" if example.layer is None else _arguments(example.layer)
    name = op
    for ending in _CALLS if made else ():
        name = name.removesuffix(ending)
    return f"{name}{made}{_arguments(example)} -> {_result(rule, op, example)}"


def _result(rule: Rule, op: str, example: Example) -> str:
    made = None if example.layer is None else _made(op.rpartition(".")[0], example.layer)
    layer = made if isinstance(made, Layer) else None
    args = tuple(map(_value, example.args))
    kwargs = {name: _value(value) for name, value in example.kwargs.items()}
    outcome = rule.evaluate(op, args, kwargs, Facts(), layer=layer)
    if isinstance(outcome, Conflict):
        return f"error [{outcome.diagnostic.code}]"
    return _shown(outcome.value) if isinstance(outcome, Known) else "unknown"


def _made(name: str, config: Example) -> Value:
    """What a constructor makes: a layer, a distribution."""
    constructor = lookup(name)
    if constructor is None:
        return Unknown("no constructor")
    kwargs = {key: _value(value) for key, value in config.kwargs.items()}
    made = constructor.evaluate(name, tuple(map(_value, config.args)), kwargs, Facts())
    return made.value if isinstance(made, Known) else Unknown("not made")


def _value(given: object) -> Value:
    """An argument of an example as a rule gets it."""
    if isinstance(given, Array):
        shape = Shape(tuple(map(_part, given.spec.split())))
        return Tensor(shape, DType.exactly(given.dtype.lower()))
    if isinstance(given, Module):
        return _made(given.name, Example(given.args, given.kwargs))
    if type(given) is int:
        return Dim.of(given)
    if isinstance(given, (tuple, list)):
        return type(given)(map(_value, given))
    if isinstance(given, slice):
        return slice(*map(_value, (given.start, given.stop, given.step)))
    return given


def _part(word: str) -> Axis | Variadic:
    if word == "...":
        return Variadic.fresh()
    return Variadic(word[1:]) if word.startswith("*") else Axis(parse_dim(word))


def _arguments(example: Example) -> str:
    words = [*map(_shown, example.args)]
    words += [f"{name}={_shown(value)}" for name, value in example.kwargs.items()]
    return f"({', '.join(words)})"


def _shown(value: object) -> str:
    """A value or an argument as people would write it."""
    if isinstance(value, Array):
        return f"{value.dtype.lower()}[{value.spec}]"
    if isinstance(value, Tensor):
        name = "array" if value.dtype == ANY else dtype_text(value.dtype)
        return f"{name}[{value.shape.text}]"
    if isinstance(value, DType):
        return dtype_text(value)
    if isinstance(value, (tuple, list, Mapping)):
        return _nested(value)
    if isinstance(value, Module):
        return value.name + _arguments(Example(value.args, value.kwargs))
    if isinstance(value, Distribution):
        return f"{value.kind}[{value.batch.text}][{value.event.text}]"
    if isinstance(value, (Layer, Object)):
        return value.name
    if isinstance(value, slice):
        step = "" if value.step is None else f":{_shown(value.step)}"
        return f"{_bound(value.start)}:{_bound(value.stop)}{step}"
    return _plainly(value)


def _plainly(value: object) -> str:
    if isinstance(value, Many):
        return f"({_shown(value.item)}, ...)"
    if value is Ellipsis or isinstance(value, (Device, Unknown)):
        return "..."
    return repr(value) if isinstance(value, str) else str(value)


def _bound(value: object) -> str:
    return "" if value is None else _shown(value)


def _nested(value: Sequence[object] | Mapping[object, object]) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {_shown(each)}' for key, each in value.items())}}}"
    inner = ", ".join(map(_shown, value))
    if isinstance(value, list):
        return f"[{inner}]"
    return f"({inner},)" if len(value) == 1 else f"({inner})"
