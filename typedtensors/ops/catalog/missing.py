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
_ANY = r"torch\.(Tensor\.|nn\.functional\.)?"
_REASONS = {
    "called by Python, not by people": (_TENSOR + r"__\w+__",),
    "tells of memory, device or autograd, not of an array": (
        _TENSOR + r"(is|retain|retains|register|record|share|storage|untyped)_\w+",
        _TENSOR
        + r"(storage|data_ptr|const_data_ptr|element_size|dim_order|get_device|layout|name)",
        _TENSOR + r"(backward|grad|grad_dtype|grad_fn|requires_grad|output_nr|volatile|nbytes)",
        _TENSOR + r"(itemsize|module_load|hash_tensor|set_)",
        r"torch\.(is_\w+|get_device|autocast|hash_tensor)",
    ),
    "of a sparse array": (
        _ANY + r"(c?crow|ccol|col|row|sparse|nonzero_static)?_?(indices|values)(_copy)?",
        _ANY + r"(coalesce|is_coalesced|dense_dim|sparse_\w+|resize_as_sparse_|to_dense|to_sparse)",
        _ANY + r"(to_mkldnn|[hs]?spmm|smm|sspaddmm)",
    ),
    "of a quantized array": (
        _ANY + r"(q_\w+|qscheme|int_repr|dequantize|quantized?_\w+|fake_quantize_\w+)",
        r"torch\.(fused_moving_avg_obs_fake_quant|choose_qparams_optimized|fbgemm_\w+)",
    ),
    "of one kind of device": (_ANY + r"(ipu|mtia|xpu|miopen_\w+|cudnn_\w+|mkldnn_\w+)",),
    "a kernel behind a function that people call": (
        r"torch\.(native|batch_norm|grid_sampler|affine_grid_generator)_?\w*",
        r"torch\.nn\.functional\.(native_channel_shuffle|\w+_with_indices)",
        r"torch\.((?!index_)\w+_copy|unsafe_\w+|convolution|constant_pad_nd|max_pool1d_with_indices)",
        _TENSOR + r"(unsafe_\w+|narrow_copy)",
        r"torch\.(lstm|gru|rnn_tanh|rnn_relu)(_cell)?",
        r"torch\.(embedding|embedding_bag|group_norm|instance_norm|ctc_loss|kl_div|\w*dropout)",
        r"torch\.(binary_cross_entropy_with_logits|\w+_embedding_loss|poisson_nll_loss)",
        r"torch\.(margin_ranking_loss|triplet_margin_loss|norm_except_dim|slice_inverse)",
        _TENSOR + r"slice_inverse",
    ),
    "a base or a container of layers": (
        r"torch\.nn\.(RNNBase|RNNCellBase|Module|Container|DataParallel)",
        r"torch\.nn\.(Module|Parameter)(List|Dict)",
    ),
    "for graphs whose sizes are symbols": (r"torch\.sym_\w+",),
    "calls Python for each element": (_TENSOR + r"(apply_|map2?_)",),
    "of an old interface": (
        r"torch\.(chain_matmul|frobenius_norm|nuclear_norm|lu|lobpcg|geqrf)",
        _TENSOR + r"(lu|geqrf|__div__|resize(_as)?)",
        r"torch\.nn\.(NLLLoss2d|CrossMapLRN2d)",
    ),
    "sizes that the first call decides": (r"torch\.nn\.Lazy\w+",),
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
