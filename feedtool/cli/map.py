"""`feedtool map`."""

import sys
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.cli import completers
from feedtool.cli.errors import CONSOLE, echo
from feedtool.cli.files import STDIN, inputs, is_terminal, read_options, recipe_folders
from feedtool.cli.next_command import PLACES, command, echo_next, typed
from feedtool.cli.options import FORMAT, Common, Configuration, ReadingOptions, option, path, text
from feedtool.cli.schema_option import json_schema
from feedtool.cli.typed import command_of
from feedtool.model.errors import Exit, UsageProblem
from feedtool.model.text import FieldName, MessageText, either, in_quotes, joined, tr
from feedtool.runs.mapping import SURE

if TYPE_CHECKING:
    from feedtool.check import ReadOptions
    from feedtool.check.mapping.proposal import ColumnProposal
    from feedtool.check.recipes.recipe import Recipe
    from feedtool.model.settings import Constant
    from feedtool.runs.map_answers import Answers
    from feedtool.runs.mapping import SheetProposal

SHOWN = 24
"""The most characters of a header, and of its samples, in the table."""


def _schema() -> dict[str, Any]:
    from feedtool.runs.json_schema import recipe_schema

    return recipe_schema(load())


SCHEMA = json_schema("recipes", _schema)


class MapOptions(Struct, frozen=True, kw_only=True):
    """Options of `map`."""

    file: Annotated[str, click.Argument(["file"], metavar="FILE", shell_complete=completers.files)]
    json_schema: Annotated[None, SCHEMA] = None
    configuration: Configuration
    reading: ReadingOptions
    least: Annotated[
        int,
        option(
            "--min",
            "least",
            type=click.IntRange(0, 100),
            default=SURE,
            show_default=True,
            metavar="N",
            help="Take a column by itself from this confidence on.",
        ),
    ]
    base: Annotated[
        str | None,
        text(
            "--from base",
            "RECIPE",
            "The recipe of an earlier delivery: it is kept, and what changed is asked.",
            shell_complete=completers.files,
        ),
    ]
    out: Annotated[
        Path | None,
        path("--out", "PATH", "The recipe.  [default: recipes/NAME.toml beside the file]"),
    ]
    form: Annotated[str, FORMAT]
    common: Common


@command_of(MapOptions, name="map")
def map_(ctx: click.Context, options: MapOptions) -> int:
    """Say once what the columns of your own FILE are; a recipe keeps it.

    Finds the header row and proposes a field for each column, by its name and by what stands in
    it. In a terminal it asks where it is not sure; otherwise, or with --yes, it takes what is sure
    and lists the rest. A file with the same headers needs no questions any more.
    """
    from feedtool.check.recipes.fields import constant_cell
    from feedtool.cli.map_dialogue import ask
    from feedtool.runs.map_answers import Answers
    from feedtool.runs.mapping import is_recognised, propose_recipe
    from feedtool.runs.recipe_text import recipe_place, recipe_text

    file, out, form, least = options.file, options.out, options.form, options.least
    is_asking = form == "text" and is_terminal() and not options.common.yes
    with inputs([file]) as [read]:
        usual = read_options(ctx, options.reading)
        reading = _with_base(ctx, usual, options.base) if options.base else usual
        proposal = propose_recipe(read, reading, load())
        for key, value in reading.defaults.items():
            if key in proposal.known:
                constant_cell(value, proposal.known[key], reading.context, f"--default {key}")
        fitting = proposal.base if options.base and proposal.is_unchanged else proposal.recipe
        if fitting and not out:
            _refuse_more(fitting, reading, options.reading)
            is_named = not is_recognised(read, usual, load(), fitting.name)
            return _report_fitting(file, proposal, fitting, form, is_named=is_named)
        if proposal.is_ours and not out:
            return _report_template(file, proposal, form)
        if form == "text":
            _write_table(proposal, least)
        answers = ask(proposal, least) if is_asking else Answers.without_asking(proposal, least)
        defaults: dict[str, Constant] = {**reading.defaults, **answers.defaults}
        target = None
        if any(column.key for column in answers.columns):
            target = recipe_place(read.path if file != "-" else Path("stdin.csv"), out)
            recipe = recipe_text(proposal, answers.columns, answers.values, defaults)
            written = _write(target, recipe)
        missing = proposal.missing([*answers.keys, *defaults, *proposal.fields_of_base])
        if form != "text":
            _write_json(proposal, answers.columns, target, missing)
        elif target:
            is_named = True
            with suppress(UsageProblem):  # e.g. the earlier recipe fits, too
                is_named = not is_recognised(read, usual, load(), target.stem)
            _write_answers(proposal, answers)
            _print(written)
            _write_unsure(proposal, answers)
            _write_missing(proposal, file, missing, [*answers.keys, *defaults])
            sheet = proposal.sheet if proposal.other_sheets else None
            _echo_next(
                file, target if is_named else None, sheet, to_complete=target if missing else None
            )
        else:
            echo(
                "help",
                tr("no column is sure: run it in a terminal, or take less for sure by --min"),
            )
    return Exit.OK if target else Exit.NOTHING


def _with_base(ctx: click.Context, reading: "ReadOptions", base: str) -> "ReadOptions":
    """The options for reading a file, with the recipe of `--from`."""
    folders = recipe_folders(ctx)
    if folders.recipe:
        raise UsageProblem(
            tr("--from and --recipe both name a recipe"), tr("leave one of them out")
        )
    return replace(reading, recipes=replace(folders, recipe=base))


def _refuse_more(recipe: "Recipe", reading: "ReadOptions", options: ReadingOptions) -> None:
    """UsageProblem if options would change a recipe that fits already."""
    is_other_kind = reading.kind not in {None, recipe.file.match.kind}
    if options.default or is_other_kind:
        raise UsageProblem(
            tr(
                "the recipe {recipe} fits already, and a map does not change it",
                recipe=recipe.shown,
            ),
            tr("write it into the recipe, or name the place of another one with --out"),
        )


def _report_fitting(
    file: str, proposal: "SheetProposal", recipe: "Recipe", form: str, *, is_named: bool
) -> int:
    """Report that a recipe fits already; none is written."""
    from feedtool.report.plain import clean

    path = recipe.path
    if form != "text":
        keys = [column.key for column in proposal.columns if column.key]
        missing = proposal.missing([*keys, *proposal.fields_of_base])
        _write_json(proposal, list(proposal.columns), path, missing)
    else:
        _print(
            tr(
                "The recipe {recipe} fits {file} already.",
                recipe=clean(str(path)),
                file=clean(file),
            )
        )
        echo("help", tr("to make another one name its place with --out"))
        sheet = None if recipe.file.match.sheet else _sheet(proposal)
        _echo_next(file, path if is_named else None, sheet)
    return Exit.OK


def _report_template(file: str, proposal: "SheetProposal", form: str) -> int:
    """Report that a sheet of feedtool's template needs no recipe."""
    from feedtool.report.plain import clean

    if form != "text":
        missing = proposal.missing([column.key for column in proposal.columns if column.key])
        _write_json(proposal, list(proposal.columns), None, missing)
    else:
        _print(
            tr(
                "{file} was made from a template of feedtool: it requires no recipe.",
                file=clean(file),
            )
        )
        _echo_next(file, None, _sheet(proposal))
    return Exit.OK


def _sheet(proposal: "SheetProposal") -> str | None:
    """The sheet to name in the next command: if an option named it, or if several fit."""
    return proposal.sheet if proposal.options.sheets or proposal.other_sheets else None


def _print(text: str) -> None:
    click.echo(CONSOLE.say(text))


def _echo_next(
    file: str, recipe: Path | None, sheet: str | None = None, *, to_complete: Path | None = None
) -> None:
    options = {"recipe": ["--recipe", str(recipe)]} if recipe else {}
    options |= {"sheet": ["--sheet", sheet]} if sheet else {}
    name = file if file == STDIN else Path(file)
    line = command("validate", name, options={**options, **typed(PLACES | {"profile"})})
    if to_complete:
        echo_next(tr("complete {recipe}, then `{command}`", recipe=to_complete, command=line))
    else:
        echo_next(tr("`{command}` checks its rows", command=line))


def _write(target: Path, text: str) -> MessageText:
    """Write a recipe, and make its folder; return the message with its place."""
    from feedtool.report.plain import clean
    from feedtool.runs.recipe_text import write_recipe

    folder = target.parent
    is_new = not folder.exists()
    write_recipe(target, text)
    place = clean(str(target))
    if is_new:
        return tr(
            "Recipe written: {path} (its folder {folder} was made)",
            path=place,
            folder=clean(str(folder)),
        )
    return tr("Recipe written: {path}", path=place)


def _write_table(proposal: "SheetProposal", least: int) -> None:
    from feedtool.report.plain import clean
    from feedtool.runs.mapping import is_accepted

    values = {"file": clean(proposal.file), "row": proposal.header_row}
    where = (
        tr(
            "{file}, sheet {sheet}: the header is in row {row}",
            sheet=clean(proposal.sheet),
            **values,
        )
        if proposal.sheet
        else tr("{file}: the header is in row {row}", **values)
    )
    say = CONSOLE.say
    click.echo(say(where))
    if proposal.other_sheets:
        others = joined(in_quotes(clean(name)) for name in proposal.other_sheets)
        click.echo(
            say(
                tr("other sheets that fit as well: {sheets} (name one with --sheet)", sheets=others)
            )
        )
    click.echo()
    meanings = []
    for column in proposal.columns:
        useless = tr("of no use here")
        if column.replaces:
            useless = tr("“{header}” before", header=clean(column.replaces))
        elif column.not_for_sale:
            words = joined(map(in_quotes, column.not_for_sale[:3]))
            useless = tr("left out where it says {words}", words=clean(words))
        if is_accepted(column, least):
            meanings.append(column.key or say(useless))
        else:
            near = column.key or (useless if column.is_useless else "")
            guesses = [*filter(None, (near, *column.alternatives))][:2]
            meanings.append("? " + say(either(guesses) if guesses else tr("not known")))
    width = max(map(len, meanings), default=0)
    for column, meaning in zip(proposal.columns, meanings, strict=True):
        header, samples = clean(column.header), clean(", ".join(column.samples))
        why = f"{column.confidence:3} %  {say(column.reason)}" if column.reason else ""
        click.echo(
            f"  {column.column:3} {header[:SHOWN]:{SHOWN}}  {samples[:SHOWN]:{SHOWN}}"
            f"  {meaning:{width}}  {why}".rstrip()
        )
    click.echo()


def _write_answers(proposal: "SheetProposal", answers: "Answers") -> None:
    from feedtool.report.plain import clean
    from feedtool.runs.recipe_text import quoted

    if proposal.base:
        name = proposal.base.name
        base = (
            tr("recipe {name}", name=name) if proposal.base.path else tr("preset {name}", name=name)
        )
        _print(tr("As in {recipe}, with its values and rules.", recipe=base))
    if renames := proposal.renames(answers.columns):
        pairs = [[in_quotes(clean(text)) for text in pair] for pair in renames.items()]
        shown = joined(tr("{name} is {place}", name=old, place=new) for old, new in pairs)
        _print(tr("Renamed: {columns}", columns=shown))
    for key, table in answers.values.items():
        shown = joined(
            tr("{name} is {place}", name=in_quotes(clean(text)), place=value)
            for text, value in table.items()
        )
        _print(joined((key, shown), ": "))
    for key, texts in answers.unknown.items():
        shown = joined(in_quotes(clean(text)) for text in texts)
        name = quoted(key) if "." in key else key
        _print(
            tr(
                "{key}: nobody knows {values}; say it in [values.{name}] of the recipe",
                key=key,
                values=shown,
                name=name,
            )
        )


def _write_unsure(proposal: "SheetProposal", answers: "Answers") -> None:
    """List the columns without a field, and the recipe's headers that the sheet lacks."""
    from feedtool.report.plain import clean

    renames = proposal.renames(answers.columns)
    gone = [in_quotes(clean(text)) for text in proposal.missing_headers if text not in renames]
    if gone:
        echo(
            "help",
            tr(
                "no column is called {columns} any more: write in the recipe what each is called"
                " now, or take it out",
                columns=joined(gone),
            ),
        )
    taken = {column.index for column in answers.columns}
    unsure = [clean(column.header) for column in proposal.columns if column.index not in taken]
    if unsure:
        shown = joined(map(in_quotes, unsure))
        echo(
            "help",
            tr(
                "not taken: {columns}; give each its field in [columns] of the recipe, or false",
                columns=shown,
            ),
        )


def _write_missing(
    proposal: "SheetProposal", file: str, missing: list[str], keys: list[str]
) -> None:
    from feedtool.report.plain import clean

    if not missing:
        return
    _print(
        tr(
            "Still missing for {kind}: {fields}",
            kind=proposal.feed.kind,
            fields=joined(FieldName(key, proposal.known[key].labels) for key in missing),
        )
    )
    row_keys = [key for key in missing if proposal.differs_by_row(key)]
    other_keys = [key for key in missing if key not in row_keys]
    if row_keys:
        hint = tr("name its column in [columns] of the recipe, or compute it in [compute]")
        echo("help", joined((joined(row_keys), hint), ": "))
    if other_keys:
        hint = tr("name its column in [columns], or give one value for all rows in [default]")
        echo("help", joined((joined(other_keys), hint), ": "))
    sheet = _sheet(proposal)
    of_sheet = f" --sheet {quote(clean(sheet))}" if sheet else ""
    command = f"feedtool map {quote(clean(file))}{of_sheet}"
    for kind in proposal.others(keys):
        other = f"{command} --as {kind} --out {kind}.toml"
        echo(
            "help", tr("or, since it lacks nothing for {kind}: {command}", kind=kind, command=other)
        )


def _write_json(
    proposal: "SheetProposal",
    taken: "list[ColumnProposal]",
    target: Path | None,
    missing: list[str],
) -> None:
    from feedtool.report.as_json import dumped

    indexes = {column.index for column in taken}
    document = {
        "file": proposal.file,
        "sheet": proposal.sheet,
        **({"otherSheets": list(proposal.other_sheets)} if proposal.other_sheets else {}),
        "headerRow": proposal.header_row,
        "recipe": target and str(target),
        "columns": [
            {
                "column": column.column,
                "header": column.header,
                "key": column.key,
                "accepted": column.index in indexes,
                "confidence": column.confidence,
                "alternatives": list(column.alternatives),
                **({"notForSale": list(column.not_for_sale)} if column.not_for_sale else {}),
                **({"replaces": column.replaces} if column.replaces else {}),
            }
            for column in proposal.columns
        ],
        "missing": missing,
    }
    sys.stdout.write(dumped(document) + "\n")
