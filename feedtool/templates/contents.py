"""The contents of a feed's template: its columns labelled, required or not, with choices.

What is required is not declared twice: the feed is asked which keys a row must fill, and which
of them it no longer asks for once another one is filled.
"""

from decimal import Decimal
from typing import Literal

from msgspec.structs import replace

from feedtool.feeds.columns import ColumnReader
from feedtool.feeds.columns.choice import Choice, Suggested
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.number import Days, Measure, Money, Number, Rate, Whole
from feedtool.feeds.columns.text import Text
from feedtool.feeds.feed import Feed, Row, SheetColumns, SheetDesign
from feedtool.feeds.template import (
    TEXT,
    Basis,
    CellEntry,
    Contents,
    Field,
    Guide,
    Limit,
    Need,
    choice_width,
)
from feedtool.model.header import CellType, Column
from feedtool.model.settings import AccountSettings, Bounds, Context
from feedtool.model.text import LANGUAGES, Language, Translate, Translator

PERCENT = Decimal(100)


def texts(language: Language) -> Translate:
    """The translator of the texts of all templates."""
    return Translator(language).message


def contents_of(feed: Feed, basis: Basis) -> Contents:
    """All that the template of a feed says; its own, where the area makes it.

    Raises:
        UsageProblem: the columns depend on categories, and none of them can be had.
    """
    make = feed.template.contents
    contents = make(basis) if make else plain_contents(feed, basis)
    return replace(contents, guide=replace(contents.guide, account=basis.account))


def plain_contents(feed: Feed, basis: Basis) -> Contents:
    """The same from nothing but the feed's columns; a feed without a title has its summary."""
    _ = own = Translator(basis.language).message
    settings = feed.sheet.with_retired(basis.context.settings, basis.keys)
    fields = fields_of(feed, basis.language, settings)
    legend = {Need.ALWAYS: "Required", Need.EITHER: "One of these is required"}
    return Contents(
        feed.kind,
        own(feed.sheet.name),
        basis.language,
        Guide(
            own(feed.template.title) or feed.kind,
            own(feed.template.about or feed.summary),
            _steps(feed.sheet, fields, _),
        ),
        fields,
        {need: _(text) for need, text in (*legend.items(), (Need.NEVER, "Optional"))},
        first_unfrozen="B",
        begins_with_example=basis.has_example,
        reference=feed.requests.reference,
    )


def _steps(sheet: SheetDesign, fields: tuple[Field, ...], _: Translate) -> tuple[str, ...]:
    """The steps that this sheet needs, in order."""
    stars = _("Columns marked * must be filled.")
    if any(field.need is Need.EITHER for field in fields):
        stars += " " + _("Of the columns marked (*), at least one must be filled.")
    folded = _(
        "Some optional columns are folded away: click the + above the column letters to show them."
    )
    fill = _("Open the sheet “{sheet}” and fill its rows, from row 3 on. Empty rows are skipped.")
    if sheet.has_channel:
        fill = _(
            "Open the sheet “{sheet}” and fill one row per offer, from row 3 on. Empty rows are "
            "skipped."
        )
    return (
        fill.format(sheet=_(sheet.name)),
        stars,
        *([folded] if any(field.is_folded for field in fields) else []),
        _(
            "Row 2 holds the technical names of the columns: leave it as it is. You may move "
            "columns, remove optional ones and add your own; a column that is not known is kept "
            "and not sent."
        ),
    )


def fields_of(feed: Feed, language: Language, dialect: AccountSettings) -> tuple[Field, ...]:
    """All columns of a feed's template, in order."""
    columns, at, _ = feed.sheet.columns(dialect), LANGUAGES.index(language), texts(language)
    requirements = {
        Need.ALWAYS: _("Yes"),
        Need.EITHER: _("Yes, this one or: {others}"),
        Need.UNLESS: _("Yes, unless one of these is filled: {others}"),
    }
    labels = {column.key: column.labels[at] for column in columns}
    folded = _folded(feed.sheet, dialect, list(labels))
    excuses = _excuses(feed, dialect, list(labels))
    fields = []
    for column in columns:
        need, others = _need(column.key, excuses, folded)
        label = column.labels[at]
        choices = _choices(column.type, language, dialect)
        fields.append(
            Field(
                column.key,
                label,
                column.help[at],
                entry_of(column.type, label, choices, language, dialect),
                example_of(column, language),
                need,
                requirements.get(need, _("No")).format(
                    others=", ".join(labels[key] for key in others)
                ),
                is_folded=column.key in folded,
                group=column.group[at] if column.group else "",
                is_number=isinstance(column.type, Number),
                is_in_example=column.is_in_example,
            )
        )
    return tuple(fields)


def _folded(sheet: SheetDesign, dialect: AccountSettings, keys: list[str]) -> frozenset[str]:
    """All delivery modes but the usual one, and what the sheet says."""
    modes = sheet.modes(dialect)
    same = dialect.legacy_modes  # a legacy mode by the name of the JSON mode that it is
    named = (
        mode.code for mode in modes if same.get(mode.code, mode.code) == dialect.mandatory_mode
    )
    usual = next(named, modes[0].code if modes else None)
    further = {key for mode in modes if mode.code != usual for key in (mode.cost, mode.additional)}
    return frozenset(keys) & (further | sheet.folded)


def _excuses(feed: Feed, dialect: AccountSettings, keys: list[str]) -> dict[str, tuple[str, ...]]:
    """Each required key, and the keys that make it needless once they are filled."""
    modes = tuple(mode for mode in feed.sheet.modes(dialect) if mode.cost in keys)
    sheet = SheetColumns(Context(dialect), frozenset(keys), modes)
    seconds = {mode.additional for mode in modes}

    def required(*filled: str) -> list[str]:
        values = dict.fromkeys(filled, "filled")
        return feed.requests.unfilled(Row(0, feed, "", values, frozenset(), sheet))

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
    """The need to fill a key, and the keys that may be filled in its stead."""
    others = excuses.get(key)
    if others is None:
        in_stead = tuple(other for other, excusing in excuses.items() if key in excusing)
        is_either = in_stead and key not in folded
        return (Need.EITHER, in_stead) if is_either else (Need.NEVER, ())
    if not others:
        return Need.ALWAYS, ()
    return (Need.UNLESS if folded.issuperset(others) else Need.EITHER), others


def example_of(column: Column, language: Language) -> str:
    """The example of a column as it is typed in the language's country."""
    if isinstance(column.type, Number) and language != "en":
        return column.example.replace(".", ",")
    return _shown(column.type, texts(language)(column.example), language)


def _choices(cell_type: CellType, language: Language, dialect: AccountSettings) -> tuple[str, ...]:
    if isinstance(cell_type, Suggested):
        return cell_type.setting(dialect)
    if not isinstance(cell_type, Choice):
        return ()
    allowed = cell_type.allowed(ColumnReader(cell_type, Context(dialect)))
    return tuple(_shown(cell_type, str(value), language) for value in allowed)


def _shown(cell_type: CellType, value: str, language: Language) -> str:
    """A choice by its label, which the reader knows as well; a seller's own has none."""
    labels = cell_type.values.get(value, ()) if isinstance(cell_type, Choice) else ()
    return labels[LANGUAGES.index(language)] if len(labels) >= len(LANGUAGES) else value


# The entries of cells: a help for whoever types. Pasting passes them by, so nothing relies on them.


def entry_of(
    cell_type: CellType,
    label: str,
    choices: tuple[str, ...],
    language: Language,
    dialect: AccountSettings,
) -> CellEntry:
    """The entries of a feed's column, by its type; text keeps the zeros of identifiers."""
    number_format, width = "General", 20.0
    match cell_type:
        case Gtin():
            number_format, width = TEXT, 18
        case Text():
            number_format, width = TEXT, 24
        case Choice():
            return CellEntry("General", choice_width((label, *choices)), Limit("list"), choices)
        case Suggested() if choices:
            offered = Limit("list", is_strict=False)
            return CellEntry(TEXT, choice_width((label, *choices)), offered, choices)
        case Money():
            number_format, width = "0.00##", 15  # a third decimal is refused, so it must be seen
        case Number():
            number_format, width = "0" if isinstance(cell_type, Whole) else "General", 15
    limit = _limit(cell_type, texts(language), dialect.bounds)
    return CellEntry(number_format, width, limit)


def _limit(cell_type: CellType, _: Translate, bounds: Bounds) -> Limit | None:
    """The limit of a column's type, and what is said when it refuses."""

    def between(kind: Literal["whole", "decimal"], most: Decimal | int, text: str) -> Limit:
        least = getattr(cell_type, "least", None) or Decimal(0)
        text = text.format(least=least, most=most)
        return Limit(kind, text, "between", (str(least), str(most)))

    match cell_type:
        case Rate():
            text = _("A rate from {least} to {most}: type 20 for 20%.")
            return between("decimal", cell_type.most or PERCENT, text)
        case Days():
            text = _("A whole number of days from {least} to {most}.")
            return between("whole", bounds.longest_preparation, text)
        case Whole():
            text = _("A whole number, {least} or more.")
            return between("whole", cell_type.most or bounds.highest_quantity, text)
        case Number(above=Decimal() as above):
            text = _("A number above {bound}, with two decimals at most.")
            if isinstance(cell_type, Measure):
                text = _("A number above {bound}.")
            return Limit("decimal", text.format(bound=above), "greaterThan", (str(above),))
        case Number(least=Decimal() as least):
            text = _("A number not below {bound}, with two decimals at most.")
            return Limit("decimal", text.format(bound=least), "greaterThanOrEqual", (str(least),))
        case _:
            return None
