"""The routes of products, and their delivery. Pure; the shape of every answer is checked.

Specification, part "Catalog" (the product read item, the report's item) and "Catalog endpoints"
(the routes): one POST takes a batch in, and integration reports show the outcome of each product.
An absent field gives no message. Only the creating seller sees all fields of a product; for others
`sellers` and most of the rest are absent.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from feedtool.catalog.wire import FIRST_PAGE, CatalogPage, EntriesReply, listing, page_call
from feedtool.feeds.delivery import AnswerPage, Endpoint, Report, ReportItem, Submitted
from feedtool.feeds.package_ref import PackageRef, Size
from feedtool.model.call import CREATED, JSON, READ, Call, Reply, comma_lists, language_tag
from feedtool.model.cells import Value
from feedtool.model.nouns import Message, PendingRow, Severity, Status
from feedtool.model.text import joined, tr
from feedtool.service.answers import (
    MOST_MESSAGES,
    SMALL,
    Unreadable,
    id_of,
    items_of,
    last_segment,
    loads,
    moment,
    next_link,
    text,
)

ROUTES = {"products-integration", "products-integration-reports"}
"""The last segments of the routes: in a location they are not the id of a batch."""
LOCATIONS = ("content-location", "location")

FINAL = {"integrated": Status.INTEGRATED, "refused": Status.REFUSED, "rejected": Status.REJECTED}
"""The final statuses of a report, in lower case. `Validated` and unknown statuses are not final."""

LISTS = {
    "errors": (Severity.ERROR, None),
    "warnings": (Severity.WARNING, tr("warning")),
    "infos": (Severity.WARNING, tr("info")),
}
"""The lists of messages, the severity of each, and the word before its messages."""

IDENTICAL = "identical"

NO_EDIT = tr(
    "You may not change this product's sheet: values that it already has stay as they are."
)
NO_ENRICH = tr("You may not add to this product's sheet: what it lacks stays as it is.")
NOT_MARKETABLE = tr("The product cannot be sold yet: its sheet lacks some of the common data.")
NOTHING_NEW = tr("The sheet had all of it already: nothing was changed.")


# Submissions.


def submit_products(package: PackageRef, bodies: Sequence[bytes]) -> Call:
    """Return the call that stages and commits a batch of products; `batch_id` reads its answer."""
    headers = (("Accept-Language", language_tag(package.language)), *JSON)
    body = products_body(bodies)
    return Call("POST", "/products-integration", CREATED, headers=headers, body=body)


def products_body(bodies: Sequence[bytes]) -> bytes:
    """Return the body of a batch of products, each JSON already."""
    return b'{"products":[' + b",".join(bodies) + b"]}"


def read_reports(package: PackageRef, gtins: Sequence[str] = ()) -> Call:
    """Return the call for a page of reports of a package or of GTINs, which `reports_page` reads.

    The specification shows no filters; the filters here are the report's own fields, and the reader
    still checks each item.
    """
    headers = (("Accept-Language", language_tag(package.language)),)
    if package.link is not None:
        return Call("GET", package.link, READ, headers=headers)
    size = package.page_size and str(package.page_size)
    scope = ("gtin", ",".join(gtins)) if gtins else ("packageId", package.package_id)
    query = tuple((name, value) for name, value in (scope, ("pageSize", size)) if value)
    return Call("GET", "/products-integration-reports", READ, query=query, headers=headers)


def batch_id(reply: Reply) -> str:
    """Return the packageId in the answer to a batch: body, else location, else Unreadable."""
    document = loads(reply.body, SMALL)
    result = id_of(document) if isinstance(document, dict) else None
    segments = [last_segment(reply.headers.get(name, "")) for name in LOCATIONS]
    result = result or next((item for item in segments if item and item not in ROUTES), None)
    if result is None:
        raise Unreadable(tr("the answer to the products names no package"))
    return result


def reports_page(reply: Reply) -> AnswerPage[ReportItem]:
    """Return a page of reports, without items that lack GTIN or status; Unreadable for no list."""
    items = map(_item, items_of(reply, "reports"))
    return AnswerPage([item for item in items if item], next_link(reply))


def _item(document: Any) -> ReportItem | None:
    if not isinstance(document, dict):
        return None
    gtin, word = text(document.get("gtin")), text(document.get("status"))
    if not gtin or not word:
        return None
    status = FINAL.get(word.casefold())
    reference = document.get("sellerProductReference")
    submitted = moment(document.get("submissionDate")) or moment(document.get("createdAt"))
    return ReportItem(
        id_of(document),
        gtin,
        reference if isinstance(reference, str) and reference else None,
        word,
        status,
        submitted,
        tuple(islice(_messages(document, status), MOST_MESSAGES)),
    )


def _messages(document: dict[str, Any], status: Status | None) -> Iterator[Message]:
    """Yield the report's messages, and messages about rights and completeness from its fields."""
    for name, (severity, word) in LISTS.items():
        for entry in _objects(document.get(name)):
            code, reason, field = (text(entry.get(key)) for key in ("code", "message", "field"))
            if code or reason or field:
                reason = reason or tr("no reason was given")
                message = joined((word, reason), ": ") if word else reason
                yield Message(code, message, field, severity)
    is_integrated = status is Status.INTEGRATED  # though values may be ignored
    complete = text(document.get("publicationCompleteness"))
    notes = {
        NO_EDIT: document.get("wasAllowedToEdit") is False,
        NO_ENRICH: document.get("wasAllowedToEnrich") is False,
        NOTHING_NEW: is_integrated and text(document.get("operationType")).casefold() == IDENTICAL,
        NOT_MARKETABLE: is_integrated and document.get("wasMarketable") is False,
        tr("The sheet is {percent} % complete.", percent=complete.rstrip("% ")): (
            is_integrated and complete
        ),
    }
    for message, is_so in notes.items():
        if is_so:
            yield Message("", message, severity=Severity.WARNING)


# Products.

PRODUCTS_SIZE = 100
"""Requested products of a page; no default or maximum is shown (part "Limits")."""

MOST_ATTRIBUTES = 5_000
MOST_VALUES = 1_000
"""The most values of an attribute, and pictures or sellers of a product."""

VALUES, URLS = "values:", "urls:"
"""Prefixes of the keys of an attribute: its values, and the addresses of its files. JOINER joins
several, until the cell is made."""
JOINER = "\0"

FIELDS = {
    "title": "label",
    "description": "description",
    "brand": "brand.name",
    "categoryCode": "category.reference",
    "language": "language",
    "richMarketingDescription": "marketingDescription",
    "variantGroupReference": "groupReference",
}
"""Paths in a product by the fields of a submission."""


class ProductSheet(NamedTuple):
    """A product of the service."""

    row: dict[str, Value]
    """Unchanged values by the fields of a submission; attributes by VALUES and URLS, in the
    product's language, choices as their labels."""
    is_creator: bool
    """True if the seller has created it."""


def read_products(page: CatalogPage = FIRST_PAGE) -> Call:
    """Return the call for a page of the seller's products, which `sheets_page` reads.

    The specification shows no parameters of GET /products but `Gtin`; the paging is that of the
    catalogue's other lists.
    """
    return page_call("/products", page, PRODUCTS_SIZE)


READ_OR_NONE = READ | {400, 403, 404}
"""A product that the service refuses to show counts as unknown."""


def read_product(gtin: str) -> Call:
    return Call("GET", "/products", READ_OR_NONE, query=(("Gtin", gtin),))


def group_of(reply: Reply, gtin: str) -> str:
    """Return the variantGroupReference of a product, or "". Raises Unreadable without a list."""
    products = items_of(reply, "products") if reply.status in READ else []
    groups = (
        _text(item, FIELDS["variantGroupReference"]) or _text(item, "variantGroupReference")
        for item in _objects(products)
        if text(item.get("gtin")).lstrip("0") == gtin.lstrip("0")
    )
    return next(filter(None, groups), "")


def sheets_page(reply: Reply, page: CatalogPage, seller: str) -> EntriesReply:
    return listing(reply, page, "products", lambda item: _sheet(item, seller))


def _sheet(item: dict[str, Any], seller: str) -> ProductSheet | None:
    if not (gtin := text(item.get("gtin"))):
        return None
    sellers = islice(_objects(item.get("sellers")), MOST_VALUES)
    seller_entry = next((entry for entry in sellers if text(entry.get("reference")) == seller), {})
    row: dict[str, Value] = {
        "gtin": gtin,
        "sellerProductReference": _text(seller_entry, "productReference"),
        "gtinReference": _text(seller_entry, "gtinReference"),
        **{name: _text(item, path) for name, path in FIELDS.items()},
    }
    for index, url in _addresses(item.get("pictures")).items():
        row[f"sellerPictureUrls_{index}"] = url
    for name in ("variantAttributes", "attributes"):
        for attribute in islice(_objects(item.get(name)), MOST_ATTRIBUTES):
            row.update(_attribute(attribute))
    return ProductSheet(row, seller_entry.get("isCreator") is True)


def _attribute(item: Mapping[str, Any]) -> dict[str, Value]:
    entries = item.get("values")
    values = [
        value
        for entry in islice(entries if isinstance(entries, list) else [], MOST_VALUES)
        if (value := entry if isinstance(entry, str) else text(entry))
    ]
    cells = {VALUES: values, URLS: list(_addresses(item.get("files")).values())}
    reference = text(item.get("reference"))
    return {name + reference: JOINER.join(texts) for name, texts in cells.items() if texts}


def _addresses(value: Any) -> dict[int, str]:
    """Return addresses by index; an address without one follows the others."""
    result: dict[int, str] = {}
    for item in islice(_objects(value), MOST_VALUES):
        index, url = item.get("index"), _text(item, "url")
        if url:
            if not isinstance(index, int) or isinstance(index, bool) or index < 1:
                index = max(result, default=0) + 1
            result[index] = url
    return dict(sorted(result.items()))


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    return (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))


def _text(item: Any, path: str) -> str | None:
    for name in path.split("."):
        item = item.get(name) if isinstance(item, dict) else None
    return item if isinstance(item, str) and item else None


# The delivery.

PACKAGE_TYPE = "Products"
"""The type of a batch of products, which has no channel."""

QUOTA = "quotaexceeded"
"""The lower-case code of an error that no product causes (source: the field)."""


def product_names(reference: str, gtin: str) -> frozenset[str]:
    """Return a product's names in reports and offers; leading zeros of a GTIN do not count."""
    return frozenset({f"r{reference}", f"g{gtin.lstrip('0')}"} - {"r", "g"})


def match(
    pending: Iterable[PendingRow], items: Iterable[ReportItem]
) -> Iterator[tuple[PendingRow, ReportItem]]:
    """Match products with report items by GTIN and, if both have one, reference.

    A row without a reference of its own has its GTIN as reference.
    """
    by_gtin: defaultdict[str, list[ReportItem]] = defaultdict(list)
    for item in items:
        by_gtin[item.gtin.lstrip("0")].append(item)
    for row in pending:
        gtin = row.product
        for item in by_gtin.get(gtin.lstrip("0"), ()):
            if item.reference in {None, row.reference} or row.reference == gtin:
                yield row, item


def is_quota(item: ReportItem) -> bool:
    """True if a product was refused only for a quota."""
    messages = (message for message in item.messages if message.severity is Severity.ERROR)
    errors = {message.code.casefold() for message in messages}
    return item.status not in {None, Status.INTEGRATED} and errors == {QUOTA}


def _find(package: PackageRef, rows: Sequence[PendingRow]) -> tuple[Call, int]:
    """Return the call for the reports of the first GTINs, as many as an address holds."""
    gtins = next(comma_lists(row.product for row in rows))
    return read_reports(package, gtins), len(gtins)


DELIVERY = Submitted(
    size=lambda limits: Size(limits.products, limits.products),
    submit=submit_products,
    submitted=batch_id,
    outcome=Report(Endpoint(read_reports, reports_page), _find, match, is_quota),
    names=product_names,
    document=lambda _, bodies: products_body(bodies),
    file_name="batch-{number:03}.json",
)
