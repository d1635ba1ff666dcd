"""The elements of an XML spreadsheet as they come, in the memory of one row."""

from collections.abc import Iterable, Iterator
from typing import Any

from lxml import etree

from feedtool.model.text import tr
from feedtool.sheets.read.errors import XmlDoctype

_LARGEST_ROW = 16 << 20
"""Bytes between two elements that are asked for."""


def elements(pieces: Iterable[bytes], *tags: str) -> Iterator[tuple[str, Any]]:
    """`start` and `end` of each element of these tags; behind its end it is forgotten.

    Raises XmlDoctype, ValueError for a row that is too large, and what lxml raises.
    """
    parser = etree.XMLPullParser(
        ("start", "end"), tag=tags, resolve_entities=False, no_network=True
    )
    size = 0
    is_first = True
    for piece in pieces:
        parser.feed(piece)
        size += len(piece)
        found: Iterator[tuple[str, Any]] = parser.read_events()
        for event, element in found:
            size = 0
            if is_first:
                _refuse_doctype(element)
                is_first = False
            yield event, element
            if event == "end":
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
        if size > _LARGEST_ROW:
            raise ValueError("a row is too large")
    parser.close()


def _refuse_doctype(element: Any) -> None:
    if element.getroottree().docinfo.doctype:
        raise XmlDoctype(
            tr("The file declares a document type."),
            tr("Do not trust it; have its sender make it anew in a spreadsheet program."),
        )
