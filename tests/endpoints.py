"""The endpoints of the specification: their callers, their sandbox routes, and their commands.

Only the endpoints are declared. The command of a call is found in the code: from the kinds of the
registry and the commands of the command line, `tests.reached` follows the names in the code, down
to the functions that make the calls, and to the lists whose paths are data.
"""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import attrgetter
from pathlib import Path
from types import FunctionType, MethodType
from typing import NamedTuple

from feedtool.areas.listing import Listing
from feedtool.areas.registry import load, sandbox_parts
from feedtool.feeds.feed import Feed
from feedtool.model.settings import AccountSettings
from tests.docs_parts import ROOT, every_command, listed, markdown_table
from tests.made_calls import UNKNOWN, calls_of
from tests.reached import OURS, values_reached

SPECIFIED: Mapping[str, str] = {
    "Orders": """
        GET /orders/count
        GET /orders
        GET /orders/{orderId}
        POST /orders/{orderId}/approval-status
        POST /orders/{orderId}/shipments
        GET /cancellation-reasons
        POST /order-cancellation-requests
        POST /order-partial-cancellation-requests
        GET /orders/{orderId}/commercial-gestures-available-amounts
        GET /sales-channel-commercial-gesture-configurations/{salesChannelId}
        POST /order-commercial-gesture-requests
        GET /order-commercial-gesture-requests
        GET /parcel-trackings
    """,
    "Discussions": """
        GET /sales-channel-configurations/{salesChannelId}
        GET /sales-channel-configurations
        GET /typologies
        POST /discussions
        GET /discussions
        GET /discussions/count
        GET /discussions/{discussionId}
        GET /attachments
        POST /messages
        PATCH /messages/{id}
        PATCH /discussions/{id}
    """,
    "Order invoices": """
        POST /orders/{orderId}/invoice-documents
        POST /order-invoice-imports
        GET /order-invoice-imports
        GET /order-invoice-imports/{importId}
    """,
    "Financial": """
        GET /operations
        GET /operations/count
        GET /invoices/{invoiceId}/details
        GET /invoices/{invoiceId}/details/count
        GET /invoices/{invoiceId}/documents
        GET /invoice-documents
        GET /payments
        GET /payments/count
        GET /reports
        GET /reports/{reportId}/report-documents
    """,
    "Offers (JSON packages)": """
        POST /offer-packages
        GET /offer-packages
        GET /offer-packages/{packageId}
        POST /offer-packages/{packageId}/offer-requests
        PATCH /offer-packages/{packageId}
        GET /offer-packages/{packageId}/offer-requests-results
    """,
    "Offers (read)": """
        GET /offers
    """,
    "Catalog endpoints": """
        GET /brands
        GET /categories
        GET /categories/{categoryReference}
        GET /categories/{categoryReference}/properties
        GET /products
        POST /products-integration
        GET /products-integration-reports
    """,
    "Legacy offer routes": """
        POST /offer-integration-packages
        GET /offer-integration-packages/{packageId}
        GET /competing-offers
        GET /competing-offer-changes
    """,
    "Fulfillment": """
        POST /fulfillment-products
        GET /stock-seller-references
        POST /inbound-shipments
        GET /inbound-shipments/count
        GET /inbound-shipments
        GET /inbound-shipments/{inboundShipmentId}
        GET /inbound-shipments/{inboundShipmentId}/delivery-notes
        POST /outbound-shipments
        GET /outbound-shipments
        GET /outbound-shipments/count
        GET /outbound-shipments/{id}
        POST /outbound-cancellation-requests
        GET /outbound-cancellation-requests/{id}
        POST /returns
        GET /returns
        GET /returns/count
        GET /returns/{returnId}
        GET /returns/{returnId}/labels
    """,
}
"""Part of the specification → its endpoints."""

PATH_NOT_SHOWN = frozenset(
    {
        "GET /inbound-shipments/{inboundShipmentId}/delivery-notes",
        "GET /outbound-shipments/count",
        "GET /outbound-cancellation-requests/{id}",
        "GET /returns/count",
    }
)
"""Endpoints that the specification names without a path; the path is the project's."""


class Endpoint(NamedTuple):
    """A method and a path."""

    method: str
    path: str

    @property
    def shape(self) -> "Endpoint":
        """The endpoint without the names of its identifiers, so that others compare equal."""
        parts = (UNKNOWN if part.startswith("{") else part for part in self.path.split("/"))
        return self._replace(path="/".join(parts))

    def __str__(self) -> str:
        return " ".join(self)


def specified() -> dict[str, list[Endpoint]]:
    """Part of the specification → its endpoints."""
    return {
        part: [Endpoint(*line.split()) for line in lines.strip().splitlines()]
        for part, lines in SPECIFIED.items()
    }


# The sandbox's route of an endpoint, the client's call, and the commands.


@cache
def routes() -> Mapping[Endpoint, str]:
    """Shape of an endpoint → a link to the sandbox's function or resource that answers."""
    return {
        Endpoint(route.method, route.path).shape: _answering(inspect.unwrap(route.answer))
        for part in sandbox_parts()
        for route in part.ROUTES
    }


def _answering(answer: Callable[..., object]) -> str:
    """The link to a function, or to the resource of a method."""
    if not isinstance(answer, MethodType):
        return _link(Caller(answer.__module__, answer.__name__))
    modules = [module for name, module in sys.modules.items() if ".sandbox." in name]
    return next(
        _link(Caller(module.__name__, name))
        for module in modules
        for name, value in vars(module).items()
        if value is answer.__self__ and f"\n{name} = " in inspect.getsource(module)
    )


TODO = "todo"
"""The command that asks all lists for what waits in them, and exports none."""

ACCOUNT_CHECK = "account check"
"""The command that makes calls which an area declares."""


def commands() -> Mapping[str, object]:
    """Words of a command → the kind or the function behind it; kinds of the registry first."""
    areas = load()
    exports = areas.exports.values()
    kinds: dict[str, object] = {
        **{f"submit {kind}": feed for kind, feed in areas.feeds.items()},
        **{
            f"export {export.kind}": export._replace(waits=lambda _: ())
            for export in sorted(exports, key=attrgetter("kind"))
        },
        TODO: [export.waits for export in exports],
    }
    others: dict[str, object] = {words: command.callback for words, command in every_command()}
    others[ACCOUNT_CHECK] = [others[ACCOUNT_CHECK], areas.service.account_calls]
    return kinds | {words: others[words] for words in sorted(others.keys() - kinds)}


class Caller(NamedTuple):
    """A function that makes calls, or a list that is fetched by them."""

    module: str
    name: str


class Client(NamedTuple):
    """The callers of an endpoint, and the commands that reach them."""

    callers: list[Caller]
    commands: list[str]


@cache
def clients() -> Mapping[Endpoint, Client]:
    """Shape of an endpoint → its callers, and the commands that reach them."""
    by_shape: dict[Endpoint, Client] = {}
    for words, root in commands().items():
        for caller, endpoint in sorted(set(_calls(words, root))):
            client = by_shape.setdefault(endpoint.shape, Client([], []))
            client.callers.extend({caller} - {*client.callers})
            client.commands.extend({words} - {*client.commands})
    return by_shape


def _calls(words: str, root: object) -> Iterator[tuple[Caller, Endpoint]]:
    """The endpoints that a command reaches, with their callers."""
    # An export refers to the kind that its file can be sent as, and to other lists: not its calls.
    for value in values_reached(root, without=(Feed, Listing)):
        if isinstance(value, Listing):
            for path in _paths(value, words):
                yield _caller_of(value), Endpoint("GET", path)
        elif isinstance(value, FunctionType) and value.__module__.startswith(OURS):
            for call in calls_of(value):
                yield Caller(value.__module__, value.__name__), Endpoint(*call)


def _paths(listing: Listing, words: str) -> Iterator[str]:
    """The paths of a list that a command requests."""
    count = listing.counts(AccountSettings()) if listing.counts else listing.page
    if words == TODO:
        for waiting in listing.waits:
            yield count.target if waiting.is_counted else listing.page.target
    else:
        yield listing.page.target
        if listing.is_counted_first:
            yield count.target


def _caller_of(listing: Listing) -> Caller:
    """The module and the name of a list."""
    modules = [name for name in sys.modules if name.startswith("feedtool.areas.")]
    return next(
        Caller(module, name)
        for module in modules
        for name, value in vars(sys.modules[module]).items()
        if value is listing
    )


def covered() -> list[Endpoint]:
    """The endpoints that the client calls, the sandbox serves, and a command reaches."""
    every = (endpoint for part in specified().values() for endpoint in part)
    return [
        endpoint for endpoint in every if {endpoint.shape} <= clients().keys() & routes().keys()
    ]


# The page.

MISSING = "missing"

SHOWN = 4
"""The most commands in a cell; further ones usually send sheets of the same area."""


def count() -> str:
    """The number of covered endpoints: `74 of 74`."""
    return f"{len(covered())} of {sum(map(len, specified().values()))}"


def tables() -> str:
    """The endpoints of each part of the specification."""
    headings = ("Endpoint", "Client", "Sandbox", "Command")
    return "\n\n".join(
        f"## {part}\n\n{markdown_table(headings, map(_cells, endpoints))}"
        for part, endpoints in specified().items()
    )


def _cells(endpoint: Endpoint) -> tuple[str, ...]:
    client, route = clients().get(endpoint.shape), routes().get(endpoint.shape)
    commands = client.commands if client else []
    return (
        f"`{endpoint}`{' ¹' * (str(endpoint) in PATH_NOT_SHOWN)}",
        ", ".join(map(_link, client.callers)) if client else MISSING,
        route or MISSING,
        listed(commands[:SHOWN]) + ", …" * (len(commands) > SHOWN) or MISSING,
    )


def _link(caller: Caller) -> str:
    path = inspect.getsourcefile(sys.modules[caller.module]) or ""
    module = caller.module.removeprefix("feedtool.").removeprefix("areas.")
    return f"[{module}.{caller.name}](../../{Path(path).relative_to(ROOT)})"
