# SPDX-License-Identifier: Apache-2.0
"""The build hook: with `HATCH_BUILD_HOOK_ENABLE_CUSTOM=true`, a wheel is built with extensions."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Compiled(BuildHookInterface[Any]):
    """Puts the extensions beside the modules that they are made of, which stay in the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless the install is editable: there an edit would change nothing."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from tools.compiled.extension import build

        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        for path in build(Path(self.root), folder):
            build_data["force_include"][str(folder / path)] = path.as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was needed to compile."""
        del version, build_data, artifact_path
        if hasattr(self, "_folder"):
            self._folder.cleanup()
