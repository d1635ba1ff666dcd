"""The rules about products; their pages for users are in `problems.md`."""

import re
from collections.abc import Iterator, Sequence

from feedtool.areas.products.categories import VARIANT_GROUP_FOUND
from feedtool.areas.products.columns.attribute import PROPERTY_UNNEEDED, SINGLE_VALUE, UNIT_DIFFERS
from feedtool.areas.products.columns.common import (
    BRAND_UNKNOWN,
    CATEGORY_CODE_CUT,
    CATEGORY_INACTIVE,
    CATEGORY_LEVEL,
    CATEGORY_NOT_SYNCED,
    CATEGORY_PADDED,
    CATEGORY_UNKNOWN,
    GROUP,
    LANGUAGE_TAGS,
    UNDERSTOOD_KEYS,
)
from feedtool.areas.products.columns.properties import (
    STAMP_FINGERPRINT,
    STAMP_TRAITS,
    categories_of,
    details_of,
)
from feedtool.areas.products.columns.prose import (
    FILE_TYPE,
    HTML_MALFORMED,
    HTML_NOT_ALLOWED,
    PICTURE_ADVISED,
    URL_FORMAT,
    Title,
)
from feedtool.areas.products.feeds import FEED, name_of
from feedtool.catalog import Catalog, Necessity
from feedtool.catalog.model import fingerprint_of, read_fingerprints
from feedtool.feeds.columns.fixes import as_read
from feedtool.feeds.feed import Row, SheetColumns, stamped_list
from feedtool.feeds.fix import Fix, FlawedCell, NewValue
from feedtool.feeds.occurrences import Occurrences, RowPlace
from feedtool.feeds.rule import Problems, Rule, SheetFacts
from feedtool.model.cells import STAMP_LANGUAGE
from feedtool.model.nouns import Issue
from feedtool.model.text import FieldName, MessageText, joined, tr

PROBLEMS = Problems("feedtool.areas.products")

CATALOG_MISSING = PROBLEMS.error("catalog-missing")
DUPLICATE_PRODUCT = PROBLEMS.error("duplicate-product")
LANGUAGE_DIFFERS = PROBLEMS.warning("language-differs")
TEMPLATE_OUTDATED = PROBLEMS.warning("template-outdated")
VARIANT_DOUBLE = PROBLEMS.error("variant-double")
VARIANT_GROUP_CATEGORY = PROBLEMS.error("variant-group-category")
VARIANT_INCOMPLETE = PROBLEMS.error("variant-incomplete")
VARIANT_NOT_ALLOWED = PROBLEMS.error("variant-not-allowed")

UNIQUE = ("gtin", "sellerProductReference")
SHOWN_NAMES = 12
"""The most properties that are listed for a change of a category."""


# Rules of a row.


def check_language(row: Row) -> Iterator[Issue]:
    """Report the first row whose language is not the catalogue's."""
    catalog = row.sheet.context.catalog(None)
    language = row.values.get("language")
    if catalog and language and language != LANGUAGE_TAGS.get(catalog.language):
        yield Issue(
            LANGUAGE_DIFFERS,
            tr(
                "there are rows in {named}, and the local catalogue is in {language}",
                named=str(language),
                language=catalog.language,
            ),
            tr(
                "download it in that language: `feedtool catalog sync --language {code}`",
                code=str(language)[:2],
            ),
            "language",
            str(language),
        )


def check_variant_incomplete(row: Row) -> Iterator[Issue]:
    """Report each missing cell of a variant, except mandatory ones (`required-missing`)."""
    known = details_of(row)
    if known is None or not known.category.is_variant:
        return
    fields = (GROUP, *known.variation)
    blank = row.blanks(fields)
    if len(blank) == len(fields):
        return
    for field in blank:
        if field not in known.mandatory:
            message = tr(
                "{field} is missing beside the rest of a variant", field=name_of(row, field)
            )
            if field != GROUP:
                hint = tr("fill the cell, or empty the others")
            elif row.sheet.context.ask is None:
                hint = tr(
                    "fill the cell, or empty the others; submit asks the service for its group"
                )
            else:
                hint = tr(
                    "the service has it in none: write the group of its family, the GTIN of"
                    " another member, or a group of your own"
                )
            yield Issue(VARIANT_INCOMPLETE, message, hint, field)


def check_variant_not_allowed(row: Row) -> Iterator[Issue]:
    known = details_of(row)
    if known and not known.category.is_variant and not row.is_blank(GROUP):
        name = f"{known.category.label} ({known.category.reference})"
        yield Issue(
            VARIANT_NOT_ALLOWED,
            tr("{category} has no variants", category=name),
            tr("empty the cell"),
            GROUP,
        )


# Rules of a sheet.


def check_template(sheet: SheetFacts) -> Iterator[Issue]:
    """Warn about each category whose fingerprint has changed."""
    columns = sheet.columns
    language = columns.stamp.get(STAMP_LANGUAGE)
    catalog = columns.context.catalog(language)
    # Units and choices are translated, so another language has another fingerprint.
    if catalog is None or catalog.language != (language or catalog.language):
        return
    stamped = [text.partition(":") for text in stamped_list(columns.stamp, STAMP_FINGERPRINT)]
    for code, fingerprint in {name.strip(): text for name, colon, text in stamped if colon}.items():
        known = catalog.fingerprint(code)
        if known is not None and known != fingerprint.strip():
            changes = joined(
                (change for names, change in _changed(columns, code, catalog) if names), "; "
            )
            yield Issue(
                TEMPLATE_OUTDATED,
                tr(
                    "the properties of {category} have changed since this template was made:"
                    " {changes}",
                    category=code,
                    changes=changes or tr("what is possible or required in its columns"),
                ),
                tr(
                    "make it anew with `feedtool template products --category {category}`",
                    category=code,
                ),
                None,
                code,
            )


def _changed(
    columns: SheetColumns, code: str, catalog: Catalog
) -> Iterator[tuple[Sequence[str], str]]:
    """Yield new, removed and changed properties, each with a text for the change."""
    properties = catalog.properties(code) or ()
    was = read_fingerprints(stamped_list(columns.stamp, f"{STAMP_TRAITS}.{code}"))
    # The user may have removed a column of the template.
    added = [item for item in properties if item.reference not in columns.fields | was.keys()]
    new = [
        tr("{name}, required", name=item.name) if item.is_mandatory else item.name for item in added
    ]
    yield new, tr("without a column: {names}", names=_first(new))
    # The template's properties, or without a list of these, its columns.
    if was:
        gone = was.keys() - {item.reference for item in properties}
    else:
        codes = categories_of(columns.stamp)
        known = {item.reference for other in codes for item in catalog.properties(other) or ()}
        gone = {*columns.fields} - known - UNDERSTOOD_KEYS
    yield [*gone], tr("no longer there: {names}", names=_first(sorted(gone)))
    now = [
        (item, was[item.reference], fingerprint_of(item))
        for item in properties
        if item.reference in was
    ]
    for necessity in Necessity:
        needed = [item for item, old, new in now if old.necessity != new.necessity]
        names: list[str] = [item.name for item in needed if item.necessity is necessity]
        match necessity:
            case Necessity.MANDATORY:
                yield names, tr("now required: {names}", names=_first(names))
            case Necessity.RECOMMENDED:
                yield names, tr("now recommended: {names}", names=_first(names))
            case Necessity.OPTIONAL:
                yield names, tr("now optional: {names}", names=_first(names))
    names = [item.name for item, old, new in now if old.choices != new.choices]
    yield names, tr("with other choices: {names}", names=_first(names))
    names = [
        tr("{name}, in {unit}", name=item.name, unit=item.unit) if item.unit else item.name
        for item, old, new in now
        if old.form != new.form
    ]
    yield names, tr("with another unit or other values: {names}", names=_first(names))


def _first(names: Sequence[str]) -> MessageText:
    return joined([*names[:SHOWN_NAMES], *(["…"] if len(names) > SHOWN_NAMES else [])])


# Rules of all rows of a command.


class DuplicateProducts(Occurrences):
    """Keeps the GTIN and the reference of every product until all files are read."""

    def see(self, sheet: int, row: Row) -> None:
        """Note a row; leading zeros of a GTIN do not count."""
        if row.feed.kind != FEED.kind:
            return
        for field in UNIQUE:
            value = row.values.get(field)
            if value is not None:
                same = str(value).zfill(14) if field == "gtin" else str(value)
                self.add(f"{field}\0{same}", sheet, row.number)

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """Report each row whose GTIN or reference occurs again."""
        for index, key, group in self.repeated():
            field, _, value = key.partition("\0")
            shown = value.lstrip("0") if field == "gtin" else value
            others = self.others(index, group, names)
            message = tr(
                "{field} {value} occurs {count} times: also in {others}",
                field=FieldName(field),
                value=shown,
                count=len(group),
                others=others,
            )
            hint = tr("keep one row of each product")
            yield self.place(index), Issue(DUPLICATE_PRODUCT, message, hint, field, shown)


class DoubleVariants(Occurrences):
    """Keeps every complete variant."""

    def see(self, sheet: int, row: Row) -> None:
        """Note a row if it is a complete variant."""
        known, values = details_of(row), row.values
        if known is None or not known.variation or values.get(GROUP) is None:
            return
        attributes = [values.get(reference) for reference in known.variation]
        if None not in attributes:
            self.add(f"{values[GROUP]}\0{attributes}", sheet, row.number)

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """Report each row that equals another one of its group."""
        for index, key, same in self.repeated():
            group = key.partition("\0")[0]
            where = self.others(index, same, names)
            message = tr(
                "size and colour are the same as in {where} of the group “{group}”",
                where=where,
                group=group,
            )
            hint = tr("correct the size or the colour")
            yield self.place(index), Issue(VARIANT_DOUBLE, message, hint, GROUP, group)


class GroupCategories(Occurrences):
    def see(self, sheet: int, row: Row) -> None:
        """Note a row if it has a group and its category is known."""
        known, group = details_of(row), row.values.get(GROUP)
        if known and group is not None:
            self.add(str(group), sheet, row.number)
            self.notes.append(known.category.reference)

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """Report each member of a group with different categories."""
        categories, unlike = self.notes, dict[int, int | None]()
        for index, group, members in self.repeated():
            first, category = members.first, categories[members.first]
            if first not in unlike:  # the first member of another category
                unlike[first] = next((i for i in members if categories[i] != category), None)
            other = unlike[first]
            if other is not None:
                other = first if categories[other] == categories[index] else other
                place, other_place = self.place(index), self.place(other)
                row = tr("row {row}", row=other_place.row)
                if other_place.sheet != place.sheet:
                    row = tr(
                        "row {row} of {sheet}", row=other_place.row, sheet=names[other_place.sheet]
                    )
                message = tr(
                    "“{group}” is a group of {category} here and of {other} in {row}",
                    group=group,
                    category=categories[index],
                    other=categories[other],
                    row=row,
                )
                hint = tr("correct the category, or give another group")
                yield place, Issue(VARIANT_GROUP_CATEGORY, message, hint, GROUP, group)


KINDS = (FEED.kind,)

FOUND_ELSEWHERE = (
    *(BRAND_UNKNOWN, CATALOG_MISSING, CATEGORY_CODE_CUT, CATEGORY_INACTIVE, CATEGORY_LEVEL),
    *(CATEGORY_NOT_SYNCED, CATEGORY_PADDED, CATEGORY_UNKNOWN, FILE_TYPE, HTML_MALFORMED),
    *(HTML_NOT_ALLOWED, PICTURE_ADVISED, PROPERTY_UNNEEDED, SINGLE_VALUE, UNIT_DIFFERS),
    *(URL_FORMAT, VARIANT_GROUP_FOUND),
)
"""Codes that are found while a header or a cell is read, or when the service is asked."""

RULES = (
    Rule(DUPLICATE_PRODUCT, survey=DuplicateProducts, kinds=KINDS),
    Rule(LANGUAGE_DIFFERS, check_language, is_once=True, kinds=KINDS),
    Rule(TEMPLATE_OUTDATED, check_sheet=check_template, kinds=KINDS),
    Rule(VARIANT_DOUBLE, survey=DoubleVariants, kinds=KINDS),
    Rule(VARIANT_GROUP_CATEGORY, survey=GroupCategories, kinds=KINDS),
    Rule(VARIANT_INCOMPLETE, check_variant_incomplete, kinds=KINDS),
    Rule(VARIANT_NOT_ALLOWED, check_variant_not_allowed, kinds=KINDS),
    *(Rule(code, kinds=KINDS) for code in FOUND_ELSEWHERE),
)


# Corrections of products.


_BLOCK = re.compile(r"\s*</?(?:br|div|h[1-6]|li|ol|p|table|td|tr|ul)\b[^<>]*>\s*", re.IGNORECASE)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)


def remove_tags(flawed: FlawedCell) -> NewValue | None:
    """Return the text without tags, with entities as characters and paragraphs as lines."""
    from html import unescape  # large, and rarely needed

    between = " " if isinstance(flawed.type, Title) else "\n"
    text = _TAG.sub("", _BLOCK.sub(between, flawed.cell.text))
    return unescape(text).strip() or None


FIXES = (
    Fix(
        "category",
        tr("write a category's code as the catalogue has it, with the zeros that were lost"),
        (CATEGORY_PADDED, CATEGORY_CODE_CUT),
        as_read,
        is_safe=True,
    ),
    Fix("plain-text", tr("take the HTML out of a plain text"), (HTML_NOT_ALLOWED,), remove_tags),
)
