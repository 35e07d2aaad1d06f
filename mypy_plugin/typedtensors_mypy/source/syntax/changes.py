# SPDX-License-Identifier: Apache-2.0
"""What the code of a module changes after it was made, so that nobody may rely on it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from typedtensors_mypy.source.modules import AnyFunction, FunctionNode, Module
from typedtensors_mypy.source.syntax.contents import contents, parts
from typedtensors_mypy.source.syntax.walks import dotted, statements, walk

_WALKS = frozenset({"children", "modules", "named_children", "named_modules"})
_HARMLESS = frozenset({"data", "grad", "requires_grad", "training"})
# Methods of an array that give it elsewhere, with another dtype or once more.
_KEEPING = frozenset(
    {"astype", "bfloat16", "clone", "contiguous", "copy", "cpu", "cuda", "detach", "double"}
    | {"float", "half", "requires_grad_", "to"}
)
# Functions that give the array they are given, by the names people import them under.
_FILLING = re.compile(r"(?:.+\.)?(?:Parameter|init\.\w+_)")
CONSTRUCTORS = ("__init__", "__post_init__")


def reassigned(module: Module) -> frozenset[str]:
    """The attributes that some code of a module assigns, the making of `self` left aside."""
    return frozenset(target.attr for target in _assigned(module)) | module.summed(set_by_name)


def replaced(module: Module) -> frozenset[str]:
    """Of these the ones that get another value, and not what a step makes of their own.

    `self.w -= rate * gradient`, `self.w = self.w - rate * gradient`: an array keeps its shape.
    """
    stepped = map(_stepped, statements(module.tree.body))
    steps = {id(target) for target in stepped if target is not None}
    others = (target.attr for target in _assigned(module) if id(target) not in steps)
    return frozenset(others) | module.summed(set_by_name)


def set_by_name(module: Module) -> frozenset[str]:
    """The attributes that code sets by `setattr` and the like, the making of objects left aside."""
    parts = (part for part, own in module.summed(_parts) if own is None)
    return frozenset().union(*(module.once(contents, part).set_by_name for part in parts))


def _assigned(module: Module) -> Iterator[ast.Attribute]:
    for part, own in module.summed(_parts):
        inside = module.once(contents, part)
        yield from inside.assigned_inside
        for target in inside.assigned:
            owner = target.value.id if isinstance(target.value, ast.Name) else ""
            if owner != own:
                yield target


def _stepped(node: ast.stmt) -> ast.Attribute | None:
    """The attribute from which a statement takes a step, or that it fills or moves."""
    if isinstance(node, ast.AugAssign):
        return node.target if isinstance(node.target, ast.Attribute) else None
    if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
        return None
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if not isinstance(target, ast.Attribute):
        return None
    name = dotted(target)
    return target if name is not None and _is_made_of(node.value, name) else None


def _is_made_of(value: ast.expr, name: str) -> bool:
    """Whether a value has the shape of what goes by the name: `nn.init.normal_(self.w)`."""
    if isinstance(value, ast.BinOp):
        # The sum with a batch has the batch's axis, as that of a state with its input has.
        stays = isinstance(value.op, (ast.Sub, ast.Div))
        return stays and _is_made_of(value.left, name)
    if not isinstance(value, ast.Call):
        return dotted(value) == name
    function = value.func
    if isinstance(function, ast.Attribute) and function.attr in _KEEPING:
        return _is_made_of(function.value, name)
    fills = _FILLING.fullmatch(dotted(function) or "") is not None
    return fills and bool(value.args) and _is_made_of(value.args[0], name)


def changed_in_place(module: Module) -> frozenset[str]:
    """The names and attributes that some code of a module changes where they are.

    The lists of an object are filled where it is made, before anyone else sees them.
    """
    found: set[str] = set()
    for part, own in module.summed(_parts):
        for name, owner in module.once(contents, part).changed.items():
            if own is None or not isinstance(owner, ast.Attribute) or dotted(owner.value) != own:
                found.add(name)
    return frozenset(found)


def modules_changed(loop: ast.For | ast.AsyncFor) -> ast.expr | None:
    """The module whose parts a loop goes through to change them, or to put others in their place.

    `for layer in net.modules(): layer.padding = 0`, `setattr(net, name, ...)`.
    """
    owner = next(filter(None, map(_walked, walk(loop.iter))), None)
    if owner is None:
        return None
    return owner if any(any(map(_changes, walk(each))) for each in loop.body) else None


def _walked(part: ast.AST) -> ast.expr | None:
    """The module whose parts an expression gives: `net.named_modules()`."""
    function = part.func if isinstance(part, ast.Call) else None
    if isinstance(function, ast.Attribute) and function.attr in _WALKS:
        return function.value
    return None


def _changes(part: ast.AST) -> bool:
    if isinstance(part, ast.Call):
        return isinstance(part.func, ast.Name) and part.func.id == "setattr"
    stored = isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
    return stored and getattr(part, "attr", "") not in _HARMLESS


def own_calls(method: AnyFunction) -> Iterator[str]:
    """The methods that a method calls on its own object."""
    own = receiver(method)
    for node in walk(method):
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Attribute) and dotted(function.value) == own is not None:
            yield function.attr


def receiver(method: AnyFunction) -> str | None:
    """What a method calls the object that it belongs to."""
    args = [*method.args.posonlyargs, *method.args.args]
    return args[0].arg if args else None


def _parts(module: Module) -> tuple[tuple[ast.AST, str | None], ...]:
    """The parts of a module, with what each calls the object that it makes, if it makes one."""
    made = module.summed(making)
    return tuple(
        (part, receiver(part) if isinstance(part, FunctionNode) and part in made else None)
        for part in parts(module.tree)
    )


def making(module: Module) -> set[AnyFunction]:
    """The methods that make objects: constructors, and what is called by nothing but these."""
    every = [*parts(module.tree)]
    classes = [part for part in every if isinstance(part, ast.ClassDef)]
    found = {method for node in classes for method in _called(node)}
    names = {method.name for method in found}
    # A subclass may have helpers of its own for the constructor that it inherits.
    found |= {each for node in classes for each in _methods(node) if each.name in names}
    makers = {each for node in classes for each in _methods(node) if _makes(each, _named(node))}
    helpers = found - makers
    while helpers:
        others = [part for part in every if part not in found]
        used = frozenset().union(*(module.once(_attributes, part) for part in others))
        dropped = {method for method in helpers if method.name in used}
        if not dropped:
            break
        helpers -= dropped
        found -= dropped
    return found


def _called(node: ast.ClassDef) -> list[AnyFunction]:
    """The constructors of a class, and the methods that these call in the end."""
    methods = _named(node)
    found = [each for each in methods.values() if _makes(each, methods)]
    for method in found:
        called = (methods.get(name) for name in own_calls(method))
        found += [each for each in dict.fromkeys(called) if each and each not in found]
    return found


def _makes(method: AnyFunction, beside: Mapping[str, AnyFunction]) -> bool:
    """Whether a method makes objects: Keras calls `build` before it calls `call`, to that end."""
    return method.name in CONSTRUCTORS or (method.name == "build" and "call" in beside)


def _named(node: ast.ClassDef) -> Mapping[str, AnyFunction]:
    return {each.name: each for each in _methods(node)}


def _methods(node: ast.ClassDef) -> list[AnyFunction]:
    return [each for each in node.body if isinstance(each, FunctionNode)]


def _attributes(part: ast.AST) -> frozenset[str]:
    """The attributes that a part of a module names, whosever they are."""
    if isinstance(part, FunctionNode):
        return frozenset(node.attr for node in walk(part) if isinstance(node, ast.Attribute))
    return frozenset(word for name in contents(part).names for word in name.split("."))
