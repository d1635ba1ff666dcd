"""Brings the catalogue from the service into the cache: `feedtool catalog sync`.

Brands and categories are lists in pages; once all categories are known, the properties of those
that are wanted follow. A category that is named and in no list is asked for by itself. Each answer
is saved as it comes. At the end what the service no longer lists goes from the cache.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field

from feedtool.areas.products.catalog import wire
from feedtool.areas.products.catalog.cache import Begun, Cache, Removed, Saved
from feedtool.areas.products.catalog.model import (
    DEEPEST,
    Brand,
    Category,
    Validators,
    near_codes,
    within,
)
from feedtool.areas.products.catalog.wire import CatalogPage
from feedtool.model.call import Call, Reply, Sender, language_tag
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.model.text import plural, tr
from feedtool.service.fetch import MOST_PAGES, FetchContext, fetch

GO_ON = tr("Go on with `feedtool catalog sync`: what was brought is kept.")

_KINDS = {
    "brands": tr("brands"),
    "categories": tr("categories"),
    "category": tr("categories"),
    "properties": tr("properties"),
}

BAD_REQUEST = 400
NOT_FOUND = 404


class Ask(NamedTuple):
    """One thing to ask for."""

    kind: Literal["brands", "categories", "category", "properties"]
    page: CatalogPage = wire.FIRST_PAGE
    category: str = ""


class Lack(NamedTuple):
    """A category whose properties are not to be had."""

    category: str
    reason: str


class Synced(Struct):
    """The result of a sync."""

    service: str
    language: str
    at: datetime
    brands: Counter[Saved] = field(default_factory=Counter)
    categories: Counter[Saved] = field(default_factory=Counter)
    properties: Counter[Saved] = field(default_factory=Counter)
    """Categories, by how their properties differed."""
    resumed: int = 0
    """Categories whose properties an earlier sync, which was stopped, had brought already."""
    removed: Removed = field(default_factory=lambda: Removed(0, 0))
    lacks: list[Lack] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def sync(
    client: Sender,
    cache: Cache,
    around: FetchContext,
    *,
    service: str,
    language: str,
    only: Sequence[str] = (),
    page_size: int = wire.PAGE_SIZE,
    on_step: Callable[[str, int, int], None] = lambda _text, _done, _total: None,
) -> Synced:
    """Bring brands, categories and properties.

    `only` names categories whose properties are wanted, or in which those are; without any, all
    are. The cache knows the catalogue by the base address of the `service` and the `language`.
    `on_step` hears how many categories' properties of how many were brought, 0 of 0 until known.

    Raises:
        UsageProblem: there is no such category, or the service knows no such lists.
        NotAuthorised: the service refuses the credential.
        Interrupted: the service cannot be reached, or gives no usable answer; another sync goes on.
    """
    begun = cache.begin(service, language, only, around.wall())
    synced = Synced(service, language, begun.started_at)
    reader = _SyncReader(cache, begun, synced, around.wall, only, page_size, on_step)
    fetch([Ask("categories"), Ask("brands")], reader, client, around)
    return reader.finished()


class _SyncReader(Struct):
    cache: Cache
    begun: Begun
    synced: Synced
    now: Callable[[], datetime]
    only: Sequence[str]
    page_size: int
    on_step: Callable[[str, int, int], None]
    categories: dict[str, Category] = field(default_factory=dict)
    brands: dict[str, Brand] = field(default_factory=dict)
    links: set[str] = field(default_factory=set)
    languages: set[str] = field(default_factory=set)
    wanted: int = 0
    """Categories whose properties are wanted."""

    def call(self, asked: Ask) -> Call:
        """The call that asks for it."""
        language = self.synced.language
        if asked.kind == "brands":
            return wire.read_brands(asked.page, self.page_size)
        if asked.kind == "categories":
            return wire.read_categories(language, asked.page, self.page_size)
        if asked.kind == "category":
            return wire.read_category(asked.category, language)
        marks = self.begun.marks.get(asked.category, Validators())
        return wire.read_properties(asked.category, language, marks)

    def take(self, asked: Ask, reply: Reply) -> Iterable[Ask]:
        """Save the answer; what is to be asked for next."""
        more: Iterable[Ask] = ()
        if asked.kind == "properties":
            self._take_properties(asked.category, reply)
        elif asked.kind == "category":
            more = self._take_category(asked.category, reply)
        else:
            more = self._take_list(asked, reply)
        self._report_step(asked)
        return more

    def skip(self, asked: Ask, reason: str, status: int | None) -> Iterable[Ask]:
        """Without its lists there is no catalogue; without some properties there is."""
        if asked.kind == "properties":
            self.synced.lacks.append(Lack(asked.category, reason))
            self._report_step(asked)
            return []
        if status == NOT_FOUND and asked.page.number > 1 and asked.page.link is None:
            # Where the service does not say how many pages there are, this one was a try.
            return self._asks_for_properties() if asked.kind == "categories" else []
        if asked.kind == "category" and status in {BAD_REQUEST, NOT_FOUND}:
            raise unknown_category(asked.category, self.categories)
        raise UsageProblem(
            tr(
                "The service does not list its {kind}: {reason}",
                kind=_KINDS[asked.kind],
                reason=reason,
            ),
            tr("Ask for smaller pages with --page-size; the service's own have 25.")
            if status == BAD_REQUEST
            else tr("Check the base address (its version segment included)."),
        )

    def finished(self) -> Synced:
        """The result, once all was asked for."""
        synced = self.synced
        if not self.brands:
            synced.warnings.append(
                tr("The service lists no brands; those of an earlier sync are kept.")
            )
        if others := self.languages - {synced.language}:
            tags, asked = ", ".join(sorted(others)), language_tag(synced.language)
            synced.warnings.append(
                tr(
                    "The service was asked for {asked} and answered in {tags}.",
                    asked=asked,
                    tags=tags,
                )
            )
        synced.at = self.now()
        synced.removed = self.cache.finish(
            self.begun.catalog, frozenset(self.categories), frozenset(self.brands), synced.at
        )
        return synced

    def _take_list(self, asked: Ask, reply: Reply) -> list[Ask]:
        """Save the entries of a page that no page before it had."""
        is_brands = asked.kind == "brands"
        page = (wire.brands_page if is_brands else wire.categories_page)(reply, asked.page)
        known: dict[str, Any] = self.brands if is_brands else self.categories
        fresh = {item.reference: item for item in page.entries if item.reference not in known}
        if page.strange:
            self.synced.warnings.append(
                tr(
                    "{count} of the {name} on page {page} cannot be read.",
                    count=page.strange,
                    name=_KINDS[asked.kind],
                    page=asked.page.number,
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
                        name=_KINDS[asked.kind],
                        page=page.next.number,
                    ),
                    tr("Tell the service's operator; what the cache had is kept."),
                )
            self.links.update(filter(None, [page.next.link]))
            return [Ask(asked.kind, page.next)]
        return [] if is_brands else self._asks_for_properties()

    def _asks_for_properties(self) -> list[Ask]:
        """Those of the categories whose properties are wanted, now that all are known."""
        categories, only = self.categories, self.only
        if not categories:
            raise Interrupted(
                tr("The service lists no categories."),
                tr("Try again later; what the cache had is kept."),
            )
        if unlisted := [code for code in only if code not in categories]:
            # A list may lack what is new or closed, and the category is there all the same.
            return [Ask("category", category=code) for code in unlisted]
        scope = within(only, categories) if only else categories
        wanted = [
            code
            for code, item in categories.items()
            if code in scope and (item.takes_products or (code in only and item.level == DEEPEST))
        ]
        fetched = self.begun.fetched
        self.synced.resumed = len(fetched.intersection(wanted))
        self.wanted = len(wanted)
        return [Ask("properties", category=code) for code in wanted if code not in fetched]

    def _take_category(self, code: str, reply: Reply) -> list[Ask]:
        """Save a category that no page had; after the last of them ask for properties."""
        self.categories[code] = wire.category_of(reply)._replace(reference=code)
        self.synced.categories += self.cache.save(self.begun.catalog, [self.categories[code]])
        is_last = all(other in self.categories for other in self.only)
        return self._asks_for_properties() if is_last else []

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
        # A 304 need not repeat what it was compared by.
        marks = result.marks if result.properties is not None else begun.marks[code]
        how = self.cache.save_properties(begun.catalog, code, result.properties, marks, self.now())
        self.synced.properties[how] += 1

    def _report_step(self, asked: Ask) -> None:
        synced = self.synced
        done = synced.resumed + synced.properties.total() + len(synced.lacks)
        text = tr(
            "{categories}, {brands}",
            categories=plural("{count:,} category", "{count:,} categories", len(self.categories)),
            brands=plural("{count:,} brand", "{count:,} brands", len(self.brands)),
        )
        if asked.kind == "properties":
            text = tr("properties of {category}", category=asked.category)
        self.on_step(text, done, self.wanted)


def unknown_category(code: str, known: Iterable[str]) -> UsageProblem:
    """The problem that there is no category of this code; the codes that may be meant."""
    near = ", ".join(near_codes(code, known))
    hint = (
        tr("Did you mean {choice}?", choice=near)
        if near
        else tr("`feedtool catalog search TEXT` finds codes.")
    )
    return UsageProblem(tr("There is no category “{code}”.", code=code), hint)
