"""The rows of a command's files: those that are read, and those that are sent."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from feedtool.check import Input
from feedtool.cli import options
from feedtool.model.errors import UsageProblem
from feedtool.model.row_ranges import RowRanges
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.areas.offers.changes.selection import ChosenRows, SelectionOptions


def _row_numbers(
    ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> str | None:
    """The numbers, ascending, with commas in between; each may have been given by itself."""
    del ctx
    words = [word for text in given for word in re.split("[, ]+", text) if word]
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
    """The rows that are named, the same text for the same rows."""
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


def chosen_rows(given: Mapping[str, Any], read: "Sequence[Input]") -> "tuple[ChosenRows, ...]":
    """The rows of `--rows`; UsageProblem where several files are read."""
    if given["rows"] is None:
        return ()
    from feedtool.areas.offers.changes.selection import ChosenRows

    if len(read) > 1:
        raise UsageProblem(
            tr("--rows is about one file, and there are several"), tr("send them apart")
        )
    return (ChosenRows(read[0].name, None, given["rows"]),)


def selection_of(given: Mapping[str, Any]) -> "SelectionOptions":
    """The rows that are sent; UsageProblem for an unknown guard, or options of no use together."""
    from feedtool.areas.offers.changes.selection import ReleasedGuard, SelectionOptions
    from feedtool.runs.codes import guards

    if given["prefer_update"] and not given["changed_only"]:
        raise UsageProblem(
            tr("--prefer-update is about what has changed"),
            tr("add --changed-only, or leave it out"),
        )
    words = given.get("release", "").split(",")
    named = (word.strip().casefold().replace("_", "-") for word in words)
    released = tuple(dict.fromkeys(filter(None, named)))
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
    reason = (given.get("reason") or "").strip()
    if reason and not released:
        raise UsageProblem(
            tr("--reason is about --release, which is not there"),
            tr("leave it out, or name the guard with --release"),
        )
    flags = {name: given[name] for name in ("changed_only", "prefer_update")}
    guarded = tuple(ReleasedGuard(code, reason=reason) for code in released)
    return SelectionOptions(**flags, released=guarded, rows=given.get("chosen", ()))
