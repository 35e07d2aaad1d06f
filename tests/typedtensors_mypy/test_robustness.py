# SPDX-License-Identifier: Apache-2.0
"""Whatever a project holds and mypy is asked for: no crash, no hang, and nothing lost."""

from __future__ import annotations

import importlib.util
import re
import sys
import time
from pathlib import Path

import pytest

from tests.case_build import Message, run_mypy
from tests.typedtensors_mypy.odd_programs import DEEP, PROGRAMS
from tests.typedtensors_mypy.programs import findings
from tests.typedtensors_mypy.stubs import CONFIG, write_stubs

_ANNOUNCED = re.compile(r"# E: \[([\w-]+)\]")
EXPECTED = {
    (name, number, code)
    for name, source in PROGRAMS.items()
    for number, line in enumerate(source.splitlines(), start=1)
    for code in _ANNOUNCED.findall(line)
}
_NAMESPACES = "namespace_packages = True\nexplicit_package_bases = True\n"
OPTIONS = {
    "default": "",
    "strict": "strict = True\n",
    "disallow-any": "".join(
        f"disallow_any_{kind} = True\n"
        for kind in ("expr", "explicit", "generics", "decorated", "unimported")
    )
    + "[mypy-torch.*,jaxtyping.*]\nignore_errors = True\n",
    "untyped": "check_untyped_defs = True\nwarn_unreachable = True\nallow_redefinition = True\n",
    "per-module": "[mypy-recursion]\nignore_errors = True\n[mypy-deep]\nstrict = True\n",
    "numpy": "plugins = typedtensors_mypy, numpy.typing.mypy_plugin\n",
    "pydantic-first": "plugins = pydantic.mypy, typedtensors_mypy\n",
}


_ALWAYS = ("strict", "per-module")


def _lay_out(folder: Path) -> Path:
    for name, source in PROGRAMS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(source.encode())
    return folder


def _config(stubs: Path, options: str, *, plugin: bool) -> str:
    config = CONFIG.format(stubs=stubs) + _NAMESPACES
    if "plugins = " in options:
        config = config.replace("plugins = typedtensors_mypy\n", "")
    config += options
    if not plugin:
        config = re.sub(r"(?:, )?typedtensors_mypy(?:, )?", "", config)
    return config.replace("plugins = \n", "")


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(text, id=name, marks=() if name in _ALWAYS else pytest.mark.slow)
        for name, text in OPTIONS.items()
    ],
)
def test_with_any_options_ours_are_the_same_and_mypys_stay_as_they_are(
    options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "pydantic" in options and importlib.util.find_spec("pydantic") is None:
        pytest.skip("pydantic is not installed")
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")  # NumPy's plugin is deprecated
    project = _lay_out(tmp_path / "project")
    stubs = write_stubs(tmp_path / "stubs")
    said = {
        plugin: run_mypy(
            project, tmp_path / f"cache{plugin}", config=_config(stubs, options, plugin=plugin)
        )
        for plugin in (True, False)
    }
    assert [each for each in said[True] if not _is_ours(each)] == said[False]
    silenced = "recursion.py" if "mypy-recursion" in options else None
    ours = {(each.path, each.line, each.code) for each in said[True] if _is_ours(each)}
    assert ours == {each for each in EXPECTED if each[0] != silenced}


def _is_ours(message: Message) -> bool:
    return (message.code or "").startswith("tensor-")


def test_code_that_is_nested_more_deeply_than_python_goes_is_given_up_alone() -> None:
    """The rest of the module is checked all the same."""
    terms = " + ".join(["x"] * 1_500)
    wrong = 'def g(x: Float[Tensor, "b"], y: Float[Tensor, "c"]):\n    return x - y\n'
    deep = f'def f(x: Float[Tensor, "b"]):\n    return {terms}\nz = {terms}\n'
    head = "from jaxtyping import Float\nfrom torch import Tensor\n"
    assert sys.getrecursionlimit() <= 1_500
    told = findings(head + deep + wrong)
    assert [each.code.name for each in told if each.code] == ["tensor-shape"]


def test_loops_in_loops_end() -> None:
    """Each level would double the time; the budget of a function is gone long before."""
    start = time.process_time()
    findings(DEEP)
    assert time.process_time() - start < 30
