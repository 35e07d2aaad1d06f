# SPDX-License-Identifier: Apache-2.0
"""What is known of a value that came from either of two branches."""

from __future__ import annotations

import pytest

from typedtensors.dims import Dim
from typedtensors.ops import Framework, Unknown
from typedtensors.shapes import ANY, Axis, DType, Intent, Shape, Tensor
from typedtensors_mypy.interpreter.joins import join
from typedtensors_mypy.interpreter.state import State, join_states
from typedtensors_mypy.interpreter.values import (
    Either,
    Foreign,
    Items,
    Keyed,
    Stream,
    either,
    of_framework,
    options,
    present,
)

N, M = Dim.name("n"), Dim.name("m")


def array(*sizes: int | str) -> Tensor:
    return Tensor(Shape.of(*sizes))


def test_equal_shapes_stay() -> None:
    assert join(array("n", 3), array("n", 3)) == array("n", 3)


def test_axes_that_differ_are_some_size_that_no_name_has() -> None:
    joined = join(array("n", 3), array("n", 4))
    assert isinstance(joined, Tensor)
    first, second = joined.shape.fixed or ()
    assert first.dim == N
    assert not second.dim.declared


@pytest.mark.parametrize("order", [1, -1], ids=["one-first", "one-last"])
def test_an_axis_that_is_one_in_a_branch_may_be_one(order: int) -> None:
    joined = join(*[array("n", 1), array("n", "m")][::order])
    assert isinstance(joined, Tensor)
    assert joined.shape.axes[1] == Axis(M, flexible=True)


def test_an_intent_of_either_branch_is_kept() -> None:
    asked = Tensor(Shape((Axis(Dim.of(1), intent=Intent.UNSQUEEZE),)))
    for joined in (join(asked, array(1)), join(array(1), asked)):
        assert isinstance(joined, Tensor)
        assert joined.shape.prefix[0].intent is Intent.UNSQUEEZE


def test_ranks_that_differ_leave_nothing() -> None:
    joined = join(array("n"), array("n", "m"))
    assert isinstance(joined, Tensor)
    assert joined.shape.rank is None


def test_dtypes_are_united() -> None:
    left = Tensor(Shape.of(2), DType.exactly("float32"))
    right = Tensor(Shape.of(2), DType.exactly("int64"))
    joined = join(left, right)
    assert isinstance(joined, Tensor)
    assert joined.dtype == DType(frozenset({"float32", "int64"}))
    assert join(left, Tensor(Shape.of(2))) == Tensor(Shape.of(2), ANY)


def test_a_weight_is_one_only_if_it_is_in_both_branches() -> None:
    weight = Tensor(Shape.of(2), parameter=True)
    joined = join(weight, array(2))
    assert isinstance(joined, Tensor)
    assert not joined.parameter


def test_tuples_and_streams_are_joined_item_by_item() -> None:
    left, right = (array("n"), N), (array("m"), N)
    joined = join(left, right)
    assert isinstance(joined, tuple)
    assert joined[1] == N
    stream = join(Stream(array("n")), Stream(array("n")))
    assert stream == Stream(array("n"))


def test_what_cannot_be_merged_is_an_alternative() -> None:
    assert join(None, array("n")) == Either((None, array("n")))
    assert join(Either((None, array("n"))), None) == Either((None, array("n")))


def test_too_many_alternatives_and_unknown_ones_are_unknown() -> None:
    assert isinstance(either("abcde"), Unknown)
    assert either([None, Unknown("x"), "a"]) == Unknown("x")


def test_none_is_left_out_where_an_object_is_needed() -> None:
    assert present(Either((None, array("n")))) == array("n")
    assert options("a") == ("a",)


def test_the_framework_goes_with_an_array() -> None:
    made = of_framework((array("n"), N), Framework.NUMPY)
    assert made == (Foreign(Shape.of("n"), framework=Framework.NUMPY), N)
    assert isinstance(join(made[0], array("n")), Unknown)  # type: ignore[index]


def test_paths_that_end_do_not_count() -> None:
    ended = State({"x": array("n")}, alive=False)
    going = State({"x": array("m")})
    assert join_states([ended, going]).values == going.values
    assert not join_states([ended]).alive


def test_a_name_bound_on_one_path_is_what_it_is_there() -> None:
    joined = join_states([State({"x": N}), State()])
    assert joined.values == {"x": N}


def test_an_attribute_assigned_on_one_path_is_not_known_after_both() -> None:
    assigned = State({"self": None, "self.a": N}, objects=frozenset({"self"}))
    assert join_states([assigned, State({"self": None})]).values == {"self": None}


def test_a_list_that_changed_on_one_path_holds_what_it_holds_on_either() -> None:
    items = Items((N,))
    changed, unchanged = State(), State()
    changed.change(items, Items((M,), None, items.serial))
    joined = join_states([changed, unchanged]).now(items)
    assert isinstance(joined, Items)
    assert joined.values[0] not in (N, M)
    assert unchanged.now(items) == items


def test_a_list_that_grew_on_one_path_is_any_number_of_items() -> None:
    items = Items((N,))
    grown = State()
    grown.change(items, Items((N, N), None, items.serial))
    assert join_states([State(), grown]).now(items) == Stream(N)


def test_of_a_list_that_unknown_code_changed_on_one_path_nothing_is_known() -> None:
    items = Items((N,))
    lost = State()
    lost.change(items, Unknown("changed"))
    assert join_states([State(), lost]).now(items) == Unknown("changed")


def test_a_dict_that_got_a_key_on_one_path_has_any_keys() -> None:
    items = Items((N,), ("a",))
    grown = State()
    grown.change(items, Items((N, N), ("a", "b"), items.serial))
    assert join_states([grown, State()]).now(items) == Keyed(N)


def test_rebinding_a_name_forgets_the_attributes_of_its_old_object() -> None:
    state = State({"a": None})
    state.put("a.x", N)
    state.put("ab.x", M)
    state.assign("a", 1.0)
    assert state.values == {"a": 1.0, "ab.x": M}
