"""A service that answers calls with pages, one after the other, and exports from it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from feedtool.feeds.export import Export, Query
from feedtool.model.call import Call, Reply, Sender
from feedtool.model.settings import Context
from feedtool.model.text import Language
from feedtool.report.file import Exported
from feedtool.runs.export import export
from feedtool.service.fetch import FetchContext

BASE = "https://service.example/v2"
T0 = datetime(2026, 11, 20, 8, tzinfo=UTC)


def reply(document: Any = None, **headers: str) -> Reply:
    """A reply with a document as JSON, or with these bytes."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Reply(200, fields, b"" if document is None else body, f"{BASE}/x")


class Answers:
    """Pages of items, each with a link to the next; then empty pages."""

    def __init__(self, *pages: Sequence[Mapping[str, Any]], status: int = 200) -> None:
        self.calls: list[Call] = []
        self._status = status
        self._pages: Iterator[tuple[int, Sequence[Mapping[str, Any]]]] = iter(enumerate(pages))
        self._last = {len(pages) - 1}

    def ends_after(self, number: int) -> None:
        """Make the page with this number the last of its list; another list follows."""
        self._last.add(number)

    def send(self, call: Call) -> Reply:
        self.calls.append(call)
        number, items = next(self._pages, (max(self._last), ()))
        body = json.dumps({"items": items, "itemsPerPage": len(items)}).encode()
        is_last = number in self._last
        link = {} if is_last else {"link": f'<{BASE}/list?cursor={number}>; rel="next"'}
        return Reply(self._status, link, body, f"{BASE}/list?page={number}")


def no_sleep(seconds: float) -> None:
    raise AssertionError(f"nothing is to wait {seconds} s for")


AROUND = FetchContext(lambda: T0, no_sleep, pool=1, go_on="Run it again.")


USUAL = Context()


def query_of(
    kind: Export,
    *,
    seller: str = "12",
    channel: str = "PRIMARY",
    language: Language = "en",
    context: Context = USUAL,
    **filters: Any,
) -> Query:
    """The query of a kind with these filters, which have `_` for `-` in their names."""
    left = {name.strip("_").replace("_", "-"): value for name, value in filters.items()}
    values = {}
    for entry in kind.filters:
        usual = () if entry.is_list else entry.default and entry.read(entry.default)
        values[entry.name] = left.pop(entry.name, usual)
    assert not left
    return Query(seller, channel, language, context, values=values)


def exported(
    kind: Export,
    target: Path,
    *pages: Sequence[Mapping[str, Any]],
    service: Sender | None = None,
    **filters: Any,
) -> Exported:
    """Export these pages, or the answers of a service, into a file."""
    query = query_of(kind, **filters)
    query = replace(query, is_csv=target.suffix == ".csv")
    return export(kind, query, target, service or Answers(*pages), AROUND, service=BASE)
