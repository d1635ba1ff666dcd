"""Addresses of pictures and files, which the service fetches by itself."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from feedtool.areas.products.columns import PROBLEMS
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.text import has_invisible, no_value, plain, refused, trimmed, visible
from feedtool.model.cells import Cell, Kind
from feedtool.model.nouns import Issue

URL_FORMAT = PROBLEMS.error("url-format")
PICTURE_ADVISED = PROBLEMS.warning("picture-advised")
FILE_TYPE = PROBLEMS.error("file-type")

SCHEMES = ("https", "http")
LONGEST = 2_048
"""Characters of an address, beyond which browsers and caches give up."""


_USUAL = re.compile(
    r"(https?)://[a-z0-9](?:[a-z0-9-]*\.)*[a-z0-9-]+/[A-Za-z0-9_/-]+\.([A-Za-z0-9]{1,5})"
)
"""A faultless address: it need not be parsed in full."""


@dataclass(frozen=True, slots=True)
class Picture:
    """The address of a product's picture, a str."""

    index: int
    """Its place among the product's pictures, from 1 on."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """The address."""
        dialect = column.dialect
        usual = cell.kind is Kind.TEXT and _usual(cell.text)
        if (
            usual
            and usual[1] in dialect.picture_schemes
            and usual[2] in dialect.picture_types
            and self.index <= dialect.bounds.advised_pictures
        ):
            return cell.text
        flaw = no_value(cell)
        if flaw:
            return flaw
        text = plain(cell.text)
        if not text:
            return None
        if not is_address(text):
            return refused(
                URL_FORMAT,
                f"“{visible(text)[:LONGEST]}” is no address of a picture on the web",
                "paste the address, which begins with https://",
            )
        advice = (
            Issue(
                PICTURE_ADVISED,
                f"{what}; comparable services take {', '.join(usual)}",
                "give another picture if the service refuses it",
            )
            for what, usual in self._unusual(text, column)
        )
        faults = (*trimmed(cell, text), *advice)
        return InvalidValue(text, faults) if faults else text

    def _unusual(self, url: str, column: ColumnReader) -> Iterator[tuple[str, Iterable[str]]]:
        dialect = column.dialect
        scheme, kind = urlsplit(url).scheme, ending(url)
        if scheme not in dialect.picture_schemes:
            yield f"the address begins with {scheme}://", dialect.picture_schemes
        if kind not in dialect.picture_types:
            what = f"the address ends with .{kind}" if kind else "no type ends the address"
            yield what, dialect.picture_types
        if self.index > (most := dialect.bounds.advised_pictures):
            yield f"picture {self.index}", [f"{most} pictures"]


def is_address(text: str, schemes: Iterable[str] = SCHEMES) -> bool:
    """True if a text is the address of something on the web."""
    if (usual := _usual(text)) is not None:
        return usual[1] in schemes
    if len(text) > LONGEST or has_invisible(text) or any(map(str.isspace, text)):
        return False
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        return False
    return parts.scheme in schemes and bool(host) and parts.path not in {"", "/"}


def ending(url: str) -> str:
    """The type of file at the end of an address, in small letters; may be empty."""
    usual = _usual(url)
    kind = usual[2] if usual else PurePosixPath(urlsplit(url).path).suffix.removeprefix(".")
    return kind.lower()


def _usual(text: str) -> re.Match[str] | None:
    return _USUAL.fullmatch(text) if len(text) <= LONGEST else None
