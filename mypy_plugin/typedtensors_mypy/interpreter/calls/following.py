# SPDX-License-Identifier: Apache-2.0
"""Calls of the user's functions: by what their annotations promise, else by going through them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from typedtensors.dims import Atom, Dim, Facts
from typedtensors.dims.quick import dataclass
from typedtensors.ops import Layer, Unknown, Value
from typedtensors.shapes import Argument, Bindings, Match, match_all
from typedtensors_mypy.interpreter.annotations.arrays import (
    arrays_in,
    brings_shapes,
    says_enough,
)
from typedtensors_mypy.interpreter.annotations.declared import completed, value_of
from typedtensors_mypy.interpreter.annotations.signature import (
    Given,
    Signature,
    fit,
    is_transparent,
    signature_of,
)
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.brought import brings_something
from typedtensors_mypy.interpreter.calls.classes import making_of
from typedtensors_mypy.interpreter.calls.constructors import with_any_others
from typedtensors_mypy.interpreter.calls.solving import Held, solved
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.functions import activation, go_through
from typedtensors_mypy.interpreter.joins import join_all
from typedtensors_mypy.interpreter.memo import Followed, Likeness, is_blank
from typedtensors_mypy.interpreter.state import State, join_states
from typedtensors_mypy.interpreter.statements.assignment import forget_module, mark_changed
from typedtensors_mypy.interpreter.values import (
    CHANGED,
    REPORTED,
    RESHAPED,
    Chain,
    Coming,
    Function,
    Instance,
    Items,
    Stream,
    next_serial,
)
from typedtensors_mypy.source.annotations.types import (
    ClassType,
    OpaqueType,
    ScalarType,
    specs_of,
)
from typedtensors_mypy.source.modules import AnyFunction
from typedtensors_mypy.source.syntax.assigned import may_assign, may_fill
from typedtensors_mypy.source.syntax.walks import dotted

_NOT_FOLLOWED = Unknown("a function that is not followed")
_KEYWORDS = Unknown("keyword arguments")


def call_function(frame: Frame, node: ast.expr, function: Function, arguments: Arguments) -> Value:
    """The value of a call: by the function's annotations where it has some, else by its body."""
    signature = signature_of(frame.run, function)
    if not signature.plain and not function.bare:
        return _call_decorated(frame, node, function, arguments)
    if not arguments.complete and _is_building(function.receiver) and _is_constructor(function):
        arguments = with_any_others(frame, node, function, arguments)
    if signature.receiver and function.receiver is not None:
        arguments = arguments.after(function.receiver)
    given = fit(signature, arguments)
    if given is None:
        return Unknown("a call whose arguments do not fit or are not known")
    value = _Call(frame, node, function, signature, given).value()
    # What a constructor calls leaves the object as it is known to leave it.
    if frame.state.objects and not _is_building(function.receiver):
        frame.state.forget_assigned(may_assign(function.scope.module, function.node))
    _count_no_more(frame, function, given)
    return _given_back(signature, value)


def _count_no_more(frame: Frame, function: Function, given: Mapping[str, Given]) -> None:
    """Nobody counts the items of lists that a function may add to, which it gets or closes over."""
    values = {**function.closure, **{name: each.value for name, each in given.items()}}
    counted = {name: each for name, each in values.items() if type(each) is Stream and each.rounds}
    if counted:
        for name in counted.keys() & may_fill(function.scope.module, function.node):
            mark_changed(frame, counted[name])


def _given_back(signature: Signature, value: Value) -> Value:
    """What a caller gets of what a function's body gives."""
    if signature.manager:
        return Coming(value.item) if isinstance(value, Stream) else Unknown("a context manager")
    return Coming(value) if signature.is_async and not signature.generator else value


def _call_decorated(
    frame: Frame, node: ast.expr, function: Function, arguments: Arguments
) -> Value:
    """A call of what the decorators make of a function."""
    value = _decorated(frame, function)
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Function) and value.bare and value.node is function.node:
        return call_function(frame, node, replace(function, bare=True), arguments)
    if function.receiver is not None:
        arguments = arguments.after(function.receiver)
    return frame.run.call(frame, node, value, arguments)


def _decorated(frame: Frame, function: Function) -> Value:
    """What the decorators make of a function: at the top level of a module they are run once."""
    run = frame.run
    key = "decorated", id(function.node)
    if key in run.results:
        return run.results[key]
    outer = Frame(run, function.scope, closure=dict(function.closure), depth=frame.depth + 1)
    value: Value = replace(function, bare=True, receiver=None)
    for decorator in reversed(function.node.decorator_list):
        value = _changed_by(outer, decorator, value)
    if not function.closure and not outer.too_deep:
        run.results[key] = value
    return value


def _changed_by(outer: Frame, decorator: ast.expr, value: Value) -> Value:
    """What a decorator makes of a value; the last one gets the function first."""
    if is_transparent(outer.scope, decorator):
        return value
    if isinstance(value, Unknown) or outer.too_deep:
        return Unknown("a function that a decorator changes")
    with outer.run.silence():
        return outer.run.call(outer, decorator, outer.evaluate(decorator), Arguments((value,)))


@dataclass
class _Call:
    """One call whose arguments fit the function's parameters."""

    frame: Frame
    node: ast.expr
    function: Function
    signature: Signature
    given: Mapping[str, Given]

    def value(self) -> Value:
        """What the call gives."""
        bindings: Bindings | None = Bindings()
        if self.signature.shaped:
            held = Held(self.function.name, self.signature, self.given)
            bindings = solved(self.frame, self.node, held)
        if bindings is None:
            return REPORTED
        # A constructor is gone through for what it sets, whatever its annotation says.
        if says_enough(self.signature.returns) and not _is_building(self.function.receiver):
            if self.signature.returns == ScalarType("None"):
                self._see_changes()
            return self._promised(bindings)
        value = self._follow()
        returns = self.signature.returns
        # What only leads to more calls that are followed is not worth it inside of one.
        inside = isinstance(returns, ClassType) and self.frame.called_at is not None
        if isinstance(returns, OpaqueType) or inside or _is_building(self.function.receiver):
            return value
        names = bindings.complete(specs_of(returns))
        return completed(self.frame, returns, value, names, f"{self.function.name}()")

    def _promised(self, bindings: Bindings) -> Value:
        """What the return annotation says; names that only it has may be seen from the body."""
        returns = self.signature.returns
        specs = list(specs_of(returns))
        open_names = {name for spec in specs for name in spec.names}.difference(bindings.axes)
        if _is_made(self.function.receiver) or self._brings_shapes():
            # The sizes an object was made with are known, so its body may show what is wrong; so
            # are the shapes that no annotation says.
            bindings = self._seen_in_body(bindings, promised=bindings)
        elif open_names:
            with self.frame.run.silence():
                bindings = self._seen_in_body(bindings)
        name = f"{self.function.name}()"
        return value_of(self.frame, returns, bindings.complete(specs), name)

    def _see_changes(self) -> None:
        """Go through what gives nothing, where it gets what it may change."""
        if any(isinstance(each.value, (Layer, Chain)) for each in self.given.values()):
            with self.frame.run.silence():
                self._follow()

    def _brings_shapes(self) -> bool:
        """Whether a parameter gets an array of known shape that its annotation does not say."""
        # What calls inside of one bring is seldom known, and costs as much to follow.
        return self.frame.called_at is None and any(
            brings_shapes(self.frame, parameter.type, self.given[parameter.name].value)
            for parameter in self.signature.parameters
            if parameter.name in self.given
        )

    def _seen_in_body(self, bindings: Bindings, *, promised: Bindings | None = None) -> Bindings:
        """What the body shows that names stand for; what is `promised` is held against it."""
        returns = self.signature.returns
        shown = arrays_in(self.frame, returns, self._follow(promised))
        pairs = [Argument("", kind.spec, array.shape) for kind, array in shown]
        found = match_all(pairs, bindings, self.frame.state.facts)
        return found.bindings if isinstance(found, Match) else bindings

    def _follow(self, promised: Bindings | None = None) -> Value:
        """The value of a call, by going through the body with the arguments it gets.

        With `promised`, what the body returns is checked: by the annotation, whose names stand for
        that.
        """
        run, receiver = self.frame.run, self.function.receiver
        module, node = self.function.scope.module, self.function.node
        if self.frame.too_deep or module.once(_is_stub, node):
            return _NOT_FOLLOWED
        if promised is None and self._is_aside():
            return _NOT_FOLLOWED
        given = ((name, each.value) for name, each in self.given.items())
        like = Likeness.of(self.function, given, self.frame.state, accepting=self.frame.accepting)
        itself = like.itself
        if itself in run.active:
            return _NOT_FOLLOWED
        so_far = self._set_so_far()
        known = None if so_far else run.followed.get(like)
        known = known and known.again(like.given)
        if known is None:
            reusable = (is_blank(receiver) and not so_far) or not _is_building(receiver)
            reusable = reusable and not _closes_over_lists(self.function)
            run.active.add(itself)
            globals_met = len(run.results)
            with run.listening() as heard:
                known = self._go_through(promised, like.given)
            run.active.discard(itself)
            # A global that was met here for the first time is no new object at the next call.
            reusable = reusable and len(run.results) == globals_met
            if reusable and not heard and not run.exhausted:
                run.followed[like] = known
        if known.lists:
            self.frame.state.lists = {**self.frame.state.lists, **known.lists}
        for atom, size in known.taught.items():
            self.frame.state.facts = self.frame.state.facts.require(Dim.atom(atom), size)[1]
        for name, became in known.changed.items():
            self._pass_on(self.given[name], became)
        if isinstance(receiver, Instance) and receiver.building:
            receiver.attributes.update(known.attributes)
            self.frame.state.set_attributes(receiver, known.attributes)
        return known.value

    def _is_aside(self) -> bool:
        """Whether a call inside of one that is followed has nothing to do with known shapes.

        What a constructor calls makes the parts of its object, as the constructor itself does. A
        call without arguments is gone through once, as it is the same everywhere.
        """
        caller = self.frame.callee
        if self.frame.called_at is None or not self.given or _is_building(self.function.receiver):
            return False
        if caller is not None and _is_building(caller.receiver):
            return False
        function = self.function
        given = (each.value for each in self.given.values())
        used = (*given, *function.closure.values(), *function.defaults.values())
        return not brings_something(self.frame.state, used)

    def _set_so_far(self) -> dict[str, Value]:
        """What the caller itself has set on the object that is being made."""
        receiver = self.function.receiver
        return self.frame.state.attributes(receiver) if _is_building(receiver) else {}

    def _go_through(self, promised: Bindings | None, given: tuple[Items, ...]) -> Followed:
        since = next_serial()
        inner = self._activation()
        if promised is not None and not self.signature.generator:
            inner.returns, inner.bindings = self.signature.returns, promised
        go_through(inner)
        end = join_states(inner.exits)
        value = _result(inner, self.signature)
        before = self.frame.state.lists
        changed = {at: each for at, each in end.lists.items() if before.get(at) is not each}
        ends = ((name, end.values.get(name)) for name in self.given)
        became = {name: each for name, each in ends if each is CHANGED or each is RESHAPED}
        taught = _taught(self.frame.state.facts, end.facts)
        return Followed(value, changed, self._attributes(end), became, given, taught, since)

    def _pass_on(self, given: Given, became: Value) -> None:
        """Let the caller know of what the function did to an argument where it is."""
        if became is RESHAPED:
            self.frame.state.replace(given.value, RESHAPED)
        elif given.node is not None and not isinstance(given.value, Unknown):
            forget_module(self.frame, given.node)

    def _attributes(self, end: State) -> Mapping[str, Value]:
        """What the call has set on the object that is being made."""
        receiver, args = self.function.receiver, self.function.node.args.args
        if not isinstance(receiver, Instance) or not receiver.building or not args:
            return {}
        own = f"{args[0].arg}."
        stored = {k.removeprefix(own): v for k, v in end.values.items() if k.startswith(own)}
        return {name: end.now(value) for name, value in {**receiver.attributes, **stored}.items()}

    def _activation(self) -> Frame:
        frame = self.frame
        inner = activation(frame.run, self.function)
        inner.depth = frame.depth + 1
        inner.accepting = frame.accepting or self.signature.accepting
        inner.caller = frame
        inner.called_at = self.node
        inner.site = frame.site_of(self.node)
        making = making_of(frame.run, self.function)
        facts, lists, reads = frame.state.facts, frame.state.lists, frame.state.reads
        inner.state = State(facts=facts, lists=lists, making=making, reads=reads)
        for parameter in self.signature.parameters:
            value: Value = () if parameter.kind == "*" else _KEYWORDS
            if parameter.name in self.given:
                value = self.given[parameter.name].value
            elif parameter.name in self.function.defaults:
                value = self.function.defaults[parameter.name]
            elif parameter.default is not None:
                value = inner.evaluate(parameter.default)
            inner.state.values[parameter.name] = value
        inner.state.set_attributes(self.function.receiver, self._set_so_far())
        return inner


def _taught(before: Facts, after: Facts) -> Mapping[Atom, Dim]:
    """The sizes with a name that a body shows to be numbers: a layer of 3 channels takes them."""
    if after.equations is before.equations:
        return {}
    return {
        atom: size
        for atom, size in after.equations.items()
        if atom.declared and size.value is not None and atom not in before.equations
    }


def _is_stub(node: AnyFunction) -> bool:
    """Whether a summary left out the body, or a subclass has to write it."""
    body = [each.value if isinstance(each, ast.Expr) else each for each in node.body]
    last = body[-1]
    left_out = isinstance(last, ast.Constant) and last.value is ...
    empty = all(isinstance(each, (ast.Constant, ast.Pass)) for each in body)
    return left_out or empty or _is_abstract(node)


def _is_abstract(node: AnyFunction) -> bool:
    names = (dotted(each) or "" for each in node.decorator_list)
    return any(name.rpartition(".")[2].startswith("abstract") for name in names)


def _closes_over_lists(function: Function) -> bool:
    return any(isinstance(value, Items) for value in function.closure.values())


def _is_building(receiver: Value) -> bool:
    return isinstance(receiver, Instance) and receiver.building


def _is_constructor(function: Function) -> bool:
    return function.node.name == "__init__"


def _is_made(receiver: Value) -> bool:
    return isinstance(receiver, Instance) and receiver.exact


def _result(inner: Frame, signature: Signature) -> Value:
    values = inner.yields if signature.generator else inner.outcomes
    if not values:
        return Unknown("a function that does not return")
    joined = join_all(values)
    return Stream(joined) if signature.generator else joined
