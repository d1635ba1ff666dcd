"""Read date-times: cells that a spreadsheet stores as dates, and texts in ISO 8601."""

from datetime import datetime

from msgspec import Struct

from feedtool.feeds.columns import PROBLEMS, ColumnReader
from feedtool.feeds.columns.text import identified, refused, visible
from feedtool.model.cells import Cell, Kind
from feedtool.model.nouns import plausible_time
from feedtool.model.text import tr

MOMENT_FORMAT = PROBLEMS.error("moment-format")


class Moment(Struct, frozen=True):
    """A date and a time, in UTC without an offset; the value is a text in RFC 3339."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """Return a text such as `2026-11-22T09:30:00Z`."""
        del column
        text = cell.text if cell.kind is Kind.DATE else identified(cell)
        if not isinstance(text, str):
            return text
        try:
            moment = plausible_time(datetime.fromisoformat(text))
        except ValueError:
            moment = None
        if moment is None:
            return refused(
                MOMENT_FORMAT,
                tr("“{text}” is not a date", text=visible(text)),
                tr("type a date such as 2026-11-22, or with a time: 2026-11-22 09:30"),
            )
        return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
