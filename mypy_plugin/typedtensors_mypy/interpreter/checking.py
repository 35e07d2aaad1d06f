# SPDX-License-Identifier: Apache-2.0
"""Checking a module: its annotations, its top level, and each of its functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress

from typedtensors.config import Config
from typedtensors_mypy.findings import Finding, Place
from typedtensors_mypy.interpreter.calls.classes import user_class
from typedtensors_mypy.interpreter.calls.dispatch import call
from typedtensors_mypy.interpreter.expressions.evaluation import evaluate
from typedtensors_mypy.interpreter.expressions.names import function_value
from typedtensors_mypy.interpreter.frame import Frame, Sighting
from typedtensors_mypy.interpreter.functions import interpret
from typedtensors_mypy.interpreter.run import Run
from typedtensors_mypy.interpreter.statements.execution import execute
from typedtensors_mypy.interpreter.values import Function
from typedtensors_mypy.source import library
from typedtensors_mypy.source.annotations.abbreviations import abbreviation
from typedtensors_mypy.source.annotations.readings import reading_of
from typedtensors_mypy.source.modules import AnyFunction, FunctionNode, Module, import_bindings
from typedtensors_mypy.source.program import Definition, External, Program, Target, resolve
from typedtensors_mypy.source.relevance import Relevance
from typedtensors_mypy.source.scope import Scope
from typedtensors_mypy.source.syntax.contents import every_part
from typedtensors_mypy.source.syntax.walks import blocks

_SCOPES = (*FunctionNode, ast.ClassDef)
# What may stand between the brackets of an alias that writes a spec anew.
_SPEC_PARTS = (ast.BinOp, ast.Constant, ast.JoinedStr, ast.Subscript, ast.Tuple)


def check_module(
    module: Module,
    program: Program,
    config: Config,
    sightings: list[Sighting] | None = None,
    *,
    whole: bool = False,
    given_up: dict[str, str] | None = None,
) -> list[Finding]:
    """Everything that is wrong with the shapes in a module, by line.

    Args:
        module: The module.
        program: Where its names lead to.
        config: What is to be told.
        sightings: Gets the value of every parameter and expression, if given.
        whole: Whether to go through functions too that lead to no arrays.
        given_up: Gets, by name, why a function is not checked, if given.
    """
    run = Run(program, module, config, evaluate, execute, call, interpret, sightings=sightings)
    scope = run.scope_of(module)
    if _can_write_specs(program, module):
        with _as_deep_as_python_goes():
            for problem in _bad_specs(scope, module.tree.body):
                run.tell(problem)
    top = Frame(run, scope, state=run.globals)
    for statement in module.tree.body:
        with run.giving_up(module.name):
            top.execute([statement])
    run.globals.values = _lasting(module, top)
    relevance = Relevance(program)
    for function in _functions(run, scope, module.tree.body):
        if whole or relevance.leads_to_arrays(_definition(function)):
            with run.giving_up(function.name):
                interpret(run, function)
    if given_up is not None:
        given_up.update(run.given_up)
    # The module's tree goes with the last that knows it: it is not left to the garbage collector.
    for each in run.scopes.values():
        each.forget()
    return sorted(run.findings, key=lambda each: (each.place.line, each.place.column))


def _as_deep_as_python_goes() -> suppress:
    """Give up on code, an expression of thousands of terms, that is nested more deeply."""
    return suppress(RecursionError)


def _lasting(module: Module, top: Frame) -> dict[str, object]:
    """The globals that functions may rely on: assigned once, and by no function."""
    assigned = frozenset().union(*(part.globalized for part in module.summed(every_part)))
    return {name: value for name, value in top.state.values.items() if name not in assigned}


def _definition(function: Function) -> Definition:
    """The definition at the top level of the module that a function is, or is a method of."""
    owner = function.owner
    return Definition(function.scope.module, function.node if owner is None else owner.node)


def _functions(run: Run, scope: Scope, body: Sequence[ast.stmt]) -> Iterator[Function]:
    """Every function of a module and every method of its classes; not those inside functions."""
    for node in _definitions(body):
        if isinstance(node, FunctionNode):
            yield function_value(run, scope.module, node)
        elif isinstance(node, ast.ClassDef):
            owner = user_class(run, scope.module, node)
            for method in _definitions(node.body):
                if isinstance(method, FunctionNode):
                    yield Function(method, owner.scope, owner=owner)


def _definitions(body: Sequence[ast.stmt]) -> Iterator[AnyFunction | ast.ClassDef]:
    """The functions and classes among statements, those under an `if` or a `try` included."""
    for node in body:
        if isinstance(node, (*FunctionNode, ast.ClassDef)):
            yield node
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "finalbody"):
                yield from _definitions(getattr(node, part, []))
            for handler in getattr(node, "handlers", []):
                yield from _definitions(handler.body)


def _can_write_specs(program: Program, module: Module) -> bool:
    """Whether a module imports a name that specs are written with; most modules do not."""
    imports = {node for part in module.summed(every_part) for node in part.imports}
    names = {full for node in imports for _, full in import_bindings(node, module.package)}
    scope = Scope(program, module)
    return any(_writes_specs(scope, resolve(program, name)) for name in names)


def _writes_specs(scope: Scope, target: Target | None) -> bool:
    if isinstance(target, External):
        return library.defines_dtypes(target.name)
    if isinstance(target, Definition):
        return abbreviation(scope, target) is not None
    return target is not None


def _bad_specs(scope: Scope, body: Sequence[ast.AST]) -> Iterator[Finding]:
    """A finding for each spec that cannot be meant, wherever it is written."""
    for node in body:
        for annotation in _annotations(node):
            for problem in reading_of(scope, annotation).problems:
                yield Finding.error(Place.of(problem.node), problem.diagnostic)
        inside = blocks(node)
        if inside:
            within = scope.inside(node) if isinstance(node, _SCOPES) else scope
            yield from _bad_specs(within, inside)


def _annotations(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, FunctionNode):
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
        yield from (arg.annotation for arg in every if arg and arg.annotation)
        if node.returns is not None:
            yield node.returns
    elif isinstance(node, ast.AnnAssign):
        yield node.annotation
        if node.value is not None and ast.unparse(node.annotation).endswith("TypeAlias"):
            yield node.value
    elif isinstance(node, ast.Assign) and _may_be_alias(node.value):
        yield node.value
    elif type(node).__name__ == "TypeAlias":
        yield node.value  # type: ignore[attr-defined]


def _may_be_alias(node: ast.expr) -> bool:
    """Whether a value may write a spec: `Float[Tensor, "n"]`, `list[Float[...]]`, `A | B`."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr)
    return isinstance(node, ast.Subscript) and isinstance(node.slice, _SPEC_PARTS)
