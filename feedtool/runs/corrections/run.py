"""Workbooks of the rows of a run that are to be corrected, one for each of its files."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from feedtool.model.errors import UsageProblem
from feedtool.report import SheetResult
from feedtool.runs.corrections.write import has_any, places, write_failed
from feedtool.runs.row_results import results_of_run
from feedtool.runs.sent_again import note_sent_again
from feedtool.runs.workspace import Workspace, check_again, options_of


def to_correct(
    run: int,
    workspace: Workspace,
    now: datetime,
    *,
    out: Path | None = None,
    may_replace: Callable[[Path], bool] | None = None,
) -> list[SheetResult]:
    """The outcomes of a run, with a workbook of the rows to correct written for each file.

    Args:
        run: The run.
        workspace: Where it is recorded.
        now: The time.
        out: Where the workbook goes, of the only file that has such rows; by default beside the
            annotated copy.
        may_replace: Whether what stands there may be replaced; by default only what was written
            there and not changed since.

    Raises:
        UsageProblem: It cannot be written, or `out` is one place for several files.
    """
    options = options_of(run, workspace)
    outcomes = results_of_run(check_again(options, workspace), workspace.ledger, run, None)
    note_sent_again(outcomes, run, workspace)
    files = [name for name, _ in options.inputs if has_any(name, outcomes)]
    if out and len(files) > 1:
        raise UsageProblem(
            f"--out names one workbook, and rows of {len(files)} files are to be corrected",
            "leave it out: each has its own beside its annotated copy",
        )
    targets = dict.fromkeys(files, out) if out else places(options.outputs.targets)
    for name in files:
        written = write_failed(
            run, name, outcomes, targets[name], workspace, now, may_replace=may_replace
        )
        for outcome in outcomes:
            if written and outcome.checked.file == name and outcome.checked.error is None:
                outcome.failed = written.place
    return outcomes
