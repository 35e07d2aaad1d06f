# SPDX-License-Identifier: Apache-2.0
"""Generated checks of arguments and results, for a wrapper that calls them."""

from __future__ import annotations

from typedtensors.runtime.calls.plan import Plan
from typedtensors.runtime.codegen.writer import Program, Writer


def write_checks(plan: Plan) -> Program:
    """Write the checks of a function's arguments, of what it returns and of what it yields.

    They are three functions. The first takes the arguments and returns the bindings, the others
    take these and a value. Each raises an exception where it is not sure.

    Raises:
        NotCompilableError: some hint is only understood by the full check.
    """
    writer = Writer(plan)
    code = writer.code
    enter, leave, step = map(code.name, ("enter", "leave", "step"))
    with code.block(f"def {enter}({writer.formals.declared()}):"):
        writer.check_arguments()
        code.line(f"return {writer.bindings()}")
    for name, result, stem in ((leave, plan.returned, "returned"), (step, plan.yielded, "yielded")):
        memo, value = code.name("memo"), code.name(stem)
        with writer.dims.apart(), code.block(f"def {name}({memo}, {value}):"):
            if result is not None:
                writer.read_bindings(memo)
                writer.check_result(result, value)
    return writer.program(enter, leave, step)
