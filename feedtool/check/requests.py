"""Make requests of valid rows; each request must pass its JSON Schema.

jsonschema-rs checks all requests; jsonschema, which is slow, finds the errors of refused ones. A
refused request always has a message, even if the two libraries differ.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import jsonschema_rs
import orjson

from feedtool.check.problems import Locator
from feedtool.check.rules import request_incomplete, schema_mismatch
from feedtool.feeds.feed import NOTHING_REFUSED, Feed, Row, SheetColumns
from feedtool.model.disk_list import Spool
from feedtool.model.files import folder_of
from feedtool.model.nouns import Issue, Item
from feedtool.model.sheet import INVALID, VALID, CheckedRows, ProblemSpool, RefusedRow
from feedtool.model.text import tr


@cache
def schema(feed: Feed) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a feed's requests, from the folder of its area."""
    text = (folder_of(feed.area) / "schemas" / f"{feed.kind}.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@cache
def validator_of(feed: Feed) -> Callable[[object], bool]:
    return jsonschema_rs.Draft202012Validator(schema(feed)).is_valid


def faults(feed: Feed, request: object) -> Iterator[Issue]:
    """Yield the issues of a request that the validator refuses; at least one."""
    from jsonschema import Draft202012Validator  # slow to import, and hardly ever needed

    is_explained = False
    for error in Draft202012Validator(schema(feed)).iter_errors(request):
        is_explained = True
        yield schema_mismatch("/".join(map(str, error.absolute_path)), error.message)
    if not is_explained:
        yield schema_mismatch("", tr("refused by the schema"))


def product_of(row: Row) -> str:
    """Return the identity of a row beside its reference."""
    return "|".join([str(row.values.get(key) or "") for key in row.feed.requests.identity])


def item_of(row: Row, request: object, *, purges: bool) -> Item:
    """Return the item to send for a row's request."""
    values, requests, travel = row.values, row.feed.requests, row.feed.travel
    floor = values.get(requests.floor)
    return Item(
        row.number,
        (purges and travel.purge_type) or travel.package_type,
        row.channel,
        str(values.get(requests.reference) or ""),
        product_of(row),
        orjson.dumps(request),
        None if floor is None else float(floor),
    )


TOGETHER = 1 << 16


class GroupedRow(NamedTuple):
    """A row on disk, with the number of its request."""

    request: int
    row: int
    kind: str
    channel: str
    values: Mapping[str, Any]
    details: object


class RowGroups:
    """The rows of one sheet by their requests, if rows and requests are not one to one."""

    def __init__(self, family: Mapping[str, Feed], columns: SheetColumns) -> None:
        self._family, self._columns = family, columns
        self._requests: dict[tuple[object, ...], int] = {}
        self._parts: list[Spool[GroupedRow]] = []

    def add(self, row: Row, part: int) -> None:
        """Add a row, valid or not: the `part`-th part of a row of the sheet."""
        keys = row.feed.requests.group_by
        values = [row.values.get(key) for key in keys] if keys else [row.number, part]
        new = len(self._requests)
        request = self._requests.setdefault((row.feed.kind, row.channel, *values), new)
        if request // TOGETHER == len(self._parts):
            self._parts.append(Spool(GroupedRow))
        self._parts[request // TOGETHER].append(
            GroupedRow(request, row.number, row.feed.kind, row.channel, row.values, row.details)
        )

    def __iter__(self) -> Iterator[list[Row]]:
        """Yield the rows of each request, in the order of the requests' first rows."""
        for part in self._parts:
            requests: dict[int, list[Row]] = {}
            for entry in part:
                request, number, kind, channel, values, details = entry
                row = Row(
                    *(number, self._family[kind], channel, values, NOTHING_REFUSED, self._columns),
                    details,
                )
                requests.setdefault(request, []).append(row)
            yield from requests.values()

    def conclude(self, judged: CheckedRows, locator: Locator, *, purges: bool) -> None:
        """Make the items of requests whose rows are all valid, and refuse the other rows.

        `judged` must have all results of the rows: a request is sent only with all of its rows, and
        a row only with all of its requests.
        """
        issues: dict[int, list[Issue]] = {}
        is_final = False
        while not is_final:
            self._refuse_incomplete(judged, issues)
            is_final = self._make_items(judged, issues, purges=purges)
        spool = ProblemSpool()
        for number in sorted(issues):
            spool.append_all([locator.in_earlier_row(number, issue) for issue in issues[number]])
        judged.problems_by_source.append(spool)
        known = {refused.row: refused for refused in judged.refused}
        for row in (row for rows in self for row in rows):
            if judged.marks[row.number] == INVALID and row.number not in known:
                reference = str(row.values.get(row.feed.requests.reference) or "") or None
                known[row.number] = RefusedRow(row.number, reference, product_of(row), row.channel)
        judged.refused = Spool(RefusedRow)
        judged.refused.extend([known[number] for number in sorted(known)], 0)

    def _refuse_incomplete(self, judged: CheckedRows, issues: dict[int, list[Issue]]) -> None:
        """Refuse valid rows that share a request with an invalid one, repeatedly."""
        marks = judged.marks
        if not marks.count(INVALID):
            return
        shared: defaultdict[int, list[list[int]]] = defaultdict(list)
        for rows in self:
            numbers = list(dict.fromkeys(row.number for row in rows))
            for number in numbers if len(numbers) > 1 else ():
                shared[number].append(numbers)
        wrong = sorted(number for number in shared if marks[number] == INVALID)
        for number in wrong:  # the loop appends to this list
            for numbers in shared[number]:
                valid = [other for other in numbers if marks[other] == VALID]
                for other in valid:
                    marks[other] = INVALID
                    issues[other] = [request_incomplete(number)]
                wrong += valid
                numbers.clear()  # this request is done

    def _make_items(
        self, judged: CheckedRows, issues: dict[int, list[Issue]], *, purges: bool
    ) -> bool:
        """Make the items of complete requests; return False if a schema refused one."""
        judged.items = Spool(Item)
        count: Counter[int] = Counter()
        is_final = True
        for rows in self:
            first, *others = dict.fromkeys(row.number for row in rows)
            if judged.marks[first] != VALID:
                continue
            feed = rows[0].feed
            request = feed.requests.make(*rows)
            if not validator_of(feed)(request):
                is_final = False
                issues[first] = list(faults(feed, request))
                judged.marks[first] = INVALID
            elif judged.has_items:
                product = "\n".join(dict.fromkeys(map(product_of, rows)))
                item = item_of(rows[0], request, purges=purges)
                other_rows = tuple(others)
                judged.items.append(
                    item._replace(product=product, further_rows=other_rows, number=count[first])
                )
                count[first] += 1
        return is_final
