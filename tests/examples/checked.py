# SPDX-License-Identifier: Apache-2.0
"""What mypy says of the examples, and of each slip in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.case_build import ROOT, Message, run_mypy
from tests.examples.mutations import Mutation


def source_of(name: str) -> str:
    """The text of an example."""
    return (ROOT / "examples" / f"{name}.py").read_text()


def said_of(
    slips: Mapping[str, Sequence[Mutation]], folder: Path, cache: Path
) -> dict[str, list[Message]]:
    """What mypy says, by the name of the file: `gpt.py`, and `gpt_0.py` with the first slip."""
    for name, each in slips.items():
        (folder / f"{name}.py").write_text(source_of(name))
        for number, slip in enumerate(each):
            (folder / f"{name}_{number}.py").write_text(slip.applied(source_of(name)))
    said: dict[str, list[Message]] = {path.name: [] for path in folder.glob("*.py")}
    for message in run_mypy(folder, cache):
        said[message.path].append(message)
    return said


def tensor_errors(messages: Iterable[Message]) -> list[str]:
    """Those with a code of ours."""
    return [str(each) for each in messages if (each.code or "").startswith("tensor-")]
