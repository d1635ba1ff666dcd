import sqlite3
import stat
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from feedtool.catalog import Brand, Catalog, Necessity, Property, PropertyChoice
from feedtool.catalog.cache import STALE, VERSION, Cache, Removed, Saved
from feedtool.catalog.model import Origin, Validators
from feedtool.model.errors import Interrupted, UsageProblem
from tests.catalogues import AT, SERVICE, TREE, TREE_BRANDS, prop

MINUTE = timedelta(minutes=1)
FULL = prop(
    "9",
    index=3,
    necessity=Necessity.MANDATORY,
    unit="cm",
    is_ranged=True,
    is_size=True,
    choices=(PropertyChoice("S", "Small"), PropertyChoice("M", "Medium")),
    allowed_file_types=("pdf",),
)
ALL = frozenset(one.reference for one in TREE)
ALL_BRANDS = frozenset(one.reference for one in TREE_BRANDS)


def known(cache: Cache, language: str = "en") -> Catalog:
    result = cache.catalog(SERVICE, language)
    assert result is not None
    return result


def filled(cache: Cache, service: str = SERVICE, language: str = "en") -> int:
    """A catalogue that was brought to its end."""
    key = cache.begin(service, language, (), AT).catalog
    cache.save(key, TREE)
    cache.save(key, TREE_BRANDS)
    cache.save_properties(key, "0A0101", [FULL, prop()], Validators("e", "m"), AT)
    cache.finish(key, ALL, ALL_BRANDS, AT + MINUTE)
    return key


def test_saved_entries_are_found(cache: Cache) -> None:
    filled(cache)
    found = known(cache)
    assert found.origin == Origin(SERVICE, "en", AT + MINUTE)
    kettles = found.categories["0A0101"]
    assert (kettles.full_path, kettles.is_brand_mandatory) == ("Home > Kitchen > Kettles", True)
    assert found.properties("0A0101") == (FULL, prop())
    assert found.checked_at("0A0101") == AT
    assert found.properties("0A0102") is None
    assert found.brand("nestle") == Brand("1", "Nestlé")


def test_each_service_and_language_has_its_own(cache: Cache) -> None:
    filled(cache)
    filled(cache, language="fr")
    other = "https://other.example/v2"
    key = cache.begin(other, "en", (), AT).catalog
    cache.save(key, TREE[:1])
    assert cache.catalog(SERVICE, "es") is None
    assert (partly := cache.catalog(other, "en")) is not None
    assert (set(partly.categories), partly.synced_at) == ({"0A"}, None)
    assert [(one.service, one.language) for one in cache.origins()][2:] == [(other, "en")]


COMPARED: list[tuple[list[Property] | None, Saved]] = [
    *((same, Saved.SAME) for same in ([FULL, prop()], None)),
    *((other, Saved.CHANGED) for other in ([FULL], [])),
]


@pytest.mark.parametrize(("properties", "how"), COMPARED)
def test_properties_are_compared(
    cache: Cache, properties: list[Property] | None, how: Saved
) -> None:
    key = filled(cache)
    at = AT + 5 * MINUTE
    assert cache.save_properties(key, "0A0101", properties, Validators("f"), at) is how
    assert known(cache).checked_at("0A0101") == at
    assert cache.begin(SERVICE, "en", (), at).marks == {"0A0101": Validators("f")}


def test_entries_that_are_no_longer_listed_go(cache: Cache) -> None:
    key = filled(cache)
    assert cache.finish(key, ALL, frozenset(), AT) == Removed(0, 0)  # all brands, so none
    left = ALL - {"0A0101", "0A0103"}
    assert cache.finish(key, left, frozenset({"1"}), AT) == Removed(2, 3)
    found = known(cache)
    assert set(found.categories) == left
    assert found.properties("0A0101") is None
    assert [brand.name for brand in found.brands()] == ["Nestlé"]


GOES_ON = [
    *((later, ["0A"], True) for later in (MINUTE, STALE - MINUTE)),
    *((later, ["0A"], False) for later in (STALE, -MINUTE)),
    *((MINUTE, scope, False) for scope in ([], ["0A", "0B"])),
]


@pytest.mark.parametrize(("later", "scope", "goes_on"), GOES_ON)
def test_a_sync_that_was_stopped_goes_on(
    cache: Cache, later: timedelta, scope: list[str], *, goes_on: bool
) -> None:
    filled(cache)
    key = cache.begin(SERVICE, "en", ["0A"], AT + MINUTE).catalog
    cache.save_properties(key, "0A0102", [], Validators(), AT + 2 * MINUTE)
    again = cache.begin(SERVICE, "en", scope, AT + MINUTE + later)
    assert again.started_at == (AT + MINUTE if goes_on else AT + MINUTE + later)
    assert again.fetched == ({"0A0102"} if goes_on else set())
    assert again.marks == {"0A0101": Validators("e", "m"), "0A0102": Validators()}


def test_only_the_user_can_read_the_cache(cache: Cache, path: Path) -> None:
    with Cache(path) as other:  # two at once
        filled(cache)
        assert other.catalog(SERVICE, "en") is not None
    for one in path.parent.iterdir():
        assert stat.S_IMODE(one.stat().st_mode) == 0o600, one


@pytest.mark.parametrize("version", [VERSION + 1, 0])
def test_a_cache_of_another_version_is_rebuilt(path: Path, version: int) -> None:
    with Cache(path) as cache:
        filled(cache)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE more (x INTEGER PRIMARY KEY AUTOINCREMENT REFERENCES catalogs)")
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
    with Cache(path) as cache:
        assert cache.origins() == []
        filled(cache)
        assert len(cache.origins()) == 1


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\0" + b"\1" * 4000])
def test_a_broken_cache_is_rebuilt(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with Cache(path) as cache:
        filled(cache)
        assert len(cache.origins()) == 1


def test_a_cache_broken_in_use_is_reported(cache: Cache, path: Path) -> None:
    filled(cache)
    catalog = known(cache)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TABLE entries")
    db.close()
    with pytest.raises(Interrupted, match=r"cannot be read: no such table: entries\.") as caught:
        catalog.brand("x")
    assert "remove the file" in caught.value.hint


def test_a_place_where_no_file_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageProblem, match="cannot be opened: Not a directory") as caught:
        Cache(tmp_path / "file" / "catalog.sqlite")
    assert "--home" in caught.value.hint


def test_unknown_properties_cannot_be_unchanged(cache: Cache) -> None:
    key = filled(cache)
    with pytest.raises(ValueError, match="0A0102"):
        cache.save_properties(key, "0A0102", None, Validators(), AT)
