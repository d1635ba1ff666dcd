"""The endpoints of the specification: who calls each, who serves it, which command leads there.

Nothing is declared but the endpoints. A command leads to a call where the code does: from the
kinds of the registry and the commands of the command line, `tests.reached` follows what the code
names, down to the functions that make the calls.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from pathlib import Path
from types import FunctionType, MethodType
from typing import NamedTuple

from feedtool.areas.registry import load, sandbox_parts
from feedtool.feeds.feed import Feed
from tests.docs_parts import ROOT, every_command, listed, markdown_table
from tests.made_calls import UNKNOWN, calls_of
from tests.reached import functions_of

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
"""The endpoints by the specification's parts."""

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
        """The same whatever its identifiers are called."""
        parts = (UNKNOWN if part.startswith("{") else part for part in self.path.split("/"))
        return self._replace(path="/".join(parts))

    def __str__(self) -> str:
        return " ".join(self)


def specified() -> dict[str, list[Endpoint]]:
    """The endpoints by part."""
    return {
        part: [Endpoint(*line.split()) for line in lines.strip().splitlines()]
        for part, lines in SPECIFIED.items()
    }


# Where the sandbox serves it, where the client calls it, and by which command.


@cache
def routes() -> Mapping[Endpoint, str]:
    """A link to the function of the sandbox that answers, or to its resource, by shape."""
    return {
        Endpoint(route.method, route.path).shape: _answering(inspect.unwrap(route.answer))
        for part in sandbox_parts()
        for route in part.ROUTES
    }


def _answering(answer: Callable[..., object]) -> str:
    """The link to a function, or to the resource that a method is of."""
    if not isinstance(answer, MethodType):
        return _link(answer)
    modules = [module for name, module in sys.modules.items() if ".sandbox." in name]
    return next(
        _link_to(module.__name__, module.__file__, name)
        for module in modules
        for name, value in vars(module).items()
        if value is answer.__self__ and f"\n{name} = " in inspect.getsource(module)
    )


def commands() -> Mapping[str, object]:
    """What a command is made of, by its words: the kinds of the registry, then all others."""
    areas = load()
    kinds: dict[str, object] = {
        **{f"submit {kind}": feed for kind, feed in areas.feeds.items()},
        **{f"export {kind}": export for kind, export in sorted(areas.exports.items())},
        "todo": [area.waits for area in areas.areas],
    }
    others = {words: command.callback for words, command in every_command()}
    return kinds | {words: others[words] for words in sorted(others.keys() - kinds)}


class Client(NamedTuple):
    """Who calls an endpoint."""

    functions: list[FunctionType]
    commands: list[str]


@cache
def clients() -> Mapping[Endpoint, Client]:
    """The functions that make a call, and the commands that lead to one, by endpoints' shapes."""
    found: dict[Endpoint, Client] = {}
    for words, root in commands().items():
        # What a list is shown as, or may be sent as, is no call of the command that brings it.
        for function in sorted(
            functions_of(root, without=Feed), key=attrgetter("__module__", "__qualname__")
        ):
            for method, path in calls_of(function):
                client = found.setdefault(Endpoint(method, path).shape, Client([], []))
                client.functions.extend({function} - {*client.functions})
                client.commands.extend({words} - {*client.commands})
    return found


def covered() -> list[Endpoint]:
    """The endpoints that the client calls, the sandbox serves, and a command leads to."""
    every = (endpoint for part in specified().values() for endpoint in part)
    return [
        endpoint for endpoint in every if {endpoint.shape} <= clients().keys() & routes().keys()
    ]


# The page.

MISSING = "missing"

SHOWN = 4
"""Commands of a cell; as a rule others send sheets of the same area."""


def count() -> str:
    """How many of the endpoints are there: `74 of 74`."""
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
        ", ".join(map(_link, client.functions)) if client else MISSING,
        route or MISSING,
        listed(commands[:SHOWN]) + ", …" * (len(commands) > SHOWN) or MISSING,
    )


def _link(function: Callable[..., object]) -> str:
    return _link_to(function.__module__, inspect.getsourcefile(function), function.__name__)


def _link_to(module: str, path: str | None, name: str) -> str:
    module = module.removeprefix("feedtool.").removeprefix("areas.")
    return f"[{module}.{name}](../../{Path(path or '').relative_to(ROOT)})"
