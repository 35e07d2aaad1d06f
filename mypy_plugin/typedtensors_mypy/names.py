# SPDX-License-Identifier: Apache-2.0
"""Every name of mypy that its plugin interface does not promise, used nowhere but here.

The tests of the plugin call each of them in real builds; the floor of the supported range is the
version that they were written for.
"""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, cast

from mypy import errorcodes
from mypy.checker_state import checker_state
from mypy.config_parser import parse_mypy_comments
from mypy.nodes import GDEF, MypyFile, SymbolTableNode, TypeAlias, TypeInfo
from mypy.server.trigger import make_trigger
from mypy.types import Instance, LiteralType, get_proper_type
from mypy.util import DecodeError, decode_python_encoding, get_mypy_comments

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mypy.errors import ErrorInfo, Errors
    from mypy.options import Options


def errors_while_checking() -> Errors | None:
    """The build's error channel, while mypy is checking some module."""
    return getattr(checker_state.type_checker, "errors", None)


def errors_of_checker(file: MypyFile) -> Errors | None:
    """The build's error channel, found from a file whose check is over.

    Costs 20-300 ms: for builds in which no hook was called, so once per build at most.
    """
    for referrer in gc.get_referrers(file):
        if type(referrer).__name__ == "TypeChecker":
            return cast("Errors", referrer.errors)
    return None


def errors_of_type_analyzer(analyzer: object) -> Errors:
    """The build's error channel, from the type analyzer that a hook for types gets."""
    return cast("Errors", analyzer.api.errors)  # type: ignore[attr-defined]


def read_source(errors: Errors, path: str, read: Callable[[str], bytes]) -> str | None:
    """A file's text as mypy read it, so that both see the same version.

    mypy gives its lines, which a form feed ends too, or a U+2028 in a string: no line of Python's
    ends there. So the text is what `read` finds, if it has these lines.
    """
    lines = errors.read_source(path) if errors.read_source else None
    if lines is None:
        return None
    try:
        text = decode_python_encoding(read(path))
    except (OSError, UnicodeDecodeError, DecodeError):
        text = ""
    if text.splitlines() != lines:
        text = "\n".join(lines)
    return text.removesuffix("\n") + "\n"


def shadow_of(options: Options, path: str) -> str:
    """The file that is read in the place of another: editors show mypy what is not saved yet."""
    shadows = options.shadow_file or ()
    return next((shadow for original, shadow in shadows if _is_same(path, original)), path)


def _is_same(path: str, other: str) -> bool:
    one, two = Path(path), Path(other)
    return one.exists() and two.exists() and one.samefile(two)


def module_options(options: Options, module: str, source: str) -> Options:
    """The options of one module: the build's, its section's, its `# mypy:` comments'."""
    own = options.clone_for_module(module)
    comments = get_mypy_comments(source)
    return own.apply_changes(parse_mypy_comments(comments, own)[0]) if comments else own


def add_text_symbol(module: MypyFile, name: str, text: str, str_type: Instance) -> None:
    """Give a module a symbol that carries a text into its cache and its interface's hash.

    It is an alias of a literal type: the one kind of symbol that mypy stores, compares and
    reloads as it is, and that no code can reach (the name is not exported).
    """
    node = TypeAlias(
        LiteralType(text, str_type), f"{module.fullname}.{name}", module.fullname, -1, -1,
        no_args=True,
    )  # fmt: skip
    module.names[name] = SymbolTableNode(GDEF, node, module_public=False, plugin_generated=True)


def text_of_symbol(symbol: SymbolTableNode | None) -> str | None:
    """The text that `add_text_symbol` stored."""
    node = symbol.node if symbol is not None else None
    target = get_proper_type(node.target) if isinstance(node, TypeAlias) else None
    return str(target.value) if isinstance(target, LiteralType) else None


def str_type(look_up: Callable[[str], SymbolTableNode | None]) -> Instance | None:
    """The type `str`, for a literal; None as long as the built-in names are not analyzed."""
    symbol = look_up("builtins.str")
    return Instance(symbol.node, []) if symbol and isinstance(symbol.node, TypeInfo) else None


def is_daemon(options: Options) -> bool:
    """Whether the build goes on after its first check: `dmypy`."""
    return options.fine_grained_incremental


def tracks_dependencies(options: Options) -> bool:
    """Whether the build keeps, now or for a daemon, what each part of a module depends on."""
    return options.fine_grained_incremental or options.cache_fine_grained


def check_as_a_whole(file: MypyFile) -> None:
    """Let a daemon check a module as a whole if it has to check any part of it.

    It does so for modules that come from a cache, and are not in memory: this marks one as such.
    """
    file.is_cache_skeleton = True


def cached_trees(file: MypyFile) -> dict[str, object]:
    """The trees, by module, that a daemon keeps until an update is over.

    It would analyze one a second time where it checks a module twice in an update. Costs as much
    as `errors_of_checker`.
    """
    for modules in gc.get_referrers(file):
        if isinstance(modules, dict) and modules.get(file.fullname) is file:
            for holder in gc.get_referrers(modules):
                if type(holder).__name__ == "BuildManager":
                    return cast("dict[str, object]", holder.ast_cache)
    return {}


def add_dependency(file: MypyFile, name: str, dependent: str) -> None:
    """Let a daemon check `dependent`, a module, when the symbol or module `name` changes."""
    file.plugin_deps.setdefault(make_trigger(name), set()).add(dependent)


def errors_in(errors: Errors, path: str) -> list[ErrorInfo]:
    """What has been reported, and not ignored, in a file so far."""
    return list(errors.error_info_map.get(path, ()))


def restore_errors(errors: Errors, path: str, infos: Sequence[ErrorInfo]) -> None:
    """Report again what was reported before; what is there already stays as it is."""
    known = errors.error_info_map.setdefault(path, [])
    known += [info for info in infos if info not in known]


def recount_unused_ignores(errors: Errors, path: str) -> None:
    """Tell again which `# type: ignore` in the current file had no use.

    A daemon tells that before it asks plugins; only where it did so is there something to correct.
    """
    known = errors.error_info_map.get(path, [])
    kept = [info for info in known if info.code is not errorcodes.UNUSED_IGNORE]
    if len(kept) < len(known):
        errors.error_info_map[path] = kept
        errors.generate_unused_ignore_errors(path)
