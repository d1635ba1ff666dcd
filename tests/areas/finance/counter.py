"""The sandbox as a service that exports are brought from, in the same process."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from openpyxl import load_workbook

from feedtool.feeds.export import Export
from feedtool.ledger import Ledger
from feedtool.ledger.journal import Journals
from feedtool.model.call import Call, Reply
from feedtool.model.settings import AccountSettings, Context
from feedtool.report.file import Exported
from feedtool.runs.export import export
from tests.answers import AROUND, BASE, T0, query_of
from tests.cli.conftest import rows_in
from tests.sandbox.desk import Desk

MONTH = "2026-11"


class AtDesk:
    """Sends calls to the sandbox of a desk."""

    def __init__(self, desk: Desk) -> None:
        desk.now = T0
        self.desk = desk
        self.asked: list[str] = []

    def send(self, call: Call) -> Reply:
        """The sandbox's answer; into a file where one is named."""
        self.asked.append(call.target)
        query = "&".join(f"{name}={value}" for name, value in call.query)
        query = query.replace("+", "%2B")
        headers = dict(call.headers)
        answer = self.desk.ask(call.method, call.target, query=query, headers=headers)
        body = answer.body
        if call.into and answer.status in call.success:
            call.into.write_bytes(body)
            body = b""
        named = {name.lower(): value for name, value in answer.headers.items()}
        return Reply(answer.status, named, body, f"{BASE}{call.target}")


def brought(
    kind: Export,
    service: Any,
    target: Path,
    *,
    ledger: Ledger | None = None,
    settings: AccountSettings | None = None,
    language: Any = "en",
    **filters: Any,
) -> Exported:
    """The result of an export, with filters as typed."""
    read = {entry.name: entry.read for entry in kind.filters}
    given = {
        name: read[name.replace("_", "-")](value) if isinstance(value, str) else value
        for name, value in filters.items()
    }
    context = Context(settings or AccountSettings())
    query = query_of(kind, context=context, language=language, **given)
    book = Journals(ledger.engine, BASE, "S1").book if ledger else query.book
    query = replace(query, is_csv=target.suffix == ".csv", book=book)
    return export(kind, query, target, service, AROUND, service=BASE)


def sheets(path: Path) -> Mapping[str, list[dict[str, Any]]]:
    """The rows of every sheet of a workbook, by their keys."""
    return {sheet.title: rows_in(sheet) for sheet in load_workbook(path)}


def losses(exported: Exported) -> list[str]:
    """The notes about amounts that are not proved."""
    return [str(text) for text, _, is_loss in exported.notes if is_loss]
