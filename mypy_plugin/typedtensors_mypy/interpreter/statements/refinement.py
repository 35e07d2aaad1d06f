# SPDX-License-Identifier: Apache-2.0
"""What a test teaches in the branch where it holds, and in the one where it does not."""

from __future__ import annotations

import ast
import itertools

from typedtensors.dims import Atom, Dim, Facts
from typedtensors.ops import Value
from typedtensors.shapes import Tensor
from typedtensors_mypy.interpreter.expressions.iteration import with_rank
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import (
    Either,
    Instance,
    Items,
    array_framework,
    either,
    of_framework,
)
from typedtensors_mypy.source.syntax.walks import dotted, names_in, rank_of

# Of a comparison of what is left with what is right, whether it says that the left one is larger,
# and whether they may be equal.
_BOUNDS: dict[type[ast.cmpop], tuple[bool, bool]] = {
    ast.Gt: (True, False),
    ast.GtE: (True, True),
    ast.Lt: (False, False),
    ast.LtE: (False, True),
}


def truth(value: Value) -> bool | None:
    """Whether a value counts as true, if that does not depend on the run."""
    if isinstance(value, bool):
        return value
    if value is None:
        return False
    return True if isinstance(value, Instance) and value.exact else None


def holds_here(frame: Frame, value: Value) -> bool | None:
    """`truth`, of a list or dict too, by what it holds at this point."""
    held = frame.state.now(value)
    return bool(held.values) if isinstance(held, Items) else truth(held)


def refine(frame: Frame, test: ast.expr, *, holds: bool) -> None:
    """Put what the outcome of a test shows into the frame's state."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        refine(frame, test.operand, holds=not holds)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is holds:
            for operand in test.values:
                refine(frame, operand, holds=holds)
    else:
        for node in frame.scope.module.once(names_in, test):
            value = _known(frame, node)
            if isinstance(value, Either):
                _rule_out(frame, dotted(node) or "", value, test, holds=holds)
        if isinstance(test, ast.Compare):
            _learn(frame, test, holds=holds)


def _rule_out(frame: Frame, name: str, value: Either, test: ast.expr, *, holds: bool) -> None:
    """Drop each alternative of a name with which the test would come out the other way."""
    kept = []
    with frame.run.silence():
        for option in value.options:
            with frame.branch(frame.state.fork()) as state:
                state.put(name, option)
                if holds_here(frame, frame.evaluate(test)) is not (not holds):
                    kept.append(option)
    if kept:
        frame.state.put(name, either(kept))


def _known(frame: Frame, node: ast.Name | ast.Attribute) -> Value:
    """What is tested, as far as it may have alternatives: a local, an attribute of an object."""
    values = frame.state.values
    if isinstance(node, ast.Name):
        return values[node.id] if node.id in values else frame.closure.get(node.id)
    if not isinstance(node.value, ast.Name) or not isinstance(values.get(node.value.id), Instance):
        return None
    with frame.run.silence():
        return frame.evaluate(node)


def _learn(frame: Frame, test: ast.Compare, *, holds: bool) -> None:
    """Two sizes that a test shows equal are equal from there on; of a chain, each two."""
    operators = {*map(type, test.ops)}
    if len(test.ops) == 1:
        if operators == {ast.In if holds else ast.NotIn}:
            _learn_choice(frame, test.left, test.comparators[0])
        elif not operators.isdisjoint(_BOUNDS):
            _learn_bound(frame, test, holds=holds)
    if operators != {ast.Eq if holds else ast.NotEq}:
        return
    if len(test.ops) > 1 and not holds:
        # One of the links does not hold; nobody knows which.
        return
    for left, right in itertools.pairwise((test.left, *test.comparators)):
        if _is_no_size(left) or _is_no_size(right):
            continue
        with frame.run.silence():
            one, other = frame.evaluate(left), frame.evaluate(right)
        frame.state.facts = _equal(frame.state.facts, one, other)
        _learn_rank(frame, left, other)
        _learn_rank(frame, right, one)


def _is_no_size(node: ast.expr) -> bool:
    """Whether it is written out that something is neither a size nor several."""
    return isinstance(node, ast.Constant) and type(node.value) is not int


def _learn_bound(frame: Frame, test: ast.Compare, *, holds: bool) -> None:
    """Where `x.shape[1] > 1` does not hold, the axis has one element."""
    sides = (test.left, test.comparators[0])
    if not any(isinstance(side, ast.Constant) and side.value in (1, 2) for side in sides):
        return
    with frame.run.silence():
        left, right = map(frame.evaluate, sides)
    if not isinstance(left, Dim) or not isinstance(right, Dim):
        return
    over, reaches = _BOUNDS[type(test.ops[0])]
    # The size and the bound, either side of `size < bound` or `size <= bound`.
    size, bound = (left, right) if over is not holds else (right, left)
    most = bound - 1 if reaches is not holds else bound
    if most == Dim.of(1) and isinstance(size.factor, Atom) and size.declared:
        frame.state.facts = frame.state.facts.learn(size, most)


def _learn_choice(frame: Frame, left: ast.expr, choices: ast.expr) -> None:
    """After `x.shape[0] in (b, 1)` the size is one of several: `b`, where it has another name."""
    if isinstance(choices, (ast.Tuple, ast.List, ast.Set)):
        with frame.run.silence():
            size = frame.evaluate(left)
        if isinstance(size, Dim) and isinstance(size.factor, Atom):
            frame.state.facts = frame.state.facts.freed([size.factor])


def _learn_rank(frame: Frame, node: ast.expr, rank: Value) -> None:
    """After `x.ndim == 3`, `x` has three axes."""
    name = rank_of(node)
    array = None if name is None else frame.state.values.get(name)
    if name is None or not isinstance(array, Tensor) or not isinstance(rank, Dim):
        return
    if rank.value is None or rank.value < 0:
        return
    shape = with_rank(array.shape, ["_"] * rank.value)
    if shape is not None:
        frame.state.values[name] = of_framework(array.with_shape(shape), array_framework(array))


def _equal(facts: Facts, left: Value, right: Value) -> Facts:
    """What two equal sizes, or tuples of sizes, teach; names that are told equal are equal."""
    if isinstance(left, Dim) and isinstance(right, Dim):
        return facts.learn(left, right)
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        for one, other in zip(left, right, strict=True):
            facts = _equal(facts, one, other)
    return facts
