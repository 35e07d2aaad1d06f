# SPDX-License-Identifier: Apache-2.0
"""Rows that belong to the columns they meet, for one op made both."""

from __future__ import annotations

import torch

from typedtensors.guard import (
    guard,
)


def test_values_belong_to_the_columns_of_their_own_eigenvectors_only() -> None:
    values, vectors = torch.linalg.eigh(torch.eye(4))
    others, rows = torch.linalg.eigh(torch.ones(4, 4))[1], vectors.mT
    with guard(action="record") as report:
        vectors * values
        others * values
        rows * values
        torch.tril(vectors) * values
        vectors * values.cumsum(0)
    found = [event.expression for event in report.events]
    assert found == [
        "others * values",
        "rows * values",
        "torch.tril(vectors) * values",
        "vectors * values.cumsum(0)",
    ]


def test_what_a_reduction_of_the_first_axes_leaves_belongs_to_the_last_ones() -> None:
    x, stack = torch.eye(4), torch.ones(4, 4, 4)
    eps = 1e-5
    with guard(action="record") as report:
        mean, variance = x.mean(0), torch.var(x, dim=0)
        (x - mean) / torch.sqrt(variance + eps)
        (x - x.mean(dim=0)) / (x.std(0) + 1e-5)
        x - x.max(0).values, x - x.median(0)[0], x / x.norm(dim=0)
        stack - stack.mean((0, 1))
        x - x.mean(1)
        x / x.sum(-1)
        stack - stack.mean((0, 2))
        stack + (x - x.mean(0)).sum(1)
    found = [event.expression for event in report.events]
    assert found == [
        "x - x.mean(1)",
        "x / x.sum(-1)",
        "stack - stack.mean((0, 2))",
        "stack + (x - x.mean(0)).sum(1)",
    ]


def test_embedding_of_the_positions_along_a_later_axis_belongs_to_the_last_ones() -> None:
    words, places = torch.nn.Embedding(9, 4), torch.nn.Embedding(9, 4)
    ids = torch.ones(6, 6, dtype=torch.long)
    batch, length = ids.shape
    positions = torch.arange(length, device=ids.device)
    embedded = places(positions)
    with guard(action="record") as report:
        words(ids) + places(torch.arange(ids.shape[1]))
        words(ids) + places(torch.arange(0, ids.size(-1)))
        words(ids) + embedded
        words(ids) + places(torch.arange(batch))
        words(ids) + places(torch.arange(ids.shape[0]))
        words(ids) + places(torch.arange(6))
    found = [event.expression for event in report.events]
    assert found == [
        "words(ids) + places(torch.arange(batch))",
        "words(ids) + places(torch.arange(ids.shape[0]))",
        "words(ids) + places(torch.arange(6))",
    ]
