# SPDX-License-Identifier: Apache-2.0
"""The error of a failed check: who is to blame, a table of the call, and a fix that was tried."""

from typedtensors.runtime.report.explanation import FailedCheck, explain, solve

__all__ = ["FailedCheck", "explain", "solve"]
