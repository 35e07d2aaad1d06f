# SPDX-License-Identifier: Apache-2.0
"""What stands for an argument in a trace: a spec of TensorFlow's, an annotation, an array."""

from __future__ import annotations

import types
import typing
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import tensorflow as tf

from typedtensors.shapes import SpecError, parse_spec

if TYPE_CHECKING:
    from collections.abc import Iterable

_USUAL: Final = (
    *("float32", "int32", "bool", "complex64", "int64", "uint8", "float64", "bfloat16"),
    *("float16", "complex128", "int16", "int8", "uint16", "uint32", "uint64", "string"),
)
"""Element types, those first that an annotation which allows several is likely to mean."""
_UNIONS: Final = frozenset({typing.Union, types.UnionType})
_TENSORS: Final = (tf.Tensor, tf.Variable, tf.keras.KerasTensor, tf.keras.Variable, np.ndarray)


def described(argument: Any) -> Any:  # noqa: ANN401 - of TensorFlow or Keras, or anything
    """The argument with specs of TensorFlow's for the arrays and annotations in its containers.

    Raises: TypeError for an annotation that describes no tensor, or none alone.
    """
    return tf.nest.map_structure(_described, argument)


def _described(given: Any) -> Any:  # noqa: ANN401 - as above
    if isinstance(given, tf.TypeSpec):
        return given
    if hasattr(given, "dim_str") and hasattr(given, "dtypes"):
        return _annotated(given)
    if typing.get_origin(given) in _UNIONS:
        return _any_of(given)
    if _is_tensor(given) or typing.get_origin(given) is not None:
        raise TypeError(_problem(given))
    shape, dtype = getattr(given, "shape", None), getattr(given, "dtype", None)
    return given if shape is None or dtype is None else tf.TensorSpec(shape, dtype)


def _any_of(union: Any) -> tf.TensorSpec:  # noqa: ANN401 - as above
    """The spec of a union whose parts describe the same tensor, or none at all."""
    parts = [part for part in typing.get_args(union) if part is not types.NoneType]
    found: list[tf.TensorSpec] = [described(part) for part in parts]
    if any(spec != found[0] for spec in found):
        raise TypeError(_problem(union))
    return found[0]


def _annotated(annotation: Any) -> tf.TensorSpec:  # noqa: ANN401 - an annotation of jaxtyping
    """The spec of what an annotation describes: the sizes of names are left open."""
    kind = annotation.array_type
    if kind is not Any and not _is_tensor(kind):
        raise TypeError(_problem(annotation))
    try:
        spec = parse_spec(annotation.dim_str)
    except SpecError as error:
        raise TypeError(f"audit cannot read {annotation.__name__}: {error}") from None
    # The stubs do not know that a rank may be open.
    sizes: Any = None
    if spec.variadic is None:
        sizes = [None if axis.dim is None or axis.tree else axis.dim.value for axis in spec.axes]
    return tf.TensorSpec(sizes, _dtype(annotation))


def _is_tensor(kind: Any) -> bool:  # noqa: ANN401 - whatever jaxtyping takes for an array's class
    return isinstance(kind, type) and issubclass(kind, _TENSORS)


def _dtype(annotation: Any) -> tf.DType:  # noqa: ANN401 - as above
    """The most usual of the element types that an annotation accepts."""
    accepted = annotation.dtypes
    if not isinstance(accepted, (list, tuple)):
        return tf.float32  # of `Shaped`, which accepts any
    found = next((name for name in _USUAL if _is_among(name, accepted)), None)
    if found is None:
        raise TypeError(_problem(annotation))
    return tf.as_dtype(found)


def _is_among(name: str, accepted: Iterable[Any]) -> bool:
    return any(each == name if isinstance(each, str) else each.match(name) for each in accepted)


def _problem(given: Any) -> str:  # noqa: ANN401 - as above
    text = given.__name__ if isinstance(given, type) else str(given)
    return (
        f"audit needs to know what one tensor is like, which {text} does not say: "
        'describe each argument by a `Float[tf.Tensor, "batch d"]` or a `tf.TensorSpec`'
    )
