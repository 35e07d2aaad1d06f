# SPDX-License-Identifier: Apache-2.0
"""Which arguments of a torch call broadcast against each other."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Args = tuple[Any, ...]
    Kwargs = Mapping[str, Any]
    Sizes = tuple[int, ...]
    Reader = Callable[[Args, Kwargs], "Operands | None"]


NOWHERE = 1 << 16
"""The place of an operand that is no argument of the call."""


@dataclass(frozen=True)
class Operands:
    """The tensors that meet in one call.

    `shapes` are the parts of their shapes that broadcast, `places` their positions among the
    arguments. `comparison`: a loss compares them. `cores`: the axes behind those that broadcast
    (of a matmul, the matrices), for each operand; and `result_core`, for the result. `wholes`: the
    whole shapes, where the parts are in another order; `kept`: how many axes the result keeps.
    """

    tensors: tuple[Tensor, ...]
    shapes: tuple[Sizes, ...]
    places: tuple[int, ...]
    comparison: bool = False
    cores: tuple[Sizes, ...] = ()
    result_core: Sizes = ()
    wholes: tuple[Sizes, ...] = ()
    kept: int | None = None

    @property
    def partial(self) -> bool:
        """Whether the shapes that broadcast are not those that the user knows."""
        return bool(self.cores or self.wholes)

    @property
    def shown(self) -> tuple[Sizes, ...]:
        """The whole shapes, as the user knows them."""
        if self.wholes:
            return self.wholes
        cores = self.cores or ((),) * len(self.shapes)
        return tuple(shape + core for shape, core in zip(self.shapes, cores, strict=True))


@dataclass(frozen=True)
class Role:
    """How one function broadcasts: its name, the reader of its arguments.

    `stated`: a call is a broadcast by name, so it counts only where the framework makes it.
    `method`: of tensors, so that a call may write its first operand before the dot.
    `by_shapes`: the shapes of the tensors among the arguments say all about a call.
    """

    name: str
    read: Reader
    stated: bool = False
    method: bool = False
    by_shapes: bool = True


def has_plain_sizes(arguments: Iterable[object]) -> bool:
    """Whether every tensor's sizes are integers: not of nested tensors, nor while being traced."""
    tensors = [each for each in arguments if isinstance(each, Tensor)]
    return all(not each.is_nested and all(type(d) is int for d in each.shape) for each in tensors)


def plain(size: Any) -> int:  # noqa: ANN401 - an integer, or torch's symbol for one
    """The integer that a size is in this run. To ask a symbol itself would settle what it is."""
    return size if type(size) is int else int(size.node.hint)


def is_plain(size: Any) -> bool:  # noqa: ANN401 - as above
    """Whether a size is an integer in this run, not one that depends on values."""
    return type(size) is int or size.node.hint is not None


def sizes_of(tensor: Tensor) -> Sizes:
    """The sizes of a tensor as integers."""
    return tuple([plain(size) for size in tensor.shape])


def whole(chosen: list[tuple[int, Tensor]], *, comparison: bool = False) -> Operands | None:
    """Tensors that meet as they are, each with its place; None if there are no two."""
    if len(chosen) < 2:
        return None
    return Operands(
        tensors=tuple(tensor for _, tensor in chosen),
        shapes=tuple(sizes_of(tensor) for _, tensor in chosen),
        places=tuple(place for place, _ in chosen),
        comparison=comparison,
    )


def elementwise(args: Args, kwargs: Kwargs) -> Operands | None:
    """All tensors, in the order of the call; `out` is not an operand."""
    values = [*args, *(value for name, value in kwargs.items() if name != "out")]
    return whole([(at, value) for at, value in enumerate(values) if isinstance(value, Tensor)])


def masked(args: Args, kwargs: Kwargs) -> Operands | None:
    """A tensor and the mask of what is replaced in it; what replaces it is taken one by one."""
    return elementwise((args[0], args[1] if len(args) > 1 else kwargs.get("mask")), {})


def stated(args: Args, kwargs: Kwargs) -> Operands | None:
    """The tensors of `broadcast_tensors`, given one by one or as a list.

    Of what a categorical distribution is asked about only the axes before its classes meet.
    """
    given = args[0] if args and isinstance(args[0], (list, tuple)) else args
    found = elementwise(tuple(given), kwargs)
    return found if found is None or not _picks_classes(found.tensors) else _rows(found)


def _picks_classes(tensors: tuple[Tensor, ...]) -> bool:
    """Whether there is a class, with an axis of its own, for each row of logits."""
    if len(tensors) != 2 or not all(each.dim() for each in tensors):
        return False
    classes, logits = tensors
    whole = not (classes.is_floating_point() or classes.is_complex())
    return whole and plain(classes.shape[-1]) == 1 and logits.is_floating_point()


def _rows(found: Operands) -> Operands:
    """The same tensors without their last axes; the one of the classes is the framework's own."""
    shapes, classes = tuple(shape[:-1] for shape in found.shapes), found.shapes[1][-1:]
    return Operands(found.tensors, shapes, found.places, cores=((), classes), result_core=classes)


def batches(args: Args, kwargs: Kwargs) -> Operands | None:
    """The batch axes of two matrices or stacks of them, multiplied."""
    return _stacks(args, kwargs, lambda left, right: (left[-2], right[-1]))


def distances(args: Args, kwargs: Kwargs) -> Operands | None:
    """The batch axes of two sets of points or stacks of them, compared by `cdist`."""
    return _stacks(args, kwargs, lambda left, right: (left[-2], right[-2]))


def _stacks(args: Args, kwargs: Kwargs, core: Callable[[Sizes, Sizes], Sizes]) -> Operands | None:
    whole = elementwise(args, kwargs)
    if whole is None or min(map(len, whole.shapes)) < 2:
        return None
    left, right = whole.shapes
    return Operands(
        whole.tensors,
        shapes=(left[:-2], right[:-2]),
        places=whole.places,
        cores=(left[-2:], right[-2:]),
        result_core=core(left, right),
    )


def added(args: Args, kwargs: Kwargs) -> Operands | None:
    """What `addmm` and its kin add to a product, and the product."""
    names = ("input", "mat1", "mat2", "mat", "vec", "batch1", "batch2")
    tensors = [value for value in (*args, *map(kwargs.get, names)) if isinstance(value, Tensor)]
    if len(tensors) != 3:
        return None
    to, left, right = tensors
    # No argument is the product, so no text of one is its text.
    shapes = sizes_of(to), (*sizes_of(left)[:-1], *sizes_of(right)[left.dim() - 1 :])
    return Operands((to, left), shapes, (0, NOWHERE))


def listed(args: Args, kwargs: Kwargs) -> Operands | None:
    """The first tensors at one place of several lists that differ, as `_foreach_add` adds them."""
    lists = [each for each in (*args, *kwargs.values()) if isinstance(each, (list, tuple))]
    for together in zip(*lists, strict=False):
        found = whole([(NOWHERE, each) for each in together if isinstance(each, Tensor)])
        if found is not None and len(set(found.shapes)) > 1:
            return found
    return None


def taken_along(args: Args, kwargs: Kwargs) -> Operands | None:
    """A tensor and the indices into one of its axes, without that axis."""
    tensors = [value for value in (*args, *kwargs.values()) if isinstance(value, Tensor)]
    dim = kwargs.get("dim", args[2] if len(args) > 2 else None)
    if len(tensors) != 2 or not isinstance(dim, int) or tensors[0].dim() != tensors[1].dim():
        return None
    rows = [[*sizes_of(tensor)] for tensor in tensors]
    for row in rows:
        row[dim] = 1
    shapes = tuple(map(tuple, rows))
    return Operands(tuple(tensors), shapes, (0, 1), wholes=tuple(map(sizes_of, tensors)))


def attention(args: Args, kwargs: Kwargs) -> Operands | None:
    """The scores of scaled dot-product attention, and the mask."""
    mask = kwargs.get("attn_mask", args[3] if len(args) > 3 else None)
    if not isinstance(mask, Tensor) or len(args) < 2:
        return None
    query, key = args[0], args[1]
    scores = (*sizes_of(query)[:-1], sizes_of(key)[-2])
    return Operands((query, mask), (scores, sizes_of(mask)), (0, 3))


def cosine_embedding(args: Args, kwargs: Kwargs) -> Operands | None:
    """The inputs without their last axis, and the target."""
    tensors = [value for value in (*args, *kwargs.values()) if isinstance(value, Tensor)]
    if len(tensors) < 3:
        return None
    first, second, target = tensors[:3]
    if sizes_of(first) != sizes_of(second):
        return whole([(0, first), (1, second)], comparison=True)
    shapes = sizes_of(first)[:-1], sizes_of(target)
    return Operands((first, target), shapes, (0, 2), comparison=True)


@dataclass(frozen=True)
class Loss:
    """A loss: the parameters that it compares, and those that may broadcast against them."""

    compared: tuple[str, ...]
    beside: tuple[str, ...] = ()

    def reader(self, function: Callable[..., Any]) -> Reader:
        """Reads calls of the function, by its signature."""
        names = list(inspect.signature(function).parameters)
        places = {name: names.index(name) for name in self.compared + self.beside if name in names}

        def read(args: Args, kwargs: Kwargs) -> Operands | None:
            given = {
                name: args[place] if place < len(args) else kwargs.get(name)
                for name, place in places.items()
            }
            tensors = {name: value for name, value in given.items() if isinstance(value, Tensor)}
            compared = [tensors[name] for name in self.compared if name in tensors]
            differ = len(set(map(sizes_of, compared))) > 1
            taken = self.compared if differ else (*self.compared, *self.beside)
            chosen = [(places[name], tensors[name]) for name in taken if name in tensors]
            return whole(chosen, comparison=differ)

        return read
