# SPDX-License-Identifier: Apache-2.0
"""`dry_run`: what annotations alone show of a function's broadcasts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import pytest
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody writes it

from typedtensors import BroadcastError, DryRunError, align, dry_run


def rank(pred: Float[Tensor, "batch 1"], target: Float[Tensor, "batch"]) -> Tensor:
    return (pred - target).square().mean()


def rank_fixed(pred: Float[Tensor, "batch 1"], target: Float[Tensor, "batch"]) -> Tensor:
    return (pred.squeeze(-1) - target).square().mean()


def weighted(loss: Float[Tensor, "batch time"], weight: Float[Tensor, "batch"]) -> Tensor:
    return (loss * weight).sum()


def weighted_fixed(loss: Float[Tensor, "batch time"], weight: Float[Tensor, "batch"]) -> Tensor:
    return (loss * weight[:, None]).sum()


def normed(g: Float[Tensor, "k rows columns"]) -> Tensor:
    return g / g.norm(dim=(-2, -1))


def normed_fixed(g: Float[Tensor, "k rows columns"]) -> Tensor:
    return g / g.norm(dim=(-2, -1), keepdim=True)


def masked(scores: Float[Tensor, "b 8 query key"], mask: Bool[Tensor, "b key"]) -> Tensor:
    """An explicit but wrong axis, which no guard at run time can tell if queries are the keys."""
    return scores.masked_fill(mask[:, None, :, None], -1e4)


def masked_fixed(scores: Float[Tensor, "b 8 query key"], mask: Bool[Tensor, "b key"]) -> Tensor:
    return scores.masked_fill(mask[:, None, None, :], -1e4)


def transposed(left: Float[Tensor, "b h w"], right: Float[Tensor, "b h w"]) -> Tensor:
    """The same sizes with another meaning, in data of squares."""
    return F.mse_loss(left, right.transpose(1, 2))


def transposed_fixed(left: Float[Tensor, "b h w"], right: Float[Tensor, "b h w"]) -> Tensor:
    return F.mse_loss(left, right)


def of_one(scores: Float[Tensor, "samples n"], weight: Float[Tensor, "batch n"]) -> Tensor:
    """A batch of one hides it."""
    return (scores * weight).sum()


def of_one_fixed(scores: Float[Tensor, "samples n"], weight: Float[Tensor, "batch n"]) -> Tensor:
    return (scores[:, None] * weight).sum()


BUGS = [
    (rank, "rank", ("batch 1", "batch"), "batch batch"),
    (weighted, "names", ("batch time", "batch"), "batch time"),
    (normed, "names", ("k rows columns", "k"), "k rows columns"),
    (masked, "names", ("b 8 query key", "b 1 key 1"), "b 8 query key"),
    (transposed, "names", ("b h w", "b w h"), "b h w"),
    (of_one, "names", ("samples n", "batch n"), "samples n"),
]


@pytest.mark.parametrize(
    ("bug", "reason", "names", "result"),
    [pytest.param(*each, id=each[0].__name__) for each in BUGS],
)
def test_bug_is_an_event_in_the_words_of_the_annotations(
    bug: Callable[..., Tensor], reason: str, names: tuple[str, ...], result: str
) -> None:
    (event,) = dry_run(bug, action="record").events
    assert (event.reason, event.names, event.named_result) == (reason, names, result)
    assert event.file == __file__
    assert event.line > bug.__code__.co_firstlineno
    with pytest.raises(BroadcastError):
        dry_run(bug)


@pytest.mark.parametrize(
    "fixed",
    [rank_fixed, weighted_fixed, normed_fixed, masked_fixed, transposed_fixed, of_one_fixed],
)
def test_correct_version_is_clean(fixed: Callable[..., Tensor]) -> None:
    assert dry_run(fixed).events == []


class Encoder(nn.Module):
    """Layers of which each says what one name is."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 12)
        self.position = nn.Parameter(torch.zeros(1, 40, 12))
        self.stem = nn.Conv1d(12, 6, 3, padding=1)
        self.norm = nn.BatchNorm1d(6)
        self.head = nn.Linear(6, 1)

    def forward(
        self, tokens: Int[Tensor, "batch time"], extra: Float[Tensor, "batch time width"]
    ) -> Float[Tensor, "batch 1"]:
        hidden = self.embed(tokens) + extra
        return self.head(self.norm(self.stem(hidden.transpose(1, 2))).mean(-1))


def test_sizes_that_layers_have_are_found() -> None:
    assert dry_run(Encoder()).events == []


def test_modules_are_left_as_they_were() -> None:
    net = Encoder()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    dry_run(net)
    after = net.state_dict()
    assert all(type(value) is Tensor for value in after.values())
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert net(torch.zeros(2, 5, dtype=torch.long), torch.zeros(2, 5, 12)).shape == (2, 1)


def test_bug_between_a_module_and_a_target_is_found() -> None:
    net = Encoder()

    def step(
        tokens: Int[Tensor, "b t"], extra: Float[Tensor, "b t w"], target: Float[Tensor, "b"]
    ) -> Tensor:
        return F.l1_loss(net(tokens, extra), target)

    (event,) = dry_run(step, action="record").events
    assert (event.reason, event.names) == ("loss", ("b 1", "b"))


class Pair(NamedTuple):
    """What a loader gives."""

    pred: Float[Tensor, "n 1"]
    target: Float[Tensor, "n"]


@dataclasses.dataclass
class Batch:
    """The same, as an object."""

    pairs: list[Pair]
    weight: Float[Tensor, "n"] | None = None


def test_arguments_may_hold_arrays() -> None:
    def of_tuple(pair: tuple[Float[Tensor, "n 1"], Float[Tensor, "n"]]) -> Tensor:
        return pair[0] * pair[1]

    def of_record(batch: Batch) -> Tensor:
        assert batch.weight is not None
        return batch.weight * batch.pairs[0].pred

    for each in (of_tuple, of_record):
        (event,) = dry_run(each, action="record").events
        assert event.names in {("n 1", "n"), ("n", "n 1")}


def test_arithmetic_open_and_numbered_axes_are_sizes_too() -> None:
    def padded(
        x: Float[Tensor, "*batch n d"], y: Float[Tensor, "*batch n+1 d"], z: Float[Tensor, "... 3"]
    ) -> Tensor:
        return (F.pad(x, (0, 0, 0, 1)) - y).sum() + z.sum()

    def cut(x: Float[Tensor, "b n"], y: Float[Tensor, "b n+1"]) -> Tensor:
        return x - y

    assert dry_run(padded).events == []
    (event,) = dry_run(cut, action="record").events
    assert event.names == ("b n", "b n+1")


def test_dims_of_the_object_are_read() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.width = 5
            self.scale = nn.Parameter(torch.ones(5))

        def forward(self, x: Float[Tensor, "batch {self.width}"]) -> Tensor:
            return x * self.scale

    assert dry_run(Scaled()).events == []


def test_helpers_are_meant_at_every_level() -> None:
    def aligned(x: Float[Tensor, "b t d"], weight: Float[Tensor, "t"]) -> Tensor:
        return x * align(weight, "t", to="b t d")

    assert dry_run(aligned, "explicit").events == []


def test_levels_and_comments_hold_as_under_a_guard() -> None:
    def outer(x: Float[Tensor, "n"], y: Float[Tensor, "m"]) -> Tensor:
        return x[:, None] * y

    def accepted(x: Float[Tensor, "n 1"], y: Float[Tensor, "n"]) -> Tensor:
        return x - y  # broadcast: ok

    assert dry_run(outer).events == []
    assert [each.reason for each in dry_run(outer, "explicit", "record").events] == ["implicit"]
    assert dry_run(rank, "allow").events == []
    assert dry_run(accepted).events == []


def test_given_values_stand_for_what_annotations_do_not_tell() -> None:
    def scaled(x: Float[Tensor, "b d"], factor) -> Tensor:  # type: ignore[no-untyped-def] # noqa: ANN001
        return x * factor

    with pytest.raises(DryRunError, match=r"`factor` has no annotation; fix: .*given="):
        dry_run(scaled)
    assert dry_run(scaled, given={"factor": 0.5}).events == []


def split(x: Float[Tensor, "b t d"], heads: int = 8) -> Tensor:
    return x.view(*x.shape[:-1], heads, x.shape[-1] // heads)


def test_sizes_can_be_said_where_not_any_will_do() -> None:
    with pytest.raises(DryRunError, match=r"shape '\[b, t, 8, \(d//8\)\]' is invalid.*sizes="):
        dry_run(split)
    assert dry_run(split, sizes={"d": 64}).events == []


def unshaped(x: Tensor) -> Tensor:
    return x


def unannotated(x=None):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    return x


def branching(x: Float[Tensor, "b d"]) -> Tensor:
    return x if x.sum() > 0 else -x


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (unshaped, "`x` is annotated without a shape"),
        (unannotated, "no argument is annotated with a shape"),
        (branching, r"`return x if x.sum\(\) > 0 else -x`.*depends on values"),
    ],
)
def test_error_says_what_a_dry_run_lacks(function: Callable[..., Tensor], said: str) -> None:
    with pytest.raises(DryRunError, match=said):
        dry_run(function)


def test_guards_that_are_off_make_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPEDTENSORS_GUARD", "off")
    assert dry_run(rank).events == []
