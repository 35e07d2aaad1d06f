# SPDX-License-Identifier: Apache-2.0
"""Write the list of what torch has, against which `typedtensors ops --missing` holds the rules.

torch itself lists the functions, methods and properties that take tensors, for those who override
them; the layers and losses of `torch.nn` are added.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import torch
from torch import nn, overrides

from typedtensors.ops import canonical
from typedtensors.ops.catalog import surface


def names() -> Iterator[str]:
    """Yield each public name of the surface, some more than once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        functions = overrides.get_overridable_functions()
        found = [overrides.resolve_name(each) for group in functions.values() for each in group]
    for name in filter(None, found):
        yield canonical(name.removesuffix(".__get__"))
    for name, value in vars(nn).items():
        if isinstance(value, type) and issubclass(value, nn.Module):
            yield f"torch.nn.{name}"


def current() -> str:
    """Return the list for the torch that is installed."""
    public = {name for name in names() if surface.is_public(name)}
    return surface.write(public, torch.__version__.partition("+")[0])


def main() -> None:
    """Write it."""
    surface.PATH.write_text(current(), encoding="utf-8")


if __name__ == "__main__":
    main()
