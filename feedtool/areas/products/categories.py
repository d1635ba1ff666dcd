"""The categories of a template, by their codes, and their shared properties. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from feedtool.areas.products.columns import properties
from feedtool.areas.products.columns.attribute import RETIRED
from feedtool.areas.products.columns.common import GROUP, GTIN
from feedtool.areas.products.columns.properties import details_of
from feedtool.areas.products.wire import group_of, read_product
from feedtool.catalog import Catalog, Category, Necessity, Property, PropertyChoice
from feedtool.catalog.lookup import categories_below, first_codes
from feedtool.catalog.model import DEEPEST
from feedtool.feeds.columns.gtin import check_digit
from feedtool.feeds.feed import Enrich, Row, SheetColumns
from feedtool.feeds.rule import Problems
from feedtool.feeds.template import SHOWN_CHOICES, is_whole
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Issue
from feedtool.model.text import Translate, joined, tr


def template_categories(catalog: Catalog, codes: Sequence[str]) -> list[Category]:
    """Return the categories of these codes, each once.

    Raises:
        UsageProblem: there is no code, or a category has no template.
    """
    references = list(dict.fromkeys(code.strip().upper() for code in codes))
    if not references:
        raise UsageProblem(tr("no category is given"), _SEARCH)
    refusals = list(filter(None, (refusal(catalog, code) for code in references)))
    if refusals:
        reasons, hints = zip(*refusals, strict=True)
        raise UsageProblem(joined(reasons, "; "), joined(dict.fromkeys(hints), "; "))
    return [catalog.categories[code] for code in references]


def refusal(catalog: Catalog, code: str) -> tuple[str, str] | None:
    """Return the reason why a category has no template, and a hint; None if it has one."""
    category = catalog.category(code)
    if category is None:
        near = catalog.near_categories(code)
        hint = tr("did you mean {choice}?", choice=joined(near)) if near else _SEARCH
        return tr("there is no category “{code}”", code=code), hint
    name = f"{code} ({category.label})"
    if category.level != DEEPEST:
        shown = first_codes(categories_below(catalog, code))
        reason = tr(
            "{category} is of level {level}, and products go into level {deepest}",
            category=name,
            level=category.level,
            deepest=DEEPEST,
        )
        return reason, tr("it holds {categories}", categories=shown) if shown else _SEARCH
    if not category.is_active:
        return tr("{category} is not active, so it takes no products", category=name), _SEARCH
    if catalog.properties(code) is None:
        return tr("the properties of {category} were not downloaded", category=name), tr(
            "`feedtool catalog sync` downloads them"
        )
    return None


_SEARCH = tr("`feedtool catalog search TEXT` finds categories")


# Properties.


class SharedProperty(NamedTuple):
    known: Property
    """The property of the column: it accepts all values of any category."""
    by_category: Mapping[str, Property]

    def categories_with(self, necessity: Necessity) -> list[str]:
        return [code for code, item in self.by_category.items() if item.necessity is necessity]


def shared_properties(catalog: Catalog, categories: Iterable[Category]) -> list[SharedProperty]:
    """Return every property of the categories, ordered by index."""
    by_reference: dict[str, dict[str, Property]] = {}
    for category in categories:
        for item in catalog.properties(category.reference) or ():
            if item.reference.upper() != RETIRED:
                by_reference.setdefault(item.reference, {})[category.reference] = item
    properties = [
        SharedProperty(_merged([*items.values()]), items) for items in by_reference.values()
    ]
    return sorted(properties, key=lambda item: item.known.index)  # stable sort


def _merged(items: Sequence[Property]) -> Property:
    choices: dict[str, PropertyChoice] = {}
    for choice in (choice for item in items for choice in item.choices):
        choices.setdefault(choice.code, choice)
    return replace(
        items[0],
        index=min(item.index for item in items),
        unit=" / ".join(dict.fromkeys(item.unit for item in items if item.unit)),
        is_ranged=all(item.is_ranged or item.choices for item in items),
        is_numeric=all(item.is_numeric for item in items),
        is_multiple=any(item.is_multiple for item in items),
        is_variation=any(item.is_variation for item in items),
        choices=tuple(choices.values()),
        allowed_file_types=tuple(
            dict.fromkeys(kind for item in items for kind in item.allowed_file_types)
        ),
    )


def dropdown_entries(choices: Sequence[PropertyChoice]) -> tuple[str, ...]:
    """Return the entries of a dropdown: labels, or codes for ambiguous labels."""
    labels = Counter(choice.label for choice in choices)
    codes = {choice.code for choice in choices}

    def is_clear(choice: PropertyChoice) -> bool:
        is_others_code = choice.label != choice.code and choice.label in codes
        return labels[choice.label] == 1 and not is_others_code and is_whole(choice.label)

    return tuple(choice.label if is_clear(choice) else choice.code for choice in choices)


def help_texts(known: Property, choices: tuple[str, ...], _: Translate) -> list[str]:
    if known.allowed_file_types:
        kind = _("The web address (https) of a file: {types}.")
        if known.is_multiple:
            kind = _(
                "One or several web addresses (https) of files, separated by a semicolon: {types}."
            )
        return [kind.format(types=", ".join(known.allowed_file_types))]
    single, several = "A text.", "One or several texts, separated by a semicolon."
    if choices:
        single = "One of the list."
        several = "One or several of the list, separated by a semicolon."
    elif known.is_numeric:
        single, several = "A number.", "One or several numbers, separated by a semicolon."
    texts = [_(several if known.is_multiple else single)]
    if known.unit:
        texts.append(_("Unit: {unit}, which is not typed.").format(unit=known.unit))
    if len(choices) > SHOWN_CHOICES:
        first = _("The list shows the first {count}; further ones can be typed.")
        texts.append(first.format(count=SHOWN_CHOICES))
    return texts


def example_of(known: Property, choices: tuple[str, ...]) -> str:
    """Return an example of a property's cell, or "" for free text."""
    if known.allowed_file_types:
        return f"https://example.com/a.{known.allowed_file_types[0]}"
    if choices:
        return ";".join(choices[: 2 if known.is_multiple else 1])
    if known.is_numeric:
        return "12;15" if known.is_multiple else "12"
    return ""


# The group of a variant, which is requested from the service by GTIN.


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
