# SPDX-License-Identifier: Apache-2.0
"""Hints without arrays mean what they mean to type checkers, and are no cause for warnings."""

from __future__ import annotations

import dataclasses
import random
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, TypeGuard, TypeVar

import pytest
import torch
from jaxtyping import Float
from torch import Tensor
from typing_extensions import NamedTuple, Self, TypedDict, TypeIs

from typedtensors import TensorCheckError, typechecked

f = torch.zeros
Model_ = TypeVar("Model_", bound="Model")
Number = TypeVar("Number", int, str)
Item = TypeVar("Item")
Rows = TypeVar("Rows", bound="Float[Tensor, 'n d']")


@typechecked
class Model:
    def fluent(self: Model_, x: Float[Tensor, "n"]) -> Model_:  # noqa: PYI019  what was written before `Self`
        return self

    def maybe(self, other: Self | None = None) -> Self | None:
        return other

    def several(self, others: list[Self]) -> Mapping[str, Sequence[Self]]:
        return {"all": others}

    def kind(self, other: type[Self]) -> type[Model_]:
        return other

    @classmethod
    def make(cls: type[Model_]) -> Model_:  # noqa: PYI019  the same
        return cls()

    def __eq__(self, other: object) -> bool:
        return NotImplemented

    def __lt__(self, other: Any) -> bool:
        return NotImplemented if isinstance(other, Model) else other

    def __matmul__(self, other: Any) -> Float[Tensor, "n"]:
        return NotImplemented if other is None else other

    def add(self, other: Any) -> bool:
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]


class Derived(Model): ...


def rejects(function: Any, *args: Any) -> None:
    with pytest.raises(TensorCheckError):
        function(*args)


@pytest.mark.parametrize("model", [Model(), Derived()])
def test_a_class_may_speak_of_itself(model: Model) -> None:
    assert model.fluent(f(2)) is model
    assert model.maybe() is None
    assert model.maybe(model) is model
    assert model.several([model]) == {"all": [model]}
    assert model.kind(Derived) is Derived
    assert isinstance(model.make(), type(model))
    rejects(model.several, model)
    rejects(model.kind, model)


def test_an_operator_may_leave_the_answer_to_the_other_operand() -> None:
    assert Model() != Model()
    with pytest.raises(TypeError, match="not supported between"):
        Model() < Model()  # noqa: B015
    with pytest.raises(TypeError, match="unsupported operand"):
        Model() @ None
    rejects(Model().__lt__, "x")
    rejects(Model().__matmul__, f(2, 2))
    rejects(Model().add, 1)


def test_a_guard_returns_a_bool() -> None:
    @typechecked
    def is_int(x: object) -> TypeGuard[int]:
        return x if x == "odd" else True  # type: ignore[return-value]

    @typechecked
    def is_tensor(x: object) -> TypeIs[Float[Tensor, "n"]]:
        return True

    assert is_int(3)
    assert is_tensor(3)
    rejects(is_int, "odd")


def test_a_type_variable_stands_for_its_bound_or_one_of_its_choices() -> None:
    @typechecked
    def pick(x: Number, rows: Rows, y: Float[Tensor, "d"]) -> Rows:
        return rows

    pick(1, f(2, 3), f(3))
    rejects(pick, 1.5, f(2, 3), f(3))
    rejects(pick, 1, f(2), f(3))
    rejects(pick, 1, f(2, 3), f(4))


def test_a_union_without_arrays_is_checked() -> None:
    @typechecked
    def use(x: int | str | None, y: float | list[int] = 1) -> None: ...

    use(None, 2)
    use("x", [1])
    rejects(use, 1.5)
    rejects(use, 1, ["x"])


@typechecked
@dataclasses.dataclass
class Constants:
    x: Final[Float[Tensor, "n n"]]
    k: Final[int] = 3
    name: Final = "x"
    unit: ClassVar[str] = "m"
    scale: dataclasses.InitVar[float] = 1.0


def test_a_final_field_is_checked() -> None:
    Constants(f(2, 2), 4, "y", 2.0)
    rejects(Constants, f(2, 3))
    rejects(Constants, f(2, 2), "x")


class Pair(NamedTuple, Generic[Item]):
    item: Item
    items: list[Item]
    x: Float[Tensor, "n"]
    y: Float[Tensor, "n"] = None  # type: ignore[assignment]


class Entry(TypedDict, Generic[Item]):
    item: Item
    x: Float[Tensor, "n"]


def test_a_generic_named_tuple_holds_what_it_was_given() -> None:
    @typechecked
    def use(pair: Pair[int], x: Float[Tensor, "n"]) -> None: ...

    use(Pair(1, [2], f(3)), f(3))
    rejects(use, Pair("x", [2], f(3)), f(3))
    rejects(use, Pair(1, ["x"], f(3)), f(3))
    rejects(use, Pair(1, [2], f(4)), f(3))


def test_a_field_that_has_its_default_is_as_good_as_none_given() -> None:
    @typechecked
    def use(pair: Pair[Any]) -> None: ...

    use(Pair(1, [], f(3)))
    use(Pair(1, [], f(3), f(3)))
    rejects(use, Pair(1, [], f(3), f(4)))
    rejects(use, Pair(1, [], None))


def test_a_generic_typed_dict_holds_what_it_was_given() -> None:
    @typechecked
    def use(entry: Entry[int], x: Float[Tensor, "n"]) -> None: ...

    use({"item": 1, "x": f(3)}, f(3))
    rejects(use, {"item": "x", "x": f(3)}, f(3))
    rejects(use, {"item": 1, "x": f(4)}, f(3))


def test_a_deprecated_spelling_is_silent_at_a_call_as_well() -> None:
    import typing

    def use(x: typing.Mapping[str, Any], y: typing.List[int]) -> None: ...  # noqa: UP006

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        typechecked(use)({}, [1])
        rejects(typechecked(use), 3, [1])


def test_what_only_a_constructor_gets_is_checked_together_with_its_fields() -> None:
    @typechecked
    @dataclasses.dataclass
    class Pair:
        left: Float[Tensor, "n"]
        right: dataclasses.InitVar[Float[Tensor, "n"]]

    @typechecked
    def use(x: Float[Tensor, "b"]) -> Float[Tensor, "n"]:
        Pair(torch.zeros(3), torch.zeros(3))
        return x

    assert len(use(torch.zeros(7))) == 7
    for _ in range(2):
        with pytest.raises(TensorCheckError, match="dim `n` disagrees"):
            Pair(torch.zeros(3), torch.zeros(4))


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (list[int], [1, 2]),
        (tuple[int, ...], (1, 2)),
        (Sequence[str], ["a"]),
        (dict[str, list[int]], {"a": [1, 2]}),
        (int | list[int], [1, 2]),
    ],
)
def test_what_a_seeded_program_draws_is_what_it_draws_without(annotation: Any, value: Any) -> None:
    def called(value: Any) -> None:
        """Take anything."""

    called.__annotations__["value"] = annotation
    checked = typechecked(called)
    random.seed(0)
    expected = random.random()  # noqa: S311 - not a secret
    random.seed(0)
    checked(value)
    assert random.random() == expected  # noqa: S311 - as above
