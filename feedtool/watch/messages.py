"""Texts about a watched file: lines, summaries, and the errors for which it is refused."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

from feedtool.ledger.claims import Claim, EarlierClaim
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.report import SheetResult
from feedtool.report.as_json import Fields, error_fields, summary_fields
from feedtool.report.plain import counted
from feedtool.report.tally import Totals, statuses_text
from feedtool.sheets.atomic_write import atomic_write

Echo = Callable[[str, str], None]
"""Called with a word for what has happened, and one line."""


class DeduplicatedLog:
    """Lines about the watcher; of what stays as it is only the first. Threads may share it."""

    def __init__(self, echo: Echo) -> None:
        self.echo = echo
        self._last: dict[str, str] = {}

    def once(self, key: str, label: str, text: str) -> None:
        """Echo it, unless it was the last line under this key."""
        if self._last.get(key) != text:
            self._last[key] = text
            self.echo(label, text)

    def is_over(self, key: str) -> None:
        """Forget the last line under this key: the next time it is new."""
        self._last.pop(key, None)


def write_summary(
    place: Path, claim: Claim, run: int | None, outcomes: Sequence[SheetResult], code: Exit
) -> None:
    """Write it whole, in the place of an earlier one of the same file.

    Raises:
        UsageProblem: It cannot be written.
    """
    fields = {
        "file": str(claim.place),
        "sha256": claim.sha256,
        "run": None if run is None else str(run),
        "exitCode": int(code),
        "takenAt": claim.taken_at.isoformat(),
        "sheets": [_sheet(outcome) for outcome in outcomes],
    }
    with atomic_write(place) as temporary:
        temporary.write_text(json.dumps(fields, indent=2, ensure_ascii=False) + "\n", "utf-8")


def one_line(results: Sequence[SheetResult]) -> str:
    """`12 rows: 9 Integrated, 2 Rejected, 1 Invalid`, of all sheets together."""
    totals = Totals()
    for result in results:
        totals.add(result, result.counts())
    counts = totals.counts
    return f"{counted(counts.rows, 'row')}: {statuses_text(counts.by_status) or 'nothing sent'}"


def _sheet(result: SheetResult) -> Fields:
    fields = {**summary_fields(result), "error": error_fields(result.checked.error)}
    names = {"annotated": result.annotated, "failed": result.failed}
    fields |= {name: place and place.name for name, place in names.items()}
    return {name: value for name, value in fields.items() if name not in {"file", "run", "stopped"}}


class AlreadySent(FeedtoolError):
    """The same content again, within the days in which it is taken for a mistake."""

    exit = Exit.ROWS

    def __init__(self, earlier: EarlierClaim) -> None:
        when = earlier.taken_at.astimezone().strftime("%Y-%m-%d %H:%M")
        run = earlier.run_id
        super().__init__(
            f"The same content was sent as {earlier.source} on {when}: run {run}.",
            f"Its answers: feedtool results {run}. To send it all the same, drop it again while"
            " feedtool watch runs with --same-within 0.",
        )


class RouteUnknown(FeedtoolError):
    """A file in a subfolder that names neither a profile nor a kind."""

    exit = Exit.FILE

    def __init__(self, place: PurePosixPath) -> None:
        super().__init__(
            f"“{place.parent}” is no profile and no kind of feed.",
            "Put the file into the inbox itself, or into a subfolder PROFILE, KIND or"
            " PROFILE/KIND.",
        )


class NameUnfit(FeedtoolError):
    """A file whose name cannot be recorded, or leaves no room for those of its answers."""

    exit = Exit.FILE

    def __init__(self, message: str) -> None:
        super().__init__(message, "Rename the file and drop it again.")


class Bug(FeedtoolError):
    """An error of ours, in one file; the next is not to suffer."""

    def __init__(self, error: Exception, report: Callable[[Exception], str]) -> None:
        """`report` writes down all of it, and returns where."""
        super().__init__(
            f"This is a bug in feedtool: {type(error).__name__}.",
            f"Please report it with the contents of {report(error)}",
        )


class Deferred(Exception):
    """A file cannot be brought to its end now, and is gone on with later, from the ledger."""

    def __init__(self, reason: FeedtoolError) -> None:
        super().__init__(reason.message)
        self.reason = reason
