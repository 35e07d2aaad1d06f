# SPDX-License-Identifier: Apache-2.0
"""`Entry`, one op as the command and the docs show it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from typedtensors.ops.catalog.examples import described
from typedtensors.ops.registry import home, lookup, rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typedtensors.ops.rule import Rule

FORWARD = ".__call__"
_CALLED = (".forward", FORWARD)


@dataclass(frozen=True)
class Entry:
    """One op or layer.

    Invariant: `construct` is the rule of a layer's constructor, and then `rule` that of its
    forward; None for an op.
    """

    rule: Rule
    construct: Rule | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Its spellings; a layer's are those of its class."""
        return self.rule.names if self.construct is None else self.construct.names

    @property
    def name(self) -> str:
        """The first of its spellings."""
        return self.names[0]

    @property
    def frameworks(self) -> tuple[str, ...]:
        """Whose op it is, by the packages that it is imported from."""
        return tuple(dict.fromkeys(name.partition(".")[0] for name in self.names))

    @property
    def params(self) -> str:
        """The parameters, as a `def` writes them; a layer's are those of its constructor."""
        return (self.construct or self.rule).params

    @property
    def inputs(self) -> str | None:
        """The parameters of a layer's forward; None for an op."""
        return None if self.construct is None else self.rule.params

    @property
    def module(self) -> str:
        """Where its rule is declared, as the index names it: `algebra.linalg`."""
        return home(self.rule)

    def examples(self) -> Iterator[str]:
        """The examples that prove the rule, each with its result."""
        op = f"{self.name}{FORWARD}" if self.construct else self.name
        yield from (described(self.rule, op, example) for example in self.rule.examples)


def entries() -> list[Entry]:
    """Every op and layer, by the module that declares it and by name."""
    found = {entry_of(rule.names[0]) for rule in rules() if home(rule)}
    return sorted(found, key=lambda entry: (entry.module, entry.name.lower()))


def entries_of(names: Iterable[str]) -> list[Entry]:
    """The entries of these names, each once."""
    return list(dict.fromkeys(map(entry_of, names)))


def entry_of(name: str) -> Entry:
    """The entry of a full name that has a rule. Raises KeyError if it has none."""
    own = name
    for ending in _CALLED:
        own = own.removesuffix(ending)
    rule, forward = lookup(own), lookup(f"{own}{FORWARD}")
    if rule is None:
        raise KeyError(name)
    return Entry(rule) if forward is None else Entry(forward, rule)


def packages(found: Iterable[Entry]) -> dict[str, int]:
    """How many spellings there are in each package, most first."""
    counts = Counter(name.partition(".")[0] for entry in found for name in entry.names)
    return dict(counts.most_common())
