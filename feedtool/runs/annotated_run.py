"""The annotated copies of a run: where they belong or nearby, and noted in the ledger."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from feedtool.check import Input
from feedtool.report import SheetResult
from feedtool.runs.annotated_copy import digest_of, write_copies_of
from feedtool.runs.run_options import RunOptions
from feedtool.runs.workspace import Workspace


def write_copies(
    run: int,
    kept: Sequence[Input],
    outcomes: Sequence[SheetResult],
    options: RunOptions,
    now: datetime,
    workspace: Workspace,
    former: Sequence[Path] = (),
) -> None:
    """Writes the annotated copies of a run, and where they cannot be written, nearby.

    The copy of a run of one file may have had `former` names: it stands there too.
    """
    hashes = {str(options.outputs.targets.get(name)): sha for name, sha in options.inputs}

    def may_replace(place: Path) -> bool:
        found = digest_of(place)
        known = (hashes.get(str(place)), workspace.ledger.output(str(place.absolute())))
        return found is None or found in known

    def note(place: Path) -> None:
        digest = digest_of(place) or ""
        others = former if place in options.wanted() else ()
        for name in {place.absolute(), *others}:
            workspace.ledger.add_output(run, str(name), digest, now)

    write_copies_of(
        kept,
        outcomes,
        options.outputs,
        options.asked,
        spares=partial(workspace.spares, run),
        may_replace=may_replace,
        on_written=note,
    )
