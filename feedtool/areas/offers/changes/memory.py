"""The memory of offers: as last accepted, or as the service shows them now."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from feedtool.areas.offers.changes import offer_state as state
from feedtool.areas.offers.changes.accepted import AcceptedOffers
from feedtool.areas.offers.changes.effects import CHANGES, KnownOffer, effects_of
from feedtool.areas.offers.changes.offer_state import AcceptedOffer
from feedtool.areas.offers.changes.projection import project
from feedtool.areas.offers.changes.selection import select, withdraw
from feedtool.areas.offers.changes.undo import undo_rows
from feedtool.areas.offers.feeds import UPDATE
from feedtool.areas.offers.rows import observed_by
from feedtool.areas.offers.wire.offers import Offer, offers_page, read_offers
from feedtool.feeds.memory import Memory, Undo
from feedtool.model.call import Call, Reply, Sender, comma_lists, fits_comma_list
from feedtool.model.nouns import Item
from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr
from feedtool.service.fetch import FetchContext, Next, read_list


class LiveOffers:
    """A seller's offers, read by reference. References that cannot be requested are unknown."""

    def __init__(self, client: Sender, context: FetchContext, settings: AccountSettings) -> None:
        self._client, self._context = client, context
        self._observed = observed_by(settings)

    def read(self, channel: str, references: Iterable[str]) -> dict[str, Offer]:
        """Return the existing offers of references that a comma list can hold."""
        offers: dict[str, Offer] = {}

        def take(reply: Reply, _: Call) -> Next | None:
            page = offers_page(reply)
            offers.update({offer.reference: offer for offer in page.items if offer.reference})
            return Next(read_offers("", link=page.next)) if page.next else None

        hint = tr("look at --channel and --seller; nothing was sent")
        for listed in comma_lists(references):
            first = read_offers(channel, listed)
            read_list("offers", first, take, self._client, self._context, hint)
        return offers

    def look_up(self, items: Sequence[Item], /) -> list[KnownOffer]:
        """Return the offer of each row; a struck price is never shown."""
        by_channel: dict[str, dict[str, Offer]] = {}
        for channel in dict.fromkeys(item.channel for item in items):
            references = {item.reference for item in items if item.channel == channel}
            by_channel[channel] = self.read(channel, sorted(filter(fits_comma_list, references)))
        return [self._known(item, by_channel[item.channel].get(item.reference)) for item in items]

    def _known(self, item: Item, offer: Offer | None) -> KnownOffer:
        if not fits_comma_list(item.reference):
            return None, "", None
        if offer is None:
            return AcceptedOffer(None, True, "", 0), "", None
        fields = dict(self._observed(offer).fields)
        quantity = fields.pop(state.QUANTITY, None)
        return AcceptedOffer(fields, True, "", 0), "", quantity

    def created_since(
        self, channel: str, references: Iterable[str], since: datetime
    ) -> frozenset[str]:
        """Return the references of offers created at this moment or later."""
        offers = self.read(channel, filter(fits_comma_list, references))
        return frozenset(
            reference
            for reference, offer in offers.items()
            if offer.created_at and offer.created_at >= since
        )


MEMORY = Memory(
    project=project,
    accepted=AcceptedOffers,
    live=LiveOffers,
    withdraw=withdraw,
    select=select,
    effects=effects_of,
    changes=CHANGES,
    undo=Undo(UPDATE.kind, undo_rows),
)
