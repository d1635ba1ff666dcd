"""The rules about rows of shipments and returns; their pages for users are in `problems.md`.

Specification, "Fulfillment", rules 3 to 5.
"""

from collections.abc import Iterator

from feedtool.areas.outbound import codes, columns
from feedtool.areas.outbound.feeds import CREATE, FEEDS, RETURNS
from feedtool.feeds.feed import Row
from feedtool.feeds.occurrences import Occurrences, RowPlace
from feedtool.feeds.rule import Rule
from feedtool.model.nouns import Issue
from feedtool.model.text import FieldName, tr

PICKUP_MODE, SWITZERLAND = "PPMR", "CH"


def check_identification(row: Row) -> Iterator[Issue]:
    """Both ways of naming a product, of which one wins."""
    if not row.is_blank(columns.PRODUCT_REFERENCE) and not row.is_blank(columns.PRODUCT):
        message = tr("{field} is filled too, and wins", field=FieldName(columns.PRODUCT_REFERENCE))
        hint = tr("nothing needs to be done if both mean the same product")
        yield Issue(codes.BOTH_IDENTIFICATIONS, message, hint, columns.PRODUCT)


def check_pickup(row: Row) -> Iterator[Issue]:
    """A delivery to a pickup point that is not named."""
    if row.values.get(columns.MODE) == PICKUP_MODE and row.is_blank(columns.PICKUP):
        message = tr(
            "{mode} delivers to a pickup point, and no pickup point is given", mode=PICKUP_MODE
        )
        hint = tr("fill the pickup point, or choose another delivery mode")
        yield Issue(codes.PICKUP_POINT_MISSING, message, hint, columns.PICKUP)


def check_amounts(row: Row) -> Iterator[Issue]:
    """Amounts that the customs of Switzerland ask for."""
    if row.values.get(columns.COUNTRY) == SWITZERLAND:
        for key in row.blanks(columns.AMOUNTS):
            message = tr("{field} is required for Switzerland", field=FieldName(key))
            yield Issue(codes.SWISS_AMOUNTS, message, tr("fill the cell"), key)


def check_reason(row: Row) -> Iterator[Issue]:
    """A reason that only carriers can give."""
    reason = row.values.get(columns.REASON)
    if reason in columns.CARRIER_REASONS:
        message = tr("“{reason}” is a reason of carriers", reason=reason)
        reasons = ", ".join(columns.reasons(row.sheet.context.settings))
        hint = tr("choose a reason of customers: {reasons}", reasons=reasons)
        yield Issue(codes.CARRIER_REASON, message, hint, columns.REASON)


class ProductsOfParcels(Occurrences):
    """Remembers the products of each shipment and return."""

    def see(self, sheet: int, row: Row) -> None:
        """Note a row of a shipment or a return that is sent."""
        keys = (columns.PRODUCT_REFERENCE, columns.PRODUCT, columns.CONDITION)
        product = [str(row.values.get(key) or "") for key in keys]
        if row.feed in {CREATE, RETURNS} and row.feed.requests.makes_request(row) and any(product):
            reference = str(row.values.get(columns.REFERENCE) or "")
            self.add("\n".join((row.feed.kind, reference, *product)), sheet, row.number)

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """A warning for each row of a product that has another one."""
        for index, _, same in self.repeated():
            message = tr(
                "the same product is in {rows}, under the same reference",
                rows=self.others(index, same, names),
            )
            hint = tr("nothing needs to be done if all pieces together are meant")
            yield self.place(index), Issue(codes.PARCEL_ROW_TWICE, message, hint)


OF_SHIPMENTS, OF_RETURNS = (CREATE.kind,), (RETURNS.kind,)
KINDS = tuple(feed.kind for feed in FEEDS)

RULES = (
    Rule(codes.BOTH_IDENTIFICATIONS, check_identification, kinds=OF_SHIPMENTS),
    Rule(codes.CARRIER_REASON, check_reason, kinds=OF_RETURNS),
    Rule(codes.PARCEL_ROW_TWICE, survey=ProductsOfParcels, kinds=KINDS),
    Rule(codes.PICKUP_POINT_MISSING, check_pickup, kinds=OF_SHIPMENTS),
    Rule(codes.SWISS_AMOUNTS, check_amounts, kinds=OF_SHIPMENTS),
    Rule(codes.DELIVERY_MODE_UNKNOWN, kinds=OF_SHIPMENTS),
    Rule(codes.RETURN_REASON_UNKNOWN, kinds=OF_RETURNS),
    Rule(codes.PARCEL_DOUBTFUL, kinds=KINDS, is_guard=True),
    *(Rule(code, kinds=KINDS) for code in codes.LOOKED_UP),
)
