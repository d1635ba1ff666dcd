"""Times are in the reader's zone and the page's language; in UTC without scripts."""

import io
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.conftest import lone_session, served
from tests.page.site import Site
from tests.pairs import sample

NOON = datetime(2026, 11, 24, 12, 30, tzinfo=UTC)
UTC_TIME = "2026-11-24 12:30 UTC"
SHOWN = {
    ("en-US", "America/New_York", True): {
        "en": "Nov 24, 2026, 7:30\u202fAM",
        "es": "24 nov 2026, 7:30",
    },
    ("fr-FR", "Europe/Paris", False): {"fr": UTC_TIME},
    ("fr-FR", "Europe/Madrid", True): {"es": "24 nov 2026, 13:30", "fr": "24 nov. 2026, 13:30"},
    ("en-GB", "Europe/London", True): {"en": "24 Nov 2026, 12:30"},
}
"""Place and zone of the browser, and scripts → language of the page → shown time."""


@pytest.fixture(scope="module")
def brought_at_noon(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page with a file."""
    with (
        lone_session(tmp_path_factory.mktemp("times")) as session,
        served(session, site) as address,
    ):
        content = io.BytesIO(b"x")
        session.uploads.take_in("a.csv", content, limit=10, account="sandbox", who="me", at=NOON)
        yield address


@pytest.mark.parametrize(("place", "zone", "has_scripts"), sample(SHOWN, 1))
def test_a_time_is_shown_in_the_reader_s_zone(
    browser: Browser, brought_at_noon: str, place: str, zone: str, *, has_scripts: bool
) -> None:
    page = browser.new_page(locale=place, timezone_id=zone, java_script_enabled=has_scripts)
    for language, shown in SHOWN[place, zone, has_scripts].items():
        page.goto(f"{brought_at_noon}{language}/")
        expect(page.locator("time")).to_have_text(shown)
    page.close()


def test_a_time_is_in_utc_without_scripts(plain_tab: Page, brought_at_noon: str) -> None:
    plain_tab.goto(f"{brought_at_noon}fr/")
    expect(plain_tab.locator("time")).to_have_text(UTC_TIME)
