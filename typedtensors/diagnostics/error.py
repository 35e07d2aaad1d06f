# SPDX-License-Identifier: Apache-2.0
"""The exception that every run-time part raises."""

from __future__ import annotations

from typedtensors.diagnostics.diagnostic import Diagnostic


class TensorError(Exception):
    """A finding, raised. Catch it to catch what any part of this package reports.

    Args:
        diagnostic: The finding.
    """

    # AutoGraph and Keras would put another exception, of their making, in the place of this one.
    ag_pass_through = True
    _keras_call_info_injected = True

    def __init__(self, diagnostic: Diagnostic) -> None:
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
