# SPDX-License-Identifier: Apache-2.0
"""One run of mypy in a process of its own, and what it said.

A process, because mypy is an optional dependency that the command's other verbs can do without,
and because it ends its process as it pleases.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from typedtensors.cli.refusal import RefusalError
from typedtensors.diagnostics import codes

_OURS = frozenset(code.name for code in codes.ALL)
# How the plugin's answer to `reveal_type` begins; mypy attaches no code to notes.
_REVEALED = "Revealed tensor is "
# What comes before a complaint: the plugin's name; the usage of a command nobody has typed.
_PREFIXES = ("typedtensors: ", "typedtensors_mypy: error: ")

# As `-m typedtensors_mypy.MODULE`, which would look for modules in the current folder first: a
# `json.py` of the user's would be run in the place of Python's own.
_START = (
    "import sys\n"
    "if sys.path[0] == '':\n"
    "    del sys.path[0]\n"
    "from typedtensors_mypy.{module} import main\n"
    "main(sys.argv[1:])\n"
)


@dataclass(frozen=True)
class Message:
    """A line of mypy's output."""

    file: str
    line: int
    severity: str
    text: str
    code: str | None

    @property
    def is_error(self) -> bool:
        """Whether it is more than a note."""
        return self.severity == "error"

    @property
    def shows_code(self) -> bool:
        """Whether mypy would print its code."""
        return self.is_error and self.code is not None

    @property
    def is_ours(self) -> bool:
        """Whether it comes from the plugin."""
        return self.code in _OURS or self.text.startswith(_REVEALED)


@dataclass(frozen=True)
class Outcome:
    """What a run of mypy gave.

    Args:
        messages: Everything it reported, in its order.
        files: How many of the files that were asked for were checked.
        excluded: How many of them the configuration excludes.
        specs: How many shape annotations were read in them.
        written: How many there are.
        unread: Files with shape annotations none of which could be read, and why.
        by_file: Of each file that was checked, how many were read and how many there are.
        coverage: Of each of these files, how much is known in it, if that was asked for.
        blocked: Whether something kept mypy from checking at all.
        complaint: What mypy said outside its reports.
    """

    messages: tuple[Message, ...]
    files: int = 0
    excluded: int = 0
    specs: int = 0
    written: int = 0
    unread: Mapping[str, str] = field(default_factory=dict)
    by_file: Mapping[str, Sequence[int]] = field(default_factory=dict)
    coverage: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    blocked: bool = False
    complaint: str = ""


def run_mypy(
    paths: Sequence[str],
    config_file: str | None = None,
    *,
    tensors_only: bool = False,
    coverage: bool = False,
    broadcasts: str | None = None,
) -> Outcome:
    """Run mypy with the plugin over these paths.

    Args:
        paths: Files and folders; none for those that mypy's configuration names.
        config_file: mypy's configuration; None for the one it finds by itself.
        tensors_only: Whether mypy's own reports may be wrong, because it does not look into
            frameworks; that is several times faster.
        coverage: Whether to tell how much is known in each file.
        broadcasts: The level for all modules; None for the configuration's.

    Raises:
        RefusalError: If there is no mypy, or it cannot carry the plugin.
    """
    options = ["--tensors-only"] if tensors_only else []
    options += ["--coverage"] if coverage else []
    options += own_options(config_file, broadcasts=broadcasts)
    done = run_plugin("__main__", [*options, "--", *paths])
    return _read(done.stdout.splitlines(), _complaint(done.stderr))


def own_options(config_file: str | None, *, broadcasts: str | None) -> list[str]:
    """The options for the plugin's modules that run mypy: ours come first.

    Raises:
        RefusalError: If there is no mypy.
    """
    if importlib.util.find_spec("mypy") is None:
        raise RefusalError('mypy is not installed here; fix: pip install "typedtensors[mypy]"')
    options = [] if broadcasts is None else ["--broadcasts", broadcasts]
    return options if config_file is None else [*options, "--config-file", config_file]


def run_plugin(module: str, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the `main` of a module of the plugin's package in a process of its own."""
    command = [sys.executable, "-c", _START.format(module=module), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def _complaint(stderr: str) -> str:
    text = stderr.strip()
    for prefix in _PREFIXES:
        text = text.rpartition(prefix)[2]
    return text


def _read(lines: list[str], complaint: str) -> Outcome:
    """Read reports, one JSON object a line; the last is the tally of a run that ended well."""
    messages: list[Message] = []
    for line in lines:
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            complaint = f"{complaint}\n{line}".strip()
            continue
        if "tally" in record:
            return Outcome(tuple(messages), complaint=complaint, **record["tally"])
        messages.extend(_messages(record))
    return Outcome(tuple(messages), blocked=True, complaint=complaint)


def _messages(record: Mapping[str, Any]) -> list[Message]:
    """Read one report: an error or a note, and the notes that mypy ties to it."""
    file, line = record["file"], record["line"]
    first = Message(file, line, record["severity"], record["message"], record["code"])
    hints = (record["hint"] or "").splitlines()
    return [first, *(Message(file, line, "note", hint, record["code"]) for hint in hints)]
