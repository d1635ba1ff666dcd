"""`feedtool export discussions`, and the lists beside them: messages, files, typologies."""

from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from feedtool.areas.discussions import columns, rules, wire
from feedtool.areas.discussions.acts import attachment_rows, discussion_row, message_rows
from feedtool.areas.discussions.feeds import REPLY
from feedtool.areas.discussions.listing import (
    BY_SALES_CHANNEL,
    FILTERS,
    SINCE,
    check,
    discussion_list,
    waits,
    whole_list,
)
from feedtool.areas.discussions.wire import CLAIM, SELLER, TREATED, Discussion
from feedtool.areas.plain_list import (
    DATE,
    ENABLED,
    RECEIVERS,
    REFUSALS,
    Table,
    Template,
    channel_list,
    channels_in,
    no_loss,
    nothing,
)
from feedtool.feeds.export import (
    DocumentAnswer,
    DocumentCall,
    DocumentFile,
    Documents,
    Export,
    ExportNote,
    ExportSummary,
    ExportTally,
    FilledTemplate,
    Filter,
    Increments,
    KeyedRow,
    KeyedRows,
    ListPage,
    OutputRow,
    Query,
    ServiceList,
)
from feedtool.feeds.feed import CHANNEL
from feedtool.feeds.template import TEXT
from feedtool.model.call import READ, Call, Reply
from feedtool.model.text import plural, tr
from feedtool.service.answers import Unreadable

OF_CHANNELS = tr("look at --sales-channel")
CHANNELS = channel_list(tr("channels"), BY_SALES_CHANNEL, OF_CHANNELS)

# Topics of discussions.

STATUSES = ("Accepted", "InPreparation", "Shipped", "Delivered", "Cancelled", "Undefined")
"""The statuses of orders that typologies have."""
TYPOLOGY_CODES = ("order", "offer")
_CODE, _ENABLED, _RECEIVERS = "typology", "enabled", "receivers"
_WAITING, _CLAIM = "waiting", "claim"


def _typology_rows(reply: Reply, call: Call) -> ListPage:
    query = dict(call.query)
    place = {CHANNEL: query["salesChannel"], "orderStatus": query["orderStatus"]}
    rows = [
        (
            None,
            {
                **place,
                "typologyCode": entry.typology or query["typologyCode"],
                columns.SUBTYPOLOGY: entry.code,
                "userType": entry.user or None,
                "state": str(entry.is_usable).lower(),
            },
        )
        for entry in wire.typologies_of(reply)
    ]
    return ListPage(rows, progress=len(rows))


TYPOLOGY_TABLE = {
    CHANNEL: (tr("Sales channel"), TEXT),
    "orderStatus": (tr("Order status"), TEXT),
    "typologyCode": (tr("Typology"), TEXT),
    columns.SUBTYPOLOGY: (tr("Subtypology"), TEXT),
    "userType": (tr("For"), TEXT),
    "state": (tr("Usable"), TEXT),
}
TYPOLOGY_EXPORT = Export(
    "typologies",
    """Export what discussions may be about, into a table.

    A row for each channel, status of orders, subtypology and user. Those that are usable can be
    opened.
    """,
    lambda _: (
        CHANNELS,
        ServiceList(
            tr("typologies"),
            lambda _, channels: [
                wire.read_typologies(channel, status, typology)
                for channel in channels_in(channels)
                for status in STATUSES
                for typology in TYPOLOGY_CODES
            ],
            lambda _: _typology_rows,
            nothing(tr("the service names no typologies"), OF_CHANNELS),
            OF_CHANNELS,
            unit=tr("typologies"),
        ),
    ),
    Table(tr("Typologies"), TYPOLOGY_TABLE).sheet,
    no_loss,
    (BY_SALES_CHANNEL,),
)


def _usable_list() -> ServiceList:
    """The list of topics that a seller may open; its rows are the channels of the list before."""
    known: dict[str, KeyedRow] = {}

    def first(_: Query, channels: KeyedRows) -> Iterator[Call]:
        known.update((str(row[CHANNEL]), row) for row in channels)
        open_channels = [name for name, row in known.items() if row.get(ENABLED) != "false"]
        for channel in open_channels or list(known)[:1]:
            for status in STATUSES:
                for typology in TYPOLOGY_CODES:
                    call = wire.read_typologies(channel, status, typology, user=SELLER)
                    yield replace(call, success=READ | REFUSALS)

    def read(reply: Reply, call: Call) -> ListPage:
        channel = dict(call.query)["salesChannel"]
        entries = wire.typologies_of(reply)
        codes = ((_CODE, f"{channel}={entry.code}") for entry in entries if entry.is_usable)
        who = ((_RECEIVERS, f"{name}={row.get(RECEIVERS, '')}") for name, row in known.items())
        enabled = ((_ENABLED, f"{name}={row.get(ENABLED, '')}") for name, row in known.items())
        return ListPage(list(known.items()), tally=Counter((*codes, *who, *enabled)))

    gone = nothing(tr("the service names no channels"), OF_CHANNELS)
    return ServiceList(tr("typologies"), first, lambda _: read, gone, OF_CHANNELS)


# The sheet of discussions.

MESSAGES = Filter(
    "messages",
    "",
    tr("Bring whole conversations: one call for each discussion."),
    is_flag=True,
    narrows=False,
)


def _listings(query: Query) -> Sequence[ServiceList]:
    lists = (CHANNELS, _usable_list(), discussion_list())
    if not query["messages"]:
        return lists
    return *lists, whole_list(lambda whole, now: [discussion_row(whole, now, is_whole=True)])


def _named(tally: ExportTally, sort: str) -> tuple[str, ...]:
    return tuple(sorted(name.replace(", ", "|") for of, name in tally if of == sort))


SHEET = Template(
    REPLY,
    columns.STATE_COLUMNS,
    {**dict.fromkeys((columns.LAST_AT, "createdAt", "updatedAt"), DATE), columns.WAITING: "0"},
    folded=columns.FOLDED,
)


def _sheet(query: Query, rows: KeyedRows, tally: ExportTally) -> FilledTemplate:
    codes = _named(tally, _CODE)
    stamps = {rules.TYPOLOGIES: codes, rules.ENABLED: _named(tally, _ENABLED)}
    stamps[rules.RECEIVERS] = _named(tally, _RECEIVERS)
    return SHEET.sheet(query, rows, tally)._replace(
        choices={columns.SUBTYPOLOGY: sorted({code.partition("=")[2] for code in codes})},
        stamps={name.removeprefix("feedtool."): values for name, values in stamps.items()},
    )


def _counted(_: Query, lists: Sequence[KeyedRows], __: ExportTally) -> Iterator[OutputRow]:
    """Count the rows that wait for an answer."""
    for row in lists[-1]:
        is_open = row.get(columns.IS_OPEN) == "true"
        is_waiting = is_open and row.get(columns.PROCESS_STATUS) != TREATED
        is_claim = is_waiting and row.get(columns.GRADUATION) == CLAIM
        yield OutputRow(row, {(_WAITING, ""): is_waiting, (_CLAIM, ""): is_claim})


def _summary(_: Query, tally: ExportTally) -> ExportSummary:
    """Count the discussions that wait for the seller."""
    waiting, claims = tally[_WAITING, ""], tally[_CLAIM, ""]
    texts = []
    if waiting:
        texts.append(
            plural(
                "{count:,} discussion waits for an answer",
                "{count:,} discussions wait for an answer",
                waiting,
            )
        )
    if claims:
        texts.append(plural("{count:,} of them is a claim", "{count:,} of them are claims", claims))
    return ExportSummary([ExportNote(text) for text in texts])


DISCUSSIONS = Export(
    "discussions",
    """Export discussions into a workbook in which they are answered, closed, opened.

    A row for each. Write a reply, or choose a saved one, and submit the workbook: rows in which
    nothing is filled ask for nothing. Without --since, those of the last six months come.
    """,
    _listings,
    _sheet,
    _summary,
    (*FILTERS, MESSAGES),
    check,
    rows=_counted,
    is_sent_back=True,
    increments=Increments(
        lambda count: plural(
            "{count:,} discussion was missing from earlier exports, and is in this one",
            "{count:,} discussions were missing from earlier exports, and are in this one",
            count,
        )
    ),
    waits=waits,
)


# Messages and files.


def _of_each(
    rows: Callable[[Discussion], Iterable[KeyedRow]],
) -> Callable[[Query], Sequence[ServiceList]]:
    """The lists of an export of what whole discussions hold."""
    return lambda _: (
        CHANNELS,
        discussion_list(),
        whole_list(lambda discussion, _: list(rows(discussion))),
    )


_COMMON = {
    columns.DISCUSSION: (tr("Discussion"), TEXT),
    columns.ORDER: (tr("Order"), TEXT),
    CHANNEL: (tr("Sales channel"), TEXT),
    "messageId": (tr("Message"), TEXT),
    "at": (tr("Written"), DATE),
    "from": (tr("From"), TEXT),
}
MESSAGE_TABLE = {
    **_COMMON,
    "to": (tr("To"), TEXT),
    "hasRead": (tr("Read"), TEXT),
    "body": (tr("Text"), TEXT),
    "attachments": (tr("Files"), TEXT),
}
MESSAGE_EXPORT = Export(
    "messages",
    """Export the messages of discussions into a table, a row for each.""",
    _of_each(message_rows),
    Table(tr("Messages"), MESSAGE_TABLE, is_personal=True).sheet,
    no_loss,
    (*FILTERS, SINCE),
    check,
)

FILE_TABLE = {
    **_COMMON,
    "attachmentId": (tr("Attachment"), TEXT),
    "name": (tr("Name"), TEXT),
    "fileFormat": (tr("Format"), TEXT),
}


_PLACE = (columns.DISCUSSION, "messageId", "attachmentId")


def _file_key(row: KeyedRow) -> str:
    """The key of a file: its place and name; attachments of two discussions may share an id."""
    return "\n".join(str(row.get(name) or "") for name in (*_PLACE, "name"))


def _file_calls(_: Query, rows: KeyedRows) -> Iterator[DocumentCall]:
    for row in rows:
        place = {name: str(row[name]) for name in _PLACE if row.get(name)}
        call = wire.read_attachments(str(row.get(CHANNEL) or ""), **place)
        yield DocumentCall(call, (_file_key(row),))


def _files(request: DocumentCall, reply: Reply, body: Path) -> DocumentAnswer:
    """The file of an attachment, in the folder of its discussion."""
    (key,) = request.keys
    discussion, message, name, label = key.split("\n")
    files = wire.files_of(replace(reply, body=body.read_bytes()))
    matches = [file for file in files if (file.id in {name, ""} if name else file.name == label)]
    if len(matches) != 1:
        return DocumentAnswer(missing={key: tr("the service has no such file, or several")})
    try:
        content = b64decode(matches[0].content, validate=True)
    except ValueError as error:
        raise Unreadable(tr("the answer holds no file")) from error
    path = "-".join(filter(None, (message, matches[0].name or label or name)))
    return DocumentAnswer([DocumentFile(key, f"{discussion}/{path}", content)])


ATTACHMENT_EXPORT = Export(
    "attachments",
    """Export the files of discussions into a folder, with a list of them.""",
    _of_each(attachment_rows),
    Table(tr("Attachments"), FILE_TABLE, is_personal=True).sheet,
    no_loss,
    (*FILTERS, SINCE),
    check,
    documents=Documents(_file_key, _file_calls, _files),
)

EXPORTS = (DISCUSSIONS, MESSAGE_EXPORT, TYPOLOGY_EXPORT, ATTACHMENT_EXPORT)
