# SPDX-License-Identifier: Apache-2.0
"""What a test teaches in the branch where it holds, and in the one where it does not."""

from __future__ import annotations

import ast
from collections.abc import Callable

from typedtensors.dims import Dim, Facts
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Shape, Tensor
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import Either, Instance, Items, either
from typedtensors_mypy.library import array_framework, scalar
from typedtensors_mypy.program import Definition, External
from typedtensors_mypy.scope import dotted


def truth(value: Value) -> bool | None:
    """Whether a value counts as true, if that does not depend on the run."""
    if isinstance(value, bool):
        return value
    if value is None:
        return False
    if isinstance(value, Instance) and value.exact:
        return True
    return None


def refine(frame: Frame, test: ast.expr, *, holds: bool) -> None:
    """Put what the outcome of a test shows into the frame's state."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        refine(frame, test.operand, holds=not holds)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is holds:
            for operand in test.values:
                refine(frame, operand, holds=holds)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        _refine_comparison(frame, test.left, test.ops[0], test.comparators[0], holds=holds)
    elif isinstance(test, ast.Call) and dotted(test.func) == "isinstance" and len(test.args) == 2:
        _refine_class(frame, test.args[0], test.args[1], holds=holds)
    elif isinstance(test, (ast.Name, ast.Attribute)):
        _keep(frame, test, lambda option: truth(option) is not (not holds))


def _refine_comparison(
    frame: Frame, left: ast.expr, operator: ast.cmpop, right: ast.expr, *, holds: bool
) -> None:
    if isinstance(operator, (ast.Is, ast.IsNot)):
        if isinstance(right, ast.Constant) and right.value is None:
            is_none = isinstance(operator, ast.Is) is holds
            _keep(
                frame, left, lambda option: _may_be_none(option) if is_none else option is not None
            )
    elif isinstance(operator, (ast.Eq, ast.NotEq)) and isinstance(operator, ast.Eq) is holds:
        with frame.run.silence():
            ones, others = frame.evaluate(left), frame.evaluate(right)
        frame.state.facts = _equal(frame.state.facts, ones, others)


def _may_be_none(option: Value) -> bool:
    return option is None or isinstance(option, Unknown)


def _equal(facts: Facts, left: Value, right: Value) -> Facts:
    """What two equal sizes, or tuples of sizes, teach; names that are told equal are equal."""
    if isinstance(left, Dim) and isinstance(right, Dim):
        return facts.learn(left, right)
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        for one, other in zip(left, right, strict=True):
            facts = _equal(facts, one, other)
    return facts


def _keep(frame: Frame, node: ast.expr, wanted: Callable[[Value], bool]) -> None:
    """Drop the alternatives of a name, or of an attribute of one, that a test rules out."""
    name = dotted(node)
    if name is None or name.count(".") > 1:
        return
    value = frame.state.values.get(name)
    if "." in name and value is None:
        with frame.run.silence():
            value = frame.evaluate(node)
    if isinstance(value, Either):
        kept = [option for option in value.options if wanted(option)]
        if kept:
            frame.state.values[name] = either(kept)


def _refine_class(frame: Frame, node: ast.expr, classes: ast.expr, *, holds: bool) -> None:
    listed = classes.elts if isinstance(classes, ast.Tuple) else [classes]
    targets = [frame.scope.target(each) for each in listed]

    def wanted(option: Value) -> bool:
        answers = {_is_instance(option, target) for target in targets}
        if True in answers:
            return holds
        return None in answers or not holds

    _keep(frame, node, wanted)


def _is_instance(option: Value, target: object) -> bool | None:
    """Whether an option is an instance of a class; None if that is not known."""
    if isinstance(target, External):
        if array_framework(target.name) is not None:
            return isinstance(option, Tensor) or (None if isinstance(option, Unknown) else False)
        kind = scalar(target.name)
        if kind is not None and isinstance(option, (Tensor, Instance, tuple)):
            return False
        kinds = {"int": Dim, "str": str, "float": float, "bool": bool}
        return True if kind and isinstance(option, kinds[kind]) else None
    if isinstance(target, Definition) and isinstance(option, (Tensor, Dim, Items, Shape)):
        return False
    return None
