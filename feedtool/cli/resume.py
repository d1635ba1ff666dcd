"""`feedtool resume` and `feedtool results`."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli import options
from feedtool.cli.credentials import token_options
from feedtool.cli.errors import say
from feedtool.cli.home import home_folder
from feedtool.model.errors import Exit, FeedtoolError, NothingToDo, Stopped, UsageProblem, first_of

if TYPE_CHECKING:
    from feedtool.cli.notifier import Office, OnEvent
    from feedtool.runs.deliver import Submission
    from feedtool.runs.workspace import Workspace


_channel = options.option(
    "--channel",
    metavar="ID",
    help="Taken as every command takes it; a run keeps the channel that it was begun for.",
)


def _given(function: options.F) -> options.F:
    for one in (
        options.ledger,
        options.common,
        options.notifying,
        options.telling,
        _channel,
        options.connection,
        options.configuration,
    ):
        function = one(function)
    return function


@click.command()
@click.argument("run", type=int, required=False, metavar="[RUN]")
@options.option("--no-wait", is_flag=True, help="Return once all is committed.")
@_given
@click.pass_context
def resume(
    ctx: click.Context, /, run: int | None, form: str, report: Path | None, **given: Any
) -> int:
    """Go on with an interrupted RUN, or with all of them, and write where it was told to.

    Where only the annotated copies are missing no account is needed.
    """
    from feedtool.cli.workspace import books
    from feedtool.runs.workspace import unfinished

    home = home_folder(given["home"])
    with books(home, given["ledger"]) as opened:
        left = unfinished(opened)
        runs = left if run is None else [one for one in left if one == run]
        if not runs:
            what = "nothing is left to go on with" if run is None else _at_its_end(run, opened)
            raise NothingToDo(what, f"`feedtool results {run or 'RUN'}` writes its answers again")
        is_each = run is None
        return _go_on(
            ctx, runs, opened, home, given, form, report, only_fetch=False, is_each=is_each
        )


@click.command()
@click.argument("run", type=int, metavar="RUN")
@options.option("--no-wait", is_flag=True, help="Fetch only what is there already.")
@options.option(
    "--failed-only",
    is_flag=True,
    help="Write a workbook of just the rows to correct, NAME.failed.xlsx, to be sent as it is.",
)
@options.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Where that workbook goes.",
)
@_given
@click.pass_context
def results(ctx: click.Context, /, run: int, form: str, report: Path | None, **given: Any) -> int:
    """Fetch what is still to be had of a RUN, and write its annotated copies again.

    Nothing is sent. Where nothing is left to fetch no account is needed. With --failed-only the
    rows that were refused, here or by the service, are written into a workbook of the template's
    shape, their messages beside them: correct it, and submit it.
    """
    from datetime import UTC, datetime

    from feedtool.cli.sending import tell_submission
    from feedtool.cli.workspace import books
    from feedtool.runs.deliver import Submission
    from feedtool.runs.resume import results as results_of

    home = home_folder(given["home"])
    with books(home, given["ledger"]) as opened:
        _refuse_unknown(run, opened)
        if given["failed_only"]:
            return _write_failed(ctx, run, opened, home, given, form, report)
        if given["out"]:
            raise UsageProblem(
                "--out is for the workbook of --failed-only",
                "the annotated copies go where the run was told to write them",
            )
        if opened.ledger.has_to_fetch(run):
            return _go_on(ctx, [run], opened, home, given, form, report, only_fetch=True)
        found = Submission(results_of(run, opened, datetime.now(UTC)))
        return tell_submission(found, form, report, is_verbose=given["verbose"])


def _write_failed(
    ctx: click.Context,
    run: int,
    opened: "Workspace",
    home: Path,
    given: dict[str, Any],
    form: str,
    report: Path | None,
) -> int:
    """Writes the rows to correct, once all that can be had is there; 9 where there are none."""
    from datetime import UTC, datetime

    from feedtool.cli.sending import tell_submission
    from feedtool.runs.corrections.run import to_correct
    from feedtool.runs.deliver import Submission

    out = given["out"]
    if out and out.suffix.lower() != ".xlsx":
        raise UsageProblem(f"{out} would be no workbook", "let the name end with .xlsx")
    fetched = Submission([])
    if opened.ledger.has_to_fetch(run):
        fetched = _go_on_with(ctx, run, opened, home, given, form, only_fetch=True)
    outcomes = to_correct(
        run,
        opened,
        datetime.now(UTC),
        out=out,
        may_replace=Path.is_file if given["yes"] else None,
    )
    code = tell_submission(
        replace(fetched, outcomes=outcomes), form, report, is_verbose=given["verbose"]
    )
    if not any(outcome.failed for outcome in outcomes):
        say("note", f"no row of run {run} is to be corrected, and no workbook was written")
        return code or Exit.NOTHING
    return code


def _at_its_end(run: int, opened: "Workspace") -> str:
    from feedtool.runs.workspace import options_of

    given_up = options_of(run, opened).abandoned
    return (
        f"run {run} was given up on {given_up:%Y-%m-%d}" if given_up else f"run {run} is finished"
    )


def _refuse_unknown(run: int, opened: "Workspace") -> None:
    from feedtool.runs.workspace import options_of

    options_of(run, opened)


def _go_on(
    ctx: click.Context,
    runs: Iterable[int],
    opened: "Workspace",
    home: Path,
    given: dict[str, Any],
    form: str,
    report: Path | None,
    *,
    only_fetch: bool,
    is_each: bool = False,
) -> int:
    """Delivers runs, one after the other, and tells what came of all of them.

    With `is_each` nobody has named a run: one that cannot go on is named, and stops no other.
    """
    from feedtool.cli.errors import tell
    from feedtool.cli.notifier import office
    from feedtool.cli.sending import tell_submission
    from feedtool.cli.signals import Terminated
    from feedtool.runs.deliver import Submission
    from feedtool.runs.row_results import exit_code

    each = list[tuple[int, Submission]]()
    with office("results" if only_fetch else "resume", given) as told:
        for run in runs:
            try:
                one = _brought_on(ctx, run, opened, home, given, form, told, only_fetch=only_fetch)
            except FeedtoolError as error:
                if not is_each:
                    raise
                one = Submission([], error)
            each.append((run, one))
            if is_each and one.stopped:
                one.stopped.message = f"run {run}: {one.stopped.message}"
            if one.stopped:
                tell(one.stopped)
            if isinstance(one.stopped, Stopped | Terminated):
                break
        found = Submission(
            [outcome for _, one in each for outcome in one.outcomes],
            warnings=[warning for _, one in each for warning in one.warnings],
        )
        tell_submission(found, form, report, is_verbose=given["verbose"])
        for run, one in each:
            _notify(ctx, run, one, opened, told)
        return first_of(exit_code(one.outcomes, one.stopped) for _, one in each)


def _brought_on(
    ctx: click.Context,
    run: int,
    opened: "Workspace",
    home: Path,
    given: dict[str, Any],
    form: str,
    told: "Office",
    *,
    only_fetch: bool,
) -> "Submission":
    """One run, gone on with as far as it goes."""
    from datetime import UTC, datetime

    from feedtool.runs.deliver import Submission
    from feedtool.runs.resume import results
    from feedtool.runs.workspace import has_to_ask

    if has_to_ask(run, opened):
        return _go_on_with(
            ctx, run, opened, home, given, form, told.on_event, only_fetch=only_fetch
        )
    return Submission(results(run, opened, datetime.now(UTC)))  # only its copies are missing


def _notify(
    ctx: click.Context, run_id: int, one: "Submission", opened: "Workspace", told: "Office"
) -> None:
    """What came of a run is told to those whom its own profile names, unless others were named."""
    from feedtool.cli.notifier import named_for, told_by
    from feedtool.runs.row_results import exit_code
    from feedtool.runs.workspace import options_of

    run, recorded = opened.ledger.run(run_id), options_of(run_id, opened)
    profile = ctx.params["profile"] or recorded.profile
    targets = told_by(named_for(ctx, profile))
    told = replace(told, profile=profile, targets=targets)
    code, seller = exit_code(one.outcomes, one.stopped), run.seller if run else None
    told.run(one.outcomes, code, one.stopped, seller)


def _go_on_with(
    ctx: click.Context,
    run: int,
    opened: "Workspace",
    home: Path,
    given: dict[str, Any],
    form: str,
    also: "OnEvent" = lambda _: None,
    *,
    only_fetch: bool,
) -> "Submission":
    from feedtool.cli.notifier import both
    from feedtool.cli.sending import sending
    from feedtool.runs.resume import resume as resume_run

    account = _account(ctx, run, opened, given)
    with sending(home, account, form) as (service, on_event):
        return resume_run(
            run,
            service,
            opened,
            wait=not given["no_wait"],
            only_fetch=only_fetch,
            on_event=both(on_event, also),
        )


def _account(
    ctx: click.Context, run_id: int, opened: "Workspace", given: dict[str, Any]
) -> dict[str, Any]:
    """The way to the account that a run is of; the token is to be had as it was then."""
    from feedtool.runs.workspace import options_of

    run, recorded = opened.ledger.run(run_id), options_of(run_id, opened)
    if run is None:
        raise ValueError(f"the ledger has no run {run_id}")
    profile = given["profile"] or recorded.profile
    kept = options.chosen(ctx).config.profiles.get(profile or "")
    channel = options.on_command_line(ctx, "channel")["channel"]
    if channel not in {None, recorded.asked.channel}:
        say("note", f"run {run_id} keeps its channel {recorded.asked.channel}, not {channel}")
    return {
        **given,
        "insecure_http": given["insecure_http"] or (kept and kept.account.get("insecure_http")),
        **token_options(ctx, profile),
        "sandbox": recorded.is_sandbox,
        "base_url": run.service,
        "seller": run.seller,
        "channel": recorded.asked.channel,
        "language": run.language,
        "profile": profile,
        "page": recorded.asked.dialect.report_page_size,
    }
