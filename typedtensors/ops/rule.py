# SPDX-License-Identifier: Apache-2.0
"""`Rule`, how one op maps shapes, and the examples that prove it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cache, cached_property
from typing import TYPE_CHECKING

from typedtensors.dims.quick import dataclass
from typedtensors.ops.arguments import Parameters
from typedtensors.ops.call import Call, Framework
from typedtensors.ops.outcome import Conflict, Conflicting, Known, Undetermined
from typedtensors.ops.value import Unknown
from typedtensors.shapes import ANY, Tensor

if TYPE_CHECKING:
    from typedtensors.dims import Facts
    from typedtensors.ops.outcome import Outcome
    from typedtensors.ops.value import Layer, Value


@dataclass(frozen=True)
class Example:
    """One call to compare with the framework: arrays as `Array`, other arguments as they are.

    The conformance tests draw a size for every name, agreeing and disagreeing. `layer` holds the
    constructor's arguments where the op is the forward of a layer.
    """

    args: tuple[object, ...]
    kwargs: Mapping[str, object] = field(default_factory=dict)
    layer: Example | None = None

    def on(self, *args: object, **kwargs: object) -> Example:
        """The same call on a layer constructed with these arguments."""
        return Example(self.args, self.kwargs, Example(args, kwargs))


@dataclass(frozen=True)
class Array:
    """An array argument of an example: `Array("b n d")`, `Array("n", "Int64")`.

    Every element is `fill`: 1 is safe to divide by. A `layout` other than that of rows stores the
    elements by position (`sparse`, `csr`, `csc`), or quantizes channels (`channels`).
    """

    spec: str
    dtype: str = "Float32"
    fill: int = 1
    layout: str = ""


def indices(spec: str) -> Array:
    """An array argument whose elements are indices, of any axis there is."""
    return Array(spec, "Int64", 0)


@dataclass(frozen=True, init=False)
class Module:
    """A layer or distribution as an argument of an example: `Module("torch.nn.Linear", 4, 8)`."""

    name: str
    args: tuple[object, ...]
    kwargs: Mapping[str, object]

    def __init__(self, name: str, *args: object, **kwargs: object) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "args", args)
        object.__setattr__(self, "kwargs", kwargs)


def example(*args: object, **kwargs: object) -> Example:
    """An example call, written as the call is."""
    return Example(args, kwargs)


def on_layers(examples: Iterable[Example]) -> tuple[Example, ...]:
    """The same calls with the settings given to the constructor."""
    return tuple(Example(each.args).on(**each.kwargs) for each in examples)


@dataclass(frozen=True, eq=False, repr=False)
class Rule:
    """How one op maps shapes.

    `names` are the canonical names of the op's spellings (function, method, operator), which share
    the parameters `params`, written as a `def` writes them. `apply` is pure: it reads the call, and
    raises `Undetermined` or `Conflicting`.
    """

    names: tuple[str, ...]
    params: str
    apply: Callable[[Call], Value]
    signature: str = ""
    examples: tuple[Example, ...] = ()

    def __repr__(self) -> str:
        """By its first name."""
        return f"<rule of {self.names[0]}>"

    @cached_property
    def parameters(self) -> Parameters:
        """What `params` says, read when the rule is first used: most rules never are."""
        return Parameters.parse(self.params)

    def evaluate(
        self,
        op: str,
        args: tuple[Value, ...],
        kwargs: Mapping[str, Value],
        facts: Facts,
        *,
        layer: Layer | None = None,
        invoke: Callable[[Value, tuple[Value, ...]], Outcome] | None = None,
    ) -> Outcome:
        """The outcome of the call `op(*args, **kwargs)` where `facts` hold."""
        arguments = self.parameters.bind(args, kwargs)
        if isinstance(arguments, Unknown):
            return arguments
        call = Call(op, arguments, framework_of(op), facts, layer)
        if invoke is not None:
            call.invoke = invoke
        try:
            value = self.apply(call)
        except Undetermined as answer:
            return Unknown(answer.reason)
        except Conflicting as conflict:
            return Conflict(conflict.diagnostic)
        if isinstance(value, Unknown):
            return value
        if isinstance(value, Tensor) and arguments.get("out") is not None:
            value = _written(value, arguments["out"])
        return Known(value, call.facts, tuple(call.broadcasts))


def _written(value: Tensor, out: Value) -> Tensor:
    """A result that is written to `out`: the elements become what that holds."""
    return value.with_dtype(out.dtype if isinstance(out, Tensor) else ANY)


@cache
def framework_of(op: str) -> Framework:
    """The framework that an op's name belongs to."""
    root = op.partition(".")[0].replace("keras", Framework.TENSORFLOW.value)
    return next((each for each in Framework if each.value == root), Framework.TORCH)
