"""Properties as several categories have them, which share a column. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from feedtool.areas.products.catalog import Catalog, Category, Necessity, Property, PropertyChoice
from feedtool.feeds.template import SHOWN_CHOICES, is_whole
from feedtool.model.translation import Translate

RETIRED = "CDAV"
"""A property that can no longer be submitted (specification, "Versioning" 4)."""


@dataclass(frozen=True, slots=True)
class Shared:
    """A property as several categories have it."""

    reference: str
    by_category: Mapping[str, Property]

    @property
    def any(self) -> Property:
        """As the first of them has it."""
        return next(iter(self.by_category.values()))

    @property
    def index(self) -> int:
        """The first of its places."""
        return min(one.index for one in self.by_category.values())

    @property
    def choices(self) -> tuple[PropertyChoice, ...]:
        """All that one of the categories has."""
        by_code: dict[str, PropertyChoice] = {}
        for one in self.by_category.values():
            for choice in one.choices:
                by_code.setdefault(choice.code, choice)
        return tuple(by_code.values())

    @property
    def units(self) -> list[str]:
        """Each unit once."""
        return list(dict.fromkeys(one.unit for one in self.by_category.values() if one.unit))

    @property
    def file_types(self) -> list[str]:
        """Each type of file once."""
        types = (one.allowed_file_types for one in self.by_category.values())
        return list(dict.fromkeys(type_ for some in types for type_ in some))

    @property
    def is_multiple(self) -> bool:
        """Whether several values are possible somewhere."""
        return any(one.is_multiple for one in self.by_category.values())

    @property
    def is_ranged(self) -> bool:
        """Whether nothing but the choices is possible anywhere."""
        return all(one.is_ranged or one.choices for one in self.by_category.values())

    @property
    def is_numeric(self) -> bool:
        """Whether nothing but numbers is possible anywhere."""
        return all(one.is_numeric for one in self.by_category.values())

    @property
    def is_variation(self) -> bool:
        """Whether members of a family differ by it."""
        return any(one.is_variation for one in self.by_category.values())

    def where(self, necessity: Necessity) -> list[str]:
        """The categories in which it has this necessity."""
        return [code for code, one in self.by_category.items() if one.necessity is necessity]


def shared(catalog: Catalog, categories: Iterable[Category]) -> list[Shared]:
    """Every property that one of the categories has, in order of its index."""
    found: dict[str, dict[str, Property]] = {}
    for category in categories:
        for one in catalog.properties(category.reference) or ():
            if one.reference.upper() != RETIRED:
                found.setdefault(one.reference, {})[category.reference] = one
    properties = [Shared(reference, by_category) for reference, by_category in found.items()]
    return sorted(properties, key=lambda one: one.index)  # stable: then as they were met


def offered(choices: Sequence[PropertyChoice]) -> tuple[str, ...]:
    """What a dropdown offers: labels, and codes where a label would not tell which is meant."""
    labels = Counter(choice.label for choice in choices)
    codes = {choice.code for choice in choices}

    def is_clear(choice: PropertyChoice) -> bool:
        is_others_code = choice.label != choice.code and choice.label in codes
        return labels[choice.label] == 1 and not is_others_code and is_whole(choice.label)

    return tuple(choice.label if is_clear(choice) else choice.code for choice in choices)


def described(one: Shared, choices: tuple[str, ...], _: Translate) -> list[str]:
    """What belongs in a property's column."""
    if one.file_types:
        kind = _("The web address (https) of a file: {types}.")
        if one.is_multiple:
            kind = _(
                "One or several web addresses (https) of files, separated by a semicolon: {types}."
            )
        return [kind.format(types=", ".join(one.file_types))]
    if choices:
        single, several = (
            "One of the list.",
            "One or several of the list, separated by a semicolon.",
        )
    elif one.is_numeric:
        single, several = "A number.", "One or several numbers, separated by a semicolon."
    else:
        single, several = "A text.", "One or several texts, separated by a semicolon."
    texts = [_(several if one.is_multiple else single)]
    if one.units:
        texts.append(_("Unit: {unit}, which is not typed.").format(unit=" / ".join(one.units)))
    if len(choices) > SHOWN_CHOICES:
        first = _("The list shows the first {count}; further ones can be typed.")
        texts.append(first.format(count=SHOWN_CHOICES))
    return texts


def example_of(one: Shared, choices: tuple[str, ...]) -> str:
    """What might stand in a property's cell; none of a text, whose content nobody can guess."""
    if one.file_types:
        return f"https://example.com/a.{one.file_types[0]}"
    if choices:
        return ";".join(choices[: 2 if one.is_multiple else 1])
    if one.is_numeric:
        return "12;15" if one.is_multiple else "12"
    return ""
