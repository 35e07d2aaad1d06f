# SPDX-License-Identifier: Apache-2.0
"""The signature of an op in one line: `b m k, b k n -> b m n`.

Specs in jaxtyping's grammar, one per array argument in the order of the parameters, then what the
op returns: one spec, or several for a tuple. `*batch` are axes that agree, `*#batch` axes that
broadcast. A spec in brackets is an argument that may be left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.ops import promotion
from typedtensors.ops.outcome import Conflicting
from typedtensors.ops.registry import rule
from typedtensors.shapes import Argument, Mismatch, Spec, Tensor, instantiate, match_all, parse_spec

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.rule import Example
    from typedtensors.ops.value import Value
    from typedtensors.shapes import DType


@dataclass(frozen=True)
class Signature:
    """What an op wants of its arrays, and the shapes it gives.

    Invariant: at least one argument and one result.
    """

    arguments: tuple[Spec, ...]
    results: tuple[Spec, ...]

    @staticmethod
    @cache
    def parse(text: str) -> Signature:
        """Read `b m k, b k n -> b m n`."""
        wanted, _, given = text.partition("->")
        return Signature(_specs(wanted), _specs(given))


def _specs(text: str) -> tuple[Spec, ...]:
    return tuple(parse_spec(part) for part in text.split(","))


def declare(
    *names: str,
    sig: str,
    params: str,
    family: str,
    examples: tuple[Example, ...] = (),
    dtype: Callable[[Call, DType], DType] | None = None,
) -> None:
    """Register an op whose shapes a signature says; `dtype` changes the promoted dtype.

    >>> declare("torch.mine", sig="*a n k, k -> *a n", params="input, vec", family="mine")
    """
    signature = Signature.parse(sig)
    rule(*names, params=params, family=family, examples=examples)(
        lambda call: apply(call, signature, dtype)
    )


def apply(
    call: Call, signature: Signature, dtype: Callable[[Call, DType], DType] | None = None
) -> Value:
    """What an op of that signature gives for the call. Raises Conflicting for shapes that clash."""
    names = tuple(call.arguments)[: len(signature.arguments)]
    arrays = [call.tensor(name) for name in names]
    arguments = [
        Argument(name, spec, array.shape)
        for name, spec, array in zip(names, signature.arguments, arrays, strict=True)
    ]
    found = match_all(arguments, facts=call.facts)
    if isinstance(found, Mismatch):
        where = wording.argument(found.argument, call.name)
        raise Conflicting(found.diagnostic(where))
    call.facts = found.facts
    kept = promotion.promoted(call.framework, arrays)
    kept = kept if dtype is None else dtype(call, kept)
    bindings = found.bindings.complete(signature.results)
    results = tuple(Tensor(instantiate(spec, bindings), kept) for spec in signature.results)
    return results[0] if len(results) == 1 else results
