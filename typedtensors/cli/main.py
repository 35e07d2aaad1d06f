# SPDX-License-Identifier: Apache-2.0
"""The command's front door: which verb, and what its failure looks like."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from typedtensors import __version__
from typedtensors.cli import check, doctor, explain, ops, run
from typedtensors.cli.refusal import INTERRUPTED, REFUSED, RefusalError

_VERBS = (check, run, explain, ops, doctor)
_EPILOG = """\
examples:
  typedtensors check src/                    find shape and broadcast bugs, run nothing
  typedtensors run train.py --epochs 3       stop a script at its first silent broadcast
  typedtensors explain tensor-broadcast      what a finding means and how to fix it
  typedtensors ops nn.Linear                 whether the shapes of an op are followed
  typedtensors doctor src/                   what is installed, in the way, and would be read

exit status: 0 nothing found, 1 something found, 2 could not do what was asked
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: The arguments after the command's name; those of the process by default.

    Returns:
        The exit status: 0 nothing found, 1 something found, 2 could not do what was asked.
    """
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.verb is None:
        parser.print_help(sys.stderr)
        return REFUSED
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except RefusalError as refusal:
        print(f"typedtensors {arguments.verb}: {refusal}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (`head`, a pager) has gone: nothing more to say, at interpreter exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return REFUSED
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="typedtensors",
        description="Finds silent tensor-shape and broadcasting bugs.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"typedtensors {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")
    for verb in _VERBS:
        verb.add_to(verbs)
    return parser
