"""`feedtool export competing-offers` and `competing-offer-changes`: others' offers as a table.

Specification, part "Legacy offer routes". A row is an offer of another seller; a product without
offers has a row, too. The columns have the service's names below their labels.
"""

from collections import Counter
from collections.abc import Callable

from feedtool.areas.competition.wire import (
    FIELDS,
    competition_page,
    fits,
    read_competing_changes,
    read_competing_offers,
)
from feedtool.areas.offers.wire.offers import offers_page, read_offers
from feedtool.areas.plain_list import no_loss, nothing
from feedtool.feeds.export import (
    BY_CHANNEL,
    Export,
    ExportNote,
    ExportSummary,
    ExportTally,
    Filter,
    KeyedRows,
    ListPage,
    PlainTable,
    Query,
    ServiceList,
)
from feedtool.feeds.template import CellEntry, Field
from feedtool.model.call import READ, Call, Reply, comma_lists
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.text import Translator, plural, tr

CLOSED = (
    tr("This account has no access to competing offers"),
    tr(
        "It is given by special request alone: ask the channel's operator to open the two"
        " competing-offer routes for it."
    ),
)
"""The meaning of a 403 here."""

HINT = tr("look at --product, and whether the service has the legacy offer routes")

PRODUCT, ANSWERED = "product", "answered"


def check(query: Query) -> None:
    """Refuse products that cannot be asked for."""
    if unfit := [product for product in query[PRODUCT] if not fits(product)]:
        raise UsageProblem(
            tr("“{product}” is neither an EAN nor a product_id", product=unfit[0]),
            tr("give --product EAN,EAN"),
        )


def _own_page(reply: Reply, _: Call) -> ListPage:
    """The products of the seller's offers, to be listed once each."""
    page = offers_page(reply)
    gtins = [offer.gtin for offer in page.items if offer.gtin and fits(offer.gtin)]
    rows = [(gtin.zfill(14), {PRODUCT: gtin}) for gtin in gtins]
    return ListPage(rows, Call("GET", page.next, READ) if page.next else None)


OWN = ServiceList(
    tr("offers"),
    lambda query, _: [read_offers(query.channel, fields=("product",))],
    lambda _: _own_page,
    lambda query, _: NothingToDo(
        tr(
            "there are no offers with a GTIN on the channel {channel}, so no products to ask for",
            channel=query.channel,
        ),
        tr("name products with --product; nothing was written"),
    ),
    tr("look at --channel; nothing was written"),
)


def _page(reply: Reply, _: Call) -> ListPage:
    count, rows, link = competition_page(reply)
    following = Call("GET", link, READ) if link else None
    tally: ExportTally = Counter({(ANSWERED, ""): count})
    return ListPage([(None, row) for row in rows], following, progress=count, tally=tally)


NONE = tr("the service tells of no competing offers")
COMPETING = ServiceList(
    tr("competing offers"),
    lambda query, offered: map(
        read_competing_offers,
        comma_lists(query[PRODUCT] or (str(row[PRODUCT]) for row in offered)),
    ),
    lambda _: _page,
    nothing(NONE, tr("it knows none of these products")),
    HINT,
    unit=tr("products"),
)
CHANGED = COMPETING._replace(
    name=tr("competing offer changes"),
    first=lambda _, __: [read_competing_changes()],
    nothing=nothing(NONE, tr("nothing has changed")),
)


def _table(title: str) -> Callable[[Query, KeyedRows, ExportTally], PlainTable]:
    def table(query: Query, _: KeyedRows, __: ExportTally) -> PlainTable:
        translate = Translator(query.language).message
        fields = (
            Field(path, translate(label), "", CellEntry(number_format, width))
            for path, (label, _, width, number_format) in FIELDS.items()
        )
        return PlainTable(translate(title), tuple(fields))

    return table


def summary(query: Query, tally: ExportTally) -> ExportSummary:
    """The number of products of which the service knows nothing."""
    requested = len(query[PRODUCT]) or tally[OWN.name, ""]
    unknown = requested - tally[ANSWERED, ""]
    if unknown <= 0:
        return ExportSummary(())
    text = plural(
        "the service knows nothing of {count:,} product",
        "the service knows nothing of {count:,} products",
        unknown,
    )
    return ExportSummary([ExportNote(text)], unknown)


EXPORTS = (
    Export(
        "competing-offers",
        """Export other sellers' offers of the same products into a table.

    A row for each of their offers. Without --product the products are those that the seller offers
    in the channel. The account needs to be opened for that, by special request.
    """,
        lambda query: (COMPETING,) if query[PRODUCT] else (OWN, COMPETING),
        _table(tr("Competing offers")),
        summary,
        (
            Filter(
                PRODUCT,
                "EAN[,EAN]",
                tr("Of these products.  [default: all that the seller offers]"),
                is_list=True,
            ),
            BY_CHANNEL,
        ),
        check,
        forbidden_texts=CLOSED,
    ),
    Export(
        "competing-offer-changes",
        """Export what has changed in other sellers' offers into a table.

    Of the products that the seller offers, in the service's order. The account needs to be opened
    for that, by special request.
    """,
        lambda _: (CHANGED,),
        _table(tr("Competing offer changes")),
        no_loss,
        forbidden_texts=CLOSED,
    ),
)
