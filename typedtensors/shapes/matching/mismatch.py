# SPDX-License-Identifier: Apache-2.0
"""Why a shape does not match its spec."""

from __future__ import annotations

from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.dims.quick import dataclass
from typedtensors.shapes.axis import Axis
from typedtensors.shapes.matching.bindings import Place
from typedtensors.shapes.shape import Shape
from typedtensors.shapes.specs.spec import SpecAxis


@dataclass(frozen=True)
class RankMismatch:
    """The number of axes is wrong.

    `expected` are the axes that the spec or, for a variadic, an earlier argument asks for.
    """

    argument: str
    expected: Shape
    actual: Shape
    bound_at: Place | None = None

    def diagnostic(self, where: str) -> Diagnostic:
        """The finding; `where` names the value, as wording's builders want it."""
        return wording.rank_differs(where, self.expected.text, self.actual.text)


@dataclass(frozen=True)
class AxisMismatch:
    """One axis has the wrong size.

    `at` is the axis. `expected` is what the spec's axis `wanted` is in the caller; `bound_at` says
    which axis fixed it, None where the spec itself does.
    """

    at: Place
    wanted: SpecAxis
    expected: Axis
    actual: Axis
    bound_at: Place | None = None

    @property
    def argument(self) -> str:
        """The value that has the axis."""
        return self.at.argument

    def diagnostic(self, where: str) -> Diagnostic:
        """The finding; `where` names the value, as wording's builders want it."""
        return wording.axis_differs(
            where, self.at.axis, str(self.expected), str(self.actual), bound_by=self._binder()
        )

    def _binder(self) -> str | None:
        if self.bound_at is not None:
            return self._place(self.bound_at)
        written = str(self.expected) == self.wanted.text
        return None if written else f'"{self.wanted.text}"'

    def _place(self, bound_at: Place) -> str | None:
        if not bound_at.argument:
            return None
        if bound_at.argument == self.argument:
            return f"its axis {bound_at.axis}"
        return f"axis {bound_at.axis} of `{bound_at.argument}`"


Mismatch = RankMismatch | AxisMismatch
