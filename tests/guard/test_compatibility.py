# SPDX-License-Identifier: Apache-2.0
"""The guard beside what training code does with torch: it sees the same bug, at the same place.

What torch traces is in `test_compile.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses import FakeTensorMode
from torch.nn.parallel import DistributedDataParallel
from torch.overrides import _get_current_function_mode
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Dataset

from typedtensors.guard import BroadcastError, guard, guard_worker

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
COLUMN, ROW = torch.ones(4, 1), torch.ones(4)


class Tagged(Tensor):
    """A subclass that adds nothing."""


def loss(column: Tensor, row: Tensor) -> Tensor:
    """A loss with the bug in its second line."""
    error = column - row
    return error.square().mean()


def under_autocast() -> Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return loss(COLUMN, ROW)


def in_inference_mode() -> Tensor:
    with torch.inference_mode():
        return loss(COLUMN, ROW)


def in_vmap() -> Tensor:
    return torch.func.vmap(loss, in_dims=(0, None))(torch.ones(3, 4, 1), ROW)


def in_grad() -> Tensor:
    return torch.func.grad(loss)(COLUMN, ROW)


def checkpointed(*, use_reentrant: bool) -> Tensor:
    column = torch.ones(4, 1, requires_grad=True)
    result = checkpoint(loss, column, ROW, use_reentrant=use_reentrant)
    result.backward()
    return result


def on_fake_tensors() -> Tensor:
    with FakeTensorMode():
        return loss(torch.ones(4, 1), torch.ones(4))


def on_a_subclass() -> Tensor:
    return loss(COLUMN.as_subclass(Tagged), ROW)


@pytest.mark.parametrize(
    "run",
    [
        under_autocast,
        in_inference_mode,
        in_vmap,
        in_grad,
        pytest.param(lambda: checkpointed(use_reentrant=True), id="checkpointed, reentrant"),
        pytest.param(lambda: checkpointed(use_reentrant=False), id="checkpointed"),
        on_fake_tensors,
        on_a_subclass,
    ],
)
def test_bug_is_seen_once_and_at_its_place(run: Callable[[], object]) -> None:
    with guard(action="record") as report:
        run()
    (event,) = report.events
    assert (event.reason, event.expression) == ("rank", "column - row")
    assert (event.file, event.line) == (__file__, loss.__code__.co_firstlineno + 2)
    with guard(), pytest.raises(BroadcastError):
        run()
    assert _get_current_function_mode() is None


class Careless(torch.autograd.Function):
    """Its backward broadcasts what its author knows best."""

    @staticmethod
    def forward(_: object, x: Tensor) -> Tensor:
        return x.clone()

    @staticmethod
    def backward(_: object, gradient: Tensor) -> Tensor:
        COLUMN - ROW
        return gradient


def by_function(result: Tensor) -> None:
    torch.autograd.backward(result)


def by_gradient(result: Tensor) -> None:
    torch.autograd.grad(result, result)


@pytest.mark.parametrize("run", [Tensor.backward, by_function, by_gradient])
def test_backward_pass_is_not_watched(run: Callable[[Tensor], None]) -> None:
    x = torch.ones(3, requires_grad=True)
    with guard(action="record") as report:
        result = Careless.apply(x).sum()  # type: ignore[no-untyped-call]
        run(result)
    assert report.events == []


def test_scripted_code_is_not_watched() -> None:
    scripted = torch.jit.script(loss)
    with guard(action="record") as report:
        scripted(COLUMN, ROW)
    assert report.events == []


def test_thread_is_guarded_by_a_guard_of_its_own() -> None:
    caught: list[BroadcastError] = []

    def work() -> None:
        try:
            with guard():
                loss(COLUMN, ROW)
        except BroadcastError as error:
            caught.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    with guard() as report:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (len(caught), report.events) == (4, [])


def test_threads_that_are_started_inside_are_guarded_if_asked_for() -> None:
    with guard(action="record", threads=True) as report:
        with ThreadPoolExecutor(2) as pool:
            shapes = list(pool.map(loss, [COLUMN] * 4, [ROW] * 4))

        def start_another() -> None:
            inner = threading.Thread(target=loss, args=(ROW, COLUMN))
            inner.start()
            inner.join()

        outer = threading.Thread(target=start_another)
        outer.start()
        outer.join()
    assert len(shapes) == 4
    assert [(event.shapes, report.times(event)) for event in report.events] == [
        (((4, 1), (4,)), 4),
        (((4,), (4, 1)), 1),
    ]


def test_error_in_a_guarded_thread_comes_out_of_its_future() -> None:
    with guard(threads=True), ThreadPoolExecutor(1) as pool:
        future = pool.submit(loss, COLUMN, ROW)
        assert isinstance(future.exception(), BroadcastError)


def test_thread_that_outlives_the_guard_is_left_in_peace() -> None:
    own = threading.Thread.start
    with ThreadPoolExecutor(1) as pool:
        with guard(threads=True) as report:
            pool.submit(int).result()
        assert pool.submit(loss, COLUMN, ROW).result().dim() == 0
    assert report.events == []
    assert threading.Thread.start is own


def test_guard_can_be_entered_again_while_it_is_active() -> None:
    again = guard(action="record")

    @again
    def recursive(depth: int) -> Tensor:
        return loss(COLUMN, ROW) if depth == 0 else recursive(depth - 1)

    with again as report, again:
        recursive(2)
        loss(COLUMN, ROW)
    (event,) = report.events
    assert report.times(event) == 2
    assert _get_current_function_mode() is None


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, BroadcastError])
def test_exception_takes_every_nested_guard_off(error: type[BaseException]) -> None:
    def fails() -> None:
        if error is BroadcastError:
            loss(COLUMN, ROW)
        raise error

    with guard(action="record") as outer:
        with pytest.raises(error), guard(), guard("suspicious"):
            fails()
        loss(COLUMN, ROW)
    assert len(outer.events) == 1
    assert _get_current_function_mode() is None


def test_tasks_are_seen_by_the_guard_around_their_loop() -> None:
    async def step() -> Tensor:
        await asyncio.sleep(0)
        return loss(COLUMN, ROW)

    async def both() -> None:
        await asyncio.gather(step(), step())

    with guard(action="record") as report:
        asyncio.run(both())
    (event,) = report.events
    assert report.times(event) == 2


def test_guards_that_tasks_leave_in_turn_are_gone_in_the_end() -> None:
    """A guard belongs to a thread: one that is held over an `await` may miss, but does no harm."""

    async def step(wait: float) -> None:
        with contextlib.suppress(BroadcastError), guard():
            await asyncio.sleep(wait)
            loss(ROW, ROW)

    async def both() -> None:
        await asyncio.gather(step(0.0), step(0.01))

    asyncio.run(both())
    assert _get_current_function_mode() is None
    with guard(), pytest.raises(BroadcastError):
        loss(COLUMN, ROW)


class Rows(Dataset[Tensor]):
    """Computes each row, with the bug."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Tensor:
        return loss(COLUMN, ROW) + index


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_worker_of_a_data_loader_raises_what_its_guard_raises(start: str) -> None:
    plain = DataLoader(Rows(), num_workers=1, multiprocessing_context=start)
    watched = DataLoader(
        Rows(), num_workers=1, multiprocessing_context=start, worker_init_fn=guard_worker
    )
    with guard(action="record") as report:
        assert len(list(plain)) == 2
        with pytest.raises(RuntimeError, match="BroadcastError"):
            list(watched)
    assert report.events == []


def distributed(rank: int, store: str) -> None:
    """One of two processes: a training step that is fine, and one that is not."""
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=2
    )
    net = DistributedDataParallel(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.ones(4, 3), torch.ones(4)
    with guard() as report:
        (net(x).squeeze(-1) - y).square().mean().backward()
        optimizer.step()
        with pytest.raises(BroadcastError):
            net(x) - y
    assert len(report.events) == 1
    torch.distributed.destroy_process_group()


@pytest.mark.slow
def test_two_processes_that_train_one_model(tmp_path: Path) -> None:
    torch.multiprocessing.spawn(distributed, args=(str(tmp_path / "store"),), nprocs=2)
