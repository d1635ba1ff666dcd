"""`feedtool map`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feedtool.areas.registry import load
from feedtool.cli import options
from feedtool.cli.errors import echo
from feedtool.cli.files import inputs, is_terminal, read_options
from feedtool.model.errors import Exit

if TYPE_CHECKING:
    from feedtool.check.mapping.proposal import ColumnProposal
    from feedtool.check.recipes.recipe_file import Constant
    from feedtool.runs.mapping import SheetProposal

SHOWN = 28
"""Characters of a header, and of its samples, in the table."""


@click.command(name="map")
@click.argument("file", metavar="FILE")
@options.configuration
@options.reading
@options.option(
    "--min",
    "least",
    type=click.IntRange(0, 100),
    default=85,
    show_default=True,
    metavar="N",
    help="Take a column by itself from this confidence on.",
)
@options.path("--out", "PATH", "Where the recipe goes; default recipes/NAME.toml beside the file.")
@options.choice("--format form", ("text", "json"), "The form of the result on stdout.")
@options.common
@click.pass_context
def map_(
    ctx: click.Context, /, file: str, least: int, out: Path | None, form: str, **given: Any
) -> int:
    """Say what the columns of a merchant's own FILE are, once and for all, in a recipe.

    Finds the header row and proposes a field for each column, by its name and by what stands in
    it. In a terminal it asks where it is not sure; otherwise, or with --yes, it takes what is sure
    and lists the rest. A file with the same headers needs no questions any more.
    """
    from feedtool.runs.mapping import place_of, propose_recipe, recipe_text

    is_asking = form == "text" and is_terminal() and not given["yes"]
    with inputs([file]) as [read]:
        reading = read_options(ctx, given)
        proposal = propose_recipe(read, reading, load())
        defaults: dict[str, Constant] = dict(reading.defaults)
        values: dict[str, dict[str, str]] = {}
        if is_asking:
            _write_table(proposal, least)
            columns = [_asked(proposal, column, least) for column in proposal.columns]
            taken = [column for column in columns if column is not None]
            values = _asked_values(proposal, taken)
            defaults |= _asked_defaults(proposal, taken, defaults)
        else:
            taken = proposal.accepted(least)
        target = place_of(file, out)
        text = recipe_text(proposal, taken, values, defaults)
        _write(target, text)
    keys = [column.key for column in taken if column.key] + list(defaults)
    missing = proposal.missing(keys)
    if form == "json":
        _write_json(proposal, taken, target, missing)
    else:
        if not is_asking:
            _write_table(proposal, least)
        _write_ending(file, target, missing)
    return Exit.OK


def _write(target: Path, text: str) -> None:
    from feedtool.sheets.atomic_write import cannot_write

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    except OSError as error:
        raise cannot_write(target, error) from error


def _write_table(proposal: "SheetProposal", least: int) -> None:
    from feedtool.report.plain import clean
    from feedtool.runs.mapping import is_accepted

    where = f", sheet {proposal.sheet}" if proposal.sheet else ""
    click.echo(f"{clean(proposal.file)}{where}: header in row {proposal.header_row}\n")
    for column in proposal.columns:
        samples = clean(", ".join(column.samples))[:SHOWN]
        if is_accepted(column, least):
            meaning = column.key or "of no use here"
        else:
            near = [column.key or ("of no use here" if column.is_useless else "")]
            guesses = " or ".join(filter(None, [*near, *column.alternatives][:2]))
            meaning = f"? {guesses}" if guesses else "?"
        header = clean(column.header)[:SHOWN]
        click.echo(
            f"  {column.column:3} {header:{SHOWN}}  {samples:{SHOWN}}  {meaning}"
            f"  ({column.confidence} %, {column.reason})"
        )
    click.echo()


def _write_ending(file: str, target: Path, missing: list[str]) -> None:
    from feedtool.report.plain import clean

    click.echo(f"Recipe written: {clean(str(target))}")
    if missing:
        click.echo(f"Still missing: {', '.join(missing)}")
        defaults = " ".join(f"--default {key}=…" for key in missing)
        echo("help", f"map a column in the recipe, or give a value for all rows: {defaults}")
    named = "" if target.parent == Path(file).parent / "recipes" else f" --recipe {target}"
    click.echo(f"Go on with: feedtool validate {clean(file)}{named}")


def _write_json(
    proposal: "SheetProposal", taken: "list[ColumnProposal]", target: Path, missing: list[str]
) -> None:
    from feedtool.report.as_json import dumped

    indexes = {column.index for column in taken}
    document = {
        "file": proposal.file,
        "sheet": proposal.sheet,
        "headerRow": proposal.header_row,
        "recipe": str(target),
        "columns": [
            {
                "column": column.column,
                "header": column.header,
                "key": column.key,
                "accepted": column.index in indexes,
                "confidence": column.confidence,
                "alternatives": list(column.alternatives),
            }
            for column in proposal.columns
        ],
        "missing": missing,
    }
    sys.stdout.write(dumped(document) + "\n")


def _asked(
    proposal: "SheetProposal", column: "ColumnProposal", least: int
) -> "ColumnProposal | None":
    """A column as the user says what it is; None where nobody knows."""
    from feedtool.runs.mapping import chosen_as, is_accepted

    if is_accepted(column, least):
        return column
    known = sorted(proposal.known)
    guess = column.key or next(iter(column.alternatives), "ignore")
    samples = ", ".join(column.samples) or "blank"
    click.echo(f"\n{column.column} “{column.header}”: {samples}")
    while True:
        answer = click.prompt(
            "  Which field? (its key, `ignore`, or `?` for a list)", default=guess, err=True
        ).strip()
        if answer == "ignore":
            return chosen_as(column, None)
        if answer in known:
            return chosen_as(column, answer)
        if answer == "?":
            for key in known:
                click.echo(f"  {key}: {proposal.known[key].labels[0]}")
        else:
            click.echo(f"  There is no field {answer}.")


def _asked_values(
    proposal: "SheetProposal", taken: "list[ColumnProposal]"
) -> dict[str, dict[str, str]]:
    """What the values mean that a field does not know."""
    values: dict[str, dict[str, str]] = {}
    for column in taken:
        for text in proposal.unknown_values(column):
            allowed = list(proposal.choices(column))
            answer = click.prompt(
                f"  {column.header}: what is “{text}”? ({', '.join(allowed)}; blank: leave it)",
                default="",
                show_default=False,
                err=True,
            ).strip()
            if answer in allowed:
                values.setdefault(column.key or "", {})[text] = answer
    return values


def _asked_defaults(
    proposal: "SheetProposal", taken: "list[ColumnProposal]", given: "dict[str, Constant]"
) -> dict[str, str]:
    """Values for all rows of the fields that the kind cannot do without."""
    defaults: dict[str, str] = {}
    keys = [column.key for column in taken if column.key] + list(given)
    for key in proposal.missing(keys):
        label = proposal.known[key].labels[0]
        answer = click.prompt(
            f"  {label} ({key}) is missing: which value for all rows? (blank: none)",
            default="",
            show_default=False,
            err=True,
        ).strip()
        if answer:
            defaults[key] = answer
    return defaults
