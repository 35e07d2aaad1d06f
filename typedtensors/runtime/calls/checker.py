# SPDX-License-Identifier: Apache-2.0
"""A function and its plan: what judges its calls in full, and the generated checks of it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jaxtyping

from typedtensors.runtime.calls.full import FullCheck
from typedtensors.runtime.calls.kind import Kind
from typedtensors.runtime.calls.links import ClassDims
from typedtensors.runtime.calls.plan import Plan, PlanOptions
from typedtensors.runtime.calls.planning import make_plan
from typedtensors.runtime.codegen.build import build
from typedtensors.runtime.codegen.checks import write_checks
from typedtensors.runtime.codegen.code import NotCompilableError
from typedtensors.runtime.codegen.support import ABSENT
from typedtensors.runtime.codegen.twin import Judges, write_twin
from typedtensors.runtime.codegen.writer import Program
from typedtensors.runtime.errors import TensorCheckError
from typedtensors.runtime.hints.annotations import (
    PendingNameError,
    name_of,
    only_mentioned,
    raw_annotations,
)
from typedtensors.runtime.naming import answer
from typedtensors.runtime.scope import Arguments, Memo, Pending, Scope, new_memo
from typedtensors.runtime.switch import Mode, mode
from typedtensors.shapes.arrays.tracing import is_tracing, unconverted

answer()


@dataclass(frozen=True)
class Generated:
    """Generated text, and the function or the tuple of functions that it defines."""

    text: str
    defined: Any


class Checker:
    """A function with its plan; the plan waits for the first call if a name is missing.

    A call is described by its `values`: one per parameter of the signature, in order, `ABSENT`
    for what was not passed.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        kind: Kind,
        names: Mapping[str, Any],
        *,
        only_arrays: bool = False,
        dims: ClassDims | None = None,
    ) -> None:
        """Plan now if every annotation can be read now.

        Raises:
            ValueError: jaxtyping rejects a spec.
        """
        self.function = function
        self.name = name_of(function)
        self.kind = kind
        self.only_arrays = only_arrays
        self.dims = dims or {}
        self.passed: list[bool] | None = [] if mode() is Mode.ONCE else None
        self._wrapper: weakref.ref[Callable[..., Any]] | None = None
        self._names: dict[str, Any] = {}
        self._plan: Plan | None = None
        try:
            self._plan = self._make_plan(names, final=False)
        except PendingNameError:
            self._names = only_mentioned(raw_annotations(function), names)

    def _make_plan(self, names: Mapping[str, Any], *, final: bool) -> Plan:
        options = PlanOptions(final=final, only_arrays=self.only_arrays, dims=self.dims)
        return make_plan(self.function, self.kind, names, options)

    @property
    def plan(self) -> Plan:
        """The plan, made at the first call at the latest."""
        if self._plan is None:
            self._plan = self._make_plan(self._names, final=True)
        return self._plan

    @property
    def is_planned(self) -> bool:
        """Whether there is a plan yet."""
        return self._plan is not None

    def stand_behind(self, wrapper: Callable[..., Any]) -> None:
        """Respect `no_type_check` on the function that users see, too."""
        self._wrapper = weakref.ref(wrapper)

    def build_twin(self) -> Generated | None:
        """Make the function that checks and calls this one; None if some hint does not allow it."""
        judges = Judges(self.function, self.judge_arguments, self.judge_result, self.passed)
        return self._build(lambda: write_twin(self.plan, judges))

    def build_checks(self) -> Generated | None:
        """Make the checks of arguments, of the result and of what is yielded; None as above."""
        return self._build(lambda: write_checks(self.plan))

    def _build(self, write: Callable[[], Program]) -> Generated | None:
        try:
            program = write()
            place = f"{self.name}, {self.plan.place or self.function.__module__}"
            return Generated(program.text, build(program, place))
        except (NotCompilableError, RecursionError, SyntaxError):
            return None  # Python, for one, has a limit to nested blocks

    @unconverted
    def judge_arguments(
        self, values: tuple[Any, ...]
    ) -> tuple[Memo | None, TensorCheckError | None]:
        """Check arguments in full.

        Returns:
            The bindings, None for a call that is not to be checked at all; and the error.
        """
        if self.is_off or is_tracing():
            return None, None
        plain = self.plan.signature.parameters.values()
        arguments = {
            each.name: each.default if value is ABSENT else value
            for each, value in zip(plain, values, strict=True)
        }
        scope = Scope(new_memo(Arguments(arguments, self.plan)))
        with scope:
            error = self.full(values).argument_error()
        return scope.memo, error

    @unconverted
    def judge_result(
        self, values: tuple[Any, ...], memo: Memo | Pending, result: Any
    ) -> TensorCheckError | None:
        """Check in full what the function returned, given what is bound."""
        if is_tracing():
            return None
        with Scope(memo):
            return self.full(values).returned_error(result)

    @property
    def is_off(self) -> bool:
        """Whether checks are switched off for this function, or for all."""
        wrapper = None if self._wrapper is None else self._wrapper()
        marked = (getattr(each, "__no_type_check__", False) for each in (self.function, wrapper))
        return jaxtyping.config.jaxtyping_disable or any(marked)

    def full(self, values: tuple[Any, ...]) -> FullCheck:
        """Return the full check of one call."""
        names = self.plan.signature.parameters
        passed = {
            name: value for name, value in zip(names, values, strict=True) if value is not ABSENT
        }
        return FullCheck(self.name, self.plan, passed)

    def __getstate__(self) -> tuple[Any, ...]:
        """Pickle without the plan, which holds what pickling by value can not.

        A function that is pickled by value leaves behind the globals that only its quoted
        annotations name, so they are sent along.
        """
        found = {**getattr(self.function, "__globals__", {}), **self._names}
        names = only_mentioned(raw_annotations(self.function), found)
        return self.function, self.kind, self.only_arrays, self.dims, self.passed, names

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Plan again where it is loaded, at the first call."""
        self.function, self.kind, self.only_arrays, self.dims, self.passed, self._names = state
        self.name = name_of(self.function)
        self._plan = self._wrapper = None
