# SPDX-License-Identifier: Apache-2.0
"""TensorFlow and Keras without types: a checker knows few of them."""

from __future__ import annotations

import importlib
from typing import Any

from tests import tensorflow_arrays  # noqa: F401 - its settings come before the import

tf: Any = importlib.import_module("tensorflow")
keras: Any = importlib.import_module("keras")
