# SPDX-License-Identifier: Apache-2.0
"""One rule for frameworks that call the same arguments by other names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


def renamed(apply: Callable[[Call], Value], **names: str) -> Callable[[Call], Value]:
    """The rule, where the call has the argument `input` under the name `names["input"]`.

    `renamed(permute, input="a", dims="perm")` reads `perm` wherever the rule reads `dims`.
    """

    def under_other_names(call: Call) -> Value:
        given = {own: call.arguments.get(other) for own, other in names.items()}
        call.arguments = {**call.arguments, **given}
        return apply(call)

    return under_other_names
