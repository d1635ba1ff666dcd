"""Files in, files out: what commands take as FILE and where answers go."""

import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from feedtool.areas.registry import load
from feedtool.check import Input
from feedtool.cli import options
from feedtool.model.errors import UsageProblem
from feedtool.model.spool import telling_of_room

STDIN = "-"
FAMILIES = ((".xlsx",), (".xlsm",), (".csv", ".tsv", ".txt"))
"""Names' endings that may stand for the same format."""

files = click.argument("files", nargs=-1, required=True, metavar="FILE...")
maybe_files = click.argument("files", nargs=-1, required=False, metavar="FILE...")
"""For a command that may have them from elsewhere, and says so where it has not."""


def _row_numbers(
    ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> str | None:
    """The numbers, ascending, with commas in between; each may have been given by itself."""
    del ctx
    words = [word for text in given for word in re.split("[, ]+", text) if word]
    if not all(re.fullmatch("[1-9][0-9]{0,6}", word) for word in words):
        raise click.BadParameter("give the rows' numbers, as in 12,40", param=parameter)
    return ",".join(sorted(set(words), key=int)) or None


as_row = options.option(
    "--as-row",
    metavar="N[,N]",
    multiple=True,
    callback=_row_numbers,
    help="Take these rows all the same, by their numbers, if they look like totals or a header.",
)


@contextmanager
def inputs(names: Sequence[str]) -> Iterator[list[Input]]:
    """The files of a command; standard input is kept in a temporary file meanwhile."""
    if names.count(STDIN) > 1:
        raise UsageProblem("standard input can be read once", "name `-` once")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise UsageProblem(f"{twice} is named twice", "name each file once")
    with ExitStack() as stack:
        yield [Input(name, _path(name, stack)) for name in names]


def _path(name: str, stack: ExitStack) -> Path:
    if name != STDIN:
        return Path(name)
    with telling_of_room():
        folder = stack.enter_context(TemporaryDirectory(prefix="feedtool-"))
        path = Path(folder) / "stdin.csv"
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
    return path


def targets(inputs: Sequence[Input], out: Path | None, *, in_place: bool) -> dict[str, Path]:
    """Where each file's annotated copy goes.

    Raises:
        UsageProblem: one `--out` for several files, standard input without it, or one copy for
            two inputs.
    """
    if out and in_place:
        raise UsageProblem("--out and --in-place contradict each other", "choose one of them")
    if out and len(inputs) > 1:
        raise UsageProblem(
            "--out names one file, and there are several inputs", "leave it out, or run them apart"
        )
    for file in inputs:
        if file.name == STDIN and (in_place or not out):
            raise UsageProblem("the copy of standard input has no name", "name it with --out")
    found: dict[str, Path] = {}
    for file in inputs:
        path = _as_book(file.path)
        if in_place and path is not file.path:
            raise UsageProblem(
                f"{file.name} is an Offers.xml, and the copy of one is a workbook",
                "leave --in-place out",
            )
        target = file.path if in_place else out or beside(path)
        _refuse_other_format(file.path, path, target)
        if file.name in found or target.resolve() in map(Path.resolve, found.values()):
            raise UsageProblem(
                f"two inputs would be written to {target}", "name each file once, or run them apart"
            )
        found[file.name] = target
    return found


def _as_book(path: Path) -> Path:
    """The name that an Offers.xml, or its zip, has as a workbook; any other file's own."""
    try:
        return path.with_suffix(".xlsx") if load().format_of(path) else path
    except OSError:
        return path  # what cannot be read is told of where it is read


def _refuse_other_format(named: Path, path: Path, target: Path) -> None:
    """A copy is of its input's own format, and its name must not say another.

    Of an Offers.xml it is a workbook, as `path` says.
    """
    own, other = (
        next((family for family in FAMILIES if place.suffix.casefold() in family), None)
        for place in (path, target)
    )
    if own and other is not own:
        raise UsageProblem(
            f"the copy of {named} cannot be {target.name}: it has the input's own format"
            if named == path
            else f"the copy of {named} cannot be {target.name}: it is a workbook",
            f"let its name end in {path.suffix}",
        )


def beside(path: Path) -> Path:
    """`NAME.result.EXT`; the result of a result is `NAME.result-2.EXT`, and so on."""
    if not path.name:  # a folder such as `.`, which is refused when it is read
        return path
    stem, dot, number = path.stem.rpartition(".result")
    if dot and (not number or number.removeprefix("-").isdecimal()):
        return path.with_name(
            f"{stem}.result-{int(number.removeprefix('-') or 1) + 1}{path.suffix}"
        )
    return path.with_name(f"{path.stem}.result{path.suffix}")
