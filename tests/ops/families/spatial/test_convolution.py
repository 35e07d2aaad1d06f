# SPDX-License-Identifier: Apache-2.0
"""Convolutions, pooling and resizing of symbolic sizes."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.dims import Dim
from typedtensors.ops import Layer, Unknown, lookup

C, SELF_C = Dim.name("c"), Dim.opaque("self.c")


def made(call: Any, name: str, *args: Any, **kwargs: Any) -> Layer:
    layer = call.outcome(name, *args, **kwargs)
    assert isinstance(layer, Layer)
    return layer


def applied(call: Any, layer: Layer, source: str) -> str:
    return str(call.forward(layer, call.array(source)))


@pytest.mark.parametrize(
    ("kernel", "options", "expected"),
    [
        pytest.param(3, {"padding": 1}, "b 8 h w", id="padding keeps the sizes"),
        pytest.param(3, {}, "b 8 h-2 w-2", id="no padding"),
        pytest.param(2, {"stride": 2}, "b 8 h//2 w//2", id="stride halves"),
        pytest.param(3, {"stride": 2, "padding": 1}, "b 8 (h+1)//2 (w+1)//2", id="rounded up"),
        pytest.param(5, {"padding": "same"}, "b 8 h w", id="same"),
        pytest.param(3, {"padding": Unknown("?")}, "b 8 _ _", id="unknown padding"),
    ],
)
def test_windows_slide(call: Any, kernel: int, options: Any, expected: str) -> None:
    layer = made(call, "torch.nn.Conv2d", 3, 8, kernel, **options)
    assert applied(call, layer, "b 3 h w") == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("b 4 h w", "tensor-shape", id="other channels"),
        pytest.param("b 3 h", "8 3 h", id="as many axes as one without batch: b is 3"),
        pytest.param("b t 3 h w", "tensor-rank", id="too many axes"),
        pytest.param("3 h w", "8 h w", id="no batch"),
        pytest.param("... 3 h w", "... 8 h w", id="any batch"),
        pytest.param("...", "... 8 _ _", id="an unknown image"),
        pytest.param("b 3 1 1", "b 8 1 1", id="smaller than the window, padded"),
    ],
)
def test_an_image_has_channels(call: Any, source: str, expected: str) -> None:
    assert applied(call, made(call, "torch.nn.Conv2d", 3, 8, 3, padding=1), source) == expected


def test_a_layer_teaches_the_number_of_channels(call: Any) -> None:
    applied(call, made(call, "torch.nn.Conv2d", SELF_C, 8, 3), "b c h w")
    assert call.same("self.c", "c")


def test_a_window_larger_than_the_image_is_reported(call: Any) -> None:
    assert applied(call, made(call, "torch.nn.MaxPool2d", 4), "b c 3 3") == "tensor-op"


def test_pooling_to_a_size(call: Any) -> None:
    assert applied(call, made(call, "torch.nn.AdaptiveAvgPool2d", 1), "b c h w") == "b c 1 1"
    assert (
        applied(call, made(call, "torch.nn.AdaptiveAvgPool2d", (None, 7)), "b c h w") == "b c h 7"
    )


def test_resizing_by_a_factor(call: Any) -> None:
    interpolate = "torch.nn.functional.interpolate"
    assert call(interpolate, call.array("b c h w"), scale_factor=2) == "b c 2*h 2*w"
    assert call(interpolate, call.array("b c h w"), scale_factor=0.5) == "b c h//2 w//2"
    assert call(interpolate, call.array("b c h w"), scale_factor=1.3) == "b c _ _"


def test_every_layer_of_images_has_its_forward() -> None:
    for name in ("Conv1d", "ConvTranspose2d", "MaxPool3d", "AvgPool2d", "Upsample", "LSTM", "GRU"):
        assert lookup(f"torch.nn.{name}") is not None
        assert lookup(f"torch.nn.{name}.forward") is not None
