"""The rows that guards hold in all runs that a user sees, and the way back to a plan."""

from itertools import chain, islice
from typing import NamedTuple

import msgspec

from feedtool.ledger import Run
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import RowResult
from feedtool.model.text import Translator, tr
from feedtool.page.access import User
from feedtool.page.deliveries import account_of
from feedtool.page.session import PageSession, now
from feedtool.page.uploads import Choices, FileUpload, RunFile
from feedtool.runs.held import HeldGroup, Release, held_group, held_groups, release_of
from feedtool.runs.run_record import RunOptions

SHOWN_GROUPS, SHOWN_ROWS = 50, 5


class HeldLines(NamedTuple):
    """The rows that a guard holds in a run, for the page."""

    group: HeldGroup
    account: str
    """The name of the run's account; empty if no profile reaches it."""
    rows: list[RowResult]
    """The first rows."""

    @property
    def others(self) -> int:
        """The number of the other rows."""
        return self.group.rows - len({result.row for result in self.rows})


def held_lines(session: PageSession, user: User) -> list[HeldLines]:
    """The rows that guards hold in runs of accounts that a user sees, the newest run first."""
    with session.workspace() as workspace:

        def is_seen(run: Run) -> bool:
            return user.sees(account_of_run(session, run))

        groups = islice(held_groups(workspace, is_seen), SHOWN_GROUPS)
        return [
            HeldLines(
                group,
                account_of_run(session, group.run),
                [*islice(chain.from_iterable(sheet.rows for sheet in group.sheets), SHOWN_ROWS)],
            )
            for group in groups
        ]


def account_of_run(session: PageSession, run: Run) -> str:
    """The name of a run's account; empty if no profile reaches it."""
    return account_of(session, run, RunOptions.from_json(run.options))


def upload_held(
    session: PageSession, run: int, name: str, code: str, reason: str, who: str, say: Translator
) -> FileUpload:
    """FileUpload the file of a run again, with a choice of exactly the rows that a guard holds.

    Raises:
        UsageProblem: the guard holds none of its rows any more, or no profile reaches its account.
        FileProblem: the file is no longer kept.
    """
    with session.workspace() as workspace:
        group = held_group(run, name, code, workspace)
        if group is None:
            raise UsageProblem(tr("nothing of this is held any more"), tr("look at the list again"))
        account = account_of_run(session, group.run)
        if not account:
            raise UsageProblem(
                tr("no profile reaches the account of run {run}", run=run),
                tr("ask whoever keeps the configuration"),
            )
        with session.accounts.reading(account) as reading:
            release = release_of(group, workspace, reading, who, reason)
        choices = _choices(release, RunFile(run, name), say)
        with release.file.path.open("rb") as content:
            file = session.uploads.take_in(
                name, content, limit=session.body_limit, account=account, who=who, at=now()
            )
    return session.uploads.save(msgspec.structs.replace(file, choices=choices))


def _choices(release: Release, run_file: RunFile, say: Translator) -> Choices:
    before = say(tr("as in run {run}", run=run_file.run))
    selection = release.selection
    return Choices(
        changed_only=selection.changed_only,
        rows={entry.sheet or "": entry.rows for entry in selection.rows},
        releases=tuple(
            guard._replace(reason=guard.reason or before) for guard in selection.released
        ),
        as_in=run_file,
    )
