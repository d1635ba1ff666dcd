"""How the tags of a canonical sheet are written, with whatever prefix its writer chose."""

import re
from dataclasses import dataclass
from functools import lru_cache

from feedtool.model.cells import index_of, letters
from feedtool.sheets.markup import MAIN_NAMESPACES

OPENING = re.compile(rb"<((?:[A-Za-z_][\w.-]*:)?)sheetData(?:\s[^>]*)?(?<!/)>")
_ROOT = re.compile(rb"<((?:[A-Za-z_][\w.-]*:)?)worksheet(\s[^>]*)>")
_NAMESPACE = re.compile("|".join(map(re.escape, MAIN_NAMESPACES)).encode())

column_index = lru_cache(1 << 15)(lambda name: index_of(name.decode()))


class NotCanonical(Exception):
    """Patterns might miss something here; internal, and always answered by the parser."""


@dataclass(frozen=True, slots=True)
class Tags:
    """What to look for in a sheet's bytes."""

    prefix: bytes
    """Of the workbook's namespace: `x:` or nothing."""
    row: re.Pattern[bytes]
    """A row's start tag: its number, and the rest, which in `<row/>` ends with a slash."""
    cell: re.Pattern[bytes]
    """The beginning of a cell: the letters of its column."""
    used: re.Pattern[bytes]
    """The same of a cell in which there is something."""

    @property
    def row_start(self) -> bytes:
        """`<row`."""
        return b"<" + self.prefix + b"row"

    @property
    def row_end(self) -> bytes:
        """`</row>`."""
        return b"</" + self.prefix + b"row>"

    @property
    def cell_start(self) -> bytes:
        """`<c`."""
        return b"<" + self.prefix + b"c"

    @property
    def cell_end(self) -> bytes:
        """`</c>`."""
        return b"</" + self.prefix + b"c>"

    @property
    def data_end(self) -> bytes:
        """`</sheetData>`."""
        return b"</" + self.prefix + b"sheetData>"

    def beyond(self, column: int) -> re.Pattern[bytes]:
        """Finds a cell that is not in the columns up to this one (-1: any cell)."""
        return _beyond(self.prefix, column)


@lru_cache(8)
def tags(prefix: bytes) -> Tags:
    """The tags with this prefix."""
    start = rb"<" + re.escape(prefix)
    end = rb"</" + re.escape(prefix)
    return Tags(
        prefix,
        re.compile(start + rb'row r="([1-9][0-9]{0,9})"([^>]*)>'),
        re.compile(start + rb'c r="([A-Z]{1,4})'),
        re.compile(start + rb'c r="([A-Z]{1,4})[0-9]+"[^>]*(?<!/)>(?!\s*' + end + rb"c)"),
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
