# SPDX-License-Identifier: Apache-2.0
"""Metrics of classes: the predictions are classes, or have an axis of them that targets lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops import promotion
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.loss import require_axis, require_same_shape
from typedtensors.ops.steps.metric import metric, one_number, require_validation
from typedtensors.ops.value import Layer
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.diagnostics import Diagnostic
    from typedtensors.ops.call import Call

_VALIDATED = "ignore_index=None, validate_args=True"
_GLOBAL = f"multidim_average='global', {_VALIDATED}"
_CLASSES = 5


def _binary(call: Call) -> Tensor:
    require_validation(call)
    require_same_shape(call, "preds", "target")
    if call.tensor("preds").shape.rank in {None, 0}:
        raise Undetermined("some metrics take no single prediction")
    return _averaged(call)


def _multiclass(call: Call) -> Tensor:
    require_validation(call)
    preds, target = call.tensor("preds"), call.tensor("target")
    more = _more_axes(preds.shape, target.shape)
    if more == 0:
        require_same_shape(call, "preds", "target")
    elif more == 1:
        held = promotion.kinds(preds.dtype)
        if held and held <= {"int", "bool"}:
            raise Conflicting(_other_rank(call, preds.shape, target.shape))
        if held != frozenset({"float"}):
            raise Undetermined("scores of classes are floats")
        _require_classes(call, preds.shape)
        _compare(call, preds, target)
    else:
        raise Conflicting(_other_rank(call, preds.shape, target.shape))
    return _averaged(call)


def _compare(call: Call, preds: Tensor, target: Tensor) -> None:
    """Compare the likeliest classes with the target; rows of them broadcast without a word."""
    if target.shape.rank == 1:
        likeliest = Tensor(Shape((preds.shape.axes[0],)), preds.dtype)
        meet(call, {"preds": likeliest, "target": target}, ("preds", "target"))
        return
    for at in range(target.shape.rank or 0):
        place = at if at == 0 else at + 1
        pair = preds.shape.axis(place), target.shape.axis(at)
        if any(axis is None or axis.is_one for axis in pair):
            raise Undetermined("what torchmetrics flattens may broadcast")
        require_axis(call, ("preds", place), ("target", at))


def _other_rank(call: Call, preds: Shape, target: Shape) -> Diagnostic:
    return wording.rank_differs(wording.argument("target", call.name), preds.text, target.text)


def _require_classes(call: Call, preds: Shape) -> None:
    axis, wanted = preds.axis(1), call.arguments.get("num_classes")
    if axis is None or axis.flexible or not isinstance(wanted, Dim):
        return
    if call.requires(axis.dim, wanted) is Verdict.DIFFERENT:
        where = wording.argument("preds", call.name)
        origin = "argument `num_classes`"
        raise Conflicting(wording.axis_differs(where, 1, str(wanted), str(axis), bound_by=origin))


def _more_axes(preds: Shape, target: Shape) -> int:
    """How many axes predictions have that targets have not."""
    if preds.rank is None or target.rank is None:
        raise Undetermined("it is not known whether there is an axis of classes")
    if preds.rank < 2:
        return 0 if preds.rank == target.rank else -1
    return preds.rank - target.rank


def _averaged(call: Call) -> Tensor:
    """One number for all, unless each row or each class is to have its own."""
    rows = call.arguments.get("multidim_average", "global") != "global"
    classes = call.arguments.get("average", "macro") not in {"macro", "micro", "weighted"}
    return Tensor(Shape.unknown(), ANY) if rows or classes else one_number()


_BINARY = (
    example(Array("n"), indices("n")),
    example(Array("n 1"), indices("n 1")),
    example(Array("n 1"), indices("n")),
)
for _name, _settings in (
    ("accuracy", f"threshold=0.5, {_GLOBAL}"),
    ("f1_score", f"threshold=0.5, {_GLOBAL}, zero_division=0.0"),
    ("precision", f"threshold=0.5, {_GLOBAL}, zero_division=0.0"),
    ("recall", f"threshold=0.5, {_GLOBAL}, zero_division=0.0"),
    ("specificity", f"threshold=0.5, {_GLOBAL}"),
    ("hamming_distance", f"threshold=0.5, {_GLOBAL}"),
):
    _title = {"f1_score": "F1Score"}.get(_name, _name.title().replace("_", ""))
    metric(
        f"classification.binary_{_name}",
        f"classification.Binary{_title}",
        settings=_settings,
        examples=_BINARY,
        apply=_binary,
    )

_MULTICLASS = (
    example(Array(f"n {_CLASSES}"), indices("n"), num_classes=Dim.of(_CLASSES)),
    example(indices("n"), indices("n"), num_classes=Dim.of(_CLASSES)),
    example(Array(f"n {_CLASSES} t"), indices("n t"), num_classes=Dim.of(_CLASSES)),
    example(indices("n 1"), indices("n"), num_classes=Dim.of(_CLASSES)),
)
for _name, _settings in (
    ("accuracy", f"num_classes, average='macro', top_k=1, {_GLOBAL}"),
    ("f1_score", f"num_classes, average='macro', top_k=1, {_GLOBAL}, zero_division=0.0"),
    ("precision", f"num_classes, average='macro', top_k=1, {_GLOBAL}, zero_division=0.0"),
    ("recall", f"num_classes, average='macro', top_k=1, {_GLOBAL}, zero_division=0.0"),
    ("specificity", f"num_classes, average='macro', top_k=1, {_GLOBAL}"),
):
    _title = {"f1_score": "F1Score"}.get(_name, _name.title().replace("_", ""))
    metric(
        f"classification.multiclass_{_name}",
        f"classification.Multiclass{_title}",
        settings=_settings,
        examples=_MULTICLASS,
        apply=_multiclass,
    )


_BY_TASK: dict[object, Callable[[Call], Tensor]] = {
    "binary": _binary,
    "multiclass": _multiclass,
}
_TASK = "task, threshold=0.5, num_classes=None, num_labels=None, average='micro'"
_SETTINGS = f"{_TASK}, multidim_average='global', top_k=1, {_VALIDATED}"
_TASKS = (
    example(Array("n"), indices("n"), task="binary"),
    example(Array("n 1"), indices("n"), task="binary"),
    example(Array(f"n {_CLASSES}"), indices("n"), task="multiclass", num_classes=Dim.of(_CLASSES)),
)


def _of_task(call: Call) -> Tensor:
    apply = _BY_TASK.get(call["task"])
    if apply is None:
        raise Undetermined("only two tasks are known")
    return apply(call)


def _made_for_task(call: Call) -> Layer:
    """The class itself makes objects of those for one task."""
    if call["task"] not in _BY_TASK:
        raise Undetermined("only two tasks are known")
    _, _, name = call.op.rpartition(".")
    made = f"torchmetrics.classification.{str(call['task']).title()}{name}"
    return Layer(made, dict(call.arguments))


for _name, _made in (
    ("accuracy", "Accuracy"),
    ("f1_score", "F1Score"),
    ("precision", "Precision"),
    ("recall", "Recall"),
):
    rule(f"torchmetrics.functional.{_name}", params=f"preds, target, {_SETTINGS}", examples=_TASKS)(
        _of_task
    )
    rule(
        f"torchmetrics.{_made}",
        params=f"{_SETTINGS}, **kwargs",
        examples=(
            example(task="binary"),
            example(task="multiclass", num_classes=Dim.of(_CLASSES)),
        ),
    )(_made_for_task)
