"""A workbook whose every text is a script: in a real browser none of them runs, on no page."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from openpyxl import Workbook
from playwright.sync_api import Browser, ConsoleMessage, Page, Request
from werkzeug.routing import Rule

from feedtool.page.session import PageSession
from tests.conftest import offer
from tests.page.browsing import spoken
from tests.page.conftest import SOON, application, made_session, served, settle, settled
from tests.page.site import Site

IMAGE = "<img src=x onerror=hit()>"
HOSTILE = f"\u202e'\"></script></textarea></title>{IMAGE}<script>hit()</script>\u2066{{{{ 7*7 }}}}"
REFERENCE = f"{IMAGE}\"'"
NAME = f"\"'>{IMAGE}\u202e&amp;.xlsx"
TIMEOUT = 60_000
"""Milliseconds, on a busy machine."""

NOT_OURS = (
    "script:not([src]), img, iframe, object, embed, [onerror], a[href^=javascript],"
    " [style]:not(.grid-scroll *)"
)
"""Elements outside our pages; only the grid's script places cells by their style."""

NOT_OURS_IN_TEXT = re.compile(
    r"<script(?![^>]* src=)|<(img|iframe|object|embed)\b|<[^>]* (style|on\w+)=|javascript:"
)
"""Such elements in the text of a page that shows no text of the workbook."""

LISTEN = """
  window.hit = () => console.log("a script has run");
  addEventListener("securitypolicyviolation", (event) =>
    console.log("a violation: " + event.violatedDirective + " " + event.blockedURI));
"""


def workbook(path: Path) -> Path:
    """Valid offers with odd looks, and invalid rows and columns."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = f'{IMAGE}"'
    rows = [offer(n, sellerExternalReference=f"{REFERENCE}{n}") for n in (1, 2)]
    keys = list(rows[0])
    sheet.append([*keys, HOSTILE, f"{IMAGE} EAN"])
    for row in rows:
        sheet.append([*row.values(), HOSTILE, HOSTILE])
    for number, key in enumerate(keys, 10):
        wrong = offer(number) | {key: HOSTILE}
        sheet.append([*wrong.values(), HOSTILE, HOSTILE])
    book.create_sheet(f"{IMAGE}2").append([HOSTILE] * 5)
    book.save(path)
    return path


@dataclass
class Watched:
    """The browser's messages about the pages that it opens."""

    page: Page
    told: list[str] = field(default_factory=list)
    """Scripts that have run or were blocked."""

    def __post_init__(self) -> None:
        self.page.add_init_script(LISTEN)
        self.page.add_init_script(SOON)
        self.page.on("console", self._hear)
        self.page.on("dialog", lambda dialog: self.told.append(dialog.message))
        self.page.on("request", self._see)

    def _hear(self, message: ConsoleMessage) -> None:
        if re.search("a script has run|a violation|Content Security Policy", message.text):
            self.told.append(message.text)

    def _see(self, request: Request) -> None:
        if re.search("/x$|//(?!127[.]0[.]0[.]1)", request.url.partition("?")[0]):
            self.told.append(request.url)

    def check(self, place: str) -> None:
        """Assert that no part of a text has become a part of the page."""
        assert self.page.locator(NOT_OURS).count() == 0, place
        assert self.told == [], place


@dataclass(frozen=True)
class Walked:
    """A page on which hostile files were sent."""

    session: PageSession
    site: Site
    address: str
    watched: Watched


@pytest.fixture(scope="module")
def walked(
    browser: Browser, site: Site, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Walked]:
    """The way of a file from the first page to the answers."""
    folder = tmp_path_factory.mktemp("hostile")
    with made_session(folder / "home") as session, served(session, site) as address:
        page = browser.new_page()
        watched = Watched(page)
        page.goto(f"{address}en/")
        page.locator("input[type=file]").set_input_files(workbook(folder / NAME))
        page.get_by_role("button", name="Check the file").click()
        page.wait_for_url(re.compile("/files/[^/]+$"))
        settle(page)
        watched.check("check")
        (file,) = session.uploads.files()
        page.goto(f"{address}en/files/{file.id}/plan")
        settle(page)
        watched.check("plan")
        page.get_by_role("button", name=re.compile("^Send 2 rows")).click()
        page.wait_for_url(re.compile("/runs/1$"), timeout=TIMEOUT)
        settle(page)
        watched.check("run")
        yield Walked(session, site, address, watched)
        page.close()


COPIES = ("html", "marked")
"""The copy that a browser could show, and one that it could not; others differ in their names."""


def paths(session: PageSession) -> Iterator[tuple[str, str]]:
    """The endpoint of each route that shows something, and each of its paths."""
    (file,) = session.uploads.files()
    values = {"language": "en", "id_": file.id, "run": 1, "filename": "page.css"}
    values |= {"code": "gtin-checksum", "kind": "offers-upsert", "name": NAME}
    for rule in application(session).url_map.iter_rules():
        for what in COPIES if "what" in rule.arguments else ("",):
            if "GET" in (rule.methods or ()):
                yield rule.endpoint, path_of(rule, {**values, "what": what})


def path_of(rule: Rule, values: Mapping[str, object]) -> str:
    """The path of a rule, without the first slash."""
    given = {name: values.get(name, HOSTILE) for name in rule.arguments}
    return (rule.build(given) or ("", "/"))[1].removeprefix("/")


SHOW_TEXTS = {"files.page", "columns.page", "plan.page", "runs.page"}
"""Endpoints that certainly show texts of the workbook: only the browser asks for their pages."""


def test_no_text_becomes_a_part_of_any_page(walked: Walked) -> None:
    page, watched = walked.watched.page, walked.watched
    client = application(walked.session).test_client()
    seen = set()
    for endpoint, path in paths(walked.session):
        seen.add(endpoint)
        if endpoint not in SHOW_TEXTS:
            answer = settled(client, f"/{path}")  # a copy has to be written first
            if answer.headers.get("content-disposition", "").startswith("attachment"):
                headers = page.request.get(walked.address + path).headers
                assert headers["content-security-policy"].endswith("; sandbox"), path
                continue
            if answer.mimetype != "text/html":
                continue
            if "onerror" not in answer.text:  # no text of the workbook is there
                assert not NOT_OURS_IN_TEXT.search(answer.text), path
                continue
        page.goto(walked.address + path)
        settle(page)
        watched.check(path)
    assert {"files.start", "files.download", *SHOW_TEXTS} <= seen


@pytest.mark.parametrize("language", spoken("fr"))
def test_hostile_texts_are_shown_unchanged(walked: Walked, language: str) -> None:
    page = walked.watched.page
    page.goto(f"{walked.address}{language}/")
    link = page.get_by_role("link", name=IMAGE)
    assert "\u202e" not in link.inner_text()
    link.click()
    settle(page)
    assert IMAGE in page.locator("h1").inner_text()
    walked.watched.check(language)


MAKE_SCRIPT = "document.body.append(Object.assign(document.createElement('script'), %s))"
PROVOKED = {
    # An act of an injected script → the part of the policy against it, and what was blocked.
    MAKE_SCRIPT % "{text: 'hit()'}": "script-src-elem inline",
    MAKE_SCRIPT % "{src: 'http://127.0.0.2:1/a.js'}": "script-src-elem http://127.0.0.2:1/",
    "document.body.innerHTML = '<img src=x onerror=hit()>'": "script-src-attr inline",
    "document.body.innerHTML = '<p style=color:red>'": "style-src-attr inline",
    "document.body.innerHTML = '<img src=//127.0.0.2:1/a.png>'": "img-src http://127.0.0.2:1/",
    "document.body.innerHTML = '<iframe src=/></iframe>'": "frame-src http://127.0.0.1:",
    "document.head.innerHTML = '<base href=http://127.0.0.2:1/>'": "base-uri http://127.0.0.2:1",
    "fetch('http://127.0.0.2:1/').catch(() => 0)": "connect-src http://127.0.0.2:1/",
    """document.body.innerHTML = '<form action="http://127.0.0.2:1/"></form>';
        document.forms[0].submit()""": "form-action http://127.0.0.2:1/",
}


def test_acts_of_a_script_are_blocked_and_reported(walked: Walked, browser: Browser) -> None:
    page = browser.new_page()  # another tab, for the other tests would see a violation
    watched = Watched(page)
    page.goto(f"{walked.address}en/")
    watched.check("before")
    for act, violation in PROVOKED.items():
        page.evaluate(act)
        for _ in range(100):  # the browser tells of it when it has the time
            if is_told := any(f"a violation: {violation}" in text for text in watched.told):
                break
            page.evaluate("new Promise(requestAnimationFrame)")
        assert is_told, (act, watched.told)
    assert "a script has run" not in watched.told
    page.close()


def test_another_site_cannot_frame_the_page(walked: Walked, browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(f'<iframe src="{walked.address}en/"></iframe>')
    frame = page.frames[-1]
    assert "Send a file" not in frame.content()
    page.close()
