"""The FILEs of a command: the options for reading them, and the places of their copies."""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from msgspec import Struct

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions
from feedtool.cli import completers, options
from feedtool.cli.console import CONSOLE, echo, settings_folder
from feedtool.cli.home import catalog_opener
from feedtool.model.disk_list import locked_folder, reporting_full_disk, temporary_folder
from feedtool.model.errors import UsageProblem
from feedtool.model.row_ranges import RowRanges
from feedtool.model.settings import AccountSettings
from feedtool.model.text import did_you_mean, either, in_quotes, joined, tr
from feedtool.sheets.atomic_write import cannot_write

if TYPE_CHECKING:
    from feedtool.check.kinds import KindUnclear
    from feedtool.check.read_options import Settle
    from feedtool.feeds.selection import ChosenRows, SelectionOptions
    from feedtool.model.settings import Constant
    from feedtool.runs.recipes import RecipeFolders

STDIN = "-"
RESULT, FIXED = "result", "fixed"
"""The words in the names of annotated copies, and of copies with fixed cells."""
FAMILIES = ((".xlsx",), (".xlsm",), (".csv", ".tsv", ".txt"))
"""Endings of names; those of one family may have the same format."""

_files = partial(
    click.Argument, ["files"], nargs=-1, metavar="FILE...", shell_complete=completers.files
)
FILES, MAYBE_FILES = _files(required=True), _files(required=False)
"""MAYBE_FILES is for a command that may get its files from a plan, and checks that itself."""


@contextmanager
def inputs(names: Sequence[str]) -> Iterator[list[Input]]:
    """The files of a command; standard input is copied into a temporary file."""
    if names.count(STDIN) > 1:
        raise UsageProblem(tr("standard input can be read once"), tr("name `-` once"))
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise UsageProblem(tr("{twice} is named twice", twice=twice), tr("name each file once"))
    paths = {name: Path(name) for name in names}
    with ExitStack() as stack:
        if STDIN in names:
            with reporting_full_disk():
                paths[STDIN] = stack.enter_context(locked_folder()) / "stdin.csv"
                with paths[STDIN].open("wb") as copy:
                    shutil.copyfileobj(sys.stdin.buffer, copy)
        yield [Input(name, path) for name, path in paths.items()]


@contextmanager
def listed_inputs(
    ctx: click.Context, names: Sequence[str], kind: str | None
) -> Iterator[list[Input]]:
    """The files of a command; a folder, or files that list rows of one sheet, become a workbook."""
    from feedtool.runs.documents import with_lists

    settings, language = options.chosen(ctx).profile.dialect, CONSOLE.language.of(None)
    with inputs(names) as read, temporary_folder() as folder:
        yield with_lists(read, kind, settings, language, folder)


def targets(
    inputs: Sequence[Input], writing: options.Writing, word: str = RESULT
) -> dict[str, Path]:
    """Name of a file → the place of its annotated copy; UsageProblem if it can have no place."""
    from feedtool.runs.outputs import has_workbook_copy

    out, in_place = writing.out, writing.in_place
    if out and in_place:
        raise UsageProblem(
            tr("--out and --in-place contradict each other"), tr("choose one of them")
        )
    if out and len(inputs) > 1:
        raise UsageProblem(
            tr("--out names one file, and there are several inputs"),
            tr("leave it out, or run them apart"),
        )
    places: dict[str, Path] = {}
    for file in inputs:
        if file.name == STDIN and (in_place or not out):
            raise UsageProblem(
                tr("the copy of standard input has no name"), tr("name it with --out")
            )
        path = file.place or file.path
        if not file.place and has_workbook_copy(path):  # e.g. an Offers.xml
            path = path.with_suffix(".xlsx")
        if in_place and path is not file.path:
            raise UsageProblem(
                tr("{name} is no .xlsx, and its copy is one", name=file.name),
                tr("leave --in-place out"),
            )
        target = file.path if in_place else out or copy_path(path, word)
        _refuse_other_format(file.path, path, target)
        if file.name in places or target.resolve() in map(Path.resolve, places.values()):
            raise UsageProblem(
                tr("two inputs would be written to {target}", target=target),
                tr("name each file once, or run them apart"),
            )
        places[file.name] = target
    return places


def _refuse_other_format(file: Path, path: Path, target: Path) -> None:
    """UsageProblem if the target's ending is of another format than `path`.

    `path` is `file`, with the ending .xlsx if the copy is a workbook and the file is not.
    """
    family, target_family = (
        next((group for group in FAMILIES if place.suffix.casefold() in group), None)
        for place in (path, target)
    )
    if family and target_family is not family:
        name = in_quotes(target.name)
        raise UsageProblem(
            tr(
                "the copy cannot be called {name}: it has the same format as the file read",
                name=name,
            )
            if file == path
            else tr("the copy cannot be called {name}: it is a workbook", name=name),
            tr("let its name end in {suffix}", suffix=path.suffix),
        )


def copy_path(path: Path, word: str = RESULT) -> Path:
    """`NAME.result.EXT` beside the file; that of a copy is `NAME.result-2.EXT`, and so on."""
    if not path.name:  # a folder such as `.`, which is refused when it is read
        return path
    if earlier := re.fullmatch(rf"(?s)(.*)\.{word}(?:-?(\d+))?", path.stem):
        number = int(earlier[2] or 1) + 1
        return path.with_name(f"{earlier[1]}.{word}-{number}{path.suffix}")
    return path.with_name(f"{path.stem}.{word}{path.suffix}")


def refuse_ending(target: Path, endings: Sequence[str] = (".xlsx",)) -> None:
    """UsageProblem if a file's ending is not one of these."""
    if target.suffix.lower() not in endings:
        kind = tr("neither a workbook nor a CSV") if ".csv" in endings else tr("no workbook")
        if ".xlsx" not in endings:
            kind = tr("neither a text nor a CSV")
        raise UsageProblem(
            tr("{target} would be {kind}", target=target, kind=kind),
            tr("let the name end with {endings}", endings=either(endings)),
        )


def refuse_target(target: Path, *, may_replace: bool, option: str = "out") -> None:
    """UsageProblem, before any work is done, if the file of an option cannot be written."""
    if target.exists():
        if not target.is_file():
            raise UsageProblem(
                tr("{target} is not a file", target=target),
                tr("choose another place with --{option}", option=option),
            )
        if not may_replace:
            raise UsageProblem(
                tr("{target} exists already", target=target),
                tr("choose another name with --{option}, or replace it with --yes", option=option),
            )
    if not target.parent.is_dir():
        raise cannot_write(target, FileNotFoundError())
    if not os.access(target.parent, os.W_OK):
        raise cannot_write(target, PermissionError(tr("the folder is read-only")))


def read_options(
    ctx: click.Context, reading: options.ReadingOptions, as_row: str | None = None, **more: Any
) -> ReadOptions:
    """The options for reading files.

    UsageProblem for an unknown kind, or for a header that the profile maps to no column.
    """
    if reading.kind is not None:
        load().feed_of(reading.kind)
    settings, catalog = options.chosen(ctx).profile.dialect, catalog_opener(ctx)
    _check_columns(settings)
    as_rows = tuple(map(int, as_row.split(","))) if as_row else ()
    return ReadOptions(
        settings,
        reading.channel or settings.primary_channel,
        reading.kind,
        reading.sheet,
        as_rows,
        catalog=catalog,
        recipes=recipe_folders(ctx),
        defaults=_defaults(options.chosen(ctx).profile.default, reading.default, settings),
        **more,
    )


def recipe_folders(ctx: click.Context) -> "RecipeFolders":
    """The recipes that the options, the profile and the user's settings name."""
    from feedtool.runs.recipes import FOLDER, RecipeFolders

    name = ctx.command.name
    return RecipeFolders(
        lambda: CONSOLE.clock.now().astimezone(),
        ctx.params.get("recipe"),
        options.chosen(ctx).profile.recipes,
        None if name == "watch" else settings_folder() / FOLDER,
        is_dropped=name in {"watch", "page"},
    )


def _defaults(
    of_profile: Mapping[str, "Constant"], texts: Sequence[str], settings: AccountSettings
) -> dict[str, "Constant"]:
    """Field → its value from `--default` or the profile; UsageProblem for an unknown field."""
    defaults = dict(of_profile)
    for text in texts:
        key, _, value = text.partition("=")
        if not value.strip():
            raise UsageProblem(
                tr("--default {text} has no value", text=text), tr("write --default FIELD=VALUE")
            )
        defaults[key.strip()] = value.strip()
    feeds = load().feeds.values()
    keys = {column.key for feed in feeds for column in feed.sheet.understood(settings)}
    for key in defaults.keys() - keys:
        where = tr("the profile's [default]") if key in of_profile else "--default"
        hint = did_you_mean(key, sorted(keys))
        raise UsageProblem(
            tr("{where} names “{key}”, and there is no such field", where=where, key=key), hint
        )
    return defaults


def _check_columns(settings: AccountSettings) -> None:
    if not settings.columns:
        return
    feeds = load().feeds.values()
    keys = {column.key for feed in feeds for column in feed.sheet.understood(settings)}
    by_category = [feed.sheet.by_category for feed in feeds if feed.sheet.by_category]
    for header, key in settings.columns.items():
        if key not in keys and not any(columns.may_have(key) for columns in by_category):
            near = get_close_matches(key, sorted(keys), n=1)
            raise UsageProblem(
                tr(
                    "the profile's [columns] maps “{header}” to “{key}”, which is not a column",
                    header=header,
                    key=key,
                ),
                tr("did you mean {choice}?", choice=near[0])
                if near
                else tr("the template names the columns"),
            )


def kind_question(form: str) -> "Settle":
    """A function that asks on the terminal for the kind of a sheet; for scripts it asks nothing."""

    def settle(file: str, _: str | None, unclear: "KindUnclear") -> str | None:
        if form != "text" or not is_terminal():
            return None
        echo("unclear", joined((file, unclear.message), ": "))
        new, update = unclear.kinds
        answer = click.prompt(
            CONSOLE.say(tr("New offers, or an update of existing ones?")),
            type=click.Choice(["new", "update"]),
            err=True,
        )
        return new if answer == "new" else update

    return settle


def is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


# Options that select the rows that are read, and the rows that are sent.


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
    from feedtool.feeds.selection import ChosenRows

    if len(read) > 1:
        raise UsageProblem(
            tr("--rows selects rows of one file, and there are several files"),
            tr("send them apart"),
        )
    return (ChosenRows(read[0].name, None, rows),)


def selection_of(
    selecting: Selecting, releasing: Releasing | None = None, rows: "tuple[ChosenRows, ...]" = ()
) -> "SelectionOptions":
    """The selection of rows; UsageProblem for an unknown guard, or options that need another."""
    from feedtool.feeds.selection import ReleasedGuard, SelectionOptions
    from feedtool.runs.codes import guards

    if selecting.prefer_update and not selecting.changed_only:
        raise UsageProblem(
            tr("--prefer-update needs --changed-only"), tr("add --changed-only, or leave it out")
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
            tr("--reason needs --release"), tr("leave it out, or name the guard with --release")
        )
    return SelectionOptions(
        changed_only=selecting.changed_only,
        prefer_update=selecting.prefer_update,
        released=tuple(ReleasedGuard(code, reason=reason) for code in released),
        rows=rows,
    )
