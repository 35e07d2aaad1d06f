# SPDX-License-Identifier: Apache-2.0
"""What was not known of sizes when a graph was made is compared by the graph, at each step.

What is saved or exported holds these comparisons too; XLA leaves them out.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping
from typing import Any

from typedtensors.dims import Atom, Dim, Operator
from typedtensors.runtime.hints.nodes import Leaf
from typedtensors.runtime.scope import reader_of, snapshot
from typedtensors.runtime.symbolic.dynamic import Dynamic, Pair, Size, tensorflow
from typedtensors.runtime.symbolic.values import is_computed
from typedtensors.shapes import SpecAxis, SpecError, parse_spec


def assert_sizes(function: str, arrays: Iterable[tuple[str, Leaf]]) -> None:
    """Assert that arrays fit, as far as that is not known; within the scope of their call.

    Args:
        function: how messages call it.
        arrays: each with the name of its argument.
    """
    found = [_dynamic(name + leaf.path, leaf) for name, leaf in arrays if is_computed(leaf.value)]
    every = [each for each in found if each is not None]
    if all(each.is_complete for each in every):
        return
    with tensorflow().name_scope("typedtensors"):
        assertions = _Assertions(function, snapshot().sizes)
        for each in every:
            assertions.compare_rank(each)
        for pair in sorted((pair for each in every for pair in each.pairs()), key=_order):
            assertions.compare(pair)


def _dynamic(name: str, leaf: Leaf) -> Dynamic | None:
    try:
        return Dynamic(name, leaf.value, parse_spec(leaf.annotation.dim_str))
    except SpecError:
        return None


def _order(pair: Pair) -> int:
    """An axis of a name alone tells its size, one of `#name` may; arithmetic asks for both."""
    return 2 if pair.wanted.name is None else int(pair.wanted.flexible)


class _Assertions:
    """Adds assertions to the current graph.

    Args:
        function: how messages call it.
        known: sizes of dims; each other dim is the first size that it meets.
    """

    def __init__(self, function: str, known: Mapping[str, int]) -> None:
        self._function = function
        self._known = {name: Size(size, "other arrays") for name, size in known.items()}
        self._read = reader_of(snapshot().arguments)

    def compare_rank(self, array: Dynamic) -> None:
        """Assert that the rank of an array fits."""
        if array.sizes is not None:
            return
        tf, spec = tensorflow(), array.spec
        rank, least = tf.rank(array.value), spec.least_rank
        fits = tf.equal(rank, least) if spec.variadic is None else tf.greater_equal(rank, least)
        self._assert(
            fits, f"`{array.name}` has the rank", rank, f'which is not that of "{spec.text}"'
        )

    def compare(self, pair: Pair) -> None:
        """Assert that an axis, or a run of axes, is what its word stands for."""
        wanted, found = pair.wanted, pair.found
        expected = self._expected(wanted, found)
        if expected is None or (expected.is_known and found.is_known):
            return
        compare = _same_runs if wanted.variadic else tensorflow().equal
        fits = compare(found.value, expected.value)
        if wanted.flexible:
            fits = tensorflow().logical_or(fits, tensorflow().equal(found.value, 1))
        where = f"by {expected.where}"
        self._assert(
            fits, f"{found.where}:", found.value, f"`{wanted.text}` is", expected.value, where
        )

    def _assert(self, fits: Any, *data: Any) -> None:
        start = f"typedtensors: {self._function}():"
        tensorflow().debugging.Assert(fits, [start, *data], summarize=8)

    def _expected(self, wanted: SpecAxis, found: Size) -> Size | None:
        """Return what a word stands for; None if it says nothing, or nothing before."""
        if wanted.tree or (wanted.variadic and wanted.flexible):
            return None
        if wanted.name is None:
            value = None if wanted.dim is None else self._value(wanted.dim)
            return None if value is None else Size(value, f'"{wanted.text}"')
        key = f"*{wanted.name}" if wanted.variadic else wanted.name
        before = self._known.get(key)
        if before is None and not wanted.flexible:
            self._known[key] = found
        return before

    def _value(self, dim: Dim) -> Any:
        """Compute arithmetic over the sizes that names stand for; None if one of them is open."""
        total: Any = 0
        for monomial, coefficient in dim.terms:
            factors = [self._factor(factor) for factor in monomial]
            if any(factor is None for factor in factors):
                return None
            total = total + functools.reduce(operator.mul, factors, coefficient)
        return total

    def _factor(self, factor: Any) -> Any:
        if isinstance(factor, Atom):
            return self._atom(factor)
        operands = [self._value(operand) for operand in factor.operands]
        if any(operand is None for operand in operands):
            return None
        return functools.reduce(_OPERATIONS[factor.operator], operands)

    def _atom(self, atom: Atom) -> Any:
        if not atom.declared:
            read = self._read(atom.name)
            return None if read is None else read.value
        known = self._known.get(atom.name)
        return None if known is None else known.value


_OPERATIONS = {
    Operator.FLOORDIV: operator.floordiv,
    Operator.MAX: lambda one, two: tensorflow().maximum(one, two),
    Operator.MIN: lambda one, two: tensorflow().minimum(one, two),
}


def _same_runs(one: Any, two: Any) -> Any:
    tf = tensorflow()
    one, two = (tf.convert_to_tensor(each, tf.int32) for each in (one, two))
    return tf.cond(
        tf.equal(tf.size(one), tf.size(two)),
        lambda: tf.reduce_all(tf.equal(one, two)),
        lambda: tf.constant(value=False),
    )
