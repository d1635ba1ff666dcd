"""Offers meet products: what the offers of a command wait for, and which row that is.

Specification, part "Catalog endpoints": a product that the service does not know is created by
products-integration, and an offer for one that has no sheet is refused. So where one command has
both, an offer is held back until its product has had its answer; then it is sent whatever that
was, since the service may have had a sheet before. Where the service refuses it for want of one,
the product's row is named: that is where to mend it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from feedtool.delivery import plan
from feedtool.model.nouns import Message, PackageType, Status, Verdict
from feedtool.model.sheet import VALID

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from feedtool.model.nouns import Item
    from feedtool.model.settings import Limits
    from feedtool.model.sheet import CheckedSheet

PRODUCTS = "products"
"""The kind of the sheets that make products."""

NO_SHEET = "1324"
"""The resultCode of an offer whose product has no sheet (source: the field)."""

ADVICE = {
    Status.INVALID: "it was not sent. Correct it, and send both again.",
    Status.REFUSED: "correct it, and send both again.",
    Status.REJECTED: "correct it, and send both again.",
    Status.INTEGRATED: "send this row again.",
}
"""What is to be done for an offer whose product has no sheet, by what became of the product."""


class Made(NamedTuple):
    """The row that makes a product."""

    sheet: int
    """Which of the command's sheets."""
    row: int


class Meeting:
    """The sheets of a command: products, and the offers that need them."""

    def __init__(self, sheets: Sequence[CheckedSheet]) -> None:
        """Sheets as they were checked; nothing is looked at before it is asked for."""
        self._sheets = sheets

    def uploads(self, sheet: CheckedSheet, limits: Limits) -> Iterator[plan.Planned]:
        """The uploads of a sheet's valid rows; offers that wait travel apart."""
        order = () if self._sent else sheet.order
        return plan.uploads(sheet.valid_items(), limits, self._waits, order)

    def _waits(self, item: Item) -> bool:
        """Whether an offer's product is sent too: only an Upsert may make an offer."""
        is_made = item.package_type is PackageType.UPSERT and bool(self._sent)
        return is_made and not self._sent.isdisjoint(plan.offered(item.product))

    def pointed(
        self,
        sheet: CheckedSheet,
        verdicts: Iterable[Verdict],
        statuses_of: Callable[[int], Mapping[int, Status]],
    ) -> Iterator[Verdict]:
        """Verdicts that name the row of the product, where that is what an offer lacks.

        Args:
            sheet: The offers'.
            verdicts: What became of its rows, by row.
            statuses_of: What became of the rows of one of the command's sheets.
        """
        if not self._made or sheet.kind == PRODUCTS:
            yield from verdicts
            return
        items = iter(sheet.items)
        item = next(items, None)
        for verdict in verdicts:
            while item and item.row < verdict.row:
                item = next(items, None)
            is_its = item and item.row == verdict.row and item.package_type is PackageType.UPSERT
            made = self._made_by(item.product) if item and is_its else None
            told = made and self._told(verdict, made, statuses_of)
            yield verdict._replace(messages=(*verdict.messages, told)) if told else verdict

    def _made_by(self, product: str) -> Made | None:
        """Where the product of an offer is made: by its GTIN, else by its reference."""
        found = (self._made.get(name) for name in sorted(plan.offered(product)))
        return next(filter(None, found), None)

    def _told(
        self,
        verdict: Verdict,
        made: Made,
        statuses_of: Callable[[int], Mapping[int, Status]],
    ) -> Message | None:
        is_refused = verdict.status is Status.REJECTED and NO_SHEET in {
            message.code for message in verdict.messages
        }
        if not is_refused and verdict.status is not Status.PENDING:
            return None
        where, status = self._place(made), statuses_of(made.sheet).get(made.row)
        if is_refused and status:
            advice = ADVICE.get(status, "see there, then send this row again.")
            return Message("", f"Its product is {where}, which is {status}: {advice}")
        if verdict.status is status:
            return Message("", f"It is held back until its product is answered: {where}.")
        return None

    def _place(self, made: Made) -> str:
        """`row 6 of sheet Products`, and of which file where there are several."""
        sheet = self._sheets[made.sheet]
        where = f"row {made.row}" + (f" of sheet {sheet.sheet}" if sheet.sheet else "")
        has_others = len({one.file for one in self._sheets}) > 1
        return f"{where} of {sheet.file}" if has_others else where

    @cached_property
    def _made(self) -> dict[str, Made]:
        """Where each product is made, by all that it is named by; the invalid ones too."""
        if {sheet.kind == PRODUCTS for sheet in self._sheets} != {True, False}:
            return {}
        found: dict[str, Made] = {}
        for number, sheet in enumerate(self._sheets):
            for row, names in _products(sheet):
                for name in names:
                    found.setdefault(name, Made(number, row))
        return found

    @cached_property
    def _sent(self) -> frozenset[str]:
        """What the products are named by that are sent."""
        return frozenset(
            name
            for name, made in self._made.items()
            if self._sheets[made.sheet].marks[made.row] == VALID
        )


def _products(sheet: CheckedSheet) -> Iterator[tuple[int, set[str]]]:
    """The rows of a products sheet, and what they are named by."""
    if sheet.kind != PRODUCTS or sheet.error is not None:
        return
    for item in sheet.items:
        yield item.row, plan.named_by(item.reference, item.product)
    for refused in sheet.refused:
        yield refused.row, plan.named_by(refused.reference or "", refused.product)
