# SPDX-License-Identifier: Apache-2.0
"""Elementwise ops: what broadcasts, what is recorded for the policy, what an op in place keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from typedtensors.dims import Dim, Facts
from typedtensors.ops import Conflict, Known, Outcome, Unknown, lookup
from typedtensors.shapes import Axis, DType, Intent, Shape, Tensor


def evaluate(op: str, *args: Any, **kwargs: Any) -> Outcome:
    rule = lookup(op)
    assert rule is not None, op
    return rule.evaluate(op, args, kwargs, Facts())


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        pytest.param("b n", "n", "b n", id="a suffix"),
        pytest.param("n 1", "n", "n n", id="the bug is a legal shape"),
        pytest.param("b n", "b", "tensor-shape", id="two names meet"),
        pytest.param("b n", "3", "tensor-shape", id="a name meets a literal"),
        pytest.param("*batch n", "n", "*batch n", id="a named run survives"),
        pytest.param("*batch n", "*batch 1", "*batch n", id="the same run on both sides"),
        pytest.param("... n", "b 1", "... b n", id="the tail of unknown axes is known"),
        pytest.param("#b n", "b n", "b n", id="a flexible axis becomes what it meets"),
        pytest.param("b self.d", "b n", "b n", id="a computed size gives way to a name"),
    ],
)
def test_operands_broadcast(call: Any, left: str, right: str, expected: str) -> None:
    assert call("torch.Tensor.__sub__", call.array(left), call.array(right)) == expected


def test_a_conflict_names_the_two_dims(call: Any) -> None:
    found = call.outcome("torch.Tensor.__radd__", call.array("b n"), call.array("b"))
    assert found.text == "`+`: (b, n) and (b,) do not broadcast, n meets b"


def test_a_number_fits_every_shape(call: Any) -> None:
    assert call("torch.Tensor.__rsub__", call.array("b n"), 1) == "b n"


def test_an_operand_of_which_nothing_is_known_leaves_the_tail(call: Any) -> None:
    unknown = Unknown("a value that is not followed")
    assert call("torch.Tensor.__mul__", call.array("b n"), unknown) == "... b n"


def test_what_is_computed_learns_from_what_it_meets(call: Any) -> None:
    call("torch.add", call.array("b self.d"), call.array("b n"))
    assert call.same("self.d", "n")


def test_a_weight_teaches_the_size_of_what_it_scales(call: Any) -> None:
    weight = replace(call.array("768"), parameter=True)
    assert call("torch.mul", call.array("b t d"), weight) == "b t 768"
    assert call.same("d", "768")
    assert call("torch.mul", call.array("b t 3"), weight) == "tensor-shape"


def test_a_view_of_a_weight_teaches_as_the_weight_does(call: Any) -> None:
    weight = call.outcome("torch.Tensor.view", replace(call.array("3"), parameter=True), 1, 3, 1, 1)
    assert call("torch.mul", call.array("b c h w"), weight) == "b 3 h w"
    scaled = call.outcome("torch.mul", weight, 2)
    assert not scaled.parameter


def test_a_broadcast_is_recorded_when_shapes_differ() -> None:
    arrays = Tensor(Shape.of("n", 1)), Tensor(Shape.of("n"))
    outcome = evaluate("torch.sub", *arrays)
    assert isinstance(outcome, Known)
    (broadcast,) = outcome.broadcasts
    assert broadcast.operands == {"input": arrays[0], "other": arrays[1]}
    assert broadcast.result.shape == Shape.of("n", "n")
    assert broadcast.compared == ()


def test_equal_shapes_and_numbers_record_nothing() -> None:
    array = Tensor(Shape.of("b", "n"))
    for other in (array, Dim.of(2), 0.5):
        outcome = evaluate("torch.mul", array, other)
        assert isinstance(outcome, Known)
        assert outcome.broadcasts == ()


def test_an_axis_keeps_the_intent_behind_its_size() -> None:
    column = Tensor(Shape((Axis(Dim.name("n")), Axis(Dim.of(1), intent=Intent.KEEPDIM))))
    outcome = evaluate("torch.exp", column)
    assert isinstance(outcome, Known)
    assert isinstance(outcome.value, Tensor)
    assert outcome.value.shape.fixed is not None
    assert outcome.value.shape.fixed[1].intent is Intent.KEEPDIM


@pytest.mark.parametrize("op", ["torch.Tensor.add_", "torch.Tensor.__iadd__"])
def test_an_op_in_place_keeps_the_shape_it_writes(call: Any, op: str) -> None:
    assert call(op, call.array("b n"), call.array("n")) == "b n"
    assert call(op, call.array("n"), call.array("b n")) == "tensor-shape"
    assert call(op, call.array("b 1"), call.array("b n")) == "tensor-shape"


def test_a_float_cannot_be_written_into_integers() -> None:
    whole = Tensor(Shape.of("n"), DType.named("Int64"))
    outcome = evaluate("torch.Tensor.__imul__", whole, 0.5)
    assert isinstance(outcome, Conflict)
    assert outcome.diagnostic.text == "`*` in place: dtype is float, expected int64"


@pytest.mark.parametrize(
    ("op", "left", "right", "expected"),
    [
        pytest.param("torch.add", "Float32", "Int64", "Float32", id="a float wins"),
        pytest.param("torch.add", "Float16", "BFloat16", "Float32", id="two halves"),
        pytest.param("torch.div", "Float32", "Float64", "Float64", id="the wider one"),
        pytest.param("torch.eq", "Float32", "Int64", "Bool", id="a comparison"),
        pytest.param("torch.where", "Bool", "Int64", "Int64", id="the condition has no part"),
        pytest.param("numpy.add", "Float32", "Int64", "Float64", id="NumPy keeps every integer"),
        pytest.param("torch.add", "Float", "Int", "Float", id="kinds"),
    ],
)
def test_dtypes_promote_as_the_framework_does(
    op: str, left: str, right: str, expected: str
) -> None:
    arrays = [Tensor(Shape.of("n"), DType.named(name)) for name in (left, right)]
    outcome = evaluate(op, *arrays, *(arrays[1:] if op == "torch.where" else ()))
    assert isinstance(outcome, Known)
    assert isinstance(outcome.value, Tensor)
    assert outcome.value.dtype.text == expected


def test_an_array_without_axes_lends_its_kind_only() -> None:
    half, scalar = DType.named("Float16"), DType.named("Float64")
    outcome = evaluate("torch.add", Tensor(Shape.of("n"), half), Tensor(Shape(()), scalar))
    assert isinstance(outcome, Known)
    assert isinstance(outcome.value, Tensor)
    assert outcome.value.dtype == half
