# SPDX-License-Identifier: Apache-2.0
"""`typechecked(assignments=True)`: an object's annotated attributes fit each other at all times."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from typedtensors.runtime.calls.checker import Checker, Generated
from typedtensors.runtime.calls.full import FullCheck
from typedtensors.runtime.calls.kind import Kind
from typedtensors.runtime.codegen.support import ABSENT
from typedtensors.runtime.errors import TensorCheckError
from typedtensors.runtime.hints.annotations import UnreadableHintError, raw_annotations, resolve
from typedtensors.runtime.scope import Scope, new_memo
from typedtensors.shapes.arrays.tracing import is_compiling


def check_assignments(cls: type, names: Mapping[str, Any], *, only_arrays: bool) -> None:
    """Have `__setattr__` of a class compare what is assigned with what the object holds, in place.

    Args:
        cls: the class.
        names: those that its annotations may use.
        only_arrays: whether nothing but arrays is checked.
    """
    annotations = dict(_attributes(cls, names))
    if not annotations:
        return
    attributes = _Attributes(cls, annotations, names, only_arrays=only_arrays)
    assign: Any = cls.__setattr__

    def error_of(instance: Any, name: str, value: Any) -> TensorCheckError | None:
        return attributes.error(instance, name, value)

    def __setattr__(self: Any, name: str, value: Any) -> None:  # noqa: N807
        __tracebackhide__ = True
        if name in annotations and not is_compiling():
            error = error_of(self, name, value)
            if error is not None:
                raise error
        assign(self, name, value)

    cls.__setattr__ = __setattr__  # type: ignore[method-assign, assignment]


def _attributes(cls: type, names: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the attributes that objects of a class have, and their annotations."""
    converted = {each.name for each in getattr(cls, "__attrs_attrs__", ()) if each.converter}
    for base in reversed(cls.__mro__[:-1]):
        for name, raw in raw_annotations(base).items():
            try:
                annotation = resolve(raw, base, names, final=True)
            except UnreadableHintError:
                continue  # as `ClassVar` is, in quotes
            of_class = typing.ClassVar in (annotation, typing.get_origin(annotation))
            of_init = isinstance(annotation, dataclasses.InitVar)
            if not of_class and not of_init and name not in converted:
                yield name, annotation


class _Attributes:
    """The annotated attributes of a class as parameters of a function: they are checked alike."""

    def __init__(
        self,
        cls: type,
        annotations: Mapping[str, Any],
        names: Mapping[str, Any],
        *,
        only_arrays: bool,
    ) -> None:
        def attributes(**_: Any) -> None: ...

        receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        only = inspect.Parameter.KEYWORD_ONLY
        each = (inspect.Parameter(name, only, default=ABSENT) for name in annotations)
        attributes.__signature__ = inspect.Signature([receiver, *each])  # type: ignore[attr-defined]
        attributes.__annotations__ = dict(annotations)
        attributes.__qualname__ = f"{cls.__qualname__}.__setattr__"
        attributes.__module__ = cls.__module__
        self._cls = cls
        self._names = tuple(annotations)
        self._checker = Checker(attributes, Kind.PLAIN, names, only_arrays=only_arrays)
        self._generated: Generated | None = self._checker.build_checks()

    def error(self, instance: Any, name: str, value: Any) -> TensorCheckError | None:
        """Return what is wrong with an attribute that is about to be assigned."""
        if self._checker.is_off:
            return None
        held = {each: self._held(instance, each) for each in self._names if each != name}
        values = {each: found for each, found in held.items() if found is not ABSENT}
        if value is not self._default(name):
            values[name] = value
        if self._generated is not None:
            try:
                self._generated.defined[0](instance, **values)
            except Exception:  # noqa: BLE001  it is not sure
                return self._judge(instance, name, values)
            return None
        return self._judge(instance, name, values)

    def _judge(self, instance: Any, name: str, values: dict[str, Any]) -> TensorCheckError | None:
        """Blame what is assigned, and nothing that the object holds already."""
        others = {"self": instance, **values}
        if others.pop(name, ABSENT) is ABSENT:
            return None
        check = FullCheck(self._checker.name, self._checker.plan, others)
        with Scope(new_memo(others)):
            if check.argument_error() is not None:
                return None
            return check.assigned_error(name, values[name])

    def _held(self, instance: Any, name: str) -> Any:
        value = getattr(instance, name, ABSENT)
        return ABSENT if value is self._default(name) else value

    def _default(self, name: str) -> Any:
        """Return what the class holds under a name: its default, which need not fit."""
        return getattr(self._cls, name, ABSENT)
