# SPDX-License-Identifier: Apache-2.0
"""`dry_run`: what a guard would say of a function, from its annotations alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.guard.session import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typedtensors.guard.report import Report
    from typedtensors.guard.session import Action, Allows


def dry_run(
    function: Callable[..., object],
    level: str | None = None,
    action: Action = "raise",
    *,
    sizes: Mapping[str, int] | None = None,
    given: Mapping[str, object] | None = None,
    allows: Allows | None = None,
) -> Report:
    """Run a function of torch without data, once for all sizes, and report its broadcasts.

    The arguments are made of the annotations, and `torch.export` runs the function on them: each
    name is a size of its own, so that no two axes fit by accident, and no batch of one hides a bug.

    >>> import torch
    >>> from jaxtyping import Float
    >>> def loss(
    ...     pred: Float[torch.Tensor, "batch 1"], target: Float[torch.Tensor, "batch"]
    ... ) -> torch.Tensor:
    ...     return (pred - target).square().mean()
    >>> print(dry_run(loss, action="record").events[0].diagnostic.text)
    `pred - target` broadcasts (batch, 1) and (batch,) to (batch, batch) (rank): ...

    Arguments:
        function: a function, a method, or a module, with annotations of jaxtyping.
        level: as for `guard`.
        action: as for `guard`.
        sizes: the sizes of names that cannot be any. Those that layers and parameters have by
            themselves are found.
        given: values of arguments that annotations do not tell, and that have no default.
        allows: as for `guard`.

    Returns: the report; the run ends at the first operation that no sizes can go through.

    Raises:
        BroadcastError: there is a broadcast that nobody asked for, and `action` is `"raise"`.
        DryRunError: an argument cannot be made, or the function raises an error of its own, for
            example because it depends on values.
    """
    watch = Guard(level, action, allows)
    if watch.is_on:
        from typedtensors.guard.torch.dry.program import events_of

        for event in events_of(function, watch.level, sizes or {}, given or {}):
            watch.deliver(event)
    return watch.report
