"""The codes of problems with orders; their pages for users are in `problems.md`."""

from feedtool.feeds.judgement import ALREADY_SO
from feedtool.feeds.rule import Problems

PROBLEMS = Problems("feedtool.areas.orders")

ACTION_MISSING = PROBLEMS.error("action-missing")
ACTION_NOT_POSSIBLE = PROBLEMS.error("action-not-possible")
ACTIONS_DIFFER = PROBLEMS.error("actions-differ")
APPROVAL_PRIMARY_ONLY = PROBLEMS.error("approval-primary-only")
CANCEL_NOT_ELIGIBLE = PROBLEMS.error("cancel-not-eligible")
CARRIER_UNKNOWN = PROBLEMS.warning("carrier-unknown")
DUPLICATE_ROW = PROBLEMS.error("duplicate-row")
GESTURE_ABOVE_AVAILABLE = PROBLEMS.error("gesture-above-available")
GESTURE_ABOVE_ORDER = PROBLEMS.error("gesture-above-order")
LINE_AMBIGUOUS = PROBLEMS.error("line-ambiguous")
ORDER_UNKNOWN = PROBLEMS.error("order-unknown")
PARCEL_CHECKSUM = PROBLEMS.warning("parcel-checksum")
PARCEL_SERIES = PROBLEMS.warning("parcel-series")
REASON_NOT_ELIGIBLE = PROBLEMS.error("reason-not-eligible")
REFUSE_PART = PROBLEMS.error("refuse-part")
SHIP_PART = PROBLEMS.error("ship-part")
SHIP_PART_ADVISED = PROBLEMS.warning("ship-part-advised")
SHIPPED_OTHERWISE = PROBLEMS.error("shipped-otherwise")
STATE_WHEN_EXPORTED = PROBLEMS.warning("state-when-exported")
TOO_LATE_TO_REFUSE = PROBLEMS.error("too-late-to-refuse")
TRACKING_URL = PROBLEMS.error("tracking-url")

GESTURE_AGAIN = PROBLEMS.error("gesture-again")
GESTURE_TOTAL = PROBLEMS.error("gesture-total")
MASS_REFUSAL = PROBLEMS.error("mass-refusal")
PARCEL_REPEATED = PROBLEMS.error("parcel-repeated")
SHIPS_CANCELLED = PROBLEMS.error("ships-cancelled")

GUARDS = (GESTURE_AGAIN, GESTURE_TOTAL, MASS_REFUSAL, PARCEL_REPEATED, SHIPS_CANCELLED)
FOUND_ELSEWHERE = (
    *(DUPLICATE_ROW, REFUSE_PART, SHIP_PART, SHIP_PART_ADVISED, CARRIER_UNKNOWN, ALREADY_SO),
    *(ORDER_UNKNOWN, SHIPPED_OTHERWISE, CANCEL_NOT_ELIGIBLE, TOO_LATE_TO_REFUSE),
    *(GESTURE_ABOVE_AVAILABLE, LINE_AMBIGUOUS),
)
"""Codes that are found with others, while a cell is read, or when an order is looked at."""
