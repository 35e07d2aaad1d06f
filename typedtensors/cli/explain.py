# SPDX-License-Identifier: Apache-2.0
"""`typedtensors explain CODE`: the page of a code."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from typedtensors.cli.refusal import CLEAN, RefusalError
from typedtensors.cli.terminal import is_interactive
from typedtensors.diagnostics import codes
from typedtensors.diagnostics.suggestion import did_you_mean

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_EPILOG = """\
examples:
  typedtensors explain tensor-shape
  typedtensors explain broadcast             the family's prefix may be left out

codes:
"""


def add_to(verbs: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = verbs.add_parser(
        "explain",
        help="print what a code means and how to fix it",
        description="Prints the page of a code: what it means, an example, what to write instead, "
        "and how to silence it.",
        epilog=_EPILOG + "".join(f"  {code.name:18} {code.summary}\n" for code in codes.ALL),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("code", metavar="CODE", help="what stands in brackets after a message")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the page of the code that was asked for."""
    from typedtensors.diagnostics.explain import explain

    page = explain(_full_name(arguments.code))
    if not (is_interactive(sys.stdout) and _print_rich(page)):
        print(page.rstrip())
    return CLEAN


def _full_name(asked: str) -> str:
    """Return the code that is meant by `tensor-shape`, `[tensor-shape]` or `shape`."""
    known = [code.name for code in codes.ALL]
    bare = asked.strip("[]").lower()
    for name in (bare, f"{codes.FAMILY.name}-{bare}"):
        if name in known:
            return name
    guess = bare if bare.startswith(codes.FAMILY.name) else f"{codes.FAMILY.name}-{bare}"
    raise RefusalError(
        f"there is no code `{asked}`{did_you_mean(guess, known)}\ncodes: {', '.join(known)}"
    )


def _print_rich(page: str) -> bool:
    """Print Markdown with rich, which may be absent."""
    try:
        from rich.console import Console
        from rich.markdown import Markdown
    except ImportError:
        return False
    Console().print(Markdown(page))
    return True
