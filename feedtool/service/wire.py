"""The wire without I/O: what is asked of the service (Call), and what came back (Reply).

A Call is built here by a function for each endpoint that is used (specification, part "Offers
(JSON packages)"); `client.Client.send` turns it into a Reply, or raises

    Failure
    ├── NotSent         connecting failed: the service has seen nothing of the call
    └── OutcomeUnknown  the call left, and whether it took effect is not known
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

from feedtool.model.errors import UsageProblem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from feedtool.model.nouns import PackageType

LANGUAGES = {"en": "en-US", "fr": "fr-FR", "es": "es-ES"}
"""What Accept-Language may say, by what users say (part "Offers (JSON packages)")."""

JSON = (("Content-Type", "application/json"),)

OFFERS_LIMIT = 1000
"""The most offers on a page (part "Limits")."""

PRODUCTS_SIZE = 100
"""Products that a page is asked for; no default and no highest is shown (part "Limits")."""

OFFER_FIELDS = (
    "condition",
    "product",
    "integrationPrice",
    "deliveryOffers",
)
"""What an offer is compared by, beside the fields that are always there (rule 1)."""

LONGEST_LIST = 3000
"""A comma list in a query is kept so short, in characters as it travels: an address of 8,000 is
refused by many servers, and half of that by some."""

LEGACY = "/offer-integration-packages"

READ = frozenset({200})
CREATED = frozenset({200, 201, 202})
STAGED = frozenset({200, 201, 202, 204})
COMMITTED = frozenset({200, 202, 204})


@dataclass(frozen=True, slots=True)
class Call:
    """One request, before the seller and the credential are added to it."""

    method: str
    target: str
    """A path relative to the base address, or an address that the service's own Link gave."""
    success: frozenset[int]
    """The statuses that say it was done; another 2xx is an answer that we do not know."""
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer, its body decoded from whatever coding it came in."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case; repeated ones joined by commas."""
    body: bytes = b""
    url: str = ""
    """The address that it answers: what relative links are relative to."""


class Failure(Exception):
    """A call that has no answer. The message tells the cause and holds no header of ours."""


class NotSent(Failure):
    """Connecting failed: the call may be repeated whatever it is."""


class OutcomeUnknown(Failure):
    """A timeout or a reset once the call had left, or an answer that could not be read."""


class Sender(Protocol):
    """What sends Calls: `client.Client`, or whatever stands in its place."""

    def send(self, call: Call) -> Reply:
        """The service's answer; raises NotSent or OutcomeUnknown. Called from several threads."""
        ...


class UploadBody(StrEnum):
    """The shape of an upload, which the specification does not show (a field of the dialect)."""

    ARRAY = "array"
    """`[{…}, {…}]`"""
    OFFER_REQUESTS = "offerRequests"
    """`{"offerRequests": [{…}, {…}]}`"""


def create_package(channel: str, package_type: PackageType, language: str) -> Call:
    """Open a package, bound to a channel, a type and the language of its messages.

    The answer carries the package's id (`packages.package_id`).
    """
    headers = (
        ("SalesChannelId", header_value("The sales channel", channel)),
        ("Accept-Language", language_tag(language)),
    )
    body = json.dumps({"packageType": str(package_type)}).encode()
    return Call("POST", "/offer-packages", CREATED, headers=headers + JSON, body=body)


def upload(package_id: str, bodies: Sequence[bytes], shape: UploadBody = UploadBody.ARRAY) -> Call:
    """Stage offer requests, each of them JSON already; the answer has no body."""
    array = b"[" + b",".join(bodies) + b"]"
    body = array if shape is UploadBody.ARRAY else b'{"offerRequests":' + array + b"}"
    return Call("POST", f"{_package(package_id)}/offer-requests", STAGED, headers=JSON, body=body)


def read_package(package_id: str) -> Call:
    """How far a package is; the answer is read by `packages.package_view`."""
    return Call("GET", _package(package_id), READ)


def commit(package_id: str) -> Call:
    """Declare a package complete. From there on nothing takes it back."""
    body = b'{"state":"Ready"}'
    return Call("PATCH", _package(package_id), COMMITTED, headers=JSON, body=body)


def read_results(package_id: str, link: str | None = None, limit: int | None = None) -> Call:
    """A page of results; the answer is read by `packages.results_page`.

    `link` is the address that the page before gave, and is followed as it is. `limit` is how
    many results the first page is asked for; the specification names neither a default nor a
    highest value for it.
    """
    if link is not None:
        return Call("GET", link, READ)
    query = (("limit", str(limit)),) if limit else ()
    return Call("GET", f"{_package(package_id)}/offer-requests-results", READ, query=query)


def read_packages(
    link: str | None = None, *, state: str | None = None, channel: str | None = None
) -> Call:
    """A page of the seller's packages; the answer is read by `offers.packages_page`.

    `link` is the address that the page before gave, and is followed as it is.
    """
    if link is not None:
        return Call("GET", link, READ)
    asked = {"state": state, "salesChannelId": channel}
    query = tuple((name, value) for name, value in asked.items() if value)
    return Call("GET", "/offer-packages", READ, query=query)


def read_offers(
    channel: str,
    references: Sequence[str] = (),
    gtins: Sequence[str] = (),
    fields: Sequence[str] = OFFER_FIELDS,
    link: str | None = None,
    *,
    offer_ids: Sequence[str] = (),
    states: Sequence[str] = (),
    since: str | None = None,
) -> Call:
    """A page of the seller's offers on a channel; the answer is read by `offers.offers_page`.

    Without references, GTINs and ids all of them are asked for. `comma_lists` makes lists of them
    that an address can hold. `since` is an RFC 3339 date-time, inclusive. `link` is the address
    that the page before gave, and is followed as it is.

    Raises:
        ValueError: what is listed cannot be in a comma list, being empty or having one.
    """
    if link is not None:
        return Call("GET", link, READ)
    if unfit := [key for key in (*references, *gtins, *offer_ids) if not fits_comma_list(key)]:
        raise ValueError(f"{unfit[0]!r} cannot be in a comma list")
    lists = {
        "fields": fields,
        "sellerExternalReferences": references,
        "gtins": gtins,
        "offerIds": offer_ids,
        "offerStates": states,
        "updatedAtMin": [since] if since else (),
    }
    query = [("salesChannelId", channel), ("limit", str(OFFERS_LIMIT))]
    query += [(name, ",".join(values)) for name, values in lists.items() if values]
    return Call("GET", "/offers", READ, query=tuple(query))


def read_products(page: int = 1, *, link: str | None = None, size: int = PRODUCTS_SIZE) -> Call:
    """A page of the seller's products; the answer is read by `product_sheets.sheets_page`.

    The specification shows no parameters of GET /products but `Gtin`; pages are asked for as those
    of the other lists of the catalogue are. `link` is the address that the page before gave, and
    is followed as it is.
    """
    if link is not None:
        return Call("GET", link, READ)
    query = (("pageIndex", str(page)), ("pageSize", str(size)))
    return Call("GET", "/products", READ, query=query)


def fits_comma_list(key: str) -> bool:
    """Whether offers can be asked for by this reference; otherwise their GTIN has to do."""
    return bool(key) and "," not in key and key == key.strip()


def comma_lists(keys: Iterable[str], longest: int = LONGEST_LIST) -> Iterator[tuple[str, ...]]:
    """Keys in lists of which each travels in one address; the order is kept, none is left out."""
    taken: list[str] = []
    size = 0
    for key in keys:
        width = len(quote(key, safe="")) + len("%2C")
        if taken and size + width > longest:
            yield tuple(taken)
            taken, size = [], 0
        taken.append(key)
        size += width
    if taken:
        yield tuple(taken)


def submit_products(bodies: Sequence[bytes], language: str) -> Call:
    """Send a batch of products, each of them JSON already: stage and commit in one.

    The answer carries the batch's packageId (`products.batch_id`).
    """
    headers = (("Accept-Language", language_tag(language)), *JSON)
    body = products_body(bodies)
    return Call("POST", "/products-integration", CREATED, headers=headers, body=body)


def products_body(bodies: Sequence[bytes]) -> bytes:
    """A batch of products as it travels, each of them JSON already."""
    return b'{"products":[' + b",".join(bodies) + b"]}"


def read_reports(
    language: str,
    *,
    package_id: str | None = None,
    gtins: Sequence[str] = (),
    link: str | None = None,
    size: int | None = None,
) -> Call:
    """A page of integration reports; the answer is read by `products.reports_page`.

    The specification shows no filters; those that are asked for here are the report's own fields,
    and the reader looks at each item all the same. `link` is the address that the page before
    gave, and is followed as it is. `size` is how many items the first page is asked for.
    """
    headers = (("Accept-Language", language_tag(language)),)
    if link is not None:
        return Call("GET", link, READ, headers=headers)
    asked = {"packageId": package_id, "gtin": ",".join(gtins), "pageSize": size and str(size)}
    query = tuple((name, value) for name, value in asked.items() if value)
    return Call("GET", "/products-integration-reports", READ, query=query, headers=headers)


def submit_zip(body: bytes, language: str) -> Call:
    """Send a legacy zip: stage and commit in one. The answer carries its id (`legacy.zip_id`)."""
    return _legacy("application/zip", body, language)


def submit_zip_address(address: str, language: str) -> Call:
    """The same by the zip's public address, for a service that fetches it from there."""
    return _legacy("application/json", json.dumps(address).encode(), language)


def _legacy(kind: str, body: bytes, language: str) -> Call:
    headers = (("Accept-Language", language_tag(language)), ("Content-Type", kind))
    return Call("POST", LEGACY, CREATED, headers=headers, body=body)


def read_log(package_id: str, page: int, language: str, size: int | None = None) -> Call:
    """How far a legacy zip is, and a page of its log; the answer is read by `legacy.log_page`.

    The specification shows no parameters; those that are asked for here are the answer's own
    fields. `page` is 1-based; `size` is how many entries a page is asked for.
    """
    asked = {"page": str(page) if page > 1 or size else None, "count_by_page": size and str(size)}
    query = tuple((name, value) for name, value in asked.items() if value)
    headers = (("Accept-Language", language_tag(language)),)
    target = f"{LEGACY}/{quote(package_id, safe='')}"
    return Call("GET", target, READ, query=query, headers=headers)


def language_tag(language: str) -> str:
    """`fr` or `fr-FR` as Accept-Language has it; UsageProblem for a language that it has not."""
    for short, tag in LANGUAGES.items():
        if language.casefold() in {short, tag.casefold()}:
            return tag
    known = ", ".join(LANGUAGES)
    raise UsageProblem(
        f"The service has no messages in the language “{language}”.", f"Choose one of: {known}."
    )


def header_value(what: str, value: str) -> str:
    """A value that can travel in a header; UsageProblem, naming `what`, for any other."""
    if not value or not value.isascii() or not value.isprintable() or value != value.strip():
        raise UsageProblem(
            f"{what} cannot be sent: it is empty, or has characters that a header cannot carry.",
            "Only ASCII letters, digits and punctuation can be sent there.",
        )
    return value


def _package(package_id: str) -> str:
    return f"/offer-packages/{quote(package_id, safe='')}"
