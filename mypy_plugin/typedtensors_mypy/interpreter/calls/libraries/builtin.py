# SPDX-License-Identifier: Apache-2.0
"""Python's own functions and methods, as far as shapes go through them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Shape, Tensor
from typedtensors_mypy.findings import Finding, Place
from typedtensors_mypy.interpreter.annotations.text import annotation_text
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.classes import bound_method, lineage
from typedtensors_mypy.interpreter.calls.libraries.iterators import ITERATORS
from typedtensors_mypy.interpreter.calls.libraries.numbers import NUMBERS, guarded
from typedtensors_mypy.interpreter.expressions.displays import entries
from typedtensors_mypy.interpreter.expressions.iteration import (
    is_literal_key,
    item_of,
    known_items,
    rounds_of,
)
from typedtensors_mypy.interpreter.expressions.ops import apply_op
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import (
    Instance,
    Items,
    Keyed,
    Stream,
    Super,
    UserClass,
    framework_of,
)
from typedtensors_mypy.source import library
from typedtensors_mypy.source.library import ARRAY_CLASS
from typedtensors_mypy.source.program import External


def _length(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    (value,) = arguments.positional
    framework = framework_of(value)
    if framework is not None:
        return apply_op(frame, node, f"{ARRAY_CLASS[framework]}.__len__", (value,))
    items = known_items(frame, value)
    if items is not None:
        return Dim.of(len(items))
    if isinstance(value, Shape):
        return Unknown("the rank is not known")
    if isinstance(value, Instance):
        method = bound_method(frame, value, "__len__")
        if method is not None:
            return frame.run.call(frame, node, method, Arguments())
    rounds = rounds_of(frame, value)
    return Dim.fresh("len") if rounds is None else rounds.number


def _list(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    items = _copied(frame, arguments)
    return Items(items) if isinstance(items, tuple) else items


def _copied(frame: Frame, arguments: Arguments) -> Value:
    if not arguments.positional:
        return ()
    (value,) = arguments.positional
    items = known_items(frame, value)
    if items is not None:
        return items
    if isinstance(value, Shape):
        return value
    return Stream(item_of(frame, value), rounds_of(frame, value))


def _tuple(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    return _copied(frame, arguments)


def _set(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    return Stream(item_of(frame, arguments.positional[0])) if arguments.positional else Items(())


def _dict(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """`dict(a=x)`, `dict(other)`; of other calls nothing is known."""
    if not arguments.complete or len(arguments.positional) > 1:
        return Unknown("a dict of unknown entries")
    held = entries(frame, arguments.positional[0]) if arguments.positional else {}
    held = _pairs(frame, arguments.positional[0]) if held is None else held
    if held is None:
        now = frame.state.now(arguments.positional[0])
        return now if isinstance(now, Keyed) else Unknown("a dict of unknown entries")
    held = {**held, **arguments.keywords}
    return Items(tuple(held.values()), tuple(held))


def _pairs(frame: Frame, value: Value) -> dict[Any, Value] | None:
    """The entries that a list of keys and values writes."""
    items = known_items(frame, value)
    pairs = [item for item in items or () if isinstance(item, tuple) and len(item) == 2]
    if items is None or len(pairs) < len(items):
        return None
    return dict(pairs) if all(is_literal_key(key) for key, _ in pairs) else None


def _super(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    function = frame.function
    if frame.owner is None or function is None or not function.args.args or arguments.positional:
        return Unknown("super() of something that is not followed")
    first = function.args.args[0].arg
    return Super(frame.owner, frame.state.values.get(first, Unknown("self")))


def _isinstance(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """Whether a value is of a class, where that is certain either way."""
    value, classes = arguments.positional[:2]
    listed = classes if isinstance(classes, tuple) else (classes,)
    answers = {is_of(frame, value, cls) for cls in listed}
    if True in answers:
        return True
    return Unknown("a test of a class") if None in answers else False


def is_of(frame: Frame, value: Value, cls: Value) -> bool | None:
    """Whether a value is of a class; None where that is not certain."""
    if isinstance(value, Unknown):
        return None
    if isinstance(cls, UserClass):
        return _is_of_users(frame, value, cls)
    name = cls.name if isinstance(cls, External) else ""
    if name.endswith(("Parameter", "Variable")):
        return None
    framework = library.array_framework(name)
    if framework is not None:
        certain = value is None or isinstance(value, (Tensor, Dim, float, str, tuple, Items))
        return framework_of(value) is framework if certain else None
    kinds = _KINDS.get(name.removeprefix("builtins."))
    if kinds is None:
        return None
    if isinstance(value, kinds):
        keyed = isinstance(value, Keyed) or (isinstance(value, Items) and value.keys is not None)
        return keyed is (name == "builtins.dict") if isinstance(value, Items) else True
    certain = value is None or isinstance(value, (Tensor, Instance, Dim, float, str, tuple, Items))
    return False if certain else None


# An `int` may be a `bool`, and a float that is not known an `int` (see PEP 484).
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "int": Dim,
    "str": str,
    "float": float,
    "bool": bool,
    "tuple": tuple,
    "list": Items,
    "dict": (Items, Keyed),
}


def _is_of_users(frame: Frame, value: Value, cls: UserClass) -> bool | None:
    if not isinstance(value, Instance):
        return False if value is None or isinstance(value, (Tensor, Dim, float, str)) else None
    line = lineage(frame.run, value.cls)
    if cls in line:
        return True
    return False if value.exact and None not in line else None


def _reveal(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    if not arguments.positional:
        return Unknown("nothing revealed")
    value = arguments.positional[0]
    text = annotation_text(value, frame.state.facts)
    if text is not None and frame.scope.module is frame.run.module:
        frame.run.tell(Finding(Place.of(node), wording.revealed(text)))
    return value


def _silent(_frame: Frame, _node: ast.expr, _arguments: Arguments) -> Value:
    return Unknown("a value that holds no array")


BUILTINS: Mapping[str, Callable[[Frame, ast.expr, Arguments], Value]] = {
    **ITERATORS,
    **NUMBERS,
    "builtins.len": guarded(1, _length, most=1),
    "builtins.list": guarded(0, _list, most=1),
    "builtins.tuple": guarded(0, _tuple, most=1),
    "builtins.set": guarded(0, _set),
    "builtins.frozenset": guarded(0, _set),
    "builtins.dict": _dict,
    "collections.OrderedDict": _dict,
    "builtins.super": guarded(0, _super),
    "builtins.isinstance": guarded(2, _isinstance),
    "typing.reveal_type": _reveal,
    "typing_extensions.reveal_type": _reveal,
    **dict.fromkeys(
        ("builtins.print", "builtins.str", "builtins.repr", "builtins.id",
         "builtins.type", "builtins.hasattr", "builtins.bool"),
        _silent,
    ),
}  # fmt: skip
