# SPDX-License-Identifier: Apache-2.0
"""What `[tool.typedtensors]` may say, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from typedtensors.config import Config, ConfigError


def test_an_empty_table_is_the_defaults() -> None:
    assert Config.read({}) == Config()


def test_each_key_is_read() -> None:
    table = {"broadcasts": "explicit", "strict": True, "allow": ["m.f"], "exclude": ["old/*"]}
    assert Config.read(table | {"min-coverage": 80}) == Config(
        broadcasts="explicit", strict=True, min_coverage=80, allow=("m.f",), exclude=("old/*",)
    )


@pytest.mark.parametrize(
    ("table", "words"),
    [
        pytest.param({"broadcast": "allow"}, 'did you mean "broadcasts"', id="slip-in-a-key"),
        pytest.param({"nonsense": 1}, "known: broadcasts, strict", id="unknown-key"),
        pytest.param(
            {"broadcasts": "suspicous"}, 'did you mean "suspicious"', id="slip-in-a-level"
        ),
        pytest.param({"broadcasts": 3}, "known: allow, suspicious, explicit", id="no-level"),
        pytest.param({"strict": "yes"}, '"strict" is true or false', id="no-flag"),
        pytest.param({"min-coverage": 101}, "a percentage, 0 to 100", id="no-percentage"),
        pytest.param({"min-coverage": True}, "not True", id="a-flag-for-a-percentage"),
        pytest.param({"min_coverage": 80}, 'did you mean "min-coverage"', id="underscore"),
        pytest.param({"allow": "m.f"}, '"allow" is a list of strings', id="no-list"),
        pytest.param({"exclude": [1]}, '"exclude" is a list of strings', id="no-texts"),
        pytest.param({"overrides": {}}, '"overrides" is a list of tables', id="no-tables"),
        pytest.param(
            {"overrides": [{"modul": "m"}]}, 'did you mean "module"', id="slip-in-an-override"
        ),
        pytest.param(
            {"overrides": [{"module": "m"}]}, "what holds for it", id="override-of-nothing"
        ),
        pytest.param(
            {"overrides": [{"module": "m", "broadcasts": "none"}]},
            '"broadcasts" cannot be',
            id="no-level-in-an-override",
        ),
    ],
)
def test_what_cannot_be_meant_is_said_with_what_can(table: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        Config.read(table)


@pytest.mark.parametrize(
    ("module", "level"),
    [
        pytest.param("train", "suspicious", id="no-override"),
        pytest.param("lab", "allow", id="the-package-itself"),
        pytest.param("lab.old.loss", "allow", id="in-the-package"),
        pytest.param("lab.new.loss", "explicit", id="closer-pattern"),
        pytest.param("lab.new.table", "suspicious", id="by-name"),
        pytest.param("laboratory", "suspicious", id="another-package"),
    ],
)
def test_the_closest_override_says_the_level_of_a_module(module: str, level: str) -> None:
    overrides = [
        {"module": "lab.new.table", "broadcasts": "suspicious"},
        {"module": ["lab.new.*", "model"], "broadcasts": "explicit"},
        {"module": "lab.*", "broadcasts": "allow"},
    ]
    config = Config.read({"overrides": overrides})
    assert config.level(module) == level
    assert config.strictest == "explicit"
    assert config.at_level("allow").level(module) == "allow"


def test_the_nearest_file_counts_and_the_search_ends_at_the_repository(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.typedtensors]\nstrict = true\n")
    inside = tmp_path / "repository" / "package"
    inside.mkdir(parents=True)
    assert Config.find(inside).strict
    (tmp_path / "repository" / ".git").mkdir()
    assert not Config.find(inside).strict


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool")
    with pytest.raises(ConfigError, match=r"pyproject\.toml: cannot be read"):
        Config.find(tmp_path)


@pytest.mark.parametrize("text", ["tool = 3", "[tool]\ntypedtensors = 3"])
def test_what_is_no_table_is_told_with_its_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"pyproject\.toml: .* is a table, not 3"):
        Config.find(tmp_path)


def test_a_bad_key_is_told_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.typedtensors]\nstrickt = true\n")
    with pytest.raises(ConfigError, match=r'pyproject\.toml: \[tool\.typedtensors\] .*"strict"'):
        Config.find(tmp_path)


@pytest.mark.parametrize(
    ("pattern", "excluded"),
    [
        pytest.param("old", True, id="folder"),
        pytest.param("old/*.py", True, id="glob"),
        pytest.param("code.py", True, id="file-name"),
        pytest.param("new/*", False, id="another-folder"),
    ],
)
def test_globs_exclude_files(pattern: str, excluded: bool) -> None:  # noqa: FBT001
    assert Config(exclude=(pattern,)).excludes("src/old/code.py") is excluded


def test_a_function_or_a_file_may_be_allowed_to_broadcast() -> None:
    config = Config(allow=("package.module.table", "plots/*"))
    assert config.allows("src/package/module.py", "package.module.table")
    assert config.allows("plots/draw.py", "plots.draw.f")
    assert not config.allows("src/package/module.py", "package.module.other")
