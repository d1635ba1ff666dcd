"""The group of a variant, which is requested from the service by GTIN.

Specification, "Catalog endpoints": an existing group of a family is used again. It is requested if
a row needs one: for the row's own product if the cell is blank, and for another member of the
family if the cell holds that member's GTIN.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from feedtool.areas.products.columns import properties
from feedtool.areas.products.columns.common import GROUP, GTIN
from feedtool.areas.products.columns.properties import details_of
from feedtool.areas.products.wire import group_of, read_product
from feedtool.feeds.columns.gtin import check_digit
from feedtool.feeds.feed import Enrich, Row, SheetColumns
from feedtool.feeds.rule import Problems
from feedtool.model.nouns import Issue
from feedtool.model.text import tr

VARIANT_GROUP_FOUND = Problems("feedtool.areas.products").warning("variant-group-found")

_DIGITS = re.compile(r"[0-9]{8}|[0-9]{12,14}", re.ASCII)
_REMEMBERED = 4096


def enrich(sheet: SheetColumns) -> Enrich:
    """Check the properties of rows, and fill in the groups that the service has."""
    judge, ask = properties.enrich(sheet), sheet.context.ask
    if ask is None:
        return judge

    @lru_cache(_REMEMBERED)
    def known(gtin: str) -> str:
        return ask(tr("products"), read_product(gtin), lambda reply: group_of(reply, gtin))

    def enrich_row(row: Row) -> tuple[Row, Sequence[Issue]]:
        row, issues = judge(row)
        gtin = member_of(row)
        group = known(gtin) if gtin else ""
        if not group or group == gtin:
            return row, issues
        message = tr("the service has {gtin} in the group {group}: sent so", gtin=gtin, group=group)
        hint = tr("nothing needs to be done; write it into the cell to keep it")
        issue = Issue(VARIANT_GROUP_FOUND, message, hint, GROUP, gtin)
        return row._replace(values={**row.values, GROUP: group}), [*issues, issue]

    return enrich_row


def member_of(row: Row) -> str:
    """Return the GTIN of the product whose group the row needs, or ""."""
    details, written = details_of(row), str(row.values.get(GROUP) or "")
    if details is None or not details.category.is_variant or GROUP in row.refused:
        return ""
    if written:
        is_gtin = _DIGITS.fullmatch(written) and check_digit(written[:-1]) == written[-1]
        return written if is_gtin else ""
    is_member = any(not row.is_blank(key) for key in details.variation)
    return str(row.values.get(GTIN) or "") if is_member else ""
