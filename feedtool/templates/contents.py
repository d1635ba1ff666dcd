"""The contents of a feed's template: labels, needs and choices of its columns.

Required columns are not declared twice: `Requests.unfilled` of the feed gives the keys that a row
must fill, and shows which of them are no longer required once another key is filled.
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
from feedtool.model.cells import CellType, Column
from feedtool.model.settings import AccountSettings, Bounds, Context
from feedtool.model.text import LANGUAGES, Language, Translate, Translator


def texts(language: Language) -> Translate:
    return Translator(language).message


def contents_of(feed: Feed, basis: Basis) -> Contents:
    """Return the contents of a feed's template, by the area's function for it where there is one.

    UsageProblem if the columns depend on categories, and no category is available.
    """
    make = feed.template.contents
    contents = make(basis) if make else plain_contents(feed, basis)
    return replace(contents, guide=replace(contents.guide, account=basis.account))


def plain_contents(feed: Feed, basis: Basis) -> Contents:
    """Return contents made from the feed's columns alone, none of those in `basis.keys` folded.

    Its summary replaces a missing text.
    """
    _ = texts(basis.language)
    settings = feed.sheet.with_retired(basis.context.settings, basis.keys)
    fields = fields_of(feed, basis.language, settings)
    return Contents(
        feed.kind,
        _(feed.sheet.name),
        basis.language,
        Guide(
            _(feed.template.title) or feed.kind,
            _(feed.template.about or feed.summary),
            _steps(feed.sheet, fields, _),
        ),
        tuple(
            replace(field, is_folded=field.is_folded and field.key not in basis.keys)
            for field in fields
        ),
        {
            Need.ALWAYS: _("Required"),
            Need.EITHER: _("One of these is required"),
            Need.NEVER: _("Optional"),
        },
        first_unfrozen="B",
        begins_with_example=basis.has_example,
        reference=feed.requests.reference,
    )


def _steps(sheet: SheetDesign, fields: tuple[Field, ...], _: Translate) -> tuple[str, ...]:
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


def fields_of(feed: Feed, language: Language, settings: AccountSettings) -> tuple[Field, ...]:
    columns, place, _ = feed.sheet.columns(settings), LANGUAGES.index(language), texts(language)
    requirements = {
        Need.ALWAYS: _("Yes"),
        Need.EITHER: _("Yes, this one or: {others}"),
        Need.UNLESS: _("Yes, unless one of these is filled: {others}"),
    }
    labels = {column.key: column.labels[place] for column in columns}
    folded = _folded(feed.sheet, settings, list(labels))
    excuses = _excuses(feed, settings, list(labels))
    fields = []
    for column in columns:
        need, others = _need(column.key, excuses, folded)
        label = column.labels[place]
        choices = _choices(column.type, language, settings)
        fields.append(
            Field(
                column.key,
                label,
                column.help[place],
                entry_of(column.type, label, choices, language, settings),
                example_of(column, language),
                need,
                requirements.get(need, _("No")).format(
                    others=", ".join(labels[key] for key in others)
                ),
                is_folded=column.key in folded,
                group=column.group[place] if column.group else "",
                is_number=isinstance(column.type, Number),
                is_in_example=column.is_in_example,
            )
        )
    return tuple(fields)


def _folded(sheet: SheetDesign, settings: AccountSettings, keys: list[str]) -> frozenset[str]:
    """Return the keys to fold away: all delivery modes but the usual one, and the sheet's own."""
    modes = sheet.modes(settings)
    mandatory = (mode.code for mode in modes if mode.same == settings.mandatory_mode)
    usual = next(mandatory, modes[0].code if modes else None)
    others = {key for mode in modes if mode.code != usual for key in (mode.cost, mode.additional)}
    return frozenset(keys) & (others | sheet.folded)


def _excuses(feed: Feed, settings: AccountSettings, keys: list[str]) -> dict[str, tuple[str, ...]]:
    """Return each required key with the keys that make it optional once one of them is filled."""
    modes = tuple(mode for mode in feed.sheet.modes(settings) if mode.cost in keys)
    sheet = SheetColumns(Context(settings), frozenset(keys), modes)
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
    """Return the need to fill a key, and the keys that may be filled instead of it."""
    others = excuses.get(key)
    if others is None:
        replaced = tuple(other for other, excusing in excuses.items() if key in excusing)
        is_either = replaced and key not in folded
        return (Need.EITHER, replaced) if is_either else (Need.NEVER, ())
    if not others:
        return Need.ALWAYS, ()
    return (Need.UNLESS if folded.issuperset(others) else Need.EITHER), others


def example_of(column: Column, language: Language) -> str:
    """Return the example of a column as people type it in the language's country."""
    if isinstance(column.type, Number) and language != "en":
        return column.example.replace(".", ",")
    return _shown(column.type, texts(language)(column.example), language)


def _choices(cell_type: CellType, language: Language, settings: AccountSettings) -> tuple[str, ...]:
    if isinstance(cell_type, Suggested):
        return cell_type.setting(settings)
    if not isinstance(cell_type, Choice):
        return ()
    allowed = cell_type.allowed(ColumnReader(cell_type, Context(settings)))
    return tuple(_shown(cell_type, str(value), language) for value in allowed)


def _shown(cell_type: CellType, value: str, language: Language) -> str:
    labels = cell_type.values.get(value, ()) if isinstance(cell_type, Choice) else ()
    return labels[LANGUAGES.index(language)] if len(labels) >= len(LANGUAGES) else value


# The entries of cells help people who type. Pasting ignores them, so nothing relies on them.


def entry_of(
    cell_type: CellType,
    label: str,
    choices: tuple[str, ...],
    language: Language,
    settings: AccountSettings,
) -> CellEntry:
    """Return the entries of a column by its type; text keeps the zeros of identifiers."""
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
    limit = _limit(cell_type, texts(language), settings.bounds)
    return CellEntry(number_format, width, limit)


def _limit(cell_type: CellType, _: Translate, bounds: Bounds) -> Limit | None:
    """Return the limit of a column's type, with the message for a refused entry."""

    def between(kind: Literal["whole", "decimal"], most: Decimal | int, text: str) -> Limit:
        least = getattr(cell_type, "least", None) or Decimal(0)
        text = text.format(least=least, most=most)
        return Limit(kind, text, "between", (str(least), str(most)))

    match cell_type:
        case Rate():
            text = _("A rate from {least} to {most}: type 20 for 20%.")
            return between("decimal", cell_type.most or Decimal(100), text)
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
