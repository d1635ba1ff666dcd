"""The template for products of one or several categories, from the catalogue. Pure.

The common fields come first, then every property that one of the categories has, in the order of
its index. Where categories differ in a property, its column takes what any of them takes, is
marked as mandatory only if all demand it, and says which ones do.
"""

from collections import Counter
from collections.abc import Sequence
from typing import cast

from feedtool.areas.products.catalog import Catalog, Category, Necessity, traits
from feedtool.areas.products.catalog.model import DEEPEST
from feedtool.areas.products.columns import common
from feedtool.areas.products.feeds import FEED
from feedtool.areas.products.template_shared import Shared, described, example_of, offered, shared
from feedtool.areas.products.template_words import PRODUCT_WORDS
from feedtool.check.headers import folded
from feedtool.feeds.columns.choice import Choice as ChoiceColumn
from feedtool.feeds.feed import LANGUAGES
from feedtool.model.cells import letters
from feedtool.model.errors import UsageProblem
from feedtool.model.header import Column
from feedtool.model.settings import Dialect
from feedtool.templates import Language
from feedtool.templates.contents import Contents, Field, Need
from feedtool.templates.entry import TEXT, Entry, Limit, width_of
from feedtool.templates.fields import hint_of
from feedtool.templates.words import WORDS

RECOMMENDED = frozenset((common.BRAND, common.LANGUAGE))
SHORT = 120
"""Characters of a need that stands before what belongs in a column; a longer one stands after."""

TEXT_WIDTH, NUMBER_WIDTH = 24, 15
WIDTHS = {"gtin": 18, "title": 40, "description": 40, "richMarketingDescription": 40}
"""Of common fields that are no usual text."""
ANY_NUMBER = ("-1E+300", "1E+300")

NAMED = 5
"""Categories that are named in place of all that a higher one holds."""


def products_contents(
    catalog: Catalog, codes: Sequence[str], dialect: Dialect, *, has_example: bool = False
) -> Contents:
    """All that the template for these categories says, in the catalogue's language.

    Raises:
        UsageProblem: a category is unknown, takes no products, or was not brought.
    """
    categories = chosen(catalog, codes)
    language = cast("Language", catalog.language)
    words, also = PRODUCT_WORDS[language], WORDS[language]
    fields = _fields(catalog, categories, language, dialect)
    has_variants = any(category.is_variant for category in categories)
    at = catalog.synced_at
    origin = words.synced.format(date=f"{at:%Y-%m-%d}") if at else words.unfinished
    return Contents(
        FEED.kind,
        FEED.sheet,
        language,
        words.title,
        words.rows,
        (
            words.open_sheet.format(sheet=FEED.sheet),
            words.marks,
            *([words.example_row] if has_example else []),
            words.several,
            words.pictures,
            *([words.variants] if has_variants else []),
            words.keys,
            also.paste,
            also.fields,
        ),
        fields,
        {
            Need.ALWAYS: words.mandatory,
            Need.RECOMMENDED: also.recommended,
            Need.NEVER: also.optional,
        },
        first_unfrozen="C",
        facts=(
            (
                words.categories,
                "\n".join((*(f"{one.reference}   {one.full_path}" for one in categories), origin)),
            ),
        ),
        stamps={
            "category": tuple(one.reference for one in categories),
            "fingerprint": tuple(
                f"{one.reference}:{catalog.fingerprint(one.reference)}" for one in categories
            ),
            **{
                f"traits.{one.reference}": tuple(
                    traits.written(catalog.properties(one.reference) or ())
                )
                for one in categories
            },
        },
        hides_keys=True,
        has_example=has_example,
        prompts_cells=True,
    )


# Which categories.


def below(catalog: Catalog, code: str) -> list[str]:
    """The categories that take products in one of a higher level; none in one that does itself."""
    code = code.strip().upper()
    category = catalog.category(code)
    if category is None or category.level == DEEPEST:
        return []
    every = catalog.categories.values()
    return [one.reference for one in every if one.takes_products and one.reference.startswith(code)]


def listed(codes: Sequence[str]) -> str:
    """The first of some codes."""
    return ", ".join(codes[:NAMED]) + (" …" if len(codes) > NAMED else "")


def chosen(catalog: Catalog, codes: Sequence[str]) -> list[Category]:
    """The categories of these codes, each once.

    Raises:
        UsageProblem: of some there is no template; all of them are named, each with the reason.
    """
    found, reasons, hints = [], [], []
    for code in dict.fromkeys(code.strip().upper() for code in codes):
        category = catalog.category(code)
        refusal = _refusal(catalog, code, category)
        if refusal:
            reasons.append(refusal[0])
            hints.append(refusal[1])
        elif category:
            found.append(category)
    if reasons:
        raise UsageProblem("; ".join(reasons), "; ".join(dict.fromkeys(filter(None, hints))))
    return found


def _refusal(catalog: Catalog, code: str, category: Category | None) -> tuple[str, str] | None:
    """Why there is no template for a category, and what to do."""
    if category is None:
        near = catalog.near_categories(code)
        hint = f"did you mean {', '.join(near)}?" if near else _SEARCH
        return f"there is no category “{code}”", hint
    named = f"{code} ({category.label})"
    if category.level != DEEPEST:
        shown = listed(below(catalog, code))
        reason = f"{named} is of level {category.level}, and products go into level {DEEPEST}"
        return reason, f"it holds {shown}" if shown else _SEARCH
    if not category.is_active:
        return f"{named} is not active, so it takes no products", _SEARCH
    if catalog.properties(code) is None:
        return (
            f"the properties of {named} were not brought",
            "`feedtool catalog sync` brings them",
        )
    return None


_SEARCH = "`feedtool catalog search TEXT` finds categories"


# Columns.


def _fields(
    catalog: Catalog, categories: Sequence[Category], language: Language, dialect: Dialect
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
        self, categories: Sequence[Category], language: Language, dialect: Dialect
    ) -> None:
        self.fields: list[Field] = []
        self._categories, self._language = categories, language
        self._always = {common.GTIN, common.CATEGORY, *dialect.product_fields}
        self._codes = [category.reference for category in categories]
        self._words, self._also = PRODUCT_WORDS[language], WORDS[language]

    def add_common(self, column: Column) -> None:
        """A field of products of every category."""
        at = LANGUAGES.index(self._language)
        label, text, example = column.labels[at], column.help[at], column.example
        entry = Entry(TEXT, WIDTHS.get(column.key, TEXT_WIDTH))
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
                requirement = f"{requirement}; {self._words.of_variants}"
        self._add(column.key, label, text, example, need, requirement, entry)

    def add_property(self, one: Shared, label: str) -> None:
        """A property that some of the categories have."""
        mandatory, recommended = one.where(Necessity.MANDATORY), one.where(Necessity.RECOMMENDED)
        need, requirement = self._needed(mandatory, recommended, list(one.by_category))
        if one.is_variation and need is not Need.ALWAYS:
            requirement = f"{requirement}; {self._words.of_variants}"
        choices = offered(one.choices)
        entry = self._entry(one, label, choices)
        text = " ".join(described(one, choices, self._words))
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
        entry: Entry,
    ) -> None:
        hint = hint_of("\n".join(self._hint(need, requirement, text)), example, self._language)
        letter = letters(len(self.fields))
        self.fields.append(Field(key, letter, label, text, example, need, requirement, hint, entry))

    def _hint(self, need: Need, requirement: str, text: str) -> tuple[str, ...]:
        """The need first; what may be cut off at the end is a long list of categories."""
        if len(requirement) <= SHORT:
            return requirement, text
        is_partly = requirement.startswith(self._words.mandatory_in.format(codes=""))
        return (self._words.partly if is_partly else self._told(need)), text, requirement

    def _need_of(self, key: str) -> Need:
        if key in self._always:
            return Need.ALWAYS
        return Need.RECOMMENDED if key in RECOMMENDED else Need.NEVER

    def _told(self, need: Need) -> str:
        told = {Need.ALWAYS: self._words.mandatory, Need.RECOMMENDED: self._also.recommended}
        return told.get(need, self._also.optional)

    def _needed(
        self, mandatory: Sequence[str], recommended: Sequence[str], having: Sequence[str]
    ) -> tuple[Need, str]:
        """Whether a column must be filled, and where."""
        every, words = len(self._codes), self._words
        if len(mandatory) == every:
            return Need.ALWAYS, words.mandatory
        parts = []
        if mandatory:
            parts.append(words.mandatory_in.format(codes=", ".join(mandatory)))
        if len(recommended) == every:
            parts.append(self._also.recommended)
        elif recommended:
            parts.append(words.recommended_in.format(codes=", ".join(recommended)))
        need = Need.RECOMMENDED if parts else Need.NEVER
        if list(having) in (mandatory, recommended) and len(having) < every:
            return need, f"{parts[0]}, {words.only_there}"
        if not parts:
            parts.append(self._also.optional)
        if len(having) < every:
            parts.append(words.only_in.format(codes=", ".join(having)))
        first, *others = parts
        return need, "; ".join((first, *(other[0].lower() + other[1:] for other in others)))

    # What may be typed.

    def _offering(self, label: str, choices: tuple[str, ...], *, is_strict: bool) -> Entry:
        """A dropdown. Its cells are text: picking `1/2` must not make a date of it."""
        limit = Limit("list", self._also.choose, is_strict=is_strict)
        return Entry(TEXT, width_of((label, *choices)), limit, choices)

    def _entry(self, one: Shared, label: str, choices: tuple[str, ...]) -> Entry:
        if choices:
            # Several values in a cell are none of the list, so it cannot refuse them.
            is_strict = one.is_ranged and not one.is_multiple
            return self._offering(label, choices, is_strict=is_strict)
        if one.is_numeric and not one.is_multiple:
            limit = Limit("decimal", self._words.not_a_number, "between", ANY_NUMBER)
            return Entry("General", NUMBER_WIDTH, limit)
        return Entry(TEXT, TEXT_WIDTH)
