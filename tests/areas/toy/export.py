"""`feedtool export toy-parcels`: what was sent, as rows of the same sheet."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from feedtool.feeds.export import (
    Export,
    ExportSummary,
    FilledTemplate,
    Filter,
    Increments,
    ListPage,
    Query,
    ServiceList,
    Thing,
)
from feedtool.model.call import Call, Reply
from feedtool.model.errors import NothingToDo
from feedtool.model.text import plural
from tests.areas.toy.feeds import FEED
from tests.areas.toy.wire import parcels, read_parcels


def page(_: Query) -> Callable[[Reply, Call], ListPage]:
    """Reads a page: a row for each toy of a parcel."""

    def read(reply: Reply, _: Call) -> ListPage:
        return ListPage(things=[*map(thing, parcels(reply))])

    return read


def thing(parcel: dict[str, Any]) -> Thing:
    """A parcel, which never changes."""
    of = {"order": parcel["order"], "channels": parcel["channel"]}
    at = datetime.fromisoformat(parcel["sentAt"])
    return Thing(str(parcel["id"]), "", at, [{**of, **toy} for toy in parcel["toys"]])


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
