# SPDX-License-Identifier: Apache-2.0
"""Each part at work with NumPy and no other framework, for any Python: `make smoke`."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import numpy as np

import typedtensors
from typedtensors import (
    Float,
    TensorCheckError,
    align,
    bindings,
    check,
    expand_as,
    matches,
    sizes,
    typechecked,
)

FRAMEWORKS = frozenset({"torch", "tensorflow", "keras", "jax"})
# What belongs to a framework, to pytest or to the command line.
SPECIAL = ("guard.torch", "guard.tensorflow", "testing", "cli", "__main__")


@typechecked
def total(x: Float[np.ndarray, "n d"], w: Float[np.ndarray, "d"]) -> Float[np.ndarray, "n"]:
    """Sum weighted rows."""
    assert bindings() == {"n": 2, "d": 3}
    weighted = check(x * expand_as(w, "d", x, "n d"), Float[np.ndarray, "n d"])
    return weighted.sum(axis=1)


def main() -> None:
    """Import every module that needs no framework, and use what there is for arrays."""
    names = (each.name for each in pkgutil.walk_packages(typedtensors.__path__, "typedtensors."))
    for name in names:
        if not name.removeprefix("typedtensors.").startswith(SPECIAL):
            importlib.import_module(name)
    assert total(np.ones((2, 3)), np.ones(3)).tolist() == [3.0, 3.0]
    assert sizes(align(np.ones(3), "d", to="n d"), "n d") == {"n": 1, "d": 3}
    assert not matches(np.ones(3), Float[np.ndarray, "2"])
    blamed = None
    try:
        total(np.ones((2, 3)), np.ones((3, 1)))
    except TensorCheckError as error:
        blamed = error.argument
    assert blamed == "w"
    loaded = sorted(FRAMEWORKS & sys.modules.keys())
    assert not loaded, loaded
    print(f"Python {sys.version.split()[0]}: fine")


if __name__ == "__main__":
    main()
