# SPDX-License-Identifier: Apache-2.0
"""Codes, diagnostics and the one place where messages are worded."""

from typedtensors.diagnostics.code import Code
from typedtensors.diagnostics.diagnostic import Diagnostic, Rewrite
from typedtensors.diagnostics.error import TensorError

__all__ = ["Code", "Diagnostic", "Rewrite", "TensorError"]
