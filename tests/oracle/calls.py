# SPDX-License-Identifier: Apache-2.0
"""Calls each function of a module with arguments that are made up."""

from __future__ import annotations

import asyncio
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any

from tests.oracle.arguments import CannotMake, Maker
from tests.oracle.claims import Checked, Claims
from tests.oracle.instrument import RECORDER
from tests.oracle.recorder import Recorder, TooLong
from typedtensors_mypy.source.modules import AnyFunction

_MOST_ITEMS = 3


def call_all(
    module: ModuleType, checked: Checked, source: str, names: Sequence[str] | None = None
) -> None:
    """Call the functions and methods of a module's own, once for each truth of their flags.

    Args:
        module: The module, which was run.
        checked: What is said of it.
        source: Its text.
        names: Which functions; all if None.
    """
    recorder: Recorder = vars(module)[RECORDER]
    for claims in itertools.chain.from_iterable(checked.claims.values()):
        function = claims.frame.function
        if function is None or not claims.alone or function.name == "__init__":
            continue
        if names is not None and function.name not in names:
            continue
        sizes = _sizes(source, function)
        for flag in (False, True):
            maker = Maker(claims, module, sizes, flag=flag)
            with suppress(CannotMake, TooLong):
                _call(module, recorder, claims, maker)
            if not maker.has_flags:
                break


def _call(module: ModuleType, recorder: Recorder, claims: Claims, maker: Maker) -> None:
    function = claims.frame.function
    assert function is not None
    try:
        arguments = maker.arguments()
        owner, _, name = claims.frame.name.rpartition(".")
        place = arguments.pop("self") if owner and "self" in arguments else module
        call = getattr(getattr(module, owner) if owner and place is module else place, name, None)
        if callable(call):  # no function inside another, and no property, whose value that is
            _finish(_apply(call, arguments))
    except CannotMake:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the program does
        recorder.fail((function.lineno, function.end_lineno or function.lineno), error)


def _apply(call: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    positional = []
    for parameter in inspect.signature(call).parameters.values():
        if getattr(parameter.annotation, "__origin__", None) is Iterator:
            arguments[parameter.name] = iter(arguments[parameter.name])
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += arguments.pop(parameter.name)
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(arguments.pop(parameter.name))
        elif parameter.kind is parameter.VAR_KEYWORD:
            arguments.pop(parameter.name)
    return call(*positional, **arguments)


def _finish(result: Any) -> None:
    """Go through what a generator or a coroutine still has to do."""
    if inspect.isgenerator(result):
        for _ in itertools.islice(result, _MOST_ITEMS):
            pass
    elif inspect.iscoroutine(result):
        asyncio.run(result)


def _sizes(source: str, function: AnyFunction) -> Mapping[str, int]:
    """The sizes that a comment in a function asks for: `# sizes: d=12, heads=3`."""
    found = {}
    for line in source.splitlines()[function.lineno - 1 : function.end_lineno]:
        _, mark, text = line.partition("# sizes:")
        for part in text.split(",") if mark else ():
            name, _, value = part.partition("=")
            found[name.strip()] = int(value)
    return found
