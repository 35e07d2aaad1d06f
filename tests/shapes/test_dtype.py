# SPDX-License-Identifier: Apache-2.0
"""Element types: jaxtyping's names for them, and when two cannot be the same."""

from __future__ import annotations

import jaxtyping
import pytest

from typedtensors.shapes import ANY, DType
from typedtensors.shapes.dtype import NAMED, Number

_JAXTYPING = {
    name: value
    for name, value in vars(jaxtyping).items()
    if isinstance(value, type)
    and issubclass(value, jaxtyping.AbstractDtype)
    and value is not jaxtyping.AbstractDtype
}


def test_every_dtype_of_jaxtyping_has_its_name() -> None:
    assert set(_JAXTYPING) <= set(NAMED)


@pytest.mark.parametrize("name", sorted(set(_JAXTYPING) - {"Shaped"}))
def test_a_name_allows_the_element_types_that_jaxtyping_allows(name: str) -> None:
    allowed = {"bool" if dtype == "bool_" else dtype for dtype in _JAXTYPING[name].dtypes}
    assert DType.named(name).names == allowed


def test_shaped_allows_anything() -> None:
    assert DType.named("Shaped") == ANY


def test_a_dtype_class_of_the_users_own_may_be_anything() -> None:
    assert DType.named("UInt8or16") == ANY


def test_the_old_name_of_bool_is_bool() -> None:
    assert DType.exactly("bool_") == DType.named("Bool")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Float", "Int"),
        ("Bool", "Float32"),
        ("Int64", "Complex64"),
        ("Num", "Bool"),
        ("Float32", "Float64"),
        ("UInt8", "Int8"),
    ],
)
def test_kinds_of_number_and_exact_precisions_conflict(left: str, right: str) -> None:
    assert DType.named(left).conflicts(DType.named(right))
    assert DType.named(right).conflicts(DType.named(left))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Float", "Float32"),
        ("Int", "UInt8"),
        ("Int", "UInt"),
        ("Num", "Float"),
        ("Real", "Int8"),
        ("Shaped", "Bool"),
        ("Key", "Float"),
        ("Float32", "Float32"),
    ],
)
def test_what_may_be_the_same_does_not_conflict(left: str, right: str) -> None:
    assert not DType.named(left).conflicts(DType.named(right))
    assert not DType.named(right).conflicts(DType.named(left))


def test_precisions_do_not_conflict_where_they_may_be_cast() -> None:
    assert not DType.named("Float32").conflicts(DType.named("Float16"), precision=False)
    assert DType.named("Float32").conflicts(DType.named("Int64"), precision=False)


@pytest.mark.parametrize("name", ["complex32", "float8_e8m0fnu", "uint1"])
def test_element_types_that_jaxtyping_lacks_have_their_kind(name: str) -> None:
    assert DType.exactly(name).numbers is not None


@pytest.mark.parametrize("name", ["quint8", "prng_key", "object_", "interval"])
def test_what_is_no_number_has_no_kind(name: str) -> None:
    assert DType.exactly(name).numbers is None


def test_a_union_holds_what_either_holds_and_an_intersection_what_both_do() -> None:
    ints, floats = DType.named("Int"), DType.named("Float")
    assert ints.union(floats).numbers == {Number.INT, Number.FLOAT}
    assert ints.union(ANY) == ANY
    assert DType.named("Real").intersection(floats) == floats
    assert ANY.intersection(floats) == floats.intersection(ANY) == floats
    assert ints.intersection(floats).names == frozenset()


@pytest.mark.parametrize("name", sorted(NAMED))
def test_the_text_of_a_named_dtype_is_its_name(name: str) -> None:
    assert DType.named(name).text == name


def test_the_text_is_the_narrowest_name_that_allows_all() -> None:
    assert DType(frozenset({"float32", "float64"})).text == "Float"
    assert DType(frozenset({"uint8", "int64"})).text == "Integer"
    assert DType(frozenset({"bool", "float32"})).text == "Shaped"
