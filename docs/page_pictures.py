"""Makes pictures of each page in the browser: `python -m docs.page_pictures FOLDER [LANGUAGE]`.

A sample with mistakes goes from the first page to its answers in the sandbox. Debian and Ubuntu:
`apt install chromium`.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from playwright.sync_api import Browser, Page, ViewportSize, expect

from docs.pictures import FEEDTOOL, SAMPLES
from tests.browser import opened_browser

SAMPLE = SAMPLES / "offers-mistakes.xlsx"
SUPPLIERS = "Référence;EAN;Prix;Qté\nA-1;3760452701011;12,5;3\n"
"""A list whose columns nobody knows yet."""
SCREENS: dict[str, tuple[int, int, Literal["light", "dark"]]] = {
    "desktop": (1280, 900, "light"),
    "dark": (1280, 900, "dark"),
    "phone": (390, 844, "light"),
}


def main(folder: Path, language: str = "en") -> int:
    """Makes the pictures, and prints where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as home, served(Path(home)) as address, opened_browser() as browser:
        addresses = dict(walk(browser, address, language, Path(home)))
        for screen, (width, height, scheme) in SCREENS.items():
            size: ViewportSize = {"width": width, "height": height}
            page = browser.new_page(viewport=size, color_scheme=scheme)
            for name, place in addresses.items():
                page.goto(place)
                settle(page)
                page.screenshot(path=folder / f"{name}-{screen}.png", full_page=True)
            page.close()
    print(*sorted(folder.glob("*.png")), sep="\n")
    return 0


@contextmanager
def served(home: Path) -> Iterator[str]:
    """The address of a page without any profile."""
    command = [str(FEEDTOOL), "page", "--no-open", "--home", str(home / "home")]
    with subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().removeprefix("page: ").strip()
        process.terminate()


def walk(browser: Browser, address: str, language: str, room: Path) -> Iterator[tuple[str, str]]:
    """The name and the address of each page, the files on the way brought and sent."""
    page = browser.new_page()
    start = f"{address}{language}/"
    yield "start", start
    (room / "list.csv").write_text(SUPPLIERS, "utf-8")
    yield "columns", f"{bring(page, start, room / 'list.csv')}/columns"
    file = bring(page, start, room / "list.csv")
    press(page, f"{file}/columns?kind=offers-update", "form.columns button.main")
    yield "recipe", f"{file}/recipe"
    yield "invoices", bring(page, start, SAMPLES / "invoices.zip")
    file = bring(page, start, SAMPLE)
    yield "check", file
    yield "choose", f"{file}/plan"
    press(page, f"{file}/plan", "form[action$='/send'] button")
    expect(page).to_have_url(re.compile(r"/runs/\d+$"), timeout=30_000)
    yield "answers", page.url
    press(page, f"{start}exports/cancellation-reasons", "button.main")
    yield "exported", page.url
    for name in (
        *("runs", "sellers", "held", "exports", "exports/orders", "templates", "explain"),
        *("explain/number-range", "templates/categories?kind=products", "files/none"),
    ):
        yield re.sub(r"\W", "-", name), f"{start}{name}"
    page.close()


def press(page: Page, address: str, button: str) -> None:
    """Presses a button of a page, and waits for what follows."""
    page.goto(address)
    settle(page)
    page.locator(button).click()
    settle(page)


def bring(page: Page, start: str, path: Path) -> str:
    """Brings a file; the address of its page."""
    page.goto(start)
    page.set_input_files("input[type=file]", path)
    page.locator("form[data-drop] button").click()
    expect(page).to_have_url(re.compile("/files/"), timeout=30_000)
    settle(page)
    return page.url.removesuffix("/columns")


def settle(page: Page) -> None:
    """Waits until the page waits for nothing."""
    expect(page.locator("[data-poll]")).to_have_count(0, timeout=60_000)


if __name__ == "__main__":
    folder_, language_ = [*sys.argv[1:], "en"][:2]
    sys.exit(main(Path(folder_), language_))
