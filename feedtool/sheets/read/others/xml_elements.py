"""Read the elements of an XML spreadsheet one by one, in the memory of one row."""

from collections.abc import Iterable, Iterator
from typing import Any

from lxml import etree

from feedtool.model.text import tr
from feedtool.sheets.read.errors import XmlDoctype
from feedtool.sheets.read.others.rows import Damage

_LARGEST_ROW = 16 << 20
"""Bytes between two requested elements at most."""
MOST_SHEETS = 256
"""Sheets of a file at most; for each sheet the file is read from its beginning."""


def elements(pieces: Iterable[bytes], *tags: str) -> Iterator[tuple[str, Any]]:
    """Yield `start` and `end` of each element of these tags; after its end it is deleted.

    Raises XmlDoctype; Damage for malformed XML, and for a row that is too large.
    """
    parser = etree.XMLPullParser(
        ("start", "end"), tag=tags, resolve_entities=False, no_network=True
    )
    try:
        yield from _read_into(parser, pieces)
        parser.close()
    except etree.XMLSyntaxError as error:
        line, column = error.position
        where = tr("its XML is wrong in line {line}, column {column}", line=line, column=column)
        raise Damage(where) from error


def _read_into(parser: Any, pieces: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
    size = 0
    is_first = True
    for piece in pieces:
        parser.feed(piece)
        size += len(piece)
        events: Iterator[tuple[str, Any]] = parser.read_events()
        for event, element in events:
            size = 0
            if is_first and element.getroottree().docinfo.doctype:
                raise XmlDoctype(
                    tr("The file declares a document type."),
                    tr("Do not trust it; have its sender make it anew in a spreadsheet program."),
                )
            is_first = False
            yield event, element
            if event == "end":
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
        if size > _LARGEST_ROW:
            raise Damage(tr("a row is too large"))
