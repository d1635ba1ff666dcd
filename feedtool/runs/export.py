"""Export lists of the service: read them to their end, and write a workbook or a CSV."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from feedtool.feeds.export import (
    LACK,
    PROBLEM,
    Export,
    ExportNote,
    ExportTally,
    ExtraSheets,
    FilledTemplate,
    ListedItem,
    ListPage,
    OutputRow,
    PlainTable,
    Query,
    ServiceList,
)
from feedtool.feeds.template import KEY_ROW, Basis, Contents, Limit
from feedtool.ledger.journal import Journals
from feedtool.model.call import Call, Reply, Sender
from feedtool.model.disk_list import Spool
from feedtool.model.errors import (
    Interrupted,
    NotAuthorised,
    NothingToDo,
    UsageProblem,
)
from feedtool.model.text import Translator, plural, tr
from feedtool.report.file import Exported
from feedtool.runs.documents import bring_documents
from feedtool.runs.workspace import Session, Workspace
from feedtool.service.fetch import FetchContext, Next, read_list
from feedtool.templates.contents import contents_of
from feedtool.templates.rows import RowBuffer, SheetRows, TableRows, write

LACKING = "lacking"
"""Marks the reason in the tally why the service does not give a list."""
STAMP = "exported"
"""The name of the stamp for the time of the export."""

Progress = Callable[[str, int], None]
"""Gets the number of items so far, in words and as a number."""

Pick = Callable[[Sequence[ListedItem], Reply], Iterable[ListedItem]]
"""The things of an answer as they are to be kept: without rows where they are not."""


def export(
    kind: Export,
    query: Query,
    target: Path,
    client: Sender,
    context: FetchContext,
    *,
    service: str,
    on_progress: Progress = lambda _text, _count: None,
    observed: Spool[Any] | None = None,
    pick: Pick | None = None,
    on_whole: Callable[[Path], None] = lambda _: None,
) -> Exported:
    """Export the lists of a kind into a file; NothingToDo if they are empty.

    `service` is the base address, named in the workbook; `observed` takes what the ledger is to
    remember; `pick` decides about the items of the last list; `on_whole` is called with the
    finished file, before it takes its place.
    """
    kind.check(query)
    query = replace(query, now=context.now())
    moment, tally = context.wall(), Counter[tuple[str, str]]()
    with ExitStack() as stack:
        rows = stack.enter_context(RowBuffer(context.stopping))
        listings, lists = kind.listings(query), list[RowBuffer]()
        for listing in listings:
            before, rows = rows, RowBuffer(context.stopping, listing.position)
            lists.append(stack.enter_context(rows))
            chosen = pick if listing is listings[-1] else None
            take = _page_reader(listing, query, rows, tally, on_progress, observed, chosen)
            calls = listing.first(query, before)
            with _lacking_allowed(listing, rows, tally):
                for call in calls:
                    read_list(listing.name, call, take, client, context, listing.hint)
            tally[listing.name, ""] = len(rows)
            if not len(rows) and not listing.may_be_empty:
                raise listing.nothing(query, tally)
        if kind.rows:
            made = kind.rows(query, lists, tally)
            rows = _filled(stack.enter_context(RowBuffer(context.stopping)), made, tally)
        if kind.documents:
            listed = bring_documents(kind.documents, query, rows, target, client, context)
            brought = (OutputRow(row, {(PROBLEM, ""): PROBLEM in row}) for row in listed)
            rows = _filled(stack.enter_context(RowBuffer(context.stopping)), brought, tally)
        sheet = kind.sheet(query, rows, tally)
        if isinstance(sheet, FilledTemplate):
            contents: Contents | PlainTable = _contents(sheet, query, rows, service, moment)
            name, is_private = sheet.feed.kind, sheet.feed.requests.is_personal
        else:
            contents = sheet._replace(export=kind.kind)
            name, is_private = kind.kind, sheet.is_personal
        sheets = [SheetRows(contents, rows)]
        if kind.extra_sheets:
            sheets += _further(kind.extra_sheets(query, lists, rows), tally)
        limits = query.settings.reading
        names = write(target, sheets, limits, is_private=is_private, on_whole=on_whole)
        count = len(rows)
    notes, skipped = kind.summary(query, tally)
    sheet_name, header = (names[0], KEY_ROW) if names else (None, 1)
    return Exported(target, name, sheet_name, header, count, skipped, [*notes, *_lacking(tally)])


@contextmanager
def _lacking_allowed(listing: ServiceList, rows: RowBuffer, tally: ExportTally) -> Iterator[None]:
    """If the export may lack a list, let a failure of its reading leave only LACK."""
    try:
        yield
    except (UsageProblem, Interrupted, NotAuthorised) as error:
        if not listing.may_lack:
            raise
        tally[LACKING, error.message] = 1
        rows.clear()
        rows.put(None, {LACK: "true"})


def _further(further: ExtraSheets, tally: ExportTally) -> Iterator[SheetRows]:
    tally.update(further.tally)
    return (SheetRows(table, TableRows(made)) for table, made in further.tables)


def _filled(rows: RowBuffer, made: Iterable[OutputRow], tally: ExportTally) -> RowBuffer:
    for row in made:
        tally.update(row.tally)
        if row.row is not None:
            rows.put(None, row.row)
    return rows


def _lacking(tally: ExportTally) -> Iterator[ExportNote]:
    if count := tally[PROBLEM, ""]:
        text = plural("{count:,} file is not there", "{count:,} files are not there", count)
        yield ExportNote(text, tr("the column {column} says why", column=PROBLEM), is_loss=True)
    for sort, reason in tally:
        if sort == LACKING:
            yield ExportNote(reason, tr("the file was written without them"))


def _contents(
    sheet: FilledTemplate, query: Query, rows: RowBuffer, service: str, moment: datetime
) -> Contents:
    """Return the contents of the template, with the columns to show, and the origin."""
    feed, language = sheet.feed, sheet.language
    keys = frozenset(rows.columns) - feed.sheet.folded
    contents = contents_of(feed, Basis(language, sheet.context, sheet.categories, keys))
    _ = Translator(language).message
    origin = _("From {service} on {at}.")
    if feed.sheet.has_channel:
        origin = _("From {service}, sales channel {channel}, on {at}.")
    when = f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    origin = origin.format(service=service, channel=query.channel, at=when)
    offered = Limit("list", is_strict=False)  # other values are allowed, too
    fields = (
        replace(field, entry=replace(field.entry, limit=offered, choices=tuple(choices)))
        if (choices := sheet.choices.get(field.key))
        else field
        for field in contents.fields
    )
    fact = _("Exported"), "\n".join((origin, *sheet.facts))
    return replace(
        contents,
        fields=(*fields, *sheet.extra_columns),
        guide=replace(contents.guide, facts=(fact, *contents.guide.facts)),
        stamps={
            **contents.stamps,
            **sheet.stamps,
            STAMP: (moment.astimezone(UTC).isoformat(timespec="seconds"),),
        },
    )


def _page_reader(
    listing: ServiceList,
    query: Query,
    rows: RowBuffer,
    tally: ExportTally,
    on_progress: Progress,
    observed: Spool[Any] | None,
    pick: Pick | None,
) -> Callable[[Reply, Call], Next | None]:
    """Return a reader that keeps the pages of a listing, and names the next one."""
    read, count = listing.page(query), 0
    last: tuple[bytes, ListPage] | None = None

    def take(reply: Reply, call: Call) -> Next | None:
        nonlocal count, last
        page = read(reply, call)
        # A service without paging gives the same page for each number.
        is_same = last and (reply.body == last[0] or (page.rows and page.rows == last[1].rows))
        if page.is_guess and is_same:
            return None
        last = reply.body, page
        tally.update(page.tally)
        for key, row in page.rows:
            rows.put(key, row)
        for thing in pick(page.things, reply) if pick else page.things:
            rows.put_thing(thing)
        if observed is not None:
            for offer in page.observed:
                observed.append(offer)
        count += page.progress
        if listing.unit:
            on_progress(tr("{count:,} {things}", count=count, things=listing.unit), count)
        return Next(page.next, page.is_guess, page.is_again) if page.next else None

    return take


def with_ledger(query: Query, session: Session, workspace: Workspace | None) -> Query:
    """Return the query with access to the ledger: statuses that were sent, and bookings."""
    if workspace is None:
        return query
    ask = partial(workspace.ledger.last_status, session.address, session.seller)
    journals = Journals(workspace.ledger.engine, session.address, session.seller)
    return replace(query, last_status=ask, book=journals.book)


@contextmanager
def remember_export(
    kind: Export,
    query: Query,
    session: Session,
    workspace: Workspace | None,
    warn: Callable[[str, str], None],
) -> Iterator[Spool[Any] | None]:
    """Yield a spool for what the ledger is to remember, and write it down at the end.

    It yields None without a workspace or memory. `warn` gets a label, and the reason if nothing is
    remembered.
    """
    memory = kind.memory
    if memory is None or workspace is None:
        yield None
        return
    account = (workspace.ledger.engine, session.address, session.seller)
    before, begun = memory.begin(*account), session.now()
    observed: Spool[Any] = Spool(memory.entry)
    nothing: NothingToDo | None = None
    try:
        yield observed
    except NothingToDo as error:  # that there is nothing is worth knowing, too
        nothing = error
    try:
        is_remembered = memory.write(
            *account,
            query.channel,
            observed,
            between=(begun, session.now()),
            is_all=not any(query[entry.name] for entry in kind.filters if entry.narrows),
            projected=before,
        )
    except Interrupted as error:
        warn(
            "warning",
            tr("the exported offers are not remembered: {message}", message=error.message),
        )
    else:
        if not is_remembered:
            warn(
                "note",
                tr("the exported offers are not remembered, since offers were sent meanwhile"),
            )
    if nothing:
        raise nothing
