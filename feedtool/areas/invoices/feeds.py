"""Invoices as a sheet: the order of each, and its file (specification, "Order invoices").

A row is one file. Its content is read and judged with the row, and kept with the request, so that
what is sent is what was judged, even if the file changes.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from feedtool.areas.invoices import contents
from feedtool.areas.invoices.contents import FILE, PROBLEMS, DocumentType, content_of, document_of
from feedtool.areas.invoices.wire import DELIVERY, PACKAGE_TYPE
from feedtool.feeds.columns.text import Text
from feedtool.feeds.feed import (
    Enrich,
    Feed,
    Recognition,
    Requests,
    Row,
    SheetColumns,
    SheetDesign,
    TemplatePage,
    Travel,
    always,
)
from feedtool.feeds.occurrences import Occurrences, RowPlace
from feedtool.feeds.rule import Rule
from feedtool.feeds.template import Words
from feedtool.model.nouns import Issue
from feedtool.model.text import tr

INVOICE_TWICE = PROBLEMS.error("invoice-twice")
ORDER_ID_NAME = PROBLEMS.error("order-id-name")

ORDER, DIGEST = "orderId", "sha256"
KIND = "invoices"
NO_ORDER = re.compile(r"[\s()\[\]{}|/\\]")
_NEEDED = (ORDER, FILE)
_WORDS = Words("feedtool.areas.invoices")


class OrderId(Text, frozen=True):
    """The identifier of an order, which a file can be named after."""

    def faults(self, value: str) -> tuple[Issue, ...]:
        """`order-id-name`."""
        if not NO_ORDER.search(value):
            return Text.faults(self, value)
        message = tr("“{value}” cannot be the identifier of an order", value=value)
        return (Issue(ORDER_ID_NAME, message, tr("name the file after its order alone")),)


COLUMNS = _WORDS.group(
    "Identity",
    _WORDS.column(
        ORDER,
        OrderId(),
        "Order",
        "The order that the invoice is of, as the service calls it.",
        "O-10001",
    ),
    _WORDS.column(
        FILE,
        Text(),
        "File",
        "The PDF, or the XML in UBL 2.1, from the folder of this sheet on.",
        "invoices/2026-118.pdf",
    ),
)


class Invoice(NamedTuple):
    """The file of a row, as it was read."""

    content: bytes
    type: DocumentType


def enrich(sheet: SheetColumns) -> Enrich:
    """Reads the file that a row names, and judges it."""
    context, limits = sheet.context, sheet.context.settings.reading

    def read(row: Row) -> tuple[Row, Sequence[Issue]]:
        name = row.values.get(FILE)
        if not name:
            return row, ()
        content = content_of(context.folder / str(name), limits, context.locate)
        if isinstance(content, Issue):
            return row, [content]
        document = document_of(content)
        if isinstance(document, Issue):
            return row, [document]
        values = {**row.values, DIGEST: sha256(content).hexdigest()}
        return row._replace(values=values, details=Invoice(content, document)), ()

    return read


def request(row: Row) -> dict[str, object]:
    """The file as a part of an import, under the name of its order."""
    invoice, order = row.details, row.values[ORDER]
    if not isinstance(invoice, Invoice):
        raise TypeError("a row without a file is no request")
    return {
        ORDER: order,
        "fileName": f"{order}{invoice.type.ending}",
        "mediaType": invoice.type.media_type,
        DIGEST: row.values[DIGEST],
        "content": b64encode(invoice.content).decode(),
    }


class RepeatedOrders(Occurrences):
    def see(self, sheet: int, row: Row) -> None:
        order = row.values.get(ORDER)
        if row.feed is FEED and order is not None:
            self.add(str(order), sheet, row.number)

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """An issue for each file of an order that has several."""
        for index, order, same in self.repeated():
            others = self.others(index, same, names)
            message = tr("{order} has another invoice: {others}", order=order, others=others)
            yield (
                self.place(index),
                Issue(INVOICE_TWICE, message, tr("keep one of them"), ORDER, order),
            )


FEED = Feed(
    kind=KIND,
    area="feedtool.areas.invoices",
    summary=tr("Invoices of orders: a file for each."),
    sheet=SheetDesign(name="Invoices", columns=always(*COLUMNS), has_channel=False),
    recognition=Recognition(
        needs=_NEEDED,
        only_if_asked=True,
        # Lists of attachments have both columns, too, and more.
        unmistakable=lambda sheet: sheet.fields.issuperset(_NEEDED) and not sheet.unknown,
    ),
    requests=Requests(
        make=request,
        reference=ORDER,
        required=_NEEDED,
        identity=(DIGEST,),
        enrich=enrich,
        personal=frozenset(),
    ),
    travel=Travel(package_type=PACKAGE_TYPE, protocol=DELIVERY),
    template=TemplatePage(
        "Send the invoices of orders",
        "Each row sends a file as the invoice of an order. A new invoice of an order replaces the"
        " one before.",
    ),
)


READ = (
    *(contents.FILE_EMPTY, contents.FILE_NOT_FOUND, contents.FILE_SIZE, contents.INVOICE_TYPE),
    *(contents.PDF_ENCRYPTED, ORDER_ID_NAME),
)
RULES = (
    *(Rule(code, kinds=(KIND,)) for code in READ),
    Rule(contents.INVOICE_REPLACES, kinds=(KIND,), is_guard=True),
    Rule(INVOICE_TWICE, survey=RepeatedOrders, kinds=(KIND,)),
)
