"""`<name>.summary.json`: what came of a file, in numbers. The rows are in the annotated copy."""

import json
from collections.abc import Sequence
from pathlib import Path

from feedtool.ledger.claims import Claim
from feedtool.model.errors import Exit
from feedtool.report import Outcome
from feedtool.report.fields import Fields, error_fields, summary_fields
from feedtool.report.plain import counted
from feedtool.report.tally import Totals, statuses_text
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


def one_line(results: Sequence[Outcome]) -> str:
    """`12 rows: 9 Integrated, 2 Rejected, 1 Invalid`, of all sheets together."""
    totals = Totals()
    for result in results:
        totals.add(result, result.counts())
    counts = totals.counts
    return f"{counted(counts.rows, 'row')}: {statuses_text(counts.by_status) or 'nothing sent'}"


def _sheet(result: Outcome) -> Fields:
    fields = {**summary_fields(result), "error": error_fields(result.checked.error)}
    names = {"annotated": result.annotated, "failed": result.failed}
    fields |= {name: place and place.name for name, place in names.items()}
    return {name: value for name, value in fields.items() if name not in {"file", "run", "stopped"}}
