"""Patterns for the tags of a canonical sheet, with whatever prefix its writer chose."""

import re
from functools import lru_cache
from typing import NamedTuple

from feedtool.model.cells import index_of, letters
from feedtool.sheets.read.xml_parser import MAIN_NAMESPACES

OPENING = re.compile(rb"<((?:[A-Za-z_][\w.-]*:)?)sheetData(?:\s[^>]*)?(?<!/)>")
_ROOT = re.compile(rb"<((?:[A-Za-z_][\w.-]*:)?)worksheet(\s[^>]*)>")
_NAMESPACE = re.compile("|".join(map(re.escape, MAIN_NAMESPACES)).encode())

column_index = lru_cache(1 << 15)(lambda name: index_of(name.decode()))


class NotCanonical(Exception):
    """Patterns might miss something here; internal, and always answered by the parser."""


class Tags(NamedTuple):
    """Tags and patterns to look for in a sheet's bytes."""

    prefix: bytes
    """Of the workbook's namespace: `x:` or nothing."""
    row_start: bytes
    """`<row`."""
    row_end: bytes
    """`</row>`."""
    cell_start: bytes
    """`<c`."""
    cell_end: bytes
    """`</c>`."""
    data_end: bytes
    """`</sheetData>`."""
    row: re.Pattern[bytes]
    """A row's start tag: its number, and the rest, which in `<row/>` ends with a slash."""
    cell: re.Pattern[bytes]
    """The beginning of a cell: the letters of its column."""
    used: re.Pattern[bytes]
    """The same of a cell in which there is something."""
    whole_cell: re.Pattern[bytes]
    """A cell: the letters of its column, what is in it if it is used, its end; then blanks."""

    def beyond(self, column: int) -> re.Pattern[bytes]:
        """Finds a cell that is not in the columns up to this one (-1: any cell)."""
        return _beyond(self.prefix, column)


@lru_cache(8)
def tags(prefix: bytes) -> Tags:
    """The tags with this prefix."""
    start, end = rb"<" + re.escape(prefix), rb"</" + re.escape(prefix)
    cell = start + rb'c r="([A-Z]{1,4})[0-9]+"'
    return Tags(
        prefix,
        b"<%brow" % prefix,
        b"</%brow>" % prefix,
        b"<%bc" % prefix,
        b"</%bc>" % prefix,
        b"</%bsheetData>" % prefix,
        re.compile(start + rb'row r="([1-9][0-9]{0,9})"([^>]*)>'),
        re.compile(start + rb'c r="([A-Z]{1,4})'),
        re.compile(cell + rb"[^>]*(?<!/)>(?!\s*" + end + rb"c)"),
        re.compile(
            cell + rb"[^>]*+(?:(?<=/)>|>\s*+(<(?!/)(?:[^<]++|<(?!" + end[1:] + rb"c>))*+)?+"
            rb"[^<]*+" + end + rb"c>)()\s*+"
        ),
    )


def tags_of(head: bytes) -> Tags:
    """The tags of the sheet that begins so. Raises NotCanonical.

    The workbook's namespace must be bound once, in the root: then tags with that prefix, and no
    others, are of it.
    """
    root, opening = _ROOT.search(head), OPENING.search(head)
    if root is None or opening is None or root[1] != opening[1]:
        raise NotCanonical
    declaration = rb"\sxmlns" + (b":" + re.escape(root[1][:-1]) if root[1] else b"")
    bound = re.search(declaration + rb'="([^"]*)"', root[2])
    if bound is None or bound[1].decode("latin-1") not in MAIN_NAMESPACES:
        raise NotCanonical
    if len(_NAMESPACE.findall(head)) > 1 or b"<!" in head or head.count(b"<?") > 1:
        raise NotCanonical
    return tags(root[1])


@lru_cache(64)
def _beyond(prefix: bytes, column: int) -> re.Pattern[bytes]:
    name = letters(column)
    within = [
        f"{name[:place]}[A-{chr(ord(letter) - 1)}][A-Z]{{{len(name) - place - 1}}}"
        for place, letter in enumerate(name)
        if letter > "A"
    ]
    shorter = [f"[A-Z]{{1,{len(name) - 1}}}"] if len(name) > 1 else []
    columns = "|".join([name, *within, *shorter]).encode()
    return re.compile(rb"<" + re.escape(prefix) + rb'c r="(?!(?:' + columns + rb")[0-9])")
