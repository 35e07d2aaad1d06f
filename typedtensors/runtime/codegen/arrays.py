# SPDX-License-Identifier: Apache-2.0
"""The lines that check one array: its class, its dtype, its rank and each of its axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from typedtensors.runtime.codegen.arithmetic import Arithmetic, parse_arithmetic, write_lookup
from typedtensors.runtime.codegen.code import Code, NotCompilableError
from typedtensors.runtime.codegen.dims import Dims
from typedtensors.runtime.codegen.support import dtype_table, is_concrete
from typedtensors.runtime.symbolic.values import is_array_of
from typedtensors.shapes import Spec, SpecAxis, SpecError, parse_spec


@dataclass
class _Deferred:
    """An axis whose arithmetic needs a dim that a later line binds."""

    axis: SpecAxis
    arithmetic: Arithmetic
    size: str


class Arrays:
    """Writes the checks of arrays.

    Args:
        code: where lines are written.
        dims: what is bound.
        arguments: how each parameter of the function is written, for `{self.d}`.
    """

    def __init__(self, code: Code, dims: Dims, arguments: Mapping[str, str]) -> None:
        """Write nothing yet."""
        self._code = code
        self._dims = dims
        self._arguments = arguments
        self._deferred: list[_Deferred] = []
        self._traceable = False

    def check(self, annotation: Any, value: str) -> None:
        """Write the check of the variable `value`.

        Raises:
            NotCompilableError: the spec is one of those that depend on their surroundings.
        """
        spec = spec_of(annotation)
        self._check_class(annotation.array_type, value)
        self._check_dtype(annotation, value)
        self._check_axes(spec, value, _framework(annotation.array_type))

    def finish(self) -> None:
        """Write the arithmetic that had to wait.

        Raises:
            NotCompilableError: it needs a dim that nothing binds.
        """
        for each in self._deferred:
            self._compare(each.axis, each.arithmetic, each.size)
        self._deferred.clear()

    def _check_class(self, kind: Any, value: str) -> None:
        if kind is Any:
            self._code.line(f"{value}.shape")
            self._code.line(f"{value}.dtype")
            return
        name, framework = self._code.constant(kind.__name__, kind), _framework(kind)
        test = "isinstance"
        if framework == "torch":
            test = self._code.constant("is_concrete", is_concrete)
        elif framework == "tensorflow":
            test = self._code.constant("is_array_of", is_array_of)
        self._code.fail_if(f"type({value}) is not {name} and not {test}({value}, {name})")

    def _check_dtype(self, annotation: Any, value: str) -> None:
        if isinstance(annotation.dtypes, tuple):  # else jaxtyping's mark for "any"
            wanted = f"{annotation.dtype.__name__.lower()}_dtypes"
            table = self._code.constant(wanted, dtype_table(annotation.dtypes))
            self._code.fail_if(f"not {table}[{value}.dtype]")

    def _check_axes(self, spec: Spec, value: str, framework: str) -> None:
        if not spec.axes:
            self._code.fail_if(f"len({value}.shape)")
            return
        found = self._unpack(spec, value)
        if framework == "torch" and not self._traceable and self._dims.depth == 0:
            self._refuse_traced(found)
        if framework not in _ALWAYS_KNOWN:
            self._refuse_unknown(found)
        for axis, size in found:
            if not axis.variadic and size != "_":
                self._check_axis(axis, size)
        for axis, size in found:
            if axis.variadic and size not in ("_", self._dims.runs.get(axis.name or "")):
                self._dims.meet_run(axis.name or "", size, flexible=axis.flexible)

    def _unpack(self, spec: Spec, value: str) -> list[tuple[SpecAxis, str]]:
        """Write `b, _, x_2 = x.shape`; a dim that is met for the first time is set at once."""
        found = [
            (axis, self._target(axis) or self._code.name(f"{value}_{position}"))
            for position, axis in enumerate(spec.axes)
        ]
        targets = [f"*{target}" if axis.variadic else target for axis, target in found]
        if targets != ["*_"]:
            self._code.line(f"[{', '.join(targets)}] = {value}.shape")
        return found

    def _target(self, axis: SpecAxis) -> str | None:
        if axis.name is None and axis.dim is None:
            return "_"
        if not axis.name or axis.flexible:
            return None
        if axis.variadic:
            return self._dims.set_run(axis.name) if self._dims.is_new_run(axis.name) else None
        return self._dims.set(axis.name) if self._dims.is_new(axis.name) else None

    def _refuse_traced(self, found: list[tuple[SpecAxis, str]]) -> None:
        """Leave alone what `torch.jit.trace` records: sizes are tensors there."""
        sizes = [size for axis, size in found if not axis.variadic and size != "_"]
        if sizes:
            self._traceable = True
            self._code.fail_if(f"type({sizes[0]}) is not int")

    def _refuse_unknown(self, found: list[tuple[SpecAxis, str]]) -> None:
        """Leave alone what TensorFlow traces: a size may be None there."""
        for axis, size in found:
            if size != "_":
                self._code.fail_if(f"None in {size}" if axis.variadic else f"{size} is None")

    def _check_axis(self, axis: SpecAxis, size: str) -> None:
        if axis.name is not None:
            if self._dims.sizes.get(axis.name) == size:
                return
            meet = self._dims.meet_flexible if axis.flexible else self._dims.meet
            meet(axis.name, size)
        elif axis.dim is not None and axis.dim.value is not None:
            self._code.fail_if(f"{size} != {axis.dim.value}{_or_one(axis, size)}")
        else:
            self._check_arithmetic(axis, size)

    def _check_arithmetic(self, axis: SpecAxis, size: str) -> None:
        arithmetic = parse_arithmetic(axis)
        unbound = arithmetic.dims - self._dims.bound
        if unbound and self._dims.in_option:
            raise NotCompilableError(axis.text)
        if unbound and self._dims.depth == 0:
            self._deferred.append(_Deferred(axis, arithmetic, size))
        else:
            self._compare(axis, arithmetic, size)

    def _compare(self, axis: SpecAxis, arithmetic: Arithmetic, size: str) -> None:
        self._dims.require(arithmetic.dims)
        variables = {name: self._dims.size(name) for name in arithmetic.dims}
        for name, expression in arithmetic.lookups.items():
            variables[name] = self._code.name("read")
            text = write_lookup(expression, self._arguments)
            self._code.line(f"{variables[name]} = {text}")
            # jaxtyping evaluates the text of the value: only that of an int is its own.
            self._code.fail_if(f"type({variables[name]}) is not int or {variables[name]} < 0")
        wanted = arithmetic.text(variables.__getitem__)
        self._code.fail_if(f"{size} != {wanted}{_or_one(axis, size)}")


def spec_of(annotation: Any) -> Spec:
    """Parse the spec of an array annotation.

    Raises:
        NotCompilableError: it means nothing, or depends on a place in a `PyTree`.
    """
    try:
        spec = parse_spec(annotation.dim_str)
    except SpecError as error:
        raise NotCompilableError(annotation.dim_str) from error
    if any(axis.tree for axis in spec.axes):
        raise NotCompilableError(annotation.dim_str)
    return spec


def _or_one(axis: SpecAxis, size: str) -> str:
    return f" and {size} != 1" if axis.flexible else ""


# Their arrays tell all of their sizes.
_ALWAYS_KNOWN = frozenset({"torch", "numpy", "jax", "jaxlib"})


def _framework(kind: Any) -> str:
    return str(getattr(kind, "__module__", "")).partition(".")[0]
