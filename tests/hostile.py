"""Texts that do harm if a program takes them for more than text, and checks for that harm."""

import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

from hypothesis import strategies as st

from feedtool.model.cells import BLANK, Cell
from feedtool.sheets import open_source

SAMPLES = (
    *("=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1+1", "\r=1+1", "\n=1+1", "＝1+1", "=HYPERLINK(A1)"),  # noqa: RUF001  # full-width on purpose
    *("=cmd|' /C calc'!A0", '=IMPORTXML("x")', "'=1+1", '"=1+1', '","=1+1', ';=1+1;"', "-3", "-"),
    *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</td></table>", "<!--"),
    *("' onmouseover='x", "]]>", "<![CDATA[x]]>", "&lt;b&gt;", "&#0;", "</script>", "</style>"),
    *("{{ 7*7 }}", "{% raw %}", "{# x #}", "${7*7}", "%s%d%n", "{0}{x!r}", "\\x1b[2J", "_x001B_"),
    *("\x1b[2J", "\x1b[5m", "\x1b]0;owned\x07", "\x9b31m", "\x1bP", "a\x08\x08b", "\x00", "\x1a"),
    *("a\rb", "a\nb", "error[x] 1\nrow", "a\x85b", "a\u2028b", "a\x0bb\x0cc\x1cd", "\x7f"),
    *(
        " ",
        "\xa0",
        "\u202egpj.exe",
        "\u2066x\u2069",
        "\u200fx",
        "\u061cx",
        "a\u200bb",
        "\ufeffx",
        "a\n\ufeffb",
    ),
    *("\ud800", "a\udcffb", "\ufffe", "😀", "é", "x" * 300, "feedtool status", "../../x", "-v"),
    *("_x005F_x0041_", "'", "''", "'!A1", "[1]A", "a,b;c|d\te", '"', '""', "sep=;", "null"),
)
"""Texts for each program and format that may take a text for more."""

TEXTS = st.one_of(
    st.sampled_from(SAMPLES),
    st.text(
        st.sampled_from("=+-@\t\r\n\"'<>&{}%;,|!_x0[]\x00\x1b\x1a\u202e\ufeff\ud800é a1"),
        min_size=1,
        max_size=12,
    ),
    st.lists(st.sampled_from(SAMPLES), min_size=2, max_size=3).map("".join),
    st.text(st.characters(codec=None), min_size=1, max_size=12),
    st.sampled_from(SAMPLES).map(lambda text: text * 700),
)
"""Any text; the samples are more frequent."""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001  # full-width on purpose
"""Beginnings of a field of a CSV that make a spreadsheet program calculate or change it."""

_COLOURS = re.compile(r"\x1b\[(?:0|1|2|31|32|33|36|1;31|1;33)m")
_NUMBER = re.compile(r"[+-][0-9]+(?:[.,][0-9]+)?")
_DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def steering(text: str, *, is_terminal: bool = False) -> set[str]:
    """The characters of a text that control a terminal; on a terminal colours are allowed."""
    if is_terminal:
        text = _COLOURS.sub("", text)
    return {letter for letter in set(text) - {"\n"} if _steers(letter)}


def _steers(letter: str) -> bool:
    return (
        unicodedata.category(letter) in {"Cc", "Cs", "Zl", "Zp"}
        or unicodedata.bidirectional(letter) in _DIRECTIONS
        or letter in "\u061c\u200e\u200f\ufeff"
    )


def is_calculated(field: str) -> bool:
    """True if a spreadsheet program calculates a field of a CSV; a plain number is safe."""
    return field.startswith(FORMULA_STARTS) and not _NUMBER.fullmatch(field)


def cells_of(
    path: Path, sheet: str = "", first: int = 0, end: int = 99
) -> dict[tuple[int, int], Cell]:
    """Row and 0-based column → cell, of some columns of a sheet, by default the first sheet."""
    with open_source(path) as source:
        return {
            (row, index): cell
            for block in source.sheet(sheet or source.sheets[0].name).blocks()
            for index in range(first, min(block.width, end))
            for row, key in zip(block.rows, block.column(index), strict=True)
            if (cell := block.decode(key)) != BLANK
        }


class Structure(HTMLParser):
    """The elements of a page with their attributes, and its texts, as a browser reads them.

    Every element must be closed, in the order in which elements were opened.
    """

    VOID = frozenset({"meta", "input", "br"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.others: list[str] = []
        """Comments, declarations and the like."""
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        # A link to a file contains the file's name; other tests check it.
        is_file = not (dict(attrs).get("href") or "#").startswith("#")
        replaced = {"href": "FILE"} if is_file else {}
        self.elements.append((tag, tuple({**dict(attrs), **replaced}.items())))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.elements.append((f"/{tag}", ()))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_decl(self, decl: str) -> None:
        self.others.append(decl)

    handle_pi = unknown_decl = handle_comment
