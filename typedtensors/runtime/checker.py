# SPDX-License-Identifier: Apache-2.0
"""Apply a plan to one call: bind the arguments, check them, then check the results."""

from __future__ import annotations

import contextlib
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jaxtyping

from typedtensors.runtime.annotations import (
    PendingNameError,
    name_of,
    only_mentioned,
    raw_annotations,
)
from typedtensors.runtime.plan import Plan, make_plan
from typedtensors.runtime.report import FailedCheck, explain, solve
from typedtensors.runtime.scope import Scope, Snapshot, Trial, bind, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from typedtensors.runtime.hints import Leaf
    from typedtensors.runtime.kind import Kind
    from typedtensors.runtime.plan import Parameter, Result


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


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the function's name and plan, the arguments that were passed, and its scope."""

    function: str
    plan: Plan
    arguments: Mapping[str, Any]
    scope: AbstractContextManager[None]

    def check_arguments(self) -> None:
        """Check each passed argument, within the scope.

        Arithmetic such as `"n+1"` may come before the argument that binds `n`: what can not
        be evaluated yet is checked again after all others, and last solved for `n`.

        Raises:
            TensorCheckError: an argument does not fit.
            AnnotationError: arithmetic uses a name that no argument binds.
        """
        waiting = [p for p in self.plan.parameters if p.name in self.arguments]
        while waiting:
            undecided = [parameter for parameter in waiting if not self._check(parameter)]
            if len(undecided) == len(waiting):
                bind(solve(self.function, self._arrays(), self._unbound()))
                for parameter in undecided:
                    self._check(parameter)
                return
            waiting = undecided

    def _check(self, parameter: Parameter) -> bool:
        """Return whether the check could be made."""
        for path, value in parameter.values(self.arguments[parameter.name]):
            try:
                leaf = parameter.hint.mismatch(value, path)
            except jaxtyping.AnnotationError as error:
                if not self._may_be_bound(error):
                    raise
                return False
            if leaf is not None:
                before = self._unbound()
                raise explain(
                    FailedCheck(self.function, parameter.name, leaf, self._arrays(), before)
                ) from None
        return True

    def _may_be_bound(self, error: jaxtyping.AnnotationError) -> bool:
        """Say whether a name is only missing because its argument was not passed or not seen."""
        cause = error.__cause__
        return isinstance(cause, NameError) and cause.name in self.plan.names

    @staticmethod
    def _unbound() -> Snapshot:
        """Return the scope as it was before the arguments bound anything."""
        return Snapshot({}, {}, snapshot().arguments)

    def check_returned(self, value: Any) -> None:
        """Check what the function returned, within the scope.

        Raises:
            TensorCheckError: it does not fit.
        """
        if self.plan.returned is not None:
            self._check_result("return", self.plan.returned, value)

    def check_yielded(self, value: Any) -> None:
        """Check one yielded value, within the scope; a dim it is the first to name is its own.

        Raises:
            TensorCheckError: it does not fit.
        """
        if self.plan.yielded is not None:
            with Trial():
                self._check_result("yield", self.plan.yielded, value)

    def _check_result(self, name: str, result: Result, value: Any) -> None:
        try:
            leaf = result.hint.mismatch(value)
        except jaxtyping.AnnotationError as error:
            if not self._may_be_bound(error):
                raise
            return
        if leaf is not None:
            raise explain(
                FailedCheck(
                    function=self.function,
                    argument=name,
                    leaf=leaf,
                    arrays=[*self._arrays(), *((name, each) for each in result.hint.arrays(value))],
                    before=snapshot(),
                    settled=True,
                    defined_at=self.plan.place,
                )
            ) from None

    def _arrays(self) -> Iterator[tuple[str, Leaf]]:
        """Yield every array argument, with the name of its parameter."""
        for parameter in self.plan.parameters:
            if parameter.name in self.arguments:
                for path, value in parameter.values(self.arguments[parameter.name]):
                    for leaf in parameter.hint.arrays(value, path):
                        yield parameter.name, leaf


UNCHECKED = Call(
    "", Plan(inspect.Signature(), (), frozenset(), None, None, None), {}, contextlib.nullcontext()
)
