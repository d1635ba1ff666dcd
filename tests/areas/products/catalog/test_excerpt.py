"""What checks asked of the catalogue is kept, and answers the same when it is asked again."""

import pytest

from feedtool.areas.products.catalog import Catalog
from feedtool.areas.products.catalog.lookup import Consulted, from_excerpt
from tests.catalogues import catalog, choices, prop

KETTLES = (
    prop("3263", is_ranged=True, choices=choices("Beige", "Noir"), allowed_file_types=("pdf",)),
    prop("3264", index=2, unit="cm", is_numeric=True),
)
KNOWN = {"0A0101": KETTLES, "0B0101": (prop("1"),)}


@pytest.fixture
def consulted() -> Consulted:
    """A catalogue in French, and none in Spanish."""
    return Consulted(lambda language: None if language == "es" else catalog(KNOWN))


def again(consulted: Consulted, language: str | None = None) -> Catalog | None:
    excerpt = consulted.excerpt()
    assert excerpt is not None
    return from_excerpt(excerpt)(language)


def test_what_was_asked_is_answered_alike(consulted: Consulted) -> None:
    asked = consulted("fr")
    assert asked is not None
    told = (asked.properties("0A0101"), asked.properties("0A0102"), asked.brand("loreal"))
    near = (asked.near_categories("0A0109"), asked.near_brands("nestl"))
    found = again(consulted, "fr")
    assert found is not None
    assert (found.properties("0A0101"), found.properties("0A0102"), found.brand("loreal")) == told
    assert (found.near_categories("0A0109"), found.near_brands("nestl")) == near
    assert (found.origin, found.categories) == (asked.origin, asked.categories)
    assert found.fingerprint("0A0101") == asked.fingerprint("0A0101")
    assert found.checked_at("0A0101") == asked.checked_at("0A0101")


def test_what_was_not_asked_is_not_kept(consulted: Consulted) -> None:
    asked = consulted(None)
    assert asked is not None
    assert asked.properties("0A0101")
    found = again(consulted)
    assert found is not None
    assert found.properties("0B0101") is None
    assert list(found.brands()) == []


def test_a_language_in_which_there_was_none(consulted: Consulted) -> None:
    assert consulted("es") is None
    assert again(consulted, "es") is None
    assert again(consulted, "fr") is None


def test_it_is_opened_once(consulted: Consulted) -> None:
    assert consulted("fr") is consulted("fr")
    excerpt = consulted.excerpt()
    assert excerpt is not None
    opened = from_excerpt(excerpt)
    assert opened("fr") is opened("fr")


def test_offers_leave_nothing_to_keep(consulted: Consulted) -> None:
    assert consulted.excerpt() is None
