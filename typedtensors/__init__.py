# SPDX-License-Identifier: Apache-2.0
"""Finds silent tensor-shape and broadcasting bugs.

Importing this package loads neither a framework nor jaxtyping: each public name is
looked up when it is first used.
"""

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxtyping import (
        BFloat16 as BFloat16,
        Bool as Bool,
        Complex as Complex,
        Complex64 as Complex64,
        Complex128 as Complex128,
        Float as Float,
        Float8e4m3b11fnuz as Float8e4m3b11fnuz,
        Float8e4m3fn as Float8e4m3fn,
        Float8e4m3fnuz as Float8e4m3fnuz,
        Float8e5m2 as Float8e5m2,
        Float8e5m2fnuz as Float8e5m2fnuz,
        Float16 as Float16,
        Float32 as Float32,
        Float64 as Float64,
        Inexact as Inexact,
        Int as Int,
        Int2 as Int2,
        Int4 as Int4,
        Int8 as Int8,
        Int16 as Int16,
        Int32 as Int32,
        Int64 as Int64,
        Integer as Integer,
        Key as Key,
        Num as Num,
        Real as Real,
        Shaped as Shaped,
        UInt as UInt,
        UInt2 as UInt2,
        UInt4 as UInt4,
        UInt8 as UInt8,
        UInt16 as UInt16,
        UInt32 as UInt32,
        UInt64 as UInt64,
    )

    from typedtensors.broadcast import (
        AxisError as AxisError,
        align as align,
        expand as expand,
        expand_as as expand_as,
        sizes as sizes,
    )
    from typedtensors.diagnostics import TensorError as TensorError
    from typedtensors.guard import (
        BroadcastError as BroadcastError,
        DryRunError as DryRunError,
        allow_broadcast as allow_broadcast,
        audit as audit,
        audited as audited,
        dry_run as dry_run,
        guard as guard,
        guard_worker as guard_worker,
    )
    from typedtensors.runtime import (
        SpecWarning as SpecWarning,
        TensorCheckError as TensorCheckError,
        UncheckedWarning as UncheckedWarning,
        bindings as bindings,
        check as check,
        install_import_hook as install_import_hook,
        jaxtyped as jaxtyped,
        matches as matches,
        typechecked as typechecked,
    )

__version__ = "0.1.0.dev0"

# Which module to import when a name is first used. The dtypes *are* jaxtyping's objects,
# so `isinstance`, other libraries and existing annotations interoperate.
_ROOMS = {
    "typedtensors.broadcast": ("AxisError", "align", "expand", "expand_as", "sizes"),
    "typedtensors.diagnostics": ("TensorError",),
    "typedtensors.guard": (
        *("BroadcastError", "DryRunError"),
        *("allow_broadcast", "audit", "audited", "dry_run", "guard", "guard_worker"),
    ),
    "typedtensors.runtime": (
        *("TensorCheckError", "SpecWarning", "UncheckedWarning"),
        *("bindings", "check", "install_import_hook", "jaxtyped", "matches", "typechecked"),
    ),
    "jaxtyping": (
        *("Bool", "Key", "Num", "Real", "Shaped", "Inexact"),
        *("Float", "Float16", "Float32", "Float64", "BFloat16"),
        *("Float8e4m3b11fnuz", "Float8e4m3fn", "Float8e4m3fnuz", "Float8e5m2", "Float8e5m2fnuz"),
        *("Complex", "Complex64", "Complex128"),
        *("Integer", "Int", "Int2", "Int4", "Int8", "Int16", "Int32", "Int64"),
        *("UInt", "UInt2", "UInt4", "UInt8", "UInt16", "UInt32", "UInt64"),
    ),
}
_HOMES = {name: home for home, names in _ROOMS.items() for name in names}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - every name above is a string

if not TYPE_CHECKING:  # a type checker would accept any name at all

    class _Package(ModuleType):
        """This package, in which a public name wins over the room that it comes from.

        The import system binds `typedtensors.guard`, the room, once it is loaded, and
        `from typedtensors import guard` would then depend on what was imported before.
        """

        def __setattr__(self, name: str, value: object) -> None:
            if not (name in _HOMES and isinstance(value, ModuleType)):
                super().__setattr__(name, value)

        def __getattr__(self, name: str) -> object:
            if name not in _HOMES:
                msg = f"module {__name__!r} has no attribute {name!r}"
                raise AttributeError(msg)
            value = getattr(importlib.import_module(_HOMES[name]), name)
            setattr(self, name, value)
            return value

        def __dir__(self) -> list[str]:
            return sorted({*globals(), *__all__})

    sys.modules[__name__].__class__ = _Package
