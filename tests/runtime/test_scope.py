# SPDX-License-Identifier: Apache-2.0
"""A scope is jaxtyping's own: entered, left and entered again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jaxtyping import Float, _storage

from typedtensors.runtime import scope
from typedtensors.runtime.scope import Scope, Trial, bind, in_scope, new_memo, snapshot

N: Any = Float[np.ndarray, "n"]
RUN: Any = Float[np.ndarray, "*s n"]
ARGUMENT: Any = Float[np.ndarray, "{k}"]


def test_only_these_private_names_of_jaxtyping_are_used() -> None:
    """If one disappears, `scope.py` is the one file to mend."""
    used = set(re.findall(r"_storage\.(\w+)", Path(scope.__file__).read_text(encoding="utf-8")))
    assert used == {"get_shape_memo", "set_shape_memo", "_shape_storage"}
    assert all(hasattr(_storage, name) for name in used)
    with Scope(new_memo({})):
        assert len(_storage._shape_storage.memo_stack) == 1


def test_no_other_module_imports_a_private_name_of_jaxtyping() -> None:
    room = Path(scope.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in room.rglob("*.py")}
    private = re.compile(r"jaxtyping(\._|\simport\s_)")
    assert [path.name for path, text in texts.items() if private.search(text)] == ["scope.py"]


def test_bindings_are_found_again() -> None:
    scope = Scope(new_memo({}))
    with scope:
        assert isinstance(np.zeros(3), N)
    assert isinstance(np.zeros(4), N)
    with scope:
        assert not isinstance(np.zeros(4), N)
        assert snapshot().sizes == {"n": 3}
    assert snapshot().sizes == {}


def test_a_failed_check_loses_nothing() -> None:
    scope = Scope(new_memo({}))
    with scope:
        assert isinstance(np.zeros((2, 3)), RUN)
        assert not isinstance(np.zeros(4), N)
    with scope:
        assert (snapshot().sizes, snapshot().variadics) == ({"n": 3}, {"s": (2,)})


def test_a_scope_within_a_scope_is_its_own() -> None:
    with Scope(new_memo({})):
        assert isinstance(np.zeros(3), N)
        with Scope(new_memo({})):
            assert isinstance(np.zeros(4), N)
        assert not isinstance(np.zeros(4), N)


def test_specs_may_read_arguments() -> None:
    with Scope(new_memo({"k": 3})):
        assert isinstance(np.zeros(3), ARGUMENT)
        assert snapshot().arguments["k"] == 3


@pytest.mark.parametrize("kept", [True, False])
def test_a_trial_is_forgotten_unless_it_is_kept(*, kept: bool) -> None:
    with Scope(new_memo({})):
        with Trial() as trial:
            assert isinstance(np.zeros(3), N)
            if kept:
                trial.keep()
        assert isinstance(np.zeros(4), N) is not kept


def test_binding_does_not_overrule() -> None:
    with Scope(new_memo({})):
        bind({"n": 3})
        bind({"n": 4})
        assert isinstance(np.zeros(3), N)


def test_checks_share_names_also_outside_any_scope() -> None:
    with in_scope():
        assert isinstance(np.zeros(3), N)
        with in_scope():
            assert not isinstance(np.zeros(4), N)
