"""The rules about rows of orders; their pages for users are in `problems.md`.

A row shows its order as it was exported: a fault that cannot have changed since is an
error, else a warning, because the order is read again before anything is sent.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from feedtool.areas.orders import codes, columns
from feedtool.areas.orders.acts import SHIPPED
from feedtool.areas.orders.columns import ACCEPT, CANCEL, GESTURE, REFUSE, SHIP
from feedtool.areas.orders.feeds import action_of
from feedtool.areas.orders.settings import OrderSettings
from feedtool.areas.orders.shipments import folded, not_eligible
from feedtool.areas.orders.wire import STATUSES, Reason
from feedtool.feeds.feed import ACTION, CHANNEL, Row, stamped_list
from feedtool.feeds.occurrences import Occurrences, RowPlace
from feedtool.feeds.rule import Rule
from feedtool.model.nouns import Code, Issue
from feedtool.model.text import FieldName, MessageText, joined, tr
from feedtool.service.answers import spelled

ORDERS = ("orders", "orders-accept", "orders-refuse", "orders-cancel", "orders-gesture")
SHIPPING = frozenset({"orders", "shipments"})
KINDS = SHIPPING | set(ORDERS)
REASONS = "feedtool.reasons"
"""The stamp of an export: the reasons that the service gave, by channel and status."""


# Of a row.


def check_action(row: Row) -> Iterator[Issue]:
    """A row in which something is filled, and that does not say what for."""
    if row.is_blank(ACTION) and row.is_blank(columns.PARCEL):
        key = next(key for key in columns.FILLED if not row.is_blank(key))
        message = tr("{field} is filled, and the row says no action", field=FieldName(key))
        yield Issue(
            codes.ACTION_MISSING, message, tr("choose an action, or empty the cell"), ACTION
        )


class Possible(NamedTuple):
    """The statuses of an order in which an action can be."""

    now: frozenset[str]
    never: frozenset[str]
    """In these it can never be: an order does not leave them."""


_CLOSED = frozenset({"Refused", "Rejected"})
POSSIBLE: Mapping[str, Possible] = {
    ACCEPT: Possible(frozenset({"WaitingAcceptance", "Processing"}), _CLOSED | {"Cancelled"}),
    REFUSE: Possible(
        frozenset({"WaitingAcceptance", "Processing"}), SHIPPED | {"Cancelled", "Rejected"}
    ),
    SHIP: Possible(frozenset({"InPreparation", "Accepted"}), _CLOSED | {"Cancelled"}),
    CANCEL: Possible(
        frozenset({"WaitingAcceptance", "Accepted", "InPreparation", *SHIPPED}), _CLOSED
    ),
    GESTURE: Possible(SHIPPED, _CLOSED | {"Cancelled"}),
}
"""By action (specification, "Order and line")."""


def check_state(row: Row) -> Iterator[Issue]:
    """An action that the order's status, as it was exported, does not allow."""
    action, status = row.feed.travel.package_type, spelled(row.values.get(columns.STATUS), STATUSES)
    possible = POSSIBLE.get(action)
    if not status or possible is None or status in possible.now:
        return
    values = {"status": status, "action": columns.ACTION_TYPE.label(action)}
    if status in possible.never:
        message = tr("the order is {status}: {action} is not possible", **values)
        hint = tr("empty the row's action")
        yield Issue(codes.ACTION_NOT_POSSIBLE, message, hint, ACTION)
    else:
        message = tr("the order was {status} when it was exported", **values)
        hint = tr("nothing needs to be done: it is looked at again before it is sent")
        yield Issue(codes.STATE_WHEN_EXPORTED, message, hint, ACTION)


def check_supply(row: Row) -> Iterator[Issue]:
    """A shipment of what the warehouse ships."""
    mode = row.values.get(columns.SUPPLY)
    if mode and str(mode).casefold() != "seller":
        message = tr("the warehouse ships it: its supply mode is {mode}", mode=mode)
        yield Issue(codes.ACTION_NOT_POSSIBLE, message, tr("empty the row's action"), ACTION)


def check_channel(row: Row) -> Iterator[Issue]:
    """Report an approval on a channel that accepts orders by itself."""
    channel, primary = row.values.get(CHANNEL), row.sheet.context.settings.primary_channel
    if channel and channel != primary:
        message = tr(
            "orders of {channel} are accepted by themselves; only {primary} asks for it",
            channel=channel,
            primary=primary,
        )
        hint = tr("empty the row's action; to refuse an order of this channel, cancel it")
        yield Issue(codes.APPROVAL_PRIMARY_ONLY, message, hint, ACTION)


def check_reason(row: Row) -> Iterator[Issue]:
    """A reason that the service did not list for the row's channel and status."""
    reason = row.values.get(columns.REASON)
    place = f"{row.values.get(CHANNEL)}|{row.values.get(columns.STATUS)}"
    listed = dict(entry.rpartition("=")[::2] for entry in stamped_list(row.sheet.stamp, REASONS))
    allowed = [*map(Reason.stamped, listed[place].split("|"))] if listed.get(place) else []
    if reason and allowed and reason not in {item.code for item in allowed}:
        message, hint = not_eligible(reason, allowed)
        yield Issue(codes.REASON_NOT_ELIGIBLE, message, hint, columns.REASON)


def check_gesture(row: Row) -> Iterator[Issue]:
    """Report a gesture above the total of its line."""
    amount, total = row.values.get(columns.AMOUNT), row.values.get(columns.TOTAL)
    if amount is not None and total is not None and amount > total:
        message = tr("{amount} is above the line's total of {total}", amount=amount, total=total)
        hint = tr("correct the amount")
        yield Issue(codes.GESTURE_ABOVE_ORDER, message, hint, columns.AMOUNT)


_UPU = re.compile(r"[A-Z]{2}([0-9]{8})([0-9])[A-Z]{2}")
_WEIGHTS = (8, 6, 4, 2, 3, 5, 9, 7)


def check_parcel(row: Row) -> Iterator[Issue]:
    """Report a postal number (UPU S10) whose check digit is wrong."""
    match = _UPU.fullmatch("".join(str(row.values.get(columns.PARCEL) or "").split()).upper())
    if match is None:
        return
    rest = (
        11 - sum(int(digit) * weight for digit, weight in zip(match[1], _WEIGHTS, strict=True)) % 11
    )
    if int(match[2]) != {10: 0, 11: 5}.get(rest, rest):
        message = tr("the check digit of {number} is wrong", number=row.values[columns.PARCEL])
        hint = tr("compare it with the label")
        yield Issue(codes.PARCEL_CHECKSUM, message, hint, columns.PARCEL)


_ADDRESS = re.compile(r"https?://[^\s/]+\.\S+", re.IGNORECASE)


def check_address(row: Row) -> Iterator[Issue]:
    """Report a tracking address that is not a web address."""
    address = row.values.get(columns.TRACKING)
    if address and not _ADDRESS.fullmatch(str(address)):
        message = tr("“{address}” is not an address on the web", address=address)
        hint = tr("write it from https:// on, or leave the cell empty")
        yield Issue(codes.TRACKING_URL, message, hint, columns.TRACKING)


# Rows of the same order.


class RowsOfOrder(Occurrences):
    """Remembers the action of each row until all files are read."""

    def see(self, sheet: int, row: Row) -> None:
        order = row.values.get(columns.ORDER)
        if row.feed.kind not in KINDS or not order or not action_of(row):
            return
        self.add(str(order), sheet, row.number)
        parcel = str(row.values.get(columns.PARCEL) or "")
        line = str(row.values.get(columns.LINE) or row.values.get(columns.PRODUCT) or "")
        count = row.values.get(columns.LINES)
        managed = row.sheet.context.settings.of(OrderSettings).line_management
        is_whole_only = managed.get(str(row.values.get(CHANNEL)), "") == "no"
        lines = count if isinstance(count, int) else 0
        action = row.feed.travel.package_type
        self.notes.append((action, line, folded(parcel), lines, is_whole_only))

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """The issues of rows of one order that contradict each other."""
        by_order: dict[str, list[int]] = {}
        for index in range(len(self)):
            by_order.setdefault(self.key(index), []).append(index)
        issues = [
            (index, issue)
            for indexes in by_order.values()
            for index, issue in self._of_order(indexes, names)
        ]
        for index, issue in sorted(issues, key=lambda pair: pair[0]):
            yield self.place(index), issue

    def _of_order(self, indexes: list[int], names: list[str]) -> Iterator[tuple[int, Issue]]:
        notes = {index: self.notes[index] for index in indexes}
        actions = {action for action, *_ in notes.values()}
        approvals = actions & {ACCEPT, REFUSE}
        first: dict[tuple[str, str, str], int] = {}
        for index, (action, line, parcel, lines, is_whole_only) in notes.items():
            same = (action, line, parcel)
            if action != GESTURE and same in first:
                yield index, _twice(self.place(index), self.place(first[same]), names)
            first.setdefault(same, index)
            if approvals and len(actions) > 1:
                yield index, _actions_differ(sorted(actions))
            line_names = {line for other, line, *_ in notes.values() if other == action and line}
            if lines and line_names and len(line_names) < lines and action in {REFUSE, SHIP}:
                yield index, _part(action, len(line_names), lines, is_whole_only=is_whole_only)


def _twice(place: RowPlace, first: RowPlace, names: list[str]) -> Issue:
    where = tr("row {row}", row=first.row)
    if first.sheet != place.sheet:
        where = tr("row {row} of {sheet}", row=first.row, sheet=names[first.sheet])
    message = tr("the same is asked in {place}", place=where)
    return Issue(codes.DUPLICATE_ROW, message, tr("keep one of the two"), columns.LINE)


def _actions_differ(actions: list[str]) -> Issue:
    message = tr(
        "rows of one order ask for {actions}: it is accepted or refused as a whole",
        actions=joined(map(columns.ACTION_TYPE.label, actions)),
    )
    hint = tr("choose one action for all rows of the order")
    return Issue(codes.ACTIONS_DIFFER, message, hint, ACTION)


def _part(action: str, count: int, lines: int, *, is_whole_only: bool) -> Issue:
    part: MessageText = tr("{own} of {lines} lines of the order", own=count, lines=lines)
    if action == REFUSE:
        message = tr("{part} are refused; the service refuses whole orders alone", part=part)
        hint = tr("refuse all lines, or accept the order and cancel these lines")
        return Issue(codes.REFUSE_PART, message, hint, ACTION)
    code: Code = codes.SHIP_PART if is_whole_only else codes.SHIP_PART_ADVISED
    message = tr("{part} are shipped", part=part)
    hint = tr("ship all lines at once, unless the channel takes single lines")
    return Issue(code, message, hint, ACTION)


SERIES = 3
"""The least length of a series of numbers that rise by one."""


class ParcelSeries:
    """Remembers the numbers of parcels row by row: a spreadsheet's fill handle makes series."""

    def __init__(self) -> None:
        self._rows: list[tuple[RowPlace, str]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def rewind(self, length: int) -> None:
        del self._rows[length:]

    def see(self, sheet: int, row: Row) -> None:
        if row.feed.kind in SHIPPING and (number := row.values.get(columns.PARCEL)):
            self._rows.append((RowPlace(sheet, row.number), str(number)))

    def faults(self, _: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """A warning for each row of a series."""
        begin = 0
        for end in range(1, len(self._rows) + 1):
            if end < len(self._rows) and self._follows(end):
                continue
            if end - begin >= SERIES:
                first, last = self._rows[begin][1], self._rows[end - 1][1]
                message = tr(
                    "{first} to {last} rise by one from row to row", first=first, last=last
                )
                hint = tr("look whether the cells were filled by dragging")
                for place, _number in self._rows[begin:end]:
                    yield place, Issue(codes.PARCEL_SERIES, message, hint, columns.PARCEL)
            begin = end

    def _follows(self, index: int) -> bool:
        (before, first), (place, second) = self._rows[index - 1 : index + 1]
        head, other = (re.fullmatch(r"(.*?)([0-9]{1,18})", number) for number in (first, second))
        if not (head and other and place == before._replace(row=before.row + 1)):
            return False
        return head[1] == other[1] and int(other[2]) == int(head[2]) + 1


APPROVALS = ("orders-accept", "orders-refuse")

RULES = (
    Rule(codes.ACTION_MISSING, check_action, kinds=("orders",)),
    Rule(codes.ACTION_NOT_POSSIBLE, check_supply, kinds=("orders",)),
    Rule(codes.ACTIONS_DIFFER, survey=RowsOfOrder, kinds=tuple(KINDS)),
    Rule(codes.APPROVAL_PRIMARY_ONLY, check_channel, kinds=APPROVALS),
    Rule(codes.GESTURE_ABOVE_ORDER, check_gesture, kinds=("orders-gesture",)),
    Rule(codes.PARCEL_CHECKSUM, check_parcel, kinds=tuple(SHIPPING)),
    Rule(codes.PARCEL_SERIES, survey=ParcelSeries, kinds=tuple(SHIPPING)),
    Rule(codes.REASON_NOT_ELIGIBLE, check_reason, kinds=("orders-cancel",)),
    Rule(codes.STATE_WHEN_EXPORTED, check_state, kinds=ORDERS),
    Rule(codes.TRACKING_URL, check_address, kinds=tuple(SHIPPING)),
    *(Rule(code, kinds=tuple(KINDS)) for code in codes.FOUND_ELSEWHERE),
)
