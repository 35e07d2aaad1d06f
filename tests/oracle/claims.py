# SPDX-License-Identifier: Apache-2.0
"""What the interpreter says of each expression of a program, by activation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.oracle.instrument import Key, key_of
from tests.typedtensors_mypy.programs import Sources
from typedtensors.config import Config
from typedtensors.dims import Facts
from typedtensors_mypy.findings import Finding
from typedtensors_mypy.interpreter import check_module
from typedtensors_mypy.interpreter.frame import Frame, Sighting


@dataclass
class Claims:
    """What is said of one activation of a function: of its parameters, then of expressions.

    `alone`: it was gone through by itself, so that it holds for every call.
    """

    frame: Frame
    parameters: dict[Key, Sighting] = field(default_factory=dict)
    expressions: dict[Key, list[Sighting]] = field(default_factory=lambda: defaultdict(list))
    last: Facts = field(default_factory=Facts)

    @property
    def alone(self) -> bool:
        return self.frame.depth == 0

    @property
    def function(self) -> tuple[str, int] | None:
        """The function's name and line, None for a module's top level."""
        node = self.frame.function
        return None if node is None else (node.name, node.lineno)


@dataclass(frozen=True)
class Checked:
    """What the static check says of a module."""

    findings: list[Finding]
    claims: Mapping[tuple[str, int] | None, list[Claims]]


def claim(files: Mapping[str, str], name: str) -> Checked:
    """Check a module among others, and keep what is said of its own code."""
    program = Sources(files)
    module = program.module(name)
    assert module is not None
    sightings: list[Sighting] = []
    found = check_module(module, program, Config(), sightings)
    by_frame: dict[int, Claims] = {}
    for sighting in sightings:
        frame = sighting.frame
        if frame.scope.module is module and (frame.function is not None or frame.depth == 0):
            _add(by_frame.setdefault(id(frame), Claims(frame)), sighting)
    grouped = defaultdict(list)
    for claims in by_frame.values():
        grouped[claims.function].append(claims)
    return Checked(found, grouped)


def _add(claims: Claims, sighting: Sighting) -> None:
    key = key_of(sighting.node)
    claims.last = sighting.facts
    if key[0] == "arg":
        claims.parameters[key] = sighting
    else:
        claims.expressions[key].append(sighting)
