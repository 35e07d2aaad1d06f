# SPDX-License-Identifier: Apache-2.0
"""What is decided without jaxtyping is decided, and bound, as by jaxtyping."""

from __future__ import annotations

from typing import Any

import jaxtyping
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from jaxtyping import Float, Int, Shaped

from typedtensors import bindings, matches
from typedtensors.runtime.quick import verdict
from typedtensors.runtime.scope import Scope, new_memo

WORDS = ("a", "b", "_", "3", "_x", "2", "c=2", "?d", "...", "*s", "#a", "a+1")
KINDS = (Float, Int, Shaped)
DTYPES = (np.float32, np.int64, np.bool_, np.dtype([("x", int)]))
SHAPES = st.lists(st.integers(1, 3), max_size=3)


@st.composite
def calls(draw: st.DrawFn) -> list[tuple[Any, Any]]:
    """Draw arrays and annotations that meet one after the other."""
    arrays = st.builds(np.zeros, SHAPES, st.sampled_from(DTYPES))
    values = st.one_of(arrays, arrays, arrays, st.sampled_from([None, 1.0, np.float32(1)]))
    found = []
    for _ in range(draw(st.integers(1, 4))):
        words = draw(st.lists(st.sampled_from(WORDS[:8]), max_size=3))
        words += draw(st.lists(st.sampled_from(WORDS), max_size=1))
        spec = " ".join(words)
        if not any("?" in word for word in words):
            kind: Any = draw(st.sampled_from(KINDS))
            found.append((draw(values), kind[np.ndarray, spec]))
    return found


def outcome(ask: Any, drawn: list[tuple[Any, Any]]) -> list[Any]:
    """Say what each check gave, and what was bound in the end."""
    with Scope(new_memo({})):
        return [*(answer(ask, *each) for each in drawn), bindings()]


def answer(ask: Any, value: Any, annotation: Any) -> Any:
    try:
        return ask(value, annotation)
    except jaxtyping.AnnotationError:
        return "undecided"


@settings(max_examples=400, deadline=None)
@given(calls())
def test_verdicts_and_bindings_are_those_of_jaxtyping(drawn: list[tuple[Any, Any]]) -> None:
    assert outcome(matches, drawn) == outcome(isinstance, drawn)


@pytest.mark.parametrize(
    ("spec", "is_plain"),
    [("a b", True), ("3 _", True), ("", True), ("a=3 b", True), ("a ...", False), ("#a", False)],
)
def test_plain_specs_are_decided_without_it(spec: str, *, is_plain: bool) -> None:
    assert (verdict(np.zeros((2, 2, 2, 2)), Float[np.ndarray, spec]) is not None) is is_plain


def test_nothing_is_decided_where_checks_are_disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    assert verdict(np.zeros(2), Float[np.ndarray, "a b"]) is None
