# SPDX-License-Identifier: Apache-2.0
"""Operators: on arrays they are ops, on sizes dims, on tuples Python's own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from typedtensors.dims import Dim
from typedtensors.ops import SOME_FLOAT, Framework, Rounds, Undetermined, Unknown, Value, lookup
from typedtensors.ops.steps.axes.sizes import parts, shape_of
from typedtensors.shapes import ANY, Shape, Tensor
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.classes import bound_method
from typedtensors_mypy.interpreter.expressions.iteration import as_sequence
from typedtensors_mypy.interpreter.expressions.ops import apply_op
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.joins import join_all, join_contents
from typedtensors_mypy.interpreter.values import (
    REPORTED,
    Either,
    Instance,
    Items,
    Stream,
    UserClass,
    framework_of,
    light,
    of_framework,
    options,
    present,
)
from typedtensors_mypy.source.library import ARRAY_CLASS
from typedtensors_mypy.source.program import External

OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip
_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
_COMPARISON = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
_ANSWERS: Mapping[str, Callable[[int, int], bool]] = {
    "eq": int.__eq__, "ne": int.__ne__, "lt": int.__lt__, "le": int.__le__, "gt": int.__gt__,
    "ge": int.__ge__,
}  # fmt: skip
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_ON_DIMS: dict[str, Callable[[Dim, Dim], Dim]] = {
    "add": Dim.__add__,
    "sub": Dim.__sub__,
    "mul": Dim.__mul__,
    "floordiv": Dim.__floordiv__,
    "mod": Dim.__mod__,
}
# Beyond this a power of literals is no size, and may take long.
_LARGEST_POWER = 64
# A size that is made of itself again and again grows without end.
_HEAVIEST = 1_024
# In bits.
_LONGEST_SIZE = 128
_LONGEST_LIST = 16
_LONGEST = 4_096
_CLASSES = (External, UserClass, tuple)
_SEQUENCES = (tuple, Shape, str, Items, Stream)


def binary(
    frame: Frame, node: ast.expr, operator: ast.operator, left: Value, right: Value,
    *, in_place: bool = False,
) -> Value:  # fmt: skip
    """The value of `left <operator> right`."""
    name = OPERATORS[type(operator)]
    left, right = present(left), present(right)
    if name == "or" and isinstance(left, _CLASSES) and isinstance(right, _CLASSES):
        # `isinstance(x, A | B)` tests for what `isinstance(x, (A, B))` tests for.
        return tuple(each for side in (left, right) for each in _listed(side))
    if isinstance(left, Instance) or isinstance(right, Instance):
        return _on_objects(frame, node, name, left, right)
    if _holds_array(left) or _holds_array(right):
        return _on_arrays(frame, node, name, left, right, in_place=in_place)
    if isinstance(left, Dim) and isinstance(right, Dim):
        return _on_dims(name, left, right)
    if name == "mul" and isinstance(left, Dim) and isinstance(right, _SEQUENCES):
        return _on_sequences(frame, name, right, left)
    if isinstance(left, _SEQUENCES):
        return _on_sequences(frame, name, left, right)
    if isinstance(left, (float, Dim)) and isinstance(right, (float, Dim)):
        return SOME_FLOAT
    unknown = next((each for each in (left, right) if isinstance(each, Unknown)), None)
    return unknown or Unknown("an operator on values of those kinds")


def _listed(classes: Value) -> tuple[Value, ...]:
    return classes if isinstance(classes, tuple) else (classes,)


def _on_objects(frame: Frame, node: ast.expr, name: str, left: Value, right: Value) -> Value:
    """By a method of the left object, or else by the mirrored one of the right object."""
    for owner, method_name, other in (
        (left, f"__{name}__", right),
        (right, f"__r{name}__", left),
    ):
        method = bound_method(frame, owner, method_name) if isinstance(owner, Instance) else None
        if method is not None:
            return frame.run.call(frame, node, method, Arguments((other,)))
    return Unknown("an operator on an object that is not followed")


def _on_sequences(frame: Frame, name: str, left: Value, right: Value) -> Value:
    if isinstance(left, tuple) and isinstance(right, tuple) and name == "add":
        return _short(left + right)
    if isinstance(left, (Shape, tuple)) and isinstance(right, (Shape, tuple)) and name == "add":
        return _joined_sizes(left, right)
    if isinstance(left, tuple) and isinstance(right, Dim) and name == "mul":
        return _repeated(left, right)
    if isinstance(left, str) and isinstance(right, str) and name == "add":
        return _short(left + right)
    if isinstance(left, (Items, Stream)):
        return _on_lists(frame, name, left, right)
    return right if isinstance(right, Unknown) else Unknown("an operator on a sequence")


def _short(sequence: tuple[Value, ...] | str) -> Value:
    """A sequence, unless it is so long that it would grow without end."""
    return light(sequence) if len(sequence) <= _LONGEST else Unknown("a long sequence")


def _repeated(values: tuple[Value, ...], times: Dim) -> Value:
    few = times.value is not None and 0 <= times.value * len(values) <= _LONGEST_LIST
    if times.value is not None and few:
        return values * times.value
    return Stream(join_all(values), Rounds(times * len(values))) if values else ()


def _on_lists(frame: Frame, name: str, left: Value, right: Value) -> Value:
    """`[x] * n` and `xs + ys`, which are new lists."""
    held = as_sequence(frame, left)
    if name == "mul" and isinstance(right, Dim):
        made = _repeated(held, right) if isinstance(held, tuple) else Stream(held.item)
    elif name == "add" and isinstance(right, (Items, Stream)):
        more = as_sequence(frame, right)
        if isinstance(held, tuple) and isinstance(more, tuple):
            joined = _short((*held, *more))
            return Items(joined) if isinstance(joined, tuple) else joined
        made = join_contents(_as_items(held), _as_items(more))
    else:
        return Unknown("an operator on lists")
    return Items(made) if isinstance(made, tuple) else made


def _as_items(held: tuple[Value, ...] | Stream) -> Items | Stream:
    return Items(held) if isinstance(held, tuple) else Stream(held.item)


def _joined_sizes(left: Shape | tuple[Value, ...], right: Shape | tuple[Value, ...]) -> Value:
    """`x.shape[:-1] + (3,)` where the rank is not known."""
    try:
        return shape_of((*parts(left), *parts(right)))
    except Undetermined as answer:
        return Unknown(answer.reason)


def _on_arrays(
    frame: Frame, node: ast.expr, name: str, left: Value, right: Value, *, in_place: bool
) -> Value:
    if REPORTED in (left, right):
        return REPORTED
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        if name == "matmul":
            return left if isinstance(left, Unknown) else right
        left, right = _some_array(left, right), _some_array(right, left)
    if _holds_array(left) and not _is_left_to_tensorflow(left, right):
        owner = _class_of(left)
        # A tensor of TensorFlow is not written: `x += y` makes a new one, as `x + y` does.
        written = in_place and lookup(f"{owner}.__i{name}__") is not None
        op = f"{owner}.__i{name}__" if written else f"{owner}.__{name}__"
        return apply_op(frame, node, op, (left, right))
    return apply_op(frame, node, f"{_class_of(right)}.__r{name}__", (right, left))


def _is_left_to_tensorflow(left: Value, right: Value) -> bool:
    """Whether an array of NumPy's leaves an operator to the tensor beside it."""
    own = {framework_of(option) for option in options(left)}
    other = {framework_of(option) for option in options(right)}
    return own == {Framework.NUMPY} and other == {Framework.TENSORFLOW}


def _some_array(value: Value, other: Value) -> Value:
    """What is not known may be a number, or an array that broadcasts: the last axes stay."""
    framework = framework_of(other)
    if not isinstance(value, Unknown) or framework is None:
        return value
    return of_framework(Tensor(Shape.unknown(), ANY), framework)


def _holds_array(value: Value) -> bool:
    if isinstance(value, Either):
        return any(isinstance(option, Tensor) for option in value.options)
    return isinstance(value, Tensor)


def _class_of(value: Value) -> str:
    frameworks = [framework_of(option) for option in options(value)]
    return next(ARRAY_CLASS[framework] for framework in frameworks if framework is not None)


def _on_dims(name: str, left: Dim, right: Dim) -> Value:
    if left.weight * right.weight > _HEAVIEST or max(_digits(left), _digits(right)) > _LONGEST_SIZE:
        return Unknown("a size of too many terms")
    if name in _ON_DIMS:
        if name in {"floordiv", "mod"} and right.value == 0:
            return Unknown("a division by zero")
        return _ON_DIMS[name](left, right)
    if name == "pow" and left.value is not None and right.value is not None:
        small = 0 <= right.value <= _LARGEST_POWER
        return Dim.of(left.value**right.value) if small else SOME_FLOAT
    return SOME_FLOAT if name == "truediv" else Unknown(f"an integer from `{name}`")


def _digits(dim: Dim) -> int:
    return 0 if dim.value is None else dim.value.bit_length()


def unary(frame: Frame, node: ast.expr, operator: ast.unaryop, operand: Value) -> Value:
    """The value of `<operator> operand`."""
    if isinstance(operator, ast.Not):
        return not operand if isinstance(operand, bool) or operand is None else Unknown("a test")
    name = _UNARY[type(operator)]
    operand = present(operand)
    if _holds_array(operand):
        return apply_op(frame, node, f"{_class_of(operand)}.__{name}__", (operand,))
    if isinstance(operand, Dim) and name in {"neg", "pos"}:
        return -operand if name == "neg" else operand
    if isinstance(operand, float) and name in {"neg", "pos"}:
        return operand
    return Unknown("an operator on a value that is not followed")


def compare(frame: Frame, node: ast.Compare, left: Value, others: Sequence[Value]) -> Value:
    """The value of a comparison; of a chain nothing is known."""
    result: Value = None
    for operator, right in zip(node.ops, others, strict=True):
        result = _compare_two(frame, node, operator, left, right)
        left = right
    return result if len(others) == 1 else Unknown("a chain of comparisons")


def _compare_two(
    frame: Frame, node: ast.expr, operator: ast.cmpop, left: Value, right: Value
) -> Value:
    name = _COMPARISON.get(type(operator))
    if name is None and isinstance(operator, (ast.In, ast.NotIn)):
        return _membership(operator, left, frame.state.now(right))
    if name is None:
        return _identity(operator, left, right)
    if _holds_array(left):
        return _on_arrays(frame, node, name, present(left), present(right), in_place=False)
    if _holds_array(right):
        return _on_arrays(
            frame, node, _MIRRORED[name], present(right), present(left), in_place=False
        )
    return decide(name, left, right)


def _membership(operator: ast.In | ast.NotIn, left: Value, right: Value) -> Value:
    """`x.ndim in (2, 3)`, where all of them are literals."""
    held = right.values if isinstance(right, Items) and right.keys is None else right
    if not isinstance(held, tuple) or not isinstance(left, Dim) or left.value is None:
        return Unknown("a test")
    sizes = [each.value if isinstance(each, Dim) else None for each in held]
    if None in sizes:
        return Unknown("a test")
    return (left.value in sizes) is isinstance(operator, ast.In)


def _identity(operator: ast.cmpop, left: Value, right: Value) -> Value:
    """`is None`, where the value says whether it is."""
    if not isinstance(operator, (ast.Is, ast.IsNot)) or right is not None:
        return Unknown("a test")
    if left is not None and not isinstance(left, Tensor):
        return Unknown("a test")
    return (left is None) is isinstance(operator, ast.Is)


def decide(name: str, left: Value, right: Value) -> Value:
    """The answer where both sides are literals."""
    if isinstance(left, Dim) and isinstance(right, Dim):
        gap = (left - right).value
        if gap is None:
            return Unknown("sizes that are not known")
        return _ANSWERS[name](gap, 0)
    if isinstance(left, str) and isinstance(right, str) and name in {"eq", "ne"}:
        return (left == right) is (name == "eq")
    return Unknown("a test")
