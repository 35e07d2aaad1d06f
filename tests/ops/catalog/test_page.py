# SPDX-License-Identifier: Apache-2.0
"""The page of the docs that lists the ops, and the counts that it shows."""

from __future__ import annotations

import re

from typedtensors.ops import lookup, rules
from typedtensors.ops.catalog import conformance
from typedtensors.ops.catalog.conformance import Compared, compared
from typedtensors.ops.catalog.entry import entries
from typedtensors.ops.catalog.missing import missing
from typedtensors.ops.catalog.page import page
from typedtensors.ops.registry import home

BAR = re.compile(r"(?<!\\)\|")


def test_every_op_has_one_row_in_a_table_of_its_folder() -> None:
    rows = [line for line in page().splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == [entry.name for entry in entries()]
    assert {len(BAR.findall(row)) for row in rows} == {6}


def test_the_page_lists_what_has_no_rule() -> None:
    text = page()
    for group in missing():
        assert f"**{group.reason.capitalize()}** ({len(group.names)}): `" in text


def test_most_rules_have_been_counted() -> None:
    """If this fails, many are new or have another name: `make conformance`."""
    names = {rule.names[0] for rule in rules() if home(rule)}
    counted = {line.split()[0] for line in conformance._lines()[1:]}
    assert len(counted & names) > 0.7 * len(counted | names)


def test_a_rule_has_the_counts_of_its_comparison() -> None:
    rule = lookup("torch.Tensor.bmm")
    assert rule is not None
    counts = compared(rule)
    assert counts is not None
    assert counts.calls >= counts.agreed > 0
    assert counts.text.startswith(f"{counts.calls} calls: {counts.agreed} agree, ")


def test_counts_survive_being_written() -> None:
    text = conformance.write(
        {"torch.b": Compared(1, 2, 3, 4), "torch.a": Compared(0, 0, 0, 9)}, "x 1"
    )
    assert text.splitlines()[1:] == ["torch.a 0 0 0 9", "torch.b 1 2 3 4"]
    assert text.splitlines()[0].endswith("; x 1")
