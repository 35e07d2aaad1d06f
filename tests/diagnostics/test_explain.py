# SPDX-License-Identifier: Apache-2.0
"""A code has one page. That its example yields the code is tested with the plugin."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from typedtensors.diagnostics import codes
from typedtensors.diagnostics.code import Code
from typedtensors.diagnostics.explain import UnknownCodeError, explain

HEADINGS = [
    "What it means",
    "Why it matters",
    "Example",
    "What to write instead",
    "When we stay silent",
    "How to silence it",
]
# No code yields the family, no example can count on a bug of ours, and two have no producer yet.
RESERVED = (codes.UNKNOWN,)
WITHOUT_EXAMPLE = (codes.FAMILY, codes.INTERNAL, *RESERVED)
EXPECTATION = re.compile(r"# E: \[([\w-]+)\]")

every_code = pytest.mark.parametrize("code", codes.ALL, ids=str)


def test_pages_and_codes_are_the_same_set() -> None:
    pages = resources.files("typedtensors.diagnostics").joinpath("pages").iterdir()
    assert {page.name for page in pages} == {f"{code.name}.md" for code in codes.ALL}


@every_code
def test_a_page_opens_with_its_code_and_summary(code: Code) -> None:
    assert explain(code.name).startswith(f"# {code.name}\n\n{code.summary}\n\n")


@every_code
def test_a_page_answers_the_same_questions_in_the_same_order(code: Code) -> None:
    headings = re.findall(r"^## (.+)$", explain(code.name), flags=re.MULTILINE)
    assert headings == [heading for heading in HEADINGS if heading in headings]
    assert {"What it means", "Why it matters", "How to silence it"} <= {*headings}


@every_code
def test_examples_announce_this_code_and_no_other(code: Code) -> None:
    expected = set() if code in WITHOUT_EXAMPLE else {code.name}
    assert {*EXPECTATION.findall(explain(code.name))} == expected


@every_code
def test_a_page_says_so_if_nothing_reports_its_code_yet(code: Code) -> None:
    assert ("this version reports nothing" in explain(code.name)) == (code in RESERVED)


def test_the_page_of_the_family_lists_its_children() -> None:
    page = explain(codes.FAMILY.name)
    for code in codes.ALL[1:]:
        assert f"| `{code.name}` | {code.summary} |" in page


def test_a_code_may_be_pasted_with_its_brackets() -> None:
    assert explain("[tensor-shape]") == explain("tensor-shape")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param(
            "tensor-shpae", "unknown code `tensor-shpae`, did you mean `tensor-shape`?", id="slip"
        ),
        pytest.param(
            "broadcast", "unknown code `broadcast`, did you mean `tensor-broadcast`?", id="short"
        ),
        pytest.param("shap", "unknown code `shap`, did you mean `tensor-shape`?", id="short-slip"),
        pytest.param("W503", "unknown code `W503`; known: `tensor`, `tensor-shape`, ", id="far"),
        pytest.param("../code", "unknown code `../code`", id="path"),
    ],
)
def test_an_unknown_code_is_an_error_that_helps(name: str, message: str) -> None:
    with pytest.raises(UnknownCodeError) as caught:
        explain(name)
    assert str(caught.value).startswith(message)
