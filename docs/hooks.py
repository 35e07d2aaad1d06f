# SPDX-License-Identifier: Apache-2.0
"""Adds the page of each code to the site, the list of the operations, and how they were proved.

The pages are package data, printed by `typedtensors explain`, and the list is made from the rules,
which `typedtensors ops` prints: the site shows the same.
"""

from __future__ import annotations

import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from typedtensors.diagnostics import codes
from typedtensors.diagnostics.explain import explain
from typedtensors.ops.catalog import samples_page
from typedtensors.ops.catalog.page import page

_FENCE = re.compile(r"^```python .*$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the codes in the navigation, in the order of the registry."""
    nav: list[dict[str, Any]] = config.nav or []
    for section in nav:
        if "Codes" in section:
            section["Codes"] = [{code.name: f"codes/{code.name}.md"} for code in codes.ALL]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to the files that are built."""
    for code in codes.ALL:
        files.append(File.generated(config, f"codes/{code.name}.md", content=explain(code.name)))
    files.append(File.generated(config, "operations.md", content=page()))
    files.append(File.generated(config, "samples.md", content=samples_page.page()))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Drop the words after `python` on a fence, which are for the tests."""
    return _FENCE.sub("```python", markdown)
