# SPDX-License-Identifier: Apache-2.0
"""The judgment over what the plugin says of real packages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools import real

ALARM = ["model.py", 3, 4, "tensor-shape", "`+`: 3 meets 4", ""]
NATIVE = ["model.py", 9, 0, "arg-type", "mypy's own", ""]
KEY = "pkg:model.py:3:tensor-shape"


def _results(**changes: Any) -> dict[str, Any]:
    run = {"crash": "", "blocked": False, "errors": [ALARM, NATIVE], "user": 1.2}
    return {"pkg": {"plugin": run | changes, "plain": {"user": 1.0}}}


def test_a_package_of_which_all_is_well_fails_nothing() -> None:
    assert list(real.failures(_results(), {"pkg": (99, 100)}, {KEY: "true"})) == []


@pytest.mark.parametrize(
    ("changes", "read", "verdicts", "said"),
    [
        pytest.param({"crash": "traceback"}, 100, {KEY: "true"}, "does not finish", id="crash"),
        pytest.param({"blocked": True}, 100, {KEY: "true"}, "does not finish", id="blocked"),
        pytest.param({"warm_differs": 1}, 100, {KEY: "true"}, "second run", id="warm"),
        pytest.param({}, 96, {KEY: "true"}, "only 96 are read", id="unread"),
        pytest.param({}, 100, {}, "not judged yet", id="untriaged"),
        pytest.param({}, 100, {KEY: "false"}, "not known to be true", id="untrue"),
        pytest.param(
            {"errors": [["model.py", 1, 0, "tensor-internal", "", ""]]},
            100,
            {"pkg:model.py:1:tensor-internal": "true"},
            "a bug of its own",
            id="internal",
        ),
    ],
)
def test_what_is_not_as_it_has_to_be_is_said(
    changes: dict[str, Any], read: int, verdicts: dict[str, str], said: str
) -> None:
    found = list(real.failures(_results(**changes), {"pkg": (read, 100)}, verdicts))
    assert any(said in line for line in found)


def test_too_much_cpu_time_is_said() -> None:
    assert list(real.slow(_results())) == []
    (line,) = real.slow(_results(user=1.31))
    assert "1.31 times the CPU time" in line


def test_a_wheel_has_to_find_the_same() -> None:
    found = _results()
    assert list(real.differences(found, _results(user=1.1))) == []
    (line,) = real.differences(found, _results(errors=[NATIVE]))
    assert "the wheel finds something else" in line


@pytest.mark.parametrize("which", ["native_gained", "native_lost"])
def test_a_native_error_gained_or_lost_is_said(which: str) -> None:
    results = _results()
    results["pkg"][which] = [NATIVE]
    (line,) = real.failures(results, {"pkg": (100, 100)}, {KEY: "true"})
    assert "mypy's own errors" in line


def test_specs_of_a_package_are_counted(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from jaxtyping import Float\nfrom torch import Tensor\n"
        'x: Float[Tensor, "a b"]\ny: Float[Tensor, 1]\n'
    )
    assert real.specs(tmp_path, ["pkg"]) == (1, 2)


def test_every_alarm_in_the_table_is_judged_and_explained() -> None:
    rows = [
        line.split("\t")
        for line in real.TRIAGE.read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    assert all(len(row) == 3 and row[1] in {"true", "false", "unsure"} for row in rows)
    assert len({row[0] for row in rows}) == len(rows) == len(real.judged(real.TRIAGE.read_text()))
