# SPDX-License-Identifier: Apache-2.0
"""Codes, diagnostics and the one place where messages are worded."""

from typedtensors.diagnostics.code import Code
from typedtensors.diagnostics.diagnostic import Diagnostic

__all__ = ["Code", "Diagnostic"]
