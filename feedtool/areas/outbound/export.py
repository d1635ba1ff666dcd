"""`feedtool export outbound-shipments` and `returns`: what left the warehouses, what came back."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC
from functools import partial
from hashlib import sha256
from typing import TypeVar

import orjson

from feedtool.areas.outbound import columns, returns, shipments, wire
from feedtool.areas.outbound.feeds import CREATE, RETURNS
from feedtool.areas.outbound.rows import return_rows, shipment_rows
from feedtool.areas.outbound.wire import OutboundShipment, ParcelReturn
from feedtool.areas.plain_list import DATE
from feedtool.feeds.export import (
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
    Query,
    ServiceList,
    Thing,
)
from feedtool.feeds.feed import Feed
from feedtool.feeds.template import TEXT, CellEntry, Field
from feedtool.model.call import Call, Reply
from feedtool.model.errors import NothingToDo
from feedtool.model.header import Column
from feedtool.model.nouns import EARLIEST
from feedtool.model.text import LANGUAGES, plural, tr
from feedtool.service.answers import moment, next_call

Parcel = TypeVar("Parcel", OutboundShipment, ParcelReturn)
Pairs = Iterator[tuple[str, str]]
COUNTED, LISTED = "counted", "listed"
HINT = tr("look at the filters; nothing was written")


def _since(query: Query) -> Pairs:
    if query.since:
        at = query.since.astimezone(UTC).isoformat().replace("+00:00", "Z")
        yield "updatedAtMin", at


def _narrowed(query: Query, filters: dict[str, str], changing: frozenset[str]) -> Pairs:
    """The filters by the service's names; with a cursor those are left out that can change."""
    for option, name in filters.items():
        if query[option] and not (query.has_cursor and option in changing):
            yield name, ",".join(query[option])
    yield from _since(query)


# Lists.


def _count_first(count: Call) -> ServiceList:
    """How many the service counts, so that a list that ends early shows."""

    def read(reply: Reply, _: Call) -> ListPage:
        counted = wire.counted(reply)
        tally = {} if counted is None else {(COUNTED, ""): counted}
        return ListPage([(None, {COUNTED: counted or 0})], tally=tally)

    return ServiceList(
        tr("count"),
        lambda *_: [count],
        lambda _: read,
        _nothing,
        HINT,
    )


def _list(
    name: str,
    first: Callable[[Query], Call],
    read: Callable[[Reply], list[Parcel]],
    rows: Callable[[Query, Parcel], list[KeyedRow]],
) -> ServiceList:
    """A list whose pages lead to each other by Link; each entry is a thing."""

    def page(query: Query, reply: Reply, _: Call) -> ListPage:
        parcels = read(reply)
        things = [
            Thing(
                parcel.id,
                sha256(orjson.dumps(parcel.document, default=str)).hexdigest(),
                moment(parcel.updated_at) or EARLIEST,
                rows(query, parcel),
            )
            for parcel in parcels
        ]
        tally = {(LISTED, ""): len(things)}
        return ListPage(things=things, next=next_call(reply), progress=len(things), tally=tally)

    return ServiceList(
        name,
        lambda query, _: [first(query)],
        lambda query: partial(page, query),
        _nothing,
        HINT,
        unit=name,
    )


def _nothing(query: Query, _: ExportTally) -> NothingToDo:
    if any(query.values.values()):
        return NothingToDo(tr("there is nothing like that"), HINT)
    return NothingToDo(tr("there is nothing yet"), tr("look at --seller; nothing was written"))


def _summary(_: Query, tally: ExportTally) -> ExportSummary:
    """A note where fewer came than the service counts."""
    missing = tally[COUNTED, ""] - tally[LISTED, ""]
    if (COUNTED, "") not in tally or missing <= 0:
        return ExportSummary(())
    text = plural(
        "the service counts {count:,} more than it has listed",
        "the service counts {count:,} more than it has listed",
        missing,
    )
    return ExportSummary([ExportNote(text, tr("run it again in a while"), is_loss=True)])


def _filled(
    feed: Feed, shown: Sequence[Column], query: Query, rows: KeyedRows, _: ExportTally
) -> FilledTemplate:
    filled = [column for column in shown if column.key in rows.columns]
    fields = [_field(column, query) for column in filled]
    return FilledTemplate(feed, query.context, query.language, further=fields)


DATES = frozenset(
    (
        *("createdAt", "updatedAt", "statusUpdatedAt", "receiptDate"),
        "cancellation.timestamp",
    )
)
WHOLES = frozenset(("receiptedQuantity", "unexpectedQuantity"))


def _field(column: Column, query: Query) -> Field:
    at = LANGUAGES.index(query.language)
    number_format = DATE if column.key in DATES else "0" if column.key in WHOLES else TEXT
    group = column.group[at] if column.group else ""
    entry = CellEntry(number_format, 20.0)
    return Field(column.key, column.labels[at], column.help[at], entry, group=group)


# Shipments.

STATUS = Filter("status", "STATUS[,STATUS]", tr("Only those of these statuses."), is_list=True)
SHIPMENT_STATUS = STATUS._replace(choices=shipments.STATUSES)
RETURN_STATUS = STATUS._replace(choices=returns.STATUSES)
STATES = wire.STATES
STATE = Filter(
    "state",
    "STATE",
    tr("Only shipments that are Valid, or Invalid."),
    is_list=True,
    choices=STATES,
)
BY_COUNTRY = Filter(
    "country", "CODE[,CODE]", tr("Only shipments to these countries."), is_list=True
)
BY_REFERENCE = Filter("reference", "TEXT[,TEXT]", tr("Only these references."), is_list=True)
NO_ADDRESSES = Filter(
    "no-addresses",
    "",
    tr("Leave out the names and addresses of customers."),
    is_flag=True,
    narrows=False,
)


def _of_shipments(query: Query) -> Pairs:
    names = {"status": "status", "state": "state", "country": "deliveryCountry"}
    return _narrowed(query, names, frozenset(("status", "state")))


def _shipment_rows(query: Query, shipment: OutboundShipment) -> list[KeyedRow]:
    state = wire.object_of(shipment.document.get("state")).get("value")
    address = wire.object_of(shipment.document.get("deliveryAddress"))
    shown = {
        "status": shipment.status,
        "state": state,
        "country": address.get("countryCode"),
        "reference": shipment.reference,
    }
    if any(query[name] and value not in query[name] for name, value in shown.items()):
        return []
    return [*shipment_rows(shipment, has_addresses=not query["no-addresses"])]


SHIPMENT_LIST = _list(
    tr("shipments"),
    lambda query: wire.read_shipments(_of_shipments(query)),
    wire.shipments_of,
    _shipment_rows,
)
SHIPMENT_EXPORT = Export(
    "outbound-shipments",
    """Export what the warehouses send to customers, into a workbook in which it is cancelled.

    A row for each item, with its parcels. Choose Cancel and a reason, and submit the workbook: rows
    in which nothing is chosen ask for nothing.
    """,
    lambda query: (
        _count_first(wire.count_shipments(query.dialect.outbound, _of_shipments(query))),
        SHIPMENT_LIST,
    ),
    partial(_filled, CREATE, columns.SHOWN_SHIPMENT),
    _summary,
    (SHIPMENT_STATUS, STATE, BY_COUNTRY, BY_REFERENCE, NO_ADDRESSES),
    is_sent_back=True,
    increments=Increments(
        lambda count: plural(
            "{count:,} shipment was missing from earlier exports, and is in this one",
            "{count:,} shipments were missing from earlier exports, and are in this one",
            count,
        )
    ),
)

# Returns.

BY_SHIPMENT = Filter("shipment", "ID[,ID]", tr("Only returns of these shipments."), is_list=True)
KINDS = (CUSTOMER, CARRIER) = wire.KINDS
KIND = Filter(
    "type",
    "TYPE",
    tr("Only what is sent back by: Customer or Carrier."),
    is_list=True,
    choices=KINDS,
)
BY_REASON = Filter("reason", "REASON[,REASON]", tr("Only for these reasons."), is_list=True)
NON_CONFORM = Filter(
    "non-conform",
    "",
    tr("Only what the warehouse has found otherwise than it was announced."),
    is_flag=True,
)
OF_RETURNS = (RETURN_STATUS, KIND, BY_REASON, BY_SHIPMENT, BY_REFERENCE)


def of_returns(query: Query) -> Pairs:
    """What the service is asked to leave out."""
    names = {
        "status": "status",
        "type": "types",
        "reason": "reasons",
        "shipment": "outboundShipmentId",
        "reference": "reference",
    }
    return _narrowed(query, names, frozenset(("status",)))


def is_chosen(query: Query, parcel: ParcelReturn) -> bool:
    """True if a return is asked for."""
    shown = {
        "status": parcel.status,
        "type": parcel.kind,
        "reason": parcel.document.get("reason"),
        "shipment": parcel.shipment,
        "reference": parcel.reference,
    }
    return not any(query[name] and value not in query[name] for name, value in shown.items())


def _return_rows(query: Query, parcel: ParcelReturn) -> list[KeyedRow]:
    is_wanted = is_chosen(query, parcel) and not (query["non-conform"] and parcel.is_conform)
    return [*return_rows(parcel)] if is_wanted else []


RETURN_EXPORT = Export(
    "returns",
    """Export what customers and carriers send back to the warehouses, into a workbook.

    A row for each product, with what the warehouse has received and found.
    """,
    lambda query: (
        _count_first(wire.count_returns(query.dialect.outbound, of_returns(query))),
        _list(
            tr("returns"),
            lambda query: wire.read_returns(of_returns(query)),
            wire.returns_of,
            _return_rows,
        ),
    ),
    partial(_filled, RETURNS, columns.SHOWN_RETURN),
    _summary,
    (*OF_RETURNS, NON_CONFORM),
    is_sent_back=True,
    increments=Increments(
        lambda count: plural(
            "{count:,} return was missing from earlier exports, and is in this one",
            "{count:,} returns were missing from earlier exports, and are in this one",
            count,
        )
    ),
)
