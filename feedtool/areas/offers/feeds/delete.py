"""Offers that are removed from the channel (specification, "Offers (JSON packages)" 3)."""

from feedtool.areas.offers.delivery import DELIVERY
from feedtool.areas.offers.feeds import common as offers
from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.offers.requests import REQUESTS

FEED = offers.offers_feed(
    kind="offers-delete",
    package_type=PackageType.DELETE,
    action=str(PackageType.DELETE),
    summary="Offers that are removed from the channel.",
    columns=lambda _: (offers.IDENTITY_COLUMNS[0], *offers.SPLITTING_COLUMNS),
    missing=lambda sheet: offers.missing(sheet, (offers.REFERENCE,)),
    required=lambda row: row.blanks((offers.REFERENCE,)),
    request=lambda row: {"sellerExternalReference": row.values[offers.REFERENCE]},
    delivery=DELIVERY,
    is_sent=lambda key: key in {offers.REFERENCE, offers.CHANNEL, offers.ACTION},
    needs_asking=True,
    title="Remove offers",
    about=(
        "Each row removes the offer that has this reference from the sales channel. To sell the"
        " product again, create the offer anew."
    ),
    json=REQUESTS,
)
