"""One file from step to step, by `steps.next_step`, with the seller's lock held."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath

from feedtool.areas.registry import load
from feedtool.check import Input
from feedtool.check.kinds import KindUnclear
from feedtool.ledger.claims import Claim, ClaimState, EarlierClaim
from feedtool.model.errors import CannotWrite, Exit, FeedtoolError, FileProblem, UsageProblem
from feedtool.report import SheetResult
from feedtool.runs.annotated_copy import Outputs, digest_of
from feedtool.runs.deliver import Submission, results, resume
from feedtool.runs.row_results import exit_code
from feedtool.runs.run_record import is_recordable
from feedtool.runs.submit import submit
from feedtool.runs.workspace import has_to_ask, options_of
from feedtool.watch.decisions import ClaimStep, InboxRoute, names_for, next_step
from feedtool.watch.folder import (
    SUMMARY,
    CannotMove,
    Folder,
    free,
    has_room,
    make_folder,
    move,
    remove,
    unmark,
)
from feedtool.watch.messages import (
    AlreadySent,
    Bug,
    DeduplicatedLog,
    Deferred,
    NameUnfit,
    one_line,
    write_summary,
)
from feedtool.watch.session import ClaimWorkspace, SellerAccount


@dataclass(frozen=True, slots=True)
class FileProcessor:
    """Brings the files of a watched folder to their end, with the seller's lock held."""

    folder: Folder
    name: str
    """The folder's, in the ledger."""
    same_within: timedelta
    """Since when the same content is taken for a mistake."""
    now: Callable[[], datetime]
    log: DeduplicatedLog
    report_bug: Callable[[Exception], str]
    """Writes down what is ready to be pasted; returns where."""
    on_refused: Callable[[str, FeedtoolError], None] = lambda *_: None
    """As an account's, for a file in no account's folder."""

    def take(self, place: PurePosixPath, route: InboxRoute, account: SellerAccount) -> Exit | None:
        """Take a file of the inbox, and bring it to its end.

        Returns:
            Its exit code; None where it is somebody else's, or stays where it is for now.

        Raises:
            Deferred: It is begun, and cannot be ended now.
        """
        try:
            claim = self._claim(place, route, account)
        except (AlreadySent, FileProblem, NameUnfit) as error:
            return self.refuse(place, error, account)
        return None if claim is None else self.process(claim, route, account)

    def _claim(
        self, place: PurePosixPath, route: InboxRoute, account: SellerAccount
    ) -> Claim | None:
        """A claim of a file; None where somebody else has one."""
        if not is_recordable(str(place)):
            raise NameUnfit("The name is not UTF-8.")
        sha256, now = digest_of(self.folder.inbox / place), self.now()
        if sha256 is None:
            raise FileProblem(f"{place.name} cannot be read.", "See that feedtool may read it.")
        claim = account.claims.take(
            folder=self.name,
            lane=route.path,
            scope=self.scope_of(route, account),
            sha256=sha256,
            source=place.name,
            names=self._names(place, route),
            now=now,
            since=now - self.same_within,
        )
        if isinstance(claim, EarlierClaim):
            raise AlreadySent(claim)
        return claim

    def _names(self, place: PurePosixPath, route: InboxRoute) -> Iterator[str]:
        """The names that a file and its answers may have; NameUnfit where the next is too long."""
        for name in names_for(place.name, self.now().astimezone().date()):
            if not has_room(name, SUMMARY, f".result{place.suffix}"):
                raise NameUnfit("The name is too long for those of its answers.")
            if self.folder.is_free(route.path, name, place.suffix):
                yield name

    def scope_of(self, route: InboxRoute, account: SellerAccount) -> str:
        """Among which claims the same content is the same: of a folder, a seller and a kind."""
        scope = [self.name, *account.key, route.kind or ""]
        return hashlib.sha256(json.dumps(scope).encode()).hexdigest()

    def echo_other_account(self, claim: Claim) -> None:
        """Say of a claim that its folder stands for another account now, which must not send it."""
        text = (
            f"{self._shown(claim)} was taken for another account than its folder stands for now,"
            " and stays until it stands for that one again"
        )
        self.log.once(f"account of {claim.claim}", "error", text)

    def refuse(
        self, place: PurePosixPath, error: FeedtoolError, account: SellerAccount | None = None
    ) -> Exit | None:
        """Move a file from the inbox to `error/`, its reason beside it."""
        source = self.folder.inbox / place
        if not source.exists():
            return None
        self.folder.sweep(place.parent)
        target = self.folder.error_place(place.parent, place.name)
        try:
            self.folder.explain(target, error)
            if not move(source, target):
                self.folder.take_reason_back(target)
                return None
        except (CannotWrite, CannotMove) as cannot:
            self.folder.take_reason_back(target)
            self.log.once(f"move {source}", "error", cannot.message)
            return None
        unmark(source)
        return self._refused(self.folder.relative(source), target, error, account or self)

    def process(self, claim: Claim, route: InboxRoute, account: SellerAccount) -> Exit | None:
        """Bring a claimed file to its end, from wherever it is.

        Returns, raises: as `take`.
        """
        code: Exit | None = None
        claims, number, folder = account.claims, claim.claim, self.folder
        place = folder.place_of(claim)
        folder.sweep(claim.lane)
        while step := self._next(claim):
            try:
                if step is ClaimStep.TAKE_IN:
                    folder.take_in(claim)
                elif step is ClaimStep.FILE_AWAY:
                    move(place, free(folder.root / (claim.target or "error")))
            except CannotMove as error:  # the next file is not to wait
                if step is ClaimStep.TAKE_IN:
                    claims.forget(number)
                self.log.once(f"move {place}", "waiting", error.message)
                return code
            if step in {ClaimStep.SEND, ClaimStep.GO_ON}:
                code = self._send(step, claim, route, account)
                if code is None:
                    return None
            elif step is ClaimStep.END:
                remove(folder.lent_of(claim))
                claims.end(number)
            elif step is ClaimStep.FORGET:
                remove(folder.lent_of(claim))
                claims.forget(number)
                return code
            claim = claims.read(number)
        return code

    def _next(self, claim: Claim) -> ClaimStep | None:
        return next_step(
            claim.state,
            has_run=claim.run_id is not None,
            is_in_processing=self.folder.place_of(claim).exists(),
            is_in_inbox=self.folder.source_of(claim).exists(),
        )

    def _send(
        self, step: ClaimStep, claim: Claim, route: InboxRoute, account: SellerAccount
    ) -> Exit | None:
        """Send it, or go on with its run, and write its answers; None where it is another file."""
        try:
            if step is ClaimStep.GO_ON:
                submission = self._go_on(claim, account)
            else:
                kept = account.workspace.keep(
                    Input(self._shown(claim), self.folder.place_of(claim))
                )
                if kept.sha256 != claim.sha256:  # it was changed after all: from the beginning
                    self._give_back(claim, account)
                    return None
                submission = self._submit(claim, kept.file, route, account)
            return self._conclude(claim, submission, account)
        except Deferred:
            raise
        except FeedtoolError as error:
            return self._failed(claim, error, account)
        except Exception as error:  # noqa: BLE001  # one file never stops the next
            return self._refuse_claimed(claim, Bug(error, self.report_bug), account)

    def _submit(
        self, claim: Claim, kept: Input, route: InboxRoute, account: SellerAccount
    ) -> Submission:
        suffix = ".xlsx" if load().format_of(kept.path) else Path(claim.source).suffix
        target, workspace = self.folder.answer_of(claim, f".result{suffix}"), account.workspace
        make_folder(target.parent)
        return submit(
            [kept],
            account.read_options(route.kind),
            Outputs({kept.name: target}, only_whole=True),
            account.session,
            ClaimWorkspace(
                workspace.ledger, workspace.snapshots, workspace.folder, self.folder.lent_of(claim)
            ),
            claim=claim.claim,
            selection=account.selection,
        )

    def _go_on(self, claim: Claim, account: SellerAccount) -> Submission:
        """Go on with a run, also one of another machine, which knows the folder by another path."""
        number, workspace = claim.run_id or 0, account.workspace
        for place in (self.folder.place_of(claim), self.folder.lent_of(claim)):
            with suppress(FileProblem):
                workspace.snapshots.keep(place)
        before = options_of(number, workspace).outputs
        outputs = replace(
            before,
            targets={
                name: self.folder.answer_of(claim, place.name.removeprefix(claim.name))
                for name, place in before.targets.items()
            },
        )
        if has_to_ask(number, workspace):
            return resume(number, account.session, workspace, outputs=outputs)
        return Submission(results(number, workspace, self.now(), outputs=outputs))

    def _conclude(self, claim: Claim, submission: Submission, account: SellerAccount) -> Exit:
        """Write the answers, and settle where the file itself goes next."""
        for warning in submission.warnings:
            self.log.echo("warning", f"{self._shown(claim)}: {warning}")
        if submission.stopped:
            raise Deferred(submission.stopped)
        results = submission.outcomes
        failed = next((result.copy_failed for result in results if result.copy_failed), None)
        if isinstance(failed, UsageProblem):  # wherever it was tried: the disk is full
            raise Deferred(failed)
        if failed:
            return self._refuse_claimed(claim, failed, account)
        claim = account.claims.read(claim.claim)
        error = results[0].checked.error if results else None
        if claim.run_id is None and error:
            if isinstance(error, KindUnclear):  # to whoever sends updates its hint names the folder
                updates = self.folder.inbox / claim.lane / error.kinds[1]
                error.hint = error.hint_with(f"drop it into {self.folder.relative(updates)}/")
            return self._refuse_claimed(claim, error, account)
        self._write_failed(claim, results, account)
        code = exit_code(results)
        write_summary(self.folder.answer_of(claim, SUMMARY), claim, claim.run_id, results, code)
        target = self.folder.done_place(claim, self.now().astimezone().date())
        account.claims.settle(claim.claim, ClaimState.ANSWERED, self.folder.relative(target))
        written = [result.annotated for result in results] + [result.failed for result in results]
        answers = ", ".join(dict.fromkeys(map(self.folder.relative, filter(None, written))))
        self.log.echo("answered", f"{self._shown(claim)}: {one_line(results)} → {answers}")
        account.on_answered(results, code)
        return code

    def _write_failed(
        self, claim: Claim, results: Sequence[SheetResult], account: SellerAccount
    ) -> None:
        """Write the workbook of the rows to correct; it replaces only what a crash has left."""
        from feedtool.runs.corrections import write_failed

        name, workspace = self._shown(claim), account.workspace
        try:
            write_failed(
                claim.run_id or 0,
                name,
                results,
                self.folder.failed_of(claim),
                workspace,
                self.now(),
                # What was written to its end is in the ledger.
                may_replace=lambda place: workspace.ledger.output(str(place)) is None,
            )
        except CannotWrite as error:
            raise Deferred(error) from error
        except UsageProblem as error:  # somebody is at work on them already
            self.log.echo("warning", f"{name}: {error.message}")

    def _failed(self, claim: Claim, error: FeedtoolError, account: SellerAccount) -> Exit:
        """Refuse a file whose own fault it is; Deferred with anything else, to be tried again."""
        has_run = account.claims.read(claim.claim).run_id is not None
        is_the_worlds = isinstance(error, CannotWrite | CannotMove)
        may_be_its_own = isinstance(error, UsageProblem) and not has_run and not is_the_worlds
        if isinstance(error, FileProblem) or may_be_its_own:
            return self._refuse_claimed(claim, error, account)
        raise Deferred(error) from error

    def _refuse_claimed(self, claim: Claim, error: FeedtoolError, account: SellerAccount) -> Exit:
        claim = account.claims.read(claim.claim)
        target = self.folder.error_place(claim.lane, self.folder.place_of(claim).name)
        more = f"Its run is {claim.run_id}: feedtool status {claim.run_id}" if claim.run_id else ""
        self.folder.explain(target, error, more)
        account.claims.settle(claim.claim, ClaimState.REFUSED, self.folder.relative(target))
        return self._refused(self._shown(claim), target, error, account)

    def _refused(
        self, shown: str, target: Path, error: FeedtoolError, owner: "FileProcessor | SellerAccount"
    ) -> Exit:
        self.log.echo("refused", f"{shown}: {error.message} → {self.folder.relative(target)}")
        owner.on_refused(shown, error)
        return error.exit

    def defer(self, claims: list[Claim], account: SellerAccount) -> None:
        """Give back what is claimed and of which no run has begun."""
        for claim in claims:
            if claim.state is ClaimState.TAKEN and claim.run_id is None:
                self._give_back(claim, account)

    def _give_back(self, claim: Claim, account: SellerAccount) -> None:
        self.folder.put_back(claim)
        remove(self.folder.lent_of(claim))
        account.claims.forget(claim.claim)

    def _shown(self, claim: Claim) -> str:
        return self.folder.relative(self.folder.source_of(claim))
