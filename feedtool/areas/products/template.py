"""The template for products of one or several categories, from the catalogue. Pure.

The common fields come first, then every property of the categories, by index. If categories differ
in a property, its column accepts the values of any, is required only if all need it, and lists the
categories that do.
"""

from collections import Counter
from collections.abc import Sequence
from typing import cast

from feedtool.areas.products.categories import (
    SharedProperty,
    dropdown_entries,
    example_of,
    help_texts,
    refusal,
    shared_properties,
    template_categories,
)
from feedtool.areas.products.columns import common
from feedtool.areas.products.settings import ProductSettings
from feedtool.catalog import Catalog, Category, Necessity
from feedtool.catalog.model import written_fingerprints
from feedtool.feeds.columns.choice import Choice as ChoiceColumn
from feedtool.feeds.feed import Feed
from feedtool.feeds.template import (
    TEXT,
    Basis,
    CellEntry,
    Contents,
    Field,
    Guide,
    Limit,
    Need,
    choice_width,
)
from feedtool.model.cells import Column, folded
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import AccountSettings
from feedtool.model.text import LANGUAGES, Language, Translator, tr

NEEDED = (Necessity.MANDATORY, Necessity.RECOMMENDED)
RECOMMENDED = frozenset((common.BRAND, common.LANGUAGE))
OF_VARIANTS = "required for variants"
"""The requirement of a column for members of a family."""
SHORT = 120
"""The most characters of a requirement that precedes the help text; a longer one follows it."""

TEXT_WIDTH, NUMBER_WIDTH = 24, 15
WIDTHS = {"gtin": 18, "title": 40, "description": 40, "richMarketingDescription": 40}
"""Widths of common fields that are no usual text."""
ANY_NUMBER = ("-1E+300", "1E+300")


def contents(feed: Feed, basis: Basis) -> Contents:
    """Return the contents for some categories.

    Raises UsageProblem without a category, or without the catalogue. Unavailable categories are
    ignored for existing rows, whose template has no example.
    """
    catalog = basis.context.catalog(basis.language)
    if catalog is None:
        raise UsageProblem(
            tr(
                "the columns of products come from the catalogue, and there is no "
                "catalogue here yet"
            ),
            tr("download it with `feedtool catalog sync`"),
        )
    codes = basis.categories
    if not basis.has_example:
        codes = [code for code in codes if not refusal(catalog, code.strip().upper())] or codes
    settings = basis.context.settings
    return products_contents(feed, catalog, codes, settings, has_example=basis.has_example)


def products_contents(
    feed: Feed,
    catalog: Catalog,
    codes: Sequence[str],
    settings: AccountSettings,
    *,
    has_example: bool = False,
) -> Contents:
    """Return the template's contents for categories; UsageProblem if any is unavailable."""
    categories = template_categories(catalog, codes)
    references = tuple(category.reference for category in categories)
    language = cast("Language", catalog.language)
    _ = Translator(language).message
    has_variants = any(category.is_variant for category in categories)
    origin = _("The catalogue was not complete when this workbook was made.")
    if synced_at := catalog.synced_at:
        origin = _(
            "Catalogue of {date}. When it has changed since, feedtool says what is different."
        ).format(date=f"{synced_at:%Y-%m-%d}")
    made_for = (f"{category.reference}   {category.full_path}" for category in categories)
    sheet = _(feed.sheet.name)
    return Contents(
        feed.kind,
        sheet,
        language,
        Guide(
            _(feed.template.title),
            _(feed.template.about),
            _steps(sheet, language, has_example=has_example, has_variants=has_variants),
            facts=((_("Made for"), "\n".join((*made_for, origin))),),
        ),
        _fields(feed, catalog, categories, language, settings),
        {Need.ALWAYS: _("Required"), Need.RECOMMENDED: _("Recommended"), Need.NEVER: _("Optional")},
        first_unfrozen="C",
        stamps={
            "category": references,
            "fingerprint": tuple(f"{code}:{catalog.fingerprint(code)}" for code in references),
            **{
                f"traits.{code}": tuple(written_fingerprints(catalog.properties(code) or ()))
                for code in references
            },
        },
        hides_keys=True,
        has_example=has_example,
        prompts_cells=True,
    )


def _steps(
    sheet: str, language: Language, *, has_example: bool, has_variants: bool
) -> tuple[str, ...]:
    _ = Translator(language).message
    variants = _(
        "Variants are products that differ by size and colour only: give all of a family the same "
        "variant group, and each its size and colour. Leave these columns empty otherwise."
    )
    example = _("The row above the header is an example; it is never sent.")
    return (
        _(
            "Open the sheet “{sheet}” and fill one row per product, below the header. Empty rows "
            "are skipped."
        ).format(sheet=sheet),
        _(
            "Columns marked * are required: without them no product is created. Those marked + "
            "are recommended."
        ),
        *([example] if has_example else []),
        _("Where several values are possible, separate them by a semicolon: Red;Blue."),
        _("A picture or file is given by its address on the web, which begins with https."),
        *([variants] if has_variants else []),
        _(
            "A hidden row below the header holds the technical names of the columns: leave it as "
            "it is. You may move columns, remove optional ones and add your own; a column that is "
            "not known is kept and not sent."
        ),
    )


# Columns.


def _fields(
    feed: Feed,
    catalog: Catalog,
    categories: Sequence[Category],
    language: Language,
    settings: AccountSettings,
) -> tuple[Field, ...]:
    builder = _FieldBuilder(categories, language, settings)
    has_variants = any(category.is_variant for category in categories)
    for column in feed.sheet.columns(settings):
        if column.key != common.GROUP or has_variants:
            builder.add_common(column)
    properties = shared_properties(catalog, categories)
    labels = Counter(folded(field.label) for field in builder.fields)
    labels.update(folded(item.known.label) for item in properties)
    for item in properties:
        label, reference = item.known.label, item.known.reference
        is_clear = label and labels[folded(label)] == 1
        builder.add_property(item, label if is_clear else f"{label} ({reference})".strip())
    return tuple(builder.fields)


class _FieldBuilder:
    def __init__(
        self, categories: Sequence[Category], language: Language, settings: AccountSettings
    ) -> None:
        self.fields: list[Field] = []
        self._categories, self._language = categories, language
        self._always = {common.GTIN, common.CATEGORY, *settings.of(ProductSettings).product_fields}
        self._codes = [category.reference for category in categories]
        self._ = Translator(language).message

    def add_common(self, column: Column) -> None:
        """Add a field of products of every category."""
        place = LANGUAGES.index(self._language)
        label, text, example = column.labels[place], column.help[place], self._(column.example)
        entry = CellEntry(TEXT, WIDTHS.get(column.key, TEXT_WIDTH))
        need = Need.NEVER
        if column.key in self._always:
            need = Need.ALWAYS
        elif column.key in RECOMMENDED:
            need = Need.RECOMMENDED
        requirement = self._word(need)
        if isinstance(column.type, ChoiceColumn):
            entry = _dropdown(label, tuple(column.type.values), is_strict=True)
        match column.key:
            case common.CATEGORY:
                entry = _dropdown(label, tuple(self._codes), is_strict=True)
                names = [f"{item.reference} {item.label}" for item in self._categories]
                text = "\n".join((text, *names))
                example = self._codes[0]
            case common.LANGUAGE:
                example = next(tag for tag in entry.choices if tag.startswith(self._language))
            case common.BRAND if need is not Need.ALWAYS:
                demanding = [item.reference for item in self._categories if item.is_brand_mandatory]
                need, requirement = self._needed(demanding, self._codes, self._codes)
            case common.GROUP:
                requirement = f"{requirement}; {self._(OF_VARIANTS)}"
        hint = self._hint(need, requirement, text)
        group = column.group[place] if column.group else ""
        self.fields.append(
            Field(column.key, label, text, entry, example, need, requirement, hint, group=group)
        )

    def add_property(self, item: SharedProperty, label: str) -> None:
        """Add a property of some categories."""
        known, (mandatory, recommended) = item.known, map(item.categories_with, NEEDED)
        need, requirement = self._needed(mandatory, recommended, list(item.by_category))
        if known.is_variation and need is not Need.ALWAYS:
            requirement = f"{requirement}; {self._(OF_VARIANTS)}"
        choices = dropdown_entries(known.choices)
        text = " ".join(help_texts(known, choices, self._))
        example, key = example_of(known, choices), known.reference
        entry = CellEntry(TEXT, TEXT_WIDTH)
        if choices:
            # A strict list would refuse several values in a cell.
            is_strict = known.is_ranged and not known.is_multiple
            entry = _dropdown(label, choices, is_strict=is_strict)
        elif known.is_numeric and not known.is_multiple:
            alone = self._("A number alone, without a unit.")
            limit = Limit("decimal", alone, "between", ANY_NUMBER)
            entry = CellEntry("General", NUMBER_WIDTH, limit)
        hint = self._hint(need, requirement, text)
        group = common.WORDS.of("Properties")[LANGUAGES.index(self._language)]
        self.fields.append(
            Field(key, label, text, entry, example, need, requirement, hint, group=group)
        )

    def _hint(self, need: Need, requirement: str, text: str) -> str:
        """Return the need first; a long list of categories comes last, as it may be cut off."""
        if len(requirement) <= SHORT:
            return f"{requirement}\n{text}"
        is_partly = requirement.startswith(self._("Required in {codes}").format(codes=""))
        first = self._("Required in some categories") if is_partly else self._word(need)
        return f"{first}\n{text}\n{requirement}"

    def _word(self, need: Need) -> str:
        words = {Need.ALWAYS: "Required", Need.RECOMMENDED: "Recommended"}
        return self._(words.get(need, "Optional"))

    def _needed(
        self, mandatory: Sequence[str], recommended: Sequence[str], having: Sequence[str]
    ) -> tuple[Need, str]:
        """Return the need of a column, with the categories that need it."""
        _ = self._
        every = len(self._codes)
        if len(mandatory) == every:
            return Need.ALWAYS, _("Required")
        in_mandatory = _("Required in {codes}").format(codes=", ".join(mandatory))
        in_recommended = _("Recommended in {codes}").format(codes=", ".join(recommended))
        parts = [in_mandatory] if mandatory else []
        if recommended:
            parts.append(in_recommended if len(recommended) < every else _("Recommended"))
        need = Need.RECOMMENDED if parts else Need.NEVER
        if list(having) in (mandatory, recommended) and len(having) < every:
            return need, f"{parts[0]}, {_('only there')}"
        if not parts:
            parts.append(_("Optional"))
        if len(having) < every:
            parts.append(_("Only in {codes}").format(codes=", ".join(having)))
        first, *others = parts
        return need, "; ".join((first, *(other[0].lower() + other[1:] for other in others)))


def _dropdown(label: str, choices: tuple[str, ...], *, is_strict: bool) -> CellEntry:
    """Return a dropdown of text cells: choosing `1/2` must not create a date."""
    limit = Limit("list", is_strict=is_strict)
    return CellEntry(TEXT, choice_width((label, *choices)), limit, choices)
