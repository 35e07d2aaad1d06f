# SPDX-License-Identifier: Apache-2.0
"""The oracle for specs and the shapes that match them: jaxtyping's own `isinstance`."""

from __future__ import annotations

import builtins
import contextlib
from collections.abc import Iterator, Sequence
from random import Random

import jaxtyping
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, example, given, settings, strategies as st

from tests.shapes.drawn_specs import Case, calls
from typedtensors.dims import Verdict
from typedtensors.shapes import Argument, Match, Shape, SpecError, match, match_all, parse_spec

_SLOW_FILTER = [HealthCheck.filter_too_much, HealthCheck.too_slow]
few = settings(max_examples=2_000, suppress_health_check=_SLOW_FILTER)
many = settings(max_examples=20_000, suppress_health_check=_SLOW_FILTER)


def _jaxtyping_accepts(cases: Sequence[Case]) -> bool | None:
    """Whether every array passes; None where jaxtyping needs names in another order."""
    try:
        return all(
            isinstance(np.empty(case.shape), jaxtyping.Shaped[np.ndarray, case.spec])
            for case in cases
        )
    except (jaxtyping.AnnotationError, ZeroDivisionError):
        return None


def _arguments(cases: Sequence[Case]) -> list[Argument]:
    return [
        Argument(str(position), parse_spec(case.spec), Shape.of(*case.shape))
        for position, case in enumerate(cases)
    ]


def _agree(cases: list[Case]) -> None:
    arguments = _arguments(cases)
    with jaxtyping.jaxtyped("context"):
        together = _jaxtyping_accepts(cases)
    event(f"all arrays of one call match: {together}")
    assert together in (isinstance(match_all(arguments), Match), None)
    for argument, case in zip(arguments, cases, strict=True):
        alone = _jaxtyping_accepts([case])
        assert alone in (isinstance(match(argument.spec, argument.shape), Match), None)


@few
@given(calls())
def test_arrays_match_as_in_jaxtyping_in_and_out_of_a_context(cases: list[Case]) -> None:
    _agree(cases)


@pytest.mark.slow
@many
@given(calls())
def test_arrays_match_as_in_jaxtyping_in_and_out_of_a_context_long(cases: list[Case]) -> None:
    _agree(cases)


@given(calls(), st.randoms(use_true_random=False))
@example([Case("c-b b", (0, 1)), Case("(c+2)-2", (0,))], Random(1))  # noqa: S311 - swaps them; c is 0
@example([Case("min(1,c)", (0,)), Case("c-2", (3,))], Random(1))  # noqa: S311 - swaps them
def test_the_order_of_arguments_does_not_matter(cases: list[Case], random: object) -> None:
    shuffled = list(cases)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    verdicts = [isinstance(match_all(_arguments(order)), Match) for order in (cases, shuffled)]
    assert verdicts[0] == verdicts[1]


@given(calls())
def test_concrete_sizes_whose_names_are_bound_leave_nothing_undecided(cases: list[Case]) -> None:
    everything_bound = [Case("a b c", cases[0].shape)] if cases[0].spec == "a b c" else []
    assume(everything_bound)
    found = match_all(_arguments(cases))
    if isinstance(found, Match):
        assert found.verdict is Verdict.EQUAL


_ALPHABET = "abn_#*?.,+-*/%()={}<34 "
texts = st.text(_ALPHABET, max_size=9) | st.lists(
    st.text(_ALPHABET.strip(), min_size=1, max_size=4), max_size=3
).map(" ".join)


def _agree_on_construction(text: str) -> None:
    try:
        jaxtyping.Shaped[np.ndarray, text]
        rejected = False
    except ValueError:
        rejected = True
    ours = None
    try:
        parse_spec(text)
    except SpecError as error:
        ours = error
    assert (ours is not None and not ours.silent) == rejected


@few
@given(texts)
@example("_=4")
@example("#a=_")
@example("a=#b")
@example("(a,b)")
def test_a_malformed_spec_is_rejected_where_jaxtyping_rejects_it(text: str) -> None:
    _agree_on_construction(text)


@pytest.mark.slow
@many
@given(texts)
def test_a_malformed_spec_is_rejected_where_jaxtyping_rejects_it_long(text: str) -> None:
    _agree_on_construction(text)


@contextlib.contextmanager
def _last_result(value: object) -> Iterator[None]:
    """As in an interactive session, which keeps the last result where each text can read it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "_", value, raising=False)
        yield


@few
@given(texts)
@example("-_")
@example("n+_a")
@example("{_}")
def test_an_accepted_spec_can_be_checked_by_jaxtyping(text: str) -> None:
    """What we let pass never makes jaxtyping fail on its syntax or types later."""
    try:
        spec = parse_spec(text)
    except SpecError:
        return
    array = np.empty((2,) * spec.least_rank)
    unbound = (jaxtyping.AnnotationError, ZeroDivisionError, OverflowError)
    with contextlib.suppress(*unbound), _last_result(None), jaxtyping.jaxtyped("context"):
        isinstance(np.empty((2, 3, 4)), jaxtyping.Shaped[np.ndarray, "a b n"])
        isinstance(array, jaxtyping.Shaped[np.ndarray, text])
