"""Read unknown columns that mark rows as not for sale: `Actif`, `update-delete`.

The first unknown word in them is a warning, and keeps no row back.
"""

import re
import tomllib
from collections.abc import Iterable
from enum import Enum

from feedtool.check.rules import SALE_MARK, SALE_MARK_UNCLEAR
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.text import plain, refused
from feedtool.model.cells import Cell, Kind, folded, rounded, shown
from feedtool.model.files import folder_of
from feedtool.model.nouns import Issue
from feedtool.model.text import tr


class About(Enum):
    """The subject of a column that marks rows."""

    SOLD = "sold"
    """Yes means for sale."""
    UNSOLD = "unsold"
    """Yes means not for sale."""
    ACTION = "action"
    STATUS = "status"
    STATE = "state"
    """A status, or the condition of a product."""


_TABLES = tomllib.loads((folder_of("feedtool.check") / "sale_marks.toml").read_text("utf-8"))
HEADERS = {About(name): frozenset(map(folded, texts)) for name, texts in _TABLES["headers"].items()}
_WORDS = {
    name: frozenset(folded(text) or text for text in texts)
    for name, texts in _TABLES["words"].items()
}
LISTING_ACTION = re.compile(r"\*?\s*action\s*\(.*")
"""The header in files of marketplaces: `*Action(SiteID=France|Country=FR|…)`."""

_DATE = re.compile(r"\d{4}-\d\d?-\d\d?.*|\d\d?[./-]\d\d?[./-]\d{2,4}.*")
_NOTHING = re.compile(r"0000-00-00.*|null|\\n|nan|nat|[-\u2013\u2014_.,/]+", re.IGNORECASE)
"""Texts of databases, programs and people for no date and no value."""
_NUMBER = re.compile(r"(-?[0-9]+)(?:[.,]0+)?", re.ASCII)
_SIGN_STYLE = "\ufe0f"
"""The character behind a sign that shows it in colours."""

NOT_SOLD = {
    About.SOLD: _WORDS["no"] | _WORDS["crossed"] | _WORDS["deleted"] | _WORDS["unsold"],
    About.UNSOLD: _WORDS["yes"] | _WORDS["deleted"] | _WORDS["unsold"],
    About.ACTION: _WORDS["deleted"] | _WORDS["taken_off"],
    About.STATUS: _WORDS["deleted"] | _WORDS["unsold"],
    About.STATE: _WORDS["deleted"] | _WORDS["unsold"],
}
IS_SOLD = {
    About.SOLD: _WORDS["yes"] | _WORDS["sold"],
    About.UNSOLD: _WORDS["no"] | _WORDS["sold"],
    About.ACTION: _WORDS["sold"] | _WORDS["put_on"],
    About.STATUS: _WORDS["yes"] | _WORDS["sold"],
    About.STATE: frozenset[str](),
}
ALWAYS: dict[About, tuple[str, ...]] = {
    About.SOLD: ("0", "no", "false"),
    About.UNSOLD: ("1", "yes", "true"),
    About.ACTION: ("delete",),
    About.STATUS: ("inactive", "archived", "deleted"),
    About.STATE: (),
}
"""Words for a recipe beside the words in the sheet, since a later delivery may have them."""
_OUTRIGHT = {About.ACTION: _WORDS["deleted"], About.STATUS: _WORDS["deleted"] | _WORDS["unsold"]}
_MOST_WORDS = 8
"""Words of a column without a known header that may mark rows."""


def about_of(header: str) -> About | None:
    """Return the subject of a column by its header; None if it does not mark rows."""
    if LISTING_ACTION.fullmatch(header.casefold()):
        return About.ACTION
    name = folded(re.sub(r"[(\[].*", "", header))
    return next((about for about, names in HEADERS.items() if name in names), None)


def about_of_words(cells: Iterable[Cell]) -> About | None:
    """Return the subject of a column by its words, of which one says outright not for sale."""
    words = {word for cell in cells if (word := folded(plain(shown(cell))))}
    if not words or len(words) > _MOST_WORDS:
        return None
    for about, outright in _OUTRIGHT.items():
        if not words.isdisjoint(outright) and words <= NOT_SOLD[about] | IS_SOLD[about]:
            return about
    return None


def is_sold(about: About, cell: Cell) -> bool | None:
    """Return False if a cell marks its row as not for sale; None if unclear, True for a blank."""
    text = plain(shown(cell)).rstrip(_SIGN_STYLE)
    if cell.kind is Kind.NUMBER:
        word = f"{rounded(cell.text):f}".removesuffix(".0")
    elif number := _NUMBER.fullmatch(text):
        word = number[1]
    else:
        word = folded(text) or text
    if not word or word in IS_SOLD[about] or _NOTHING.fullmatch(text):
        return True
    is_date = about is About.UNSOLD and (cell.kind is Kind.DATE or bool(_DATE.fullmatch(text)))
    if is_date or word in NOT_SOLD[about]:
        return False
    return True if about is About.STATE else None


class SaleMark:
    """The type of a column that marks rows as not for sale."""

    def __init__(
        self,
        about: About,
        header: str,
        column: str,
        recipe: str,
        once: dict[str, Issue],
        *,
        has_action: bool,
    ) -> None:
        """`once` takes the warning about the first unknown word."""
        self._about, self._header, self._column, self._once = about, header, column, once
        self._hint = (
            tr(
                'leave such rows out by [not_for_sale] in {recipe}, or write "{header}" = false in'
                " its [columns] if they are for sale",
                recipe=recipe,
                header=header,
            )
            if recipe
            else tr(
                "name the column action, with Upsert, Update or Delete; or let feedtool map write a"
                ' recipe that leaves such rows out by [not_for_sale], or says "{header}" = false',
                header=header,
            )
            if has_action
            else tr(
                "let feedtool map write a recipe that leaves such rows out by [not_for_sale], or"
                ' says "{header}" = false',
                header=header,
            )
        )

    def read(self, cell: Cell, column: ColumnReader) -> InvalidValue | None:
        """Return None for a row that is for sale, else `sale-mark`."""
        del column
        sold = is_sold(self._about, cell)
        values = {"header": self._header, "column": self._column, "value": plain(shown(cell))[:40]}
        if sold is False:
            text = tr("“{header}” in {column} says “{value}”: it is not for sale", **values)
            return refused(SALE_MARK, text, self._hint)
        if sold is None:
            text = tr(
                "“{header}” in {column} says “{value}”: whether that is for sale is not understood",
                **values,
            )
            issue = Issue(SALE_MARK_UNCLEAR, text, self._hint, value=values["value"])
            self._once.setdefault(SALE_MARK_UNCLEAR.name, issue)
        return None
