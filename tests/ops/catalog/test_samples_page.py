# SPDX-License-Identifier: Apache-2.0
"""The page of the docs that holds the rules against torch's own test inputs."""

from __future__ import annotations

from typedtensors.ops.catalog import samples
from typedtensors.ops.catalog.samples import Counts
from typedtensors.ops.catalog.samples_page import page


def test_every_entry_has_a_row_and_both_sums_too() -> None:
    rows = [line for line in page().splitlines() if line.startswith("| ") and "---" not in line]
    named = [row.split("`")[1] for row in rows if "`" in row]
    assert sorted(named) == sorted(samples.table())
    assert sum("operations" in row or "modules" in row for row in rows) == 2


def test_counts_survive_being_written() -> None:
    text = samples.write({"b": Counts(6, 5, 4, 1, 0, 2, 1), "a": Counts(3)}, "9.9.9")
    assert text.splitlines()[1:] == ["a 3 0 0 0 0 0 0", "b 6 5 4 1 0 2 1"]
    assert text.splitlines()[0].endswith("; torch 9.9.9")


def test_counts_add_up() -> None:
    assert samples.total([Counts(1, 1), Counts(2, 0, 2)]) == Counts(3, 1, 2)
