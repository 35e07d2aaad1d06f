# SPDX-License-Identifier: Apache-2.0
"""NumPy's arrays, scalars and aliases, in each of its versions; torch is not needed."""

from __future__ import annotations

import types
import typing
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from jaxtyping import Float, Shaped

from typedtensors import TensorCheckError, UncheckedWarning, typechecked


def test_arrays_of_numpy_of_any_kind_are_checked() -> None:
    @typechecked
    def use(
        x: Shaped[np.ndarray, "n"],
        y: npt.NDArray[np.float64] | None = None,
        z: npt.ArrayLike = 3,
        s: Float[np.generic, ""] | None = None,
    ) -> npt.NDArray[Any]:
        return x

    fields = np.zeros(2, dtype=[("a", int)])
    for x in (
        np.ma.zeros(2),
        fields,
        np.array(["a", "b"]),
        np.zeros(2, "datetime64[s]"),
        fields[:1],
    ):
        use(x, np.zeros(5), [1, 2], np.float64(3))
        with pytest.raises(TensorCheckError):
            use(np.stack([x, x]))
    with pytest.raises(TensorCheckError):
        use(np.zeros(2), np.zeros(2, int))


def test_what_is_like_an_array_and_is_none_does_not_fit() -> None:
    if not isinstance(npt.ArrayLike, types.UnionType) and not typing.get_args(npt.ArrayLike):
        pytest.skip("jaxtyping takes no annotation over this ArrayLike")

    @typechecked
    def use(x: Float[npt.ArrayLike, "n"], y: Float[np.ndarray, "n"]) -> None: ...

    use(np.zeros(2), np.zeros(2))
    for bad in ([1.0, 2.0], np.zeros(3), 1.0, "x"):
        with pytest.raises(TensorCheckError):
            use(bad, np.zeros(2))


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.5.0", reason="it was a union then")
def test_an_annotation_over_array_like_is_said_to_be_unread() -> None:
    """NumPy 2.5 made it an alias of a kind over which jaxtyping makes no annotation: nor do we."""
    with pytest.raises(TypeError, match="must be a class"):
        Float[npt.ArrayLike, "n"]

    def use(x: Float[npt.ArrayLike, "n"], y: Float[np.ndarray, "n n"]) -> None: ...

    with pytest.warns(UncheckedWarning, match="parameter `x` is not checked"):
        checked = typechecked(use)
    with pytest.raises(TensorCheckError):
        checked([1], np.zeros((2, 3)))
