# SPDX-License-Identifier: Apache-2.0
"""What would make the whole call check; each proposal is tried before it is printed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from typedtensors.runtime.report.blame import COMPARED_AT_MOST, Blame, Evidence
from typedtensors.runtime.report.rows import Row, accepts_dtype, is_result
from typedtensors.shapes.arrays.sizes import Sizes


@dataclass(frozen=True)
class Fix:
    """A change of the call, in words, and the rows as they are after it."""

    text: str
    changed: tuple[Row, ...]


@dataclass(frozen=True)
class _Dialect:
    """How a framework writes a change; `{}` is the array."""

    squeeze: str
    unsqueeze: str
    transpose: str
    cast: str
    flip: str | None = None  # of two axes


_TORCH = _Dialect(
    "{}.squeeze({axis})", "{}.unsqueeze({axis})", "{}.transpose({axis}, {other})", "{}.{method}()"
)
_NUMPY = _Dialect(
    "{}.squeeze({axis})",
    "np.expand_dims({}, {axis})",
    "{}.swapaxes({axis}, {other})",
    '{}.astype("{dtype}")',
)
_JAX = replace(_NUMPY, unsqueeze="jnp.expand_dims({}, {axis})")
_TENSORFLOW = _Dialect(
    "tf.squeeze({}, {axis})",
    "tf.expand_dims({}, {axis})",
    "tf.experimental.numpy.swapaxes({}, {axis}, {other})",
    "tf.cast({}, tf.{dtype})",
    flip="tf.transpose({})",
)
_KERAS = _Dialect(
    "keras.ops.squeeze({}, {axis})",
    "keras.ops.expand_dims({}, {axis})",
    "keras.ops.swapaxes({}, {axis}, {other})",
    'keras.ops.cast({}, "{dtype}")',
    flip="keras.ops.transpose({})",
)
_DIALECTS = {
    "torch": _TORCH,
    "numpy": _NUMPY,
    "jax": _JAX,
    "jaxlib": _JAX,
    "tensorflow": _TENSORFLOW,
    "keras": _KERAS,
}

# From the framework of a class to another one, or from a class to the tensors of its framework.
_CONVERSIONS = {
    ("numpy", "torch"): "torch.from_numpy({})",
    ("torch", "numpy"): "{}.numpy()",
    ("numpy", "tensorflow"): "tf.convert_to_tensor({})",
    ("EagerTensor", "numpy"): "{}.numpy()",
    ("RaggedTensor", "tensorflow"): "{}.to_tensor()",
    ("SparseTensor", "tensorflow"): "tf.sparse.to_dense({})",
}

# In the order in which they are tried: the usual dtype of each kind first.
_CASTS = {
    "float32": "float",
    "int64": "long",
    "bool": "bool",
    "float64": "double",
    "int32": "int",
    "float16": "half",
    "bfloat16": "bfloat16",
    "complex64": "cfloat",
}


def find_fix(evidence: Evidence, blame: Blame) -> str | None:
    """Return the one change that makes the whole call check, in words; None unless just one does.

    A change of one argument comes before a swap of two.
    """
    several = not blame.certain and len(evidence.rows) <= COMPARED_AT_MOST
    suspects = evidence.rows if several else [blame.row]
    changes = (fix for row in suspects for fix in _changes(row))
    for proposed in (changes, _swaps(evidence)):
        found = [fix.text for fix in proposed if _helps(fix, evidence)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _helps(fix: Fix, evidence: Evidence) -> bool:
    after = {row.argument: row for row in fix.changed}
    return evidence.agree([after.get(row.argument, row) for row in evidence.rows])


def _changes(row: Row) -> Iterator[Fix]:
    if row.shape is None or row.dtype is None:
        return
    if not row.is_instance:
        yield from _conversions(row)
    elif not row.fits_dtype:
        yield from _casts(row)
    else:
        yield from _reshapes(row, row.shape)


def _conversions(row: Row) -> Iterator[Fix]:
    wanted = getattr(row.annotation.array_type, "__module__", "").partition(".")[0]
    for known in (row.framework, row.type_name):
        template = _CONVERSIONS.get((known, wanted))
        if template is not None:
            changed = replace(row, is_instance=True, framework=wanted)
            yield _fix(row, template.format(row.argument), changed)


def _casts(row: Row) -> Iterator[Fix]:
    dialect = _DIALECTS.get(row.framework)
    for dtype, method in _CASTS.items():
        if dialect is not None and accepts_dtype(row.annotation, dtype):
            text = dialect.cast.format(row.argument, dtype=dtype, method=method)
            yield _fix(row, text, replace(row, dtype=dtype))
            return


def _reshapes(row: Row, shape: Sizes) -> Iterator[Fix]:
    dialect, rank = _DIALECTS.get(row.framework), len(shape)
    if dialect is None:
        return
    for axis in range(rank):
        if shape[axis] == 1:
            shown = -1 if axis == rank - 1 else axis
            text = dialect.squeeze.format(row.argument, axis=shown)
            yield _fix(row, text, replace(row, shape=shape[:axis] + shape[axis + 1 :]))
    for axis in range(rank + 1):
        shown = -1 if axis == rank else axis
        text = dialect.unsqueeze.format(row.argument, axis=shown)
        yield _fix(row, text, replace(row, shape=(*shape[:axis], 1, *shape[axis:])))
    for axis, other in itertools.combinations(range(rank), 2):
        swapped = list(shape)
        swapped[axis], swapped[other] = shape[other], shape[axis]
        template = dialect.flip if rank == 2 and dialect.flip else dialect.transpose
        text = template.format(row.argument, axis=axis, other=other)
        yield _fix(row, text, replace(row, shape=tuple(swapped)))


def _fix(row: Row, expression: str, changed: Row) -> Fix:
    if row.argument in ("return", "yield"):
        return Fix(f"{row.argument} `{expression.replace(row.argument, 'result', 1)}`", (changed,))
    if is_result(row.argument):
        return Fix(f"hand out `{expression}`", (changed,))
    return Fix(f"pass `{expression}`", (changed,))


def _swaps(evidence: Evidence) -> Iterator[Fix]:
    alone = evidence.settled or len(evidence.rows) > COMPARED_AT_MOST
    rows = () if alone else [row for row in evidence.rows if row.is_instance]
    for one, two in itertools.combinations(rows, 2):
        if (one.shape, one.dtype) != (two.shape, two.dtype) and one.framework == two.framework:
            changed = (
                replace(one, shape=two.shape, dtype=two.dtype),
                replace(two, shape=one.shape, dtype=one.dtype),
            )
            yield Fix(f"swap `{one.argument}` and `{two.argument}`", changed)
