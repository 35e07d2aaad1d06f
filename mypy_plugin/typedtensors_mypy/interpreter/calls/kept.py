# SPDX-License-Identifier: Apache-2.0
"""What the attributes of an object are between two calls of its methods, some of which assign them.

Each method of a class that assigns an attribute is gone through by itself, once the attribute is
asked for: first with what the constructor made for what the methods find, then with what they left
besides, until they leave nothing else. So the answer rests on the class alone, and not on who asks
first, or for what.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from typedtensors.dims import Atom, Dim, Facts
from typedtensors.ops import Layer, Unknown, Value
from typedtensors.shapes import Tensor
from typedtensors_mypy.interpreter.annotations.objects import sizes_of
from typedtensors_mypy.interpreter.calls.classes import some_instance
from typedtensors_mypy.interpreter.calls.constructors import ensure_built
from typedtensors_mypy.interpreter.calls.outlasting import (
    looked_at,
    outlasting,
    sizes_between,
    sizes_in,
)
from typedtensors_mypy.interpreter.calls.storing import stored, storing
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.functions import alone, go_through
from typedtensors_mypy.interpreter.joins import join
from typedtensors_mypy.interpreter.run import Run, Supposed, TooMuchError
from typedtensors_mypy.interpreter.values import (
    REPORTED,
    Function,
    Instance,
    UserClass,
    options,
)
from typedtensors_mypy.source.modules import AnyFunction

# For how many steps calls are followed that a method makes which assigns an attribute.
_STEPS = 400
# How often what methods leave may be something else than before, until nobody knows what it is.
_MOST_ROUNDS = 3
_ASSIGNED = Unknown("an attribute that is assigned again")
_GIVEN_UP = Unknown("an attribute that code assigns which is not followed")


def kept(frame: Frame, instance: Instance, name: str) -> Value:
    """What a method finds an attribute to be that some method assigns."""
    value = _found(frame.run, instance, name)
    seen = looked_at(value)
    if seen is not value:
        # It stays what it is until something is assigned.
        frame.state.set_attributes(instance, {name: seen})
    return seen


def _found(run: Run, instance: Instance, name: str) -> Value:
    if run.supposed is not None:
        known = run.supposed.attributes if run.supposed.instance is instance else {}
        return known.get(name, _ASSIGNED)
    made = instance.attributes[name]
    if not _has_shapes(made):
        return _ASSIGNED
    if instance.kept is None:
        instance.kept = _kept(run, instance)
    return _either_of(made, instance.kept[name]) if name in instance.kept else _ASSIGNED


def _either_of(made: Value, left: Value) -> Value:
    """What is known of an attribute that is what was made, or what methods left."""
    sizes = {dim for value in (made, left) for dim in sizes_in(value)}
    return outlasting(join(made, left), lambda dim: dim if dim in sizes else None)


def _kept(run: Run, instance: Instance) -> Mapping[str, Value]:
    """What methods make the attributes of an object: what they make those of any of its class."""
    cls = instance.cls
    known = run.kept.get(id(cls.node))
    if known is None:
        known = run.kept[id(cls.node)] = _left_by_methods(run, cls)
    if not known:
        return known
    sizes = _sizes(some_instance(run, cls), instance)

    def its_own(dim: Dim) -> Dim | None:
        return dim.substitute(sizes) if dim.atoms <= sizes.keys() else None

    return {name: outlasting(value, its_own) for name, value in known.items()}


def _sizes(some: Instance, other: Instance) -> Mapping[Atom, Dim]:
    """What the sizes of some object of a class are in another one, by the attributes of both."""
    found: dict[Atom, Dim] = {}
    unclear: set[Atom] = set()
    for name, value in some.attributes.items():
        for atom, dim in sizes_between(value, other.attributes.get(name)):
            if found.setdefault(atom, dim) != dim:
                unclear.add(atom)
    return {atom: dim for atom, dim in found.items() if atom not in unclear}


def _left_by_methods(run: Run, cls: UserClass) -> Mapping[str, Value]:
    """What methods make the attributes of some object of a class; not those nobody can know."""
    instance = some_instance(run, cls)
    ensure_built(Frame(run, cls.scope), instance)
    methods = _methods(run, instance)
    return _Class(run.apart, instance, methods).left() if methods else {}


def _methods(run: Run, instance: Instance) -> Mapping[str, Sequence[Function]]:
    """The methods that assign each attribute of an object that only its methods assign."""
    names = dict.fromkeys(stored(run, instance.cls))
    found = {name: storing(run, instance.cls, name) for name in names}
    made = instance.attributes
    return {
        name: methods
        for name, methods in found.items()
        if methods and name in made and _has_shapes(made[name])
    }


def _has_shapes(value: Value) -> bool:
    """Whether a value may be an array or a layer, or stand for one that is still to be made."""
    held = options(value)
    return any(each is None or isinstance(each, (Tensor, Layer, tuple)) for each in held)


class _Class:
    """Goes through the methods of a class that assign attributes, until they leave nothing new."""

    def __init__(
        self, run: Run, instance: Instance, methods: Mapping[str, Sequence[Function]]
    ) -> None:
        self._run, self._instance = run, instance
        held = (dim.atoms for each in instance.attributes.values() for dim in sizes_in(each))
        self._own = sizes_of(run, instance).union(*held)
        made = {name: self._lasting(instance.attributes[name]) for name in methods}
        self._made = {name: each for name, each in made.items() if not isinstance(each, Unknown)}
        self._methods = {name: methods[name] for name in self._made}

    def left(self) -> Mapping[str, Value]:
        """What the methods leave, in whatever order they are called."""
        left: dict[str, Value] = {}
        for rounds in itertools.count():
            now = self._once_more(left)
            changed = [name for name, value in now.items() if left.get(name, ...) != value]
            left = now
            if not changed:
                break
            if rounds >= _MOST_ROUNDS:
                left |= dict.fromkeys(changed, _GIVEN_UP)
        return {name: value for name, value in left.items() if not isinstance(value, Unknown)}

    def _once_more(self, left: Mapping[str, Value]) -> dict[str, Value]:
        """What the methods leave where they find what was made, or what they left before."""
        found = {
            name: self._lasting(join(made, left[name])) if name in left else made
            for name, made in self._made.items()
        }
        self._run.supposed = Supposed(self._instance, found)
        self._run.followed.clear()
        now = {**left}
        storing: dict[AnyFunction, tuple[Function, list[str]]] = {}
        for name, value in found.items():
            for method in () if isinstance(value, Unknown) else self._methods[name]:
                storing.setdefault(method.node, (method, []))[1].append(name)
        for method, names in storing.values():
            self._go_through(method, names, now)
        return now

    def _go_through(self, method: Function, names: Sequence[str], now: dict[str, Value]) -> None:
        """Join what a method assigns to attributes to what is left of them now."""

        def store(name: str, value: Value, facts: Facts) -> None:
            # Code that stops at a mistake leaves nothing.
            if name not in names or value == REPORTED:
                return
            value = self._lasting(value, facts)
            now[name] = self._lasting(join(now[name], value)) if name in now else value
            if all(isinstance(now.get(each), Unknown) for each in names):
                raise TooMuchError

        run = self._run
        with run.giving_up(method.name), run.sparing(_STEPS):
            frame = alone(run, method, own=self._instance)
            frame.stored = store
            go_through(frame)
        if run.given_up.pop(method.name, None) is not None:
            now.update(dict.fromkeys(names, _GIVEN_UP))

    def _lasting(self, value: Value, facts: Facts | None = None) -> Value:
        """What is known of a value once the method has returned."""
        facts = facts or Facts()
        names = self._names(facts)

        def size(dim: Dim) -> Dim | None:
            now = dim if dim.atoms <= self._own else facts.resolve(dim).substitute(names)
            return now if now.atoms <= self._own else None

        return outlasting(value, size)

    def _names(self, facts: Facts) -> Mapping[Atom, Dim]:
        """The sizes of the object for which a method has names of its own."""
        known = ((facts.resolve(Dim.atom(each)).factor, each) for each in self._own)
        return {
            name: Dim.atom(each)
            for name, each in known
            if isinstance(name, Atom) and name not in self._own
        }
