"""Brands, categories and their properties: the calls, and their answers. Pure.

Specification, part "Catalog endpoints". It names the fields, and shows the shape of neither
`choices` nor `allowedFileTypes`: all likely shapes are read. A field of another type than it should
be counts as absent; an item without a reference is unreadable, and is counted.
"""

from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote

from feedtool.areas.products.catalog.model import (
    DEEPEST,
    Brand,
    Category,
    Necessity,
    Property,
    PropertyChoice,
    Validators,
)
from feedtool.model.call import READ, Call, Reply, language_tag
from feedtool.model.text import tr
from feedtool.service.answers import Unreadable, items_of, loads, next_link, text

Fields = dict[str, Any]

PAGE_SIZE = 100
"""Entries that a page is asked for; 25 is the default and no highest is shown (part "Limits")."""

BRAND_FIELDS = ("name",)
CATEGORY_FIELDS = (
    *("label", "level", "isActive", "parentReference", "parentReferences", "isBrandMandatory"),
    "isVariant",
)
"""The fields to get beside the reference, which is always there."""

NOT_MODIFIED = 304
COMPARED = frozenset({200, NOT_MODIFIED})
"""The service may say that nothing has changed since what we have."""

LONGEST_REFERENCE = 50
"""No reference of a brand, a category or a property is longer."""

LONGEST_MARK = 1000
"""A longer ETag or Last-Modified is not kept."""

MOST_PROPERTIES = 5_000
MOST_CHOICES = 100_000
MOST_FILE_TYPES = 100
"""A category with more than these is refused: it would be no category that people fill."""


LEVELS = {2: 1, 4: 2, 6: 3}
"""The length of a category's reference, and the level that it means."""


class CatalogPage(NamedTuple):
    """A page of a list that is asked for."""

    number: int = 1
    """`pageIndex`, 1-based; also counted where links are followed."""
    link: str | None = None
    """The address that the page before gave."""


FIRST_PAGE = CatalogPage()
NO_VALIDATORS = Validators()


class EntriesReply(NamedTuple):
    """A page of brands, of products, or of categories, whose paths are of their labels alone."""

    entries: list[Any]
    next: CatalogPage | None
    strange: int
    """Items that are none."""
    language: str
    """`Content-Language`, or "" where the service does not say."""


class PropertiesReply(NamedTuple):
    """The properties of a category, or that they are as they were."""

    properties: tuple[Property, ...] | None
    """By their index; None where nothing has changed."""
    marks: Validators
    strange: int = 0
    """Items that are no properties."""


def read_brands(page: CatalogPage = FIRST_PAGE, size: int = PAGE_SIZE) -> Call:
    """A page of brands; the answer is read by `brands_page`."""
    return page_call("/brands", page, size, BRAND_FIELDS)


def read_categories(language: str, page: CatalogPage = FIRST_PAGE, size: int = PAGE_SIZE) -> Call:
    """A page of categories; the answer is read by `categories_page`."""
    return page_call("/categories", page, size, CATEGORY_FIELDS, _in(language))


def read_category(reference: str, language: str) -> Call:
    """A single category; the answer is read by `category_of`."""
    target = f"/categories/{quote(reference, safe='')}"
    return Call("GET", target, READ, headers=_in(language))


def read_properties(reference: str, language: str, marks: Validators = NO_VALIDATORS) -> Call:
    """A category's properties; the answer is read by `properties_of`.

    `marks` are of the answer that we have: the service may say 304 instead of giving it again.
    """
    given = {"If-None-Match": marks.etag, "If-Modified-Since": marks.last_modified}
    conditions = tuple((name, value) for name, value in given.items() if value)
    target = f"/categories/{quote(reference, safe='')}/properties"
    headers = _in(language) + conditions
    return Call("GET", target, COMPARED if conditions else READ, headers=headers)


def page_call(
    target: str,
    page: CatalogPage,
    size: int,
    fields: tuple[str, ...] = (),
    headers: tuple[tuple[str, str], ...] = (),
) -> Call:
    """A page of a list; the address that the page before gave is followed as it is."""
    if page.link is not None:
        return Call("GET", page.link, READ, headers=headers)
    values = {"pageIndex": str(page.number), "pageSize": str(size), "fields": ",".join(fields)}
    query = tuple((name, value) for name, value in values.items() if value)
    return Call("GET", target, READ, query=query, headers=headers)


def _in(language: str) -> tuple[tuple[str, str], ...]:
    return (("Accept-Language", language_tag(language)),)


# The answers.


def brands_page(reply: Reply, page: CatalogPage) -> EntriesReply:
    """A page of brands."""
    return listing(reply, page, "brands", _brand)


def categories_page(reply: Reply, page: CatalogPage) -> EntriesReply:
    """A page of categories."""
    return listing(reply, page, "categories", _category_from)


def category_of(reply: Reply) -> Category:
    """A single category; Unreadable for what is none."""
    document = loads(reply.body)
    category = _category_from(document) if isinstance(document, dict) else None
    if category is None:
        raise Unreadable(tr("the answer is no category"))
    return category


def listing(reply: Reply, page: CatalogPage, what: str, read: Callable[[Any], Any]) -> EntriesReply:
    """A page of a list, whose items are read by `read`; it gives None for what is none.

    Unreadable if the body is no list, holds nothing that can be read, or its link leads away.
    """
    items = items_of(reply, what)
    entries = [entry for item in items if isinstance(item, dict) and (entry := read(item))]
    if items and not entries:
        raise Unreadable(
            tr(
                "the answer holds {count:,} {what} and none can be read",
                count=len(items),
                what=what,
            )
        )
    spoken = text(reply.headers.get("content-language"))
    return EntriesReply(entries, next_page(reply, page, items), len(items) - len(entries), spoken)


def properties_of(reply: Reply) -> PropertiesReply:
    """A category's properties; Unreadable when the body is no list, or too long to be one."""
    marks = Validators(_mark(reply, "etag"), _mark(reply, "last-modified"))
    if reply.status == NOT_MODIFIED:
        return PropertiesReply(None, marks)
    items = items_of(reply, "properties")
    if len(items) > MOST_PROPERTIES:
        raise Unreadable(tr("the answer holds more than {most} properties", most=MOST_PROPERTIES))
    if next_link(reply) is not None:
        raise Unreadable(tr("the properties of one category come in pages, which is not expected"))
    read = (_property(item) for item in items if isinstance(item, dict))
    known = {result.reference: result for result in read if result}
    ordered = sorted(known.values(), key=lambda item: (item.index, item.reference))
    return PropertiesReply(tuple(ordered), marks, len(items) - len(known))


def next_page(reply: Reply, page: CatalogPage, items: list[Any]) -> CatalogPage | None:
    """The page after this one: where a link leads, else by its index.

    Without any link there may still be more: the list ends with an empty page, or with one that
    is not as full as the answer itself says pages are.
    """
    link = next_link(reply)
    if link is not None:
        return CatalogPage(page.number + 1, link)
    if page.link is not None or "link" in reply.headers or not items:
        return None
    document = loads(reply.body)
    full = _number(document.get("itemsPerPage")) if isinstance(document, dict) else None
    return None if full and 0 < len(items) < full else CatalogPage(page.number + 1)


def _mark(reply: Reply, name: str) -> str | None:
    """A header to send back as it is; None where there is none that a header could carry."""
    value = reply.headers.get(name, "").strip()
    is_fit = value.isascii() and value.isprintable() and len(value) <= LONGEST_MARK
    return value if value and is_fit else None


def _brand(item: Fields) -> Brand | None:
    reference, name = _reference(item, "brandReference"), text(item.get("name"))
    return Brand(reference, name) if reference and name else None


def _category_from(item: Fields) -> Category | None:
    reference = _reference(item, "categoryReference", "reference")
    # Where no level is given it follows from the length of the reference.
    level = LEVELS.get(len(reference)) if item.get("level") is None else _number(item["level"])
    if not reference or level is None or not 1 <= level <= DEEPEST:
        return None
    label = text(item.get("label"))
    return Category(
        reference=reference,
        label=label,
        level=level,
        is_active=_is(item, "isActive"),
        parent=_parent(item, reference),
        path=(label or reference,),
        is_brand_mandatory=_is(item, "isBrandMandatory"),
        is_variant=_is(item, "isVariant"),
    )


def _parent(item: Fields, reference: str) -> str | None:
    """`parentReference`, else the longest of `parentReferences`: the nearest has most letters."""
    if result := _reference(item, "parentReference"):
        return result if result != reference else None
    listed = item.get("parentReferences")
    known = map(_fit, listed[: DEEPEST + 1] if isinstance(listed, list) else [])
    return max((item for item in known if item not in {"", reference}), key=len, default=None)


def _property(item: Fields) -> Property | None:
    reference = _reference(item, "propertyReference", "reference")
    if not reference:
        return None
    return Property(
        reference=reference,
        index=_number(item.get("index")) or 0,
        # A word that the specification does not have is not taken for a duty.
        necessity=NECESSITIES.get(text(item.get("necessity")).casefold(), Necessity.OPTIONAL),
        label=text(item.get("label")),
        unit=text(item.get("unit")) or None,
        is_ranged=_is(item, "isRanged"),
        is_numeric=_is(item, "isNumeric"),
        is_multiple=_is(item, "isMultiple"),
        is_variation=_is(item, "isVariation"),
        is_size=_is(item, "isSize"),
        choices=_all_of(item.get("choices"), _choice, MOST_CHOICES, tr("choices")),
        allowed_file_types=_all_of(
            item.get("allowedFileTypes"), _file_type, MOST_FILE_TYPES, tr("file types")
        ),
    )


NECESSITIES = {str(item).casefold(): item for item in Necessity}

CHOICE = (
    ("code", "reference", "choiceReference", "value", "id", "key"),
    ("label", "name", "value", "title"),
)
"""The possible names of the two texts of a choice; the specification does not show them."""


def _choice(value: Any) -> PropertyChoice | None:
    if not isinstance(value, dict):
        value = {"code": value}
    code, label = (next(filter(None, map(text, map(value.get, names))), "") for names in CHOICE)
    return PropertyChoice(code or label, label or code) if code or label else None


def _file_type(value: Any) -> str | None:
    if isinstance(value, dict):
        value = value.get("mimeType") or value.get("extension") or value.get("name")
    return text(value) or None


def _all_of(value: Any, read: Callable[[Any], Any], most: int, what: str) -> tuple[Any, ...]:
    """The readable entries of a list, each once and in its order."""
    if not isinstance(value, list):
        return ()
    if len(value) > most:
        raise Unreadable(
            tr("the answer holds more than {most} {what} of one property", most=most, what=what)
        )
    return tuple(dict.fromkeys(filter(None, map(read, value))))


def _reference(item: Fields, *names: str) -> str:
    return next((result for name in names if (result := _fit(item.get(name)))), "")


def _fit(value: Any) -> str:
    """A reference that can stand in an address, else ""; numbers are references too."""
    if not isinstance(value, str | int):
        return ""
    result = text(value)
    is_fit = result.isprintable() and " " not in result and len(result) <= LONGEST_REFERENCE
    return result if is_fit and result not in {".", ".."} else ""


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is(item: Fields, name: str) -> bool:
    return item.get(name) is True
