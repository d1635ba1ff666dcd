"""Offers that are removed from the channel (specification, "Offers (JSON packages)" 3)."""

from feedtool.areas.offers.delivery import DELIVERY
from feedtool.areas.offers.feeds import common as offers
from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.offers.requests import REQUESTS
from feedtool.feeds.feed import Feed, Row, SheetColumns
from feedtool.model.header import Column
from feedtool.model.settings import AccountSettings


def columns(dialect: AccountSettings) -> tuple[Column, ...]:
    """The reference alone."""
    del dialect
    return (offers.IDENTITY_COLUMNS[0], *offers.SPLITTING_COLUMNS)


def missing(sheet: SheetColumns) -> list[str]:
    """The reference."""
    return offers.missing(sheet, (offers.REFERENCE,))


def required(row: Row) -> list[str]:
    """The reference."""
    return [offers.REFERENCE] if row.is_blank(offers.REFERENCE) else []


def request(row: Row) -> dict[str, object]:
    """The reference alone."""
    return {"sellerExternalReference": row.values[offers.REFERENCE]}


FEED = Feed(
    kind="offers-delete",
    area="feedtool.areas.offers",
    sheet="Offers",
    package_type=PackageType.DELETE,
    summary="Offers that are removed from the channel.",
    columns=columns,
    understood=offers.understood,
    modes=offers.modes,
    missing=missing,
    required=required,
    request=request,
    delivery=DELIVERY,
    extra_columns=offers.extra_columns,
    action=str(PackageType.DELETE),
    is_sent=lambda key: key in {offers.REFERENCE, offers.CHANNEL, offers.ACTION},
    needs_asking=True,
    title="Remove offers",
    about=(
        "Each row removes the offer that has this reference from the sales channel. To sell the"
        " product again, create the offer anew."
    ),
    with_retired=offers.with_retired,
    json=REQUESTS,
)
