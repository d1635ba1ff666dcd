"""Brings the catalogue from the service into the cache: `feedtool catalog sync`.

Brands and categories are lists in pages; once all categories are known, the properties of those
that are wanted follow. Each answer is saved as it comes. At the end what the service no longer
lists goes from the cache.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from feedtool.areas.products.catalog import wire
from feedtool.areas.products.catalog.cache import Begun, Cache, Removed, Saved
from feedtool.areas.products.catalog.model import DEEPEST, Brand, Category, Validators
from feedtool.areas.products.catalog.tree import within
from feedtool.areas.products.catalog.wire import CatalogPage
from feedtool.areas.products.catalog.words import near_codes
from feedtool.model.call import Call, Reply, Sender, language_tag
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.service.bodies import Unreadable
from feedtool.service.fetch import FetchContext, fetch

GO_ON = "Go on with `feedtool catalog sync`: what was brought is kept."

MOST_PAGES = 100_000
"""A list of more pages is no list that ends."""


NOT_LIKE_THAT = 400
GONE = 404


class What(StrEnum):
    """What is asked for."""

    BRANDS = "brands"
    CATEGORIES = "categories"
    PROPERTIES = "properties"


class Ask(NamedTuple):
    """One thing to ask for."""

    what: What
    page: CatalogPage = wire.CatalogPage()
    """Of a list."""
    category: str = ""
    """Whose properties."""


class SyncStep(NamedTuple):
    """How far a sync is."""

    text: str
    done: int
    """Categories whose properties were brought; 0 while these are not yet known."""
    total: int


class Lack(NamedTuple):
    """The properties of a category that are not to be had."""

    category: str
    reason: str


@dataclass(slots=True)
class Synced:
    """What a sync has come to."""

    service: str
    language: str
    at: datetime
    brands: Counter[Saved] = field(default_factory=Counter)
    categories: Counter[Saved] = field(default_factory=Counter)
    properties: Counter[Saved] = field(default_factory=Counter)
    """Categories, by what became of their properties."""
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
    on_step: Callable[[SyncStep], None] = lambda _: None,
) -> Synced:
    """Bring brands, categories and properties.

    Args:
        client: A way to the service.
        cache: Where they are kept.
        around: Time, chance, and how far to go.
        service: The base address, by which the cache knows whose they are.
        language: `en`, `fr` or `es`.
        only: Categories whose properties are wanted, or in which those are; empty for all.
        page_size: Entries that a page is asked for.
        on_step: Told how far it is.

    Raises:
        UsageProblem: there is no such category, or the service knows no such lists.
        NotAuthorised: the service refuses the credential.
        Interrupted: the service cannot be reached, or gives no usable answer; another sync goes on.
    """
    begun = cache.begin(service, language, only, around.wall())
    synced = Synced(service, language, begun.started_at)
    bringing = _Bringing(cache, begun, synced, around.wall, only, page_size, on_step)
    fetch([Ask(What.CATEGORIES), Ask(What.BRANDS)], bringing, client, around)
    return bringing.finished()


class _Bringing:
    """The reader of a sync."""

    def __init__(
        self,
        cache: Cache,
        begun: Begun,
        synced: Synced,
        now: Callable[[], datetime],
        only: Sequence[str],
        page_size: int,
        on_step: Callable[[SyncStep], None],
    ) -> None:
        self._cache, self._begun, self._synced, self._now = cache, begun, synced, now
        self._only, self._page_size, self._on_step = only, page_size, on_step
        self._categories: dict[str, Category] = {}
        self._brands: dict[str, Brand] = {}
        self._links: set[str] = set()
        self._languages: set[str] = set()
        self._wanted = 0

    def call(self, asked: Ask) -> Call:
        """The call that asks for it."""
        if asked.what is What.BRANDS:
            return wire.read_brands(asked.page, self._page_size)
        if asked.what is What.CATEGORIES:
            return wire.read_categories(self._synced.language, asked.page, self._page_size)
        marks = self._begun.marks.get(asked.category, Validators())
        return wire.read_properties(asked.category, self._synced.language, marks)

    def take(self, asked: Ask, reply: Reply) -> Iterable[Ask]:
        """Save what came, and name what is to be asked for next."""
        if asked.what is What.PROPERTIES:
            more = self._take_properties(asked, reply)
        else:
            more = self._take_list(asked, reply)
        self._tell(asked)
        return more

    def lack(self, asked: Ask, reason: str, status: int | None) -> Iterable[Ask]:
        """Without its lists there is no catalogue; without some properties there is."""
        if asked.what is What.PROPERTIES:
            self._synced.lacks.append(Lack(asked.category, reason))
            self._tell(asked)
            return []
        if status == GONE and asked.page.number > 1 and asked.page.link is None:
            # Where the service does not say how many pages there are, this one was a try.
            return self._all_known() if asked.what is What.CATEGORIES else []
        raise UsageProblem(
            f"The service does not list its {asked.what}: {reason}",
            "Ask for smaller pages with --page-size; the service's own have 25."
            if status == NOT_LIKE_THAT
            else "Check the base address (its version segment included).",
        )

    def finished(self) -> Synced:
        """What it has come to, once all was asked for."""
        synced = self._synced
        if not self._brands:
            synced.warnings.append(
                "The service lists no brands; those of an earlier sync are kept."
            )
        if strangers := self._languages - {synced.language}:
            tags = ", ".join(sorted(strangers))
            synced.warnings.append(
                f"The service was asked for {language_tag(synced.language)} and answered in {tags}."
            )
        synced.at = self._now()
        synced.removed = self._cache.finish(
            self._begun.catalog, frozenset(self._categories), frozenset(self._brands), synced.at
        )
        return synced

    # Lists.

    def _take_list(self, asked: Ask, reply: Reply) -> list[Ask]:
        """Save the entries of a page that no page before it had."""
        cache, key, is_brands = self._cache, self._begun.catalog, asked.what is What.BRANDS
        page = (wire.brands_page if is_brands else wire.categories_page)(reply, asked.page)
        known: dict[str, Any] = self._brands if is_brands else self._categories
        fresh = {item.reference: item for item in page.entries if item.reference not in known}
        self._check(asked, len(page.entries), page.strange)
        if is_brands:
            self._synced.brands += cache.save_brands(key, [*fresh.values()])
        else:
            self._languages.update(filter(None, [page.language.partition("-")[0].casefold()]))
            self._synced.categories += cache.save_categories(key, [*fresh.values()])
        known.update(fresh)
        more = self._next(asked, page.next, is_fresh=bool(fresh))
        return more if is_brands else more or self._all_known()

    def _check(self, asked: Ask, read: int, strange: int) -> None:
        """What cannot be read is counted; a page that holds nothing else is no page."""
        if strange and not read:
            raise Unreadable(f"the answer holds {strange} {asked.what} and none can be read")
        if strange:
            self._synced.warnings.append(
                f"{strange} of the {asked.what} on page {asked.page.number} cannot be read."
            )

    def _next(self, asked: Ask, page: CatalogPage | None, *, is_fresh: bool) -> list[Ask]:
        if page is None or (page.link is None and not is_fresh):
            return []
        if page.number > MOST_PAGES or page.link in self._links:
            raise Interrupted(
                f"The service's list of {asked.what} does not end: page {page.number} leads back.",
                "Tell the service's operator; what the cache had is kept.",
            )
        if page.link:
            self._links.add(page.link)
        return [Ask(asked.what, page)]

    # Properties.

    def _all_known(self) -> list[Ask]:
        """Whose properties to ask for, now that all categories are there."""
        if not self._categories:
            raise Interrupted(
                "The service lists no categories.", "Try again later; what the cache had is kept."
            )
        wanted = self._wanted_of(self._categories)
        self._synced.resumed = len(self._begun.fetched.intersection(wanted))
        self._wanted = len(wanted)
        return [
            Ask(What.PROPERTIES, category=item)
            for item in wanted
            if item not in self._begun.fetched
        ]

    def _wanted_of(self, categories: dict[str, Category]) -> list[str]:
        for code in self._only:
            if code not in categories:
                raise unknown_category(code, categories)
        scope = within(self._only, categories) if self._only else categories
        return [
            reference
            for reference, item in categories.items()
            if reference in scope
            and (item.takes_products or (reference in self._only and item.level == DEEPEST))
        ]

    def _take_properties(self, asked: Ask, reply: Reply) -> list[Ask]:
        result = wire.properties_of(reply)
        if result.strange:
            self._synced.warnings.append(
                f"{result.strange} of the properties of {asked.category} cannot be read."
            )
        # A 304 need not repeat what it was compared by.
        marks = result.marks if result.properties is not None else self._begun.marks[asked.category]
        how = self._cache.save_properties(
            self._begun.catalog, asked.category, result.properties, marks, self._now()
        )
        self._synced.properties[how] += 1
        return []

    def _tell(self, asked: Ask) -> None:
        synced = self._synced
        done = synced.resumed + synced.properties.total() + len(synced.lacks)
        if asked.what is What.PROPERTIES:
            text = f"properties of {asked.category}"
        else:
            text = f"{len(self._categories):,} categories, {len(self._brands):,} brands"
        self._on_step(SyncStep(text, done, self._wanted))


def unknown_category(code: str, known: Iterable[str]) -> UsageProblem:
    """There is no category of this code; which may be meant."""
    near = near_codes(code, known)
    return UsageProblem(
        f"There is no category “{code}”.",
        f"Did you mean {', '.join(near)}?"
        if near
        else "`feedtool catalog search TEXT` finds codes.",
    )
