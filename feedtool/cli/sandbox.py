"""`feedtool sandbox`, `demo` and `forget`."""

import shutil
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import sandbox_parts
from feedtool.check import Input, ReadOptions
from feedtool.cli.console import CONSOLE, echo, stopping
from feedtool.cli.files import copy_path
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import after_delivery
from feedtool.cli.options import (
    CONFIG_FILE,
    FORMAT,
    HOME,
    Records,
    Reporting,
    Showing,
    count,
    duration,
    flag,
    option,
    path,
    text,
)
from feedtool.cli.typed import command_of
from feedtool.model.errors import Exit, Interrupted, UsageProblem, reason_of
from feedtool.model.files import folder_of
from feedtool.model.text import joined, plural, tr

if TYPE_CHECKING:
    from feedtool.runs.forget import Forgotten
    from feedtool.runs.workspace import Workspace

WINDOW, CREATIONS_WINDOW = 60.0, 3600.0
"""Seconds of the sandbox's time for which each quota counts."""


class SandboxOptions(Struct, frozen=True, kw_only=True):
    port: Annotated[
        int,
        count("--port", "The port on loopback; 0 picks a free one.", min=0, max=65535, default=0),
    ]
    state: Annotated[
        Path | None,
        path("--state", "FILE", "The file of its state.  [default: in memory]", may_be="file"),
    ]
    speed: Annotated[
        float,
        option(
            "--speed",
            type=click.FloatRange(min=0, min_open=True),
            default=100.0,
            show_default=True,
            help="How fast its time runs.",
        ),
    ]
    quota: Annotated[
        int | None,
        count(
            "--quota",
            "Requests to offer package endpoints that each seller has in a minute of its time."
            "  [default: no limit]",
        ),
    ]
    creations: Annotated[
        int | None,
        count(
            "--creations",
            "New products that each seller may create in an hour of its time; more are refused by "
            "their report with QuotaExceeded.  [default: no limit]",
            min=0,
        ),
    ]
    products_limit: Annotated[
        int, count("--products-limit", "Most products of one batch.", default=10_000)
    ]
    reported_products: Annotated[
        int | None,
        count(
            "--reported-products",
            "Of a larger batch, reports show only so many products.  [default: all]",
        ),
    ]
    closed_products: Annotated[
        str | None,
        text(
            "--closed-products",
            "GTIN[,GTIN]",
            "Products whose sheets are archived: only their creator may add anything to them.",
        ),
    ]
    showing: Showing


@command_of(SandboxOptions)
def sandbox(_: click.Context, options: SandboxOptions) -> None:
    """Serve the embedded sandbox on this machine, until Ctrl-C.

    The first line on stdout is the base address for --base-url. The token is `sandbox`, any
    seller is known (`unopened` has no access to competing offers), the channels are PRIMARY and
    SECOND.
    """
    from feedtool.sandbox import StateUnreadableError
    from feedtool.sandbox.exchange import Quota, SandboxSettings
    from feedtool.sandbox.server import serve

    quota, creations = options.quota, options.creations
    closed = options.closed_products or ""
    behaviour = {
        "products_limit": options.products_limit,
        "reported_products": options.reported_products,
        "creations": None if creations is None else Quota(creations, CREATIONS_WINDOW),
        "closed_products": tuple(filter(None, map(str.strip, closed.split(",")))),
    }
    settings = SandboxSettings(quota=Quota(quota, WINDOW) if quota else None, options=behaviour)
    try:
        place = options.port, options.state
        serve(sandbox_parts(), *place, options.speed, settings, announce=partial(print, flush=True))
    except StateUnreadableError as error:
        raise UsageProblem(str(error), tr("name another file with --state")) from error
    except OSError as error:
        reason = reason_of(error)
        raise UsageProblem(
            tr("the sandbox cannot be served: {reason}", reason=reason),
            tr("choose another --port (0 picks a free one), or a --state that you may write"),
        ) from error


SAMPLE = "offers-upsert.xlsx"


class DemoOptions(Struct, frozen=True, kw_only=True):
    folder: Annotated[
        Path,
        click.Argument(
            ["folder"], default="feedtool-demo", type=click.Path(path_type=Path, file_okay=False)
        ),
    ]
    showing: Showing
    home: Annotated[Path | None, HOME]


@command_of(DemoOptions)
def demo(_: click.Context, options: DemoOptions) -> int:
    """See the main job with nothing to set up.

    Puts a sample workbook into FOLDER (default feedtool-demo here), checks it, sends it to the
    embedded sandbox and writes the annotated copy. Some rows are refused, so that there is
    something to see. Edit the workbook and run it again. `feedtool runs` lists its runs, as those
    of any account.
    """
    from feedtool.cli.output import echo_results
    from feedtool.cli.session import to_sandbox
    from feedtool.runs.outputs import Outputs
    from feedtool.runs.submit import submit

    sample, words = _copy_sample(options.folder), {"sandbox": ["--sandbox"]}
    target = copy_path(sample)
    echo("demo", f"feedtool submit {sample} --sandbox")
    state = home_folder(options.home)
    with (
        to_sandbox(state, options.showing.language) as session,
        open_workspace(state, Records()) as workspace,
    ):
        submission = submit(
            [Input(str(sample), sample)],
            ReadOptions(),
            Outputs({str(sample): target}, language=CONSOLE.language),
            replace(session, is_sandbox=True),
            workspace,
            words=words,
        )
        if submission.stopped:
            raise submission.stopped
        code = echo_results(submission.outcomes, Reporting())
    if code not in {Exit.OK, Exit.ROWS}:
        return code
    echo("look", tr("open {target}: the answer stands in the last three columns", target=target))
    after_delivery(submission, words, code, "text")
    return Exit.OK


def _copy_sample(folder: Path) -> Path:
    """Copy the sample into the folder, unless it has one, which the user may have edited."""
    sample, package = folder / SAMPLE, folder_of("feedtool")
    # A wheel has the sample inside the package, a checkout beside it.
    bundled = package / "bundled" / "samples" / SAMPLE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not sample.exists():
            source = bundled if bundled.exists() else package.parent / "samples" / SAMPLE
            shutil.copyfile(source, sample)
    except OSError as error:
        raise UsageProblem(
            tr(
                "the sample cannot be put into {folder}: {why}", folder=folder, why=reason_of(error)
            ),
            tr("name another folder"),
        ) from error
    return sample


GO_ON = tr("run it again: it goes on with what is left")
MEGABYTE = 1_000_000


class ForgetOptions(Struct, frozen=True, kw_only=True):
    older_than: Annotated[
        timedelta,
        text(
            "--older-than",
            "TIME",
            "The runs that began longer ago: 90d. At least 7d.",
            callback=duration,
            required=True,
        ),
    ]
    keep_counts: Annotated[
        bool, flag("--keep-counts", "Keep how many rows of each run had which result.")
    ]
    dry_run: Annotated[bool, flag("--dry-run", "Only say what would be forgotten.")]
    config: Annotated[None, CONFIG_FILE] = None
    form: Annotated[str, FORMAT]
    showing: Showing
    home: Annotated[Path | None, HOME]
    records: Records


@command_of(ForgetOptions)
def forget(_: click.Context, options: ForgetOptions) -> None:
    """Forget old runs: their rows, requests and answers, and the snapshots of their files.

    Data that later runs need stays: the last accepted state of each offer, refunds,
    shipments and invoices, and how many rows files had. The last run of each seller and
    unfinished runs stay too, with the runs after them. It may be stopped at any moment, and
    run again; others go on meanwhile.
    """
    from feedtool.runs.forget import ForgettingPace, refuse_young, to_forget, write_forgotten
    from feedtool.runs.forget import forget as forget_runs

    refuse_young(options.older_than)
    now, is_dry_run = CONSOLE.clock.now(), options.dry_run
    before, keeps = now - options.older_than, options.keep_counts
    home = home_folder(options.home)
    with stopping(GO_ON) as stop, open_workspace(home, options.records) as workspace:
        if is_dry_run:
            forgotten = to_forget(workspace, before)
        else:
            pace = ForgettingPace(stop.sleep, stop.reason)
            forgotten = forget_runs(workspace, before, now, pace, keep_counts=keeps)
        write_forgotten(forgotten, sys.stdout, options.form, CONSOLE.say)
        _report(forgotten, is_dry_run=is_dry_run)
        if not is_dry_run:
            _shrink(workspace)


def _report(forgotten: "Forgotten", *, is_dry_run: bool) -> None:
    if not forgotten.runs:
        echo("note", tr("no run is to be forgotten"))
        return
    counted = joined(
        (
            plural("{count:,} run", "{count:,} runs", forgotten.runs),
            plural("{count:,} row", "{count:,} rows", forgotten.rows),
            plural("{count:,} snapshot", "{count:,} snapshots", forgotten.snapshots),
        )
    )
    if is_dry_run:
        echo("note", tr("would be forgotten: {what}", what=counted))
    else:
        echo("note", tr("forgotten: {what}", what=counted))


def _shrink(workspace: "Workspace") -> None:
    """Return the free space of the ledger's file to the disk; if that fails, warn only."""
    from feedtool.ledger.database import shrink

    try:
        shrunk = shrink(workspace.ledger.engine)
    except Interrupted as error:
        echo("warning", error.message)
        echo("help", error.hint)
        return
    if shrunk:
        sizes = {"before": shrunk.before / MEGABYTE, "after": shrunk.after / MEGABYTE}
        echo("note", tr("the ledger's file had {before:,.1f} MB, and has {after:,.1f} MB", **sizes))
