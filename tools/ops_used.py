# SPDX-License-Identifier: Apache-2.0
"""Count what model files call on tensors, and how much of it has a rule.

Functions, methods and layers of torch and einops are counted by occurrence: a method is one that
tensors have, called on something that is no module, class or function. The six files stand for
what people write: attention, a whole vision transformer, two kinds of layers of a transformer over
time, a convolutional recurrent head, losses. `make real` fetches them. Other files may be named:
`python -m tools.ops_used FILE...`.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tools.real import FOLDER
from typedtensors.ops import lookup
from typedtensors.ops.catalog.surface import surface
from typedtensors_mypy.interpreter.calls.libraries.torch import LIBRARY
from typedtensors_mypy.source.modules import FunctionNode, Module
from typedtensors_mypy.source.program import External, Target
from typedtensors_mypy.source.scope import Scope

SOURCES = FOLDER / "cache" / "src"
TYPICAL = (
    "vit_prisma/vit_prisma/models/layers/attention.py",
    "vit_prisma/vit_prisma/models/base_vit.py",
    "toto_ts/toto/model/attention.py",
    "toto_ts/toto/model/transformer.py",
    "lightning_pose/lightning_pose/models/heads/heatmap_mhcrnn.py",
    "lightning_pose/lightning_pose/losses/losses.py",
)
LEAST = 0.95

_METHOD = "torch.Tensor."
_METHODS = {name.removeprefix(_METHOD) for name in surface() if name.startswith(_METHOD)}
# What has to do with devices, files, gradients and the program, not with a tensor.
_ELSEWHERE = (
    *("torch.cuda.", "torch.backends.", "torch.distributed.", "torch.optim.", "torch.utils."),
    *("torch.jit.", "torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.autocast"),
    *("torch.manual_seed", "torch.load", "torch.save", "torch.Generator", "torch.hub."),
    *("torch.set_", "torch.use_", "torch.are_", "torch.get_default_dtype", "torch.finfo"),
)


class _OneFile:
    """A program of one file: what it imports from elsewhere is known by name alone."""

    def __init__(self) -> None:
        self.resolved: dict[str, Target | None] = {}

    def module(self, _name: str) -> None:
        """No other file is read."""

    def canonical(self, _name: str) -> None:
        """Nor does mypy say where a library defines a name."""


def used(source: str) -> Counter[str]:
    """Count the full names that a file calls on tensors."""
    module = Module.parse("file", "file.py", source)
    if module is None:
        return Counter()
    return Counter(_names(module.tree, Scope(_OneFile(), module)))


def _names(node: ast.AST, scope: Scope) -> Iterator[str]:
    inner = scope.inside(node) if isinstance(node, (*FunctionNode, ast.ClassDef)) else scope
    name = _called(node, scope) if isinstance(node, ast.Call) else None
    if name is not None:
        yield name
    for child in ast.iter_child_nodes(node):
        yield from _names(child, inner)


def _called(node: ast.Call, scope: Scope) -> str | None:
    target = scope.target(node.func)
    if isinstance(target, External):
        counts = target.name.startswith(("torch.", "einops."))
        return target.name if counts and not target.name.startswith(_ELSEWHERE) else None
    if target is not None or not isinstance(node.func, ast.Attribute):
        return None
    own = isinstance(node.func.value, ast.Name) and node.func.value.id in {"self", "cls"}
    return _METHOD + node.func.attr if node.func.attr in _METHODS and not own else None


def has_rule(name: str) -> bool:
    """Whether shapes are followed through an op."""
    return lookup(name) is not None or name in LIBRARY


def main() -> int:
    """Print the counts; the exit status is 1 if too little has a rule."""
    files = [Path(name) for name in sys.argv[1:]] or [SOURCES / name for name in TYPICAL]
    total: Counter[str] = Counter()
    for file in files:
        found = used(file.read_text(encoding="utf-8"))
        total += found
        known = sum(count for name, count in found.items() if has_rule(name))
        print(f"{known:4} of {found.total():4} calls have a rule: {file.parts[-2]}/{file.name}")
    for name, count in total.most_common():
        print(f"{count:4} {'' if has_rule(name) else 'no rule ':8} {name}")
    share = sum(count for name, count in total.items() if has_rule(name)) / max(total.total(), 1)
    print(
        f"{share:.1%} of {total.total()} calls of {len(total)} names; at least {LEAST:.0%} wanted"
    )
    return int(share < LEAST)


if __name__ == "__main__":
    sys.exit(main())
