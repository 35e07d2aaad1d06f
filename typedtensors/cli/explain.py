# SPDX-License-Identifier: Apache-2.0
"""`typedtensors explain CODE`: the page of a code."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from typedtensors.cli.refusal import CLEAN, RefusalError
from typedtensors.cli.terminal import is_interactive
from typedtensors.diagnostics import codes
from typedtensors.diagnostics.explain import UnknownCodeError, explain

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
    try:
        page = explain(_full_name(arguments.code))
    except UnknownCodeError as error:
        raise RefusalError(str(error)) from None
    if not (is_interactive(sys.stdout) and _print_rich(page)):
        print(page.rstrip())
    return CLEAN


def _full_name(asked: str) -> str:
    """Return `tensor-shape` for `shape`; anything else as it is."""
    full = f"{codes.FAMILY.name}-{asked}"
    return full if full in {code.name for code in codes.ALL} else asked


def _print_rich(page: str) -> bool:
    """Print Markdown with rich, which may be absent."""
    try:
        from rich.console import Console
        from rich.markdown import Markdown
    except ImportError:
        return False
    Console().print(Markdown(page))
    return True
