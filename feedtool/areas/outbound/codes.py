"""The codes of problems with outbound shipments and returns; their pages are in `problems.md`."""

from feedtool.feeds.rule import Problems

PROBLEMS = Problems("feedtool.areas.outbound")

BOTH_IDENTIFICATIONS = PROBLEMS.warning("both-identifications")
CARRIER_REASON = PROBLEMS.error("carrier-reason")
DELIVERY_MODE_UNKNOWN = PROBLEMS.warning("delivery-mode-unknown")

PARCEL_ROW_TWICE = PROBLEMS.warning("parcel-row-twice")
PICKUP_POINT_MISSING = PROBLEMS.error("pickup-point-missing")
RETURN_REASON_UNKNOWN = PROBLEMS.warning("return-reason-unknown")
SWISS_AMOUNTS = PROBLEMS.error("swiss-amounts")

CANCEL_TOO_LATE = PROBLEMS.error("cancel-too-late")
CANCELLATION_REFUSED = PROBLEMS.error("cancellation-refused")
RETURN_NOT_SHIPPED = PROBLEMS.error("return-not-shipped")
RETURN_PRODUCT = PROBLEMS.error("return-product")
RETURN_QUANTITY = PROBLEMS.error("return-quantity")
SHIPMENT_REJECTED = PROBLEMS.error("shipment-rejected")
REFERENCE_TAKEN = PROBLEMS.error("parcel-reference-taken")
SHIPMENT_UNKNOWN = PROBLEMS.error("shipment-unknown")

PARCEL_DOUBTFUL = PROBLEMS.error("parcel-doubtful")

LOOKED_UP = (
    *(CANCEL_TOO_LATE, CANCELLATION_REFUSED, RETURN_NOT_SHIPPED, RETURN_PRODUCT, RETURN_QUANTITY),
    *(SHIPMENT_REJECTED, REFERENCE_TAKEN, SHIPMENT_UNKNOWN),
)
"""Codes that are found when the service is looked at."""
