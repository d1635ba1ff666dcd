"""The template for products of one or several categories, from the catalogue. Pure.

The common fields come first, then every property that one of the categories has, in the order of
its index. Where categories differ in a property, its column takes what any of them takes, is
marked as mandatory only if all demand it, and says which ones do.
"""

from collections import Counter
from collections.abc import Sequence
from typing import cast

from feedtool.areas.products.catalog import Catalog, Category, Necessity
from feedtool.areas.products.catalog.fingerprint import written
from feedtool.areas.products.categories import chosen, refusal
from feedtool.areas.products.columns import common
from feedtool.areas.products.feeds import FEED
from feedtool.areas.products.template_shared import Shared, described, example_of, offered, shared
from feedtool.feeds.columns.choice import Choice as ChoiceColumn
from feedtool.feeds.feed import LANGUAGES
from feedtool.feeds.header import folded
from feedtool.feeds.template import (
    TEXT,
    Basis,
    CellEntry,
    Contents,
    Field,
    Language,
    Limit,
    Need,
    choice_width,
)
from feedtool.model.errors import UsageProblem
from feedtool.model.header import Column
from feedtool.model.settings import AccountSettings
from feedtool.model.translation import translation

TEXTS = "feedtool.areas.products"
"""The package whose catalogue translates the texts."""

RECOMMENDED = frozenset((common.BRAND, common.LANGUAGE))
OF_VARIANTS = "mandatory for variants"
"""Of a column that only members of a family fill."""
SHORT = 120
"""Characters of a need that stands before what belongs in a column; a longer one stands after."""

TEXT_WIDTH, NUMBER_WIDTH = 24, 15
WIDTHS = {"gtin": 18, "title": 40, "description": 40, "richMarketingDescription": 40}
"""Of common fields that are no usual text."""
ANY_NUMBER = ("-1E+300", "1E+300")


def contents(basis: Basis) -> Contents:
    """All that the template for some categories says, in the catalogue's language.

    For rows that are there already, categories that cannot be had do not count.

    Raises:
        UsageProblem: a category is unknown, takes no products, or was not brought; or there is no
            catalogue.
    """
    catalog = basis.context.catalog(basis.language)
    if catalog is None:
        raise UsageProblem(
            "the columns of products are the catalogue's, and there is none here yet",
            "bring it with `feedtool catalog sync`",
        )
    codes = list(dict.fromkeys(code.strip().upper() for code in basis.categories))
    if not basis.has_example:
        codes = [one for one in codes if refusal(catalog, one, catalog.category(one)) is None]
        codes = codes or list(basis.categories)
    return products_contents(catalog, codes, basis.context.settings, has_example=basis.has_example)


def products_contents(
    catalog: Catalog, codes: Sequence[str], dialect: AccountSettings, *, has_example: bool = False
) -> Contents:
    """All that the template for these categories says.

    Raises:
        UsageProblem: a category is unknown, takes no products, or was not brought.
    """
    categories = chosen(catalog, codes)
    language = cast("Language", catalog.language)
    _ = translation(TEXTS, language)
    has_variants = any(category.is_variant for category in categories)
    origin = _("The catalogue was not complete when this workbook was made.")
    if at := catalog.synced_at:
        origin = _(
            "Catalogue of {date}. When it has changed since, feedtool says what is different."
        ).format(date=f"{at:%Y-%m-%d}")
    made_for = (f"{category.reference}   {category.full_path}" for category in categories)
    return Contents(
        FEED.kind,
        FEED.sheet,
        language,
        _(FEED.title),
        _(FEED.about),
        _steps(language, has_example=has_example, has_variants=has_variants),
        _fields(catalog, categories, language, dialect),
        {
            Need.ALWAYS: _("Mandatory"),
            Need.RECOMMENDED: _("Recommended"),
            Need.NEVER: _("Optional"),
        },
        first_unfrozen="C",
        facts=((_("Made for"), "\n".join((*made_for, origin))),),
        stamps={
            "category": tuple(category.reference for category in categories),
            "fingerprint": tuple(
                f"{category.reference}:{catalog.fingerprint(category.reference)}"
                for category in categories
            ),
            **{
                f"traits.{category.reference}": tuple(
                    written(catalog.properties(category.reference) or ())
                )
                for category in categories
            },
        },
        hides_keys=True,
        has_example=has_example,
        prompts_cells=True,
    )


def _steps(language: Language, *, has_example: bool, has_variants: bool) -> tuple[str, ...]:
    """How it is filled."""
    _ = translation(TEXTS, language)
    variants = _(
        "Variants are products that differ by size and colour only: give all of a family the same "
        "variant group, and each its size and colour. Leave these columns empty otherwise."
    )
    example = _("The row above the header is an example; it is never sent.")
    return (
        _(
            "Open the sheet “{sheet}” and fill one row per product, below the header. Empty rows "
            "are skipped."
        ).format(sheet=FEED.sheet),
        _(
            "Columns marked * are mandatory: without them no product is created. Those marked + "
            "are recommended."
        ),
        *([example] if has_example else []),
        _("Where several values are possible, separate them by a semicolon: Red;Blue."),
        _("A picture or file is given by its address on the web, which begins with https."),
        *([variants] if has_variants else []),
        _(
            "The hidden row 2 holds the technical names of the columns: leave it as it is. You "
            "may move columns, remove optional ones and add your own; a column that is not known "
            "is kept and not sent."
        ),
    )


# Columns.


def _fields(
    catalog: Catalog, categories: Sequence[Category], language: Language, dialect: AccountSettings
) -> tuple[Field, ...]:
    maker = _Maker(categories, language, dialect)
    has_variants = any(category.is_variant for category in categories)
    for column in FEED.columns(dialect):
        if column.key != common.GROUP or has_variants:
            maker.add_common(column)
    properties = shared(catalog, categories)
    labels = Counter(
        [
            *(folded(field.label) for field in maker.fields),
            *(folded(one.any.label) for one in properties),
        ]
    )
    for one in properties:
        is_clear = one.any.label and labels[folded(one.any.label)] == 1
        label = one.any.label if is_clear else f"{one.any.label} ({one.reference})".strip()
        maker.add_property(one, label)
    return tuple(maker.fields)


class _Maker:
    """Fields of a template, one after the other."""

    def __init__(
        self, categories: Sequence[Category], language: Language, dialect: AccountSettings
    ) -> None:
        self.fields: list[Field] = []
        self._categories, self._language = categories, language
        self._always = {common.GTIN, common.CATEGORY, *dialect.product_fields}
        self._codes = [category.reference for category in categories]
        self._ = translation(TEXTS, language)

    def add_common(self, column: Column) -> None:
        """A field of products of every category."""
        at = LANGUAGES.index(self._language)
        label, text, example = column.labels[at], column.help[at], column.example
        entry = CellEntry(TEXT, WIDTHS.get(column.key, TEXT_WIDTH))
        need = self._need_of(column.key)
        requirement = self._told(need)
        if isinstance(column.type, ChoiceColumn):
            entry = self._offering(label, tuple(column.type.values), is_strict=True)
        match column.key:
            case common.CATEGORY:
                entry = self._offering(label, tuple(self._codes), is_strict=True)
                named = [f"{one.reference} {one.label}" for one in self._categories]
                text = "\n".join((text, *named))
                example = self._codes[0]
            case common.LANGUAGE:
                example = next(tag for tag in entry.choices if tag.startswith(self._language))
            case common.BRAND if need is not Need.ALWAYS:
                demanding = [one.reference for one in self._categories if one.is_brand_mandatory]
                need, requirement = self._needed(demanding, self._codes, self._codes)
            case common.GROUP:
                requirement = f"{requirement}; {self._(OF_VARIANTS)}"
        self._add(column.key, label, text, example, need, requirement, entry)

    def add_property(self, one: Shared, label: str) -> None:
        """A property that some of the categories have."""
        mandatory, recommended = one.where(Necessity.MANDATORY), one.where(Necessity.RECOMMENDED)
        need, requirement = self._needed(mandatory, recommended, list(one.by_category))
        if one.is_variation and need is not Need.ALWAYS:
            requirement = f"{requirement}; {self._(OF_VARIANTS)}"
        choices = offered(one.choices)
        entry = self._entry(one, label, choices)
        text = " ".join(described(one, choices, self._))
        example = example_of(one, choices)
        self._add(one.reference, label, text, example, need, requirement, entry)

    def _add(
        self,
        key: str,
        label: str,
        text: str,
        example: str,
        need: Need,
        requirement: str,
        entry: CellEntry,
    ) -> None:
        hint = "\n".join(self._hint(need, requirement, text))
        self.fields.append(Field(key, label, text, entry, example, need, requirement, hint))

    def _hint(self, need: Need, requirement: str, text: str) -> tuple[str, ...]:
        """The need first; what may be cut off at the end is a long list of categories."""
        if len(requirement) <= SHORT:
            return requirement, text
        is_partly = requirement.startswith(self._("Mandatory in {codes}").format(codes=""))
        return (
            self._("Mandatory in some categories") if is_partly else self._told(need),
            text,
            requirement,
        )

    def _need_of(self, key: str) -> Need:
        if key in self._always:
            return Need.ALWAYS
        return Need.RECOMMENDED if key in RECOMMENDED else Need.NEVER

    def _told(self, need: Need) -> str:
        told = {Need.ALWAYS: "Mandatory", Need.RECOMMENDED: "Recommended"}
        return self._(told.get(need, "Optional"))

    def _needed(
        self, mandatory: Sequence[str], recommended: Sequence[str], having: Sequence[str]
    ) -> tuple[Need, str]:
        """Whether a column must be filled, and where."""
        every, _ = len(self._codes), self._
        if len(mandatory) == every:
            return Need.ALWAYS, _("Mandatory")
        parts = []
        if mandatory:
            parts.append(_("Mandatory in {codes}").format(codes=", ".join(mandatory)))
        if len(recommended) == every:
            parts.append(_("Recommended"))
        elif recommended:
            parts.append(_("Recommended in {codes}").format(codes=", ".join(recommended)))
        need = Need.RECOMMENDED if parts else Need.NEVER
        if list(having) in (mandatory, recommended) and len(having) < every:
            return need, f"{parts[0]}, {_('only there')}"
        if not parts:
            parts.append(_("Optional"))
        if len(having) < every:
            parts.append(_("Only in {codes}").format(codes=", ".join(having)))
        first, *others = parts
        return need, "; ".join((first, *(other[0].lower() + other[1:] for other in others)))

    # What may be typed.

    def _offering(self, label: str, choices: tuple[str, ...], *, is_strict: bool) -> CellEntry:
        """A dropdown. Its cells are text: picking `1/2` must not make a date of it."""
        limit = Limit("list", is_strict=is_strict)
        return CellEntry(TEXT, choice_width((label, *choices)), limit, choices)

    def _entry(self, one: Shared, label: str, choices: tuple[str, ...]) -> CellEntry:
        if choices:
            # Several values in a cell are none of the list, so it cannot refuse them.
            is_strict = one.is_ranged and not one.is_multiple
            return self._offering(label, choices, is_strict=is_strict)
        if one.is_numeric and not one.is_multiple:
            limit = Limit(
                "decimal", self._("A number alone, without a unit."), "between", ANY_NUMBER
            )
            return CellEntry("General", NUMBER_WIDTH, limit)
        return CellEntry(TEXT, TEXT_WIDTH)
