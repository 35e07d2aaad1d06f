# SPDX-License-Identifier: Apache-2.0
"""The signature of an op in one line: `b m k, b k n -> b m n`.

Specs in jaxtyping's grammar, one per array argument in the order of the parameters, then what the
op returns: one spec, or several for a tuple. `*batch` are axes that agree, `*#batch` axes that
broadcast. A spec in brackets is an argument that may be left out.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims.quick import dataclass
from typedtensors.ops import promotion
from typedtensors.ops.fields import Fields
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
    examples: tuple[Example, ...] = (),
    dtype: Callable[[DType], DType] | None = None,
    fields: tuple[str, ...] = (),
) -> None:
    """Register an op whose shapes a signature says.

    `dtype` changes the promoted dtype; `fields` name the results of an op that returns several.

    >>> declare("torch.mine", sig="*a n k, k -> *a n", params="input, vec")
    """

    def rule_of_signature(call: Call) -> Value:
        signature = Signature.parse(sig)
        arrays = tuple(call.arguments)[: len(signature.arguments)]
        found = results(call, signature, arrays, dtype)
        if fields:
            return Fields.of(**dict(zip(fields, found, strict=True)))
        return found[0] if len(found) == 1 else found

    rule(*names, params=params, examples=examples, signature=sig)(rule_of_signature)


def results(
    call: Call,
    signature: Signature,
    names: tuple[str, ...],
    dtype: Callable[[DType], DType] | None = None,
) -> tuple[Tensor, ...]:
    """What an op of that signature makes of the arguments `names`; the call learns from them.

    Raises Conflicting for shapes that clash.
    """
    arrays = [call.tensor(name) for name in names]
    together = zip(names, signature.arguments, arrays, strict=True)
    arguments = [Argument(name, spec, array.shape) for name, spec, array in together]
    found = match_all(arguments, facts=call.facts)
    if isinstance(found, Mismatch):
        where = wording.argument(found.argument, call.name)
        raise Conflicting(found.diagnostic(where))
    call.facts = found.facts
    kept = promotion.promoted(call.framework, arrays)
    kept = kept if dtype is None else dtype(kept)
    bindings = found.bindings.complete(signature.results)
    return tuple(Tensor(instantiate(spec, bindings), kept) for spec in signature.results)
