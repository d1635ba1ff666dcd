"""A brand is sent as the catalogue writes it; one that it does not know is told."""

import pytest

from feedtool.areas.products.columns.common import BrandName
from feedtool.model.settings import AccountSettings
from tests.catalogues import PROPERTIES, catalog_of, judging
from tests.feeds.columns.conftest import read, text

READ = {
    "Maison Alder": ("Maison Alder", ()),
    "MAISON ALDER": ("Maison Alder", ()),
    "cafe brume": ("Café Brume", ()),
    " Nestlé ": ("Nestlé", ("trimmed",)),
    "Nestlee": ("Nestlee", ("brand-unknown",)),
    "Quite Another": ("Quite Another", ("brand-unknown",)),
    "x" * 51: ("x" * 51, ("length-advised", "brand-unknown")),
    "": (None, ()),
    "a\tb": (None, ("text-control-chars",)),
}


@pytest.mark.parametrize(("shown", "expected"), READ.items(), ids=READ)
def test_read(shown: str, expected: tuple[str | None, tuple[str, ...]]) -> None:
    value, codes = expected
    found = read(BrandName(), text(shown), judging())
    assert found.codes == codes
    assert found.value == (value if shown != "a\tb" else shown)


def test_the_nearest_is_suggested() -> None:
    assert read(BrandName(), text("Nestlee"), judging()).hint == "did you mean Nestlé?"


def test_a_catalogue_without_brands_knows_of_none() -> None:
    bare = judging(catalog_of(PROPERTIES, brands=()))
    assert read(BrandName(), text("Nestlee"), bare) == ("Nestlee", (), "")
    assert read(BrandName(), text("Nestlee"), AccountSettings()) == ("Nestlee", (), "")
