"""The declaration of the area `offers`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from feedtool.areas.offers.feeds import FEEDS
from feedtool.areas.offers.rules import FIXES, RULES
from feedtool.areas.offers.settings import OfferSettings
from feedtool.areas.offers.wire import result_codes
from feedtool.areas.offers.wire.offers import read_offers, read_packages
from feedtool.feeds.area import AccountCalls, Area, Service
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export
    from feedtool.feeds.memory import Memory
    from feedtool.model.nouns import Code


def exports() -> "Sequence[Export]":
    """Return the exports, which only a few commands import."""
    from feedtool.areas.offers.export import EXPORTS

    return EXPORTS


def guards() -> "Mapping[str, Code]":
    from feedtool.areas.offers.changes.guards import GUARDS  # not needed for valid rows

    return GUARDS


def memory() -> "Memory":
    from feedtool.areas.offers.changes.memory import MEMORY  # not needed to check a file

    return MEMORY


SERVICE = Service(
    AccountCalls(read_packages, lambda channel: read_offers(channel, limit=1)),
    result_codes.known_codes,
    result_codes.explanation_of,
    result_codes.field_of,
    result_codes.is_confirmation,
)
AREA = Area(
    "offers",
    tr("Offers"),
    feeds=FEEDS,
    rules=RULES,
    fixes=FIXES,
    exports=exports,
    guards=guards,
    memory=memory,
    service=SERVICE,
    settings=(OfferSettings,),
)
