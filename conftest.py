# SPDX-License-Identifier: Apache-2.0
"""Leaves the examples out of what needs TensorFlow, where that is an option that nobody took."""

from __future__ import annotations

from tests.tensorflow_arrays import INSTALLED, REQUIRED

collect_ignore = [] if INSTALLED or REQUIRED else ["typedtensors/guard/tensorflow"]
