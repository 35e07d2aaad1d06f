# SPDX-License-Identifier: Apache-2.0
"""From a signature to a `Plan`, once for each function."""

from __future__ import annotations

import contextlib
import difflib
import inspect
import re
from typing import TYPE_CHECKING, Any

from typedtensors.runtime.calls.links import Link, find_links
from typedtensors.runtime.calls.plan import Parameter, Plan, PlanOptions, Result
from typedtensors.runtime.hints.annotations import (
    UnreadableHintError,
    name_of,
    raw_annotations,
    resolve,
    signature_of,
)
from typedtensors.runtime.hints.mentions import mentions_arrays
from typedtensors.runtime.hints.nodes import AnyHint, ClassHint, Hint, PlainHint, UnionHint
from typedtensors.runtime.hints.parse import parse_hint
from typedtensors.runtime.hints.plain import UncheckableHintError
from typedtensors.runtime.notices import SpecWarning, UncheckedWarning, warn_about
from typedtensors.runtime.report.caller import definition
from typedtensors.shapes import SpecError, parse_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from typedtensors.runtime.calls.kind import Kind


def make_plan(
    function: Callable[..., Any], kind: Kind, names: Mapping[str, Any], options: PlanOptions
) -> Plan:
    """Read the signature of `function`.

    Args:
        function: what is checked.
        kind: how it hands out its results.
        names: local names that its annotations may use.
        options: what else is known.

    Raises:
        PendingNameError: an annotation uses a name that does not exist yet (see `resolve`).
        ValueError: jaxtyping rejects a spec.
    """
    signature = signature_of(function)
    hints = {
        name: _resolve(name, annotation, function, names, final=options.final)
        for name, annotation in raw_annotations(function).items()
    }
    parameters = tuple(_parameters(function, signature, hints, only_arrays=options.only_arrays))
    handed_out = kind.results(hints["return"]) if "return" in hints else (None, None)
    returned, yielded = (
        _parse_result(function, each, only_arrays=options.only_arrays) for each in handed_out
    )
    every = [each.hint for each in (*parameters, returned, yielded) if each is not None]
    links = _links(function, signature, every, options)
    bound = {name for each in parameters for name in _bound_names(each.hint)}
    bound |= {link.dim for link in links}
    for each in parameters:
        _warn_of_unbound(function, each, bound)
    place = definition(function)
    return Plan(
        name_of(function),
        signature,
        parameters,
        frozenset(bound),
        returned,
        yielded,
        place,
        options.only_arrays,
        links,
    )


_PACKED = frozenset({inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD})


def _parameters(
    function: Callable[..., Any],
    signature: inspect.Signature,
    hints: Mapping[str, Any],
    *,
    only_arrays: bool,
) -> Iterator[Parameter]:
    """Yield the parameters that have something to check."""
    for parameter in signature.parameters.values():
        if parameter.name not in hints:
            continue
        hint = _parse(function, parameter.name, hints[parameter.name])
        if isinstance(hint, AnyHint) or (only_arrays and not _holds_arrays(hint)):
            continue
        packed = parameter.kind if parameter.kind in _PACKED else None
        yield Parameter(parameter.name, hints[parameter.name], hint, packed)


def _links(
    function: Callable[..., Any],
    signature: inspect.Signature,
    hints: list[Hint],
    options: PlanOptions,
) -> tuple[Link, ...]:
    first = next(iter(signature.parameters.values()), None)
    if not options.dims or first is None or first.kind in _NO_RECEIVER:
        return ()
    named = (name for hint in hints for name in _bound_names(hint))
    return find_links(function, named, options.dims)


_NO_RECEIVER = _PACKED | {inspect.Parameter.KEYWORD_ONLY}


def _resolve(
    name: str,
    annotation: Any,
    function: Callable[..., Any],
    names: Mapping[str, Any],
    *,
    final: bool,
) -> Any:
    try:
        return resolve(annotation, function, names, final=final)
    except UnreadableHintError as error:
        warn_about(function, UncheckedWarning, f"{_subject(name)} is not checked: {error}")
        return Any
    except ValueError as error:
        message = f"{name_of(function)}(): annotation of {_subject(name)}: {error}"
        raise ValueError(message) from error


def _parse(function: Callable[..., Any], name: str, annotation: Any) -> Hint:
    try:
        hint = parse_hint(annotation)
    except (UncheckableHintError, RecursionError) as error:
        warn_about(function, UncheckedWarning, f"{_subject(name)} is not checked: {error}")
        return AnyHint()
    for array in hint.annotations():
        slip = _slip(array.dim_str)
        if slip is not None:
            warn_about(function, SpecWarning, f"{_subject(name)}: {slip}")
    return hint


def _slip(spec: str) -> str | None:
    """Say what cannot be meant in a spec that jaxtyping accepts; its verdict stands."""
    try:
        parse_spec(spec)
    except SpecError as error:
        return error.diagnostic.text
    return None


_OPERATOR = re.compile(
    r"__(lt|le|eq|ne|gt|ge|subclasshook|[ri]?(add|sub|mul|matmul|truediv|floordiv|mod|divmod|pow"
    r"|lshift|rshift|and|xor|or))__"
)
_NOT_IMPLEMENTED = ClassHint(type(NotImplemented), (type(NotImplemented),))


def _parse_result(
    function: Callable[..., Any], annotation: Any, *, only_arrays: bool
) -> Result | None:
    hint = AnyHint() if annotation is None else _parse(function, "return", annotation)
    if isinstance(hint, AnyHint) or (only_arrays and not _holds_arrays(hint)):
        return None
    if _OPERATOR.fullmatch(getattr(function, "__name__", "")):
        # What says "ask the other operand"; annotations leave it out.
        hint = UnionHint(annotation, (hint, _NOT_IMPLEMENTED))
    return Result(annotation, hint)


def _holds_arrays(hint: Hint) -> bool:
    if isinstance(hint, PlainHint):
        return mentions_arrays(hint.annotation)
    if isinstance(hint, UnionHint):
        return any(map(_holds_arrays, hint.options))
    return next(hint.annotations(), None) is not None


def _bound_names(hint: Hint) -> Iterator[str]:
    for annotation in hint.annotations():
        with contextlib.suppress(SpecError):
            axes = parse_spec(annotation.dim_str).axes
            yield from (axis.name for axis in axes if axis.name and not axis.variadic)


def _warn_of_unbound(function: Callable[..., Any], parameter: Parameter, bound: set[str]) -> None:
    """Say which arithmetic can never be evaluated; a call would fail on it."""
    for annotation in parameter.hint.annotations():
        with contextlib.suppress(SpecError):
            unbound = sorted(parse_spec(annotation.dim_str).names - bound)
            if unbound:
                meant = difflib.get_close_matches(unbound[0], sorted(bound), n=1)
                hint = f"; did you mean `{meant[0]}`?" if meant else ""
                problem = f'"{annotation.dim_str}" needs `{unbound[0]}`, which no argument binds'
                message = f"{_subject(parameter.name)}: {problem}{hint}"
                warn_about(function, SpecWarning, message)


def _subject(name: str) -> str:
    return "the return value" if name == "return" else f"parameter `{name}`"
