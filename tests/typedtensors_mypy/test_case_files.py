# SPDX-License-Identifier: Apache-2.0
"""The harness itself: what it reads from Markdown, and that it can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.case_build import Message, differences
from tests.case_files import Case, Expectation, read_cases

DOCUMENT = """
# A topic

Words.

## A (N, 1) target

```python
x = 1  # E: [tensor-shape] "batch"  # N: "Revealed"
```

```python file=model.py
y = 2  # E: [tensor-rank]
```

```python
z = 3
```

## Other

```python skip
not python at all
```

````text
```python
inside = "text"
```
````
"""


@pytest.fixture
def cases(tmp_path: Path) -> list[Case]:
    document = tmp_path / "topic.md"
    document.write_text(DOCUMENT)
    return read_cases(document)


def test_each_block_is_a_case_named_by_its_heading(cases: list[Case]) -> None:
    assert [case.name for case in cases] == ["a_n_1_target", "a_n_1_target_2"]


def test_a_named_file_belongs_to_the_case_above_it(cases: list[Case]) -> None:
    assert list(cases[0].files) == ["main.py", "model.py"]


def test_trailing_comments_are_expectations(cases: list[Case]) -> None:
    assert cases[0].expectations == [
        Expectation("main.py", 1, "tensor-shape", "batch"),
        Expectation("main.py", 1, None, "Revealed"),
        Expectation("model.py", 1, "tensor-rank", ""),
    ]


@pytest.mark.parametrize(
    ("code", "text", "complaints"),
    [
        pytest.param("tensor-shape", "batch against n", 1, id="note-missing"),
        pytest.param("tensor-rank", "batch against n", 3, id="other-code"),
        pytest.param("tensor-shape", "other words", 3, id="other-text"),
    ],
)
def test_a_message_that_was_not_announced_is_a_difference(
    cases: list[Case], code: str, text: str, complaints: int
) -> None:
    main_only = Case(cases[0].document, "case", {"main.py": cases[0].files["main.py"]})
    message = Message("case/main.py", 1, "error", text, code)
    assert len(differences(main_only, [message])) == complaints
