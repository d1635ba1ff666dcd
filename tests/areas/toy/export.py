"""`feedtool export toy-parcels` and `toy-labels`: what was sent, as rows of the same sheet."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from feedtool.areas.plain_list import Table, no_loss
from feedtool.feeds.export import (
    DocumentAnswer,
    DocumentCall,
    DocumentFile,
    Documents,
    Export,
    ExportSummary,
    FilledTemplate,
    Filter,
    Increments,
    KeyedRows,
    ListedItem,
    ListPage,
    Query,
    ServiceList,
)
from feedtool.model.call import READ, Call, Reply
from feedtool.model.errors import NothingToDo
from feedtool.model.text import plural
from tests.areas.toy.feeds import FEED
from tests.areas.toy.wire import parcels, read_parcels


def page(_: Query) -> Callable[[Reply, Call], ListPage]:
    """Reads a page: a row for each toy of a parcel."""

    def read(reply: Reply, _: Call) -> ListPage:
        return ListPage(things=[*map(thing, parcels(reply))])

    return read


def thing(parcel: dict[str, Any]) -> ListedItem:
    """A parcel, which never changes."""
    of = {"order": parcel["order"], "channels": parcel["channel"]}
    at = datetime.fromisoformat(parcel["sentAt"])
    return ListedItem(str(parcel["id"]), "", at, [{**of, **toy} for toy in parcel["toys"]])


EXPORT = Export(
    "toy-parcels",
    "Bring the parcels into a workbook.",
    lambda _: (
        ServiceList(
            "parcels",
            lambda query, _: [read_parcels(query["order"] or "", since=query.since)],
            page,
            lambda *_: NothingToDo("there are no parcels", "send some"),
            "look at --order",
        ),
    ),
    lambda query, *_: FilledTemplate(FEED, query.context, query.language),
    lambda *_: ExportSummary(()),
    (Filter("order", "NUMBER", "Of this order alone."),),
    increments=Increments(
        lambda count: plural(
            "{count} parcel was missing from earlier exports",
            "{count} parcels were missing from earlier exports",
            count,
        )
    ),
)


def _calls(_: Query, rows: KeyedRows) -> Iterator[DocumentCall]:
    keys = [str(row["id"]) for row in rows]
    return (DocumentCall(Call("GET", f"/parcels/{key}/label", READ), (key,)) for key in keys)


def _label(asked: DocumentCall, _: Reply, body: Path) -> DocumentAnswer:
    (key,) = asked.keys
    return DocumentAnswer([DocumentFile(key, "../label?.txt", body)])


def _ids(reply: Reply, _: Call) -> ListPage:
    return ListPage([(None, {"id": str(parcel["id"])}) for parcel in parcels(reply)])


LABELS = Export(
    "toy-labels",
    "Bring the labels of the parcels into a folder.",
    lambda query: [
        EXPORT.listings(query)[0]._replace(first=lambda *_: [read_parcels()], page=lambda _: _ids)
    ],
    Table("Labels", {}).sheet,
    no_loss,
    documents=Documents(lambda row: str(row["id"]), _calls, _label),
)
