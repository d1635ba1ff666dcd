"""Synchronisation of the catalogue: from the sandbox, and from a small configurable service."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.catalog.cache import Cache, Removed, Saved
from feedtool.catalog.sync import MissingProperties, Synced, sync
from feedtool.model.call import Call, Reply, Sender
from feedtool.model.errors import FeedtoolError, Interrupted, Stopped, UsageProblem
from feedtool.sandbox.transport import SandboxTransport
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from feedtool.service.fetch import FetchContext
from tests.catalog.test_cache import known
from tests.catalogues import SERVICE as BASE

T0 = datetime(2026, 3, 1, tzinfo=UTC)
Answer = Reply | Exception


@dataclass
class Shop:
    """A service of a few categories, which keeps count of what it is asked."""

    categories: dict[str, dict[str, Any]] = field(default_factory=dict)
    properties: dict[str, list[Any]] = field(default_factory=dict)
    brands: dict[str, str] = field(default_factory=dict)
    has_etags: bool = False
    is_linked: bool = False
    tells_page: bool = True
    headers: dict[str, str] = field(default_factory=dict)
    instead: Callable[[str], Answer | None] = lambda _: None
    """An answer of the test's own, by what is asked for."""
    asked: list[str] = field(default_factory=list)
    at: datetime = T0

    def send(self, call: Call) -> Reply:
        target = call.target.removeprefix(BASE)
        path, _, linked = target.partition("?pageIndex=")
        page = int(linked or dict(call.query).get("pageIndex", "1"))
        asked = f"{path} {page}" if path in {"/brands", "/categories"} else path
        self.asked.append(asked)
        own = self.instead(asked)
        if isinstance(own, Exception):
            raise own
        if own:
            return own
        if path == "/brands":
            items = [{"brandReference": one, "name": name} for one, name in self.brands.items()]
        elif path == "/categories":
            items = [{"categoryReference": one, **told} for one, told in self.categories.items()]
        elif path.endswith("/properties"):
            return self._properties(path.split("/")[2], dict(call.headers))
        else:
            return Reply(404, url=BASE)
        size, headers = int(dict(call.query).get("pageSize", "2")), dict(self.headers)
        if self.is_linked and page * size < len(items):
            headers["link"] = f'<{BASE}{path}?pageIndex={page + 1}>; rel="next"'
        told = {"itemsPerPage": size} if self.tells_page else {}
        shown = {"items": items[(page - 1) * size : page * size], **told}
        return Reply(200, headers, json.dumps(shown).encode(), f"{BASE}{path}")

    def _properties(self, category: str, headers: dict[str, str]) -> Reply:
        body = json.dumps({"items": self.properties.get(category, [])}).encode()
        etag = sha256(body).hexdigest()[:8] if self.has_etags else ""
        if etag and headers.get("If-None-Match") == etag:
            return Reply(304)
        return Reply(200, {"etag": etag} if etag else {}, body, f"{BASE}/x")

    def sleep(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def shop(**changes: Any) -> Shop:
    """Two levels of two, four categories for products, one of them not active."""
    categories = {
        "0A": {"label": "Home", "level": 1},
        "0A01": {"label": "Kitchen", "level": 2, "parentReference": "0A"},
        "0A0101": {"label": "Kettles", "level": 3, "parentReference": "0A01"},
        "0A0102": {"label": "Pans", "level": 3, "parentReference": "0A01"},
        "0A0103": {"label": "Old pans", "level": 3, "parentReference": "0A01", "isActive": False},
        "0B": {"label": "Garden", "level": 1},
        "0B01": {"label": "Tools", "level": 2, "parentReference": "0B"},
        "0B0101": {"label": "Rakes", "level": 3, "parentReference": "0B01"},
    }
    return Shop(
        categories={one: {"isActive": True} | told for one, told in categories.items()},
        properties={"0A0101": [{"propertyReference": "1", "label": "Volume", "unit": "l"}]},
        brands={"1": "Nestlé", "2": "Bosch", "3": "Tefal"},
        **changes,
    )


PROPERTIES = ["0A0101", "0A0102", "0B0101"]


def synchronise(
    service: Shop,
    cache: Cache,
    *only: str,
    stopping: Callable[[], FeedtoolError | None] = lambda: None,
    client: Sender | None = None,
    on_step: Callable[[str, int, int], None] = lambda *_: None,
    pool: int = 1,
) -> Synced:
    """A sync, two entries a page."""
    return sync(
        client or service,
        cache,
        FetchContext(lambda: service.at, service.sleep, lambda: 1.0, pool, stopping),
        service=BASE,
        language="en",
        only=only,
        page_size=2,
        on_step=on_step,
    )


def requested_categories(service: Shop) -> list[str]:
    """The categories whose properties were requested, in order."""
    return [path.split("/")[2] for path in service.asked if path.endswith("/properties")]


@pytest.mark.parametrize("pool", [1, 4])
@pytest.mark.parametrize(
    "paged",
    [{}, {"is_linked": True}, {"tells_page": False}, {"is_linked": True, "tells_page": False}],
    ids=["full pages", "links", "pages to the first empty one", "links alone"],
)
def test_all_of_it(cache: Cache, paged: dict[str, bool], pool: int) -> None:
    service = shop(**paged)
    synced = synchronise(service, cache, pool=pool)
    counts = [synced.categories, synced.brands, synced.properties]
    assert counts == [{Saved.NEW: 8}, {Saved.NEW: 3}, {Saved.NEW: 3}]
    assert (synced.missing_properties, synced.warnings, synced.resumed) == ([], [], 0)
    found = known(cache)
    assert found.synced_at == T0
    assert found.categories["0B0101"].full_path == "Garden > Tools > Rakes"
    (volume,) = found.properties("0A0101") or ()
    assert (volume.label, volume.unit) == ("Volume", "l")
    assert [found.properties(code) for code in ("0A0102", "0A0103")] == [(), None]
    assert sorted(requested_categories(service)) == PROPERTIES


def test_only_changed_entries_are_written(cache: Cache) -> None:
    service = shop()
    synchronise(service, cache)
    again = synchronise(service, cache)
    assert again.categories == {Saved.SAME: 8}
    assert again.properties == {Saved.SAME: 3}
    service.categories["0A0101"]["label"] = "Electric kettles"
    service.properties["0A0102"] = [{"propertyReference": "7"}]
    service.brands["1"] = "Nestle"
    del service.categories["0B0101"], service.brands["3"]
    synced = synchronise(service, cache)
    assert synced.categories == {Saved.SAME: 6, Saved.CHANGED: 1}
    assert synced.brands == {Saved.SAME: 1, Saved.CHANGED: 1}
    assert synced.properties == {Saved.SAME: 1, Saved.CHANGED: 1}
    assert synced.removed == Removed(categories=1, brands=1)
    found = known(cache)
    assert found.category("0B0101") is None
    assert found.brand("tefal") is None
    assert [one.reference for one in found.properties("0A0102") or ()] == ["7"]


def test_unchanged_properties_are_not_sent_again(cache: Cache) -> None:
    service = shop(has_etags=True)
    synchronise(service, cache)
    service.properties["0A0101"] = []
    service.at += timedelta(days=2)
    synced = synchronise(service, cache)
    assert synced.properties == {Saved.SAME: 2, Saved.CHANGED: 1}
    assert known(cache).checked_at("0A0102") == service.at
    assert synchronise(service, cache).properties == {Saved.SAME: 3}


def test_a_sync_that_was_stopped_goes_on(cache: Cache) -> None:
    service = shop()
    enough = Stopped("enough")
    with pytest.raises(Stopped):
        synchronise(service, cache, stopping=lambda: enough if len(service.asked) >= 9 else None)
    done = requested_categories(service)
    assert 0 < len(done) < len(PROPERTIES)
    assert known(cache).synced_at is None
    assert known(cache).properties(done[0]) is not None
    service.asked.clear()
    synced = synchronise(service, cache)
    assert synced.resumed == len(done)
    assert sorted([*done, *requested_categories(service)]) == PROPERTIES
    assert known(cache).synced_at is not None


def test_a_sync_that_was_killed_goes_on(tmp_path: Path) -> None:
    killed = {"/categories/0B0101/properties": RuntimeError("as if the power went")}
    service = shop(instead=killed.get)
    with Cache(tmp_path / "c.sqlite") as cache, pytest.raises(RuntimeError):
        synchronise(service, cache)
    killed.clear()
    service.asked.clear()
    with Cache(tmp_path / "c.sqlite") as cache:
        assert synchronise(service, cache).resumed == 2
    assert requested_categories(service) == ["0B0101"]


SCOPES = [
    (["0A0102"], ["0A0102"]),
    (["0A01"], ["0A0101", "0A0102"]),
    (["0B", "0A0101"], ["0A0101", "0B0101"]),
    (["0A0103"], ["0A0103"]),
]


@pytest.mark.parametrize(("only", "asked"), SCOPES, ids=str)
def test_the_properties_of_some(cache: Cache, only: list[str], asked: list[str]) -> None:
    service = shop()
    synchronise(service, cache)
    service.asked.clear()
    synchronise(service, cache, *only)
    assert requested_categories(service) == asked
    assert len(known(cache).categories) == 8
    assert known(cache).properties("0A0101")


def test_a_category_that_is_not_there(cache: Cache) -> None:
    with pytest.raises(UsageProblem, match="no category “0A0I01”") as caught:
        synchronise(shop(), cache, "0A0I01")
    assert caught.value.hint.startswith("Did you mean 0A0101")


def test_a_category_that_is_in_no_list(cache: Cache) -> None:
    service = shop()
    told = {
        "categoryReference": "0B0199",
        "label": "New rakes",
        "isActive": True,
        "parentReference": "0B01",
    }
    alone = {"/categories/0B0199": Reply(200, {}, json.dumps(told).encode(), BASE)}
    service.instead = alone.get
    synchronise(service, cache, "0B0199", "0A0102")
    assert requested_categories(service) == ["0A0102", "0B0199"]
    assert known(cache).categories["0B0199"].path == ("Garden", "Tools", "New rakes")


def test_steps_are_reported(cache: Cache) -> None:
    steps: list[tuple[str, int, int]] = []
    synchronise(shop(), cache, on_step=lambda *step: steps.append(step))
    assert steps[0] == ("2 categories, 0 brands", 0, 0)
    assert steps[-1] == ("properties of 0B0101", 3, 3)
    assert [done for _, done, total in steps if total] == [0, 1, 2, 3]


# What the service should not do.

HTML = Reply(200, {}, b"<html>", BASE)


def test_properties_that_cannot_be_had(cache: Cache) -> None:
    service = shop()
    broken = {"/categories/0A0101/properties": HTML, "/categories/0A0102/properties": Reply(404)}
    service.instead = broken.get
    synced = synchronise(service, cache)
    assert synced.missing_properties == [
        MissingProperties("0A0101", "the answer is not JSON"),
        MissingProperties("0A0102", "no reason given (HTTP 404)"),
    ]
    assert synced.properties == {Saved.NEW: 1}
    assert [known(cache).properties(code) for code in ("0A0101", "0B0101")] == [None, ()]
    assert known(cache).synced_at is not None


def page(document: str, path: str = "", link: str = "") -> Reply:
    headers = {"link": f'<{BASE}{link}>; rel="next"'} if link else {}
    return Reply(200, headers, document.encode(), f"{BASE}{path}")


ONE_BRAND = '{"items": [{"brandReference": "1", "name": "x"}]}'
CIRCLE = [f"/brands?pageIndex={number}" for number in (1, 2)]
NO_LISTS: dict[str, tuple[dict[str, Answer], type[FeedtoolError]]] = {
    "does not list its categories: no reason given": ({"/categories 1": Reply(404)}, UsageProblem),
    "--page-size": ({"/brands 1": Reply(400)}, UsageProblem),
    "does not list its brands: the answer is not JSON": ({"/brands 1": HTML}, UsageProblem),
    "lists no categories": ({"/categories 1": page('{"items": []}')}, Interrupted),
    "holds 2 categories and none can be read": (
        {"/categories 1": page('{"items": [{}, 1]}')},
        UsageProblem,
    ),
    "list of brands does not end": (
        {
            "/brands 1": page(ONE_BRAND, CIRCLE[0], CIRCLE[1]),
            "/brands 2": page(ONE_BRAND, CIRCLE[1], CIRCLE[0]),
        },
        Interrupted,
    ),
}


@pytest.mark.parametrize(
    ("message", "answers", "kind"), [(message, *case) for message, case in NO_LISTS.items()]
)
def test_without_its_lists_there_is_no_catalogue(
    cache: Cache, message: str, answers: dict[str, Answer], kind: type[FeedtoolError]
) -> None:
    synchronise(shop(), cache)
    service = shop(instead=answers.get)
    with pytest.raises(kind) as caught:
        synchronise(service, cache)
    assert message in f"{caught.value.message} {caught.value.hint}"
    assert len(known(cache).categories) == 8
    assert known(cache).brand("tefal")


def test_a_list_whose_end_shows_late(cache: Cache) -> None:
    """A page after the last is not there, and one list gives the same page for ever."""
    beyond, same = Reply(404), page(ONE_BRAND, "/brands")
    answers = {"/categories 5": beyond, "/brands 1": same, "/brands 2": same}
    service = shop(instead=answers.get)
    synced = synchronise(service, cache)
    assert (synced.properties, synced.brands) == ({Saved.NEW: 3}, {Saved.NEW: 1})
    assert set(answers) <= set(service.asked)


WARNINGS: dict[str, dict[str, Any]] = {
    "The service was asked for en-US and answered in fr.": {
        "headers": {"content-language": "fr-FR"}
    },
    "The service lists no brands; those of an earlier sync are kept.": {"brands": {}},
    "1 of the brands on page 1 cannot be read.": {"brands": {"1": "Bosch", "2": ""}},
    "1 of the properties of 0A0101 cannot be read.": {"properties": {"0A0101": [{}]}},
}


@pytest.mark.parametrize(("warning", "changes"), WARNINGS.items(), ids=WARNINGS)
def test_warnings_of_a_synchronisation(cache: Cache, warning: str, changes: dict[str, Any]) -> None:
    assert synchronise(replace(shop(), **changes), cache).warnings == [warning]


SHIRTS = "1E0101"
OF_SANDBOX = (SHIRTS, "0A0201", "011B01")


def test_the_sandbox_has_it_in_each_language(cache: Cache) -> None:
    """Had without any SellerId; README of the products has all categories synchronised."""
    transport = SandboxTransport(sandbox_parts())
    around = FetchContext(transport.now, transport.sleep, pool=1)
    with Client(transport.base, None, StaticToken("sandbox"), transport=transport) as client:
        for language, only in {"en": OF_SANDBOX, "fr": (SHIRTS,), "es": (SHIRTS,)}.items():
            synced = sync(client, cache, around, service=BASE, language=language, only=only)
            assert (synced.missing_properties, synced.warnings) == ([], [])
    english, *others = (known(cache, language) for language in ("en", "fr", "es"))
    for item in english.categories.values():
        is_synchronised = item.reference in OF_SANDBOX
        assert (english.properties(item.reference) is not None) is is_synchronised, item
        assert item.takes_products >= is_synchronised, item
    every = [english, *others]
    assert len({catalog.categories[SHIRTS].full_path for catalog in every}) == 3
    assert len({catalog.fingerprint(SHIRTS) for catalog in every}) == 3
