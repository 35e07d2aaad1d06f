# SPDX-License-Identifier: Apache-2.0
"""Images that grow by a factor: what only the run knows is not taken for a number."""

from __future__ import annotations

from typing import Any

from typedtensors.ops import SOME_FLOAT
from typedtensors.shapes import DType

GRID_SAMPLE = "torch.nn.functional.grid_sample"
INTERPOLATE = "torch.nn.functional.interpolate"


def test_a_factor_that_is_known_gives_the_sizes(call: Any) -> None:
    assert call(INTERPOLATE, call.array("b c h w"), scale_factor=0.5) == "b c h//2 w//2"
    assert call(INTERPOLATE, call.array("b c 7 9"), scale_factor=1.7) == "b c 11 15"


def test_a_factor_that_is_some_float_gives_sizes_that_are_not_known(call: Any) -> None:
    found = call(INTERPOLATE, call.array("b c h w"), scale_factor=SOME_FLOAT)
    assert found == "b c _ _"


def test_an_image_and_a_grid_may_hold_one_type_of_which_only_one_says_which(call: Any) -> None:
    image, grid = call.array("b c h w"), call.array("b y x 2")
    floats, float32, float64 = map(DType.named, ("Float", "Float32", "Float64"))
    assert call(GRID_SAMPLE, image.with_dtype(floats), grid.with_dtype(float32)) == "b c y x"
    turned = call.array("h c b w").with_dtype(floats)
    assert call(GRID_SAMPLE, turned, grid.with_dtype(float32)) == "tensor-shape"
    assert call(GRID_SAMPLE, image.with_dtype(float64), grid.with_dtype(float32)) == "unknown"
