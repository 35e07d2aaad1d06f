# SPDX-License-Identifier: Apache-2.0
"""Runs mypy once over many cases, and compares what it says with what they announce."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.case_files import Case, Expectation, slug

ROOT = Path(__file__).resolve().parent.parent
_MESSAGE = re.compile(
    r"^(?P<path>[^:]+\.py):(?P<line>\d+):(?:\d+:)? (?P<severity>error|note): "
    r"(?P<text>.*?)(?:  \[(?P<code>[\w-]+)\])?$"
)
_CONFIG = "[mypy]\nplugins = typedtensors_mypy\nshow_error_codes = True\n"


@dataclass(frozen=True)
class Message:
    """One line of mypy's output."""

    path: str
    line: int
    severity: str
    text: str
    code: str | None

    def __str__(self) -> str:
        """As mypy prints it, without the path's folders."""
        code = f"  [{self.code}]" if self.code else ""
        return f"{Path(self.path).name}:{self.line}: {self.severity}: {self.text}{code}"


def run_mypy(
    folder: Path,
    cache: Path,
    *arguments: str,
    config: str = _CONFIG,
    targets: Sequence[str] = (".",),
) -> list[Message]:
    """What mypy says about the files of a folder. Raises AssertionError if it could not check."""
    (folder / "mypy.ini").write_text(config)
    flags = ["--show-column-numbers", "--no-error-summary", "--no-pretty", "--no-color-output"]
    command = [sys.executable, "-m", "mypy", *flags, f"--cache-dir={cache}", *arguments, *targets]
    result = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    assert result.returncode in (0, 1) and not result.stderr, result.stdout + result.stderr  # noqa: PT018
    return [_message(line) for line in result.stdout.splitlines()]


def environment() -> dict[str, str]:
    """The environment in which a bug in the plugin is fatal.

    The plugin is this working copy's, or that of an unpacked wheel which is tested in its place.
    """
    own = os.pathsep.join([str(ROOT), str(ROOT / "mypy_plugin")])
    path = os.environ.get("TYPEDTENSORS_TESTED", own)
    return os.environ | {"PYTHONPATH": path, "TYPEDTENSORS_DEBUG": "1", "NO_COLOR": "1"}


def _message(line: str) -> Message:
    match = _MESSAGE.match(line)
    assert match, line
    return Message(
        match["path"], int(match["line"]), match["severity"], match["text"], match["code"]
    )


def lay_out(cases: Iterable[Case], folder: Path) -> dict[Case, Path]:
    """Write each case as a package of its own; where each is."""
    places = {}
    for case in cases:
        place = folder / f"{slug(case.document.stem)}__{case.name}"
        place.mkdir(parents=True)
        (place / "__init__.py").touch()
        for name, source in case.files.items():
            (place / name).write_text(source, encoding="utf-8")
        places[case] = place
    return places


def differences(case: Case, messages: Iterable[Message]) -> list[str]:
    """What mypy said and nobody announced, and what was announced and mypy did not say."""
    said = defaultdict(list)
    for message in messages:
        said[Path(message.path).name, message.line].append(message)
    missing = []
    for expectation in case.expectations:
        here = said[expectation.file, expectation.line]
        match = next((message for message in here if _meets(message, expectation)), None)
        if match is None:
            missing.append(_unmet(expectation))
        else:
            here.remove(match)
    unexpected = [
        f"not announced: {message}"
        for key in sorted(said)
        for message in said[key]
        if not _is_native_note(message)
    ]
    return missing + unexpected


def _meets(message: Message, expectation: Expectation) -> bool:
    if expectation.code is None:
        return message.severity == "note" and expectation.part in message.text
    return (
        message.severity == "error"
        and message.code == expectation.code
        and expectation.part in message.text
    )


def _unmet(expectation: Expectation) -> str:
    kind = f"[{expectation.code}]" if expectation.code else "note"
    return f'not said: {expectation.file}:{expectation.line}: {kind} "{expectation.part}"'


def _is_native_note(message: Message) -> bool:
    """Mypy's own `reveal_type` note, and its hints, need no announcement."""
    return message.severity == "note" and not message.text.startswith("Revealed tensor")
