"""Guards against mistakes in rows of orders that are valid; their pages are in `problems.md`.

A row that a guard holds is sent only once its code is released. That the same gesture was sent
before is known to the ledger alone.
"""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from feedtool.areas.orders import codes, columns
from feedtool.areas.orders.feeds import FEEDS, action_of
from feedtool.areas.orders.settings import OrderSettings
from feedtool.areas.orders.shipments import folded
from feedtool.feeds.feed import ACTION, Row
from feedtool.feeds.occurrences import RowPlace
from feedtool.feeds.rule import Rule, guard_issue
from feedtool.model.nouns import Issue
from feedtool.model.text import tr

FEW_REFUSALS = 5
"""Below so many orders a file refuses nothing in mass."""
PERCENT = 100


class _GuardedRow(NamedTuple):
    """A row and its action."""

    place: RowPlace
    order: str
    action: str
    """Empty for a row without an action."""
    parcel: str
    amount: Decimal | None
    total: Decimal | None
    is_cancelled: bool
    """True if the customer has asked to cancel its line."""


class GuardedRows:
    """Remembers the rows of orders until all files are read."""

    def __init__(self) -> None:
        self._rows: list[_GuardedRow] = []
        self._settings = OrderSettings()

    def __len__(self) -> int:
        return len(self._rows)

    def rewind(self, length: int) -> None:
        del self._rows[length:]

    def see(self, sheet: int, row: Row) -> None:
        """Note a row, also one without an action."""
        if row.feed not in FEEDS:
            return
        values = row.values
        self._settings = row.sheet.context.settings.of(OrderSettings)
        self._rows.append(
            _GuardedRow(
                RowPlace(sheet, row.number),
                str(values.get(columns.ORDER) or ""),
                action_of(row),
                folded(str(values.get(columns.PARCEL) or "")),
                values.get(columns.AMOUNT),
                values.get(columns.TOTAL),
                str(values.get(columns.LINE_STATUS)).casefold() == "cancelrequest",
            )
        )

    def faults(self, _: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """The rows that are held, and why."""
        yield from self._mass_refusal()
        yield from self._gestures()
        yield from self._repeated_parcels()
        for row in self._rows:
            if row.action == columns.SHIP and row.is_cancelled:
                message = tr("the customer has asked to cancel this line")
                yield row.place, guard_issue(codes.SHIPS_CANCELLED, message, ACTION)

    def _mass_refusal(self) -> Iterator[tuple[RowPlace, Issue]]:
        refusing = [row for row in self._rows if row.action in {columns.REFUSE, columns.CANCEL}]
        refused = len({row.order for row in refusing})
        every = len({row.order for row in self._rows})
        most = self._settings.refusals
        if most and refused >= FEW_REFUSALS and refused * PERCENT > most * every:
            message = tr(
                "{refused} of {every} orders would be refused or cancelled (allowed: {most} %)",
                refused=refused,
                every=every,
                most=most,
            )
            for row in refusing:
                yield row.place, guard_issue(codes.MASS_REFUSAL, message, ACTION)

    def _gestures(self) -> Iterator[tuple[RowPlace, Issue]]:
        gestures = [(row, row.amount) for row in self._rows if row.action == columns.GESTURE]
        amounts = [(row, amount) for row, amount in gestures if amount is not None]
        total, most = sum(amount for _, amount in amounts), self._settings.gestures
        share = self._settings.gesture_share
        for row, amount in amounts:
            if most and total > most:
                message = tr(
                    "the gestures of the file are {total} (allowed: {most})", total=total, most=most
                )
            elif share and row.total and amount * PERCENT > share * row.total:
                message = tr(
                    "{amount} is more than {share} % of the line's total of {total}",
                    amount=amount,
                    share=share,
                    total=row.total,
                )
            else:
                continue
            yield row.place, guard_issue(codes.GESTURE_TOTAL, message, columns.AMOUNT)

    def _repeated_parcels(self) -> Iterator[tuple[RowPlace, Issue]]:
        orders: defaultdict[str, set[str]] = defaultdict(set)
        shipping = [row for row in self._rows if row.parcel and row.action in SHIPPING]
        for row in shipping:
            orders[row.parcel].add(row.order)
        for row in shipping:
            if others := sorted(orders[row.parcel] - {row.order}):
                message = tr("order {order} has this parcel number, too", order=others[0])
                yield row.place, guard_issue(codes.PARCEL_REPEATED, message, columns.PARCEL)


SHIPPING = frozenset({columns.SHIP, "Shipment"})
"""The package types of parcels."""

KINDS = tuple(feed.kind for feed in FEEDS)

GUARDS = (
    Rule(codes.MASS_REFUSAL, survey=GuardedRows, kinds=KINDS, is_guard=True),
    *(
        Rule(code, kinds=KINDS, is_guard=True)
        for code in codes.GUARDS
        if code is not codes.MASS_REFUSAL
    ),
)
