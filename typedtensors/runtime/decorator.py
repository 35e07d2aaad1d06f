# SPDX-License-Identifier: Apache-2.0
"""`@typechecked`: find out what is decorated, and put a checked function in its place."""

from __future__ import annotations

import functools
import inspect
import sys
import types
import warnings
import weakref
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from typedtensors.runtime.options import Options
from typedtensors.runtime.switch import is_off

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typedtensors.runtime.calls.links import ClassDims

_T = TypeVar("_T")

# Wrappers by identity, an attribute would be copied along by `functools.wraps`; and what was asked.
_checked: weakref.WeakKeyDictionary[Any, Options] = weakref.WeakKeyDictionary()


@overload
def typechecked(target: _T, /) -> _T: ...
@overload
def typechecked(
    *,
    only: Literal["arrays"] | None = ...,
    assignments: bool = ...,
    class_dims: bool = ...,
    deferred: bool = ...,
) -> Callable[[_T], _T]: ...
def typechecked(
    target: Any = None,
    /,
    *,
    only: Literal["arrays"] | None = None,
    assignments: bool = False,
    class_dims: bool = False,
    deferred: bool = False,
) -> Any:
    """Check array shapes, dtypes and all other annotations of a function at every call.

    Annotations are jaxtyping's, `Float[Tensor, "batch d"]`; a name has one size within a
    call, over all arguments, the elements of containers and the result. Works on functions,
    methods, class and static methods, properties, `async def` and generators (each yielded
    value is checked), on dataclasses (their fields) and on other classes, `nn.Module`s
    included (each method of theirs that has annotations; inherited ones are not touched).
    What `torch.compile` and `torch.export` trace is not checked, and their graphs do not
    break. With `TYPEDTENSORS=off` in the environment nothing is decorated.

    Args:
        target: a function, method or class. Without it a decorator is returned, so
            `@typechecked()` means the same as `@typechecked`.
        only: `"arrays"` to check arrays, those in containers too, and no other value: for
            code whose other annotations are not meant so strictly.
        assignments: of a class: check its annotated attributes whenever one is assigned, each
            together with the others that the object holds.
        class_dims: of a class: hold its methods to the dims of their object that its arrays bear
            out. Else a name begins anew in each method.
        deferred: have a graph of TensorFlow's assert at each step what could not be known when it
            was made, such as that two unknown sizes are one.

    Returns:
        The checked function; a class is changed in place and returned.

    Raises:
        TypeError: `target` can not be checked, such as a builtin or an instance.
        ValueError: a shape annotation is malformed.
        TensorCheckError: from the checked function, at a call that does not fit.

    >>> import numpy as np
    >>> from typedtensors import Float, typechecked
    >>> @typechecked
    ... def center(x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    ...     return x - x.mean(axis=0)
    >>> center(np.array([[1.0], [3.0]])).tolist()
    [[-1.0], [1.0]]
    """
    if only not in (None, "arrays"):
        raise ValueError(f'typechecked: only={only!r} is unknown, there is only="arrays"')
    if target is None:
        return functools.partial(
            typechecked,
            only=only,
            assignments=assignments,
            class_dims=class_dims,
            deferred=deferred,
        )
    if is_off():
        return target
    from typedtensors.runtime.hints.annotations import names_in_scope

    names = names_in_scope(sys._getframe(1))  # noqa: SLF001  the only way
    decorate = _decorate_with_attributes if assignments else _decorate
    return decorate(target, names, Options(only is not None, class_dims, deferred))


def _decorate_with_attributes(target: Any, names: Mapping[str, Any], options: Options) -> Any:
    if not inspect.isclass(target):
        raise TypeError("typechecked: assignments=True is for classes")
    from typedtensors.runtime.notices import UncheckedWarning
    from typedtensors.runtime.targets.assignments import check_assignments
    from typedtensors.runtime.targets.classes import names_in_class

    with warnings.catch_warnings():
        # It may well have attributes only.
        warnings.filterwarnings("ignore", "typechecked: no method", UncheckedWarning)
        _decorate(target, names, options)
    check_assignments(target, names_in_class(target, names), only_arrays=options.only_arrays)
    return target


def decorate_quietly(
    target: _T, frame: types.FrameType | None = None, *, only_arrays: bool = False
) -> _T:
    """Do the same where nobody has asked for this very check: be silent if there is none.

    Args:
        target: what to decorate.
        frame: the code around it, that of the caller if it is not given.
        only_arrays: whether nothing but arrays is checked.
    """
    from typedtensors.runtime.hints.annotations import names_in_scope
    from typedtensors.runtime.notices import UncheckedWarning

    names = names_in_scope(frame or sys._getframe(1))  # noqa: SLF001  the only way
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UncheckedWarning)
        decorated: _T = _decorate(target, names, Options(only_arrays))
    return decorated


def _decorate(
    target: Any, names: Mapping[str, Any], options: Options, dims: ClassDims | None = None
) -> Any:
    from typedtensors.runtime.targets.classes import decorate_class
    from typedtensors.runtime.targets.descriptors import rebuild

    again = functools.partial(_decorate, options=options)
    if inspect.isclass(target):
        return decorate_class(target, names, again, shares_dims=options.class_dims)
    rebuilt = rebuild(target, functools.partial(again, names=names, dims=dims))
    if rebuilt is not None:
        return rebuilt
    if target in _checked:
        return _linked(target, names, dims)
    _reject_uncheckable(target)
    # jaxtyping and beartype are loaded where they are first needed: a program that switches
    # checks off, or only imports this package, does not pay for them.
    from typedtensors.runtime.calls.wrap import wrap

    wrapper = wrap(target, names, options, dims or {})
    _checked[wrapper] = options
    return wrapper


def _linked(checked: Any, names: Mapping[str, Any], dims: ClassDims | None) -> Any:
    """Check a method again that was checked before its class was there, if dims of that matter."""
    from typedtensors.runtime.hints.annotations import only_mentioned, raw_annotations

    if not dims or not only_mentioned(raw_annotations(checked), dims):
        return checked
    again = _decorate(checked.__wrapped__, names, _checked[checked], dims)
    for name, value in vars(checked).items():
        vars(again).setdefault(name, value)
    return again


def _reject_uncheckable(target: Any) -> None:
    if inspect.isfunction(target):
        return
    if inspect.isfunction(inspect.unwrap(target)) and callable(target):
        return  # a decorator's object that stands for a function, such as `functools.cache`
    name = getattr(target, "__qualname__", None) or repr(target)
    if inspect.isbuiltin(target) or inspect.isroutine(target):
        advice = "it is built in and has no annotations; wrap it in a function that has"
    elif isinstance(target, str):
        advice = "decorate with `@typechecked`; its options are keywords"
    elif callable(target):
        advice = f"decorate the class `{type(target).__qualname__}`, or its `__call__`"
    else:
        advice = "decorate a function, a method or a class"
    message = f"typechecked: can not check {name} of type `{type(target).__qualname__}`: {advice}"
    raise TypeError(message)
