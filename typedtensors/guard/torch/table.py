# SPDX-License-Identifier: Apache-2.0
"""Which of torch's functions broadcast, and how: mostly derived from torch's own metadata."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody writes it
from torch.overrides import get_overridable_functions

from typedtensors.guard.torch import equations, indexing, operands
from typedtensors.guard.torch.operands import Loss, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from typedtensors.guard.torch.operands import Reader

# Operators of Python and synonyms, by the name of the ATen operation that they call.
_SYNONYMS: Final = (
    {name: name for name in ("add", "sub", "mul", "div", "pow", "matmul")}
    | {name: name for name in ("eq", "ne", "lt", "le", "gt", "ge")}
    | {"truediv": "div", "floordiv": "floor_divide", "mod": "remainder"}
    | {"lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}
    | {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
    | {"multiply": "mul", "subtract": "sub", "rsub": "sub", "divide": "div", "true_divide": "div"}
    | {"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}
    | {"not_equal": "ne", "clip": "clamp", "arctan2": "atan2"}
)

# Broadcast too, but are composed of other operations, so that ATen does not tag them pointwise.
_COMPOSED: Final = frozenset(
    {"where", "masked_fill", "masked_select", "clamp", "clamp_min", "clamp_max", "float_power"}
    | {"floor_divide", "ldexp", "polar", "complex", "isclose", "allclose", "dist", "copy"}
    | {"addcmul", "addcdiv", "lerp", "xlogy", "special_xlogy", "special_xlog1py", "max", "min"}
    | {"cross", "linalg_cross", "pairwise_distance", "cosine_similarity"}
    | {"vecdot", "linalg_vecdot"}
)

# What broadcasts is not the arguments as they are.
_PARTS: Final = {
    "matmul": operands.batches,
    "cdist": operands.distances,
    "addmm": operands.added,
    "addmv": operands.added,
    "baddbmm": operands.added,
    "masked_scatter": operands.masked,
    "take_along_dim": operands.taken_along,
}

# Not listed beside: what is documented to lie along the last axis, such as `pos_weight`.
_LOSSES: Final[Mapping[Callable[..., Any], Loss]] = {
    F.mse_loss: Loss(("input", "target"), ("weight",)),
    F.l1_loss: Loss(("input", "target"), ("weight",)),
    F.smooth_l1_loss: Loss(("input", "target")),
    F.huber_loss: Loss(("input", "target"), ("weight",)),
    F.poisson_nll_loss: Loss(("input", "target")),
    F.gaussian_nll_loss: Loss(("input", "target"), ("var",)),
    F.kl_div: Loss(("input", "target")),
    F.binary_cross_entropy: Loss(("input", "target"), ("weight",)),
    F.binary_cross_entropy_with_logits: Loss(("input", "target"), ("weight",)),
    F.hinge_embedding_loss: Loss(("input", "target")),
    F.soft_margin_loss: Loss(("input", "target")),
    F.multilabel_soft_margin_loss: Loss(("input", "target")),
    F.margin_ranking_loss: Loss(("input1", "input2", "target")),
    F.triplet_margin_loss: Loss(("anchor", "positive", "negative")),
    F.triplet_margin_with_distance_loss: Loss(("anchor", "positive", "negative")),
}


@cache
def roles() -> Mapping[Callable[..., Any], Role]:
    """The role of each function that the guard watches, by the function object itself."""
    pointwise = _pointwise_names() | _COMPOSED
    found: dict[Callable[..., Any], Role] = {}
    for function, method in _overridable():
        name = aten_name(getattr(function, "__name__", ""))
        read = _PARTS.get(name, operands.elementwise if name in pointwise else None)
        if read is not None:
            found[function] = Role(name, read, method=method)
    for loss, arguments in _LOSSES.items():
        found[loss] = Role(loss.__name__, arguments.reader(loss))
    found[F.cosine_embedding_loss] = Role("cosine_embedding_loss", operands.cosine_embedding)
    found[F.scaled_dot_product_attention] = Role("scaled_dot_product_attention", operands.attention)
    found[torch.broadcast_tensors] = Role(
        "broadcast_tensors", operands.stated, stated=True, by_shapes=False
    )
    found[torch.normal] = Role("normal", operands.elementwise)
    found |= {function: Role(name, read, by_shapes=False) for function, name, read in _indexing()}
    found |= {each: Role(each.__name__, operands.listed, by_shapes=False) for each in _foreach()}
    return found


def _indexing() -> Iterator[tuple[Callable[..., Any], str, Reader]]:
    """Functions of which the shapes of tensors among the arguments do not say all."""
    yield torch.einsum, "einsum", equations.einsum
    yield torch.Tensor.__getitem__, "getitem", indexing.indexed
    yield torch.Tensor.__setitem__, "setitem", indexing.assigned
    for each in (torch.index_put, torch.Tensor.index_put, torch.Tensor.index_put_):
        yield each, "index_put", indexing.put


def _foreach() -> Iterator[Callable[..., Any]]:
    """The functions on lists of tensors, which have no place among torch's public ones."""
    for name in dir(torch):
        if name.startswith("_foreach_"):
            yield getattr(torch, name)


def _overridable() -> Iterator[tuple[Callable[..., Any], bool]]:
    """Each function that a mode sees, and whether it is a method of tensors."""
    for namespace, functions in get_overridable_functions().items():
        # `__get__` is a property's: `x.T`, `x.grad`.
        named = [each for each in functions if getattr(each, "__name__", "") != "__get__"]
        yield from ((each, namespace is torch.Tensor) for each in named)


def _pointwise_names() -> set[str]:
    """Names of ATen operations of two or more tensors that torch tags as pointwise."""
    names = {aten_name(getattr(function, "__name__", "")) for function, _ in _overridable()}
    return {name for name in names if any(map(_is_pointwise, _overloads(name)))}


def _overloads(name: str) -> Iterator[Any]:
    packet = getattr(torch.ops.aten, name, None) if name and not name.startswith("__") else None
    if packet is not None and hasattr(packet, "overloads"):
        yield from (getattr(packet, overload) for overload in packet.overloads())


def _is_pointwise(operation: Any) -> bool:  # noqa: ANN401 - torch does not publish the type
    taken = [argument for argument in operation._schema.arguments if not argument.is_out]  # noqa: SLF001
    tensors = [each for each in taken if str(each.type) in {"Tensor", "Optional[Tensor]"}]
    return len(tensors) > 1 and torch.Tag.pointwise in operation.tags


def aten_name(name: str) -> str:
    """`add` for `add_`, `__add__`, `__radd__` and `__iadd__`."""
    if name.startswith("__") and name.endswith("__"):
        inner = name[2:-2]
        for candidate in (inner, inner[1:]):
            if candidate in _SYNONYMS:
                return _SYNONYMS[candidate]
        return ""
    name = name.rstrip("_")
    return _SYNONYMS.get(name, name)
