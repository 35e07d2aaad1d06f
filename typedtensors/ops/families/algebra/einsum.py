# SPDX-License-Identifier: Apache-2.0
"""Sums of products, by an equation: `einsum("b n d, b m d -> b n m", q, k)`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops import promotion
from typedtensors.ops.outcome import Broadcast, Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import with_rank
from typedtensors.ops.steps.elementwise import teach
from typedtensors.ops.value import Unknown
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor
from typedtensors.shapes.broadcast import broadcast

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_REST = "..."
_ABSENT = Axis(Dim.of(1))


@dataclass(frozen=True)
class Equation:
    """The labels of each operand and of the result; `...` is one label, of any number of axes."""

    operands: tuple[tuple[str, ...], ...]
    result: tuple[str, ...]

    @staticmethod
    def parse(text: str) -> Equation:
        """Read `ij,jk->ik`; without an arrow, labels that occur once remain, in their order.

        Source: https://docs.pytorch.org/docs/stable/generated/torch.einsum.html
        """
        given, arrow, wanted = text.replace(" ", "").partition("->")
        operands = tuple(map(_labels, given.split(",")))
        if arrow:
            return Equation(operands, _labels(wanted))
        count = Counter(label for labels in operands for label in labels if label != _REST)
        once = tuple(sorted(label for label, times in count.items() if times == 1))
        rest = (_REST,) if any(_REST in labels for labels in operands) else ()
        return Equation(operands, (*rest, *once))

    @staticmethod
    def of_words(text: str) -> Equation:
        """Read `batch i, i j -> batch j`, as einops writes it."""
        given, arrow, wanted = text.partition("->")
        sides = [tuple(side.split()) for side in (*given.split(","), wanted)]
        known = all(word == _REST or word.isidentifier() for side in sides for word in side)
        if not arrow or not known:
            raise Undetermined("the equation is not written in words")
        return Equation(tuple(sides[:-1]), sides[-1])

    @property
    def problem(self) -> str | None:
        """What is wrong with it, if anything."""
        known = {label for labels in self.operands for label in labels}
        for label in self.result:
            if label not in known and label != _REST:
                return f"the result has `{label}`, which no operand has"
            if self.result.count(label) > 1:
                return f"the result has `{label}` twice"
        return None


def _labels(text: str) -> tuple[str, ...]:
    before, dots, after = text.partition(_REST)
    labels = (*before, *((_REST,) if dots else ()), *after)
    if not all(label == _REST or label.isalpha() for label in labels):
        raise Undetermined("the equation is not written in letters")
    return labels


_NAMES = (
    example("ij,jk->ik", Array("i j"), Array("j k")),
    example("b n d, b m d -> b n m", Array("b n d"), Array("b m d")),
    example("bhqd,bhkd->bhqk", Array("b h q d"), Array("b h k d")),
    example("...d,ed->...e", Array("*a d"), Array("e d")),
    example("ii->i", Array("n n")),
    example("ba", Array("b a")),
    example("ij,jk", Array("i j"), Array("j k")),
    example("i,j->ij", Array("i"), Array("j")),
    example("ij->", Array("i j")),
    example("ij->ik", Array("i j")),
)


@rule(
    *("torch.einsum", "numpy.einsum"),
    params="equation, *operands",
    examples=_NAMES,
)
def einsum(call: Call) -> Tensor:
    """Axes of one label agree; those that the result does not name are summed."""
    text, arrays = call["equation"], _arrays(call)
    if not isinstance(text, str):
        raise Undetermined("the equation is not a literal string")
    return _contracted(call, text, Equation.parse(text), arrays)


_WORDS = (
    example(Array("b n d"), Array("b m d"), "b n d, b m d -> b n m"),
    example(Array("b i"), Array("i o"), "batch inner, inner out -> batch out"),
    example(Array("*a d"), Array("e d"), "... d, e d -> ... e"),
    example(Array("n n"), "i i -> i"),
    example(Array("b i"), Array("o i"), "b i, i o -> b o"),
)


@rule("einops.einsum", params="*operands", examples=_WORDS)
def einsum_of_words(call: Call) -> Tensor:
    """As `torch.einsum`, with words for labels and the equation behind the operands."""
    given = call["operands"]
    *_, text = given if isinstance(given, tuple) and given else (None,)
    if not isinstance(text, str) or not isinstance(given, tuple):
        raise Undetermined("the equation is not a literal string")
    call.arguments = {"operands": given[:-1]}
    return _contracted(call, text, Equation.of_words(text), _arrays(call))


def _contracted(call: Call, text: str, equation: Equation, arrays: list[Tensor]) -> Tensor:
    if equation.problem is not None:
        raise Conflicting(wording.misused(call.name, f'"{text}": {equation.problem}'))
    if len(equation.operands) != len(arrays):
        counts = f"{len(equation.operands)} operands in the equation, {len(arrays)} given"
        raise Conflicting(wording.misused(call.name, f'"{text}": {counts}'))
    sizes = _Labels(call, equation)
    for at, (labels, array) in enumerate(zip(equation.operands, arrays, strict=True)):
        sizes.read(at, labels, array)
    sizes.record(arrays)
    parts = [part for label in equation.result for part in sizes.parts(label)]
    return Tensor(Shape(tuple(parts)), _dtype(call, arrays))


def _dtype(call: Call, arrays: list[Tensor]) -> DType:
    """Frameworks differ on sums of integers and bools."""
    kept = promotion.promoted(call.framework, arrays)
    held = promotion.kinds(kept)
    return kept if held and held <= {"float", "complex"} else ANY


def _arrays(call: Call) -> list[Tensor]:
    given = call["operands"]
    if isinstance(given, tuple) and len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = tuple(given[0])
    if not isinstance(given, tuple):
        raise Undetermined("the operands are not known")
    return [_array(each) for each in given]


def _array(operand: Value) -> Tensor:
    """An operand, which is an array, whatever else is known of it."""
    if isinstance(operand, Unknown):
        return Tensor(Shape.unknown(), ANY)
    if not isinstance(operand, Tensor):
        raise Undetermined("an operand is not known to be an array")
    return operand


class _Labels:
    """What each label of an equation stands for; lives for one application."""

    def __init__(self, call: Call, equation: Equation) -> None:
        self.call = call
        self.equation = equation
        self.found: dict[str, tuple[Shape, int]] = {}
        self.own: list[dict[str, Axis]] = []
        self.weights: dict[str, bool] = {}

    def read(self, at: int, labels: tuple[str, ...], array: Tensor) -> None:
        """Give each label the axes of one operand."""
        own: dict[str, Axis] = {}
        for label, part in zip(labels, self._split(at, labels, array.shape), strict=True):
            axis = part.fixed[0] if label != _REST and part.fixed else None
            if axis is not None and label in own:
                self._agree(at, label, own[label], axis)
            elif axis is not None:
                own[label] = axis
            self._meet(at, label, part, weight=array.parameter)
        self.own.append(own)

    def parts(self, label: str) -> tuple[Part, ...]:
        """The axes of a label in the result."""
        return self.found[label][0].axes if label in self.found else ()

    def record(self, arrays: list[Tensor]) -> None:
        """Tell of axes of size 1 that are stretched to what their label is elsewhere.

        The operands are shown over all labels, in the order of the result: where one has no axis
        of a label, that is by design.
        """
        every = [label for labels in self.equation.operands for label in labels]
        order = [*self.equation.result, *sorted({*every} - {*self.equation.result})]
        stretched = any(
            axis.is_one and not self._axis(label).is_one
            for own in self.own
            for label, axis in own.items()
        )
        if not stretched or _REST in order:
            return
        operands = {
            f"operands[{at}]": array.with_shape(
                Shape(tuple(own.get(label, _ABSENT) for label in order))
            )
            for at, (own, array) in enumerate(zip(self.own, arrays, strict=True))
        }
        result = Tensor(Shape(tuple(self._axis(label) for label in order)))
        self.call.broadcasts.append(Broadcast(self.call.op, operands, result, indirect=True))

    def _axis(self, label: str) -> Axis:
        (axis,) = self.found[label][0].prefix
        return axis

    def _split(self, at: int, labels: tuple[str, ...], shape: Shape) -> list[Shape]:
        """One shape for each label; raises Conflicting if there are too many axes or too few."""
        if _REST not in labels:
            known = with_rank(shape, len(labels), labels)
            if known is None:
                raise Conflicting(self._rank(at, labels, shape))
            return [Shape((part,)) for part in known.axes]
        front = labels.index(_REST)
        back = len(labels) - front - 1
        if shape.rank is not None and shape.rank < front + back:
            raise Conflicting(self._rank(at, labels, shape))
        if len(shape.prefix) < front or len(shape.suffix) < back:
            raise Undetermined("the axes beside `...` are not known")
        end = len(shape.axes) - back
        ones = [Shape((part,)) for part in (*shape.axes[:front], *shape.axes[end:])]
        return [*ones[:front], Shape(shape.axes[front:end]), *ones[front:]]

    def _rank(self, at: int, labels: tuple[str, ...], shape: Shape) -> Diagnostic:
        where = wording.argument(f"operands[{at}]", self.call.name)
        return wording.rank_differs(where, " ".join(labels), shape.text)

    def _agree(self, at: int, label: str, one: Axis, other: Axis) -> None:
        """Two axes of one operand: they have one size, and a 1 does not stretch."""
        if one.flexible or other.flexible:
            return
        if self.call.same(one.dim, other.dim) is Verdict.DIFFERENT:
            raise Conflicting(self._clash(at, label, (str(one), str(other)), at))

    def _meet(self, at: int, label: str, part: Shape, *, weight: bool) -> None:
        """Axes of two operands broadcast; a weight teaches the size that it needs."""
        if label not in self.found:
            self.found[label], self.weights[label] = (part, at), weight
            return
        before, first = self.found[label]
        if weight != self.weights.get(label, weight):
            pair = (Tensor(before, parameter=not weight), Tensor(part, parameter=weight))
            teach(self.call, pair)
        outcome = broadcast((before, part), self.call.facts)
        if outcome.shape is None:
            raise Conflicting(self._clash(at, label, (before.text, part.text), first))
        self.call.facts = outcome.facts
        self.found[label] = (outcome.shape, first)

    def _clash(self, at: int, label: str, sizes: tuple[str, str], first: int) -> Diagnostic:
        where = wording.argument(f"operands[{at}]", self.call.name)
        expected, actual = sizes
        if label == _REST:
            return wording.shape_differs(f"{where}, axes `...`", expected, actual)
        index = self.equation.operands[at].index(label)
        if _REST in self.equation.operands[at][:index]:
            index -= len(self.equation.operands[at])
        origin = f"`{label}` of `operands[{first}]`"
        return wording.axis_differs(where, index, expected, actual, bound_by=origin)
