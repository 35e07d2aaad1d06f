# SPDX-License-Identifier: Apache-2.0
"""The full check of one call, value by value: what decides where a generated check is not sure.

The methods return the error instead of raising it, so that the wrapper around the function is
the only frame of ours in the user's traceback.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jaxtyping

from typedtensors.runtime.calls.plan import Parameter, Plan, Result
from typedtensors.runtime.errors import TensorCheckError
from typedtensors.runtime.hints.nodes import Hint, Leaf, has_shape
from typedtensors.runtime.report import FailedCheck, explain, solve
from typedtensors.runtime.report.rows import is_result
from typedtensors.runtime.scope import Snapshot, Trial, bind, snapshot


class _UnboundError(Exception):
    """Arithmetic needs a name that its argument has not bound, or not yet."""


@dataclass(frozen=True, slots=True)
class FullCheck:
    """One call: the function's name and plan, and the arguments that were passed.

    Every method is called within the scope of the call.
    """

    function: str
    plan: Plan
    arguments: Mapping[str, Any]

    def argument_error(self) -> TensorCheckError | None:
        """Check each passed argument, given the dims of the class.

        Arithmetic such as `"n+1"` may come before the argument that binds `n`: what can not
        be evaluated yet is checked again after all others, and last solved for `n`.

        Raises:
            AnnotationError: arithmetic uses a name that no argument binds.
        """
        bind(self._linked)
        waiting = [each for each in self.plan.parameters if each.name in self.arguments]
        while waiting:
            undecided: list[Parameter] = []
            error = self._first_error(waiting, undecided)
            if error is not None or not undecided:
                return error
            if len(undecided) == len(waiting):
                return self._solve(undecided)
            waiting = undecided
        return None

    def returned_error(self, value: Any) -> TensorCheckError | None:
        """Check what the function returned."""
        result = self.plan.returned
        return None if result is None else self._result_error("return", result, value)

    def yielded_error(self, value: Any) -> TensorCheckError | None:
        """Check one yielded value; a dim that it is the first to name is its own."""
        result = self.plan.yielded
        if result is None:
            return None
        with Trial():
            return self._result_error("yield", result, value)

    def assigned_error(self, name: str, value: Any) -> TensorCheckError | None:
        """Check a value that one of the parameters, not passed so far, is to have."""
        for each in self.plan.parameters:
            if each.name == name:
                return self._result_error(name, Result(each.annotation, each.hint), value)
        return None

    def _first_error(
        self, parameters: list[Parameter], undecided: list[Parameter]
    ) -> TensorCheckError | None:
        """Check parameters in order; those that can not be decided are added to `undecided`."""
        for parameter in parameters:
            try:
                leaf = self._misfit(parameter)
            except _UnboundError:
                undecided.append(parameter)
                continue
            if leaf is not None:
                return explain(
                    FailedCheck(
                        self.function,
                        parameter.name,
                        leaf,
                        self._arrays(),
                        self._before,
                        sources=self._sources,
                    )
                )
        return None

    @property
    def _linked(self) -> Mapping[str, int]:
        """The dims that the object of a method gives, as far as its arrays bear them out."""
        if not self.plan.links:
            return {}
        instance = self.arguments.get(self.plan.receiver)
        sizes = {link.dim: link.size(instance) for link in self.plan.links}
        return {dim: size for dim, size in sizes.items() if size is not None}

    @property
    def _sources(self) -> Mapping[str, str]:
        linked = self._linked
        links = [link for link in self.plan.links if link.dim in linked]
        return {link.dim: link.source(self.plan.receiver) for link in links}

    @property
    def _before(self) -> Snapshot:
        """What is bound before any argument is looked at."""
        return Snapshot(self._linked, {}, snapshot().arguments)

    def _misfit(self, parameter: Parameter) -> Leaf | None:
        for path, value in parameter.values(self.arguments[parameter.name]):
            leaf = self._mismatch(parameter.hint, value, path)
            if leaf is not None:
                return leaf
        return None

    def _mismatch(self, hint: Hint, value: Any, path: str = "") -> Leaf | None:
        try:
            leaf = hint.mismatch(value, path)
        except jaxtyping.AnnotationError as error:
            # Is the name only missing because its argument was not passed, or not seen yet?
            cause = error.__cause__
            if isinstance(cause, NameError) and cause.name in self.plan.names:
                raise _UnboundError from None
            raise
        if leaf is not None and self.plan.only_arrays and not _is_array(leaf.value):
            return None
        return leaf

    def _solve(self, undecided: list[Parameter]) -> TensorCheckError | None:
        found = solve(self.function, self._arrays(), self._before)
        if isinstance(found, TensorCheckError):
            return found
        bind(found)
        return self._first_error(undecided, [])

    def _result_error(self, name: str, result: Result, value: Any) -> TensorCheckError | None:
        try:
            leaf = self._mismatch(result.hint, value)
        except _UnboundError:
            return None
        if leaf is None:
            return None
        return explain(
            FailedCheck(
                function=self.function,
                argument=name,
                leaf=leaf,
                arrays=[*self._arrays(), *((name, each) for each in result.hint.arrays(value))],
                before=snapshot(),
                settled=True,
                defined_at=self.plan.place if is_result(name) else None,
                sources=self._sources,
            )
        )

    def arrays(self, returned: Any) -> Iterator[tuple[str, Leaf]]:
        """Yield every array argument and every array of the result, with what it is called."""
        yield from self._arrays()
        if self.plan.returned is not None:
            yield from (("return", each) for each in self.plan.returned.hint.arrays(returned))

    def _arrays(self) -> Iterator[tuple[str, Leaf]]:
        """Yield every array argument, with the name of its parameter."""
        for parameter in self.plan.parameters:
            if parameter.name in self.arguments:
                for path, value in parameter.values(self.arguments[parameter.name]):
                    for leaf in parameter.hint.arrays(value, path):
                        yield parameter.name, leaf


def _is_array(value: Any) -> bool:
    return has_shape(value) and hasattr(value, "dtype")
