# SPDX-License-Identifier: Apache-2.0
"""The twin of a plain function: it has its parameters, checks them, calls it, checks the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from typedtensors.runtime.calls.plan import Plan, Result
from typedtensors.runtime.codegen.writer import Program, Writer
from typedtensors.runtime.scope import Deferred, Scope, stacks
from typedtensors.shapes.arrays.tracing import tracing_test


@dataclass(frozen=True)
class Judges:
    """The function, and the full checks that decide where the twin is not sure.

    Args:
        function: what is called.
        arguments: given all arguments, returns bindings (None: unchecked) and an error or None.
        result: given all arguments, the bindings and the result, returns an error or None.
        passed: None, or a list that gets an item when a call has passed; no later call is checked.
    """

    function: Callable[..., Any]
    arguments: Callable[..., Any]
    result: Callable[..., Any]
    passed: list[bool] | None = None


def write_twin(plan: Plan, judges: Judges) -> Program:
    """Write a function that checks, calls `judges.function`, and checks its result.

    Raises:
        NotCompilableError: some hint is only understood by the full check.
    """
    twin = _Twin(plan, judges)
    code = twin.code
    with code.block(f"def {twin.name}({twin.formals.declared()}):"):
        code.line("__tracebackhide__ = True")
        with code.block(f"if {code.constant('is_compiling', tracing_test(), traced=True)}():"):
            code.line(f"return {twin.call}")
        twin.write_shortcut()
        twin.write_arguments()
        twin.write_call()
        if plan.returned is not None:
            twin.write_result(plan.returned)
        twin.write_pass()
        code.line(f"return {twin.result}")
    return twin.program(twin.name)


class _Twin(Writer):
    """Names what the parts of the twin share."""

    def __init__(self, plan: Plan, judges: Judges) -> None:
        super().__init__(plan)
        names = (judges.function.__name__, "memo", "error", "stack", "left", "result")
        self.name, self.memo, self.error, self.stack, self.left, self.result = map(
            self.code.name, names
        )
        self.judges = judges
        self.find_stack = f"{self.stack} = {self.code.constant('stacks', stacks)}.local.memo_stack"
        function = self.code.constant("function", judges.function, traced=True)
        self.call = f"{function}({self.formals.passed()})"

    def write_shortcut(self) -> None:
        """Call the function where no more calls are checked; its body may still ask for sizes."""
        if self.judges.passed is None:
            return
        code = self.code
        scope, deferred = code.constant("Scope", Scope), code.constant("Deferred", Deferred)
        judge = code.constant("judge_arguments", self.judges.arguments)
        later = f"{deferred}(({judge}, {self.formals.values}))"
        passed = code.constant("passed", self.judges.passed)
        with code.block(f"if {passed}:"), code.block(f"with {scope}({later}):"):
            code.line(f"return {self.call}")

    def write_pass(self) -> None:
        """Note that a call has passed."""
        if self.judges.passed is not None:
            self.code.line(f"{self.code.constant('passed', self.judges.passed)}.append(True)")

    def write_arguments(self) -> None:
        """Check the arguments, in full where that leaves a doubt."""
        code, memo = self.code, self.memo
        judge = code.constant("judge_arguments", self.judges.arguments)
        with code.block("try:"):
            code.line(self.find_stack)  # a thread has none before its first check
            self.check_arguments()
            code.line(f"{memo} = {self.bindings()}")
        with code.block("except Exception:"):
            code.line(f"{memo} = None")
        with code.block(f"if {memo} is None:"):
            code.line(f"{memo}, {self.error} = {judge}({self.formals.values})")
            self._raise_error()
            with code.block(f"if {memo} is None:"):
                code.line(f"return {self.call}")
            code.line(self.find_stack)

    def write_call(self) -> None:
        """Call the function in the scope of the bindings."""
        code = self.code
        code.line(f"{self.stack}.append({self.memo})")
        with code.block("try:"):
            code.line(f"{self.result} = {self.call}")
        with code.block("finally:"):
            code.line(f"{self.left} = {self.stack}.pop()")

    def write_result(self, result: Result) -> None:
        """Check the result, in full where that leaves a doubt."""
        code = self.code
        judge = code.constant("judge_result", self.judges.result)
        with code.block("try:"):
            # Else somebody has bound more dims, or the arguments were judged in full.
            code.fail_if(f"type({self.left}) is not {self.pending}")
            self.check_result(result, self.result)
        with code.block("except Exception:"):
            code.line(f"{self.error} = {judge}({self.formals.values}, {self.left}, {self.result})")
        with code.block("else:"):
            self.write_pass()
            code.line(f"return {self.result}")
        self._raise_error()

    def _raise_error(self) -> None:
        with self.code.block(f"if {self.error} is not None:"):
            self.code.line(f"raise {self.error}")
