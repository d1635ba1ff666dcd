"""`feedtool export`: a kind's lists are read to their end, and written as a workbook or a CSV."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from feedtool.feeds.export import (
    Export,
    ExportTally,
    FilledTemplate,
    ListPage,
    PlainTable,
    Query,
    ServiceList,
)
from feedtool.feeds.template import Basis, Contents
from feedtool.model.call import Call, Reply, Sender
from feedtool.model.errors import Interrupted, NothingToDo
from feedtool.model.spool import Spool
from feedtool.model.translation import translation
from feedtool.report.export import Exported
from feedtool.runs.row_buffer import RowBuffer
from feedtool.runs.session import Session
from feedtool.runs.workspace import Workspace
from feedtool.service.fetch import FetchContext, Next, read_list
from feedtool.templates.contents import SPLITTING, contents_of
from feedtool.templates.rows import SheetRows, unfolded, write

STAMP = "exported"
"""The name of the stamp that says when."""

Progress = Callable[[str, int], None]
"""Is told how many have come, in words and as a number."""


def export(
    kind: Export,
    query: Query,
    target: Path,
    client: Sender,
    around: FetchContext,
    *,
    service: str,
    on_progress: Progress = lambda _text, _count: None,
    observed: Spool[Any] | None = None,
) -> Exported:
    """Brings what the service has into a file.

    Args:
        kind: What is brought.
        query: Which of it, and for whom.
        target: The .xlsx or .csv to write.
        client: A way to the service.
        around: Time, chance, and how far to go.
        service: The base address, told in the workbook.
        on_progress: Is told how many have come.
        observed: Takes what the ledger is to remember.

    Raises:
        NothingToDo: there are none.
        UsageProblem: the service refuses what it was asked for, or the file cannot be written.
        NotAuthorised, Interrupted: what `service.listing.read_list` raises.
    """
    kind.check(query)
    at, tally = around.wall(), Counter[tuple[str, str]]()
    with ExitStack() as opened:
        rows = opened.enter_context(RowBuffer(around.stopping))
        for listing in kind.listings(query):
            before, rows = rows, opened.enter_context(RowBuffer(around.stopping))
            reading = _Reading(listing, query, rows, tally, on_progress, observed)
            for first in listing.first(query, before):
                read_list(listing.name, first, reading.take, client, around, listing.hint)
            tally[listing.name, ""] = len(rows)
            if not len(rows):
                raise listing.nothing(query, tally)
        if kind.rows:
            make = kind.rows(query, tally)
            before, rows = rows, opened.enter_context(RowBuffer(around.stopping))
            for row in before:
                made = make(row)
                tally.update(made.tally)
                if made.row is not None:
                    rows.put(None, made.row)
        sheet = kind.sheet(query, rows, tally)
        contents = (
            sheet if isinstance(sheet, PlainTable) else _contents(sheet, query, rows, service, at)
        )
        written = write(target, [SheetRows(contents, rows)], query.dialect.reading)
    notes, skipped = kind.summary(query, tally)
    name = sheet.feed.kind if isinstance(sheet, FilledTemplate) else kind.kind
    return Exported(target, name, written.sheet, written.header_row, written.rows, skipped, notes)


def _contents(
    sheet: FilledTemplate, query: Query, rows: RowBuffer, service: str, at: datetime
) -> Contents:
    """The template's, with what is but shown, and where it is from."""
    feed, language = sheet.feed, sheet.language
    basis = Basis(language, sheet.context, sheet.categories, frozenset(rows.columns))
    contents = contents_of(feed, basis)
    _ = translation("feedtool.runs", language)
    origin = _("From {service} on {at}.")
    if feed.has_channel:
        origin = _("From {service}, sales channel {channel}, on {at}.")
    when = f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    origin = origin.format(service=service, channel=query.channel, at=when)
    contents = replace(
        contents,
        fields=(*contents.fields, *sheet.further),
        facts=((_("Exported"), "\n".join((origin, *sheet.facts))), *contents.facts),
        stamps={**contents.stamps, STAMP: (at.astimezone(UTC).isoformat(timespec="seconds"),)},
    )
    return unfolded(contents, rows.columns, SPLITTING)


class _Reading:
    """Takes the pages of a listing, one after the other."""

    def __init__(
        self,
        listing: ServiceList,
        query: Query,
        rows: RowBuffer,
        tally: ExportTally,
        on_progress: Progress,
        observed: Spool[Any] | None,
    ) -> None:
        self._unit, self._page = listing.unit, listing.page(query)
        self._rows, self._tally, self._on_progress = rows, tally, on_progress
        self._observed = observed
        self._count = 0
        self._last: tuple[bytes, ListPage] | None = None

    def take(self, reply: Reply, call: Call) -> Next | None:
        """Keep what a page holds."""
        page = self._page(reply, call)
        if page.is_guess and self._is_last(reply, page):
            return None  # whoever does not know of pages gives the same one for each
        self._last = reply.body, page
        self._tally.update(page.tally)
        for key, row in page.rows:
            self._rows.put(key, row)
        if self._observed is not None:
            for offer in page.observed:
                self._observed.append(offer)
        self._count += page.progress
        if self._unit:
            self._on_progress(f"{self._count:,} {self._unit}", self._count)
        return Next(page.next, page.is_guess) if page.next else None

    def _is_last(self, reply: Reply, page: ListPage) -> bool:
        """Whether a page is the one before it once more."""
        if self._last is None:
            return False
        body, last = self._last
        return reply.body == body or (bool(page.rows) and page.rows == last.rows)


@contextmanager
def remembered(
    kind: Export,
    query: Query,
    service: Session,
    books: Workspace | None,
    warn: Callable[[str, str], None],
) -> Iterator[Spool[Any] | None]:
    """Takes what the ledger is to remember, and writes it down at the end, where it is reached.

    Args:
        kind: What is exported.
        query: Which of it.
        service: Where it comes from.
        books: Where runs are recorded; None where nothing is to be remembered.
        warn: Is told how grave it is, and that nothing is remembered.
    """
    memory = kind.memory
    if memory is None or books is None:
        yield None
        return
    whose = (books.ledger.engine, service.address, service.seller)
    before, begun = memory.begin(*whose), service.now()
    observed: Spool[Any] = Spool(memory.entry)
    nothing: NothingToDo | None = None
    try:
        yield observed
    except NothingToDo as error:  # what there is not is worth knowing, too
        nothing = error
    try:
        is_remembered = memory.write(
            *whose,
            query.channel,
            observed,
            between=(begun, service.now()),
            is_all=not any(query[one.name] for one in kind.filters if one.narrows),
            projected=before,
        )
    except Interrupted as error:
        warn("warning", f"what was exported is not remembered: {error.message}")
    else:
        if not is_remembered:
            warn("note", "what was exported is not remembered, since offers were sent meanwhile")
    if nothing:
        raise nothing
