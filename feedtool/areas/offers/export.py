"""`feedtool export offers`: the seller's offers as a sheet, ready to edit and send.

Specification, part "Offers (read)". A row holds the values that can be sent again in the requested
shape. Offers that the seller does not deliver are left out; values that do not fit into cells, and
that an Update would therefore damage, are left empty.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from feedtool.areas.offers import columns
from feedtool.areas.offers.changes.offer_state import ObservedOffer
from feedtool.areas.offers.feeds import DELETE, UPDATE, UPSERT
from feedtool.areas.offers.package_list import EXPORT as PACKAGES
from feedtool.areas.offers.rows import OfferRows, Omission, flatten, observed_by, order_columns
from feedtool.areas.offers.wire.offers import (
    OFFER_FIELDS,
    Offer,
    OfferState,
    offer_items,
    offer_of,
    read_offers,
)
from feedtool.feeds.export import (
    BY_CHANNEL,
    Export,
    ExportMemory,
    ExportNote,
    ExportSummary,
    ExportTally,
    FilledTemplate,
    Filter,
    KeyedRows,
    ListPage,
    Query,
    ServiceList,
    moment_of,
)
from feedtool.feeds.feed import Feed
from feedtool.feeds.template import CellEntry, Field
from feedtool.model.call import READ, Call, Reply, comma_lists
from feedtool.model.cells import Value
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.settings import Context
from feedtool.model.text import FieldName, MessageText, Translator, joined, plural, tr

TEXTS = "feedtool.areas.offers"

SHAPES = {feed.kind: feed for feed in (UPDATE, UPSERT, DELETE)}
"""The kinds of feed of an export, the default first."""

SELLER = "seller"
FEEDBACK = "salesChannelFeedback"
SHOWN_WIDTH = 20

WARNINGS = {
    UPDATE.kind: tr(
        "Stock is what it was then, and may have been sold since: empty the cells that you"
        " do not change, and they stay as they are."
    ),
    UPSERT.kind: tr(
        "The service does not give list prices back: fill them again where there are"
        " any, since offers are replaced as a whole."
    ),
}
"""The warning in a workbook of a shape."""


# Queries.


def _shape(kind: str) -> Feed:
    if kind not in SHAPES:
        raise UsageProblem(
            tr("offers cannot be exported as “{kind}”", kind=kind),
            tr("shapes: {shapes}", shapes=joined(SHAPES)),
        )
    return SHAPES[kind]


FILTERS = (
    Filter(
        "as",
        "KIND",
        tr("The shape: offers-update, offers-upsert or offers-delete."),
        default=UPDATE.kind,
        narrows=False,
        read=_shape,
        choices=tuple(SHAPES),
    ),
    BY_CHANNEL,
    Filter(
        "fields",
        "NAME[,NAME]",
        tr("What else to show: salesChannelFeedback.isOnline, offerState."),
        is_list=True,
        narrows=False,
    ),
    Filter(
        "since",
        "WHEN",
        tr("Only what was updated then or later: 2026-11-20T08:00Z."),
        read=moment_of("--since"),
    ),
    Filter(
        "offer-state",
        "STATE[,STATE]",
        tr("Only active or inactive offers."),
        is_list=True,
        read=str.casefold,
        choices=tuple(map(str, OfferState)),
    ),
    Filter("gtin", "GTIN[,GTIN]", tr("Only offers of these products."), is_list=True),
    Filter("reference", "TEXT[,TEXT]", tr("Only offers of these seller references."), is_list=True),
    Filter("offer-id", "ID[,ID]", tr("Only these offers."), is_list=True),
)


def check(query: Query) -> None:
    """Refuse lists that do not fit into one address."""
    names = ("fields", "gtin", "reference", "offer-id")
    if len(list(comma_lists(value for name in names for value in query[name]))) > 1:
        raise UsageProblem(
            tr("the lists are longer than an address can hold"),
            tr("name fewer, in several exports; without any, all offers are exported"),
        )


def _first(query: Query, _: KeyedRows) -> Iterator[Call]:
    extra = [path for path in query["fields"] if path.partition(".")[0] not in OFFER_FIELDS]
    since = query["since"]
    yield read_offers(
        query.channel,
        query["reference"],
        query["gtin"],
        (*OFFER_FIELDS, *extra),
        offer_ids=query["offer-id"],
        states=query["offer-state"],
        since=f"{since:%Y-%m-%dT%H:%M:%SZ}" if since else None,
    )


# Rows.


def _page(query: Query) -> Callable[[Reply, Call], ListPage]:
    maker = OfferRows(query.settings, None if query.is_csv else query.language)
    observed = observed_by(query.settings)
    feed: Feed = query["as"]

    def page(reply: Reply, _: Call) -> ListPage:
        items, link = offer_items(reply)
        tally: ExportTally = Counter()
        rows: list[tuple[str | None, Mapping[str, Value]]] = []
        offers: list[ObservedOffer] = []
        for item in items:
            offer = offer_of(dict(item))
            if reasons := _left_out(offer):
                tally.update(reasons)
                continue
            row = flatten(item, query["fields"]) | maker.row(offer, query.channel, tally)
            if query.is_csv and feed.recognition.only_if_asked:
                row[columns.ACTION] = str(feed.travel.package_type)
            rows.append((offer.offer_id or offer.reference, row))
            offers.append(observed(offer))
        following = Call("GET", link, READ) if link else None
        return ListPage(rows, following, progress=len(items), tally=tally, observed=offers)

    return page


def _left_out(offer: Offer) -> list[tuple[str, str]]:
    """Return the reasons why an offer is not in the file, or none."""
    if offer.reference is None:
        return [(Omission.REFERENCE, "")]
    modes = offer.supply_modes or frozenset()
    if modes and SELLER not in map(str.casefold, modes):
        return [(Omission.DELIVERY, ""), *((Omission.DELIVERY, mode) for mode in modes)]
    return []


# The file.


def sheet(query: Query, rows: KeyedRows, _: ExportTally) -> FilledTemplate:
    """Return the template with extra columns for values that are only shown."""
    feed: Feed = query["as"]
    settings = feed.sheet.with_retired(query.settings, rows.columns)
    keys = {column.key for column in feed.sheet.columns(settings)}
    paths = order_columns(list(rows.columns), query["fields"])
    translate = Translator(query.language).message
    text = translate("As the service shows it; it is not sent.")
    shown = [
        Field(path, path, text, CellEntry("General", SHOWN_WIDTH))
        for path in paths
        if path not in keys
    ]
    facts = [translate(WARNINGS[feed.kind])] if feed.kind in WARNINGS else []
    return FilledTemplate(
        feed, Context(query.settings), query.language, extra_columns=shown, facts=facts
    )


# Messages.


def nothing(query: Query, tally: ExportTally) -> NothingToDo:
    if count := tally[Omission.DELIVERY, ""]:
        return NothingToDo(
            tr("none of the {count:,} offers is delivered by the seller", count=count),
            tr("the others are the warehouse's; nothing was written"),
        )
    is_narrowed = any(query[option.name] for option in FILTERS if option.narrows)
    if is_narrowed:
        return NothingToDo(
            tr("there are no offers like that on the channel {channel}", channel=query.channel),
            tr("look at the filters, and at --channel; nothing was written"),
        )
    return NothingToDo(
        tr("there are no offers on the channel {channel}", channel=query.channel),
        tr("look at --channel and --seller; nothing was written"),
    )


def summary(query: Query, tally: ExportTally) -> ExportSummary:
    kind = query["as"].kind
    notes = [NOTES[kind]] if kind in NOTES else []
    if count := tally[Omission.DELIVERY, ""]:
        others = _codes(tally, Omission.DELIVERY)
        text = tr("left out: {offers} delivered by {others}", offers=_offers(count), others=others)
        notes.append(ExportNote(text))
    if count := tally[Omission.REFERENCE, ""]:
        notes.append(
            ExportNote(
                tr(
                    "left out: {offers} without a {reference}",
                    offers=_offers(count),
                    reference=FieldName("sellerExternalReference"),
                ),
                tr("nothing can be sent of them"),
                is_loss=True,
            )
        )
    for lack, setting in SETTINGS.items():
        if kind != DELETE.kind and (count := tally[lack, ""]):
            values = {"offers": _offers(count), "lack": LACKS[lack]}
            if codes := _codes(tally, lack):
                text = tr(
                    "{offers} with {lack} that the profile does not know ({codes}): these cells are"
                    " empty, so that nothing is removed",
                    codes=codes,
                    **values,
                )
                hint = tr("list them in the profile's {setting}, and export again", setting=setting)
                notes.append(ExportNote(text, hint))
            else:
                text = tr(
                    "{offers} with {lack} of which a part is missing: these cells are empty, so"
                    " that nothing is removed",
                    **values,
                )
                notes.append(ExportNote(text))
    primary = query.settings.primary_channel
    shows_feedback = any(path.partition(".")[0] == FEEDBACK for path in query["fields"])
    if query.channel != primary and shows_feedback:
        notes.append(
            ExportNote(
                tr(
                    "feedback exists on the primary channel alone ({primary}), so its columns are"
                    " empty",
                    primary=primary,
                ),
                tr("export from that channel, or set primary_channel in the profile"),
            )
        )
    return ExportSummary(notes, tally[Omission.DELIVERY, ""] + tally[Omission.REFERENCE, ""])


NOTES = {
    UPSERT.kind: ExportNote(
        tr("the service does not give list prices back, and an Upsert without them removes them"),
        tr(
            "fill {field} again where there is one, or leave --as away",
            field=FieldName("price.originPrice"),
        ),
    ),
    UPDATE.kind: ExportNote(
        tr(
            "the rows are Updates, since the service does not give list prices back and an"
            " Upsert without them would remove them"
        ),
        tr("stock is what it is now: empty the cells that you do not change"),
    ),
}
"""The note on every file of a shape."""
SETTINGS = {Omission.TAXES: "tax_codes", Omission.MODES: "delivery_modes"}
"""The profile's setting that can add the omitted values."""
LACKS = {Omission.TAXES: tr("taxes"), Omission.MODES: tr("delivery modes")}


def _codes(tally: ExportTally, lack: Omission) -> MessageText:
    return joined(sorted(code for reason, code in tally if reason == lack and code))


def _offers(count: int) -> MessageText:
    return plural("{count:,} offer", "{count:,} offers", count)


def _begin(engine: Any, service: str, seller: str) -> int:
    from feedtool.areas.offers.changes.projection import project  # slow to import

    return project(engine, service, seller)


def _remember(*scope: Any, **facts: Any) -> bool:
    from feedtool.areas.offers.changes.projection import record_observed  # slow to import

    return record_observed(*scope, **facts)


LOOK = tr("look at --fields and the filters; nothing was written")
LISTING = ServiceList(tr("offers"), _first, _page, nothing, LOOK, unit=tr("offers"))

EXPORT = Export(
    "offers",
    """Export the seller's offers on a channel into a workbook of the template's shape.

    Ready to edit and to submit. The rows are Updates unless --as says otherwise, since the service
    does not give list prices back, and an Upsert without them would remove them. Only what the
    seller delivers. The names in --fields are those of GET /offers; their columns are not sent.
    What is exported is remembered, so that `submit --changed-only` sends only what you change.
    """,
    lambda _: (LISTING,),
    sheet,
    summary,
    FILTERS,
    check,
    memory=ExportMemory(ObservedOffer, _begin, _remember),
    is_sent_back=True,
)
EXPORTS = (EXPORT, PACKAGES)
