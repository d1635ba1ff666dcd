"""The page as the command makes it, in a folder of its own."""

import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import cache
from pathlib import Path
from typing import cast

import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page
from werkzeug.test import TestResponse

from feedtool.cli.errors import Stopping
from feedtool.cli.notifier import run_notices
from feedtool.cli.page import desk_of, page
from feedtool.page import app
from feedtool.page.desk import Desk
from feedtool.page.guards import LocalAccess, local_hosts
from feedtool.page.middleware import guarded
from feedtool.serving import LOOPBACK, WebServer, listen
from tests.looks import assert_accessible

SAMPLES = Path(__file__).parents[2] / "samples"
LOOK = 0.01
"""Seconds between two looks at what goes on."""


@contextmanager
def made_desk(home: Path, *words: str) -> Iterator[Desk]:
    """A desk as `feedtool page --home HOME` has it."""
    line = page.make_context("page", ["--home", str(home), "--no-open", *words])
    with line as ctx, run_notices("page", ctx.params) as notices:
        desk = desk_of(ctx, Stopping(), notices)
        yield desk
        desk.jobs.close()


@contextmanager
def lone_desk(folder: Path) -> Iterator[Desk]:
    """A desk without any profile, whose home and settings are in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(folder / "settings"))
        with made_desk(folder / "home") as desk:
            yield desk


@cache
def first_application() -> Flask:
    """An application whose addresses and templates are compiled."""
    return app.application(cast("Desk", None))


def application(desk: Desk) -> Flask:
    """The application of a desk: a copy of the first one, which alone was compiled.

    All that they share is the same for every desk.
    """
    own = copy(first_application())
    own.extensions = {**own.extensions, "desk": desk}
    return own


@contextmanager
def served(desk: Desk) -> Iterator[str]:
    """The address of the page behind a port and its guards."""
    listening, secret = listen(LOOPBACK, 0), secrets.token_urlsafe(24)
    port = listening.getsockname()[1]
    whole = guarded(application(desk), LocalAccess(local_hosts(port), secret))
    with WebServer(listening, whole, largest_body=desk.body_limit):
        yield f"http://{LOOPBACK}:{port}/{secret}/"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk without any profile."""
    with lone_desk(tmp_path) as desk:
        yield desk


@pytest.fixture
def client(desk: Desk) -> FlaskClient:
    """What asks the page without a port."""
    return application(desk).test_client()


@pytest.fixture
def address(desk: Desk) -> Iterator[str]:
    """The address of the page behind a port."""
    with served(desk) as address:
        yield address


SOON = """
  const wait = setTimeout;
  window.setTimeout = (act, milliseconds) => wait(act, Math.min(milliseconds, 50));
"""
"""Lets a page look often how far its job is."""


@contextmanager
def opened_tab(browser: Browser, *, has_scripts: bool = True) -> Iterator[Page]:
    """A tab that looks often how far a job is."""
    context = browser.new_context(java_script_enabled=has_scripts)
    context.add_init_script(SOON)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def shared_tab(browser: Browser) -> Iterator[Page]:
    """The tab of many tests: a new one takes long to open."""
    with opened_tab(browser) as page:
        yield page


@pytest.fixture
def tab(shared_tab: Page) -> Iterator[Page]:
    """An empty tab."""
    yield shared_tab
    shared_tab.goto("about:blank")


@pytest.fixture(scope="session")
def shared_plain_tab(browser: Browser) -> Iterator[Page]:
    """The tab without scripts of many tests."""
    with opened_tab(browser, has_scripts=False) as page:
        yield page


@pytest.fixture
def plain_tab(shared_plain_tab: Page) -> Iterator[Page]:
    """An empty tab without scripts."""
    yield shared_plain_tab
    shared_plain_tab.goto("about:blank")


def settle(page: Page) -> None:
    """Waits until the page waits for nothing."""
    page.wait_for_function("() => !document.querySelector('[data-poll]')", timeout=60_000)


def reload(page: Page) -> None:
    """Reloads a page without scripts until it waits for nothing.

    It would do so by itself, each two or three seconds, as `test_walk` shows.
    """
    while page.locator("meta[http-equiv=refresh]").count():
        page.wait_for_timeout(LOOK * 1000)
        page.reload()


def accessible(page: Page, language: str = "en") -> None:
    """Once the page is settled, axe finds nothing."""
    settle(page)
    assert_accessible(page, language)


def brought(client: FlaskClient, path: Path, **facts: str) -> str:
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
    desk: Desk = client.application.extensions["desk"]
    run = re.search(r"/runs/(\d+)", path)
    job = desk.jobs.of_run(int(run[1])) if run else None
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
