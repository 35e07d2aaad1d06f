# SPDX-License-Identifier: Apache-2.0
"""The lines that check one value against one hint: containers, unions, arrays, the rest."""

from __future__ import annotations

import builtins
import typing
from collections.abc import Callable, Iterable
from typing import Any

from typedtensors.runtime.codegen.arrays import Arrays, spec_of
from typedtensors.runtime.codegen.code import Code, NotCompilableError
from typedtensors.runtime.codegen.dims import Dims
from typedtensors.runtime.hints.containers import (
    FieldsHint,
    ItemsHint,
    KeysHint,
    MappingHint,
    TupleHint,
    UnionHint,
)
from typedtensors.runtime.hints.mentions import mentions_arrays
from typedtensors.runtime.hints.nodes import (
    AnyHint,
    ArrayHint,
    ClassHint,
    Hint,
    PlainHint,
    TensorHint,
)

_NO_DEFAULT: Any = object()


class Hints:
    """Writes the checks of values.

    Args:
        code: where lines are written.
        dims: what is bound.
        arrays: writes the check of an array.
    """

    def __init__(self, code: Code, dims: Dims, arrays: Arrays) -> None:
        """Write nothing yet."""
        self._code = code
        self._dims = dims
        self._arrays = arrays

    def check(self, hint: Hint, value: str) -> None:
        """Write the check of the variable `value`.

        Raises:
            NotCompilableError: only the full check understands this hint.
        """
        if not isinstance(hint, AnyHint):
            self._writers[type(hint)](self, hint, value)

    def _check_array(self, hint: ArrayHint, value: str) -> None:
        self._arrays.check(hint.annotation, value)

    def _check_class(self, hint: ClassHint | PlainHint, value: str) -> None:
        self._code.fail_if(self._differs(hint, value))

    def _differs(self, hint: Hint, value: str) -> str:
        """Write the condition under which a value is not what a hint without arrays says."""
        if isinstance(hint, AnyHint):
            return "False"
        if isinstance(hint, ClassHint):
            if hint.annotation is type(None):
                return f"{value} is not None"
            first, *others = (self._class(kind) for kind in hint.accepted)
            exact = f"type({value}) is not {first}"
            names = f"({', '.join([first, *others])})" if others else first
            return f"{exact} and not isinstance({value}, {names})"
        if not isinstance(hint, PlainHint) or mentions_arrays(hint.annotation):
            raise NotCompilableError(str(hint))
        test = self._code.constant(f"mismatch_{_name(hint.annotation)}", hint.mismatch)
        exact = ""
        if isinstance(hint.annotation, type) and typing.get_origin(hint.annotation) is None:
            exact = f"type({value}) is not {self._class(hint.annotation)} and "
        return f"{exact}{test}({value}) is not None"

    def _class(self, kind: type) -> str:
        name: str = kind.__name__
        return name if getattr(builtins, name, None) is kind else self._code.constant(name, kind)

    def _check_items(self, hint: ItemsHint, value: str) -> None:
        self._check_origin(hint.origin, value)
        self._each(hint.item, "item", value)

    def _check_mapping(self, hint: MappingHint, value: str) -> None:
        self._check_origin(hint.origin, value)
        self._each(hint.key, "key", value)
        self._each(hint.item, "item", f"{value}.values()")

    def check_each(self, hint: Hint, values: str) -> None:
        """Write the check of each value of an expression that can be iterated."""
        self._each(hint, "item", values)

    def _each(self, hint: Hint, stem: str, values: str) -> None:
        if isinstance(hint, AnyHint):
            return
        element = self._code.name(stem)
        with self._dims.branch(), self._code.block(f"for {element} in {values}:"):
            self.check(hint, element)

    def _check_tuple(self, hint: TupleHint, value: str) -> None:
        self._check_origin(tuple, value)
        parts = [self._code.name(f"{value}_{index}") for index in range(len(hint.items))]
        self._code.line(f"[{', '.join(parts)}] = {value}")
        for part, item in zip(parts, hint.items, strict=True):
            self.check(item, part)

    def _check_fields(self, hint: FieldsHint, value: str) -> None:
        self._check_origin(hint.origin, value)
        for name, field in hint.fields:
            if not isinstance(field, AnyHint):
                part = self._code.name(f"{value}_{name}")
                self._code.line(f"{part} = {value}.{name}")
                self._check_field(field, part, hint.defaults.get(name, _NO_DEFAULT))

    def _check_field(self, field: Hint, part: str, default: Any) -> None:
        if default is _NO_DEFAULT:
            self.check(field, part)
            return
        name = self._code.constant(f"default_{part}", default)
        with self._dims.branch(), self._code.block(f"if {part} is not {name}:"):
            self.check(field, part)

    def _check_keys(self, hint: KeysHint, value: str) -> None:
        self._check_origin(hint.origin, value)
        for key, item in hint.items:
            if not isinstance(item, AnyHint):
                with self._dims.branch(), self._code.block(f"if {key!r} in {value}:"):
                    part = self._code.name(f"{value}_{key}")
                    self._code.line(f"{part} = {value}[{key!r}]")
                    self.check(item, part)

    def _check_origin(self, origin: type, value: str) -> None:
        kind = self._class(origin)
        self._code.fail_if(f"type({value}) is not {kind} and not isinstance({value}, {kind})")

    def _check_union(self, hint: UnionHint, value: str) -> None:
        """Write `if x is not None:` around the rest; what holds no array is asked first.

        That changes nothing: an option without arrays binds no dim. What fits both it and an
        option before it would bind one there, so only None, which is no array, goes first.
        """
        options = list(hint.options)
        if any(_is_none(option) for option in options) and len(options) > 1:
            rest = [option for option in options if not _is_none(option)]
            with self._dims.branch(), self._code.block(f"if {value} is not None:"):
                self._try_each(rest, value)
        else:
            self._try_each(options, value)

    def _try_each(self, options: list[Hint], value: str) -> None:
        first, *others = options
        if not others:
            self.check(first, value)
        elif isinstance(first, ClassHint | PlainHint | AnyHint):
            with self._dims.branch(), self._code.block(f"if {self._differs(first, value)}:"):
                self._try_each(others, value)
        else:
            self._try(first, lambda: self._try_each(others, value), value)

    def _try(self, option: Hint, otherwise: Callable[[], None], value: str) -> None:
        """Write an attempt whose bindings are undone before the others are tried."""
        saved = self._dims.names_to_restore(*_names([option]))
        before = [self._code.name(f"{name}_before") for name in saved]
        if saved:
            self._code.line(f"{', '.join(before)} = {', '.join(saved)}")
        with self._dims.branch(option=True), self._code.block("try:"):
            self.check(option, value)
        with self._dims.branch(), self._code.block("except ValueError:"):
            if saved:
                self._code.line(f"{', '.join(saved)} = {', '.join(before)}")
            otherwise()

    _writers: typing.ClassVar[dict[type[Hint], Callable[..., None]]] = {
        ArrayHint: _check_array,
        ClassHint: _check_class,
        PlainHint: _check_class,
        TensorHint: _check_class,
        ItemsHint: _check_items,
        MappingHint: _check_mapping,
        TupleHint: _check_tuple,
        FieldsHint: _check_fields,
        KeysHint: _check_keys,
        UnionHint: _check_union,
    }


def _is_none(hint: Hint) -> bool:
    return isinstance(hint, ClassHint) and hint.annotation is type(None)


def _names(hints: Iterable[Hint]) -> tuple[set[str], set[str]]:
    """Return the dims and the variadics that checks of `hints` may bind."""
    specs = [spec_of(annotation) for hint in hints for annotation in hint.annotations()]
    dims = {axis.name for spec in specs for axis in spec.axes if axis.name and not axis.variadic}
    runs = {axis.name for spec in specs for axis in spec.axes if axis.name and axis.variadic}
    return dims, runs


def _name(annotation: Any) -> str:
    return str(getattr(annotation, "__name__", annotation))[:24]
