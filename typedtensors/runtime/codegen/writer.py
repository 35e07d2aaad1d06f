# SPDX-License-Identifier: Apache-2.0
"""What every generated function is made of: checks of arguments and results, and bindings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

from typedtensors.runtime.calls.plan import Plan, Result
from typedtensors.runtime.codegen.arrays import Arrays, spec_of
from typedtensors.runtime.codegen.code import Code
from typedtensors.runtime.codegen.dims import Dims
from typedtensors.runtime.codegen.formals import Formals, make_formals
from typedtensors.runtime.codegen.hints import Hints
from typedtensors.runtime.codegen.support import ABSENT
from typedtensors.runtime.report.rows import type_text
from typedtensors.runtime.scope import Layout, Pending


@dataclass(frozen=True)
class Program:
    """Generated text, and the objects that it refers to by name.

    Args:
        text: it defines a function `build`, which returns what is wanted.
        cells: what `build` is given. Dynamo wants to understand each variable of a closure.
        constants: the other objects, which are globals: of these it looks at what it uses.
    """

    text: str
    cells: Mapping[str, Any]
    constants: Mapping[str, Any]


class Writer:
    """Writes the parts of generated functions.

    Args:
        plan: of the function that is checked.
    """

    def __init__(self, plan: Plan) -> None:
        """Write nothing yet."""
        self.plan = plan
        self.code = Code(plan.signature.parameters)
        hints = {parameter.name: parameter.hint for parameter in plan.parameters}
        self.formals: Formals = make_formals(plan.signature, hints, self.code)
        self.dims = Dims(self.code, _flexible_runs(plan))
        self.arrays = Arrays(self.code, self.dims, self.formals.arguments)
        self.hints = Hints(self.code, self.dims, self.arrays)
        self.pending = self.code.constant("Pending", Pending)

    def check_arguments(self) -> None:
        """Write the check of each parameter in order."""
        start = len(self.code.lines)
        for link in self.plan.links:
            size = self.code.constant(f"class_{link.dim}", link.size)
            self.code.line(f"{self.dims.may_set(link.dim)} = {size}({self.plan.receiver})")
        marked = {formal.name for formal in self.formals.each if formal.marked}
        for parameter in self.plan.parameters:
            self.code.comment(f"{parameter.name}: {type_text(parameter.annotation)}")
            if parameter.packed is not None:
                mapping = parameter.packed is Parameter.VAR_KEYWORD
                values = f"{parameter.name}.values()" if mapping else parameter.name
                self.hints.check_each(parameter.hint, values)
            elif parameter.name in marked:
                given = f"if {parameter.name} is not {self.formals.absent}:"
                with self.dims.branch(), self.code.block(given):
                    self.hints.check(parameter.hint, parameter.name)
            else:
                self.hints.check(parameter.hint, parameter.name)
        self.arrays.finish()
        self.dims.start(start)

    def check_result(self, result: Result, value: str) -> None:
        """Write the check of what is handed out."""
        start = len(self.code.lines)
        self.code.comment(f"{value}: {type_text(result.annotation)}")
        self.hints.check(result.hint, value)
        self.arrays.finish()
        self.dims.start(start)

    def bindings(self) -> str:
        """Write the bindings after the arguments have been checked."""
        layout = Layout(
            tuple(self.dims.sizes),
            tuple(self.dims.runs),
            tuple((each.name, each.parameter.default) for each in self.formals.each),
            ABSENT,
            self.plan,
        )
        names = [self.code.constant("layout", layout)]
        names += [*self.dims.sizes.values(), *self.dims.runs.values()]
        names += [formal.name for formal in self.formals.each]
        comma = "," if len(names) == 1 else ""
        return f"{self.pending}(({', '.join(names)}{comma}))"

    def read_bindings(self, memo: str) -> None:
        """Write the reverse of `bindings`, for another function than the one that made them."""
        variables = [*self.dims.sizes.values(), *self.dims.runs.values()]
        variables += [formal.name for formal in self.formals.each]
        for position, variable in enumerate(variables, start=1):
            self.code.line(f"{variable} = {memo}[{position}]")

    def program(self, *functions: str) -> Program:
        """Put the functions into one that takes what their closure is to hold."""
        cells: dict[str, Any] = {}
        constants: dict[str, Any] = {}
        for name, value in self.code.constants.items():
            (cells if name in self.code.traced else constants)[name] = value
        head = f"def build({', '.join(cells)}):"
        lines = [head, *(f"    {line}" for line in self.code.lines)]
        lines.append(f"    return {', '.join(functions)}")
        return Program("\n".join(lines) + "\n", cells, constants)


def _flexible_runs(plan: Plan) -> frozenset[str]:
    specs = (spec_of(each) for hint in plan.hints for each in hint.annotations())
    axes = [axis for spec in specs for axis in spec.axes]
    return frozenset(axis.name for axis in axes if axis.name and axis.variadic and axis.flexible)
