"""Download the catalogue into the cache: `feedtool catalog sync`.

Brands and categories are lists in pages; once all categories are known, the properties of the
needed categories follow. A named category that no list contains is requested separately. Each
answer is saved at once. At the end entries that the service no longer lists are removed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field

from feedtool.catalog import wire
from feedtool.catalog.cache import Cache, Removed, Saved, SyncState
from feedtool.catalog.model import (
    DEEPEST,
    Brand,
    Category,
    Validators,
    near_codes,
    with_subcategories,
)
from feedtool.catalog.wire import CatalogPage
from feedtool.model.call import Call, Reply, Sender, language_tag
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.model.text import plural, tr
from feedtool.service.fetch import MOST_PAGES, FetchContext, fetch

GO_ON = tr("Go on with `feedtool catalog sync`: what was downloaded is kept.")

_KINDS = {
    "brands": tr("brands"),
    "categories": tr("categories"),
    "category": tr("categories"),
    "properties": tr("properties"),
}

BAD_REQUEST = 400
NOT_FOUND = 404


class CatalogRequest(NamedTuple):
    kind: Literal["brands", "categories", "category", "properties"]
    page: CatalogPage = wire.FIRST_PAGE
    category: str = ""


class MissingProperties(NamedTuple):
    """A category whose properties are not available, with the reason."""

    category: str
    reason: str


class Synced(Struct):
    service: str
    language: str
    ended_at: datetime
    brands: Counter[Saved] = field(default_factory=Counter)
    categories: Counter[Saved] = field(default_factory=Counter)
    properties: Counter[Saved] = field(default_factory=Counter)
    """Numbers of categories by the difference of their properties."""
    resumed: int = 0
    """Categories whose properties an earlier, stopped sync had saved already."""
    removed: Removed = field(default_factory=lambda: Removed(0, 0))
    missing_properties: list[MissingProperties] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def sync(
    client: Sender,
    cache: Cache,
    context: FetchContext,
    *,
    service: str,
    language: str,
    only: Sequence[str] = (),
    page_size: int = wire.PAGE_SIZE,
    on_step: Callable[[str, int, int], None] = lambda _text, _done, _total: None,
) -> Synced:
    """Download brands, categories and properties.

    `only` names categories: the properties of these and of all below them are downloaded. If it is
    empty, all are. The cache identifies the catalogue by the base address of the `service` and
    the `language`. `on_step` gets a text, and how many categories' properties of how many are
    saved, 0 of 0 until known.

    Raises:
        UsageProblem: a category does not exist, or the service has no such lists.
        NotAuthorised: the service refuses the credential.
        Interrupted: the service cannot be reached, or gives no usable answer; a later sync resumes.
    """
    begun = cache.begin(service, language, only, context.wall())
    synced = Synced(service, language, begun.started_at)
    reader = _SyncReader(cache, begun, synced, context.wall, only, page_size, on_step)
    fetch([CatalogRequest("categories"), CatalogRequest("brands")], reader, client, context)
    return reader.finished()


class _SyncReader(Struct):
    cache: Cache
    begun: SyncState
    synced: Synced
    now: Callable[[], datetime]
    only: Sequence[str]
    page_size: int
    on_step: Callable[[str, int, int], None]
    categories: dict[str, Category] = field(default_factory=dict)
    brands: dict[str, Brand] = field(default_factory=dict)
    links: set[str] = field(default_factory=set)
    languages: set[str] = field(default_factory=set)
    total: int = 0
    """Categories whose properties are needed."""

    def call(self, request: CatalogRequest) -> Call:
        language = self.synced.language
        if request.kind == "brands":
            return wire.read_brands(request.page, self.page_size)
        if request.kind == "categories":
            return wire.read_categories(language, request.page, self.page_size)
        if request.kind == "category":
            return wire.read_category(request.category, language)
        marks = self.begun.marks.get(request.category, Validators())
        return wire.read_properties(request.category, language, marks)

    def take(self, request: CatalogRequest, reply: Reply) -> Iterable[CatalogRequest]:
        """Save the answer, and return the next requests."""
        more: Iterable[CatalogRequest] = ()
        if request.kind == "properties":
            self._take_properties(request.category, reply)
        elif request.kind == "category":
            more = self._take_category(request.category, reply)
        else:
            more = self._take_list(request, reply)
        self._report_step(request)
        return more

    def skip(
        self, request: CatalogRequest, reason: str, status: int | None
    ) -> Iterable[CatalogRequest]:
        """Go on without some properties; without a list, raise UsageProblem."""
        if request.kind == "properties":
            self.synced.missing_properties.append(MissingProperties(request.category, reason))
            self._report_step(request)
            return []
        if status == NOT_FOUND and request.page.number > 1 and request.page.link is None:
            # Without a number of pages, this request was a try.
            return self._property_requests() if request.kind == "categories" else []
        if request.kind == "category" and status in {BAD_REQUEST, NOT_FOUND}:
            raise unknown_category(request.category, self.categories)
        raise UsageProblem(
            tr(
                "The service does not list its {kind}: {reason}",
                kind=_KINDS[request.kind],
                reason=reason,
            ),
            tr("Ask for smaller pages with --page-size; the service's own have 25.")
            if status == BAD_REQUEST
            else tr("Check the base address (its version segment included)."),
        )

    def finished(self) -> Synced:
        synced = self.synced
        if not self.brands:
            synced.warnings.append(
                tr("The service lists no brands; those of an earlier sync are kept.")
            )
        if others := self.languages - {synced.language}:
            tags, requested = ", ".join(sorted(others)), language_tag(synced.language)
            synced.warnings.append(
                tr(
                    "The service was asked for {asked} and answered in {tags}.",
                    asked=requested,
                    tags=tags,
                )
            )
        synced.ended_at = self.now()
        synced.removed = self.cache.finish(
            self.begun.catalog, frozenset(self.categories), frozenset(self.brands), synced.ended_at
        )
        return synced

    def _take_list(self, request: CatalogRequest, reply: Reply) -> list[CatalogRequest]:
        """Save the entries of a page that no earlier page had, and return the next requests."""
        is_brands = request.kind == "brands"
        page = (wire.brands_page if is_brands else wire.categories_page)(reply, request.page)
        known: dict[str, Any] = self.brands if is_brands else self.categories
        fresh = {item.reference: item for item in page.entries if item.reference not in known}
        if page.strange:
            self.synced.warnings.append(
                tr(
                    "{count} of the {name} on page {page} cannot be read.",
                    count=page.strange,
                    name=_KINDS[request.kind],
                    page=request.page.number,
                )
            )
        counts = self.synced.brands if is_brands else self.synced.categories
        counts += self.cache.save(self.begun.catalog, fresh.values())
        if not is_brands:
            self.languages.update(filter(None, [page.language.partition("-")[0].casefold()]))
        known.update(fresh)
        if page.next and (page.next.link or fresh):
            if page.next.number > MOST_PAGES or page.next.link in self.links:
                raise Interrupted(
                    tr(
                        "The service's list of {name} does not end: page {page} leads back.",
                        name=_KINDS[request.kind],
                        page=page.next.number,
                    ),
                    tr("Tell the service's operator; what the cache had is kept."),
                )
            self.links.update(filter(None, [page.next.link]))
            return [CatalogRequest(request.kind, page.next)]
        return [] if is_brands else self._property_requests()

    def _property_requests(self) -> list[CatalogRequest]:
        """Return the requests for properties, now that all categories are known."""
        categories, only = self.categories, self.only
        if not categories:
            raise Interrupted(
                tr("The service lists no categories."),
                tr("Try again later; what the cache had is kept."),
            )
        if unlisted := [code for code in only if code not in categories]:
            # A list may lack a new or closed category that exists.
            return [CatalogRequest("category", category=code) for code in unlisted]
        scope = with_subcategories(only, categories) if only else categories
        needed = [
            code
            for code, item in categories.items()
            if code in scope and (item.takes_products or (code in only and item.level == DEEPEST))
        ]
        fetched = self.begun.fetched
        self.synced.resumed = len(fetched.intersection(needed))
        self.total = len(needed)
        return [
            CatalogRequest("properties", category=code) for code in needed if code not in fetched
        ]

    def _take_category(self, code: str, reply: Reply) -> list[CatalogRequest]:
        """Save a category that no page had; after the last, return the requests for properties."""
        self.categories[code] = wire.category_of(reply)._replace(reference=code)
        self.synced.categories += self.cache.save(self.begun.catalog, [self.categories[code]])
        is_last = all(other in self.categories for other in self.only)
        return self._property_requests() if is_last else []

    def _take_properties(self, code: str, reply: Reply) -> None:
        result, begun = wire.properties_of(reply), self.begun
        if result.strange:
            self.synced.warnings.append(
                tr(
                    "{count} of the properties of {category} cannot be read.",
                    count=result.strange,
                    category=code,
                )
            )
        # A 304 need not repeat the validators.
        marks = result.marks if result.properties is not None else begun.marks[code]
        difference = self.cache.save_properties(
            begun.catalog, code, result.properties, marks, self.now()
        )
        self.synced.properties[difference] += 1

    def _report_step(self, request: CatalogRequest) -> None:
        synced = self.synced
        done = synced.resumed + synced.properties.total() + len(synced.missing_properties)
        text = tr(
            "{categories}, {brands}",
            categories=plural("{count:,} category", "{count:,} categories", len(self.categories)),
            brands=plural("{count:,} brand", "{count:,} brands", len(self.brands)),
        )
        if request.kind == "properties":
            text = tr("properties of {category}", category=request.category)
        self.on_step(text, done, self.total)


def unknown_category(code: str, known: Iterable[str]) -> UsageProblem:
    """Return the problem of an unknown code, with the codes that may be meant."""
    near = ", ".join(near_codes(code, known))
    hint = (
        tr("Did you mean {choice}?", choice=near)
        if near
        else tr("`feedtool catalog search TEXT` finds codes.")
    )
    return UsageProblem(tr("There is no category “{code}”.", code=code), hint)
