# SPDX-License-Identifier: Apache-2.0
"""The values of expressions: those of `typedtensors.ops.value`, and what only a program has."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import field

from typedtensors.dims import Atom
from typedtensors.dims.quick import cached_property, dataclass
from typedtensors.ops import Fields, Framework, Layer, Many, Rounds, Unknown, Value
from typedtensors.shapes import Bindings, DType, Shape, Tensor
from typedtensors_mypy.source.annotations.types import AnnotationType
from typedtensors_mypy.source.modules import AnyFunction, Symbol
from typedtensors_mypy.source.scope import Scope

_MOST_OPTIONS = 4
# What holds more than this, as lists of alternatives of lists of alternatives do, is not known: to
# compare two of them would take for ever.
HEAVIEST = 5_000
# The result of what was told to be a mistake: silent from there on, so that one bug is told once.
REPORTED = Unknown("a mistake that has been reported")
# What is changed where it is, so that all names of it lead to something else.
CHANGED = Unknown("a module that is changed where it is")
RESHAPED = Unknown("an array reshaped in place")
_serials = itertools.count(1)


def next_serial() -> int:
    """A number greater than that of every list, dict and object that there is."""
    return next(_serials)


@dataclass(frozen=True)
class Foreign(Tensor):
    """An array of another framework than torch: its methods and operators are other ops."""

    framework: Framework = Framework.NUMPY

    def like(self, shape: Shape, dtype: DType) -> Foreign:
        """Another array of the same framework."""
        return Foreign(shape, dtype, self.parameter, self.trailing, self.framework)


@dataclass(frozen=True)
class _Holder:
    """Something that holds a value."""

    item: Value

    def __post_init__(self) -> None:
        """Forget what is too much."""
        object.__setattr__(self, "item", light(self.item))

    @cached_property
    def weight(self) -> int:
        """How many values it holds, itself included."""
        return 1 + weight(self.item)


@dataclass(frozen=True)
class Stream(_Holder):
    """Something that gives any number of values, one after the other, each like `item`.

    `rounds` is how many there are, where that is known: what changes their number leaves it out.
    """

    rounds: Rounds | None = None


@dataclass(frozen=True)
class DataSet(Stream):
    """A data set of TensorFlow's, each of whose elements is like `item`."""


@dataclass(frozen=True)
class Keyed(_Holder):
    """A dict of any keys, each of whose values is like `item`."""


@dataclass(frozen=True)
class Chain:
    """Modules that are applied one after the other, as those of `nn.Sequential` are.

    `settings` is a dict of what `compile` was given, where they are a model of Keras's.
    """

    modules: Items | Stream
    settings: Items = field(default_factory=lambda: Items((), ()), compare=False)


@dataclass(frozen=True)
class Wired:
    """A model of Keras's: what layers made of the inputs, and so will make of what it is called on.

    Invariant: the inputs are an array of known rank, or several. `settings` as those of a `Chain`.
    """

    inputs: Value
    outputs: Value
    settings: Items = field(default_factory=lambda: Items((), ()), compare=False)


@dataclass(frozen=True)
class Coming:
    """What a coroutine, a task or a context manager holds until it is awaited or entered."""

    value: Value


@dataclass(frozen=True)
class Promise:
    """A variable that was annotated, and that nothing is assigned to yet."""

    kind: AnnotationType


@dataclass(frozen=True)
class Either:
    """One of a few values: which one depends on the run.

    Invariant: two to four options, no two equal, none of them Unknown or an Either. Made by
    `either` only.
    """

    options: tuple[Value, ...]

    @cached_property
    def weight(self) -> int:
        """How many values it holds, itself included."""
        return weight(self.options)


@dataclass(frozen=True)
class Items:
    """A list or a dict with its values, as it was made.

    Invariant: `serial` is the object's identity, shared by all names for it, and greater than that
    of every older one. What the object is like at a point of the code, its `State` knows.
    """

    values: tuple[Value, ...]
    keys: tuple[Value, ...] | None = None
    serial: int = field(default_factory=next_serial)

    def __post_init__(self) -> None:
        """Forget what is too much."""
        if self.weight > HEAVIEST:
            object.__setattr__(self, "values", tuple(map(_forgotten, self.values)))

    @cached_property
    def weight(self) -> int:
        """How many values it holds, itself included."""
        return weight(self.values)


@dataclass(frozen=True, eq=False)
class Function:
    """A function of the user's, where its names are looked up, and what it closes over.

    `receiver` is the object that a method is bound to. `defaults` are those of a function that was
    defined inside another, by parameter. `bare`: without its decorators, as they get it.
    """

    node: AnyFunction
    scope: Scope
    closure: Mapping[str, Value] = field(default_factory=dict)
    receiver: Value = None
    owner: UserClass | None = None
    defaults: Mapping[str, Value] = field(default_factory=dict)
    bare: bool = False

    @property
    def name(self) -> str:
        """As messages call it."""
        return f"{self.owner.name}.{self.node.name}" if self.owner else self.node.name


@dataclass(frozen=True, eq=False)
class UserClass:
    """A class of the user's, as a value."""

    node: ast.ClassDef
    scope: Scope

    @property
    def name(self) -> str:
        """As messages call it."""
        return self.node.name

    @cached_property
    def symbols(self) -> Mapping[str, Symbol]:
        """What the statements of its body bind."""
        return self.scope.module.symbols_in(self.node)

    @cached_property
    def valued(self) -> frozenset[str]:
        """The names that its body gives a value, and not an annotation alone."""
        symbols = self.symbols.items()
        return frozenset({name for name, each in symbols if getattr(each, "value", each)})


@dataclass(eq=False)
class Instance:
    """An object of a class of the user's.

    `attributes` are what its constructor set. An attribute that may have another value at some
    time is Unknown for good, so sharing one instance between states is sound. `exact`: it is of
    this class, not of a subclass. `building`: its constructor is being gone through. `pending`:
    nobody has gone through it yet. `names` are what the annotations of its attributes need, once
    somebody asked; `sizes` the integers that it was made with; `kept` what methods make those of
    its attributes that they assign. `settings` as those of a `Chain`.
    """

    cls: UserClass
    attributes: dict[str, Value] = field(default_factory=dict)
    exact: bool = False
    building: bool = False
    pending: bool = False
    names: Bindings | None = None
    sizes: frozenset[Atom] = frozenset()
    kept: Mapping[str, Value] | None = None
    settings: Items = field(default_factory=lambda: Items((), ()))
    serial: int = field(default_factory=next_serial)


@dataclass(frozen=True)
class Method:
    """A method of a library's object, before it is called: `x.view`, `model.to`."""

    receiver: Value
    name: str


@dataclass(frozen=True, eq=False)
class Partial:
    """A function with some of its arguments given already."""

    callee: Value
    positional: tuple[Value, ...]
    keywords: Mapping[str, Value]


@dataclass(frozen=True)
class Maker:
    """What `collections.namedtuple` gives: called with values, it makes a tuple of them."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Super:
    """What `super()` gives inside a method."""

    cls: UserClass
    instance: Value


def either(values: Iterable[Value]) -> Value:
    """One of the values, in as few words as that can be said."""
    options: list[Value] = []
    for value in values:
        if isinstance(value, Unknown):
            return value
        for option in value.options if isinstance(value, Either) else (value,):
            if option not in options:
                options.append(option)
    if len(options) > _MOST_OPTIONS:
        options = _of_one_class(options)
    if len(options) == 1:
        return options[0]
    if not options or len(options) > _MOST_OPTIONS:
        return Unknown("more alternatives than are followed")
    return light(Either(tuple(options)))


def _of_one_class(options: list[Value]) -> list[Value]:
    """The options, with one layer in place of all of its class: what they share is known of it."""
    found: dict[object, Value] = {}
    for at, option in enumerate(options):
        key = option.name if isinstance(option, Layer) else at
        known = found.get(key)
        if isinstance(option, Layer) and isinstance(known, Layer):
            found[key] = _shared(known, option)
        else:
            found[key] = option
    return [*found.values()]


def _shared(one: Layer, other: Layer) -> Layer:
    differs, given = Unknown("what layers of one class do not share"), other.config
    both = {key: each if given.get(key) == each else differs for key, each in one.config.items()}
    return Layer(one.name, both)


def weight(value: Value) -> int:
    """How many values a value holds, itself included; one that it holds twice counts twice."""
    if isinstance(value, (Either, Items, _Holder)):
        return value.weight
    if isinstance(value, Coming):
        return 1 + weight(value.value)
    if not isinstance(value, tuple):
        return 1
    # Of most values, and of most tuples, each item is one.
    heavy = [weight(item) - 1 for item in value if isinstance(item, _HOLDING)]
    return 1 + len(value) + sum(heavy)


_HOLDING = (Either, Items, _Holder, Coming, tuple)


def light(value: Value) -> Value:
    """The value, unless it holds more than can be compared."""
    return value if weight(value) <= HEAVIEST else _forgotten(value)


def _forgotten(_value: Value) -> Unknown:
    return Unknown("a value that holds too much")


def options(value: Value) -> tuple[Value, ...]:
    """The values that a value may be."""
    return value.options if isinstance(value, Either) else (value,)


def present(value: Value) -> Value:
    """The value where it is used as an object: None is left to mypy."""
    return either(present_options(value)) if isinstance(value, Either) else value


def present_options(value: Either) -> tuple[Value, ...]:
    """What a value may be besides None, of which there is at least one."""
    return tuple(option for option in value.options if option is not None)


def framework_of(value: Value) -> Framework | None:
    """The framework of an array, None for anything else."""
    return array_framework(value) if isinstance(value, Tensor) else None


def array_framework(array: Tensor) -> Framework:
    """The framework of an array."""
    return array.framework if isinstance(array, Foreign) else Framework.TORCH


def of_framework(value: Value, framework: Framework) -> Value:
    """The value with every array in it belonging to a framework, as its rules leave that out."""
    if isinstance(value, list):
        return Items(tuple(of_framework(item, framework) for item in value))
    if isinstance(value, tuple) and not isinstance(value, Fields):
        return tuple(of_framework(item, framework) for item in value)
    if isinstance(value, Many):
        return Stream(of_framework(value.item, framework), value.rounds)
    if not isinstance(value, Tensor) or array_framework(value) is framework:
        return value
    if framework is Framework.TORCH:
        return Tensor(value.shape, value.dtype, value.parameter, value.trailing)
    return Foreign(value.shape, value.dtype, value.parameter, value.trailing, framework)
