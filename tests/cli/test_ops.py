# SPDX-License-Identifier: Apache-2.0
"""`typedtensors ops`."""

from __future__ import annotations

import pytest

from typedtensors.cli import main
from typedtensors.ops.catalog.conformance import compared
from typedtensors.ops.catalog.entry import entries, entry_of


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command prints, where it finds what was asked for."""
    assert main(["ops", *arguments]) == 0
    return capsys.readouterr().out


def test_every_op_is_listed_once_under_its_family(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys).splitlines()
    assert "networks: modules" in lines
    words = [word for line in lines if line.startswith("  ") for word in line.split()]
    assert len(words) == len({*words}) == len(entries())
    assert lines[-1].startswith(f"{len(entries())} ops and layers; names for them: ")


def test_one_op_is_shown_with_spellings_parameters_shapes_and_examples(
    capsys: pytest.CaptureFixture[str],
) -> None:
    counts = compared(entry_of("torch.bmm").rule)
    assert counts is not None
    assert shown(capsys, "x.bmm") == (
        "torch.bmm\n"
        "  spellings   torch.Tensor.bmm\n"
        "  parameters  input, mat2, *, out=None\n"
        "  frameworks  torch\n"
        "  shapes      b m k, b k n -> b m n\n"
        "  examples    torch.bmm(float32[b m k], float32[b k n]) -> float32[b m n]\n"
        f"  compared    {counts.text}\n"
        "  rule        typedtensors.ops.families.algebra.linalg\n"
    )


def test_a_layer_is_shown_with_what_its_call_takes(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, "nn.Bilinear").splitlines()
    assert lines[0] == "torch.nn.Bilinear"
    assert "  input       input1, input2" in lines


def test_a_name_that_several_ops_have_shows_all(capsys: pytest.CaptureFixture[str]) -> None:
    heads = [line for line in shown(capsys, "tile").splitlines() if line[:1].strip()]
    assert heads == ["keras.ops.tile", "numpy.tile", "tensorflow.tile", "torch.tile"]


def test_what_has_no_rule_is_listed_by_reason_and_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = shown(capsys, "--missing").splitlines()
    assert any(line.startswith("of a quantized array (") for line in lines)
    assert "have no rule: what they return is unknown" in lines[-1]


def test_an_op_without_a_rule_is_told_from_one_that_does_not_exist(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["ops", "quantized_batch_norm"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("torch.quantized_batch_norm has no rule (of a quantized array): ")
    assert main(["ops", "nn.Lineer"]) == 2
    assert capsys.readouterr().err.startswith(
        "typedtensors ops: unknown op `nn.Lineer`, did you mean `Linear`"
    )


def test_what_is_like_no_op_gets_the_way_to_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "nothing_like_it_at_all"]) == 2
    assert capsys.readouterr().err.endswith("; `typedtensors ops` lists those there are\n")


def test_a_name_and_missing_do_not_go_together() -> None:
    with pytest.raises(SystemExit):
        main(["ops", "bmm", "--missing"])
