"""Configurations and typologies of the channels for discussions.

Specification, "Discussions", rule 1. The typologies are those that the field has met.
"""

from typing import Any, NamedTuple

from feedtool.areas.discussions.sandbox.behaviour import DiscussionBehaviour
from feedtool.areas.discussions.sandbox.store import CUSTOMER, SELLER, SUPPORT
from feedtool.sandbox.arguments import asked, known_channel
from feedtool.sandbox.exchange import (
    FIELD_MISSING,
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)

STATUSES = ("Accepted", "InPreparation", "Shipped", "Delivered", "Cancelled", "Undefined")
_SENT = ("Shipped", "Delivered")


class Typology(NamedTuple):
    """A topic of discussions."""

    code: str
    statuses: tuple[str, ...]
    """The statuses of orders that it is for."""
    users: tuple[str, ...] = (SELLER, CUSTOMER)
    is_usable: bool = True
    typology: str = "order"
    is_everywhere: bool = True
    """False if only the primary channel has it."""


TYPOLOGIES = (
    Typology("missingItemInProduct", _SENT),
    Typology("missingProductsInOrder", _SENT),
    Typology("orderCancellation", ("Accepted", "InPreparation")),
    Typology("orderModification", ("Accepted", "InPreparation"), is_usable=False),
    Typology("orderNotShipped", STATUSES[:4]),
    Typology("printReceipt", (*_SENT, "Cancelled"), is_everywhere=False),
    Typology("productIsDamaged", _SENT),
    Typology("productIsNotWorking", _SENT),
    Typology("wrongProductReceived", _SENT, (CUSTOMER,)),
    Typology("productInformation", ("Undefined",), (CUSTOMER,), typology="offer"),
)


def eligible_receivers(channel: str, settings: SandboxSettings) -> list[str]:
    """The receivers of a seller's messages; only the primary channel has support."""
    return [CUSTOMER, SUPPORT] if channel == settings.primary_channel else [CUSTOMER]


def is_enabled(channel: str, settings: SandboxSettings) -> bool:
    return channel not in settings.of(DiscussionBehaviour).closed_channels


def _document(channel: str, settings: SandboxSettings) -> dict[str, Any]:
    return {
        "salesChannelId": channel,
        "isEnabled": is_enabled(channel, settings),
        "allowedReceivers": eligible_receivers(channel, settings),
    }


def read_configuration(exchange: Exchange) -> HttpResponse:
    """GET /sales-channel-configurations/{salesChannelId}."""
    channel = exchange.ids["salesChannelId"]
    if channel not in exchange.settings.channels:
        raise not_found("The sales channel configuration")
    return json_answer(200, _document(channel, exchange.settings))


def read_configurations(exchange: Exchange) -> HttpResponse:
    """GET /sales-channel-configurations: of all channels."""
    settings = exchange.settings
    return json_answer(200, {"items": [_document(name, settings) for name in settings.channels]})


def _list(exchange: Exchange, name: str, values: tuple[str, ...]) -> list[str]:
    """The entries of a required comma list, each one of the values."""
    text = asked(exchange, name)
    if text is None:
        raise bad_request(name, f"{name} is required.", FIELD_MISSING)
    if not set(text.split(",")) <= set(values):
        raise bad_request(name, f"{name} must be one of {', '.join(values)}.")
    return text.split(",")


def read_typologies(exchange: Exchange) -> HttpResponse:
    """GET /typologies: those that are valid for all given channels, and for any given status."""
    channels = (asked(exchange, "salesChannel") or "").split(",")
    if channels == [""]:
        raise bad_request("salesChannel", "salesChannel is required.", FIELD_MISSING)
    for channel in channels:
        known_channel(channel, "salesChannel", exchange.settings)
    statuses = set(_list(exchange, "orderStatus", STATUSES))
    typology = (asked(exchange, "typologyCode") or "order").lower()
    users = (asked(exchange, "userType") or f"{SELLER},{CUSTOMER}").split(",")
    if typology not in {"order", "offer"}:
        raise bad_request("typologyCode", "typologyCode must be order or offer.")
    is_primary = set(channels) == {exchange.settings.primary_channel}
    items = [
        {
            "typologyCode": typology,
            "subTypologyCode": entry.code,
            "state": entry.is_usable,
            "userType": user,
        }
        for entry in TYPOLOGIES
        if entry.typology == typology and (entry.is_everywhere or is_primary)
        for user in entry.users
        if user in users and statuses & set(entry.statuses)
    ]
    return json_answer(200, items)


def usable(code: str, status: str, channel: str, settings: SandboxSettings) -> bool:
    """True if a seller may open a discussion of this subtypology about an order."""
    return any(
        entry.code == code
        and entry.is_usable
        and SELLER in entry.users
        and status in entry.statuses
        and (entry.is_everywhere or channel == settings.primary_channel)
        for entry in TYPOLOGIES
    )


ROUTES: tuple[Route, ...] = (
    Route("GET", "/sales-channel-configurations/{salesChannelId}", read_configuration),
    Route("GET", "/sales-channel-configurations", read_configurations),
    Route("GET", "/typologies", read_typologies),
)
