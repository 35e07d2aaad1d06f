# SPDX-License-Identifier: Apache-2.0
"""Programs of Keras without a mistake: nothing is reported from the first layer to a prediction."""

from __future__ import annotations

import pytest

from bench.guard_keras import PROGRAMS, run

# Of the others, `bench/guard_keras.py` is the test.
CHOSEN = ("lstm", "transformer", "autoencoder", "contrastive")


@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.parametrize("eagerly", [False, True], ids=["traced", "eager"])
def test_correct_program_is_silent(
    name: str, *, eagerly: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TYPEDTENSORS_DEBUG", "1")
    assert [*map(str, run(PROGRAMS[name], eagerly=eagerly).events)] == []
