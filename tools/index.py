# SPDX-License-Identifier: Apache-2.0
"""Write the index of the rules, by which a look-up imports one module of rules and not all."""

from __future__ import annotations

from collections import defaultdict

from typedtensors.ops import index, rules
from typedtensors.ops.registry import home


def current() -> str:
    """Return the index of the rules as they are declared now."""
    modules: dict[str, list[str]] = defaultdict(list)
    for rule in rules():
        if home(rule):
            modules[home(rule)] += rule.names
    return index.write(modules)


def main() -> None:
    """Write it."""
    index.PATH.write_text(current(), encoding="utf-8")


if __name__ == "__main__":
    main()
