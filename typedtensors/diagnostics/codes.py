# SPDX-License-Identifier: Apache-2.0
"""Every code there is; each has its page in `pages/`."""

from __future__ import annotations

from typing import Final

from typedtensors.diagnostics.code import Code

FAMILY: Final = Code("tensor", None, "Any finding about a tensor.")


def _child(name: str, summary: str) -> Code:
    return Code(name, FAMILY.name, summary)


SHAPE: Final = _child("tensor-shape", "An axis has one size and another is needed.")
RANK: Final = _child("tensor-rank", "A tensor has too many axes or too few.")
BROADCAST: Final = _child("tensor-broadcast", "A broadcast that is legal and was not asked for.")
DTYPE: Final = _child("tensor-dtype", "A tensor holds one kind of number and another is needed.")
OP: Final = _child("tensor-op", "An operation or module is called in a way it does not allow.")
LAYOUT: Final = _child("tensor-layout", "A view mixes axes: right count, wrong content.")
SPEC: Final = _child("tensor-spec", "A shape annotation that cannot be meant as written.")
UNKNOWN: Final = _child("tensor-unknown", "Strict only: a shape that could not be followed.")
INTERNAL: Final = _child("tensor-internal", "A bug in typedtensors; your code may be fine.")

ALL: Final = (FAMILY, SHAPE, RANK, BROADCAST, DTYPE, OP, LAYOUT, SPEC, UNKNOWN, INTERNAL)
