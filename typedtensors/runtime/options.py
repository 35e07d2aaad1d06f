# SPDX-License-Identifier: Apache-2.0
"""What somebody who decorates asks for, beside the target."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `typechecked`.

    Args:
        only_arrays: whether nothing but arrays is checked.
        class_dims: whether the methods of a class are held to the dims of their object.
        deferred: whether a graph asserts what was not known when it was made.
    """

    only_arrays: bool = False
    class_dims: bool = False
    deferred: bool = False
