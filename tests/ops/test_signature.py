# SPDX-License-Identifier: Apache-2.0
"""Signatures: one line says what an op wants and gives."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.dims import Dim, Facts
from typedtensors.ops import Call, Conflicting, Undetermined, Unknown
from typedtensors.ops.call import Framework
from typedtensors.ops.signature import Signature, results
from typedtensors.shapes import DType, Shape, SpecError, Tensor, parse_spec


def shapes_of(sig: str, *sources: str, facts: Facts | None = None) -> tuple[list[str], Facts]:
    names = tuple("xyz"[: len(sources)])
    arrays = {name: Tensor(parse_spec(s).shape()) for name, s in zip(names, sources, strict=True)}
    call = Call("torch.mine", arrays, facts=facts or Facts())
    found = results(call, Signature.parse(sig), names)
    return [each.shape.text for each in found], call.facts


@pytest.mark.parametrize(
    ("sig", "sources", "expected"),
    [
        pytest.param("m k, k n -> m n", ("a b", "b c"), ["a c"], id="names are the signature's"),
        pytest.param("n, n -> ", ("3", "3"), [""], id="no axes are left"),
        pytest.param("*b n n -> *b n, *b n n", ("2 4 4",), ["2 4", "2 4 4"], id="two results"),
        pytest.param("*b n -> *b 2*n", ("*batch d",), ["*batch 2*d"], id="arithmetic"),
        pytest.param("b 3 -> b", ("k 3",), ["k"], id="a fixed size"),
    ],
)
def test_results_are_written_with_the_callers_dims(sig: str, sources: Any, expected: Any) -> None:
    assert shapes_of(sig, *sources)[0] == expected


def test_a_repeated_name_is_one_size() -> None:
    with pytest.raises(Conflicting) as raised:
        shapes_of("m k, k n -> m n", "a b", "c d")
    assert raised.value.diagnostic.text == (
        "argument `y` of `mine`: axis 0 is c, expected b from axis 1 of `x`"
    )


def test_the_number_of_axes_counts() -> None:
    with pytest.raises(Conflicting, match=r"argument `x` of `mine`: 3 axes"):
        shapes_of("m k, k n -> m n", "b m k", "k n")


def test_sizes_that_are_computed_are_learned() -> None:
    opaque = Dim.opaque("self.d")
    array = Tensor(parse_spec("b {self.d}").shape(lambda _text: opaque))
    call = Call("torch.mine", {"x": array, "y": Tensor(parse_spec("k n").shape())})
    results(call, Signature.parse("m k, k n -> m n"), ("x", "y"))
    assert call.facts.resolve(opaque) == Dim.name("k")


def test_an_argument_that_is_not_known_leaves_the_result_open_where_it_may_be_no_array() -> None:
    call = Call("numpy.mine", {"x": Unknown("a setting")}, framework=Framework.NUMPY)
    with pytest.raises(Undetermined, match="a setting"):
        results(call, Signature.parse("n -> n"), ("x",))


def test_an_argument_that_is_not_known_is_some_array_where_nothing_else_is_taken() -> None:
    call = Call("torch.mine", {"x": Unknown("a setting")})
    (found,) = results(call, Signature.parse("n 3 -> 3"), ("x",))
    assert found.shape == Shape.of(3)


def test_dtypes_are_promoted() -> None:
    dtypes = DType.named("Float32"), DType.named("Float64")
    spec = parse_spec("n").shape()
    arrays = {name: Tensor(spec, dtype) for name, dtype in zip("xy", dtypes, strict=True)}
    call = Call("torch.mine", arrays)
    (found,) = results(call, Signature.parse("n, n -> n"), ("x", "y"))
    assert found.dtype.text == "Float64"


def test_a_signature_is_written_in_the_grammar_of_annotations() -> None:
    with pytest.raises(SpecError):
        Signature.parse("m, *k *n -> m")
