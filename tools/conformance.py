# SPDX-License-Identifier: Apache-2.0
"""Count how each rule does beside its framework, on hundreds of drawn calls.

Takes minutes. A rule that is wrong somewhere ends it, as it ends the tests; one whose package is
not installed is left out.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from importlib.metadata import version

import torch

from tests.ops.conformance import compare
from typedtensors.ops import Rule, rules
from typedtensors.ops.catalog import conformance
from typedtensors.ops.catalog.conformance import Compared

CALLS = 400
_VERDICTS = ("agreed", "rejected", "unknown", "missed")


def _calls(rule: Rule) -> int:
    """Fewer for a layer of Keras, which takes long to make its weights."""
    return CALLS // 10 if rule.names[0].startswith("keras.") else CALLS


@cache
def _is_installed(package: str) -> bool:
    """Whether there is something to compare with: of the packages, some are no requirement."""
    return importlib.util.find_spec(package) is not None


def main() -> None:
    """Compare all rules, and write the counts."""
    # Arrays of a few elements: threads would wait for each other.
    torch.set_num_threads(1)
    table = {}
    for rule in rules():
        if not _is_installed(rule.names[0].partition(".")[0]):
            continue
        counts = compare(rule, range(_calls(rule)))
        table[rule.names[0]] = Compared(*(counts[verdict] for verdict in _VERDICTS))
    frameworks = ", ".join(
        f"{name} {version(name).partition('+')[0]}"
        for name in ("torch", "numpy", "einops", "tensorflow-cpu", "keras")
    )
    conformance.PATH.write_text(conformance.write(table, frameworks), encoding="utf-8")


if __name__ == "__main__":
    main()
