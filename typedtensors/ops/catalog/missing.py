# SPDX-License-Identifier: Apache-2.0
"""What of torch has no rule, and why: calling it gives an unknown shape."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from typedtensors.ops.catalog.surface import surface
from typedtensors.ops.index import index

NOT_YET = "not yet"

_TENSOR = r"torch\.Tensor\."
_REASONS = {
    "called by Python, not by people": (_TENSOR + r"__\w+__",),
    "tells of memory, device or autograd, not of an array": (
        _TENSOR + r"(retain|record|register|storage)_\w+",
        _TENSOR + r"(name|backward|grad|grad_fn|module_load)",
        r"torch\.autocast",
    ),
    "of a sparse array": (
        r"torch\.(indices|values)_copy",
        _TENSOR + r"(sparse_\w+|resize_as_sparse_|to_mkldnn)",
    ),
    "of a quantized array": (
        r"torch\.quantized_\w+",
        r"torch\.(fused_moving_avg_obs_fake_quant|choose_qparams_optimized|fbgemm_\w+)",
    ),
    "of one kind of device": (r"torch\.miopen_\w+",),
    "a kernel behind a function that people call": (
        r"torch\.(native_\w+|batch_norm_\w+|instance_norm|convolution|embedding_bag)",
        r"torch\.(lstm|gru|rnn_tanh|rnn_relu)(_cell)?",
        r"torch\.(Tensor\.)?slice_inverse",
    ),
    "where a call that does not fit reads beyond the arrays": (r"torch\.lu_unpack",),
    "a base or a container of layers": (
        r"torch\.nn\.(RNNBase|RNNCellBase|Module|Container)",
        r"torch\.nn\.(Module|Parameter)(List|Dict)",
    ),
    "of an old interface": (
        r"torch\.lobpcg",
        _TENSOR + r"__div__",
    ),
    "of axes that are objects": (_TENSOR + r"index",),
}


@dataclass(frozen=True)
class Missing:
    """What has no rule for one reason, sorted."""

    reason: str
    names: tuple[str, ...]


def missing() -> list[Missing]:
    """What has no rule, by reason; what merely was not written yet comes last."""
    found: dict[str, list[str]] = {each: [] for each in (*_REASONS, NOT_YET)}
    for name in surface():
        if name not in index():
            found[reason(name)].append(name)
    return [Missing(why, tuple(names)) for why, names in found.items() if names]


def reason(name: str) -> str:
    """Why a name of torch's has no rule."""
    return next((why for why, pattern in _patterns() if pattern.fullmatch(name)), NOT_YET)


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    return [(why, re.compile("|".join(parts))) for why, parts in _REASONS.items()]
