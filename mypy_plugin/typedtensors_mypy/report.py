# SPDX-License-Identifier: Apache-2.0
"""Findings to mypy's own error channel, under codes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy.errorcodes import ErrorCode

from typedtensors.diagnostics import codes
from typedtensors_mypy import names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mypy.errors import ErrorInfo, Errors
    from mypy.nodes import MypyFile
    from mypy.options import Options

    from typedtensors_mypy.findings import Finding

_CATEGORY = "typedtensors"
_FAMILY = ErrorCode(codes.FAMILY.name, codes.FAMILY.summary, _CATEGORY)
_CODES = {
    code.name: ErrorCode(code.name, code.summary, _CATEGORY, sub_code_of=_FAMILY)
    for code in codes.ALL
    if code.name != codes.FAMILY.name
}


def report(
    errors: Errors, file: MypyFile, options: Options, findings: Iterable[Finding]
) -> list[ErrorInfo]:
    """Say each finding in the file, subject to `# type: ignore` and to the module's options.

    Returns:
        What was said and not silenced.
    """
    told = names.errors_in(errors, file.path)
    before = errors.file, errors.target_module, errors.options, errors.scope
    errors.set_file(file.path, file.fullname, options)
    try:
        for finding in findings:
            _say(errors, finding)
        said = names.errors_in(errors, file.path)[len(told) :]
        names.recount_unused_ignores(errors, file.path)
    finally:
        errors.set_file(*before)
    return said


def _say(errors: Errors, finding: Finding) -> None:
    place = finding.place
    errors.report(
        place.line,
        place.column,
        finding.text,
        code=_CODES[finding.code.name] if finding.code else None,
        severity="error" if finding.code else "note",
        origin_span=range(place.line, place.end_line + 1),
        end_line=place.end_line,
        end_column=place.end_column,
    )
