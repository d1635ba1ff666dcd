"""`feedtool enqueue` and `feedtool queue`: files that wait for workers."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli import completers, options
from feedtool.cli.errors import CONSOLE, Stopping, echo, echo_error, stopping
from feedtool.cli.help import HelpfulCommand
from feedtool.cli.home import home_folder, open_workspace
from feedtool.feeds.export import moment_of
from feedtool.model.errors import Exit, NothingToDo, UsageProblem, first_of
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.ledger.parcels import Parcel, Parcels
    from feedtool.ledger.records import SellerKey
    from feedtool.runs.workspace import Workspace
    from feedtool.worker.queue import PassQueue

LOOK = 1.0
"""Seconds from one look at whether parcels are answered to the next."""
WAITING = tr("the files wait on, and workers go on with them; see `feedtool queue`")

now = partial(datetime.now, UTC)


@contextmanager
def open_queue(given: dict[str, Any]) -> "Iterator[tuple[Workspace, PassQueue]]":
    """The records of the state folder, and the queue of passes beside their ledger."""
    from feedtool.worker.library import procrastinate
    from feedtool.worker.queue import PassQueue

    procrastinate()  # what is missing is said before anything is made
    with (
        open_workspace(home_folder(given["home"]), given["ledger"], given["store"]) as workspace,
        PassQueue(workspace.ledger.engine) as queue,
    ):
        yield workspace, queue


def _moment(ctx: click.Context, parameter: click.Parameter, text: str | None) -> datetime | None:
    del ctx
    return None if text is None else moment_of(parameter.opts[0])(text)


@click.command(cls=HelpfulCommand)
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
@options.configuration
@options.text(
    "--as kind",
    "KIND",
    "The kind of the files, such as offers-upsert.",
    shell_complete=completers.kinds,
)
@options.option(
    "--priority",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Files of a higher one go first, before those of all sellers.",
)
@options.text("--not-before", "WHEN", "Send it then or later: 2026-11-20T08:00Z.", callback=_moment)
@options.count(
    "--same-within",
    "Refuse a file whose content was sent within this many days; 0 refuses none.",
    "DAYS",
    min=0,
    max=36_500,
    default=7,
)
@options.flag("--wait", "Wait until all of them are answered; the exit code tells of the rows.")
@options.format_
@options.common
@options.ledger
@click.pass_context
def enqueue(
    ctx: click.Context, /, files: Sequence[Path], form: str, *, wait: bool, **given: Any
) -> int:
    """Bring files for the workers of a shared ledger to send, from whichever machine.

    What is in them is kept at once; the files themselves are not needed any more. They are sent
    for the profile, in the order in which they were brought; `feedtool queue` shows those that
    wait.
    """
    from feedtool.worker.bringing import Bringer, Order
    from feedtool.worker.listing import write_parcels

    key = _key_of(ctx)
    with stopping(WAITING) as stop, open_queue(given) as (workspace, queue):
        within = timedelta(days=given["same_within"])
        since = now() - within if within else None
        bringer = Bringer(workspace, queue, key, given["profile"], given["kind"] or None)
        order = Order(given["priority"], given["not_before"], since)
        brought = bringer.bring_all(files, order, now())
        for problem in brought.problems:
            echo_error(problem)
        for parcel in brought.waiting:
            echo("note", tr("{name} waits already", name=f"{parcel.name} ({parcel.parcel})"))
        codes = {problem.exit for problem in brought.problems}
        parcels: Sequence[Parcel] = brought.parcels
        if wait:
            parcels = _answered([*parcels, *brought.waiting], workspace.ledger.parcels, stop)
            codes |= {Exit(parcel.exit_code or 0) for parcel in parcels}
        write_parcels(parcels, sys.stdout, form, CONSOLE.say, now())
        if not codes and not parcels:
            return Exit.NOTHING
        return first_of({*codes, Exit.OK})


def _key_of(ctx: click.Context) -> "SellerKey":
    """Whose files those of the profile are."""
    from feedtool.ledger.records import seller_key

    if not ctx.params["profile"]:
        raise UsageProblem(
            tr("--profile is missing"),
            tr("name the account that the files are sent from; workers know it by this name"),
        )
    account = options.chosen(ctx).profile.account
    for name in ("base_url", "seller"):
        if not account.get(name):
            raise UsageProblem(
                tr("the profile {profile} has no {name}", profile=ctx.params["profile"], name=name),
                tr("add it to the configuration"),
            )
    return seller_key(str(account["base_url"]), str(account["seller"]))


def _answered(parcels: "Sequence[Parcel]", kept: "Parcels", stop: Stopping) -> "Sequence[Parcel]":
    """The parcels once all are answered; those that were dropped meanwhile are left out."""
    from feedtool.ledger.parcels import ParcelState

    while True:
        found = [parcel for it in parcels if (parcel := kept.find(it.parcel))]
        if all(parcel.state is ParcelState.ANSWERED for parcel in found):
            return found
        if reason := stop.reason():
            raise reason
        stop.sleep(LOOK)


ACTIONS = ("drop", "hold", "release", "hurry")


@click.command(cls=HelpfulCommand)
@click.argument("action", required=False, type=click.Choice(ACTIONS))
@click.argument("parcels", nargs=-1, type=int, metavar="[PARCEL]...")
@options.count("--last", "Only the first so many.  [default: all]")
@options.format_
@options.showing_alone
@options.home
@options.ledger
def queue(action: str | None, parcels: Sequence[int], form: str, **given: Any) -> None:
    """List the files that wait for workers, or are to be told the answers of.

    `drop` forgets a parcel, `hold` lets it wait until `release`, `hurry` puts it before all others.
    What a worker has in hand is left to it.
    """
    from feedtool.worker.listing import write_parcels

    if action is not None and not parcels:
        raise UsageProblem(
            tr("name the parcels by their numbers"), tr("`feedtool queue` lists them")
        )
    with open_queue(given) as (workspace, passes):
        if action is None:
            found = workspace.ledger.parcels.listing(given["last"])
        else:
            found = [_changed(action, number, workspace, passes) for number in parcels]
    write_parcels(found, sys.stdout, form, CONSOLE.say, now())
    if not found:
        echo("note", tr("nothing waits"))


def _changed(action: str, number: int, workspace: "Workspace", passes: "PassQueue") -> "Parcel":
    """A parcel after it was changed; NothingToDo where that cannot be any more."""
    kept = workspace.ledger.parcels
    changes: dict[str, Callable[[int], Parcel | None]] = {
        "drop": kept.drop,
        "hold": kept.hold,
        "release": kept.release,
        "hurry": kept.hurry,
    }
    changed = changes[action](number)
    if changed is None:
        raise _refusal(number, kept)
    if action == "hurry":
        workspace.ledger.sellers.end_rest(changed.key)
    if action in {"hurry", "release"}:
        passes.put(changed.key, changed.not_before, changed.priority)
    return changed


def _refusal(number: int, kept: "Parcels") -> NothingToDo:
    """Why a parcel was not changed."""
    hint = tr("`feedtool queue` lists what waits")
    found = kept.find(number)
    if found is None:
        return NothingToDo(tr("there is no parcel {parcel}", parcel=number), hint)
    if found.answered_at:
        return NothingToDo(tr("parcel {parcel} is answered", parcel=number), hint)
    if found.begun_at:
        return NothingToDo(tr("a worker has parcel {parcel} in hand", parcel=number), hint)
    return NothingToDo(tr("parcel {parcel} is not held", parcel=number), hint)
