"""`feedtool map`."""

import sys
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check.recipes.fields import constant_cell
from feedtool.cli import completers
from feedtool.cli.console import CONSOLE, echo
from feedtool.cli.files import STDIN, inputs, is_terminal, read_options, recipe_folders
from feedtool.cli.next_command import PLACES, command, echo_next, typed
from feedtool.cli.options import (
    FORMAT,
    Common,
    Configuration,
    ReadingOptions,
    json_schema,
    option,
    path,
    text,
)
from feedtool.cli.typed import command_of
from feedtool.model.errors import Exit, UsageProblem
from feedtool.model.text import LANGUAGES, MessageText, column_name, either, in_quotes, joined, tr
from feedtool.report.plain import clean
from feedtool.runs.json_schema import recipe_schema
from feedtool.runs.mapping import (
    SURE,
    SheetForm,
    SheetProposal,
    UnknownWord,
    is_accepted,
    is_recognised,
    propose_recipe,
    with_meaning,
)
from feedtool.runs.recipe_text import quoted, recipe_place, recipe_text, write_recipe
from feedtool.templates.contents import example_of

if TYPE_CHECKING:
    from feedtool.check import ReadOptions
    from feedtool.check.mapping.proposal import ColumnProposal
    from feedtool.check.recipes.recipe import Recipe

SHOWN = 24
"""The most characters of a header, and of its samples, in the table."""


SCHEMA = json_schema("recipes", lambda: recipe_schema(load()))


class MapOptions(Struct, frozen=True, kw_only=True):
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
    file, out, form, least = options.file, options.out, options.form, options.least
    is_asking = form == "text" and is_terminal() and not options.common.yes
    with inputs([file]) as [read]:
        source = read.path if file != "-" else Path("stdin.csv")
        recipe_place(source, out)  # a place that is taken is refused before any question
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
        answers = SheetForm(proposal, proposal.accepted(least))
        if is_asking:
            ask(answers, least)
        else:
            answers.note_likely_words()
        answers.defaults = {**reading.defaults, **answers.defaults}
        target = recipe_place(source, out) if answers.keys else None
        if target:
            written = _write(target, recipe_text(answers))
        if form != "text":
            _write_json(proposal, answers.columns, target, answers.missing)
        elif target:
            is_named = True
            with suppress(UsageProblem):  # e.g. the earlier recipe fits, too
                is_named = not is_recognised(read, usual, load(), target.stem)
            _write_answers(answers)
            _print(written)
            _write_unsure(answers)
            _write_missing(answers, file)
            sheet = proposal.sheet if proposal.other_sheets else None
            to_complete = target if answers.missing else None
            _echo_next(file, target if is_named else None, sheet, to_complete=to_complete)
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
    file: str, proposal: SheetProposal, recipe: "Recipe", form: str, *, is_named: bool
) -> int:
    """Report that a recipe fits already; none is written."""
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


def _report_template(file: str, proposal: SheetProposal, form: str) -> int:
    """Report that a sheet of feedtool's template needs no recipe."""
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


def _sheet(proposal: SheetProposal) -> str | None:
    """The sheet to name in the next command: if an option named it, or if several fit."""
    return proposal.sheet if proposal.options.sheets or proposal.other_sheets else None


def _print(text: str) -> None:
    click.echo(CONSOLE.say(text))


def _echo_next(
    file: str, recipe: Path | None, sheet: str | None, *, to_complete: Path | None = None
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


def _write_table(proposal: SheetProposal, least: int) -> None:
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


def _write_answers(answers: SheetForm) -> None:
    proposal = answers.proposal
    if proposal.base:
        name = proposal.base.name
        base = (
            tr("recipe {name}", name=name) if proposal.base.path else tr("preset {name}", name=name)
        )
        _print(tr("As in {recipe}, with its values and rules.", recipe=base))
    if answers.renames:
        pairs = [[in_quotes(clean(text)) for text in pair] for pair in answers.renames.items()]
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


def _write_unsure(answers: SheetForm) -> None:
    """List the columns without a field, and the recipe's headers that the sheet lacks."""
    proposal, renames = answers.proposal, answers.renames
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


def _write_missing(answers: SheetForm, file: str) -> None:
    proposal, missing = answers.proposal, answers.missing
    if not missing:
        return
    _print(proposal.missing_text(missing))
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
    for kind in proposal.others([*answers.keys, *answers.defaults]):
        other = f"{command} --as {kind} --out {kind}.toml"
        echo(
            "help", tr("or, since it lacks nothing for {kind}: {command}", kind=kind, command=other)
        )


def _write_json(
    proposal: SheetProposal, taken: "list[ColumnProposal]", target: Path | None, missing: list[str]
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


IGNORE = tr("of no use")
NOT_FOR_SALE = tr("a mark of rows that are left out")
WAYS = tr("yes (y), another (n), ignore it (i), what is this (?), or its field")


def ask(form: SheetForm, least: int) -> None:
    """Take the user's answers about what is not sure."""
    proposal = form.proposal
    for column in proposal.columns:
        if not is_accepted(column, least):
            _ask_column(form, column)
    form.columns.sort(key=lambda column: column.index)
    for word in form.new_words:
        _ask_word(form, word)
    for key in proposal.missing([*form.keys, *proposal.fields_of_base]):
        _ask_default(form, key)


def _say(text: str) -> None:
    click.echo(f"  {CONSOLE.say(text)}", err=True)


def _prompt(text: str, default: str = "") -> str:
    line = f"  {CONSOLE.say(text)}"
    answer: str = click.prompt(line, default=default, show_default=bool(default), err=True)
    return answer.strip()


def _ask_column(form: SheetForm, column: "ColumnProposal") -> None:
    """Ask for the field of a column until the answer is valid."""
    proposal, guesses = form.proposal, form.likely_keys(column)
    guess = column.key if column.key in guesses else None
    samples = clean(", ".join(column.samples)) or CONSOLE.say(tr("blank"))
    head = column_name(column.column, clean(column.header))
    click.echo(f"\n{CONSOLE.say.label(head)} {samples}", err=True)
    before = tr("“{header}” before", header=clean(column.replaces)) if column.replaces else ""
    otherwise = before or (NOT_FOR_SALE if column.not_for_sale else IGNORE)
    perhaps = column.perhaps(guess or otherwise)
    unread = [header for header, key in proposal.missing_headers.items() if not key]
    others = [key for key in guesses if key != guess]
    if others := [*others, *(in_quotes(clean(header)) for header in unread)]:
        perhaps = tr("{text}; or {fields}", text=perhaps, fields=either(others))
    _say(perhaps)
    while True:
        answer = _prompt(WAYS, "y")
        if answer == "?":
            _describe(proposal, guesses or sorted(proposal.known))
        elif answer == "n":
            free = [key for key in proposal.known if key not in form.keys]
            _say(tr("type one of: {fields}", fields=joined([*unread, *free])))
        elif answer == "y" and guess is None and (column.not_for_sale or column.replaces):
            form.note_proposed(column)
            return
        elif answer in unread:
            form.columns.append(replace(with_meaning(column, None), replaces=answer))
            return
        else:
            key = {"y": guess, "i": None}.get(answer, answer)
            refusal = form.note_column(column, key)
            if refusal is None:
                return
            _say(refusal)


def _describe(proposal: SheetProposal, keys: list[str]) -> None:
    """Show the labels and explanations of fields."""
    for key in keys:
        column = proposal.known[key]
        index = LANGUAGES.index(CONSOLE.say.language)
        example = example_of(column, CONSOLE.say.language)
        values = {"field": key, "label": column.labels[index], "help": column.help[index]}
        _say(
            tr("{field}: {label}. {help} Example: {example}", example=example, **values)
            if example
            else tr("{field}: {label}. {help}", **values)
        )


def _ask_word(form: SheetForm, word: UnknownWord) -> None:
    """Ask for the meaning of a value that a field does not know; blank for no answer."""
    allowed = form.proposal.choices(word.key)
    values = {
        "header": word.column.header,
        "value": clean(word.text),
        "field": word.key,
        "enter": word.likely or tr("leave it"),
    }
    question = (
        tr(
            "{header}: what is “{value}” as {field}? ({choices}; Enter: {enter})",
            choices=joined(allowed),
            **values,
        )
        if allowed
        else tr("{header}: what is “{value}” as {field}? (Enter: {enter})", **values)
    )
    while refusal := form.note_word(word, _prompt(question, word.likely)):
        _say(refusal)


def _ask_default(form: SheetForm, key: str) -> None:
    """Ask for a value for all rows of a field without a column; blank for none."""
    label = form.proposal.known[key].labels[LANGUAGES.index(CONSOLE.say.language)]
    if form.proposal.differs_by_row(key):
        _say(
            tr(
                "no column has {field} ({label}): name its column in [columns] of the recipe, or "
                "compute it in [compute]; one value for all rows would be wrong",
                field=key,
                label=label,
            )
        )
        return
    question = tr(
        "no column has {field} ({label}); for all rows? (Enter: none)", field=key, label=label
    )
    while refusal := form.note_default(key, _prompt(question)):
        _say(refusal)
