"""The rules about what goes to the warehouses; their pages for users are in `problems.md`."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from feedtool.areas.inbound import codes, columns
from feedtool.areas.inbound.feeds import PRODUCTS, SHIPMENTS, asked_of
from feedtool.areas.inbound.shipments import product_name
from feedtool.feeds.feed import Row
from feedtool.feeds.rule import Occurrences, Place, Rule
from feedtool.model.nouns import Issue
from feedtool.model.text import FieldName, tr


def check_dimensions(row: Row) -> Iterator[Issue]:
    """Sides that are not in the order of their lengths."""
    sides = [(key, row.values.get(key)) for key in columns.DIMENSIONS]
    known = [(key, side) for key, side in sides if side is not None]
    for (shorter, one), (longer, other) in pairwise(known):
        if one > other:
            message = tr(
                "{longer} is {other}, less than {shorter}, {one}",
                longer=FieldName(longer),
                other=other,
                shorter=FieldName(shorter),
                one=one,
            )
            hint = tr("write the shortest side first and the longest last")
            yield Issue(codes.DIMENSIONS_ORDER, message, hint, longer)


class RepeatedReferences(Occurrences):
    """Remembers the reference of each product until all files are read."""

    def see(self, sheet: int, row: Row) -> None:
        """Notes a product."""
        reference = row.values.get(columns.REFERENCE)
        if row.feed is PRODUCTS and reference is not None:
            self.add(str(reference), sheet, row.number)

    def faults(self, names: list[str]) -> Iterator[tuple[Place, Issue]]:
        """An issue for each row whose reference is not alone."""
        for index, reference, group in self.repeated():
            message = tr(
                "“{reference}” occurs {count} times: also in {others}",
                reference=reference,
                count=len(group),
                others=self.others(index, group, names),
            )
            hint = tr("keep one row of each reference: it is of one GTIN in one condition")
            issue = Issue(codes.REFERENCE_TWICE, message, hint, columns.REFERENCE, reference)
            yield self.place(index), issue


HEADER = (columns.COUNTRY, columns.MODE)
"""The keys that all rows of a shipment agree in."""


class RowsOfShipment(Occurrences):
    """Remembers the rows of each shipment until all files are read."""

    def __init__(self) -> None:
        super().__init__()
        self._values: list[tuple[str, ...]] = []

    def rewind(self, length: int) -> None:
        """Forgets all but the first `length` rows."""
        super().rewind(length)
        del self._values[length:]

    def see(self, sheet: int, row: Row) -> None:
        """Notes a row of a new shipment."""
        reference = row.values.get(columns.SHIPMENT_REFERENCE)
        if row.feed is not SHIPMENTS or reference is None or not asked_of(row):
            return
        self.add(f"{sheet}\0{reference}", sheet, row.number)
        header = (str(row.values.get(key) or "") for key in HEADER)
        pair = [str(row.values.get(key) or "") for key in (columns.GTIN, columns.CONDITION)]
        self._values.append((*header, product_name(*pair) if all(pair) else ""))

    def faults(self, _: list[str]) -> Iterator[tuple[Place, Issue]]:
        """The issues of rows that do not go together."""
        for index, _key, group in self.repeated():
            before = [other for other in group if other < index]
            for issue in (*self._differing(index, before), *self._twice(index, before)):
                yield self.place(index), issue

    def _differing(self, index: int, before: Sequence[int]) -> Iterator[Issue]:
        """The cells of a row that say something else than those of an earlier one."""
        for place, key in enumerate(HEADER):
            value = self._values[index][place]
            others = (other for other in before if value and self._values[other][place])
            first = next(others, None)
            if first is None or self._values[first][place] == value:
                continue
            message = tr(
                "{field} is {value} here and {other} in row {row} of the same shipment",
                field=FieldName(key),
                value=value,
                other=self._values[first][place],
                row=self.place(first).row,
            )
            hint = tr("write the same in all rows, or give the shipments references of their own")
            yield Issue(codes.HEADER_DIFFERS, message, hint, key)

    def _twice(self, index: int, before: Sequence[int]) -> Iterator[Issue]:
        pair = self._values[index][-1]
        first = next((other for other in before if pair and self._values[other][-1] == pair), None)
        if first is not None:
            row = self.place(first).row
            message = tr("the same product in this condition is in row {row}", row=row)
            hint = tr("keep one of the rows, with the sum of the quantities")
            yield Issue(codes.DUPLICATE_ITEM, message, hint, columns.GTIN)


KINDS = (PRODUCTS.kind, SHIPMENTS.kind)
RULES = (
    Rule(codes.DIMENSIONS_ORDER, check_dimensions, kinds=(PRODUCTS.kind,)),
    Rule(codes.REFERENCE_TWICE, survey=RepeatedReferences, kinds=(PRODUCTS.kind,)),
    Rule(codes.HEADER_DIFFERS, survey=RowsOfShipment, kinds=(SHIPMENTS.kind,)),
    Rule(codes.DUPLICATE_ITEM, kinds=(SHIPMENTS.kind,)),
    *(Rule(code, kinds=KINDS) for code in codes.FOUND_ELSEWHERE),
)
