# SPDX-License-Identifier: Apache-2.0
"""A function and its plan, and how a call's arguments are bound to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jaxtyping

from typedtensors.runtime.calls.call import UNCHECKED, Call
from typedtensors.runtime.calls.kind import Kind
from typedtensors.runtime.calls.plan import Plan, make_plan
from typedtensors.runtime.hints.annotations import (
    PendingNameError,
    name_of,
    only_mentioned,
    raw_annotations,
)
from typedtensors.runtime.scope import Scope


class Checker:
    """A function with its plan; the plan waits for the first call if a name is missing."""

    def __init__(self, function: Callable[..., Any], kind: Kind, names: Mapping[str, Any]) -> None:
        """Plan now if every annotation can be read now.

        Raises:
            ValueError: jaxtyping rejects a spec.
        """
        self.function = function
        self.name = name_of(function)
        self.kind = kind
        self._names: dict[str, Any] = {}
        self._plan: Plan | None = None
        try:
            self._plan = make_plan(function, kind, names, final=False)
        except PendingNameError:
            self._names = only_mentioned(raw_annotations(function), names)

    @property
    def plan(self) -> Plan:
        """The plan, made at the first call at the latest."""
        if self._plan is None:
            self._plan = make_plan(self.function, self.kind, self._names, final=True)
        return self._plan

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """Bind the arguments; what can not be bound or is switched off is not checked.

        A function that does not accept the arguments says so itself when it is called:
        its own error names it, and a decorator in between may have changed its signature.
        """
        if jaxtyping.config.jaxtyping_disable or hasattr(self.function, "__no_type_check__"):
            return UNCHECKED
        plan = self.plan
        try:
            bound = plan.signature.bind(*args, **kwargs)
        except TypeError:
            return UNCHECKED
        passed = dict(bound.arguments)
        bound.apply_defaults()
        return Call(self.name, plan, passed, Scope(bound.arguments))

    def __getstate__(self) -> tuple[Any, ...]:
        """Pickle without the plan, which holds what pickling by value can not.

        A function that is pickled by value leaves behind the globals that only its quoted
        annotations name, so they are sent along.
        """
        found = {**getattr(self.function, "__globals__", {}), **self._names}
        names = only_mentioned(raw_annotations(self.function), found)
        return self.function, self.kind, names

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Plan again where it is loaded, at the first call."""
        self.function, self.kind, self._names = state
        self.name = name_of(self.function)
        self._plan = None
