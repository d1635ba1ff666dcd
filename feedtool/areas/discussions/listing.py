"""The list of discussions: its filters, and reading its pages to the end.

Specification, "Discussions", rule 6: a search is of six months at most, so that a longer time is
read in windows. A window has no end but a short page, and changes while it is read: `feeds.keyset`
reads it so that no discussion is skipped.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial

from feedtool.areas.discussions import columns, wire
from feedtool.areas.discussions.acts import discussion_row
from feedtool.areas.discussions.wire import CLAIM, SELLER, TO_TREAT, TREATED, Discussion
from feedtool.areas.listing import as_parameter
from feedtool.areas.plain_list import ASKED_AT
from feedtool.feeds import keyset
from feedtool.feeds.export import (
    OF_FILTERS,
    ExportTally,
    Filter,
    KeyedRow,
    KeyedRows,
    ListedItem,
    ListPage,
    Query,
    ServiceList,
    Wait,
)
from feedtool.feeds.export import moment_of as moment_option
from feedtool.model.call import READ, Call, Reply
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.nouns import EARLIEST
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, plural, tr
from feedtool.service.answers import counted, http_date, moment, service_time

WINDOW = timedelta(days=180)
"""The longest period of a call; six months have at least 181 days."""
SORTS = ("asc:updatedAt", "updatedAt", keyset.CREATED)
GRADUATIONS = wire.GRADUATIONS

# Filters.

TO_TREAT_FILTER = Filter(
    "to-treat", "", tr("Only open discussions that wait for your answer."), is_flag=True
)
OPEN = Filter("open", "", tr("Only open discussions."), is_flag=True)
CLOSED = Filter("closed", "", tr("Only closed discussions."), is_flag=True)
GRADUATION = Filter(
    "graduation",
    "WORD",
    tr("Only discussions of this graduation: Discussion, Claim or Level_1."),
    choices=GRADUATIONS,
)
BY_SALES_CHANNEL = Filter(
    "sales-channel", "ID[,ID]", tr("Only these sales channels."), is_list=True
)
BY_ORDER = Filter("order", "ID[,ID]", tr("Only of these orders."), is_list=True)
BY_DISCUSSION = Filter("discussion", "ID[,ID]", tr("Only these discussions."), is_list=True)
ABOUT = Filter("about", "CODE", tr("Only discussions about this subtypology."))
FILTERS = (
    *(TO_TREAT_FILTER, OPEN, CLOSED, GRADUATION, BY_SALES_CHANNEL, BY_ORDER, BY_DISCUSSION),
    ABOUT,
)
SINCE = Filter(
    "since",
    "WHEN",
    tr("Only what was updated then or later; else of the last six months."),
    read=moment_option("--since"),
)
"""For exports without a cursor: those with a cursor have this option already."""


def check(query: Query) -> None:
    if query["open"] and query["closed"]:
        raise UsageProblem(
            tr("--open and --closed do not go together"), tr("leave one of them out")
        )


def _matches(query: Query, discussion: Discussion) -> bool:
    """True if a discussion passes all filters."""
    fields = discussion.document
    is_waiting = discussion.is_open and fields.get("processStatus") != TREATED
    listed = {
        "sales-channel": discussion.channel,
        "order": discussion.order,
        "discussion": discussion.id,
    }
    words = {"graduation": fields.get("graduation"), "about": fields.get("subTypologyCode")}
    flags = {"open": discussion.is_open, "closed": not discussion.is_open, "to-treat": is_waiting}
    return (
        all(not query[name] or value in query[name] for name, value in listed.items())
        and all(not query[name] or value == query[name] for name, value in words.items())
        and all(not query[name] or value for name, value in flags.items())
    )


def _unchanging(query: Query) -> Iterator[tuple[str, str]]:
    """Filters for the service: by members that never change."""
    for name, option in (("salesChannel", "sales-channel"), ("discussionId", "discussion")):
        if query[option] and len(",".join(query[option])) < LONGEST_LIST:
            yield name, ",".join(query[option])
    if len(query["order"]) == 1:
        yield "orderSellerId", query["order"][0]
    if query["about"]:
        yield "subTypologyCode", query["about"]


LONGEST_LIST = 1000
"""The most characters of a comma list in a call; a longer list is compared here only."""


# Windows and pages.


def windows(since: datetime | None, now: datetime | None) -> list[tuple[datetime | None, str]]:
    """Periods to read, oldest first: a beginning, and an end, which the last does not have."""
    if now is None:
        return [(since, "")]
    begin = since or now - WINDOW
    periods = []
    while now - begin > WINDOW:
        periods.append((begin, as_parameter(begin + WINDOW)))
        begin += WINDOW
    return [*periods, (begin, "")]


def _call(query: Query, until: str, page: keyset.PageRequest) -> Call:
    pairs = [("updatedAtMin", as_parameter(page.since))] if page.since else []
    if until:
        pairs.append(("updatedAtMax", until))
    sort = "asc:createdAt" if page.sort == keyset.CREATED else page.sort
    pairs += [("pageIndex", str(page.number)), ("sort", sort), LAST_MESSAGE]
    return wire.read_discussions((*pairs, *_unchanging(query)))


def discussion_list() -> ServiceList:
    """The list of discussions, a row for each; it follows the list of channels."""
    begins: dict[str, datetime | None] = {}

    def first(query: Query, channels: KeyedRows) -> Iterator[Call]:
        asked_at = (http_date(str(row.get(ASKED_AT) or "")) for row in channels)
        since = query.since or query.values.get(SINCE.name)
        for begin, until in windows(since, next(asked_at, None)):
            begins[until] = begin
            yield _call(query, until, keyset.first(begin, SORTS))

    def page(query: Query) -> Callable[[Reply, Call], ListPage]:
        readers: dict[str, Callable[[Reply, Call], ListPage]] = {}

        def read(reply: Reply, call: Call) -> ListPage:
            until = dict(call.query).get("updatedAtMax", "")
            if until not in readers:
                begin = keyset.first(begins[until], SORTS)
                ask, take = partial(_call, query, until), partial(_page, query)
                readers[until] = keyset.page_reader(begin, ask, take, wire.PAGE)
            return readers[until](reply, call)

        return read

    return ServiceList(tr("discussions"), first, page, nothing, OF_FILTERS, unit=tr("discussions"))


def _page(query: Query, reply: Reply) -> ListPage:
    now = service_time(reply)
    things = [
        ListedItem(
            discussion.id,
            discussion.updated_at,
            _at(discussion),
            [discussion_row(discussion, now)] if _matches(query, discussion) else [],
        )
        for discussion in wire.discussions_of(reply)
    ]
    return ListPage(things=things, progress=len(things))


def _at(discussion: Discussion) -> datetime:
    return moment(discussion.updated_at) or EARLIEST


def nothing(query: Query, _: ExportTally) -> NothingToDo:
    """The reason why there are no discussions."""
    if any(query.values.get(option.name) for option in FILTERS):
        return NothingToDo(tr("there are no discussions like that"), OF_FILTERS)
    hint = tr("nobody has written in the last six months; nothing was written")
    return NothingToDo(tr("there are no discussions"), hint)


# All messages of each.


def whole_list(make: Callable[[Discussion, datetime | None], list[KeyedRow]]) -> ServiceList:
    """Each discussion of the list before, with all its messages; `make` returns its rows."""

    def first(_: Query, rows: KeyedRows) -> Iterator[Call]:
        return (wire.read_discussion(str(row[columns.DISCUSSION])) for row in rows)

    def read(reply: Reply, _: Call) -> ListPage:
        discussion = wire.discussion_of(reply) if reply.status in READ else None
        if discussion is None:  # gone since the list was read
            return ListPage()
        thing = ListedItem(
            discussion.id,
            discussion.updated_at,
            _at(discussion),
            make(discussion, service_time(reply)),
        )
        return ListPage(things=[thing], progress=1)

    return ServiceList(
        tr("discussions"), first, lambda _: read, nothing, OF_FILTERS, unit=tr("discussions")
    )


# Lines of `feedtool todo`.

IS_OPEN = ("isOpen", "true")
TO_ANSWER = ("processStatus", TO_TREAT)
OLDEST = ("sort", "asc:updatedAt")
LAST_MESSAGE = ("includeMessages", "LastMessage")


def waits(_: AccountSettings) -> Iterator[Wait]:
    """Discussions to answer, and those of them that have become claims."""
    yield Wait(
        "to-answer",
        tr("To answer"),
        wire.read_count(IS_OPEN, TO_ANSWER),
        counted,
        lambda count: plural("{count:,} discussion", "{count:,} discussions", count),
        ("export", "discussions", "--to-treat"),
        wire.read_discussions((IS_OPEN, TO_ANSWER, OLDEST, LAST_MESSAGE)),
        longest,
    )
    yield Wait(
        "claims",
        tr("Claims"),
        wire.read_count(IS_OPEN, TO_ANSWER, ("graduationCode", CLAIM)),
        counted,
        lambda count: plural("{count:,} claim", "{count:,} claims", count),
        ("export", "discussions", "--to-treat", "--graduation", CLAIM),
    )


def longest(reply: Reply) -> MessageText | str:
    """The time since when a customer has waited for an answer."""
    last = (
        message for discussion in wire.discussions_of(reply) for message in discussion.messages[-1:]
    )
    first = min(
        filter(None, (moment(message.created_at) for message in last if message.sender != SELLER)),
        default=None,
    )
    return tr("waiting since {at} UTC", at=f"{first:%Y-%m-%d %H:%M}") if first else ""
