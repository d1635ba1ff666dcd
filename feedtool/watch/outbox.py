"""Regular exports: new rows go into the folder's outbox at intervals.

Each folder has its own cursor, so that it gets all rows. One thread exports one kind after the
other, of one account after the other; an error of one is reported, and it is tried again in the
next round.
"""

from concurrent.futures import Executor, Future
from math import inf
from typing import NamedTuple

from feedtool.model.errors import Exit, FeedtoolError, NothingToDo
from feedtool.model.text import joined, plural
from feedtool.report.file import Exported
from feedtool.runs.cursors import CursorUse, batch_name, export_new
from feedtool.runs.export import with_ledger
from feedtool.runs.sellers import SellerAccount
from feedtool.runs.workspace import fetch_context_of
from feedtool.watch.folder import make_folder
from feedtool.watch.reporting import Bug, with_profile
from feedtool.watch.session import OutboxExport, WatchEnvironment


class _ExportRound(NamedTuple):
    """The results of all exports in one round."""

    codes: set[Exit]
    troubles: list[tuple[str | None, FeedtoolError]]


class Outbox:
    """The exports of a watched folder."""

    def __init__(self, environment: WatchEnvironment) -> None:
        self._environment, self._log = environment, environment.log
        self._running: Future[_ExportRound] | None = None
        self._due = -inf
        self.codes: set[Exit] = set()
        """The exit codes of all exports that had rows, or failed."""
        self.troubles: list[tuple[str | None, FeedtoolError]] = []
        """The errors of the last round, each with its profile."""

    def turn(self, threads: Executor) -> bool:
        """Begin a round when it is due; True while one is under way."""
        environment, now = self._environment, self._environment.clock()
        self.collect()
        if environment.exports and self._running is None and now >= self._due:
            self._due = inf if environment.is_once else now + environment.every
            self._running = threads.submit(self._export_all)
        return self._running is not None

    def collect(self) -> None:
        if self._running and self._running.done():
            round_, self._running = self._running.result(), None
            self.codes |= round_.codes
            self.troubles = round_.troubles

    def _export_all(self) -> _ExportRound:
        environment, round_ = self._environment, _ExportRound(set(), [])
        try:
            profiles = [*environment.export_profiles]
        except FeedtoolError as error:  # the folder is gone, and may come back
            self._fail("profiles", None, error, round_)
            return round_
        self._log.is_over("profiles export None")
        for profile in profiles:
            try:
                with environment.open_account(profile) as account:
                    for export in environment.exports:
                        self._export(export, profile, account, round_)
            except FeedtoolError as error:
                self._fail("account", profile, error, round_)
            except Exception as error:  # noqa: BLE001  # one account never stops the next
                self._fail("account", profile, Bug(error, environment.report_bug), round_)
            else:
                self._log.is_over(f"account export {profile}")
        return round_

    def _export(
        self,
        export: OutboxExport,
        profile: str | None,
        account: SellerAccount,
        round_: _ExportRound,
    ) -> None:
        """Export one kind of one account; an error in it stops no other."""
        try:
            exported = self._write_new(export, profile, account)
        except NothingToDo:
            pass
        except FeedtoolError as error:
            self._fail(export.kind.kind, profile, error, round_)
            return
        else:
            round_.codes.add(Exit.OK)
            place = self._environment.folder.relative(exported.file)
            rows = plural("{count:,} row", "{count:,} rows", exported.rows)
            self._log.echo("exported", joined((place, rows), ": "))
        self._log.is_over(f"{export.kind.kind} export {profile}")

    def _write_new(
        self, export: OutboxExport, profile: str | None, account: SellerAccount
    ) -> Exported:
        environment, session, kind = self._environment, account.session, export.kind
        cursor = export.cursor or f"watch-{environment.name[:8]}"
        lane = environment.folder.outbox / (profile or "")
        make_folder(lane)
        exported = export_new(
            kind,
            with_ledger(account.query(kind, export.options), session, account.workspace),
            CursorUse(cursor, export.is_changed),
            lane / batch_name(kind),
            session,
            account.workspace,
            fetch_context_of(session, forbidden_texts=kind.forbidden_texts),
            tell=self._log.echo,
        )
        for text, _, is_loss in exported.notes:
            self._log.echo("warning" if is_loss else "note", text)
        return exported

    def _fail(
        self, subject: str, profile: str | None, error: FeedtoolError, round_: _ExportRound
    ) -> None:
        if error is self._environment.stopping():
            return
        round_.codes.add(error.exit)
        round_.troubles.append((profile, error))
        self._log.once(f"{subject} export {profile}", "error", with_profile(profile, error))
