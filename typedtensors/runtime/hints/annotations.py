# SPDX-License-Identifier: Apache-2.0
"""Resolve a function's annotations: quoted ones, postponed ones, names of an outer function.

Quoted annotations are evaluated by `typing.get_type_hints`, as for any other run-time reader
of annotations. A name that does not exist yet (a class still being defined) is looked up
again at the first call; one that never exists at run time (imported under `TYPE_CHECKING`)
stands for anything, so that `Float["Tensor", "b d"]` still has its rank and sizes checked.
"""

from __future__ import annotations

import builtins
import contextlib
import inspect
import sys
import types
import typing
from collections import ChainMap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class PendingNameError(NameError):
    """An annotation uses a name that does not exist yet."""


class UnreadableHintError(TypeError):
    """The text of an annotation is an expression that raises an error."""


def name_of(function: Callable[..., Any]) -> str:
    """Return the name that its author would use: `Model.forward`."""
    qualname = getattr(inspect.unwrap(function), "__qualname__", type(function).__qualname__)
    return str(qualname).rpartition("<locals>.")[2]


def raw_annotations(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations as written, those of the innermost function.

    From Python 3.14 on they are evaluated here, and missing names become forward references.
    """
    inner = inspect.unwrap(function)
    if sys.version_info >= (3, 14):
        import annotationlib

        return dict(annotationlib.get_annotations(inner, format=annotationlib.Format.FORWARDREF))
    return dict(getattr(inner, "__annotations__", {}))


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature; its annotations do not matter and may not be there yet."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
    return inspect.signature(function)


def resolve_all(
    annotations: Mapping[str, Any], function: Callable[..., Any], names: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Evaluate the annotations of a function at once; None if there is a problem with any."""
    try:
        return _evaluate(annotations, *_scope(function, names))
    except (NameError, SyntaxError, AttributeError, TypeError, ValueError):
        return None


def resolve(
    annotation: Any, function: Callable[..., Any], names: Mapping[str, Any], *, final: bool
) -> Any:
    """Evaluate one annotation.

    Args:
        annotation: as found in `__annotations__`, text or object.
        function: whose globals and enclosing variables are in scope.
        names: further local names, by priority before the globals.
        final: whether a missing name means "anything" rather than "not yet".

    Returns:
        The type hint, with quoted parts evaluated; `Any` for text that is no type.

    Raises:
        PendingNameError: a name is missing and `final` is false.
        UnreadableHintError: the text cannot be evaluated, though all of its names are there.
        ValueError: jaxtyping rejects the spec.
    """
    global_names, local_names = _scope(function, names)
    while True:
        missing = ""
        try:
            hints = _evaluate({"value": annotation}, global_names, local_names)
        except NameError as error:
            if not final:
                raise PendingNameError(str(error)) from error
            missing = error.name or ""
        except (SyntaxError, AttributeError):
            pass  # text for human readers, or an attribute of a name that is not there
        except TypeError as error:
            if local_names.maps[0]:
                return Any  # what stands for a missing name does not do all that it would
            return _resolve_of_class(annotation, global_names, local_names, error)
        else:
            return hints["value"]
        if not missing or missing in local_names.maps[0]:
            return Any
        local_names.maps[0][missing] = Any


def _resolve_of_class(
    annotation: Any,
    global_names: dict[str, Any],
    local_names: Mapping[str, Any],
    problem: TypeError,
) -> Any:
    """Evaluate what may be said of an attribute only, `Final[int]`: dataclasses pass it on."""
    holder = type("Holder", (), {"__annotations__": {"value": annotation}})
    try:
        hints = typing.get_type_hints(holder, global_names, local_names, include_extras=True)
    except TypeError:
        if sys.version_info < (3, 11) and "InitVar" in str(annotation):
            return Any  # which is no type there
        raise UnreadableHintError(f"`{annotation}` raises {problem}") from problem
    return hints["value"]


def _scope(
    function: Callable[..., Any], names: Mapping[str, Any]
) -> tuple[dict[str, Any], ChainMap[str, Any]]:
    """Return the globals and the locals of a definition; the first of the latter are free."""
    inner = inspect.unwrap(function)
    free: dict[str, Any] = {}
    found = (free, type_parameters(inner), _enclosing_variables(inner), dict(names))
    return getattr(inner, "__globals__", {}), ChainMap(*found)


def _evaluate(
    annotations: Mapping[str, Any], global_names: dict[str, Any], local_names: Mapping[str, Any]
) -> dict[str, Any]:
    holder = types.SimpleNamespace(__annotations__=dict(annotations))
    return typing.get_type_hints(holder, global_names, local_names, include_extras=True)


def names_in_scope(frame: types.FrameType | None) -> dict[str, Any]:
    """Return the local names around a definition, given the frame that executes it.

    A class body sees the function around it, which is the frame that runs the class body. A
    function sees the function that it is defined in, if that still runs. The names of other
    callers are not in scope.
    """
    found: dict[str, Any] = {}
    inner: types.CodeType | None = None  # of the last function
    while frame is not None and frame.f_locals is not frame.f_globals:
        if inner is None or inner in frame.f_code.co_consts:
            found = {**frame.f_locals, **found}
            # Python 3.12 runs `class A[T]` in a frame of its own, in which `T` is.
            of_generic = frame.f_code.co_name.startswith("<generic parameters of")
            if frame.f_code.co_flags & inspect.CO_NEWLOCALS and not of_generic:
                inner = frame.f_code
        frame = frame.f_back
    return found


def type_parameters(definition: Any) -> dict[str, Any]:
    """Return the type variables of `def f[T]` or `class A[T]`, which postponed annotations name."""
    return {each.__name__: each for each in getattr(definition, "__type_params__", ())}


def only_mentioned(annotations: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the names that quoted annotations mention, so that no others are kept alive."""
    words: set[str] = set()
    for annotation in annotations.values():
        words.update(_identifiers(str(annotation)))
    return {
        name: value
        for name, value in names.items()
        if name in words and not hasattr(builtins, name)
    }


def _identifiers(text: str) -> list[str]:
    separated = "".join(char if char.isalnum() or char == "_" else " " for char in text)
    return separated.split()


def _enclosing_variables(function: Callable[..., Any]) -> dict[str, Any]:
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    if code is None or not cells:
        return {}
    found = {}
    for name, cell in zip(code.co_freevars, cells, strict=True):
        with contextlib.suppress(ValueError):  # the variable is assigned later
            found[name] = cell.cell_contents
    return found
