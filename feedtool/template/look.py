"""Colours, fonts and borders that the sheets of a template share."""

from openpyxl.styles import Alignment, Border, Font, PatternFill, Side

from feedtool.template.fields import Need

NAVY = "1F3864"
BLUE = "2F5597"
PALE = "D9E2F3"
GREY = "7F7F7F"


def _fill(colour: str) -> PatternFill:
    return PatternFill("solid", fgColor=colour)


HEADER_FILLS = {
    Need.ALWAYS: _fill(NAVY),
    Need.UNLESS: _fill(NAVY),
    Need.EITHER: _fill(BLUE),
    Need.NEVER: _fill(PALE),
}
LIGHT_ON_DARK = Font(bold=True, color="FFFFFF")
DARK_ON_LIGHT = Font(bold=True, color=NAVY)
HEADER_ALIGNMENT = Alignment(horizontal="left", vertical="center", wrap_text=True)

KEY_FONT = Font(size=8, color=GREY)
KEY_FILL = _fill("F2F2F2")
LINE = Border(bottom=Side("thin", color="BFBFBF"))

TITLE_FONT = Font(size=18, bold=True, color=NAVY)
SECTION_FONT = Font(size=12, bold=True, color=NAVY)
CODE_FONT = Font(name="Consolas", color=NAVY)
KIND_FONT = Font(color=GREY)
BODY = Alignment(vertical="top", wrap_text=True)


def header_font(need: Need) -> Font:
    """Readable on the fill of a column's header."""
    return DARK_ON_LIGHT if need is Need.NEVER else LIGHT_ON_DARK
