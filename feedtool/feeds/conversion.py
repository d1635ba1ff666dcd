"""Conversions: an area's rows become those of another kind, another form of file, and rows again.

Pure functions and records, of which `feedtool convert` makes what it does.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from feedtool.model.cells import Cell, Kind, Value
from feedtool.model.nouns import Item, Loss
from feedtool.model.settings import AccountSettings
from feedtool.model.spool import Spool

Values = dict[str, Value]
"""By the column's key; blanks are not there."""


class ConvertedRow(NamedTuple):
    """A row of the other kind."""

    values: Values
    losses: list[Loss]
    """The losses; the row and the line are added by whoever converts a sheet."""
    obstacles: list[Loss]
    """Those of the losses that no request can be made without."""


RowConverter = Callable[[Values], ConvertedRow]


def shown(value: Value) -> str:
    """A value as a text."""
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def loss_of(key: str, value: Value, message: str) -> Loss:
    """The loss of a value of a row."""
    return Loss(None, None, key or None, shown(value) or None, message)


class RowConversion(NamedTuple):
    """A conversion of rows of a kind into another, or into themselves."""

    kind: str
    became: str
    converter: Callable[[AccountSettings], RowConverter]
    is_for_json: bool = False
    """Its JSON requests are of that kind, unless another is asked for."""
    lost_in_requests: Callable[[Mapping[str, Value], AccountSettings], Iterable[Loss]] = (
        lambda _, __: ()
    )
    """The losses of a request, beside those of a row."""


# JSON requests.


class Read(NamedTuple):
    """A JSON request as the cells of a row."""

    cells: dict[str, Cell]
    """By the column's key."""
    left: list[tuple[str, object]]
    """The values that no cell can hold, each with its place."""

    def put(self, key: str, path: str, value: object) -> None:
        """A cell; a second one of the same key, and what fits into none, is left."""
        if value is None or value == "":
            return
        cell = _cell(value)
        if cell is None or key in self.cells:
            self.leave(path, value)
        else:
            self.cells[key] = cell

    def leave(self, path: str, value: object) -> None:
        """Note what no cell can hold."""
        if value not in (None, [], {}):
            self.left.append((path, value))


def _cell(value: object) -> Cell | None:
    if isinstance(value, bool):
        return Cell(Kind.BOOLEAN, str(value).upper())
    if isinstance(value, int | Decimal):
        return Cell(Kind.NUMBER, str(value))
    return Cell(Kind.TEXT, value) if isinstance(value, str) else None


def is_number(value: object) -> bool:
    """True if a value of JSON is a number."""
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


class JsonRequests(NamedTuple):
    """The JSON form of the requests of feeds that share a sheet."""

    member: str
    """Under which name a document lists them."""
    is_bare: bool
    """True if a list without a name is of them, too."""
    cells: Callable[[Mapping[str, Any], AccountSettings], Read]
    """The way back, from a request to a row."""
    kind_of: Callable[[Collection[str]], str | None]
    """The kind of requests that fill these columns; None where nothing tells."""
    bundle: Callable[[Sequence[bytes], AccountSettings], bytes]
    """Requests as they travel together."""
    limit: Callable[[AccountSettings], int]
    """The most that travel together."""


# Other formats.


class FileFacts(NamedTuple):
    """The statements of a file of another format beside its rows."""

    about: object = None
    """The statements that a file of the same format repeats."""
    about_elsewhere: object = None
    """The same where it goes to a channel that was named."""
    losses: Sequence[Loss] = ()
    losses_elsewhere: Sequence[Loss] = ()
    """The losses where another format is written, and no channel was named."""


class Output(NamedTuple):
    """A form of file that an area writes."""

    ending: str
    """`.zip`."""
    kinds: Mapping[str, str]
    """The kind that each kind of row becomes there, unless another kind is asked for."""
    refusals: Mapping[str, str]
    """The reasons why some kinds have no row there."""
    limit: Callable[[AccountSettings], int]
    too_many: str
    """The message about more rows, with `count` and `most`."""
    write: Callable[[Path, Spool[Item], object, AccountSettings], bool]
    """Write requests of one package, with what the input said of itself; False where they do not
    read back like that."""
