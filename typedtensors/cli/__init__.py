# SPDX-License-Identifier: Apache-2.0
"""The command line, one file per verb."""

from typedtensors.cli.main import main

__all__ = ["main"]
