# SPDX-License-Identifier: Apache-2.0
"""Drawn calls of which a graph does not know all sizes: what may fit is never rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from jaxtyping import AnnotationError

from tests.runtime.differential.drawing import WORLDS, World, draw_sizes, specs
from tests.tensorflow_arrays import load_tensorflow
from typedtensors import Float, TensorCheckError, typechecked

tf = load_tensorflow()

# Drawn arithmetic may be over a name that nothing binds.
pytestmark = pytest.mark.filterwarnings("ignore::typedtensors.SpecWarning")

_tally: Counter[str] = Counter()
_CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@dataclass(frozen=True)
class Call:
    """The specs of some arguments, their sizes, and what a graph knows of each."""

    specs: Sequence[str]
    shapes: Sequence[tuple[int, ...]]
    known: Sequence[tuple[int | None, ...] | None]
    k: int


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Draw a call; one shape in six does not fit."""
    world, drawn = draw(WORLDS), draw(st.lists(specs(), min_size=1, max_size=4))
    shapes = [_shape(draw, spec, world) for spec in drawn]
    return Call(drawn, shapes, [_known(draw, shape) for shape in shapes], world.k)


def _shape(draw: st.DrawFn, spec: str, world: World) -> tuple[int, ...]:
    shape = [size for word in spec.split() for size in draw_sizes(draw, word, world)]
    slip = draw(st.integers(0, 11))
    if slip == 0 and shape:
        shape[draw(st.integers(0, len(shape) - 1))] += 1
    elif slip == 1:
        shape.insert(draw(st.integers(0, len(shape))), draw(st.integers(1, 2)))
    return tuple(shape)


def _known(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int | None, ...] | None:
    if draw(st.integers(0, 9)) == 0:
        return None
    return tuple(None if draw(st.integers(0, 2)) == 0 else size for size in shape)


def fits(kind: Any, call: Call, arrays: Sequence[Any]) -> bool:
    try:
        typechecked(make(kind, call.specs))(*arrays, call.k)
    except (TensorCheckError, ZeroDivisionError):
        return False
    return True


def make(kind: Any, drawn: Sequence[str]) -> Callable[..., Any]:
    """Make a function of arrays of a class, with these specs."""
    names = [f"x{index}" for index in range(len(drawn))]
    scope: dict[str, Any] = {}
    exec(f"def function({', '.join([*names, 'k'])}): return None", scope)  # noqa: S102  our own
    function: Callable[..., Any] = scope["function"]
    function.__annotations__ = {
        name: Float[kind, spec] for name, spec in zip(names, drawn, strict=True)
    }
    return function


def traced(call: Call) -> bool:
    """Say whether a call fits where a graph is made."""
    with tf.Graph().as_default():
        symbols = [tf.compat.v1.placeholder(tf.float32, shape) for shape in call.known]
        return fits(tf.Tensor, call, symbols)


@settings(
    max_examples=600, deadline=None, derandomize=True, database=None, suppress_health_check=_CHECKS
)
@given(calls())
def test_what_fits_is_not_rejected_where_some_of_it_is_unknown(call: Call) -> None:
    try:
        expected = fits(np.ndarray, call, [np.zeros(shape, np.float32) for shape in call.shapes])
        found = traced(call)
    except AnnotationError:
        return  # arithmetic over what nothing binds
    _tally[f"{expected} {found}"] += 1
    assert found or not expected, call
    if all(shape == known for shape, known in zip(call.shapes, call.known, strict=True)):
        assert found is expected, call


def test_much_of_what_does_not_fit_is_rejected_all_the_same() -> None:
    if not _tally:
        test_what_fits_is_not_rejected_where_some_of_it_is_unknown()
    assert _tally["True True"] > 0.3 * sum(_tally.values()), _tally
    assert _tally["False False"] > 0.3 * (_tally["False False"] + _tally["False True"]), _tally


def runs(call: Call) -> bool:
    """Say whether a graph that asserts what it did not know runs."""
    function = typechecked(deferred=True)(make(tf.Tensor, call.specs))
    graph = tf.function(lambda *arrays: function(*arrays, call.k), autograph=False)
    try:
        step = graph.get_concrete_function(*map(tf.TensorSpec, call.known))
        step(*(tf.zeros(shape) for shape in call.shapes))
    except (TensorCheckError, ZeroDivisionError, tf.errors.InvalidArgumentError):
        return False
    return True


_deferred: Counter[str] = Counter()


@settings(
    max_examples=200, deadline=None, derandomize=True, database=None, suppress_health_check=_CHECKS
)
@given(calls())
def test_what_fits_runs_in_a_graph_that_asserts_the_rest(call: Call) -> None:
    try:
        expected = fits(np.ndarray, call, [np.zeros(shape, np.float32) for shape in call.shapes])
        found = runs(call)
    except AnnotationError:
        return
    _deferred[f"{expected} {found}"] += 1
    assert found or not expected, call


def test_most_of_what_does_not_fit_does_not_run() -> None:
    if not _deferred:
        test_what_fits_runs_in_a_graph_that_asserts_the_rest()
    # Of runs that are broadcast, and over a name that is nowhere alone, nothing is asserted.
    assert _deferred["False False"] > 0.9 * (_deferred["False False"] + _deferred["False True"])
