# SPDX-License-Identifier: Apache-2.0
"""`audited`: a backend of torch.compile that looks at each graph once, before it is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typedtensors.guard.report import BroadcastError
from typedtensors.guard.session import Guard

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.guard.report import Report
    from typedtensors.guard.session import Action, Allows

    Backend = Callable[..., Callable[..., Any]]


def audited(
    backend: str | Backend = "inductor",
    level: str | None = None,
    action: Action = "raise",
    *,
    allows: Allows | None = None,
) -> Audited:
    """A backend of `torch.compile` that reports the broadcasts of what it compiles.

    Each graph is looked at once, when it is compiled, so that a step costs what it costs without.

    >>> import torch
    >>> backend = audited("eager", action="record")
    >>> table = torch.compile(torch.sub, backend=backend)(torch.ones(4, 1), torch.ones(4))
    >>> [event.reason for event in backend.report.events]
    []

    Arguments:
        backend: the name of the backend that compiles, or the backend itself.
        level: as for `guard`.
        action: as for `guard`; what is raised, the compiled function raises when it is called.
        allows: as for `guard`.

    Returns: the backend, for `torch.compile(..., backend=...)`. Its `report` holds the events.

    Intent is read from the source, as by a guard. Graphs whose sizes are symbols (`dynamic=True`)
    are not looked at.
    """
    return Audited(backend, Guard(level, action, allows))


class Audited:
    """What `audited` returns; `report` collects the events of every graph."""

    def __init__(self, backend: str | Backend, watch: Guard) -> None:
        self._backend = backend
        self._watch = watch

    @property
    def report(self) -> Report:
        """What was seen so far."""
        return self._watch.report

    def __call__(self, module: Any, inputs: list[Any], **options: Any) -> Callable[..., Any]:  # noqa: ANN401 - of torch
        """Look at a graph, and have it compiled."""
        error = self._look(module)
        if error is None:
            return self._compiler()(module, inputs, **options)

        def fails(*_: object) -> None:
            raise error

        return fails

    def _look(self, module: Any) -> BroadcastError | None:  # noqa: ANN401 - a graph of torch
        from typedtensors.guard.torch.graph import events_of

        try:
            for event in events_of(module, self._watch.level) if self._watch.is_on else ():
                self._watch.deliver(event)
        except BroadcastError as error:
            return error.with_traceback(None)
        return None

    def _compiler(self) -> Backend:
        if not isinstance(self._backend, str):
            return self._backend
        import torch._dynamo

        found: Backend = torch._dynamo.lookup_backend(self._backend)  # noqa: SLF001 - as torch's guide to backends does
        return found
