# SPDX-License-Identifier: Apache-2.0
"""Which of TensorFlow's operations broadcast, and by which names programs call them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from typedtensors.guard.tensorflow import operands

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typedtensors.guard.tensorflow.operands import Reader


@dataclass(frozen=True)
class Role:
    """How one operation broadcasts.

    `names` are those of the functions that it is the whole of, the one to tell first; `operators`
    are those that call it; `read` finds its operands.
    """

    names: tuple[str, ...]
    operators: tuple[type[ast.AST], ...] = ()
    read: Reader = operands.elementwise

    @property
    def name(self) -> str:
        """What to call the operation."""
        return self.names[0]


def calls(node: ast.AST, role: Role) -> bool:
    """Whether a node of the source is a call of an operation of that role."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return isinstance(node.op, role.operators)
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1 and isinstance(node.ops[0], role.operators)
    if isinstance(node, ast.Call):
        return getattr(node.func, "attr", getattr(node.func, "id", None)) in role.names
    return False


def _role(names: str, *operators: type[ast.AST], read: Reader = operands.elementwise) -> Role:
    return Role(tuple(names.split()), operators, read)


ROLES: Final[Mapping[str, Role]] = {
    "Add": _role("add", ast.Add),
    "AddV2": _role("add", ast.Add),
    "Sub": _role("subtract sub", ast.Sub),
    "Mul": _role("multiply mul scalar_mul", ast.Mult),
    "Div": _role("divide div", ast.Div),
    "RealDiv": _role("divide truediv true_divide div realdiv real_div", ast.Div),
    "DivNoNan": _role("divide_no_nan div_no_nan"),
    "MulNoNan": _role("multiply_no_nan mul_no_nan"),
    "FloorDiv": _role("floordiv floor_divide floor_div", ast.FloorDiv),
    "FloorMod": _role("floormod mod floor_mod remainder", ast.Mod),
    "Mod": _role("mod", ast.Mod),
    "TruncateDiv": _role("truncatediv truncate_div"),
    "TruncateMod": _role("truncatemod truncate_mod fmod"),
    "Pow": _role("pow power float_power", ast.Pow),
    "Maximum": _role("maximum"),
    "Minimum": _role("minimum"),
    "SquaredDifference": _role("squared_difference"),
    "Equal": _role("equal isclose", ast.Eq),
    "NotEqual": _role("not_equal", ast.NotEq),
    "Less": _role("less", ast.Lt),
    "LessEqual": _role("less_equal", ast.LtE),
    "Greater": _role("greater", ast.Gt),
    "GreaterEqual": _role("greater_equal", ast.GtE),
    "LogicalAnd": _role("logical_and", ast.BitAnd),
    "LogicalOr": _role("logical_or", ast.BitOr),
    "BitwiseAnd": _role("bitwise_and", ast.BitAnd),
    "BitwiseOr": _role("bitwise_or", ast.BitOr),
    "BitwiseXor": _role("bitwise_xor", ast.BitXor),
    "LeftShift": _role("left_shift bitwise_left_shift", ast.LShift),
    "RightShift": _role("right_shift bitwise_right_shift", ast.RShift),
    "Atan2": _role("atan2 arctan2"),
    "Complex": _role("complex"),
    "Igamma": _role("igamma"),
    "Igammac": _role("igammac"),
    "NextAfter": _role("nextafter next_after"),
    "Polygamma": _role("polygamma"),
    "Xdivy": _role("xdivy"),
    "Xlogy": _role("xlogy"),
    "Xlog1py": _role("xlog1py"),
    "Zeta": _role("zeta"),
    "SelectV2": _role("where where_v2 select_v2"),
    "BatchMatMulV2": _role("matmul batch_mat_mul_v2", ast.MatMult, read=operands.batches),
    "BatchMatMulV3": _role("matmul batch_mat_mul_v3", ast.MatMult, read=operands.batches),
    "SoftmaxCrossEntropyWithLogits": _role(
        "softmax_cross_entropy_with_logits softmax_cross_entropy_with_logits_v2",
        read=operands.compared,
    ),
}
"""By the type of the operation, as graphs name it."""

COMPOSED: Final = frozenset(
    {"clip_by_value", "clip", "logaddexp", "logaddexp2", "hypot", "logical_xor", "isclose"}
    | {
        "allclose",
        "heaviside",
        "fmax",
        "fmin",
        "arctan2",
        "gcd",
        "lcm",
        "divmod",
        "absolute_difference",
    }
)
"""Functions of several operations, the first of which meet their arguments as they are."""
NAMES: Final = COMPOSED.union(*(role.names for role in ROLES.values()))
