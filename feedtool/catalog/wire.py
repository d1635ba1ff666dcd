"""Brands, categories and their properties: calls and answers. Pure.

Specification, part "Catalog endpoints". It names the fields, but shows the shape of neither
`choices` nor `allowedFileTypes`: all likely shapes are read. A field of the wrong type counts as
absent; an item without a reference is unreadable, and is counted.
"""

from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote

from feedtool.catalog.model import (
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
"""Requested entries of a page; the default is 25, no maximum is shown (part "Limits")."""

BRAND_FIELDS = ("name",)
CATEGORY_FIELDS = (
    *("label", "level", "isActive", "parentReference", "parentReferences", "isBrandMandatory"),
    "isVariant",
)
"""The requested fields beside the reference, which is always there."""

NOT_MODIFIED = 304
COMPARED = frozenset({200, NOT_MODIFIED})
"""Statuses of a conditional request."""

LONGEST_REFERENCE = 50
"""The most characters of a reference of a brand, a category or a property."""

LONGEST_MARK = 1000
"""The most characters of an ETag or Last-Modified that is kept."""

MOST_PROPERTIES = 5_000
MOST_CHOICES = 100_000
MOST_FILE_TYPES = 100
"""A category with more of any is refused: nobody could fill it."""

LEVELS = {2: 1, 4: 2, 6: 3}
"""Levels by the length of a category's reference."""


class CatalogPage(NamedTuple):
    number: int = 1
    """`pageIndex`, 1-based; links count, too."""
    link: str | None = None
    """The address in the previous page."""


FIRST_PAGE = CatalogPage()
NO_VALIDATORS = Validators()


class EntriesReply(NamedTuple):
    """A page of brands, products, or categories, whose paths are only their labels yet."""

    entries: list[Any]
    next: CatalogPage | None
    strange: int
    """The number of unreadable items."""
    language: str
    """`Content-Language`, or ""."""


class PropertiesReply(NamedTuple):
    """The properties of a category, maybe unchanged."""

    properties: tuple[Property, ...] | None
    """The properties by index; None if unchanged."""
    marks: Validators
    strange: int = 0
    """The number of unreadable items."""


def read_brands(page: CatalogPage = FIRST_PAGE, size: int = PAGE_SIZE) -> Call:
    return page_call("/brands", page, size, BRAND_FIELDS)


def read_categories(language: str, page: CatalogPage = FIRST_PAGE, size: int = PAGE_SIZE) -> Call:
    return page_call("/categories", page, size, CATEGORY_FIELDS, _in(language))


def read_category(reference: str, language: str) -> Call:
    target = f"/categories/{quote(reference, safe='')}"
    return Call("GET", target, READ, headers=_in(language))


def read_properties(reference: str, language: str, marks: Validators = NO_VALIDATORS) -> Call:
    """Return the call for a category's properties, which `properties_of` reads.

    `marks` belong to the stored properties: the service may answer 304 if they are unchanged.
    """
    validators = {"If-None-Match": marks.etag, "If-Modified-Since": marks.last_modified}
    conditions = tuple((name, value) for name, value in validators.items() if value)
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
    """Return the call for a page of a list; the address in the previous page is used unchanged."""
    if page.link is not None:
        return Call("GET", page.link, READ, headers=headers)
    values = {"pageIndex": str(page.number), "pageSize": str(size), "fields": ",".join(fields)}
    query = tuple((name, value) for name, value in values.items() if value)
    return Call("GET", target, READ, query=query, headers=headers)


def _in(language: str) -> tuple[tuple[str, str], ...]:
    return (("Accept-Language", language_tag(language)),)


# The answers.


def brands_page(reply: Reply, page: CatalogPage) -> EntriesReply:
    return listing(reply, page, "brands", _brand)


def categories_page(reply: Reply, page: CatalogPage) -> EntriesReply:
    return listing(reply, page, "categories", _category_from)


def category_of(reply: Reply) -> Category:
    """Return a single category. Raises Unreadable for anything else."""
    document = loads(reply.body)
    category = _category_from(document) if isinstance(document, dict) else None
    if category is None:
        raise Unreadable(tr("the answer is not a category"))
    return category


def listing(reply: Reply, page: CatalogPage, name: str, read: Callable[[Any], Any]) -> EntriesReply:
    """Return a page of a list; `read` returns an entry of an item, or None if unreadable.

    Raises Unreadable if the body is no list, has no readable item, or its link leads away.
    """
    items = items_of(reply, name)
    entries = [entry for item in items if isinstance(item, dict) and (entry := read(item))]
    if items and not entries:
        raise Unreadable(
            tr(
                "the answer holds {count:,} {what} and none can be read",
                count=len(items),
                what=name,
            )
        )
    spoken = text(reply.headers.get("content-language"))
    return EntriesReply(entries, next_page(reply, page, items), len(items) - len(entries), spoken)


def properties_of(reply: Reply) -> PropertiesReply:
    """Return a category's properties. Raises Unreadable if the body is no list, or is too long."""
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
    """Return the next page by its link, else by its index.

    Without a link there may still be more: the list ends with an empty page, or with a page that is
    shorter than the answer's own page size.
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
    """Return a header for later requests, or None if no header could carry it."""
    value = reply.headers.get(name, "").strip()
    is_fit = value.isascii() and value.isprintable() and len(value) <= LONGEST_MARK
    return value if value and is_fit else None


def _brand(item: Fields) -> Brand | None:
    reference, name = _reference(item, "brandReference"), text(item.get("name"))
    return Brand(reference, name) if reference and name else None


def _category_from(item: Fields) -> Category | None:
    reference = _reference(item, "categoryReference", "reference")
    # Without a level, the length of the reference decides.
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
    """Return `parentReference`, else the longest and so nearest of `parentReferences`."""
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
        # A word outside the specification never means mandatory.
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


def _all_of(value: Any, read: Callable[[Any], Any], limit: int, name: str) -> tuple[Any, ...]:
    """Return the readable entries of a list, each once, in order."""
    if not isinstance(value, list):
        return ()
    if len(value) > limit:
        raise Unreadable(
            tr("the answer holds more than {most} {what} of one property", most=limit, what=name)
        )
    return tuple(dict.fromkeys(filter(None, map(read, value))))


def _reference(item: Fields, *names: str) -> str:
    return next((result for name in names if (result := _fit(item.get(name)))), "")


def _fit(value: Any) -> str:
    """Return a reference that fits into an address, else ""; numbers are references, too."""
    if not isinstance(value, str | int):
        return ""
    result = text(value)
    is_fit = result.isprintable() and " " not in result and len(result) <= LONGEST_REFERENCE
    return result if is_fit and result not in {".", ".."} else ""


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is(item: Fields, name: str) -> bool:
    return item.get(name) is True
