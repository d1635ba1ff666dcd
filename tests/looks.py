"""How a browser may show a page, on which screen, and what axe-core finds wrong with it."""

from typing import Literal, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page


class Look(NamedTuple):
    """Colours, and a screen of so many pixels."""

    scheme: Literal["light", "dark"]
    forced: Literal["active", "none"]
    width: int
    height: int


LOOKS = {
    "phone": Look("dark", "none", 390, 844),
    "forced": Look("dark", "active", 720, 450),  # as if all were twice as large
    "light": Look("light", "none", 1280, 900),
}
LARGE = 320, 225
"""A screen of 1280 by 900 pixels on which all is four times as large."""
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
WIDTH = "document.documentElement.scrollWidth"
RUN = "(rules) => axe.run({ resultTypes: ['violations'], rules })"


def assert_accessible(page: Page, language: str = "en") -> None:
    """Axe finds nothing, and nothing is wider than the screen, in each look; of English.

    In other languages texts are longer, which shows where they have the least room, and colours are
    the same. The page is left in the last look.
    """
    looks = LOOKS if language == "en" else ["phone"]
    rules = {} if language == "en" else {"color-contrast": {"enabled": False}}
    page.set_viewport_size({"width": LARGE[0], "height": LARGE[1]})
    assert page.evaluate(WIDTH) <= LARGE[0]
    page.evaluate(AXE_SCRIPT)
    for look in looks:
        scheme, forced, width, height = LOOKS[look]
        page.emulate_media(color_scheme=scheme, forced_colors=forced)
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(DRAWN)
        found = AxeResults(page.evaluate(RUN, rules))
        assert found.violations_count == 0, f"{look}: {found.generate_report()}"
        assert page.evaluate(WIDTH) <= width, look
