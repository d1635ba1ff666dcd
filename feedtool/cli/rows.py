"""Options that select the rows that are read, and the rows that are sent."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct

from feedtool.check import Input
from feedtool.cli import completers, options
from feedtool.model.errors import UsageProblem
from feedtool.model.row_ranges import RowRanges
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.areas.offers.changes.selection import ChosenRows, SelectionOptions


def _row_numbers(
    ctx: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> str | None:
    """The numbers of all `--as-row` options, ascending, separated by commas."""
    del ctx
    words = [word for text in texts for word in re.split("[, ]+", text) if word]
    if not all(re.fullmatch("[1-9][0-9]{0,6}", word) for word in words):
        raise click.BadParameter(tr("give the rows' numbers, as in 12,40"), param=parameter)
    return ",".join(sorted(set(words), key=int)) or None


AS_ROW = options.text(
    "--as-row",
    "N[,N]",
    "Read these rows even if they look like totals or a header.",
    multiple=True,
    callback=_row_numbers,
)


def _ranges(ctx: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    """The text of `--rows` in a form that is the same for the same rows."""
    del ctx
    if text is None:
        return None
    if not (ranges := RowRanges(text)):
        raise click.BadParameter(tr("name the rows, as in 2-5,9 or 40-"), param=parameter)
    return str(ranges)


ROWS = options.text(
    "--rows",
    "N[-N][,…]",
    "Send these rows alone, as in 2-5,9 or 40-, by their numbers in the sheet.",
    callback=_ranges,
)


class Selecting(Struct, frozen=True, kw_only=True):
    """Options that select the rows that are sent; a profile may set them."""

    changed_only: Annotated[
        bool,
        options.option(
            "--changed-only/--all-rows",
            help="Leave out rows that change nothing of what the service last accepted, as far as "
            "is known here.  [default: --all-rows]",
        ),
    ]
    prefer_update: Annotated[
        bool,
        options.flag(
            "--prefer-update",
            "With --changed-only: send an Upsert that changes only price or stock as an Update of "
            "just that.",
        ),
    ]


class Releasing(Struct, frozen=True, kw_only=True):
    """Options to send rows that guards would hold."""

    release: Annotated[
        str,
        options.text(
            "--release",
            "CODE[,CODE]",
            "Send what the guards of these codes would hold.",
            default="",
            shell_complete=completers.guards,
        ),
    ] = ""
    reason: Annotated[
        str | None,
        options.text("--reason", "TEXT", "With --release: why it is meant; kept with the run."),
    ] = None


class Choosing(Struct, frozen=True, kw_only=True):
    """All options that select the rows that are sent."""

    selecting: Selecting
    releasing: Releasing
    rows: Annotated[str | None, ROWS]


def chosen_rows(rows: str | None, read: "Sequence[Input]") -> "tuple[ChosenRows, ...]":
    """The rows of `--rows`; UsageProblem if several files are read."""
    if rows is None:
        return ()
    from feedtool.areas.offers.changes.selection import ChosenRows

    if len(read) > 1:
        raise UsageProblem(
            tr("--rows is about one file, and there are several"), tr("send them apart")
        )
    return (ChosenRows(read[0].name, None, rows),)


def selection_of(
    selecting: Selecting,
    releasing: Releasing | None = None,
    rows: "tuple[ChosenRows, ...]" = (),
) -> "SelectionOptions":
    """The selection of rows; UsageProblem for an unknown guard, or options that need another."""
    from feedtool.areas.offers.changes.selection import ReleasedGuard, SelectionOptions
    from feedtool.runs.codes import guards

    if selecting.prefer_update and not selecting.changed_only:
        raise UsageProblem(
            tr("--prefer-update is about what has changed"),
            tr("add --changed-only, or leave it out"),
        )
    releasing = releasing or Releasing()
    codes = (code.strip().casefold().replace("_", "-") for code in releasing.release.split(","))
    released = tuple(dict.fromkeys(filter(None, codes)))
    known = guards() if released else {}
    for code in released:
        if code not in known:
            near = get_close_matches(code, known, n=1)
            raise UsageProblem(
                tr("there is no guard “{code}” to release", code=code),
                tr("did you mean {choice}?", choice=near[0])
                if near
                else tr("guards: {guards}", guards=", ".join(known)),
            )
    reason = (releasing.reason or "").strip()
    if reason and not released:
        raise UsageProblem(
            tr("--reason is about --release, which is not there"),
            tr("leave it out, or name the guard with --release"),
        )
    return SelectionOptions(
        changed_only=selecting.changed_only,
        prefer_update=selecting.prefer_update,
        released=tuple(ReleasedGuard(code, reason=reason) for code in released),
        rows=rows,
    )
