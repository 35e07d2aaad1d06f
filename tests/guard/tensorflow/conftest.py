# SPDX-License-Identifier: Apache-2.0
"""Leaves these tests out where TensorFlow is an option that nobody took."""

from __future__ import annotations

from tests.tensorflow_arrays import INSTALLED, REQUIRED

collect_ignore_glob = [] if INSTALLED or REQUIRED else ["*.py"]
