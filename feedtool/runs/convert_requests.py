"""JSON requests as the rows of a sheet: a file of them, or a folder as `--requests` writes it.

What no cell of a row can hold is kept as a loss. The name of their package's folder,
`package-001-Upsert-PRIMARY`, gives the type and channel of offers; for a single file they are
unknown.
"""

import json
import re
from collections.abc import Generator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, Self

from feedtool.check.headers import NoRows
from feedtool.feeds.area import Areas
from feedtool.feeds.feed import ACTION, CHANNEL, Feed, JsonRequests
from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.disk_list import Spool
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Loss
from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr
from feedtool.sheets import HEADER, EmptyFile, KeyedLine, KeyedSheet, NotAWorkbook, SheetEntry

_PACKAGE = re.compile(r"package-\d{3,}-(\w+?)-(.+)")
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]\s*(?:[\[\]{}\"]|\Z)")
_HINT = tr("Give the requests as `feedtool submit --requests` writes them.")


class _RequestCells(NamedTuple):
    """The cells of a request, by the column's key."""

    cells: Mapping[str, Cell]


def is_requests(path: Path) -> bool:
    """True for a folder, and a file that looks like JSON; OSError if it cannot be opened.

    A pipe is not opened: that would wait for its writer.
    """
    if path.is_dir() or not path.is_file():
        return path.is_dir()
    with path.open("rb") as file:
        return _START.match(file.read(1 << 12)) is not None


class RequestsSource:
    """Requests that were read from a file or a folder: a sheet of offers, of products, or both.

    `channel` is the salesChannelId of rows that name none; no row says it. NotAWorkbook, EmptyFile
    if a file holds no requests, NoRows if the folder has none.
    """

    format = "requests"

    def __init__(
        self, path: Path, settings: AccountSettings, areas: Areas, channel: str = ""
    ) -> None:
        self._sheets: dict[str, RequestsSheet] = {}
        self._settings, self._channel = settings, channel
        self._feeds = [feed for area in areas.areas for feed in area.feeds if feed.json]
        self._actions = {feed.recognition.action for feed in self._feeds} - {""}
        for file in _files(path):
            self._read(file)
        if not self._sheets:
            raise NoRows(tr("{name} holds no request", name=path.name), _HINT)
        self.sheets = tuple(SheetEntry(name, "") for name in self._sheets)
        first, *others = self._sheets.values()
        kind = None if others else first.kind
        self.properties: Mapping[str, str] = {"feedtool.template": kind} if kind else {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def sheet(self, name: str) -> "RequestsSheet":
        return self._sheets[name]

    def _read(self, file: Path) -> None:
        package = _PACKAGE.fullmatch(file.parent.name)
        action = package[1] if package and package[1] in self._actions else ""
        channel = package[2] if package and action and package[2] != self._channel else ""
        form, body = self._requests_in(_load(file, self._settings.reading.strings))
        if form is None or not isinstance(body, list):
            raise NotAWorkbook(
                tr("{name} is JSON, and holds no list of requests.", name=file.name), _HINT
            )
        family = [feed for feed in self._feeds if feed.json == form]
        name = family[0].sheet.name
        for request in body:
            if name not in self._sheets:
                self._sheets[name] = RequestsSheet(family, form, self._settings)
            self._sheets[name].add(request, action, channel)

    def _requests_in(self, document: object) -> tuple[JsonRequests | None, object]:
        """Return the form of the requests of a document, and the requests."""
        forms = dict.fromkeys(feed.json for feed in self._feeds if feed.json)
        if not isinstance(document, dict):
            return next((form for form in forms if form.is_bare), None), document
        for form in forms:
            if isinstance(document.get(form.member), list):
                return form, document[form.member]
        return None, None


class RequestsSheet(KeyedSheet):
    """Requests of feeds that share a sheet, as rows under a header of keys."""

    notices: Mapping[str, Sequence[str]] = {}

    def __init__(
        self, family: Sequence[Feed], form: JsonRequests, settings: AccountSettings
    ) -> None:
        self.name = family[0].sheet.name
        self.losses: list[Loss] = []
        """Values that no cell can hold."""
        self.feeds = family
        """The most demanding first: its header has all columns."""
        self._form, self._settings = form, settings
        self._requests: Spool[_RequestCells] = Spool(_RequestCells)
        self._keys: dict[str, None] = {}
        self._actions: set[str] = set()

    def add(self, request: object, action: str, channel: str) -> None:
        """Add a row; action and channel are those of its package, as far as they are known."""
        row = HEADER + 1 + len(self._requests)
        if not isinstance(request, dict):
            self.losses.append(Loss(row, None, None, _brief(request), tr("it is not a request")))
            request = {}
        cells, left = self._form.cells(request, self._settings)
        self.losses += [
            Loss(row, None, path, _brief(value), tr("a row of a sheet has no column for it"))
            for path, value in left
        ]
        package = {ACTION: action, CHANNEL: channel}
        cells.update((key, Cell(Kind.TEXT, text)) for key, text in package.items() if text)
        self._actions.add(action)
        self._keys.update(dict.fromkeys(cells))
        self._requests.append(_RequestCells(cells))

    @property
    def kind(self) -> str | None:
        """The kind of the requests; None if nothing tells it, or requests differ."""
        if self._actions == {""}:
            return self._form.kind_of(self._keys)
        kinds = (feed.kind for feed in self.feeds if feed.recognition.action in self._actions)
        return next(kinds, self.feeds[0].kind)

    @property
    def keys(self) -> list[str]:
        """The header: the keys of the kind, and all others that requests have."""
        columns = (
            feed.sheet.columns(self._settings) for feed in self.feeds if feed.kind == self.kind
        )
        usual = (column.key for column in next(columns, ()) if column.key not in {ACTION, CHANNEL})
        keys = dict.fromkeys((*usual, *self._keys))
        if len(self._actions) == 1:  # then the kind says it
            keys.pop(ACTION, None)
        return list(keys)

    def rows(self) -> Generator[KeyedLine]:
        keys = self.keys
        yield None, keys
        for request in self._requests:
            yield None, [request.cells.get(key, BLANK) for key in keys]


def _files(path: Path) -> Sequence[Path]:
    """Return the files of requests, in order; in a folder, those that `--requests` writes."""
    if not path.is_dir():
        return [path]
    requests = sorted(chain(path.rglob("upload-*.json"), path.rglob("batch-*.json")))
    if not requests and (zips := sorted(path.rglob("package-*.zip"))):
        raise UsageProblem(
            tr("{path} holds legacy zips, and no JSON requests", path=path),
            tr("convert them one by one: {file}", file=min(zips, key=attrgetter("name"))),
        )
    return requests


def _load(file: Path, most: int) -> object:
    """Return the JSON of a file of at most `most` bytes, amounts as decimals.

    NotAWorkbook for other content, EmptyFile for a blank file.
    """
    if file.stat().st_size > most:
        raise NotAWorkbook(
            tr(
                "{name} is JSON of more than {size:,} MiB, which is too much to be held.",
                name=file.name,
                size=most >> 20,
            ),
            tr("Give a folder of uploads, as `feedtool submit --requests` writes it."),
        )
    try:
        text = file.read_bytes().decode("utf-8-sig")
        if not text.strip():
            raise EmptyFile(tr("{name} is empty.", name=file.name), _HINT)
        return json.loads(text, parse_float=Decimal, parse_constant=_refuse_constant)
    except (RecursionError, InvalidOperation, ValueError) as error:
        why = tr("it is nested or counts beyond all measure")
        if isinstance(error, json.JSONDecodeError):
            why = tr(
                "{error}, line {line}, column {column}",
                error=error.msg,
                line=error.lineno,
                column=error.colno,
            )
        elif isinstance(error, UnicodeDecodeError):
            why = tr("byte {start} is not UTF-8", start=error.start)
        text = tr("{name} is not readable JSON: {why}.", name=file.name, why=why)
        raise NotAWorkbook(text, _HINT) from error


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


def _brief(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:200]
