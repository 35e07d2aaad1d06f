# SPDX-License-Identifier: Apache-2.0
"""`check` and `matches`: one value against one annotation, in the middle of a function."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from typedtensors.runtime.switch import is_off
from typedtensors.runtime.traced import matches_traced
from typedtensors.shapes.arrays.tracing import is_compiling, unconverted

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeGuard

    from typing_extensions import TypeForm

    from typedtensors.runtime.hints.nodes import Leaf
    from typedtensors.runtime.scope import Snapshot

_T = TypeVar("_T")


@unconverted
def check(x: object, annotation: TypeForm[_T]) -> _T:
    """Return a value unchanged if it fits an annotation, and typed as that.

    Within a `@typechecked` function the dims that its arguments bound are known here, and
    the dims bound here are known to what follows. What `torch.compile` traces is not checked,
    nor is anything with `TYPEDTENSORS=off` in the environment.

    Args:
        x: any value.
        annotation: such as `Float[Tensor, "batch d"]`, or a container or union of those.

    Returns:
        `x` itself.

    Raises:
        TensorCheckError: it does not fit; the error says which axis.

    >>> import numpy as np
    >>> from typedtensors import Float, check
    >>> check(np.zeros((2, 3)), Float[np.ndarray, "batch d"]).shape
    (2, 3)
    """
    value: Any = x
    if is_compiling() or _quick_check()(value, annotation) or is_off():
        return value  # type: ignore[no-any-return]
    leaf, arrays, before = _compare(value, annotation)
    if leaf is not None:
        from typedtensors.runtime.report import FailedCheck, explain

        rows = [("x", each) for each in arrays]
        raise explain(FailedCheck("check", "x", leaf, rows, before, settled=True)) from None
    return value  # type: ignore[no-any-return]


@unconverted
def matches(x: object, annotation: TypeForm[_T]) -> TypeGuard[_T]:
    """Say whether a value fits an annotation; dims are bound only if it does.

    It is `isinstance`, for annotations that type checkers do not accept there. It always
    compares: `TYPEDTENSORS=off` does not change a program's branches. Where `torch.compile`
    traces, class, dtype and shape of the value count, and not what other values have bound.

    Args:
        x: any value.
        annotation: such as `Float[Tensor, "batch d"]`, or a container or union of those.

    Returns:
        Whether it fits, given the dims bound so far within a `@typechecked` function.

    >>> import numpy as np
    >>> from typedtensors import Float, matches
    >>> matches(np.zeros((2, 3)), Float[np.ndarray, "batch 4"])
    False
    """
    if is_compiling():
        return matches_traced(x, annotation)
    known = _quick_check()(x, annotation)
    if known is not None:
        return known
    leaf, _, _ = _compare(x, annotation)
    return leaf is None


@lru_cache(maxsize=1)
def _quick_check() -> Callable[[Any, Any], bool | None]:
    """Load jaxtyping at the first use, and say where it is at the others."""
    from typedtensors.runtime.quick import verdict

    return verdict


def _compare(value: Any, annotation: Any) -> tuple[Leaf | None, list[Leaf], Snapshot]:
    """Return what does not fit, all arrays, and what was bound before."""
    from typedtensors.runtime.hints.parse import parse_hint
    from typedtensors.runtime.scope import Trial, in_scope, snapshot

    hint, before = parse_hint(annotation), snapshot()
    with in_scope(), Trial() as trial:
        leaf = hint.mismatch(value)
        if leaf is None:
            trial.keep()
            return None, [], before
    return leaf, list(hint.arrays(value)), before


@unconverted
def bindings() -> dict[str, int | tuple[int, ...]]:
    """Return the sizes that the arguments of the current checked call have bound so far.

    Returns:
        The size of each dim and the shape of each variadic one; nothing outside a call.

    >>> import numpy as np
    >>> from typedtensors import Float, bindings, typechecked
    >>> @typechecked
    ... def show(x: Float[np.ndarray, "*batch d"]) -> None:
    ...     print(bindings())
    >>> show(np.zeros((2, 3, 4)))
    {'d': 4, 'batch': (2, 3)}
    """
    from typedtensors.runtime.scope import snapshot

    bound = snapshot()
    return {**bound.sizes, **bound.variadics}
