"""The columns of a template as its reader sees them: labelled, required or not, with choices.

What is required is not declared twice: the feed is asked which keys a row must fill, and which
of them it no longer asks for once another one is filled.
"""

from feedtool.feeds.columns import ColumnReader
from feedtool.feeds.columns.choice import Choice, Condition
from feedtool.feeds.columns.number import Number
from feedtool.feeds.feed import LANGUAGES, Feed, Row, SheetColumns
from feedtool.model.cells import letters
from feedtool.model.header import CellType, Column
from feedtool.model.settings import Context, Dialect
from feedtool.templates import Language
from feedtool.templates.contents import Contents, Field, Need
from feedtool.templates.entry import entry_of
from feedtool.templates.words import WORDS, about_feed, typeset

SPLITTING = frozenset(("action", "salesChannelId"))
"""Columns that few sheets need: they make several packages of one."""


def contents_of(feed: Feed, language: Language, dialect: Dialect) -> Contents:
    """All that the template of a feed says."""
    about, words = about_feed(feed, language), WORDS[language]
    fields = fields_of(feed, language, dialect)
    return Contents(
        feed.kind,
        feed.sheet,
        language,
        about.title,
        about.rows,
        _steps(feed, fields, language),
        fields,
        {
            Need.ALWAYS: words.required,
            Need.EITHER: words.one_of,
            Need.NEVER: words.optional,
        },
        first_unfrozen="B",
    )


def _steps(feed: Feed, fields: tuple[Field, ...], language: Language) -> tuple[str, ...]:
    """The steps that this sheet needs, in order."""
    words = WORDS[language]
    has_either = any(field.need is Need.EITHER for field in fields)
    has_folded = any(field.is_folded for field in fields)
    return (
        words.open_sheet.format(sheet=feed.sheet),
        f"{words.stars} {words.either}" if has_either else words.stars,
        *([words.folded] if has_folded else []),
        words.keys,
        words.paste,
        words.fields,
    )


def fields_of(feed: Feed, language: Language, dialect: Dialect) -> tuple[Field, ...]:
    """All columns of a feed's template, in order."""
    columns = feed.columns(dialect)
    at = LANGUAGES.index(language)
    labels = {column.key: column.labels[at] for column in columns}
    folded = _folded(feed, dialect, list(labels))
    excuses = _excuses(feed, dialect, list(labels))
    fields = []
    for index, column in enumerate(columns):
        need, others = _need(column.key, excuses, folded)
        label, example = column.labels[at], _example(column, language)
        choices = _choices(column.type, language, dialect)
        fields.append(
            Field(
                column.key,
                letters(index),
                label,
                column.help[at],
                example,
                need,
                _requirement(need, [labels[key] for key in others], language),
                hint_of(column.help[at], example, language),
                entry_of(column.type, label, choices, language, dialect),
                column.key in folded,
            )
        )
    return tuple(fields)


def hint_of(text: str, example: str, language: Language) -> str:
    """What is said where one fills a column, its example on a line of its own."""
    shown = WORDS[language].example.format(example=example) if example else ""
    return typeset(f"{text}\n{shown}".rstrip(), language)


def _requirement(need: Need, others: list[str], language: Language) -> str:
    words = WORDS[language]
    told = {Need.ALWAYS: words.yes, Need.EITHER: words.instead, Need.UNLESS: words.unless}
    return told.get(need, words.no).format(others=", ".join(others))


def _folded(feed: Feed, dialect: Dialect, keys: list[str]) -> frozenset[str]:
    """All delivery modes but the usual one, and what splits a sheet."""
    modes = feed.modes(dialect)
    same = dialect.legacy_modes  # a legacy mode by the name of the JSON mode that it is
    named = (one.code for one in modes if same.get(one.code, one.code) == dialect.mandatory_mode)
    usual = next(named, modes[0].code if modes else None)
    further = {key for mode in modes if mode.code != usual for key in (mode.cost, mode.additional)}
    return frozenset(keys) & (further | SPLITTING)


def _excuses(feed: Feed, dialect: Dialect, keys: list[str]) -> dict[str, tuple[str, ...]]:
    """Each required key, and the keys that make it needless once they are filled."""
    modes = tuple(mode for mode in feed.modes(dialect) if mode.cost in keys)
    sheet = SheetColumns(Context(dialect), frozenset(keys), modes)
    seconds = {mode.additional for mode in modes}

    def required(*filled: str) -> list[str]:
        row = Row(0, feed, "", dict.fromkeys(filled, "filled"), frozenset(), sheet)
        return feed.required(row)

    return {
        key: tuple(
            other
            for other in keys
            if other != key and other not in seconds and key not in required(other)
        )
        for key in required()
    }


def _need(
    key: str, excuses: dict[str, tuple[str, ...]], folded: frozenset[str]
) -> tuple[Need, tuple[str, ...]]:
    """Whether a key must be filled, and what may be filled in its stead."""
    others = excuses.get(key)
    if others is None:
        in_stead = tuple(other for other, excusing in excuses.items() if key in excusing)
        is_either = in_stead and key not in folded
        return (Need.EITHER, in_stead) if is_either else (Need.NEVER, ())
    if not others:
        return Need.ALWAYS, ()
    return (Need.UNLESS if folded.issuperset(others) else Need.EITHER), others


def _example(column: Column, language: Language) -> str:
    """The example as it is typed in the language's country."""
    if isinstance(column.type, Number) and language != "en":
        return column.example.replace(".", ",")
    if isinstance(column.type, Condition):
        return _condition(column.type, column.example, language)
    return column.example


def _choices(cell_type: CellType, language: Language, dialect: Dialect) -> tuple[str, ...]:
    """What a choice offers; a condition by its label, which the reader knows as well."""
    if not isinstance(cell_type, Choice):
        return ()
    allowed = cell_type.allowed(ColumnReader(cell_type, Context(dialect)))
    if isinstance(cell_type, Condition):
        return tuple(_condition(cell_type, value, language) for value in allowed)
    return tuple(map(str, allowed))


def _condition(condition: Condition, value: str, language: Language) -> str:
    """A condition's label; a seller's own condition has none and stands for itself."""
    labels = condition.values.get(value)
    return labels[LANGUAGES.index(language)] if labels else value
