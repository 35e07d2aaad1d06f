# SPDX-License-Identifier: Apache-2.0
"""Drawn signatures and calls have the verdict of jaxtyping with beartype, one deviation listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import jaxtyping
import pytest
from beartype import BeartypeConf, beartype
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.runtime.differential.drawing import SIGNATURES, Signature, draw_call, make_function
from typedtensors import typechecked

# Drawn arithmetic may be over a name that nothing binds.
pytestmark = pytest.mark.filterwarnings("ignore::typedtensors.SpecWarning")

CALLS_PER_SIGNATURE = 5
_tally: Counter[str] = Counter()


def verdict(function: Callable[..., Any], call: Any) -> str:
    """Say whether a call is accepted."""
    try:
        function(*call.args, **call.kwargs)
    except jaxtyping.AnnotationError:
        return "undecided"
    except jaxtyping.TypeCheckError:
        return "rejected"
    except ZeroDivisionError:  # from arithmetic; jaxtyping takes it for a type error
        return "rejected"
    return "accepted"


def theirs(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate with jaxtyping and beartype, which here accepts an int for a float."""
    tower = beartype(conf=BeartypeConf(is_pep484_tower=True))
    checked: Callable[..., Any] = jaxtyping.jaxtyped(function, typechecker=tower)
    return checked


@st.composite
def drawn(draw: st.DrawFn) -> tuple[Signature, list[Any]]:
    """Draw a signature and some calls."""
    signature = draw(SIGNATURES)
    return signature, [draw_call(draw, signature) for _ in range(CALLS_PER_SIGNATURE)]


def compare(signature: Signature, calls: list[Any]) -> None:
    """Compare the verdicts on each call.

    The deviation: where jaxtyping does not decide, because arithmetic comes before the argument
    that binds its name, we do.
    """
    results: list[Any] = []
    function = make_function(signature, results)
    reference, checked = theirs(function), typechecked(function)
    for call in calls:
        results.append(call.result)
        expected, found = verdict(reference, call), verdict(checked, call)
        _tally[expected] += 1
        assert expected in {found, "undecided"}, (expected, function.__annotations__)


_CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@settings(
    max_examples=400, deadline=None, derandomize=True, database=None, suppress_health_check=_CHECKS
)
@given(drawn())
def test_2_000_drawn_calls_have_the_same_verdict(pair: tuple[Signature, list[Any]]) -> None:
    compare(*pair)


@pytest.mark.slow
@settings(max_examples=4_000, deadline=None, database=None, suppress_health_check=_CHECKS)
@given(drawn())
def test_20_000_drawn_calls_have_the_same_verdict(pair: tuple[Signature, list[Any]]) -> None:
    compare(*pair)


def test_the_draws_hold_calls_of_each_verdict() -> None:
    """Verdicts that are always the same would agree without saying anything."""
    if not _tally:
        test_2_000_drawn_calls_have_the_same_verdict()
    assert min(_tally["accepted"], _tally["rejected"]) > 0.2 * sum(_tally.values()), _tally
