# SPDX-License-Identifier: Apache-2.0
"""Every case is run: what the interpreter says of its shapes and its mistakes is so."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.case_build import ROOT, lay_out
from tests.case_files import Case, read_cases
from tests.oracle.agreement import disagreements
from tests.oracle.programs import Outcome, Program
from tests.oracle.tally import TALLY
from tests.tensorflow_arrays import needs_tensorflow

DOCUMENTS = [
    *sorted((ROOT / "tests" / "cases").glob("*.md")),
    *sorted((ROOT / "typedtensors" / "diagnostics" / "pages").glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "README.md",
]
# Packages that some cases use, without which these are checked only.
OPTIONAL = ("torchmetrics", "huggingface_hub", "transformer_lens")
# What pages show differs from a run as well, and a comment there would be in the reader's way.
DIFFERENCES = {
    "tensorflow-keras": "Keras reads the parameters of a constructor, which the recorder hides",
    "keras-layers": "Keras reads the parameters of a constructor, which the recorder hides",
    "keras_models-layers_that_build_their_weights": "as it does those of `build`",
    "keras_training-subclasses_that_are_trained": "as it does those of `call`",
    "README-the_guard": "the guard of the page itself lets the broadcast pass",
    "run-time-arrays_only": "its call is refused for an argument that is no array",
    "broadcasts-a_difference_of_a_column_and_a_row": "a guard takes what is transposed for meant",
    "tensor-layout-example": "a run of the view has the right sizes, and other elements",
    "tensor-op-what_to_write_instead": "`8*d` alone binds no size at run time",
    "getting-started-in_ci_without_running_anything_3": "`8*d` alone binds no size at run time",
}


def name_of(case: Case) -> str:
    """The document and the name of a case."""
    return f"{case.document.stem}-{case.name}"


def marks_of(case: Case) -> list[pytest.MarkDecorator]:
    """What a case needs to be there when it is run; to check it, nothing."""
    text = "".join(case.files.values())
    for package in filter(text.__contains__, OPTIONAL):
        if importlib.util.find_spec(package) is None:
            return [pytest.mark.skip(reason=f"{package} is not installed")]
    return [needs_tensorflow] if "tensorflow" in text else []


CASES = [
    pytest.param(case, id=name_of(case), marks=marks_of(case))
    for document in DOCUMENTS
    for case in read_cases(document)
]


@pytest.mark.parametrize("case", CASES)
def test_the_run_has_the_shapes_and_the_mistakes_that_are_told(case: Case, tmp_path: Path) -> None:
    outcomes = run(case, tmp_path)
    for outcome in outcomes:
        TALLY.add(outcome.judgement)
        assert outcome.judgement.wrong == {}
    told = disagreements(*outcomes)
    assert bool(told) == (name_of(case) in DIFFERENCES), told


def run(case: Case, folder: Path) -> list[Outcome]:
    """Check and run the modules of a case."""
    place = lay_out([case], folder)[case]
    files = {f"{place.name}.{Path(name).stem}": source for name, source in case.files.items()}
    return Program(folder, files).run()
