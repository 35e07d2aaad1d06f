# SPDX-License-Identifier: Apache-2.0
"""What tests of converted code ask for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.tensorflow_arrays import autograph_warnings


@pytest.fixture
def silent() -> Iterator[None]:
    """AutoGraph has nothing to say in a test."""
    with autograph_warnings() as messages:
        yield
    assert messages == []
