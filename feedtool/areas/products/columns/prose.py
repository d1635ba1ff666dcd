"""Texts for people, one of which may be HTML, and addresses that the service downloads."""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from msgspec import Struct

from feedtool.areas.products.columns import PROBLEMS
from feedtool.areas.products.settings import ProductSettings
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.text import (
    LENGTH_ADVISED,
    TEXT_CONTROL_CHARS,
    Comment,
    invisible_in,
    no_value,
    plain,
    refused,
    trimmed,
    visible,
)
from feedtool.model.cells import Cell, Kind
from feedtool.model.nouns import Issue
from feedtool.model.text import FieldName, in_quotes, joined, tr

HTML_NOT_ALLOWED = PROBLEMS.error("html-not-allowed")
HTML_MALFORMED = PROBLEMS.error("html-malformed")

_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--")
_ENTITY = re.compile(r"&(#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]*);")
_MARKUP = re.compile(
    r"""<!--.*?-->
    | <(?P<closing>/?)(?P<name>[A-Za-z][\w:-]*)(?P<rest>(?:"[^"<]*"|'[^'<]*'|[^'"<>])*)>
    | <""",
    re.DOTALL | re.VERBOSE,
)
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
"""Elements without an end tag (HTML, "Void elements")."""
_BREAKS = str.maketrans("\t\r\n", "   ")
_SHOWN = 40
"""The characters shown around a place in a text."""


class Lines(Comment, frozen=True):
    """A text of one or more lines, without invisible characters."""

    def faults(self, value: str) -> tuple[Issue, ...]:
        """Return `text-control-chars`; line breaks and tabs are allowed."""
        result = invisible_in(value) and invisible_in(value.translate(_BREAKS))
        if not result:
            return Comment.faults(self, value)
        message = tr("the text holds an invisible character: {value}", value=_around(result))
        hint = tr("delete it together with the letters beside it, and type these again")
        return (Issue(TEXT_CONTROL_CHARS, message, hint),)


class Prose(Lines, frozen=True):
    """A text of usual length, with line breaks."""

    advised: str = "advised_description"
    """The field in the settings' bounds with the length that comparable services allow."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """Return the text; numbers as shown."""
        result = Comment.read(self, cell, column)
        value, faults, _ = result if isinstance(result, InvalidValue) else (result, (), "")
        bounds = column.settings.bounds
        advised: int = getattr(bounds, self.advised)
        if not isinstance(value, str) or not advised < len(value) <= bounds.longest_text:
            return result
        message = tr(
            "{count:,} characters, comparable services allow {most:,}",
            count=len(value),
            most=advised,
        )
        hint = tr(
            "shorten it if the service refuses it, or raise {setting}",
            setting=f"bounds.{self.advised}",
        )
        return InvalidValue(value, (*faults, Issue(LENGTH_ADVISED, message, hint)))

    def faults(self, value: str) -> tuple[Issue, ...]:
        """Return `html-not-allowed`, and faults of forbidden characters."""
        result = _TAG.search(value) or _entity(value)
        if not result:
            return Lines.faults(self, value)
        message = tr("“{tag}” is HTML, and this text is plain", tag=result[0][:_SHOWN])
        hint = tr(
            "remove it; HTML belongs into {field}", field=FieldName("richMarketingDescription")
        )
        html = Issue(HTML_NOT_ALLOWED, message, hint)
        return (*Lines.faults(self, value), html)


class Title(Prose, frozen=True):
    """A text on one line."""

    advised: str = "advised_title"

    def faults(self, value: str) -> tuple[Issue, ...]:
        """Refuse line breaks and other invisible characters, too."""
        if not invisible_in(value):
            return Prose.faults(self, value)
        message = tr(
            "the text holds a line break or an invisible character: {value}", value=visible(value)
        )
        return (Issue(TEXT_CONTROL_CHARS, message, tr("delete the text and type it again")),)


class Html(Prose, frozen=True):
    """A text in HTML, or plain text."""

    advised: str = "advised_marketing"

    def faults(self, value: str) -> tuple[Issue, ...]:
        """Return `html-malformed`, and faults of forbidden characters."""
        wrong = malformed(value)
        html = (Issue(HTML_MALFORMED, *wrong),) if wrong else ()
        return (*Lines.faults(self, value), *html)


def malformed(text: str) -> tuple[str, str] | None:
    """Return the fault of the first malformed tag, with a hint; None if all are well-formed."""
    opened: list[re.Match[str]] = []
    for tag in _MARKUP.finditer(text):
        if tag[0] == "<":
            return tr("`<` begins no tag: {around}", around=_around(tag)), tr(
                "write &lt; for it, or complete the tag"
            )
        name = (tag["name"] or "").lower()
        if not name or name in _VOID:
            continue
        if not tag["closing"]:
            if not tag["rest"].endswith("/"):
                opened.append(tag)
        elif not opened or opened[-1]["name"].lower() != name:
            message = tr("</{tag}> closes what is not open: nothing is open", tag=tag["name"])
            if opened:
                message = tr(
                    "</{tag}> closes what is not open: <{last}> is still open",
                    tag=tag["name"],
                    last=opened[-1]["name"],
                )
            return message, tr("see {around}", around=_around(tag))
        else:
            opened.pop()
    if opened:
        message = tr("<{tag}> is never closed", tag=opened[-1]["name"])
        return message, tr("see {around}", around=_around(opened[-1]))
    return None


def _around(tag: re.Match[str]) -> str:
    start = max(0, tag.start() - _SHOWN // 2)
    return in_quotes(visible(tag.string[start : tag.start() + _SHOWN]))


def _entity(text: str) -> re.Match[str] | None:
    if "&" not in text or ";" not in text:
        return None
    from html.entities import html5  # large, and rarely needed

    entities = _ENTITY.finditer(text)
    return next((item for item in entities if item[1][0] == "#" or f"{item[1]};" in html5), None)


URL_FORMAT = PROBLEMS.error("url-format")
PICTURE_ADVISED = PROBLEMS.warning("picture-advised")
FILE_TYPE = PROBLEMS.error("file-type")

SCHEMES = ("https", "http")
LONGEST = 2_048
"""The most characters of an address that browsers and caches accept."""


_USUAL = re.compile(
    r"(https?)://[a-z0-9](?:[a-z0-9-]*\.)*[a-z0-9-]+/[A-Za-z0-9_/-]+\.([A-Za-z0-9]{1,5})"
)
"""A usual, valid address, which needs no full parsing."""


class Picture(Struct, frozen=True):
    """The address of a product's picture, as text."""

    index: int
    """Its place among the product's pictures, 1-based."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        settings = column.settings.of(ProductSettings)
        usual = cell.kind is Kind.TEXT and _usual(cell.text)
        if (
            usual
            and usual[1] in settings.picture_schemes
            and usual[2] in settings.picture_types
            and self.index <= column.settings.bounds.advised_pictures
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
                tr(
                    "“{url}” is not the address of a picture on the web",
                    url=visible(text)[:LONGEST],
                ),
                tr("paste the address, which begins with https://"),
            )
        advice = (
            Issue(
                PICTURE_ADVISED,
                tr("{what}; comparable services take {usual}", what=deviation, usual=joined(usual)),
                tr("give another picture if the service refuses it"),
            )
            for deviation, usual in self._unusual(text, column)
        )
        faults = (*trimmed(cell, text), *advice)
        return InvalidValue(text, faults) if faults else text

    def _unusual(self, url: str, column: ColumnReader) -> Iterator[tuple[str, Iterable[str]]]:
        settings = column.settings.of(ProductSettings)
        scheme, kind = urlsplit(url).scheme, ending(url)
        if scheme not in settings.picture_schemes:
            yield tr("the address begins with {scheme}://", scheme=scheme), settings.picture_schemes
        if kind not in settings.picture_types:
            deviation = (
                tr("the address ends with .{kind}", kind=kind)
                if kind
                else tr("no type ends the address")
            )
            yield deviation, settings.picture_types
        if self.index > (advised := column.settings.bounds.advised_pictures):
            yield tr("picture {index}", index=self.index), [tr("{most} pictures", most=advised)]


def is_address(text: str, schemes: Iterable[str] = SCHEMES) -> bool:
    if (usual := _usual(text)) is not None:
        return usual[1] in schemes
    if len(text) > LONGEST or invisible_in(text) or any(map(str.isspace, text)):
        return False
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        return False
    return parts.scheme in schemes and bool(host) and parts.path not in {"", "/"}


def ending(url: str) -> str:
    """Return the file ending of an address in lower case, or ""."""
    usual = _usual(url)
    kind = usual[2] if usual else PurePosixPath(urlsplit(url).path).suffix.removeprefix(".")
    return kind.lower()


def _usual(text: str) -> re.Match[str] | None:
    return _USUAL.fullmatch(text) if len(text) <= LONGEST else None
