"""Check that the rows of one request have equal values for it, such as its address."""

from collections.abc import Iterator

from feedtool.feeds.feed import Row
from feedtool.feeds.occurrences import Occurrences, RowPlace
from feedtool.feeds.rule import Problems
from feedtool.model.nouns import Issue
from feedtool.model.text import FieldName, tr

HEADER_DIFFERS = Problems("feedtool.check").error("header-differs")


class HeadersOfRequests(Occurrences):
    """Remember the values of rows that a request has only once (`Requests.common`)."""

    def see(self, sheet: int, row: Row) -> None:
        """Note a row that may share its request with others."""
        requests, values = row.feed.requests, row.values
        if requests.common and requests.makes_request(row):
            group = (str(values.get(key) or "") for key in requests.group_by)
            self.add("\n".join((str(sheet), row.feed.kind, row.channel, *group)), sheet, row.number)
            self.notes.append((requests.common, tuple(values.get(key) for key in requests.common)))

    def faults(self, _: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """Yield an issue for each cell that differs from the first row of its request."""
        for index, _key, same in self.repeated():
            first = self.place(same.first).row
            keys, values = self.notes[index]
            for key, value, expected in zip(keys, values, self.notes[same.first][1], strict=True):
                if value != expected:
                    yield self.place(index), _differs(key, first)


def _differs(key: str, row: int) -> Issue:
    message = tr(
        "{field} is not that of row {row}, which is of the same request",
        field=FieldName(key),
        row=row,
    )
    hint = tr("write the same in all rows of the request, or give it a reference of its own")
    return Issue(HEADER_DIFFERS, message, hint, key)
