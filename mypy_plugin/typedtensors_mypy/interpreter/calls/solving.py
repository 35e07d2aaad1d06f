# SPDX-License-Identifier: Apache-2.0
"""What the names in a function's head stand for in a call, by the arrays that the call gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.dims.quick import dataclass
from typedtensors.shapes import Argument, AxisMismatch, Bindings, Match, Mismatch, Tensor, match_all
from typedtensors_mypy.interpreter.annotations.arrays import arrays_in, choices_in
from typedtensors_mypy.interpreter.annotations.dtypes import dtype_mismatch
from typedtensors_mypy.interpreter.annotations.signature import Given, Signature
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import options
from typedtensors_mypy.source.annotations.types import ArrayType


@dataclass(frozen=True)
class Held:
    """What a function's head asks for, and what a call gives, by parameter."""

    name: str
    signature: Signature
    given: Mapping[str, Given]

    def sizes(self) -> Bindings:
        """What the integers among the arguments say."""
        bindings = Bindings()
        for name in self.signature.sizes:
            given = self.given.get(name)
            if given is not None and isinstance(given.value, Dim):
                bindings = bindings.bind(name, given.value)
        return bindings

    def where(self, parameter: str) -> str:
        """As messages call an argument."""
        return wording.argument(parameter, self.name)


@dataclass(frozen=True)
class _Array:
    """An array argument, where it is written, and what its parameter asks of it."""

    argument: Argument
    node: ast.expr
    kind: ArrayType
    value: Tensor


def solved(frame: Frame, node: ast.expr, held: Held) -> Bindings | None:
    """What the callee's names stand for; None if the arguments contradict each other."""
    if not held.signature.arrays:
        return held.sizes()
    arrays = list(_arrays(frame, node, held))
    arguments = [array.argument for array in arrays]
    found = match_all(arguments, held.sizes(), frame.state.facts, teach=True)
    if not isinstance(found, Match):
        place = found.argument
        at = next((each.node for each in arrays if each.argument.name == place), node)
        frame.report(at, found.diagnostic(held.where(place)))
        return None
    wrong = [_holds_wrong_numbers(frame, held, array) for array in arrays]
    if any(wrong):
        return None
    for choice in _choices(node, held):
        chosen = _chosen(choice, found)
        if isinstance(chosen, Mismatch):
            frame.report(choice[0][0].node, chosen.diagnostic(held.where(chosen.argument)))
            return None
        # Where it is None, its names stand for nothing.
        if not _may_be_left_out(held, choice):
            found = chosen
    frame.state.facts = found.facts
    return found.bindings


def _arrays(frame: Frame, node: ast.expr, held: Held) -> Iterator[_Array]:
    for parameter in held.signature.arrays:
        given = held.given.get(parameter.name)
        for kind, value in arrays_in(frame, parameter.type, given.value if given else None):
            at = (given.node if given else None) or node
            yield _Array(Argument(parameter.name, kind.spec, value.shape), at, kind, value)


def _choices(node: ast.expr, held: Held) -> Iterator[list[list[_Array]]]:
    """For an argument that may have one of several shapes, it with each of these.

    Of several arrays that the argument may be, it is so for each.
    """
    for parameter in held.signature.arrays:
        given = held.given.get(parameter.name)
        kinds, arrays = choices_in(parameter.type, given.value if given else None)
        at = (given.node if given else None) or node
        if kinds and arrays:
            yield [
                [
                    _Array(Argument(parameter.name, kind.spec, array.shape), at, kind, array)
                    for kind in kinds
                ]
                for array in arrays
            ]


def _may_be_left_out(held: Held, choice: list[list[_Array]]) -> bool:
    given = held.given[choice[0][0].argument.name]
    return None in options(given.value)


def _holds_wrong_numbers(frame: Frame, held: Held, array: _Array) -> bool:
    where = held.where(array.argument.name)
    problem = dtype_mismatch(where, array.kind.dtype, array.value.dtype)
    if problem is not None:
        frame.report(array.node, problem)
    return problem is not None


def _chosen(choice: list[list[_Array]], found: Match) -> Match | Mismatch:
    """What names stand for where each array has the one shape of several that it can have.

    A mismatch if none of the arrays has any of the shapes.
    """
    met = [
        [match_all([array.argument], found.bindings, found.facts) for array in one]
        for one in choice
    ]
    fitting = [[each for each in one if isinstance(each, Match)] for one in met]
    if not any(fitting):
        missed = [each for one in met for each in one if isinstance(each, Mismatch)]
        return next((each for each in missed if isinstance(each, AxisMismatch)), missed[0])
    if any(len(one) != 1 for one in fitting):
        return found
    first, *others = (one[0] for one in fitting)
    # Which shape it has may rest on a name that another argument leaves open: that stays open.
    common = first.bindings.common(each.bindings for each in others)
    return replace(found, bindings=found.bindings.beside(common))
