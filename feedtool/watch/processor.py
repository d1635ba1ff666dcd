"""Take one file from step to step, by `decisions.next_step`, with the seller's lock held."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from feedtool.check import Input
from feedtool.check.kinds import KindUnclear
from feedtool.ledger.claims import Claim, ClaimState, EarlierClaim, scope_of
from feedtool.ledger.lock import Held, hold
from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import CannotWrite, Exit, FeedtoolError, FileProblem, UsageProblem
from feedtool.model.text import Translator, joined, tr, with_value
from feedtool.places import Entry
from feedtool.places.incoming import SUMMARY, names_for
from feedtool.report.sheet_result import exit_code
from feedtool.runs.annotated_copy import digest_of
from feedtool.runs.deliver import Submission, results, resume
from feedtool.runs.documents import with_lists
from feedtool.runs.outputs import Outputs, has_workbook_copy
from feedtool.runs.run_record import is_recordable
from feedtool.runs.sellers import SellerAccount
from feedtool.runs.submit import submit
from feedtool.runs.workspace import needs_service, options_of
from feedtool.watch.folder import (
    CannotMove,
    ClaimStep,
    InboxRoute,
    free_place,
    has_room,
    make_folder,
    move,
    next_step,
    remove_marker,
)
from feedtool.watch.reporting import (
    AlreadySent,
    AnsweredFile,
    Bug,
    Deferred,
    NameUnfit,
    reason_lines,
    totals_line,
    write_summary,
)
from feedtool.watch.session import ClaimWorkspace, Environment


class FileProcessor:
    """Brings the files of a watched folder to their end, with the seller's lock held."""

    def __init__(self, environment: Environment) -> None:
        self._environment, self._now = environment, environment.now
        self._folder, self._log = environment.folder, environment.log

    def take(self, place: PurePosixPath, route: InboxRoute, account: SellerAccount) -> Exit | None:
        """Take a file of the inbox to its end, and return its exit code.

        None if another process has claimed the file, or if it stays. Deferred if it is begun, but
        cannot be finished now.
        """
        try:
            claim = self._claim(place, route, account)
        except FileProblem as error:
            return self.refuse(place, error, account)
        return None if claim is None else self.process(claim, route, account)

    def _claim(
        self, place: PurePosixPath, route: InboxRoute, account: SellerAccount
    ) -> Claim | None:
        """Claim a file; None if another process has a claim."""
        if not is_recordable(str(place)):
            raise NameUnfit(tr("The name is not UTF-8."))
        sha256, now = digest_of(self._folder.inbox / place), self._now()
        within = self._environment.same_within
        if sha256 is None:
            raise FileProblem(
                tr("{name} cannot be read.", name=place.name), tr("See that feedtool may read it.")
            )
        claim = account.claims.take(
            folder=self._environment.name,
            lane=route.path,
            scope=self.scope_of(route, account),
            sha256=sha256,
            source=place.name,
            names=self._names(place, route),
            now=now,
            since=None if within is None else now - within,
        )
        if isinstance(claim, EarlierClaim):
            raise AlreadySent(claim)
        return claim

    def _names(self, place: PurePosixPath, route: InboxRoute) -> Iterator[str]:
        """Yield names that a file and its answers may have; NameUnfit if the next is too long."""
        for name in names_for(place.name, self._now().astimezone().date()):
            if not has_room(name, SUMMARY, f".result{place.suffix}"):
                raise NameUnfit(tr("The name is too long: its answers would have longer names."))
            if self._folder.is_free(route.path, name, place.suffix):
                yield name

    def scope_of(self, route: InboxRoute, account: SellerAccount) -> str:
        """The scope in which equal content is a repetition: a folder, a seller and a kind."""
        return scope_of(self._environment.name, account.key, route.kind)

    def echo_other_account(self, claim: Claim) -> None:
        """Report that a claim's folder now belongs to another account, which must not send it."""
        text = tr(
            "{file} was taken for another account than its folder has now, and stays "
            "until the folder has that account again",
            file=self._shown(claim),
        )
        self._log.once(f"account of {claim.claim}", "error", text)

    def refuse(
        self, place: PurePosixPath, error: FeedtoolError, account: SellerAccount | None = None
    ) -> Exit | None:
        """Move a file from the inbox to `error/`, its reason beside it."""
        source = self._folder.inbox / place
        if not source.exists():
            return None
        self._folder.sweep(place.parent)
        target = self._folder.error_place(place.parent, place.name)
        owner = account or self._environment
        try:
            self._folder.explain(target, reason_lines(error), Translator(owner.language.default))
            if not move(source, target):
                self._folder.remove_reason(target)
                return None
        except (CannotWrite, CannotMove) as cannot:
            self._folder.remove_reason(target)
            self._log.once(f"move {source}", "error", cannot.message)
            return None
        remove_marker(source)
        return self._refused(self._folder.relative(source), target, error, owner)

    def process(self, claim: Claim, route: InboxRoute, account: SellerAccount) -> Exit | None:
        """Bring a claimed file to its end, from its present step; returns like `take`."""
        code: Exit | None = None
        claims, number, folder = account.claims, claim.claim, self._folder
        place = folder.place_of(claim)
        folder.sweep(claim.lane)
        while step := next_step(
            claim.state,
            has_run=claim.run_id is not None,
            is_in_processing=place.exists(),
            is_in_inbox=folder.source_of(claim).exists(),
        ):
            try:
                if step is ClaimStep.TAKE_IN:
                    folder.take_in(claim)
                elif step is ClaimStep.FILE_AWAY:
                    move(place, free_place(folder.root / (claim.target or "error")))
            except CannotMove as error:  # the next file must not wait
                if step is ClaimStep.TAKE_IN:
                    claims.forget(number)
                self._log.once(f"move {place}", "waiting", error.message)
                return code
            if step in {ClaimStep.SEND, ClaimStep.GO_ON}:
                code = self._send(step, claim, route, account)
                if code is None:
                    return None
            elif step in {ClaimStep.END, ClaimStep.FORGET}:
                folder.remove_handovers(claim)
                (claims.end if step is ClaimStep.END else claims.forget)(number)
                if step is ClaimStep.FORGET:
                    return code
            claim = claims.read(number)
        return code

    def _send(
        self, step: ClaimStep, claim: Claim, route: InboxRoute, account: SellerAccount
    ) -> Exit | None:
        """Send a file, or go on with its run, and write its answers; None if it was changed."""
        try:
            if step is ClaimStep.GO_ON:
                submission = self._go_on(claim, account)
            else:
                source = Input(self._shown(claim), self._folder.place_of(claim))
                kept = account.workspace.keep(source)
                if kept.sha256 != claim.sha256:  # changed since it was claimed: begin again
                    self._give_back(claim, account)
                    return None
                submission = self._submit(claim, kept.file, route, account)
            return self._conclude(claim, submission, account)
        except Deferred:
            raise
        except FeedtoolError as error:
            return self._failed(claim, error, account)
        except Exception as error:  # noqa: BLE001  # one file never stops the next
            return self._refuse_claimed(claim, Bug(error, self._environment.report_bug), account)

    def _submit(
        self, claim: Claim, kept: Input, route: InboxRoute, account: SellerAccount
    ) -> Submission:
        base, handover = account.workspace, self._folder.handover_of(claim)
        workspace = ClaimWorkspace(base.ledger, base.snapshots, base.folder, handover)
        options = replace(account.reading, kind=route.kind) if route.kind else account.reading
        place, language = self._folder.place_of(claim), account.language.of(None)
        claimed = Input(str(place), place)
        with temporary_folder() as folder:
            (file,) = with_lists([claimed], options.kind, options.dialect, language, folder)
            # A workbook of the rows that the file lists, as a ZIP of invoices does.
            is_list = file is not claimed
            if is_list:
                workspace.keep_used(file.path)
            else:
                file = kept
            is_made = is_list or has_workbook_copy(kept.path)
            suffix = ".xlsx" if is_made else Path(claim.source).suffix
            target = self._folder.answer_of(claim, f".result{suffix}")
            make_folder(target.parent)
            return submit(
                [file],
                options,
                Outputs({file.name: target}, only_whole=True, language=account.language),
                account.session,
                workspace,
                claim=claim.claim,
                selection=account.selection,
            )

    def _go_on(self, claim: Claim, account: SellerAccount) -> Submission:
        """Go on with a run, even of another machine, where the folder has another path."""
        number, workspace = claim.run_id or 0, account.workspace
        for place in (self._folder.place_of(claim), *self._folder.handovers(claim)):
            with suppress(FileProblem):
                workspace.snapshots.keep(place)
        make_folder(self._folder.answer_of(claim, SUMMARY).parent)
        before = options_of(number, workspace).outputs
        outputs = replace(
            before,
            targets={
                name: self._folder.answer_of(claim, place.name.removeprefix(claim.name))
                for name, place in before.targets.items()
            },
        )
        if needs_service(number, workspace):
            return resume(number, account.session, workspace, outputs=outputs)
        return Submission(results(number, workspace, self._now(), outputs=outputs))

    def _conclude(self, claim: Claim, submission: Submission, account: SellerAccount) -> Exit:
        """Write the answers, and settle the file's next place."""
        for warning in submission.warnings:
            self._log.echo("warning", joined((self._shown(claim), warning), ": "))
        if submission.stopped:
            raise Deferred(submission.stopped)
        results = submission.outcomes
        failed = next((result.copy_failed for result in results if result.copy_failed), None)
        if isinstance(failed, UsageProblem):  # for any file: the disk is full
            raise Deferred(failed)
        if failed:
            return self._refuse_claimed(claim, failed, account)
        claim = account.claims.read(claim.claim)
        error = results[0].checked.error if results else None
        if claim.run_id is None and error:
            if isinstance(error, KindUnclear):  # the hint names the way to send updates
                error.hint = error.hint_with(self._way_of(claim, error.kinds[1]))
            return self._refuse_claimed(claim, error, account)
        code = exit_code(results)
        summary = self._folder.answer_of(claim, SUMMARY)
        write_summary(summary, self._summarised(claim), results, code)
        day = self._folder.done / str(self._now().astimezone().date())
        target = free_place(day / claim.lane / self._folder.place_of(claim).name)
        self._settle(claim, ClaimState.ANSWERED, target, code, account)
        written = [result.annotated for result in results] + [result.failed for result in results]
        answer = joined((totals_line(results), self._answers_shown(claim, written)), " → ")
        self._log.echo("answered", joined((self._shown(claim), answer), ": "))
        account.on_answered(results, code)
        return code

    def _failed(self, claim: Claim, error: FeedtoolError, account: SellerAccount) -> Exit:
        """Refuse a file that is at fault itself; Deferred for other errors, to try again."""
        has_run = account.claims.read(claim.claim).run_id is not None
        is_of_the_disk = isinstance(error, CannotWrite | CannotMove)
        may_be_of_the_file = isinstance(error, UsageProblem) and not has_run and not is_of_the_disk
        if isinstance(error, FileProblem) or may_be_of_the_file:
            return self._refuse_claimed(claim, error, account)
        raise Deferred(error) from error

    def _refuse_claimed(self, claim: Claim, error: FeedtoolError, account: SellerAccount) -> Exit:
        claim, shown = account.claims.read(claim.claim), self._shown(claim)
        target = self._folder.error_place(claim.lane, self._folder.place_of(claim).name)
        # The hint is read once the file is there.
        error.hint = with_value(error.hint, shown, self._target_shown(shown, target))
        run = claim.run_id
        more = tr("its run is {run}: `feedtool status {run}`", run=run) if run else ""
        reason = reason_lines(error, more)
        self._folder.explain(target, reason, Translator(account.language.default))
        self._settle(claim, ClaimState.REFUSED, target, error.exit, account, reason)
        return self._refused(shown, target, error, account)

    def _settle(
        self,
        claim: Claim,
        state: ClaimState,
        target: Path,
        code: Exit,
        account: SellerAccount,
        reason: str | None = None,
    ) -> None:
        """Note that the answers, or a reason, are written, and the file's next place."""
        del code, reason  # the summary, or the reason beside the target, has them
        account.claims.settle(claim.claim, state, self._folder.relative(target))

    def _refused(
        self, shown: str, target: Path, error: FeedtoolError, owner: Environment | SellerAccount
    ) -> Exit:
        place = self._target_shown(shown, target)
        text = error.message if place == shown else joined((error.message, place), " → ")
        self._log.echo("refused", joined((shown, text), ": "))
        owner.on_refused(shown, error)
        return error.exit

    def defer(self, claims: list[Claim], account: SellerAccount) -> None:
        for claim in claims:
            if claim.state is ClaimState.TAKEN and claim.run_id is None:
                self._give_back(claim, account)

    def _give_back(self, claim: Claim, account: SellerAccount) -> None:
        move(self._folder.place_of(claim), free_place(self._folder.source_of(claim)))
        self._folder.remove_handovers(claim)
        account.claims.forget(claim.claim)

    def _shown(self, claim: Claim) -> str:
        return self._folder.relative(self._folder.source_of(claim))

    def _target_shown(self, shown: str, target: Path) -> str:
        """The place of a refused file, for messages; `shown` if it has none."""
        del shown
        return self._folder.relative(target)

    def _answers_shown(self, claim: Claim, written: Sequence[Path | None]) -> str:
        del claim
        return ", ".join(dict.fromkeys(map(self._folder.relative, filter(None, written))))

    def _summarised(self, claim: Claim) -> AnsweredFile:
        return AnsweredFile(str(claim.place), claim.sha256, claim.run_id, claim.taken_at)

    def _way_of(self, claim: Claim, kind: str) -> str:
        folder = self._folder.relative(self._folder.inbox / claim.lane / kind)
        return tr("drop it into {folder}/", folder=folder)


# Send a seller's files one after the other, in one thread, with the seller's lock held.


class Work:
    """One pass over a seller's files: the claims of some profiles, then files that are whole."""

    def __init__(self, environment: Environment, processor: FileProcessor | None = None) -> None:
        self._environment = environment
        self._processor = processor or FileProcessor(environment)
        self.profiles: set[str | None] = set()
        self.whole: list[tuple[Entry, InboxRoute]] = []
        """Whole files, as the inbox listed them; the oldest first."""
        self.codes: list[Exit] = []
        """The exit code of each file that is at its end."""
        self.trouble: FeedtoolError | None = None
        """The error that ended the pass early; None if it reached its end."""
        self.profile: str | None = None
        """The profile of the trouble."""
        self._next: str | None = None
        self._accounts: dict[str | None, SellerAccount | None] = {}
        """None for an account that cannot be opened."""

    def do(self) -> "Work":
        """Bring all files to their end, in the seller's thread."""
        try:
            with ExitStack() as stack:
                try:
                    for code in self._results(stack):
                        self.codes += () if code is None else (code,)
                except Deferred as deferred:
                    self._stop(deferred.reason)
                    for profile, account in self._accounts.items():
                        if account:
                            left = [claim for claim, _ in self._left_of(profile, account)]
                            self._processor.defer(left, account)
        except FeedtoolError as error:
            self._stop(error)
        except Exception as error:  # noqa: BLE001  # one account never stops the next
            self._stop(Bug(error, self._environment.report_bug))
        return self

    def _stop(self, trouble: FeedtoolError) -> None:
        self.trouble, self.profile = trouble, self._next

    def _results(self, stack: ExitStack) -> Iterator[Exit | None]:
        for profile in sorted(self.profiles, key=lambda name: name or ""):
            if account := self._account(profile, stack):
                for claim, route in self._left_of(profile, account):
                    yield self._processor.process(claim, route, account)
        for entry, route in self.whole:
            if self._has_to_end():
                break
            account = self._account(route.profile, stack)
            if account and self._is_ready(entry, account):
                yield self._processor.take(entry.path, route, account)

    def _has_to_end(self) -> bool:
        return self._environment.stopping() is not None

    def _is_ready(self, entry: Entry, account: SellerAccount) -> bool:
        """True if a file is still unchanged in the inbox."""
        del account
        return self._environment.folder.is_unchanged(entry)

    def _account(self, profile: str | None, stack: ExitStack) -> SellerAccount | None:
        """A profile's account; None if it cannot be opened, which stops no other profile."""
        self._next = profile
        if profile not in self._accounts:
            try:
                self._accounts[profile] = self._opened(profile, stack)
            except Held:
                raise
            except FeedtoolError as error:
                self._accounts[profile] = None
                self._stop(error)
        return self._accounts[profile]

    def _opened(self, profile: str | None, stack: ExitStack) -> SellerAccount:
        """Open an account with its seller's lock; all share the workspace of the first."""
        account = stack.enter_context(self._environment.open_account(profile))
        first = next(filter(None, self._accounts.values()), None)
        workspace, session = (first or account).workspace, account.session
        if first is None or first.key != account.key:
            stack.enter_context(
                hold(
                    workspace.ledger.engine,
                    session.seller,
                    session.address,
                    command=self._environment.command,
                    now=self._environment.now(),
                    is_awaited=True,
                )
            )
        return replace(account, session=replace(session, holds_lock=True), workspace=workspace)

    def _under_way(self, account: SellerAccount) -> list[Claim]:
        return account.claims.under_way(self._environment.name)

    def _left_of(
        self, profile: str | None, account: SellerAccount
    ) -> list[tuple[Claim, InboxRoute]]:
        """A profile's claims that are not ended; the holder of the lock owns them."""
        left = []
        for claim in self._under_way(account):
            route = self._environment.route_of(claim.place)
            if route is None or route.profile != profile:
                continue
            if claim.scope == self._processor.scope_of(route, account):
                left.append((claim, route))
            else:
                self._processor.echo_other_account(claim)
        return left
