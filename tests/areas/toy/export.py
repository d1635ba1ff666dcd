"""`feedtool export toy-parcels`: what was sent, as rows of the same sheet."""

from collections.abc import Callable

from feedtool.feeds.export import (
    Export,
    ExportSummary,
    FilledTemplate,
    Filter,
    ListPage,
    Query,
    ServiceList,
)
from feedtool.model.call import Call, Reply
from feedtool.model.errors import NothingToDo
from tests.areas.toy.feeds import FEED
from tests.areas.toy.wire import parcels, read_parcels


def page(_: Query) -> Callable[[Reply, Call], ListPage]:
    """Reads a page: a row for each toy."""

    def read(reply: Reply, _: Call) -> ListPage:
        rows = [
            (None, {"order": parcel["order"], "channels": parcel["channel"], **toy})
            for parcel in parcels(reply)
            for toy in parcel["toys"]
        ]
        return ListPage(rows)

    return read


EXPORT = Export(
    "toy-parcels",
    "Bring the parcels into a workbook.",
    lambda _: (
        ServiceList(
            "parcels",
            lambda query, _: [read_parcels(query["order"] or "")],
            page,
            lambda *_: NothingToDo("there are no parcels", "send some"),
            "look at --order",
        ),
    ),
    lambda query, *_: FilledTemplate(FEED, query.context, query.language),
    lambda *_: ExportSummary(()),
    (Filter("order", "NUMBER", "Of this order alone."),),
)
