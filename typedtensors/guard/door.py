# SPDX-License-Identifier: Apache-2.0
"""The one door for our own bugs: they are reported, and never end a training run."""

from __future__ import annotations

import os
import warnings

from typedtensors.diagnostics import wording


class GuardInternalWarning(RuntimeWarning):
    """A bug of ours that the guarded run survived."""


def survive(error: Exception, doing: str) -> None:
    """Turn an unexpected exception into a warning; raise it again under TYPEDTENSORS_DEBUG=1."""
    if os.environ.get("TYPEDTENSORS_DEBUG") == "1":
        raise error
    warnings.warn(wording.internal(error, doing).text, GuardInternalWarning, stacklevel=3)
