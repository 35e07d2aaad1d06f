# SPDX-License-Identifier: Apache-2.0
"""Tells a guard what annotations call the axes of the arguments of the current call.

It costs a checked call nothing: the guard asks, and reads what the bindings hold anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.runtime.scope import Arguments, Pending, current_stack, stacks
from typedtensors.shapes.arrays.named import CALLS, NamedCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from typedtensors.runtime.calls.plan import Plan


def answer() -> None:
    """Answer the questions of guards from now on."""
    CALLS.innermost, CALLS.active, CALLS.describe = _innermost, _active, _describe


def _innermost() -> object | None:
    # At every operation under a guard: it costs as little as it can.
    stack = getattr(stacks.local, "memo_stack", None)
    if not stack:
        return None
    memo = stack[-1]
    return memo if type(memo) is Pending else _call(memo)


def _active() -> list[object]:
    return [call for call in map(_call, current_stack()) if call is not None]


def _call(memo: Any) -> object | None:
    """What stands for a call: its bindings as they were first made."""
    if type(memo) is Pending:
        return memo
    arguments = memo[3] if type(memo) is tuple else None
    return arguments.call if isinstance(arguments, Arguments) else None


def _describe(call: object) -> NamedCall:
    arguments = call.memo()[3] if isinstance(call, Pending) else call
    if not isinstance(arguments, Arguments) or arguments.plan is None:
        return NamedCall()
    return NamedCall(arguments.plan.name, tuple(_arrays(arguments.plan, arguments)))


def _arrays(plan: Plan, arguments: Mapping[str, Any]) -> Iterator[tuple[object, str]]:
    for parameter in plan.parameters:
        for _, value in parameter.values(arguments[parameter.name]):
            for leaf in parameter.hint.arrays(value):
                yield leaf.value, leaf.annotation.dim_str
