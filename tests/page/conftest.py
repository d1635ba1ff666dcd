"""The page as the command makes it, in a folder of its own."""

import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, ViewportSize
from werkzeug.test import TestResponse

from feedtool.catalog.cache import FILE
from feedtool.cli import run
from feedtool.cli.console import StopSignal
from feedtool.cli.notifier import run_notices
from feedtool.cli.options_account import Notifying
from feedtool.cli.page import page, page_session_of
from feedtool.cli.typed import read_record
from feedtool.page import app
from feedtool.page.access import LocalAccess, local_hosts
from feedtool.page.app import guarded
from feedtool.page.session import PageSession
from tests.ledger.empty import make_file
from tests.looks import assert_accessible
from tests.page.site import Site, opened_site

SAMPLES = Path(__file__).parents[2] / "samples"
LOOK = 0.01
"""Seconds between two looks at what goes on."""


@contextmanager
def made_session(home: Path, *words: str) -> Iterator[PageSession]:
    """The session of `feedtool page --home HOME`, which has a ledger already."""
    if not (ledger := home / "ledger.sqlite").exists():
        make_file(ledger)
    line = page.make_context("page", ["--home", str(home), "--no-open", *words])
    with line as ctx, run_notices("page", None, read_record(Notifying, ctx.params)) as notices:
        session = page_session_of(ctx, StopSignal(), notices)
        yield session
        session.jobs.close()


@contextmanager
def lone_session(folder: Path) -> Iterator[PageSession]:
    """A session without any profile, whose home and settings are in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(folder / "settings"))
        with made_session(folder / "home") as session:
            yield session


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The catalogue of the embedded sandbox: a page that needs it would bring it anew.

    It has the properties of the categories for which tests want a template.
    """
    home, some = tmp_path_factory.mktemp("catalogue"), "1E01,011B"
    assert run(["catalog", "sync", "--sandbox", "--category", some, "--home", str(home)]) == 0
    return home / FILE


def with_catalogue(catalogue: Path, home: Path) -> Path:
    """A home that has a catalogue."""
    home.mkdir(exist_ok=True)
    shutil.copy(catalogue, home)
    return home


@cache
def first_application() -> Flask:
    """An application with compiled addresses and templates."""
    return app.application(cast("PageSession", None))


def application(session: PageSession) -> Flask:
    """The application of a session: a copy of the first one, the only compiled one.

    All that they share is the same for every session.
    """
    own = copy(first_application())
    own.extensions = {**own.extensions, "page_session": session}
    return own


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """A port for the pages of all tests."""
    with opened_site() as site:
        yield site


@contextmanager
def served(session: PageSession, site: Site) -> Iterator[str]:
    """The address of the page behind a port and its guards."""
    secret = secrets.token_urlsafe(24)
    whole = guarded(application(session), LocalAccess(local_hosts(site.port), secret))
    with site.showing(secret, whole) as address:
        yield address


@pytest.fixture
def session(tmp_path: Path) -> Iterator[PageSession]:
    with lone_session(tmp_path) as session:
        yield session


@pytest.fixture
def client(session: PageSession) -> FlaskClient:
    """A client of the page without a port."""
    return application(session).test_client()


@pytest.fixture
def address(session: PageSession, site: Site) -> Iterator[str]:
    with served(session, site) as address:
        yield address


SOON = """
  const wait = setTimeout;
  window.setTimeout = (act, milliseconds) => wait(act, Math.min(milliseconds, 50));
"""
"""Lets a page look often how far its job is."""
SCREEN: ViewportSize = {"width": 1280, "height": 720}


class Tabs:
    """Opens tabs that look often how far a job is, one of each kind: a new one takes long."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self._browser, self._site = browser, site
        self._opened: dict[str, Page] = {}
        self._used: list[Page] = []

    def __call__(self, **how: Any) -> Page:
        """An empty tab."""
        kind = repr(sorted(how.items()))
        if kind not in self._opened:
            context = self._browser.new_context(viewport=SCREEN, **how)
            context.add_init_script(SOON)
            self._opened[kind] = context.new_page()
        self._used.append(self._opened[kind])
        return self._opened[kind]

    def leave(self) -> None:
        """Empty those that were used, and let them look as at first."""
        while self._used:
            used = self._used.pop()
            used.unroute_all()
            used.goto(self._site.address)
            used.set_viewport_size(SCREEN)
            used.emulate_media(color_scheme="light", forced_colors="none")

    def close(self) -> None:
        for opened in self._opened.values():
            opened.context.close()


@pytest.fixture(scope="session")
def shared_tabs(browser: Browser, site: Site) -> Iterator[Tabs]:
    """The tabs of all tests."""
    tabs = Tabs(browser, site)
    yield tabs
    tabs.close()


@pytest.fixture
def tabs(shared_tabs: Tabs) -> Iterator[Tabs]:
    """Tabs, which are left afterwards."""
    yield shared_tabs
    shared_tabs.leave()


@pytest.fixture
def tab(tabs: Tabs) -> Page:
    return tabs()


@pytest.fixture
def plain_tab(tabs: Tabs) -> Page:
    return tabs(java_script_enabled=False)


@pytest.fixture
def bare_tab(tabs: Tabs) -> Page:
    return tabs(bypass_csp=True)


def settle(page: Page) -> None:
    """Wait until the page and its scripts are ready, and no request is open."""
    page.wait_for_function(SETTLED, timeout=60_000)


SETTLED = """() => (
  document.readyState === "complete" && !document.querySelector("[data-poll]"))"""


def reload(page: Page) -> None:
    """Reloads a page without scripts until it waits for nothing.

    It would do so by itself, each two or three seconds, as `test_walk_files` shows.
    """
    while page.locator("meta[http-equiv=refresh]").count():
        page.wait_for_timeout(LOOK * 1000)
        page.reload()


def accessible(page: Page, language: str = "en") -> None:
    settle(page)
    assert_accessible(page, language)


def upload_file(client: FlaskClient, path: Path, **facts: str) -> str:
    """Brings a file to the page; its id."""
    answer = client.put(f"/en/files/{path.name}", data=path.read_bytes(), query_string=facts)
    assert answer.status_code == 201, answer.text
    return str(answer.get_json()["id"])


def settled(client: FlaskClient, address: str) -> TestResponse:
    """The answer at an address, once it no longer waits for a job; redirections are followed."""
    answer = client.get(address, follow_redirects=True, buffered=True)
    while b"data-poll" in answer.data:
        let_work(client, answer.request.path)
        answer = client.get(address, follow_redirects=True, buffered=True)
    return answer


def let_work(client: FlaskClient, path: str) -> None:
    """Wait for the job of a run, whose page would tell at once how far it is."""
    session: PageSession = client.application.extensions["page_session"]
    run = re.search(r"/runs/(\d+)", path)
    job = session.jobs.of_run(int(run[1])) if run else None
    while job and not job.is_over:
        time.sleep(LOOK)


def sent(client: FlaskClient, file: str) -> int:
    """Sends what would be sent of a file; the run."""
    plan = settled(client, f"/en/files/{file}/plan").text
    digest = re.search(r"sha256:[0-9a-f]+", plan)
    assert digest, plan
    client.post(f"/en/files/{file}/send", data={"plan": digest[0]})
    answer = settled(client, f"/en/files/{file}/sending")
    assert answer.status_code == 200, answer.text
    return int(answer.request.path.rpartition("/")[2])
