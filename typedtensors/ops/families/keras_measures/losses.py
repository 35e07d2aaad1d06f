# SPDX-License-Identifier: Apache-2.0
"""Keras's losses: functions, and classes that bring their arguments to one rank first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, Example, example, indices
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.keras.layers import FLOATS
from typedtensors.ops.steps.keras.losses import (
    PRED,
    TRUE,
    element,
    of_classes,
    of_one_rank,
    over_axis,
    paired,
    paired_rows,
    same_rows,
    squeezing,
)
from typedtensors.ops.steps.loss import require_axis
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

    Measure = Callable[[Call], Shape]

_B, _B1, _BN = Array("b"), Array("b 1"), Array("b n")
_ALIKE = (
    *(example(_BN, _BN), example(Array("b t n"), Array("b t n")), example(_BN, Array("b m"))),
    *(example(Array("*a n"), Array("*a n")), example(_BN, Array("n b"))),
)
_PAIRS = (*_ALIKE, example(_BN, _B1), example(_B, _B), example(_BN, Array("n")))
_COLUMNS = (example(_B, _B1), example(_B1, _B), example(Array("b t"), Array("b t 1")))
_CLASSES = (
    *(example(indices("b"), _BN), example(indices("b 1"), _BN), example(indices("m"), _BN)),
    *(example(indices("b t"), Array("b t n")), example(indices("b t"), _BN)),
)


def paired_classes(call: Call) -> Shape:
    """As `paired_rows`, of predictions for classes."""
    if call.tensor(PRED).shape.rank == 0:
        raise Undetermined("no axis of classes")
    return paired_rows(call)


def _of_classes_in_batches(call: Call) -> Shape:
    """As `of_classes`; what is brought to one rank first is what that takes anyway."""
    pred, true = call.tensor(PRED).shape.rank, call.tensor(TRUE).shape.rank
    if pred is None or true is None or pred < max(true, 2):
        raise Undetermined("an axis may be dropped")
    return _with_classes(of_classes)(call)


def _with_classes(measure: Measure) -> Measure:
    """The measure of a class over predictions that have classes: a last axis of 1 is dropped."""

    def apply(call: Call) -> Shape:
        last = call.tensor(PRED).shape.axis(-1)
        if last is not None and last.is_one:
            raise Undetermined("an axis may be dropped")
        return measure(call)

    return apply


def of_regions(call: Call) -> Shape:
    """One number for all elements, or one for each along the axes that are not folded."""
    shape = paired(call)
    if call["axis"] is None:
        return Shape(())
    if call.tensor(TRUE).shape != call.tensor(PRED).shape:
        raise Undetermined("sums over some axes may be stretched")
    return over_axis(call, shape)


def of_letters(call: Call) -> Shape:
    """One number for each text: `labels` are `b s`, predictions `b t n`."""
    true, pred = call.tensor(TRUE), call.tensor(PRED)
    for name, array, wanted in ((TRUE, true, "b s"), (PRED, pred, "b t n")):
        if array.shape.rank not in (None, len(wanted.split())):
            where = wording.argument(name, call.name)
            raise Conflicting(wording.rank_differs(where, wanted, array.shape.text))
    require_axis(call, (PRED, 0), (TRUE, 0))
    batch = pred.shape.axis(0)
    if batch is None or true.shape.rank is None:
        raise Undetermined("the batch is not known")
    return Shape((batch,))


def of_one_hot(call: Call) -> Shape:
    """A loss for each label: it is made a row of classes, which meets the predictions."""
    true, pred = call.tensor(TRUE), call.tensor(PRED)
    if not pred.shape.rank or true.shape.rank is None:
        raise Undetermined("the ranks are not known")
    rows = true.with_shape(Shape((*true.shape.axes, pred.shape.axes[-1])))
    met = meet(call, {TRUE: rows, PRED: pred}, (TRUE, PRED))
    return Shape(met.axes[:-1])


def of_embeddings(call: Call) -> Shape:
    """A loss for each embedding, which all have one label."""
    true, pred = call.tensor(TRUE), call.tensor(PRED)
    given = (call.arguments.get("ref_labels"), call.arguments.get("ref_embeddings"))
    if (true.shape.rank, pred.shape.rank) != (1, 2) or given != (None, None):
        raise Undetermined("other embeddings may be compared with")
    met = (*true.shape.prefix, *pred.shape.prefix[:1])
    if any(axis.is_one or axis.flexible for axis in met):
        raise Undetermined("one label may be that of all")
    require_axis(call, (PRED, 0), (TRUE, 0))
    return Shape(pred.shape.axes[:1])


def _function(
    *names: str,
    measure: Measure,
    examples: tuple[Example, ...],
    params: str = "",
) -> None:
    given = f"{TRUE}, {PRED}, {params}" if params else f"{TRUE}, {PRED}"

    def apply(call: Call) -> Value:
        return Tensor(measure(call), element(call))

    rule(*names, params=given, examples=examples)(apply)


_END = "reduction='sum_over_batch_size', name=None, dtype=None"


def _class(name: str, measure: Measure, examples: tuple[Example, ...], params: str = _END) -> None:
    def apply(call: Call) -> Value:
        return _reduced(call, _weighted(call, measure(call)))

    layer(
        f"keras.losses.{name}",
        params=params,
        inputs=f"{TRUE}, {PRED}, sample_weight=None",
        methods=("__call__",),
        examples=examples,
    )(apply)


def _weighted(call: Call, losses: Shape) -> Shape:
    """The losses once each was multiplied with its weight."""
    weight = call["sample_weight"]
    if weight is None or isinstance(weight, (Dim, float)):
        return losses
    if not isinstance(weight, Tensor):
        return Shape.unknown()
    values, weights = of_one_rank(call, Tensor(losses), weight)
    return meet(call, {"losses": values, "sample_weight": weights})


def _reduced(call: Call, losses: Shape) -> Tensor:
    """One number, or the losses themselves, as the class was asked to."""
    dtype = FLOATS if call["dtype"] is None else ANY
    how = call["reduction"]
    if how in (None, "none"):
        return Tensor(losses, dtype)
    return Tensor(Shape(()) if isinstance(how, str) else Shape.unknown(), dtype)


def _on(*examples: Example, **settings: object) -> tuple[Example, ...]:
    """Calls of a class: the losses of the first are not reduced, those of another are weighted."""
    first, *others = examples
    weighed = Example(first.args, {"sample_weight": _weights(first)}).on(**settings)
    plain = (each.on(**settings) for each in others)
    return (first.on(reduction="none", **settings), weighed, first.on(**settings), *plain)


def _weights(of: Example) -> Array:
    pred = of.args[1]
    assert isinstance(pred, Array)  # noqa: S101 - so examples are written
    return Array(" ".join(pred.spec.split()[:-1]))


def _both(home: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(f"keras.{each}.{name}" for each in home)


_HOMES = ("losses", "metrics")
# Losses of which function and class take labels of another rank: (N,) beside (N, 1).
for _name, _cls, _params, _settings in (
    ("mean_squared_error", "MeanSquaredError", "", ""),
    ("mean_absolute_error", "MeanAbsoluteError", "", ""),
    ("mean_absolute_percentage_error", "MeanAbsolutePercentageError", "", ""),
    ("mean_squared_logarithmic_error", "MeanSquaredLogarithmicError", "", ""),
    ("huber", "Huber", "delta=1.0", "delta=1.0, "),
    ("log_cosh", "LogCosh", "", ""),
):
    _function(
        *_both(_HOMES, _name),
        measure=squeezing(paired_rows),
        params=_params,
        examples=(*_PAIRS, *_COLUMNS),
    )
    _class(_cls, squeezing(paired_rows), _on(*_PAIRS, *_COLUMNS), _settings + _END)
_AXES = (example(_BN, _BN, axis=0), example(_BN, _BN, axis=2))
_function(
    "keras.losses.cosine_similarity",
    measure=squeezing(paired_rows),
    params="axis=-1",
    examples=(*_PAIRS, *_AXES),
)
_class("CosineSimilarity", squeezing(paired_rows), _on(*_PAIRS, *_COLUMNS), f"axis=-1, {_END}")
# Losses of which only the class does.
for _name, _cls in (
    *(("hinge", "Hinge"), ("squared_hinge", "SquaredHinge"), ("poisson", "Poisson")),
    *(("kl_divergence", "KLDivergence"), ("categorical_hinge", "CategoricalHinge")),
):
    _function(*_both(_HOMES, _name), measure=paired_rows, examples=_PAIRS)
    _class(_cls, squeezing(paired_rows), _on(*_PAIRS, *_COLUMNS))
_LOGITS = "from_logits=False, label_smoothing=0.0, axis=-1"
_FOCAL = f"apply_class_balancing=False, alpha=0.25, gamma=2.0, {_LOGITS}"
for _name, _cls, _params in (
    ("binary_crossentropy", "BinaryCrossentropy", _LOGITS),
    ("binary_focal_crossentropy", "BinaryFocalCrossentropy", _FOCAL),
    ("categorical_crossentropy", "CategoricalCrossentropy", _LOGITS),
):
    _function(
        *_both(_HOMES, _name),
        measure=same_rows,
        params=_params,
        examples=(*_ALIKE, *_COLUMNS, *_AXES),
    )
    _class(_cls, squeezing(same_rows), _on(*_ALIKE, *_COLUMNS), f"{_params}, {_END}")
_function(
    *_both(_HOMES, "categorical_focal_crossentropy"),
    measure=paired_classes,
    params=f"alpha=0.25, gamma=2.0, {_LOGITS}",
    examples=(*_PAIRS, *_AXES),
)
_class(
    "CategoricalFocalCrossentropy",
    squeezing(paired_classes),
    _on(*_PAIRS, *_COLUMNS),
    f"alpha=0.25, gamma=2.0, {_LOGITS}, {_END}",
)
_function(
    *_both(_HOMES, "sparse_categorical_crossentropy"),
    measure=of_classes,
    params="from_logits=False, ignore_class=None, axis=-1",
    examples=_CLASSES,
)
_class(
    "SparseCategoricalCrossentropy",
    _of_classes_in_batches,
    _on(*_CLASSES, from_logits=True),
    "from_logits=False, ignore_class=None, reduction='sum_over_batch_size', axis=-1, name=None, "
    "dtype=None",
)
for _name, _cls, _params in (("dice", "Dice", ""), ("tversky", "Tversky", "alpha=0.5, beta=0.5, ")):
    _function(
        f"keras.losses.{_name}",
        measure=of_regions,
        params=f"{_params}axis=None",
        examples=(*_PAIRS, example(_BN, _BN, axis=1)),
    )
    _class(
        _cls,
        squeezing(of_regions),
        tuple(each.on() for each in _PAIRS),
        f"{_params}reduction='sum_over_batch_size', name=None, axis=None, dtype=None",
    )
_TEXTS = (
    *(example(indices("b 3"), Array("b 5 n")), example(indices("b s"), Array("m t n"))),
    *(example(indices("b"), Array("b t n")), example(indices("b 3"), Array("b n"))),
)
_function("keras.losses.ctc", measure=of_letters, examples=_TEXTS)
_class("CTC", _with_classes(of_letters), tuple(each.on() for each in _TEXTS))
_function(
    "keras.losses.categorical_generalized_cross_entropy",
    measure=of_one_hot,
    params="q",
    examples=tuple(Example(each.args, {"q": 0.5}) for each in _CLASSES),
)
_class(
    "CategoricalGeneralizedCrossEntropy",
    squeezing(of_one_hot),
    tuple(each.on() for each in _CLASSES),
    f"q=0.5, {_END}",
)
_EMBEDDED = (example(indices("b"), _BN), example(indices("n"), _BN))
_function(
    "keras.losses.circle",
    measure=of_embeddings,
    params="ref_labels=None, ref_embeddings=None, remove_diagonal=True, gamma=80, margin=0.4",
    examples=_EMBEDDED,
)
_class(
    "Circle",
    of_embeddings,
    tuple(each.on() for each in _EMBEDDED),
    f"gamma=80.0, margin=0.4, remove_diagonal=True, {_END}",
)
