# SPDX-License-Identifier: Apache-2.0
"""The index of the rules: it says what they say, and spares importing them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tools.index import current
from typedtensors.ops import index, lookup
from typedtensors.ops.registry import FAMILIES, home

LOADED = f"""
import json, sys
from typedtensors.ops import lookup
rule = lookup(sys.argv[1])
found = [name for name in sys.modules if name.startswith("{FAMILIES}.") and name.count(".") == 4]
print(json.dumps([rule and rule.names, found]))
"""


def _look_up(name: str) -> tuple[list[str] | None, list[str]]:
    """What a new process finds under a name, and the modules of rules that it loads for that."""
    command = [sys.executable, "-c", LOADED, name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    names, loaded = json.loads(done.stdout)
    return names, loaded


def test_the_index_is_up_to_date() -> None:
    """If this fails, rules changed: `make index`."""
    assert index.PATH.read_text(encoding="utf-8") == current()


@pytest.mark.parametrize("name", ["torch.mm", "torch._C._VariableFunctions.mm"])
def test_a_look_up_loads_the_module_of_the_rule_and_no_other(name: str) -> None:
    names, loaded = _look_up(name)
    assert names is not None
    assert "torch.mm" in names
    assert loaded == [f"{FAMILIES}.algebra.linalg"]


def test_a_look_up_of_what_has_no_rule_loads_nothing() -> None:
    assert _look_up("torch.no_such_op") == (None, [])


def test_a_rule_knows_the_module_that_declares_it() -> None:
    found = lookup("torch.tensor")
    assert found is not None
    # Its module imports another one of rules.
    assert home(found) == "creation.literals"
