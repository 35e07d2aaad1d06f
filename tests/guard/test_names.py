# SPDX-License-Identifier: Apache-2.0
"""Within checked functions a guard knows axes by name, and what becomes of the names."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Iterator

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn

from typedtensors import align, check, matches, typechecked
from typedtensors.guard import BroadcastError, Report, guard

N = 4


def square() -> Tensor:
    return torch.rand(N, N)


@typechecked
def loss(pred: Float[Tensor, "n"], target: Float[Tensor, "m"]) -> Tensor:
    return (pred - target).square().mean()


def found(function: Callable[..., object], *args: object) -> list[tuple[str, str | None]]:
    """The reason and the expression of each event of a call."""
    with guard(action="record") as report:
        function(*args)
    return [(event.reason, event.expression) for event in report.events]


def test_two_names_on_one_axis_are_told_though_sizes_agree() -> None:
    with guard(), pytest.raises(BroadcastError) as caught:
        loss(torch.ones(N), torch.ones(N))
    event = caught.value.event
    assert (event.reason, event.shapes, event.names) == ("names", ((N,), (N,)), ("n", "m"))
    assert "`pred - target` broadcasts (n,) and (m,) to (4,) (names)" in str(event)


def test_batch_of_one_hides_nothing() -> None:
    assert found(loss, torch.ones(1), torch.ones(N)) == [("names", "pred - target")]


def test_sizes_that_differ_are_torch_s_own_error() -> None:
    with guard(), pytest.raises(RuntimeError, match="must match the size"):
        loss(torch.ones(N), torch.ones(N + 1))


def test_without_a_guard_or_a_check_nothing_is_known_of_names() -> None:
    loss(torch.ones(N), torch.ones(N))
    assert found(lambda: torch.ones(N) - torch.ones(N)) == []


def test_names_go_where_operations_take_them() -> None:
    @typechecked
    def body(x: Float[Tensor, "b d"], y: Float[Tensor, "c d"]) -> None:
        x.relu().mean(-1) - (2 * y).sum(1)
        torch.cat([x, x]).unbind(1)[0] * 2
        x.T + y.mT
        x.max(dim=1).values / y[:, 0]
        torch.nn.functional.softmax(x, 0) @ y.mT
        x.mean(0) + y.mean(0)

    assert found(body, square(), square()) == [
        ("names", "x.relu().mean(-1) - (2 * y).sum(1)"),
        ("names", "x.T + y.mT"),
        ("names", "x.max(dim=1).values / y[:, 0]"),
    ]


def test_names_settle_what_equal_sizes_leave_open() -> None:
    @typechecked
    def body(x: Float[Tensor, "b d"], row: Float[Tensor, "d"], column: Float[Tensor, "b"]) -> None:
        x / row
        x / x.sum(0)
        x / column
        x.mT / row

    assert found(body, square(), torch.ones(N), torch.ones(N)) == [
        ("names", "x / column"),
        ("names", "x.mT / row"),
    ]


def test_name_that_is_1_in_this_call_meets_a_1_without_a_broadcast() -> None:
    @typechecked
    def body(x: Float[Tensor, "b heads"]) -> Tensor:
        return x - torch.zeros(3, 1)

    with guard("explicit") as report:
        body(torch.ones(3, 1))
    assert report.events == []


def test_one_name_for_both_axes_leaves_it_open() -> None:
    @typechecked
    def body(x: Float[Tensor, "n n"], row: Float[Tensor, "n"]) -> Tensor:
        return x / row

    assert found(body, square(), torch.ones(N)) == [("ambiguous", "x / row")]


def test_what_has_no_name_goes_with_any() -> None:
    layer = nn.Linear(N, N)

    @typechecked
    def body(x: Float[Tensor, "b d"], y: Float[Tensor, "b _"], z: Float[Tensor, "..."]) -> None:
        x + y
        x + z
        layer(x) + y
        x + torch.ones(N, N)
        x.reshape(N, N) + x.view(-1, N).T
        x + torch.ones(1, N)

    assert found(body, square(), square(), square()) == []


def test_tensor_that_is_turned_in_place_has_other_names_or_none() -> None:
    @typechecked
    def body(x: Float[Tensor, "b d"], y: Float[Tensor, "b d"]) -> None:
        known, unknown = x.clone(), x.clone()
        known.swapaxes_(0, 1)
        known.mT + y
        known + y
        unknown.as_strided_((N, N), (1, N))
        unknown + y

    assert found(body, square(), square()) == [("names", "known + y")]


def test_caller_knows_what_a_checked_function_returned() -> None:
    @typechecked
    def inner(a: Float[Tensor, "rows columns"]) -> Float[Tensor, "rows columns"]:
        return a.relu() + 1

    @typechecked
    def outer(x: Float[Tensor, "b d"], y: Float[Tensor, "c d"]) -> Tensor:
        return inner(inner(x)) + y

    assert found(outer, square(), square()) == [("names", "inner(inner(x)) + y")]


def test_each_call_has_names_of_its_own() -> None:
    @typechecked
    def inner(x: Float[Tensor, "n"], y: Float[Tensor, "n"]) -> Tensor:
        return x - y

    @typechecked
    def outer(x: Float[Tensor, "n"]) -> Tensor:
        return inner(x, torch.ones(len(x))) + x

    with guard():
        for size in (3, 5):
            outer(torch.ones(size))


def test_checks_within_the_body_keep_the_names() -> None:
    @typechecked
    def body(x: Float[Tensor, "b d"], y: Float[Tensor, "c d"]) -> Tensor:
        assert matches(x, Float[Tensor, "b d"])
        assert not matches(x, Float[Tensor, "b 99"])
        return check(x, Float[Tensor, "b d"]) + y

    assert [reason for reason, _ in found(body, square(), square())] == ["names"]


def test_methods_generators_and_elements_of_lists_have_names() -> None:
    class Model(nn.Module):
        @typechecked
        def forward(self, x: Float[Tensor, "b d"], *ys: Float[Tensor, "c d"]) -> Tensor:
            return x + ys[0]

    @typechecked
    def each(xs: list[Float[Tensor, "b d"]], y: Float[Tensor, "c d"]) -> Iterator[Tensor]:
        yield xs[0] + 1
        yield xs[0] + y

    assert found(Model(), square(), square()) == [("names", "x + ys[0]")]
    assert found(lambda: list(each([square()], square()))) == [("names", "xs[0] + y")]


def test_broadcast_by_name_or_with_a_comment_is_accepted() -> None:
    @typechecked
    def body(x: Float[Tensor, "b d"], y: Float[Tensor, "c d"]) -> None:
        x + y  # broadcast: ok
        align(x, "b d", to="b c d") + align(y, "c d", to="b c d")

    assert found(body, square(), square()) == []


def test_sizes_that_the_function_compares_may_be_equal() -> None:
    @typechecked
    def asserted(x: Float[Tensor, "b d"], y: Float[Tensor, "c d"]) -> Tensor:
        assert x.shape == y.shape
        return x + y

    @typechecked
    def refused(x: Float[Tensor, "b d"], y: Float[Tensor, "c d"]) -> Tensor:
        b, c = x.shape[0], len(y)
        if b != c:
            raise ValueError
        return x + y

    @typechecked
    def late(x: Float[Tensor, "b d"], y: Float[Tensor, "c d"]) -> Tensor:
        z = x + y
        assert z.shape == y.shape
        return z

    assert [found(f, square(), square()) for f in (asserted, refused)] == [[], []]
    assert found(late, square(), square()) == [("names", "x + y")]


def test_compiled_code_is_left_alone() -> None:
    compiled = torch.compile(loss, backend="eager", fullgraph=True)
    assert found(compiled, torch.ones(N), torch.ones(N)) == []
    torch.compiler.reset()


def test_arguments_of_an_ended_call_are_let_go() -> None:
    x = torch.ones(N)
    gone = weakref.ref(x)
    with guard(action="record"):
        loss(x, torch.ones(N))
        del x
        torch.ones(1) + 1
        assert gone() is None


class TestSummary:
    """What a run cannot tell apart, it says."""

    def report(self, *sizes: tuple[int, int]) -> Report:
        @typechecked
        def f(x: Float[Tensor, "batch width"], y: Float[Tensor, "3"]) -> Tensor:
            return x.sum() + y.sum()

        with guard(action="record") as report:
            for size in sizes:
                f(torch.ones(size), torch.ones(3))
        return report

    def test_dims_of_equal_sizes_in_every_call_are_named(self) -> None:
        report = self.report((3, 3), (4, 4))
        (equal,) = report.equal_sizes
        assert (equal.names, equal.size) == (("batch", "width"), 4)
        assert "`batch` and `width` had equal sizes in every call" in str(report)
        assert "use distinct sizes" in str(report)

    def test_one_call_that_tells_them_apart_is_enough(self) -> None:
        for sizes in (((3, 3), (4, 5)), ((4, 5), (3, 3))):
            assert self.report(*sizes).equal_sizes == ()

    def test_report_can_be_written_as_json(self) -> None:
        with guard(action="record") as report:
            torch.ones(4, 1) - torch.ones(4)
        (event,) = json.loads(json.dumps(report.as_json()))["events"]
        assert (event["reason"], event["times"]) == ("rank", 1)
