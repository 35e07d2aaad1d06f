# SPDX-License-Identifier: Apache-2.0
"""The plugin inside mypy: caches, ignores, other modules, environments, and its own bugs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mypy.version import __version__ as mypy_version

import typedtensors_mypy
from tests.case_build import ROOT, Message, environment, run_mypy
from tests.typedtensors_mypy.stubs import CONFIG, write_stubs

MODEL = """\
import torch
from jaxtyping import Float
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self, d_in: int) -> None:
        super().__init__()
        self.layer = nn.Linear(d_in, 1)

    def forward(self, x: Float[Tensor, "batch d_in"]) -> Float[Tensor, "batch 1"]:
        return self.layer(x)


def targets() -> Float[Tensor, "32"]:
    return torch.zeros(32)
"""
TRAIN = """\
import torch
from model import Net, targets


def train():
    pred = Net(10)(torch.zeros(32, 10))
    return ((pred - targets()) ** 2).mean()
"""

Check = Callable[..., list[str]]


@pytest.fixture
def stubs(tmp_path: Path) -> Path:
    """A folder of stubs for jaxtyping and torch."""
    return write_stubs(tmp_path / "stubs")


@pytest.fixture
def check(tmp_path: Path, stubs: Path) -> Check:
    """Write files into one project and check it; what mypy says, as text."""
    folder = tmp_path / "project"
    folder.mkdir()

    def run(*arguments: str, config: str = CONFIG, **files: str) -> list[str]:
        for name, source in files.items():
            (folder / f"{name}.py").write_text(source)
        text = config.format(stubs=stubs)
        return list(map(str, run_mypy(folder, tmp_path / "cache", *arguments, config=text)))

    return run


def _codes(messages: list[str]) -> list[str]:
    return [message.rpartition("[")[2].rstrip("]") for message in messages]


def test_shapes_go_from_one_module_to_another(check: Check) -> None:
    (message,) = check(model=MODEL, train=TRAIN)
    assert message.startswith("train.py:7: error: `pred - targets()` broadcasts (32, 1) and (32,)")


def test_a_warm_run_says_what_a_cold_one_said(check: Check) -> None:
    cold = check(model=MODEL, train=TRAIN)
    assert check() == cold
    assert check(train=TRAIN + "\n# an edit\n") == cold


def test_an_edit_of_a_spec_reaches_the_modules_that_read_it(check: Check) -> None:
    cold = check(model=MODEL, train=TRAIN)
    edited = MODEL.replace('"batch 1"', '"batch"').replace("(x)\n", "(x).squeeze(-1)\n")
    assert check(model=edited) == []
    assert check(model=MODEL) == cold


def test_an_edit_of_a_layer_reaches_the_modules_that_call_it(check: Check) -> None:
    untyped = MODEL.replace(': Float[Tensor, "batch d_in"]) -> Float[Tensor, "batch 1"]', ")")
    assert _codes(check(model=untyped, train=TRAIN)) == ["tensor-broadcast"]
    squeezed = untyped.replace("(d_in, 1)", "(d_in, 1, bias=False)").replace("(x)", "(x)[:, 0]")
    assert check(model=squeezed) == []


def test_a_module_in_which_mypy_asks_for_no_hook_is_checked_too(check: Check) -> None:
    """Nothing is called in it, and what it imports is cached: the error channel has to be found."""
    data = """
import torch
from jaxtyping import Float
from torch import Tensor

a: Float[Tensor, "3"] = torch.zeros(3)
b: Float[Tensor, "4"] = torch.zeros(4)
"""
    cold = check(data=data, use="from data import a, b\n\nc = a - b\n")
    assert _codes(cold) == ["tensor-shape"]
    assert check(use="from data import a, b\n\nc = a - b\n\n# edited\n") == cold


def test_an_edit_of_our_configuration_reaches_modules_in_the_cache(
    check: Check, tmp_path: Path
) -> None:
    cold = check(model=MODEL, train=TRAIN)
    config = tmp_path / "project" / "pyproject.toml"
    config.write_text('[tool.typedtensors]\nbroadcasts = "allow"\n')
    assert check() == []
    config.unlink()
    assert check() == cold


def test_an_edit_of_a_rule_reaches_modules_in_the_cache(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The packages are a copy that goes before the others."""
    cold = check(model=MODEL, train=TRAIN)
    copy = tmp_path / "copy"
    for package in (ROOT / "typedtensors", ROOT / "mypy_plugin" / "typedtensors_mypy"):
        shutil.copytree(package, copy / package.name)
    wording = copy / "typedtensors" / "diagnostics" / "wording.py"
    wording.write_text(wording.read_text().replace(" broadcasts ", " spreads "))
    paths = os.pathsep.join([str(copy), environment()["PYTHONPATH"]])
    monkeypatch.setattr(
        "tests.case_build.environment", lambda: environment() | {"PYTHONPATH": paths}
    )
    assert check() == [line.replace(" broadcasts ", " spreads ") for line in cold] != cold


def test_what_is_not_saved_yet_is_read_in_the_place_of_a_file(check: Check, tmp_path: Path) -> None:
    (unsaved := tmp_path / "unsaved").write_text("# a line more\n" + TRAIN)
    (message,) = check("--shadow-file", "train.py", str(unsaved), model=MODEL, train=TRAIN)
    assert message.startswith("train.py:8: error: `pred - targets()`")


def test_workers_say_what_one_process_says(check: Check) -> None:
    assert check("-n", "2", model=MODEL, train=TRAIN) == check()


def test_a_comment_ignores_a_code_or_its_family(check: Check) -> None:
    line = "    return ((pred - targets()) ** 2).mean()"
    for code in ("tensor-broadcast", "tensor"):
        ignored = TRAIN.replace(line, f"{line}  # type: ignore[{code}]")
        assert check(model=MODEL, train=ignored) == []
    other = TRAIN.replace(line, f"{line}  # type: ignore[tensor-rank]")
    assert "tensor-broadcast" in _codes(check(train=other))


@pytest.mark.parametrize(
    "silencer",
    [
        pytest.param('# mypy: disable-error-code="tensor-broadcast"\n', id="comment-code"),
        pytest.param('# mypy: disable-error-code="tensor"\n', id="comment-family"),
        pytest.param("# mypy: ignore-errors\n", id="comment-all"),
    ],
)
def test_a_module_silences_a_code(check: Check, silencer: str) -> None:
    assert check(model=MODEL, train=silencer + TRAIN) == []


def test_a_section_of_the_configuration_silences_a_code(check: Check) -> None:
    config = CONFIG + "[mypy-train]\ndisable_error_code = tensor\n"
    assert check(model=MODEL, train=TRAIN, config=config) == []


NATIVE = """\
from typing import Annotated, Optional

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

Batch = Float[Tensor, "b d"]
Bare = Float["b d"]


class Net(nn.Module):
    width: Annotated[int, "meta"]
    table: Optional[Batch] = None

    def forward(self, x: Batch) -> Int[Tensor, "b"]:
        return x.sum("oops", 3, 4)


def f(x: Float, y: "Float[Missing, 'n']", z: Float[Tensor, 3]) -> str:
    reveal_type(x)
    return x + 1 + "a"


f(1, 2)
f(torch.zeros(3), 2, "c")
"""


def test_native_messages_stay_as_they_are(check: Check) -> None:
    plain = check(native=NATIVE, config=CONFIG.replace("plugins = typedtensors_mypy\n", ""))
    ours = check(native=NATIVE)
    assert len(plain) > 5
    native = [each for each in ours if "[tensor" not in each and "Revealed tensor" not in each]
    assert native == plain


def test_no_torch_is_needed_in_the_environment_of_mypy(check: Check, stubs: Path) -> None:
    """An isolated pre-commit environment has jaxtyping at most."""
    with_torch = check(model=MODEL, train=TRAIN)
    shutil.rmtree(stubs / "torch")
    without = check("--disable-error-code=import-not-found")
    assert [message for message in without if "tensor-" in message] == with_torch


def test_an_unused_comment_is_told_as_mypy_tells_it(check: Check) -> None:
    used = TRAIN.replace(".mean()", ".mean()  # type: ignore[tensor-broadcast]")
    unused = "x = 1  # type: ignore[tensor-shape]\n"
    (message,) = check("--warn-unused-ignores", model=MODEL, train=used, other=unused)
    assert "[unused-ignore]" in message
    assert message.startswith("other.py:1:")


def test_a_bug_of_ours_is_one_error_and_ends_no_run(tmp_path: Path) -> None:
    """The interpreter is replaced by one that fails, in a process of its own."""
    (tmp_path / "plugin.py").write_text(
        "from typedtensors_mypy import build, plugin\n"
        "def fail(*_):\n    raise RuntimeError('broken')\n"
        "build.check_module = fail\n"
    )
    (tmp_path / "code.py").write_text("x: int = 'text'\n")
    (tmp_path / "mypy.ini").write_text("[mypy]\nplugins = plugin.py\n")
    env = environment()
    del env["TYPEDTENSORS_DEBUG"]
    command = [sys.executable, "-m", "mypy", "code.py"]
    result = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert result.stdout.count("[tensor-internal]") == 1
    assert "RuntimeError: broken" in result.stdout
    assert "[assignment]" in result.stdout


def _load(tmp_path: Path, program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_process_can_run_mypy_twice(tmp_path: Path) -> None:
    """As editors do: the package's entry point is still a function the second time."""
    (tmp_path / "mypy.ini").write_text("[mypy]\nplugins = typedtensors_mypy\n")
    (tmp_path / "empty.py").touch()
    program = "from mypy import api\nfor _ in '12':\n    print(api.run(['empty.py'])[2])\n"
    done = _load(tmp_path, program)
    assert (done.stdout, done.stderr) == ("0\n0\n", "")


def test_a_run_loads_the_rules_that_the_files_use(tmp_path: Path, stubs: Path) -> None:
    (tmp_path / "mypy.ini").write_text(CONFIG.format(stubs=stubs))
    (tmp_path / "model.py").write_text(MODEL)
    program = (
        "import sys\nfrom mypy import api\nprint(api.run(['model.py'])[0])\n"
        "print(*(name for name in sys.modules if '.families.' in name and name.count('.') > 3))"
    )
    done = _load(tmp_path, program)
    assert "Success" in done.stdout, done.stderr
    # `nn.Linear` and `torch.zeros`.
    loaded = done.stdout.splitlines()[-1].split()
    assert {name.split(".")[3] for name in loaded} == {"creation", "networks"}
    assert len(loaded) <= 3


def test_an_old_mypy_is_refused_in_one_line(tmp_path: Path) -> None:
    result = _load(tmp_path, "import typedtensors_mypy; typedtensors_mypy.plugin('1.11.0')")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "needs mypy 2.4 or newer, this is mypy 1.11.0" in result.stderr


def test_a_bad_configuration_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.typedtensors]\nbroadcast = 'allow'\n")
    program = f"import typedtensors_mypy; typedtensors_mypy.plugin({mypy_version!r})"
    result = _load(tmp_path, program)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert 'unknown key "broadcast"; did you mean "broadcasts"?' in result.stderr


def test_the_floor_is_what_packaging_promises() -> None:
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    floor = ".".join(map(str, typedtensors_mypy.FLOOR))
    assert f"mypy>={floor}" in pyproject.read_text()


def test_a_message_is_printed_as_mypy_prints_it() -> None:
    message = Message("folder/code.py", 3, "error", "text", "tensor-shape")
    assert str(message) == "code.py:3: error: text  [tensor-shape]"
