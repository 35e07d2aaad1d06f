# SPDX-License-Identifier: Apache-2.0
"""From a signature to a `Plan`, once for each function."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from typedtensors.runtime.calls.links import Link, find_links
from typedtensors.runtime.calls.plan import Parameter, Plan, PlanOptions, Result
from typedtensors.runtime.calls.slips import (
    bound_names,
    slip_in,
    subject,
    warn_of_typos,
    warn_of_unbound,
)
from typedtensors.runtime.hints.annotations import (
    UnreadableHintError,
    name_of,
    raw_annotations,
    resolve,
    resolve_all,
    signature_of,
)
from typedtensors.runtime.hints.containers import UnionHint
from typedtensors.runtime.hints.mentions import mentions_arrays
from typedtensors.runtime.hints.nodes import AnyHint, ClassHint, Hint, PlainHint
from typedtensors.runtime.hints.parse import parse_hint
from typedtensors.runtime.hints.plain import UncheckableHintError, unpacked
from typedtensors.runtime.notices import SpecWarning, UncheckedWarning, warn_about
from typedtensors.runtime.report.caller import definition

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
    raw = raw_annotations(function)
    hints = resolve_all(raw, function, names) or {
        name: _resolve(name, annotation, function, names, final=options.final)
        for name, annotation in raw.items()
    }
    parameters = tuple(_parameters(function, signature, hints, only_arrays=options.only_arrays))
    handed_out = kind.results(hints["return"]) if "return" in hints else (None, None)
    returned, yielded = (
        _parse_result(function, each, only_arrays=options.only_arrays) for each in handed_out
    )
    every = [each.hint for each in (*parameters, returned, yielded) if each is not None]
    links = _links(function, signature, every, options)
    bound = {name for each in parameters for name in bound_names(each.hint)}
    bound |= {link.dim for link in links}
    for each in parameters:
        warn_of_unbound(function, each, bound)
    warn_of_typos(function, every)
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
        annotation = hints[parameter.name]
        packed = parameter.kind if parameter.kind in _PACKED else None
        whole = None if packed is None else unpacked(annotation)
        if whole is not None:
            annotation, packed = whole, None
        hint = _parse(function, parameter.name, annotation)
        if not isinstance(hint, AnyHint) and (not only_arrays or _holds_arrays(hint)):
            yield Parameter(parameter.name, annotation, hint, packed)


def _links(
    function: Callable[..., Any],
    signature: inspect.Signature,
    hints: list[Hint],
    options: PlanOptions,
) -> tuple[Link, ...]:
    first = next(iter(signature.parameters.values()), None)
    if not options.dims or first is None or first.kind in _NO_RECEIVER:
        return ()
    named = (name for hint in hints for name in bound_names(hint))
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
        warn_about(function, UncheckedWarning, f"{subject(name)} is not checked: {error}")
        return Any
    except ValueError as error:
        message = f"{name_of(function)}(): annotation of {subject(name)}: {error}"
        raise ValueError(message) from error


def _parse(function: Callable[..., Any], name: str, annotation: Any) -> Hint:
    try:
        hint = parse_hint(annotation)
    except (UncheckableHintError, RecursionError) as error:
        warn_about(function, UncheckedWarning, f"{subject(name)} is not checked: {error}")
        return AnyHint()
    for array in hint.annotations():
        slip = slip_in(array.dim_str)
        if slip is not None:
            warn_about(function, SpecWarning, f"{subject(name)}: {slip}")
    return hint


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
