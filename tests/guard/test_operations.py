# SPDX-License-Identifier: Apache-2.0
"""Which operations are watched, and which of their arguments meet."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - as everybody writes it

from typedtensors.guard import guard
from typedtensors.guard.torch.table import roles

Call = Callable[[Tensor, Tensor], object]
COLUMN, ROW, SQUARE = torch.rand(4, 1), torch.rand(4), torch.rand(4, 4)


def reasons(call: Callable[[], object], level: str = "suspicious") -> list[str]:
    with guard(level, action="record") as report:
        call()
    return [event.reason for event in report.events]


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: a + b,
        lambda a, b: a.sub(b),
        lambda a, b: torch.mul(a, other=b),
        lambda a, b: a / b,
        lambda a, b: a**b,
        lambda a, b: a == b,
        lambda a, b: a.ge(b),
        lambda a, b: (a > 0) & (b > 0),
        torch.maximum,
        torch.max,
        torch.atan2,
        torch.isclose,
        torch.special.xlogy,
        torch.dist,
        F.pairwise_distance,
        lambda a, b: F.cosine_similarity(a, b, dim=-1),
        lambda a, b: torch.where(a > 0, a, b),
        lambda a, b: torch.addcmul(torch.tensor(0.0), a, b),
        lambda a, b: torch.lerp(a, b, 0.5),
        lambda a, b: torch.clamp(a, min=b),
        lambda a, b: a.masked_fill(b > 0, 0),
        lambda a, b: a.masked_scatter(b > 0, SQUARE),
        lambda a, b: a.masked_select(b > 0),
        torch.normal,
        lambda a, b: torch._foreach_add([ROW, a], [ROW, b]),
        lambda a, b: torch._foreach_addcmul([a], [a], [b], 0.5),
        lambda a, b: SQUARE[a.long(), b.long()],
        lambda a, b: SQUARE.clone().__setitem__((a.long(), b.long()), 0.0),
    ],
)
def test_pointwise_operations_are_watched(call: Call) -> None:
    assert reasons(lambda: call(COLUMN, ROW)) == ["rank"]
    assert reasons(lambda: call(ROW, ROW)) == []


@pytest.mark.filterwarnings("ignore:Using a target size:UserWarning")
@pytest.mark.parametrize(
    "loss",
    [
        F.mse_loss,
        F.l1_loss,
        F.smooth_l1_loss,
        F.huber_loss,
        F.poisson_nll_loss,
        F.hinge_embedding_loss,
        lambda p, y: F.kl_div(p, y, reduction="batchmean"),
        lambda p, y: F.mse_loss(input=p, target=y),
        torch.nn.HuberLoss(),
    ],
)
def test_losses_compare_equal_shapes(loss: Call) -> None:
    assert reasons(lambda: loss(COLUMN, ROW)) == ["loss"]
    assert reasons(lambda: loss(ROW, ROW)) == []


def test_variance_of_a_loss_may_broadcast_but_its_target_may_not() -> None:
    mean, target, var = torch.rand(3, 2), torch.rand(3, 2), torch.rand(3, 1)
    assert reasons(lambda: F.gaussian_nll_loss(mean, target, var)) == []
    assert reasons(lambda: F.gaussian_nll_loss(mean, target[:, :1], var)) == ["loss"]


def test_target_of_an_embedding_loss_is_one_number_per_row() -> None:
    rows = torch.rand(4, 2)
    assert reasons(lambda: F.cosine_embedding_loss(rows, rows, torch.ones(4))) == []


@pytest.mark.parametrize(
    ("call", "shapes", "result"),
    [
        (torch.matmul, ((3, 1, 5, 2), (4, 2, 6)), (3, 4, 5, 6)),
        (torch.cdist, ((3, 1, 5, 2), (4, 6, 2)), (3, 4, 5, 6)),
    ],
)
def test_batch_axes_of_matrices_broadcast(
    call: Call, shapes: tuple[tuple[int, ...], ...], result: tuple[int, ...]
) -> None:
    left, right = map(torch.rand, shapes)
    with guard(action="record") as report:
        call(left, right)
    (event,) = report.events
    assert (event.reason, event.shapes, event.result) == ("rank", shapes, result)
    assert reasons(lambda: call(left, right.unsqueeze(0))) == []
    assert reasons(lambda: call(left[0, 0], right[0])) == []


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda: torch.addmm(ROW, SQUARE, SQUARE), id="addmm"),
        pytest.param(lambda: torch.addmm(ROW, mat1=SQUARE, mat2=SQUARE), id="addmm by name"),
        pytest.param(lambda: torch.baddbmm(SQUARE, *[torch.rand(4, 4, 4)] * 2), id="baddbmm"),
        pytest.param(lambda: SQUARE.clone().mul_(ROW), id="in place"),
        pytest.param(lambda: SQUARE.clone().copy_(ROW), id="copy"),
        pytest.param(lambda: SQUARE.clone().__setitem__(slice(None), ROW), id="assignment"),
        pytest.param(lambda: torch.rand(2, 4, 4).__setitem__(1, ROW), id="assignment to a part"),
        pytest.param(
            lambda: torch.rand(9, 4).__setitem__(torch.tensor([1, 0, 2, 5]), ROW),
            id="assignment to rows by number",
        ),
        pytest.param(
            lambda: torch.rand(9, 4).index_put((torch.tensor([1, 0, 2, 5]),), ROW), id="index_put"
        ),
    ],
)
def test_one_sided_operations_are_watched_for_alignment(call: Callable[[], object]) -> None:
    assert reasons(call) == ["ambiguous"]


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda: torch.addmm(ROW, torch.rand(3, 4), SQUARE), id="addmm"),
        pytest.param(lambda: torch.addmv(ROW, SQUARE, ROW), id="addmv"),
        pytest.param(lambda: SQUARE.clone().__setitem__(0, ROW), id="a row"),
        pytest.param(lambda: SQUARE.clone().__setitem__(SQUARE > 2, ROW[:0]), id="a mask"),
        pytest.param(lambda: SQUARE.clone().__setitem__(slice(None), 0.0), id="a number"),
        pytest.param(lambda: torch.rand(4, 4, 3).max(1), id="a reduction"),
        pytest.param(lambda: F.linear(SQUARE, SQUARE, ROW), id="linear"),
        pytest.param(lambda: SQUARE[torch.arange(4), torch.arange(4)], id="a diagonal"),
        pytest.param(lambda: torch.rand(4, 4, 4)[SQUARE > 2, 0:1], id="a mask and a slice"),
        pytest.param(lambda: SQUARE.clone().__setitem__([0, 1], ROW), id="a list of indices"),
        pytest.param(lambda: SQUARE.take_along_dim(SQUARE.long(), dim=1), id="as many indices"),
        pytest.param(lambda: torch._foreach_add([ROW], 1.0), id="numbers to a list"),
    ],
)
def test_nothing_to_say(call: Callable[[], object]) -> None:
    assert reasons(call) == []


@pytest.mark.parametrize(
    ("equation", "shapes", "found", "result"),
    [
        pytest.param("bi,i->b", ((4, 1), (4,)), "twins", (4,), id="a column and a row"),
        pytest.param(
            "bi,bi->b", ((4, 1), (1, 4)), "twins", (4,), id="a column and a row of tables"
        ),
        pytest.param(
            "bhqd,bhkd->bhqk", ((2, 3, 5, 7), (2, 1, 4, 7)), "implicit", (2, 3, 5, 4), id="one head"
        ),
        pytest.param("ij,jk", ((2, 3), (1, 4)), "implicit", (2, 4), id="a sum over one row"),
    ],
)
def test_axes_of_one_label_have_one_size(
    equation: str, shapes: tuple[tuple[int, ...], ...], found: str, result: tuple[int, ...]
) -> None:
    with guard("explicit", action="record") as report:
        torch.einsum(equation, *map(torch.rand, shapes))
    (event,) = report.events
    assert (event.op, event.reason, event.shapes, event.result) == ("einsum", found, shapes, result)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        pytest.param("i,j->ij", ((4,), (4,)), id="an outer product"),
        pytest.param("bi,ij->bj", ((1, 4), (4, 4)), id="one row"),
        pytest.param("b...,b...->b...", ((4, 2), (4, 2)), id="any axes"),
        pytest.param("ii->i", ((4, 4),), id="a diagonal"),
    ],
)
def test_equations_of_equal_sizes_stretch_nothing(
    equation: str, shapes: tuple[tuple[int, ...], ...]
) -> None:
    assert reasons(lambda: torch.einsum(equation, list(map(torch.rand, shapes))), "explicit") == []


def test_indices_along_an_axis_broadcast_on_the_others() -> None:
    table, order = torch.rand(3, 1, 5), torch.zeros(1, 4, 5, dtype=torch.long)
    assert reasons(lambda: table.take_along_dim(order, dim=2)) == []
    assert reasons(lambda: table.take_along_dim(order, dim=2), "explicit") == ["implicit"]


def test_value_for_a_mask_broadcasts_with_the_rows_that_it_selects() -> None:
    def assign(rows: int, value: Tensor) -> object:
        x, mask = torch.rand(6, 4), torch.arange(6) < rows
        return x.__setitem__(mask, value)

    assert reasons(lambda: assign(3, ROW)) == []
    assert reasons(lambda: assign(3, ROW), "explicit") == ["implicit"]
    assert reasons(lambda: assign(4, ROW)) == ["ambiguous"]
    assert reasons(lambda: assign(4, ROW[:, None])) == []
    assert reasons(lambda: SQUARE.clone().__setitem__((SQUARE >= 0, None), ROW[:1])) == []


def test_mask_that_a_transform_hides_is_passed_over() -> None:
    def zeroed(x: Tensor) -> Tensor:
        return x.index_put((torch.ones(4, dtype=torch.bool),), ROW)

    assert reasons(lambda: torch.func.vmap(zeroed)(SQUARE)) == []
    assert reasons(lambda: torch.rand(4, 4, device="meta")[ROW > 0]) == []


def test_mask_of_attention_broadcasts_against_the_scores() -> None:
    q = torch.rand(2, 3, 4, 5)
    mask = torch.ones(2, 1, 1, 4, dtype=torch.bool)
    assert reasons(lambda: F.scaled_dot_product_attention(q, q, q, mask)) == []
    assert reasons(lambda: F.scaled_dot_product_attention(q, q, q, mask), "explicit") == [
        "implicit"
    ]


def test_operations_that_torch_tags_as_pointwise_are_watched_all() -> None:
    """They are found by torch's own metadata, 281 of them in torch 2.13, and some more by name."""
    assert len(roles()) > 281 + 25
