# SPDX-License-Identifier: Apache-2.0
"""Symbolic shapes match as the concrete ones do that they stand for.

The concrete verdicts have jaxtyping as their oracle; so a mismatch here is a run-time error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import HealthCheck, assume, event, given, settings, strategies as st

from tests.shapes.drawn_specs import MANY, NAMES, VARIADICS, specs
from typedtensors.dims import Dim, Facts, Verdict, parse_dim
from typedtensors.shapes import (
    Argument,
    Axis,
    Match,
    Shape,
    Variadic,
    instantiate,
    match_all,
    parse_spec,
)

X, Y, U = Dim.name("x"), Dim.name("y"), Dim.opaque("u")
_DIMS = (X, Y, U, Dim.of(1), Dim.of(4), X * Y, X + 1, U * 2, Dim.of(2))
# `u` is anything: the caller's own names, 1, or a size of its own.
_SIZES = [{"x": 101, "y": 103, "u": u} for u in (1, 2, 4, 101, 103, 107)]


@dataclass(frozen=True)
class Call:
    """The arguments of a call, and a spec of what it returns."""

    arguments: tuple[Argument, ...]
    returns: str

    def at(self, sizes: Mapping[str, int]) -> list[Argument]:
        return [
            Argument(argument.name, argument.spec, _at(argument.shape, sizes))
            for argument in self.arguments
        ]


def _at(shape: Shape, sizes: Mapping[str, int]) -> Shape:
    assert shape.dims is not None
    return Shape.of(*(dim.evaluate(sizes) for dim in shape.dims))


@st.composite
def _shapes(
    draw: st.DrawFn, spec: str, dims: Mapping[str, Dim], runs: Mapping[str, tuple[Dim, ...]]
) -> Shape:
    axes: list[Dim] = []
    known = {next(iter(Dim.name(name).atoms)): dim for name, dim in dims.items()}
    for word in spec.split():
        body = word.lstrip("#*_").split("=")[-1]
        if word in MANY:
            axes += runs.get(body, (X, U))
        elif "#" in word and draw(st.booleans()):
            axes.append(Dim.of(1))
        else:
            axes.append(draw(st.sampled_from(_DIMS)) if word[0] == "_" else _fill(body, known))
    slip = draw(st.integers(0, 9))
    if slip < len(axes):
        axes[slip] = draw(st.sampled_from(_DIMS))
    return Shape.of(*axes)


def _fill(body: str, known: Mapping[object, Dim]) -> Dim:
    try:
        return parse_dim(body).substitute(known)  # type: ignore[arg-type]
    except ZeroDivisionError:
        return Dim.of(0)


@st.composite
def symbolic_calls(draw: st.DrawFn) -> Call:
    dims = {name: draw(st.sampled_from(_DIMS)) for name in NAMES}
    runs = {name: tuple(draw(st.lists(st.sampled_from(_DIMS), max_size=2))) for name in VARIADICS}
    texts = [" ".join(NAMES), *draw(st.lists(specs(), min_size=1, max_size=3))]
    arguments = [
        Argument(str(position), parse_spec(text), draw(_shapes(text, dims, runs)))
        for position, text in enumerate(texts)
    ]
    return Call(tuple(arguments), draw(specs()))


_thorough = settings(max_examples=600, suppress_health_check=[HealthCheck.too_slow])


@_thorough
@given(symbolic_calls())
def test_a_mismatch_is_one_at_every_size_and_a_certain_match_too(call: Call) -> None:
    found = match_all(call.arguments)
    concrete = [_matches(call, sizes) for sizes in _SIZES]
    if not isinstance(found, Match):
        event("mismatch")
        assert not any(concrete)
    elif found.verdict is Verdict.EQUAL:
        event("equal")
        assert all(concrete)
    else:
        event("undecided")


def _matches(call: Call, sizes: Mapping[str, int]) -> bool:
    try:
        return isinstance(match_all(call.at(sizes)), Match)
    except ZeroDivisionError:
        return False


@_thorough
@given(symbolic_calls())
def test_what_a_call_returns_has_the_sizes_it_has_when_run(call: Call) -> None:
    found = match_all(call.arguments)
    assume(isinstance(found, Match))
    assert isinstance(found, Match)
    returned = instantiate(parse_spec(call.returns), found.bindings)
    for sizes in _SIZES:
        run = match_all(call.at(sizes))
        if isinstance(run, Match):
            actual = instantiate(parse_spec(call.returns), run.bindings)
            assert _may_be(returned, actual, found.facts, sizes)


def _may_be(symbolic: Shape, concrete: Shape, facts: Facts, sizes: Mapping[str, int]) -> bool:
    """Whether a shape, evaluated, is the concrete one; unknown axes may be anything."""
    if symbolic.rank is None or concrete.rank is None:
        return symbolic.rank is None or concrete.rank is None
    assert symbolic.fixed is not None
    assert concrete.fixed is not None
    return symbolic.rank == concrete.rank and all(
        _size(ours, facts, sizes) in (None, theirs.dim.value)
        for ours, theirs in zip(symbolic.fixed, concrete.fixed, strict=True)
        if theirs.dim.value is not None
    )


def _size(axis: Axis, facts: Facts, sizes: Mapping[str, int]) -> int | None:
    """The size, if it is known: what was learned of `u` need not hold at these sizes."""
    dim = axis.dim if facts.equations else facts.resolve(axis.dim)
    if axis.flexible or not {atom.name for atom in dim.atoms} <= sizes.keys():
        return None
    return None if any(atom.serial for atom in dim.atoms) else dim.evaluate(sizes)


def test_a_flexible_variadic_is_not_lost() -> None:
    """`*batch` survives a call; only its relation to fixed axes is open."""
    batch = Variadic("batch")
    shape = Shape((batch, Axis(X), Axis(Y)))
    found = match_all([Argument("x", parse_spec("*r a b"), shape)])
    assert isinstance(found, Match)
    assert found.verdict is Verdict.EQUAL
    assert instantiate(parse_spec("*r b a"), found.bindings) == Shape((batch, Axis(Y), Axis(X)))
