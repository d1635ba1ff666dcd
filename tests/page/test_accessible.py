"""Axe finds nothing on any page, in any state, in each look.

The sheet's cells are for `test_grid_browser`, what leads to no file for `test_round_trip`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Page

from feedtool.ledger.records import seller_key
from feedtool.model.errors import Interrupted
from feedtool.page.checks import check_key
from feedtool.page.session import PageSession, now
from feedtool.page.uploads import Choices
from tests.looks import LARGE, WIDTH, assert_accessible
from tests.page.conftest import (
    SAMPLES,
    application,
    made_session,
    sent,
    served,
    settle,
    settled,
    upload_file,
    with_catalogue,
)
from tests.page.own_sheets import mixed_offers
from tests.page.site import Site
from tests.pairs import sample

PAGES = {
    "start": "",
    "unreadable": "files/{broken}",
    "working": "files/{working}",
    "files-missing": "files/{index}",
    "columns": "files/{list}/columns",
    "choose": "files/{mistakes}/plan",
    "nothing-to-send": "files/{list}/plan",
    "answers": "runs/1",
    "runs": "runs",
    "no-runs": "runs?q=nothing",
    "runs-of-seller": "runs?service=http://sandbox.invalid/v2&seller=sandbox",
    "sellers": "sellers",
    "sellers-in-trouble": "sellers?trouble=on",
    "held": "held",
    "error": "nowhere",
}
OTHERS = {
    "check": "files/{mistakes}",
    "filtered": "files/{mistakes}?which=error",
    "exports": "exports",
    "export": "exports/orders",
    "export-needs": "exports/operations",
    "export-refused": "exports/offers?since=soon",
    "templates": "templates",
    "categories": "templates/categories?kind=products&language=en&search=t-shirt&category=011B",
    "codes": "explain",
    "code": "explain/gtin-checksum",
    "result-code": "explain/2403",
}
"""Pages that other tests check in English, some in the long run."""


@dataclass(frozen=True)
class Served:
    """A page on which much has happened."""

    address: str
    files: dict[str, str]


@pytest.fixture(scope="module")
def busy(site: Site, catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Files in each state; one of them is being checked for as long as the tests last."""
    folder, done = tmp_path_factory.mktemp("accessible"), Event()
    home = with_catalogue(catalogue, folder / "home")
    with made_session(home) as session, served(session, site) as address:
        yield Served(address, files_of(session, folder, done))
        done.set()


def waiting(done: Event) -> None:
    done.wait()


def files_of(session: PageSession, folder: Path, done: Event) -> dict[str, str]:
    client = application(session).test_client()
    (folder / "broken.xlsx").write_bytes(b"PK\3\4")
    (folder / "list.csv").write_text("Référence;EAN;Prix\nA-1;3760452701011;12,5\n", "utf-8")
    (folder / "index.csv").write_text("orderId;file\n1;a/x.pdf\n2;b/x.pdf\n3;y.pdf\n", "utf-8")
    files = {
        "index": upload_file(client, folder / "index.csv"),
        "mistakes": upload_file(client, mixed_offers(folder / "offers-mistakes.xlsx")),
        "broken": upload_file(client, folder / "broken.xlsx"),
        "list": upload_file(client, folder / "list.csv"),
        "working": upload_file(client, SAMPLES / "offers-update.xlsx"),
    }
    index = session.uploads.file(files["index"])
    session.uploads.choose(index, Choices(kind="invoices"), is_read_anew=True)
    client.put(f"/en/files/{index.id}/named/other.pdf", data=b"x")
    for file in files.values():
        settled(client, f"/en/files/{file}")
    sent(client, files["mistakes"])
    with session.workspace() as workspace:
        lost, later = Interrupted("no answer"), now() + timedelta(hours=1)
        other = seller_key("https://other.example/v2", "7")
        workspace.ledger.sellers.passed(other, "shop", None, lost, later, now())
    working = session.uploads.file(files["working"])
    session.uploads.grid(working).unlink()
    session.jobs.start(check_key(working), "check", lambda _: waiting(done))
    return files


ALIKE = ("no-runs", "runs-of-seller", "sellers-in-trouble", "filtered", "export-refused")
"""Pages that are others with less or with other rows."""


@pytest.mark.parametrize(
    ("name", "language"),
    sample(
        [
            *((name, "fr") for name in PAGES if name not in ALIKE),
            *((name, "fr") for name in PAGES if name in ALIKE),
            *((name, "en") for name in PAGES),
        ],
        len({*PAGES} - {*ALIKE}),
    ),
)
def test_axe_finds_no_fault_and_no_page_is_too_wide(
    bare_tab: Page, busy: Served, name: str, language: str
) -> None:
    """In every look; French texts are the longest."""
    answer = bare_tab.goto(f"{busy.address}{language}/{PAGES[name].format(**busy.files)}")
    assert answer
    assert answer.status == {"error": 404, "working": 202}.get(name, 200)
    if name != "working":
        settle(bare_tab)
    assert_accessible(bare_tab)


USUAL = {name: path for name, path in OTHERS.items() if name not in ALIKE}


@pytest.mark.parametrize(
    ("language", "pages"), sample([("fr", USUAL), ("fr", OTHERS), ("es", {**PAGES, **OTHERS})], 1)
)
def test_no_page_is_wider_than_the_screen_at_four_times_the_size(
    bare_tab: Page, busy: Served, language: str, pages: dict[str, str]
) -> None:
    """Beside those that axe checks, since it checks this size, too."""
    bare_tab.set_viewport_size({"width": LARGE[0], "height": LARGE[1]})
    widths = {}
    for name, path in pages.items():
        bare_tab.goto(f"{busy.address}{language}/{path.format(**busy.files)}")
        if name != "working":
            settle(bare_tab)  # a page whose plan was still to be made would load itself anew
        widths[name] = bare_tab.evaluate(WIDTH)
    assert widths == dict.fromkeys(widths, LARGE[0])
