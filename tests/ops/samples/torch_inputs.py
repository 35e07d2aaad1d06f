# SPDX-License-Identifier: Apache-2.0
"""torch's own test inputs, which come with it: samples of ops and modules, and calls that raise."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import torch

from tests.ops.samples.recording import Recorded, recorded

DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)


@cache
def ops() -> tuple[Any, ...]:
    """The entries of `op_db` that have inputs for the CPU."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    return tuple(op for op in op_db if _dtypes(op))


def name_of(op: Any) -> str:
    """An entry as the database names it: `nn_functional_pad_reflect`, with its variant."""
    return str(op.formatted_name)


def _dtypes(op: Any) -> list[torch.dtype]:
    """Those to try: all that are common, or else the first that there is."""
    supported = op.supported_dtypes("cpu")
    common = [dtype for dtype in DTYPES if dtype in supported]
    return common or sorted(supported, key=str)[:1]


def samples(
    op: Any, limit: int | None = None, dtypes: int | None = None
) -> Iterator[list[Recorded]]:
    """The calls behind each sample of an op, at most `limit` for each of the first `dtypes`."""
    with quiet():
        for dtype in _dtypes(op)[:dtypes]:
            for sample in islice(_inputs(op, dtype), limit):
                yield recorded(op.op, sample.input, *sample.args, **sample.kwargs)


def _inputs(op: Any, dtype: torch.dtype) -> Iterator[Any]:
    """As `op.sample_inputs`, which also searches the stack, for each of them, for a test case."""
    return iter(op.sample_inputs_func(op, "cpu", dtype, requires_grad=False))


def errors(op: Any) -> Iterator[tuple[str, list[Recorded]]]:
    """The calls that raise, each under a name: the op's, and a number."""
    if op.error_inputs_func is None:
        return
    with quiet():
        for at, each in enumerate(op.error_inputs_func(op, "cpu")):
            sample = each.sample_input
            calls = recorded(op.op, sample.input, *sample.args, **sample.kwargs)
            yield f"{name_of(op)} {at}", calls


@cache
def modules() -> tuple[Any, ...]:
    """The entries of `module_db`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_modules import module_db
    return tuple(module_db)


def module_inputs(module: Any, limit: int | None = None) -> Iterator[Any]:
    """What a module is made from and called with, in training and not; it holds doubles."""
    with quiet(), doubles():
        modes = (True, False) if module.train_and_eval_differ else (False,)
        settings = {"device": "cpu", "dtype": torch.float64, "requires_grad": False}
        given = [module.module_inputs_func(module, training=mode, **settings) for mode in modes]
        yield from (each for inputs in given for each in inputs[:limit])


@contextmanager
def doubles() -> Iterator[None]:
    """What has no dtype of its own is made of doubles, as in some of torch's inputs."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


class quiet(warnings.catch_warnings):  # noqa: N801 - as `catch_warnings`
    """The same values each time, and no warnings of torch's."""

    def __enter__(self) -> None:
        super().__enter__()
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        np.random.seed(0)  # noqa: NPY002 - what torch's inputs draw from
        random.seed(0)
