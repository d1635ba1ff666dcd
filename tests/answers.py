"""A service that answers every call in turn, from documents."""

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
from feedtool.report.output_files import Exported
from feedtool.runs.export import export
from feedtool.service.fetch import FetchContext

BASE = "https://service.example/v2"
T0 = datetime(2026, 11, 20, 8, tzinfo=UTC)


def reply(document: Any = None, **headers: str) -> Reply:
    """An answer that holds a document, or these bytes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Reply(200, named, b"" if document is None else body, f"{BASE}/x")


class Answers:
    """Pages of items, each with a link to the next; and then empty ones."""

    def __init__(self, *pages: Sequence[Mapping[str, Any]], status: int = 200) -> None:
        self.calls: list[Call] = []
        self._status = status
        self._pages: Iterator[tuple[int, Sequence[Mapping[str, Any]]]] = iter(enumerate(pages))
        self._last = {len(pages) - 1}

    def ends_after(self, number: int) -> None:
        """Another list begins after this page."""
        self._last.add(number)

    def send(self, call: Call) -> Reply:
        """The next page."""
        self.calls.append(call)
        number, items = next(self._pages, (max(self._last), ()))
        body = json.dumps({"items": items, "itemsPerPage": len(items)}).encode()
        is_last = number in self._last
        link = {} if is_last else {"link": f'<{BASE}/list?cursor={number}>; rel="next"'}
        return Reply(self._status, link, body, f"{BASE}/list?page={number}")


def no_sleep(seconds: float) -> None:
    """No test waits."""
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
    """What is asked for where these filters were given, with `_` for `-` in their names."""
    given = {name.strip("_").replace("_", "-"): value for name, value in filters.items()}
    values = {}
    for one in kind.filters:
        usual = () if one.is_list else one.default and one.read(one.default)
        values[one.name] = given.pop(one.name, usual)
    assert not given
    return Query(seller, channel, language, context, values=values)


def exported(
    kind: Export,
    target: Path,
    *pages: Sequence[Mapping[str, Any]],
    service: Sender | None = None,
    **asked: Any,
) -> Exported:
    """What comes of an export of some pages, or of what a service answers."""
    query = query_of(kind, **asked)
    query = replace(query, is_csv=target.suffix == ".csv")
    return export(kind, query, target, service or Answers(*pages), AROUND, service=BASE)
