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
from feedtool.ledger.claims import Claim, ClaimState, Earlier
from feedtool.model.errors import CannotWrite, Exit, FeedtoolError, FileProblem, UsageProblem
from feedtool.report import Outcome
from feedtool.runs.annotated_copy import Outputs, digest_of
from feedtool.runs.deliver import Submission
from feedtool.runs.resume import results, resume
from feedtool.runs.row_results import exit_code
from feedtool.runs.run_options import is_recordable
from feedtool.runs.submit import submit
from feedtool.runs.workspace import has_to_ask, options_of
from feedtool.watch.answers import one_line, write_summary
from feedtool.watch.desk import Desk, Lending
from feedtool.watch.folder import SUMMARY, CannotMove, Folder, free, has_room, make, move, unmark
from feedtool.watch.news import News
from feedtool.watch.steps import Lane, Step, names_for, next_step

RENAME = "Rename the file and drop it again."


class Parked(Exception):
    """A file cannot be brought to its end now, and is gone on with later, from the ledger."""

    def __init__(self, reason: FeedtoolError) -> None:
        super().__init__(reason.message)
        self.reason = reason


class AlreadySent(FeedtoolError):
    """The same content again, within the days in which it is taken for a mistake."""

    exit = Exit.ROWS


class LaneUnknown(FeedtoolError):
    """A file in a subfolder that names neither a profile nor a kind."""

    exit = Exit.FILE


class NameUnfit(FeedtoolError):
    """A file whose name cannot be recorded, or leaves no room for those of its answers."""

    exit = Exit.FILE


class Bug(FeedtoolError):
    """An error of ours, in one file; the next is not to suffer."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """What all files of a watched folder have in common."""

    folder: Folder
    name: str
    """The folder's, in the ledger."""
    same_within: timedelta
    """Since when the same content is taken for a mistake."""
    now: Callable[[], datetime]
    news: News
    report_bug: Callable[[Exception], str]
    """Writes down what is ready to be pasted; where."""
    on_refused: Callable[[str, FeedtoolError], None] = lambda *_: None
    """As a desk's, of what is in no account's folder."""

    def take(self, place: PurePosixPath, lane: Lane, desk: Desk) -> Exit | None:
        """Take a file of the inbox, and carry it to its end.

        Returns:
            What it came to; None where it is somebody else's, or stays where it is for now.

        Raises:
            Parked: It is begun, and cannot be ended now.
        """
        if not is_recordable(str(place)):
            return self.refuse(place, NameUnfit("The name is not UTF-8.", RENAME), desk)
        source = self.folder.inbox / place
        sha256 = digest_of(source)
        if sha256 is None:
            return self.refuse(place, _unreadable(source), desk) if source.exists() else None
        now = self.now()
        try:
            found = desk.books.ledger.claims.take(
                folder=self.name,
                lane=lane.path,
                scope=self.scope_of(lane, desk),
                sha256=sha256,
                source=place.name,
                names=self._names(place, lane),
                now=now,
                since=now - self.same_within,
            )
        except NameUnfit as error:
            return self.refuse(place, error, desk)
        if isinstance(found, Earlier):
            return self.refuse(place, _already_sent(found), desk)
        return None if found is None else self.carry(found, lane, desk)

    def _names(self, place: PurePosixPath, lane: Lane) -> Iterator[str]:
        """What a file and its answers may be named by.

        Raises:
            NameUnfit: The next name is too long.
        """
        for name in names_for(place.name, self.now().astimezone().date()):
            if not has_room(name, SUMMARY, f".result{place.suffix}"):
                raise NameUnfit("The name is too long for those of its answers.", RENAME)
            if self.folder.is_free(lane.path, name, place.suffix):
                yield name

    def scope_of(self, lane: Lane, desk: Desk) -> str:
        """Among which claims the same content is the same: of a folder, a seller and a kind."""
        scope = [self.name, *desk.whose, lane.kind or ""]
        return hashlib.sha256(json.dumps(scope).encode()).hexdigest()

    def tell_of_another_account(self, claim: Claim) -> None:
        """Say of a claim that its folder stands for another account now, which must not send it."""
        self.news.once(
            f"account of {claim.claim}",
            "error",
            f"{self._shown(claim)} was taken for another account than its folder stands for now,"
            " and stays until it stands for that one again",
        )

    def refuse(
        self, place: PurePosixPath, error: FeedtoolError, desk: Desk | None = None
    ) -> Exit | None:
        """Move a file from the inbox to `error/`, its reason beside it."""
        source = self.folder.inbox / place
        if not source.exists():
            return None
        target = self.folder.error_place(place.parent, place.name)
        try:
            self.folder.explain(target, error)
            if not move(source, target):
                self.folder.take_reason_back(target)
                return None
        except (CannotWrite, CannotMove) as cannot:
            self.folder.take_reason_back(target)
            self.news.once(f"move {source}", "error", cannot.message)
            return None
        unmark(source)
        shown = self.folder.relative(source)
        self.news.tell("refused", f"{shown}: {error.message} → {self.folder.relative(target)}")
        (desk or self).on_refused(shown, error)
        return error.exit

    def carry(self, claim: Claim, lane: Lane, desk: Desk) -> Exit | None:
        """Bring a claimed file to its end, from wherever it is.

        Returns, raises: as `take`.
        """
        came_to: Exit | None = None
        claims, number = desk.books.ledger.claims, claim.claim
        place = self.folder.place_of(claim)
        while step := self._next(claim):
            if step is Step.TAKE_IN:
                try:
                    self.folder.take_in(claim)
                except CannotMove as error:
                    claims.forget(number)
                    self.news.once(f"move {place}", "waiting", error.message)
                    return None
            elif step is Step.FILE_AWAY:
                try:
                    move(place, free(self.folder.root / (claim.target or "error")))
                except CannotMove as error:  # all is told of it; the next file is not to wait
                    self.news.once(f"move {place}", "waiting", error.message)
                    return came_to
            elif step is Step.END:
                self.folder.drop_lent(claim)
                claims.end(number)
            elif step is Step.FORGET:
                self.folder.drop_lent(claim)
                claims.forget(number)
                return came_to
            else:
                came_to = self._send(step, claim, lane, desk)
                if came_to is None:
                    return None
            claim = claims.read(number)
        return came_to

    def _next(self, claim: Claim) -> Step | None:
        return next_step(
            claim.state,
            has_run=claim.run_id is not None,
            is_in_processing=self.folder.place_of(claim).exists(),
            is_in_inbox=self.folder.source_of(claim).exists(),
        )

    def _send(self, step: Step, claim: Claim, lane: Lane, desk: Desk) -> Exit | None:
        """Send it, or go on with its run, and write its answers; None where it is another file."""
        try:
            if step is Step.GO_ON:
                submission = self._go_on(claim, desk)
            else:
                kept = desk.books.keep(Input(self._shown(claim), self.folder.place_of(claim)))
                if kept.sha256 != claim.sha256:  # it was changed after all: from the beginning
                    self._give_back(claim, desk)
                    return None
                submission = self._submit(claim, kept.file, lane, desk)
            return self._conclude(claim, submission, desk)
        except Parked:
            raise
        except FeedtoolError as error:
            return self._failed(claim, error, desk)
        except Exception as error:  # noqa: BLE001  # one file never stops the next
            return self._refuse_claimed(claim, bug_in(error, self.report_bug), desk)

    def _submit(self, claim: Claim, kept: Input, lane: Lane, desk: Desk) -> Submission:
        suffix = ".xlsx" if load().format_of(kept.path) else Path(claim.source).suffix
        target = self.folder.answer_of(claim, f".result{suffix}")
        make(target.parent)
        return submit(
            [kept],
            desk.asked_as(lane.kind),
            Outputs({kept.name: target}, only_whole=True),
            desk.service,
            Lending(
                desk.books.ledger,
                desk.books.snapshots,
                desk.books.folder,
                self.folder.lent_of(claim),
            ),
            claim=claim.claim,
            sifting=desk.sifting,
        )

    def _go_on(self, claim: Claim, desk: Desk) -> Submission:
        """Go on with a run, also one of another machine, which knows the folder by another path."""
        number, books = claim.run_id or 0, desk.books
        for one in (self.folder.place_of(claim), self.folder.lent_of(claim)):
            with suppress(FileProblem):
                books.snapshots.keep(one)
        before = options_of(number, books).outputs
        outputs = replace(
            before,
            targets={
                name: self.folder.answer_of(claim, place.name.removeprefix(claim.name))
                for name, place in before.targets.items()
            },
        )
        if has_to_ask(number, books):
            return resume(number, desk.service, books, outputs=outputs)
        return Submission(results(number, books, self.now(), outputs=outputs))

    def _conclude(self, claim: Claim, submission: Submission, desk: Desk) -> Exit:
        """Write all that is told of the file, and settle where the file itself goes next."""
        for warning in submission.warnings:
            self.news.tell("warning", f"{self._shown(claim)}: {warning}")
        if submission.stopped:
            raise Parked(submission.stopped)
        outcomes = submission.outcomes
        failed = next((one.copy_failed for one in outcomes if one.copy_failed), None)
        if isinstance(failed, UsageProblem):  # wherever it was tried: the disk is full
            raise Parked(failed)
        if failed:
            return self._refuse_claimed(claim, failed, desk)
        claim = desk.books.ledger.claims.read(claim.claim)
        errors = [outcome.checked.error for outcome in outcomes]
        if claim.run_id is None and errors and errors[0]:
            return self._refuse_claimed(claim, self._with_folder(errors[0], claim), desk)
        self._write_failed(claim, outcomes, desk)
        code = exit_code(outcomes)
        write_summary(self.folder.answer_of(claim, SUMMARY), claim, claim.run_id, outcomes, code)
        target = self.folder.done_place(claim, self.now().astimezone().date())
        self._settle(claim, ClaimState.ANSWERED, target, desk)
        written = [*(one.annotated for one in outcomes), *(one.failed for one in outcomes)]
        answers = ", ".join(dict.fromkeys(map(self.folder.relative, filter(None, written))))
        self.news.tell("answered", f"{self._shown(claim)}: {one_line(outcomes)} → {answers}")
        desk.on_answered(outcomes, code)
        return code

    def _write_failed(self, claim: Claim, outcomes: Sequence[Outcome], desk: Desk) -> None:
        """Write the workbook of the rows to correct; it replaces only what a crash has left there.

        Raises:
            Parked: They cannot be written.
        """
        from feedtool.runs.corrections import write_failed

        def is_left_by_a_crash(place: Path) -> bool:
            # What was written to its end is in the ledger.
            return desk.books.ledger.output(str(place)) is None

        target, name = self.folder.failed_of(claim), self._shown(claim)
        try:
            written = write_failed(
                claim.run_id or 0,
                name,
                outcomes,
                target,
                desk.books,
                self.now(),
                may_replace=is_left_by_a_crash,
            )
        except CannotWrite as error:
            raise Parked(error) from error
        except UsageProblem as error:  # somebody is at work on them already
            self.news.tell("warning", f"{name}: {error.message}")
            return
        for outcome in outcomes:
            if written and outcome.checked.error is None:
                outcome.failed = written.place

    def _failed(self, claim: Claim, error: FeedtoolError, desk: Desk) -> Exit:
        """Refuse a file whose own fault it is; with anything else it is put off, and tried again.

        Raises:
            Parked: It is not the file's fault.
        """
        has_run = desk.books.ledger.claims.read(claim.claim).run_id is not None
        is_the_worlds = isinstance(error, CannotWrite | CannotMove)
        may_be_its_own = isinstance(error, UsageProblem) and not has_run and not is_the_worlds
        if isinstance(error, FileProblem) or may_be_its_own:
            return self._refuse_claimed(claim, error, desk)
        raise Parked(error) from error

    def _refuse_claimed(self, claim: Claim, error: FeedtoolError, desk: Desk) -> Exit:
        claim = desk.books.ledger.claims.read(claim.claim)
        target = self.folder.error_place(claim.lane, self.folder.place_of(claim).name)
        more = f"Its run is {claim.run_id}: feedtool status {claim.run_id}" if claim.run_id else ""
        self.folder.explain(target, error, more)
        self._settle(claim, ClaimState.REFUSED, target, desk)
        where = self.folder.relative(target)
        self.news.tell("refused", f"{self._shown(claim)}: {error.message} → {where}")
        desk.on_refused(self._shown(claim), error)
        return error.exit

    def _with_folder(self, error: FeedtoolError, claim: Claim) -> FeedtoolError:
        """The same; where the kind is unclear, its hint names the folder for updates."""
        if isinstance(error, KindUnclear):
            folder = self.folder.relative(self.folder.inbox / claim.lane / error.kinds[1])
            error.hint = error.hint_with(f"drop it into {folder}/")
        return error

    def _settle(self, claim: Claim, state: ClaimState, target: Path, desk: Desk) -> None:
        desk.books.ledger.claims.settle(claim.claim, state, self.folder.relative(target))

    def park(self, claims: list[Claim], desk: Desk) -> None:
        """Give back what is claimed and of which no run has begun."""
        for claim in claims:
            if claim.state is ClaimState.TAKEN and claim.run_id is None:
                self._give_back(claim, desk)

    def _give_back(self, claim: Claim, desk: Desk) -> None:
        self.folder.put_back(claim)
        self.folder.drop_lent(claim)
        desk.books.ledger.claims.forget(claim.claim)

    def _shown(self, claim: Claim) -> str:
        return self.folder.relative(self.folder.source_of(claim))


def bug_in(error: Exception, report: Callable[[Exception], str]) -> Bug:
    """What is told of a bug; `report` writes down all of it, and says where."""
    return Bug(
        f"This is a bug in feedtool: {type(error).__name__}.",
        f"Please report it with the contents of {report(error)}",
    )


def _unreadable(source: Path) -> FeedtoolError:
    return FileProblem(f"{source.name} cannot be read.", "See that feedtool may read it.")


def _already_sent(earlier: Earlier) -> FeedtoolError:
    when = earlier.taken_at.astimezone().strftime("%Y-%m-%d %H:%M")
    return AlreadySent(
        f"The same content was sent as {earlier.source} on {when}: run {earlier.run_id}.",
        f"Its answers: feedtool results {earlier.run_id}. To send it all the same, drop it again"
        " while feedtool watch runs with --same-within 0.",
    )
