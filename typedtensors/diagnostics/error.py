# SPDX-License-Identifier: Apache-2.0
"""The exception that every run-time part raises."""

from __future__ import annotations

import sys

from typedtensors.diagnostics.diagnostic import Diagnostic


class TensorError(Exception):
    """A finding, raised. Catch it to catch what any part of this package reports.

    Args:
        diagnostic: The finding.
    """

    # AutoGraph and Keras would put another exception, of their making, in the place of this one.
    ag_pass_through = True
    _keras_call_info_injected = True

    def __new__(cls, *args: object) -> TensorError:  # noqa: PYI034  `Self` is not in Python 3.10
        """Make an error, or return the one that is being handled where a text is all there is.

        So Keras makes errors anew: of the class of one, and a text around its own.
        """
        handled = sys.exc_info()[1]
        is_text = bool(args) and isinstance(args[0], str)
        return handled if is_text and type(handled) is cls else super().__new__(cls, *args)

    def __init__(self, diagnostic: Diagnostic) -> None:
        if hasattr(self, "diagnostic"):
            return  # it has been made before
        super().__init__(diagnostic)
        self.diagnostic = diagnostic

    @property
    def code(self) -> str:
        """The name of the finding's code, `tensor-shape`."""
        return self.diagnostic.code.name

    @property
    def hint(self) -> str | None:
        """What to write instead, where that is known to help."""
        return self.diagnostic.hint

    def __str__(self) -> str:
        return f"{self.diagnostic.text}  [{self.code}]"
