"""JSON requests as the rows of a sheet: a file of them, or a folder as `--requests` writes it.

What a row of a sheet has no cell for is kept as a loss. Type and channel of offers are told by the
name of their package's folder, `package-001-Upsert-PRIMARY`; of a file alone they are not known.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, Self

from feedtool.areas.offers.feeds import common as offers
from feedtool.areas.registry import load
from feedtool.check.headers import NoRows
from feedtool.model.cells import BLANK, Block, Cell, Kind
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.nouns import PackageType
from feedtool.model.settings import Dialect
from feedtool.model.spool import Spool
from feedtool.report.conversion import Loss
from feedtool.runs.convert.bodies import Read, offer_cells, product_cells
from feedtool.runs.convert.ways import DELETE, PRODUCTS, UPDATE, UPSERT
from feedtool.sheets import HeadRow, Merge, Notice, SheetEntry
from feedtool.sheets.blocks import first_rows, rows_after
from feedtool.sheets.unreadable import EmptyFile, NotAWorkbook

HEADER = 1
"""The number of the header's row; the first request is row 2."""
_BLOCK = 1000
_SPLITTING = frozenset((offers.ACTION, offers.CHANNEL))
_KINDS = {
    UPSERT: PackageType.UPSERT,
    UPDATE: PackageType.UPDATE,
    DELETE: PackageType.DELETE,
}
"""The most demanding first: whose header has all columns."""
_PACKAGE = re.compile(r"package-\d{3,}-(Upsert|Update|Delete)-(.+)")
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

    def __init__(self, path: Path, dialect: Dialect, channel: str = "") -> None:
        """Reads them.

        Args:
            path: A file, or a folder of them.
            dialect: The profile's: tax codes, and the scale of VAT.
            channel: The salesChannelId of rows that name none; it is not told of any.
        """
        self._sheets: dict[str, RequestsSheet] = {}
        self._dialect, self._channel = dialect, channel
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
        package_type = PackageType(found[1]) if found else None
        channel = found[2] if found and found[2] != self._channel else ""
        body = _loaded(file, self._dialect.reading.strings)
        is_products = isinstance(body, dict) and isinstance(body.get("products"), list)
        if isinstance(body, dict):
            body = body.get("products" if is_products else "offerRequests")
        if not isinstance(body, list):
            raise NotAWorkbook(f"{file.name} is JSON, and holds no list of requests.", _HINT)
        feed = load().feeds[PRODUCTS if is_products else UPSERT]
        for one in body:
            sheet = self._sheets.get(feed.sheet)
            if sheet is None:
                sheet = RequestsSheet(feed.sheet, self._dialect, is_products=is_products)
                self._sheets[feed.sheet] = sheet
            sheet.take(one, package_type, channel)


class RequestsSheet:
    """Requests as rows under a header of keys. A cell's key is the cell."""

    def __init__(self, name: str, dialect: Dialect, *, is_products: bool) -> None:
        self.name = name
        self.merges: list[Merge] = []
        self.warnings: list[Notice] = []
        self.notices: Mapping[str, list[str]] = {}
        self.losses: list[Loss] = []
        """What is in no cell."""
        self._is_products = is_products
        self._dialect = dialect
        self._read: Callable[[Mapping[str, Any], Dialect], Read] = (
            product_cells if is_products else offer_cells
        )
        self._requests: Spool[_Request] = Spool(_Request)
        self._keys: dict[str, None] = {}
        self._types: set[PackageType | None] = set()

    def take(self, request: object, package_type: PackageType | None, channel: str) -> None:
        """Adds a row; type and channel are its package's, as far as they are known."""
        row = HEADER + 1 + len(self._requests)
        if not isinstance(request, dict):
            self.losses.append(Loss(row, None, None, _brief(request), "it is no request"))
            request = {}
        cells, left = self._read(request, self._dialect)
        self.losses += [
            Loss(row, None, path, _brief(value), "a row of a sheet has no column for it")
            for path, value in left
        ]
        if package_type:
            cells[offers.ACTION] = Cell(Kind.TEXT, str(package_type))
        if channel:
            cells[offers.CHANNEL] = Cell(Kind.TEXT, channel)
        self._types.add(package_type)
        self._keys.update(dict.fromkeys(cells))
        self._requests.append(_Request(cells))

    @property
    def kind(self) -> str | None:
        """What they are; None where nothing tells, or not the same of all."""
        if self._is_products:
            return PRODUCTS
        if self._types == {None}:
            if {"condition", "product.gtin", "product.reference"} & self._keys.keys():
                return UPSERT
            return UPDATE if self._keys.keys() - {offers.REFERENCE} else None
        return next((kind for kind, one in _KINDS.items() if one in self._types), UPSERT)

    @property
    def keys(self) -> list[str]:
        """The header: those of the kind, and whatever else the requests have."""
        columns = load().feeds[self.kind].columns(self._dialect) if self.kind else ()
        usual = (column.key for column in columns if column.key not in _SPLITTING)
        keys = dict.fromkeys((*usual, *self._keys))
        if len(self._types) == 1:  # then the kind says it
            keys.pop(offers.ACTION, None)
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
