"""The questions of `feedtool map` in a terminal."""

from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from feedtool.cli.errors import CONSOLE
from feedtool.model.text import LANGUAGES, column_name, either, in_quotes, joined, tr
from feedtool.report.plain import clean
from feedtool.runs.map_answers import Answers, why_no_field, why_no_value
from feedtool.runs.mapping import is_accepted, with_meaning
from feedtool.templates.contents import example_of

if TYPE_CHECKING:
    from feedtool.check.mapping.proposal import ColumnProposal
    from feedtool.runs.mapping import SheetProposal

IGNORE = tr("of no use")
NOT_FOR_SALE = tr("a mark of rows that are left out")
WAYS = tr("yes (y), another (n), ignore it (i), what is this (?), or its field")


def ask(proposal: "SheetProposal", least: int) -> Answers:
    """The columns that are sure, and the user's answers about the others."""
    answers = Answers(proposal.accepted(least))
    for column in proposal.columns:
        if not is_accepted(column, least):
            answers.columns.append(_ask_column(proposal, column, answers.keys))
    answers.columns.sort(key=lambda column: column.index)
    for column in answers.columns:
        for text, value in proposal.new_values(column).items():
            answers.note_value(
                column.key or "", text, _ask_value(proposal, column, clean(text), value)
            )
    for key in proposal.missing([*answers.keys, *proposal.fields_of_base]):
        if text := _ask_default(proposal, key):
            answers.defaults[key] = text
    return answers


def _say(text: str) -> None:
    click.echo(f"  {CONSOLE.say(text)}", err=True)


def _prompt(text: str, default: str = "") -> str:
    line = f"  {CONSOLE.say(text)}"
    answer: str = click.prompt(line, default=default, show_default=bool(default), err=True)
    return answer.strip()


def _ask_column(
    proposal: "SheetProposal", column: "ColumnProposal", taken: list[str]
) -> "ColumnProposal":
    """Ask for the field of a column until the answer is valid."""
    guesses = [key for key in (column.key, *column.alternatives) if key and key not in taken]
    guess = column.key if column.key in guesses else None
    samples = clean(", ".join(column.samples)) or CONSOLE.say(tr("blank"))
    head = column_name(column.column, clean(column.header))
    click.echo(f"\n{CONSOLE.say.label(head)} {samples}", err=True)
    before = tr("“{header}” before", header=clean(column.replaces)) if column.replaces else ""
    otherwise = before or (NOT_FOR_SALE if column.not_for_sale else IGNORE)
    perhaps = tr(
        "perhaps {field} ({share} %, {reason})",
        field=guess or otherwise,
        share=column.confidence,
        reason=column.reason,
    )
    unread = [header for header, key in proposal.missing_headers.items() if not key]
    others = [key for key in guesses if key != guess]
    if others := [*others, *(in_quotes(clean(header)) for header in unread)]:
        perhaps = tr("{text}; or {fields}", text=perhaps, fields=either(others))
    _say(perhaps)
    while True:
        answer = _prompt(WAYS, "y")
        if answer == "y":
            is_rule = guess is None and (column.not_for_sale or column.replaces)
            return replace(column, confidence=100) if is_rule else with_meaning(column, guess)
        if answer == "i":
            return with_meaning(column, None)
        if answer == "?":
            _describe(proposal, guesses or sorted(proposal.known))
        elif answer == "n":
            _say(
                tr(
                    "type one of: {fields}",
                    fields=joined([*unread, *(key for key in proposal.known if key not in taken)]),
                )
            )
        elif answer in unread:
            return replace(with_meaning(column, None), replaces=answer)
        elif refusal := why_no_field(proposal, answer, taken):
            _say(refusal)
        else:
            return with_meaning(column, answer)


def _describe(proposal: "SheetProposal", keys: list[str]) -> None:
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


def _ask_value(proposal: "SheetProposal", column: "ColumnProposal", text: str, meant: str) -> str:
    """Ask for the meaning of a value that a field does not know; blank for no answer."""
    key = column.key or ""
    allowed = proposal.choices(key)
    enter = meant or tr("leave it")
    values = {"header": column.header, "value": text, "field": key, "enter": enter}
    question = (
        tr(
            "{header}: what is “{value}” as {field}? ({choices}; Enter: {enter})",
            choices=joined(allowed),
            **values,
        )
        if allowed
        else tr("{header}: what is “{value}” as {field}? (Enter: {enter})", **values)
    )
    return _ask_for(proposal, key, question, meant)


def _ask_default(proposal: "SheetProposal", key: str) -> str:
    """Ask for a value for all rows of a field without a column; blank for none."""
    label = proposal.known[key].labels[LANGUAGES.index(CONSOLE.say.language)]
    if proposal.differs_by_row(key):
        _say(
            tr(
                "no column has {field} ({label}): name its column in [columns] of the recipe, or "
                "compute it in [compute]; one value for all rows would be wrong",
                field=key,
                label=label,
            )
        )
        return ""
    question = tr(
        "no column has {field} ({label}); for all rows? (Enter: none)", field=key, label=label
    )
    return _ask_for(proposal, key, question)


def _ask_for(proposal: "SheetProposal", key: str, question: str, default: str = "") -> str:
    """Ask until the answer is a value of the field, or blank."""
    while True:
        answer = _prompt(question, default)
        refusal = why_no_value(proposal, key, answer) if answer else None
        if refusal is None:
            return answer
        _say(refusal)
