"""The rules about what goes to the warehouses; their pages for users are in `problems.md`."""

from collections.abc import Iterator
from itertools import pairwise

from feedtool.areas.inbound import codes, columns
from feedtool.areas.inbound.feeds import PRODUCTS, SHIPMENTS
from feedtool.areas.inbound.shipments import product_name
from feedtool.feeds.feed import Row
from feedtool.feeds.occurrences import Occurrences, RowPlace
from feedtool.feeds.rule import Rule
from feedtool.model.nouns import Issue
from feedtool.model.text import FieldName, tr


def check_dimensions(row: Row) -> Iterator[Issue]:
    """Sides that are not in the order of their lengths."""
    sides = [(key, row.values.get(key)) for key in columns.DIMENSIONS]
    known = [(key, side) for key, side in sides if side is not None]
    for (shorter, shorter_side), (longer, longer_side) in pairwise(known):
        if shorter_side > longer_side:
            message = tr(
                "{longer} is {other}, less than {shorter}, {one}",
                longer=FieldName(longer),
                other=longer_side,
                shorter=FieldName(shorter),
                one=shorter_side,
            )
            hint = tr("write the shortest side first and the longest last")
            yield Issue(codes.DIMENSIONS_ORDER, message, hint, longer)


class RepeatedReferences(Occurrences):
    """Remembers the reference of each product until all files are read."""

    def see(self, sheet: int, row: Row) -> None:
        """Note a product."""
        reference = row.values.get(columns.REFERENCE)
        if row.feed is PRODUCTS and reference is not None:
            self.add(str(reference), sheet, row.number)

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """An issue for each row whose reference is repeated."""
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


class RepeatedItems(Occurrences):
    """Remembers the products of each new shipment until all files are read."""

    def see(self, sheet: int, row: Row) -> None:
        """Note a product of a new shipment."""
        names = (columns.SHIPMENT_REFERENCE, columns.GTIN, columns.CONDITION)
        values = [str(row.values.get(key) or "") for key in names]
        if row.feed is SHIPMENTS and all(values) and row.feed.requests.makes_request(row):
            reference, *pair = values
            self.add(f"{sheet}\0{reference}\0{product_name(*pair)}", sheet, row.number)

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """An issue for each row whose product is in its shipment before."""
        for index, _key, group in self.repeated():
            if index != group.first:
                others = self.others(index, group, names)
                message = tr("the shipment has this product in {others} too", others=others)
                hint = tr("keep one of the rows, with the sum of the quantities")
                yield self.place(index), Issue(codes.DUPLICATE_ITEM, message, hint, columns.GTIN)


KINDS = (PRODUCTS.kind, SHIPMENTS.kind)
RULES = (
    Rule(codes.DIMENSIONS_ORDER, check_dimensions, kinds=(PRODUCTS.kind,)),
    Rule(codes.REFERENCE_TWICE, survey=RepeatedReferences, kinds=(PRODUCTS.kind,)),
    Rule(codes.DUPLICATE_ITEM, survey=RepeatedItems, kinds=(SHIPMENTS.kind,)),
    *(Rule(code, kinds=KINDS) for code in codes.FOUND_ELSEWHERE),
)
