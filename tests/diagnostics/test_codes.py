# SPDX-License-Identifier: Apache-2.0
"""The registry of codes."""

from __future__ import annotations

from typedtensors.diagnostics import codes
from typedtensors.diagnostics.code import Code


def test_every_code_that_the_module_names_is_registered_once() -> None:
    named = [value for value in vars(codes).values() if isinstance(value, Code)]
    assert named == list(codes.ALL)
    assert len({code.name for code in codes.ALL}) == len(codes.ALL)


def test_every_code_but_the_family_belongs_to_it() -> None:
    children = [code for code in codes.ALL if code is not codes.FAMILY]
    assert {code.parent for code in children} == {codes.FAMILY.name}
    assert all(code.name.startswith("tensor-") for code in children)


def test_a_summary_is_one_sentence() -> None:
    for code in codes.ALL:
        assert code.summary.endswith(".")
        assert "\n" not in code.summary
