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
    has_layout: bool = True
    """False where all stands as in an earlier look."""


LOOKS = {
    "phone": Look("dark", "none", 390, 844),
    # As if all were twice as large; parts stand below each other as on a phone.
    "forced": Look("dark", "active", 720, 450, has_layout=False),
    "light": Look("light", "none", 1280, 900),
}
LARGE = 320, 225
"""A screen of 1280 by 900 pixels on which all is four times as large."""
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
WIDTH = "document.documentElement.scrollWidth"
COLOURS = ["color-contrast", "link-in-text-block"]
"""Rules about the colours of each text, which take axe several times as long as all others."""
RUN_OTHERS = """(colours) => axe.run({
  resultTypes: ["violations"],
  rules: Object.fromEntries(colours.map((rule) => [rule, { enabled: false }])),
})"""
RUN_COLOURS = """(colours) => {
  const OWN = /^(id|href|for|name|value|title|data-.*|aria-(label|describedby|.*index))$/;
  const kinds = new Map();
  for (const element of document.querySelectorAll("body *")) {
    let kind = "";
    for (let above = element; above; above = above.parentElement) {
      const own = [...above.attributes].filter(({ name }) => !OWN.test(name));
      kind += `<${above.tagName} ${own.map(({ name, value }) => `${name}=${value}`)}`;
    }
    const alike = kinds.get(kind) ?? [];
    kinds.set(kind, [...alike.slice(0, 2), element]);
  }
  const texts = [...kinds.values()].flat().filter((element) => element.matches("input, select")
    || [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  return axe.run(texts, { resultTypes: ["violations"], runOnly: colours });
}"""
"""Of elements that are alike, as those around them are, the first two and the last."""


def assert_accessible(page: Page, language: str = "en") -> None:
    """Axe finds nothing, and nothing is wider than the screen, in each look; of English.

    In other languages texts are longer, which shows where they have the least room, and colours are
    the same. The page is left in the last look.
    """
    page.set_viewport_size({"width": LARGE[0], "height": LARGE[1]})
    assert page.evaluate(WIDTH) <= LARGE[0]
    page.evaluate(AXE_SCRIPT)
    for name, look in LOOKS.items() if language == "en" else [("phone", LOOKS["phone"])]:
        page.emulate_media(color_scheme=look.scheme, forced_colors=look.forced)
        page.set_viewport_size({"width": look.width, "height": look.height})
        page.evaluate(DRAWN)
        runs = [RUN_OTHERS] if look.has_layout else []
        for run in [*runs, RUN_COLOURS] if language == "en" else runs:
            found = AxeResults(page.evaluate(run, COLOURS))
            assert found.violations_count == 0, f"{name}: {found.generate_report()}"
        assert page.evaluate(WIDTH) <= look.width, name
