"""Colours, fonts, borders and typesetting that the sheets of a template share."""

import re
from math import ceil

from openpyxl.styles import Alignment, Border, Font, PatternFill, Side

from feedtool.feeds.template import Language, Need
from feedtool.model.translation import Translate, translation

NAVY = "1F3864"
BLUE = "2F5597"
PALE = "D9E2F3"
GREY = "7F7F7F"
FACE = "Calibri"


def _fill(colour: str) -> PatternFill:
    return PatternFill("solid", fgColor=colour)


HEADER_FILLS = {
    Need.ALWAYS: _fill(NAVY),
    Need.UNLESS: _fill(NAVY),
    Need.EITHER: _fill(BLUE),
    Need.RECOMMENDED: _fill(BLUE),
    Need.NEVER: _fill(PALE),
}
LIGHT_ON_DARK = Font(FACE, 11, bold=True, color="FFFFFF")
DARK_ON_LIGHT = Font(FACE, 11, bold=True, color=NAVY)
HEADER_ALIGNMENT = Alignment(horizontal="left", vertical="center", wrap_text=True)
HEADER_GAP = Border(right=Side("thin", color="FFFFFF"))
"""Keeps neighbours of one colour apart."""

EXAMPLE_FONT = Font(FACE, 10, italic=True, color=GREY)
KEY_FONT = Font(FACE, 8, color=GREY)
KEY_FILL = _fill("F2F2F2")
LINE = Border(bottom=Side("thin", color="BFBFBF"))

TITLE_FONT = Font(FACE, 18, bold=True, color=NAVY)
SECTION_FONT = Font(FACE, 12, bold=True, color=NAVY)
CODE_FONT = Font("Consolas", 10, color=NAVY)
KIND_FONT = Font(FACE, 11, color=GREY)
PLAIN_FONT = Font(FACE, 11)
STRONG_FONT = Font(FACE, 11, bold=True)
BODY = Alignment(vertical="top", wrap_text=True)

LINE_HEIGHT = 15.5
"""Points. Not every program finds the height of a row by itself, so heights are reckoned."""


def header_font(need: Need) -> Font:
    """Readable on the fill of a column's header."""
    return DARK_ON_LIGHT if need is Need.NEVER else LIGHT_ON_DARK


def lines(text: str, width: float) -> int:
    """The number of lines of a text in a column of so many characters."""
    return sum(max(1, ceil(len(line) / width)) for line in text.split("\n"))


_FRENCH_BLANKS = re.compile(r"(?<=«) | (?=[:;?!»%])")


def typeset(text: str, language: Language) -> str:
    """French sets its double signs off by a blank that must not end a line."""
    return _FRENCH_BLANKS.sub("\u00a0", text) if language == "fr" else text


def texts(language: Language) -> Translate:
    """The translator of the texts of all templates."""
    return translation("feedtool.templates", language)
