# SPDX-License-Identifier: Apache-2.0
"""Values as a user would annotate them."""

from __future__ import annotations

from typedtensors.dims import Facts
from typedtensors.ops import Framework, Value
from typedtensors.shapes import Axis, Shape, Tensor
from typedtensors_mypy.interpreter.values import Either, Stream, framework_of

_ARRAY_NAMES = {
    Framework.TORCH: "Tensor",
    Framework.NUMPY: "np.ndarray",
    Framework.JAX: "Array",
    Framework.TENSORFLOW: "tf.Tensor",
}


def annotation_text(value: Value, facts: Facts) -> str | None:
    """`Float[Tensor, "batch d"]`, for a value that holds an array; None for any other."""
    if isinstance(value, Tensor):
        name = _ARRAY_NAMES[framework_of(value) or Framework.TORCH]
        return f'{value.dtype}[{name}, "{_literal_sizes(value.shape, facts).text}"]'
    if isinstance(value, tuple):
        parts = [annotation_text(item, facts) for item in value]
        if any(part is not None for part in parts):
            return f"tuple[{', '.join(part or '...' for part in parts)}]"
    if isinstance(value, Either):
        options = [annotation_text(option, facts) or "..." for option in value.options]
        return None if set(options) == {"..."} else " | ".join(options)
    if isinstance(value, Stream):
        inner = annotation_text(value.item, facts)
        return None if inner is None else f"Iterable[{inner}]"
    return None


def _literal_sizes(shape: Shape, facts: Facts) -> Shape:
    """The shape in the code's own names, and numbers where those are known to be fixed."""
    axes = []
    for part in shape.axes:
        known = facts.resolve(part.dim) if isinstance(part, Axis) else None
        fixed = known is not None and known.value is not None
        axes.append(part.with_dim(known) if fixed and isinstance(part, Axis) and known else part)
    return Shape(tuple(axes))
