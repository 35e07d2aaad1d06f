# SPDX-License-Identifier: Apache-2.0
"""The one table of rules, and the canonical names of ops.

A look-up imports the module that holds the rule, and no other: a type checker needs few of them.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from typedtensors.ops.index import index
from typedtensors.ops.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from typedtensors.ops.call import Call
    from typedtensors.ops.rule import Example
    from typedtensors.ops.value import Value

F = TypeVar("F", bound="Callable[[Call], Value]")

FAMILIES = "typedtensors.ops.families"
_WITHIN = f"{FAMILIES}."
_FOLDER = Path(__file__).with_name("families")
_rules: dict[str, Rule] = {}
_homes: dict[Rule, str] = {}

# What Keras still calls some losses, in small letters or in capitals.
_KERAS_SHORT = {
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_logarithmic_error",
    "kld": "kl_divergence",
    "kullback_leibler_divergence": "kl_divergence",
    "logcosh": "log_cosh",
}
# What TensorFlow calls functions of Keras's backend of old; the others have one name in both.
_KERAS_BACKEND = {
    **{name: f"reduce_{name}" for name in ("mean", "sum", "max", "min", "prod", "any", "all")},
    **{name: f"math.reduce_{found}" for name, found in (("std", "std"), ("var", "variance"))},
    **{name: f"math.{name}" for name in ("log", "l2_normalize")},
    **{name: f"nn.{name}" for name in ("softmax", "relu")},
    "clip": "clip_by_value",
    "permute_dimensions": "transpose",
    "concatenate": "concat",
}
_IN_TENSORFLOW = (
    r"abs|cast|cumsum|(not_)?equal|exp|expand_dims|gather|(greater|less)(_equal)?|maximum|minimum|"
    r"(ones|zeros)_like|pow|reshape|round|shape|sigmoid|sign|sqrt|square|squeeze|stack|tanh|tile|"
    r"transpose"
)
# Where a framework defines what it exports under a shorter name (mypy sees the former).
_CANONICAL: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"^torch\._tensor\.Tensor\.|^torch\._C\.(_?Tensor(Base)?)\."), "torch.Tensor."),
    (re.compile(r"^torch\.nn\.parameter\.Parameter\.(?!__init__)"), "torch.Tensor."),
    (re.compile(r"^torch\._C\._(VariableFunctions(Class)?)\.|^torch\.functional\."), "torch."),
    (re.compile(r"^torch\._C\._nn\.log_sigmoid$"), "torch.nn.functional.logsigmoid"),
    (re.compile(r"^torch\._C\._nn\."), "torch.nn.functional."),
    (re.compile(r"^torch\._C\._linalg\.(linalg_)?"), "torch.linalg."),
    (re.compile(r"^torch\._C\._sparse\._?(sparse_)?"), "torch.sparse."),
    (re.compile(r"^torch\.masked\._ops\."), "torch.masked."),
    (re.compile(r"^torch\.signal\.windows\.windows\."), "torch.signal.windows."),
    (re.compile(r"^torch\.nn\.modules\.\w+\."), "torch.nn."),
    (re.compile(r"^torch\._C\.device$"), "torch.device"),
    (re.compile(r"^torch\.distributions\.[a-z_]+\.(?=[A-Z]|kl_)"), "torch.distributions."),
    (
        re.compile(r"^numpy\.lib\._?stride_tricks(_impl)?\.(?=sliding_window_view$)"),
        "numpy.lib.stride_tricks.",
    ),
    (
        re.compile(r"^numpy\._?core\.\w+\.|^numpy\.lib\.\w+\.(?!sliding_window_view$)"),
        "numpy.",
    ),
    (re.compile(r"^numpy\.linalg\._?linalg\."), "numpy.linalg."),
    (
        re.compile(r"^numpy\.random\._?\w+\.(?=default_rng$|Generator$|Generator\.)"),
        "numpy.random.",
    ),
    (
        re.compile(r"^(?:tensorflow\.)?keras\.(losses|metrics)\.([a-z_]+|[A-Z]+)$"),
        lambda found: f"keras.{found[1]}.{_KERAS_SHORT.get(found[2].lower(), found[2])}",
    ),
    (
        re.compile(r"^(?:tensorflow\.)?keras\.(models|layers)\.(?=Model$|Sequential$|Input$)"),
        "keras.",
    ),
    (re.compile(r"^(?:tensorflow\.)?keras\.ops\.(?:numpy|nn|linalg|core|math)\."), "keras.ops."),
    (
        re.compile(rf"^tensorflow\.keras\.backend\.({'|'.join(_KERAS_BACKEND)}|{_IN_TENSORFLOW})$"),
        lambda found: f"tensorflow.{_KERAS_BACKEND.get(found[1], found[1])}",
    ),
    (re.compile(r"^tensorflow\.keras\."), "keras."),
    (re.compile(r"^einops\.einops\."), "einops."),
    (
        re.compile(r"^torchmetrics\.functional\.(\w+\.)+_?(?=(binary|multiclass)_)"),
        "torchmetrics.functional.classification.",
    ),
    (
        re.compile(r"^torchmetrics\.functional\.(\w+\.)+_?(?!(binary|multiclass)_)(?=[a-z]\w+$)"),
        "torchmetrics.functional.",
    ),
    (
        re.compile(r"^torchmetrics\.([a-z_]+\.)+(?=Binary|Multiclass)"),
        "torchmetrics.classification.",
    ),
    (re.compile(r"^torchmetrics\.([a-z_]+\.)+_?(?=[A-Z])(?!Binary|Multiclass)"), "torchmetrics."),
    (re.compile(r"^typedtensors\.(broadcast|runtime)\.(\w+\.)?"), "typedtensors."),
)


def rule(
    *names: str,
    params: str,
    examples: tuple[Example, ...] = (),
    signature: str = "",
) -> Callable[[F], F]:
    """Register a function over `Call` as the rule of the ops `names`."""

    def register(apply: F) -> F:
        add(Rule(names, params, apply, signature, examples))
        return apply

    return register


def add(new: Rule) -> None:
    """Register a rule. Raises ValueError if one of its names has a rule already."""
    taken = [name for name in new.names if name in _rules]
    if taken:
        msg = f"two rules for {', '.join(taken)}"
        raise ValueError(msg)
    _rules.update(dict.fromkeys(new.names, new))
    _homes[new] = _declaring_module()


def _declaring_module() -> str:
    """The family, as the index names it, whose code is registering a rule; "" outside of them."""
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - the only way to know
    while frame is not None:
        name: str = frame.f_globals["__name__"]
        if name.startswith(_WITHIN):
            return name.removeprefix(_WITHIN)
        frame = frame.f_back
    return ""


def lookup(name: str) -> Rule | None:
    """The rule of an op by any of its full names, or None."""
    known = canonical(name)
    if known not in _rules and known in index():
        import_module(_WITHIN + index()[known])
    return _rules.get(known)


@cache
def canonical(name: str) -> str:
    """The name under which the framework documents an op or a layer."""
    for pattern, short in _CANONICAL:
        found, count = pattern.subn(short, name, count=1)
        if count:
            return found
    return name


def rules() -> list[Rule]:
    """Every rule once, by first name: all families are imported, whether the index knows or not."""
    for module in modules():
        import_module(_WITHIN + module)
    return sorted({*_rules.values()}, key=lambda rule: rule.names)


def home(rule: Rule) -> str:
    """The module that declares a rule, as the index names it; "" if no family does."""
    return _homes.get(rule, "")


def modules() -> Iterator[str]:
    """The modules that hold rules, as the index names them: `algebra.einsum`."""
    for path in sorted(_FOLDER.glob("*/*.py")):
        if path.stem != "__init__":
            yield f"{path.parent.name}.{path.stem}"
