# SPDX-License-Identifier: Apache-2.0
"""Weights filled in place by `torch.nn.init`, whose functions give back what they were given."""

from __future__ import annotations

from typedtensors.ops.rule import Array, example
from typedtensors.ops.signature import declare

_INIT = "torch.nn.init."

for _name, _params in (
    ("constant_", "tensor, val"),
    ("ones_", "tensor"),
    ("zeros_", "tensor"),
    ("uniform_", "tensor, a=0.0, b=1.0, generator=None"),
    ("normal_", "tensor, mean=0.0, std=1.0, generator=None"),
    ("trunc_normal_", "tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None"),
):
    _more = (0.5,) if "val" in _params else ()
    declare(
        _INIT + _name,
        sig="*axes -> *axes",
        params=_params,
        examples=(example(Array("o i"), *_more), example(Array(""), *_more)),
    )

# These scale by the number of inputs or outputs, so a weight has both, and perhaps a kernel.
for _name, _params in (
    ("xavier_uniform_", "tensor, gain=1.0, generator=None"),
    ("xavier_normal_", "tensor, gain=1.0, generator=None"),
    ("kaiming_uniform_", "tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None"),
    ("kaiming_normal_", "tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None"),
    ("orthogonal_", "tensor, gain=1, generator=None"),
):
    declare(
        _INIT + _name,
        sig="o i *kernel -> o i *kernel",
        params=_params,
        examples=(example(Array("o i")), example(Array("o i 3 3")), example(Array("o"))),
    )

for _name, _params, _more in (
    ("eye_", "tensor", ()),
    ("sparse_", "tensor, sparsity, std=0.01, generator=None", (0.5,)),
):
    declare(
        _INIT + _name,
        sig="o i -> o i",
        params=_params,
        examples=(example(Array("o i"), *_more), example(Array("o i 3"), *_more)),
    )
