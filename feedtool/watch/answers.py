"""`<name>.summary.json`: what came of a file, in numbers. The rows are in the annotated copy."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from feedtool.ledger.claims import Claim
from feedtool.model.errors import Exit
from feedtool.report import Outcome
from feedtool.report.fields import (
    count_fields,
    error_fields,
    package_fields,
    sheet_fields,
)
from feedtool.sheets.annotate.place import placed


def write_summary(
    place: Path, claim: Claim, run: int | None, outcomes: Sequence[Outcome], code: Exit
) -> None:
    """Write it whole, in the place of an earlier one of the same file.

    Raises:
        UsageProblem: It cannot be written.
    """
    told = {
        "file": "/".join(part for part in (claim.lane, claim.source) if part),
        "sha256": claim.sha256,
        "run": None if run is None else str(run),
        "exitCode": int(code),
        "takenAt": claim.taken_at.isoformat(),
        "sheets": [_sheet(outcome) for outcome in outcomes],
    }
    with placed(place) as temporary:
        temporary.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", "utf-8")


def one_line(outcomes: Sequence[Outcome]) -> str:
    """`12 rows: 9 Integrated, 2 Rejected, 1 Invalid`, of all sheets together."""
    rows, statuses = 0, dict[str, int]()
    for outcome in outcomes:
        counts = outcome.counts()
        rows += counts.rows
        for status, number in counts.by_status.items():
            statuses[status] = statuses.get(status, 0) + number
    told = ", ".join(f"{number} {status}" for status, number in statuses.items())
    return f"{rows} {'row' if rows == 1 else 'rows'}: {told or 'nothing sent'}"


def _sheet(outcome: Outcome) -> dict[str, Any]:
    counts = outcome.counts()
    return {
        **{name: value for name, value in sheet_fields(outcome.checked).items() if name != "file"},
        **count_fields(counts),
        "warnings": counts.warnings,
        "statuses": {str(status): number for status, number in counts.by_status.items()},
        "error": error_fields(outcome.checked.error),
        "packages": [package_fields(package) for package in outcome.packages],
        "annotated": outcome.annotated.name if outcome.annotated else None,
        "failed": outcome.failed.name if outcome.failed else None,
    }
