# SPDX-License-Identifier: Apache-2.0
"""`typedtensors check --fix`: the edits that remove findings, as a diff or written."""

from __future__ import annotations

import difflib
import json
import sys
import tokenize
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from typedtensors.cli.mypy_run import own_options, run_plugin
from typedtensors.cli.refusal import RefusalError
from typedtensors.cli.terminal import Style, is_interactive, paint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_LOOKS = {"+": Style.GREEN, "-": Style.RED, "@": Style.CYAN}


def fix(
    paths: Sequence[str], config_file: str | None, broadcasts: str | None, *, write: bool
) -> bool:
    """Show the edits that are safe, or make them; whether there are any.

    An edit is safe if there is no choice in it, and if a second check with it finds what the first
    one found, but for what the edit is for.

    Raises:
        RefusalError: If there is no mypy, or it could not check.
    """
    done = run_plugin(
        "commands.repair", [*own_options(config_file, broadcasts=broadcasts), "--", *paths]
    )
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        reason = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise RefusalError(f"mypy could not check: {reason[-1]}") from None
    texts: Mapping[str, str] = answer["texts"]
    if write:
        for file, text in texts.items():
            Path(file).write_bytes(text.encode(_encoding(file)))
    else:
        _show(line for file, text in texts.items() for line in _diff(file, text))
    print(_summary(answer["count"], len(texts), write=write), file=sys.stderr)
    return bool(texts)


def _diff(file: str, text: str) -> Iterator[str]:
    name, encoding = Path(file).as_posix(), _encoding(file)
    before = Path(file).read_bytes().decode(encoding)
    mark = "\ufeff" if encoding == "utf-8-sig" else ""
    # What applies patches takes a name with a space in it to end at a tab.
    name += "\t" if " " in name else ""
    yield from difflib.unified_diff(_lines(mark + before), _lines(mark + text), name, name)


def _encoding(file: str) -> str:
    with Path(file).open("rb") as source:
        return tokenize.detect_encoding(source.readline)[0]


def _lines(text: str) -> list[str]:
    """The lines as a patch counts them: a form feed ends none."""
    return StringIO(text, newline="\n").readlines()


def _show(lines: Iterator[str]) -> None:
    colored = is_interactive(sys.stdout)
    for line in lines:
        text = line.removesuffix("\n")
        look = _LOOKS.get(line[:1])
        print(text if look is None else paint(text, look, on=colored))
        if text == line:
            print("\\ No newline at end of file")


def _summary(findings: int, files: int, *, write: bool) -> str:
    if not findings:
        return "Nothing to fix that leaves no choice"
    what = f"{_count(findings, 'finding')} in {_count(files, 'file')}"
    return f"Fixed {what}" if write else f"Would fix {what}; --fix --write does"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
