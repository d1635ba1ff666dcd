"""Exports on a beat: what is new goes into the folder's outbox, without anybody asking for it.

Each folder has a cursor of its own, so that it is given all. One thread brings one kind after the
other, of one account after the other; what keeps it from one is told, and tried again at the next
beat.
"""

from concurrent.futures import Executor, Future
from math import inf
from typing import NamedTuple

from feedtool.model.errors import Exit, FeedtoolError, NothingToDo
from feedtool.model.text import joined, plural
from feedtool.report.output_files import Exported
from feedtool.runs.cursors import CursorUse, batch_name, export_new
from feedtool.runs.export import informed
from feedtool.runs.seller_account import SellerAccount
from feedtool.runs.workspace import fetch_context_of
from feedtool.watch.folder import make_folder
from feedtool.watch.messages import Bug, of_profile
from feedtool.watch.session import OutboxExport, WatchEnvironment


class _Beat(NamedTuple):
    """What came of all exports at one beat."""

    codes: set[Exit]
    troubles: list[tuple[str | None, FeedtoolError]]


class Outbox:
    """The exports of a watched folder, for as long as it is watched."""

    def __init__(self, environment: WatchEnvironment) -> None:
        self._environment, self._log = environment, environment.log
        self._running: Future[_Beat] | None = None
        self._due = -inf
        self.codes: set[Exit] = set()
        """Of all exports that brought something, or could not."""
        self.troubles: list[tuple[str | None, FeedtoolError]] = []
        """What kept the last ones from their end, each with its profile."""

    def turn(self, threads: Executor) -> bool:
        """Begin when it is time; True while anything is under way."""
        environment, now = self._environment, self._environment.clock()
        self.collect()
        if environment.exports and self._running is None and now >= self._due:
            self._due = inf if environment.is_once else now + environment.every
            self._running = threads.submit(self._bring)
        return self._running is not None

    def collect(self) -> None:
        """Note what came of a beat that is over."""
        if self._running and self._running.done():
            beat, self._running = self._running.result(), None
            self.codes |= beat.codes
            self.troubles = beat.troubles

    def _bring(self) -> _Beat:
        """All kinds of all accounts."""
        environment, beat = self._environment, _Beat(set(), [])
        try:
            profiles = [*environment.export_profiles]
        except FeedtoolError as error:  # of a folder that is gone: it may come back
            self._fail("profiles", None, error, beat)
            return beat
        self._log.is_over("profiles export None")
        for profile in profiles:
            try:
                with environment.open_account(profile) as account:
                    for wanted in environment.exports:
                        self._tried(wanted, profile, account, beat)
            except FeedtoolError as error:
                self._fail("account", profile, error, beat)
            except Exception as error:  # noqa: BLE001  # one account never stops the next
                self._fail("account", profile, Bug(error, environment.report_bug), beat)
            else:
                self._log.is_over(f"account export {profile}")
        return beat

    def _tried(
        self, wanted: OutboxExport, profile: str | None, account: SellerAccount, beat: _Beat
    ) -> None:
        """One kind of one account; what is wrong with it stops no other."""
        try:
            exported = self._brought(wanted, profile, account)
        except NothingToDo:
            pass
        except FeedtoolError as error:
            self._fail(wanted.kind.kind, profile, error, beat)
            return
        else:
            beat.codes.add(Exit.OK)
            place = self._environment.folder.relative(exported.file)
            rows = plural("{count:,} row", "{count:,} rows", exported.rows)
            self._log.echo("exported", joined((place, rows), ": "))
        self._log.is_over(f"{wanted.kind.kind} export {profile}")

    def _brought(
        self, wanted: OutboxExport, profile: str | None, account: SellerAccount
    ) -> Exported:
        environment, session, kind = self._environment, account.session, wanted.kind
        cursor = wanted.cursor or f"watch-{environment.name[:8]}"
        lane = environment.folder.outbox / (profile or "")
        make_folder(lane)
        exported = export_new(
            kind,
            informed(account.query(kind, wanted.options), session, account.workspace),
            CursorUse(cursor, wanted.is_changed),
            lane / batch_name(kind),
            session,
            account.workspace,
            fetch_context_of(session, closed=kind.closed),
            tell=self._log.echo,
        )
        for text, _, is_loss in exported.notes:
            self._log.echo("warning" if is_loss else "note", text)
        return exported

    def _fail(self, what: str, profile: str | None, error: FeedtoolError, beat: _Beat) -> None:
        if error is self._environment.stopping():
            return
        beat.codes.add(error.exit)
        beat.troubles.append((profile, error))
        self._log.once(f"{what} export {profile}", "error", of_profile(profile, error))
