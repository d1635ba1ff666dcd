"""JSON requests as the rows of a sheet: a file of them, or a folder as `--requests` writes it.

What a row of a sheet has no cell for is kept as a loss. Type and channel of offers are told by the
name of their package's folder, `package-001-Upsert-PRIMARY`; of a file alone they are not known.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, Self

from feedtool.check.headers import NoRows
from feedtool.feeds.area import Areas
from feedtool.feeds.conversion import JsonRequests
from feedtool.feeds.feed import ACTION, CHANNEL, Feed
from feedtool.model.cells import BLANK, Block, Cell, Kind
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.settings import AccountSettings
from feedtool.model.spool import Spool
from feedtool.report.conversion import Loss
from feedtool.sheets import (
    EmptyFile,
    HeadRow,
    MergedArea,
    NotAWorkbook,
    Notice,
    SheetEntry,
    first_rows,
    rows_after,
)

HEADER = 1
"""The number of the header's row; the first request is row 2."""
_BLOCK = 1000
_PACKAGE = re.compile(r"package-\d{3,}-(\w+?)-(.+)")
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]\s*(?:[\[\]{}\"]|\Z)")
_HINT = "Give the requests as `feedtool submit --requests` writes them."


class _Request(NamedTuple):
    """A request, laid flat."""

    cells: Mapping[str, Cell]
    """By the column's key."""


def is_requests(path: Path) -> bool:
    """Whether a file looks like JSON, or is a folder. Raises OSError where it cannot be opened.

    Into a pipe nobody looks: that would be to wait for whoever writes into it.
    """
    if path.is_dir() or not path.is_file():
        return path.is_dir()
    with path.open("rb") as file:
        return _START.match(file.read(1 << 12)) is not None


class RequestsSource:
    """Requests that were read: a sheet of offers, or of products, or both.

    Raises:
        NotAWorkbook, EmptyFile: a file holds no requests.
        NoRows: there are none.
        UsageProblem: a folder holds what is to be converted by itself.
    """

    format = "requests"

    def __init__(
        self, path: Path, dialect: AccountSettings, areas: Areas, channel: str = ""
    ) -> None:
        """Reads them.

        Args:
            path: A file, or a folder of them.
            dialect: The profile's: tax codes, and the scale of VAT.
            areas: Whose requests there are.
            channel: The salesChannelId of rows that name none; it is not told of any.
        """
        self._sheets: dict[str, RequestsSheet] = {}
        self._dialect, self._channel = dialect, channel
        feeds = [feed for area in areas.areas for feed in area.feeds if feed.json]
        self._actions = {feed.action: feed for feed in feeds if feed.action}
        self._feeds = feeds
        for file in _files(path):
            self._take(file)
        found = list(self._sheets.values())
        if not found:
            raise NoRows(f"{path.name} holds no request", _HINT)
        self.sheets = tuple(SheetEntry(sheet.name, "") for sheet in found)
        self.properties: Mapping[str, str] = {}
        if len(found) == 1 and (kind := found[0].kind):
            self.properties = {"feedtool.template": kind}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def sheet(self, name: str) -> "RequestsSheet":
        """The one of this name."""
        return self._sheets[name]

    def _take(self, file: Path) -> None:
        found = _PACKAGE.fullmatch(file.parent.name)
        action = found[1] if found and found[1] in self._actions else ""
        channel = found[2] if found and action and found[2] != self._channel else ""
        requests, body = self._listed(_loaded(file, self._dialect.reading.strings))
        if requests is None or not isinstance(body, list):
            raise NotAWorkbook(f"{file.name} is JSON, and holds no list of requests.", _HINT)
        family = [feed for feed in self._feeds if feed.json == requests]
        for request in body:
            sheet = self._sheets.get(family[0].sheet)
            if sheet is None:
                sheet = RequestsSheet(family, requests, self._dialect)
                self._sheets[sheet.name] = sheet
            sheet.take(request, action, channel)

    def _listed(self, document: object) -> tuple[JsonRequests | None, object]:
        """The requests of a document, and how they stand in it."""
        forms = {feed.json: None for feed in self._feeds if feed.json}
        if not isinstance(document, dict):
            return next((form for form in forms if form.is_bare), None), document
        for form in forms:
            if isinstance(document.get(form.member), list):
                return form, document[form.member]
        return None, None


class RequestsSheet:
    """Requests as rows under a header of keys. A cell's key is the cell."""

    def __init__(
        self, family: Sequence[Feed], requests: JsonRequests, dialect: AccountSettings
    ) -> None:
        self.name = family[0].sheet
        self.merges: list[MergedArea] = []
        self.warnings: list[Notice] = []
        self.notices: Mapping[str, list[str]] = {}
        self.losses: list[Loss] = []
        """What is in no cell."""
        self.feeds = family
        """The most demanding first: whose header has all columns."""
        self._form, self._dialect = requests, dialect
        self._requests: Spool[_Request] = Spool(_Request)
        self._keys: dict[str, None] = {}
        self._actions: set[str] = set()

    def take(self, request: object, action: str, channel: str) -> None:
        """Adds a row; action and channel are its package's, as far as they are known."""
        row = HEADER + 1 + len(self._requests)
        if not isinstance(request, dict):
            self.losses.append(Loss(row, None, None, _brief(request), "it is no request"))
            request = {}
        cells, left = self._form.cells(request, self._dialect)
        self.losses += [
            Loss(row, None, path, _brief(value), "a row of a sheet has no column for it")
            for path, value in left
        ]
        if action:
            cells[ACTION] = Cell(Kind.TEXT, action)
        if channel:
            cells[CHANNEL] = Cell(Kind.TEXT, channel)
        self._actions.add(action)
        self._keys.update(dict.fromkeys(cells))
        self._requests.append(_Request(cells))

    @property
    def kind(self) -> str | None:
        """What they are; None where nothing tells, or not the same of all."""
        if self._actions == {""}:
            return self._form.kind_of(self._keys)
        named = (feed.kind for feed in self.feeds if feed.action in self._actions)
        return next(named, self.feeds[0].kind)

    @property
    def keys(self) -> list[str]:
        """The header: those of the kind, and whatever else the requests have."""
        own = (feed.columns(self._dialect) for feed in self.feeds if feed.kind == self.kind)
        usual = (column.key for column in next(own, ()) if column.key not in {ACTION, CHANNEL})
        keys = dict.fromkeys((*usual, *self._keys))
        if len(self._actions) == 1:  # then the kind says it
            keys.pop(ACTION, None)
        return list(keys)

    @property
    def last_column(self) -> int:
        """Its 0-based index."""
        return len(self.keys) - 1

    def head(self, count: int) -> list[HeadRow]:
        """The header and the first requests."""
        return first_rows(self._blocks(), count)

    def blocks(self, after_row: int = 0) -> Iterator[Block]:
        """The requests after a row."""
        for block in self._blocks():
            rest = rows_after(block, after_row)
            if rest.rows:
                yield rest

    def _blocks(self) -> Iterator[Block]:
        keys = self.keys
        yield _block([HEADER], [[Cell(Kind.TEXT, key)] for key in keys])
        requests = iter(self._requests)
        row = HEADER + 1
        while some := list(islice(requests, _BLOCK)):
            columns = [[one.cells.get(key, BLANK) for one in some] for key in keys]
            yield _block(range(row, row + len(some)), columns)
            row += len(some)


def _block(rows: Sequence[int], columns: list[list[Cell]]) -> Block:
    return Block(rows, None, frozenset(), len(columns), columns.__getitem__, lambda cell: cell)  # type: ignore[arg-type,return-value]  # a cell is its own key


def _files(path: Path) -> Sequence[Path]:
    """The files of requests, in order; of a folder those that are called as `--requests` does."""
    if not path.is_dir():
        return [path]
    found = sorted(chain(path.rglob("upload-*.json"), path.rglob("batch-*.json")))
    if not found and (zips := sorted(path.rglob("package-*.zip"))):
        raise UsageProblem(
            f"{path} holds legacy zips, and no JSON requests",
            f"convert them one by one: {min(zips, key=attrgetter('name'))}",
        )
    return found


def _loaded(file: Path, most: int) -> object:
    """What a file of at most so many bytes holds, amounts as decimals, all of it in memory.

    Raises NotAWorkbook, EmptyFile.
    """
    if file.stat().st_size > most:
        raise NotAWorkbook(
            f"{file.name} is JSON of more than {most >> 20:,} MiB, which is too much to be held.",
            "Give a folder of uploads, as `feedtool submit --requests` writes it.",
        )
    try:
        text = file.read_bytes().decode("utf-8-sig")
        if not text.strip():
            raise EmptyFile(f"{file.name} is empty.", _HINT)
        return json.loads(text, parse_float=Decimal, parse_constant=_refused)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _damaged(file, f"{error.msg}, {where}") from error
    except UnicodeDecodeError as error:
        raise _damaged(file, f"byte {error.start} is not UTF-8") from error
    except (RecursionError, InvalidOperation, ValueError) as error:
        raise _damaged(file, "it is nested or counts beyond all measure") from error


def _refused(name: str) -> object:
    raise ValueError(name)


def _damaged(file: Path, why: str) -> FileProblem:
    return NotAWorkbook(f"{file.name} is no JSON that can be read: {why}.", _HINT)


def _brief(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:200]
