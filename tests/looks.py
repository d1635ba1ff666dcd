"""Colours and screens in which a browser shows a page, and axe-core's check of each."""

from typing import Any, Literal, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page


class Look(NamedTuple):
    """A colour scheme, and the size of a screen in pixels."""

    scheme: Literal["light", "dark"]
    forced: Literal["active", "none"]
    width: int
    height: int
    has_all: bool = False
    """True if axe checks all rules: other looks differ only in their colours."""


LOOKS = {
    "phone": Look("dark", "none", 390, 844, has_all=True),
    # As at a zoom of 200 %; parts stand below each other as on a phone.
    "forced": Look("dark", "active", 720, 450),
    "light": Look("light", "none", 1280, 900),
}
LARGE = 320, 225
"""A screen of 1280 by 900 pixels at a zoom of 400 %."""
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
WIDTH = "document.documentElement.scrollWidth"
COLOURS = ["color-contrast", "link-in-text-block"]
"""Rules about the colours of each text; they take several times as long as all others."""
RUN_OTHERS = """async (colours) => {
  const rules = Object.fromEntries(colours.map((rule) => [rule, { enabled: false }]));
  const { violations } = await axe.run({ resultTypes: ["violations"], rules });
  return { violations };
}"""
KINDS = """(known) => {
  const hasText = ({ childNodes }) => (
    [...childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim()));
  const isOff = (element) => element.matches(":disabled, [aria-disabled=true]");
  const PLAIN = "rgba(0, 0, 0, 0) none 1 static none normal false";
  const grounds = new Map([[null, ""]]);
  const groundOf = (element) => {
    if (!grounds.has(element)) {
      const style = getComputedStyle(element);
      const own = [style.backgroundColor, style.backgroundImage, style.opacity, style.position,
        style.filter, style.mixBlendMode, isOff(element)].join(" ");
      const above = groundOf(element.parentElement);
      grounds.set(element, own === PLAIN ? above : `${above}, ${own}`);
    }
    return grounds.get(element);
  };
  const textOf = (element) => {
    const style = getComputedStyle(element);
    return [style.color, style.fontSize, style.fontWeight, style.textDecorationLine,
      style.textShadow].join(" ");
  };
  const kinds = new Map();
  for (const element of document.querySelectorAll("body *")) {
    if (!hasText(element) && !element.matches("input, select")) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const outer = hasText(element.parentElement) ? `within ${textOf(element.parentElement)}: ` : "";
    const kind = `${outer}${element.tagName} ${textOf(element)} on ${groundOf(element)}`;
    const alike = kinds.get(kind) ?? [];
    kinds.set(kind, [...alike.slice(0, 2), element]);
  }
  for (const kind of known) kinds.delete(kind);
  window.textsOfNewKinds = [...kinds.values()].flat();
  return [...kinds.keys()];
}"""
"""Finds kinds of texts (same element, text and grounds); of each the first two texts and the last
are checked."""
RUN_COLOURS = """async (colours) => {
  const how = { resultTypes: ["violations"], runOnly: colours };
  const { violations } = await axe.run(window.textsOfNewKinds, how);
  return { violations };
}"""

STYLES = """[...document.querySelectorAll("link[rel=stylesheet], style")].map(
  (style) => style.getAttribute("href")?.split("/").at(-1) ?? style.textContent).join()"""

seen_kinds: dict[tuple[str, str], set[str]] = {}
"""Look and styles of the page → the kinds of texts whose colours axe has checked."""


def assert_accessible(page: Page, language: str = "en") -> None:
    """Check that axe finds nothing and that the page fits the screen: in English in each look.

    Other languages are checked on the phone alone: there their longer texts have the least room,
    and their colours are the same. The page keeps the last look.
    """
    page.set_viewport_size({"width": LARGE[0], "height": LARGE[1]})
    assert page.evaluate(WIDTH) <= LARGE[0]
    page.evaluate(AXE_SCRIPT)
    for name, look in LOOKS.items() if language == "en" else [("phone", LOOKS["phone"])]:
        page.emulate_media(color_scheme=look.scheme, forced_colors=look.forced)
        page.set_viewport_size({"width": look.width, "height": look.height})
        page.evaluate(DRAWN)
        if look.has_all:
            assert_nothing_found(page.evaluate(RUN_OTHERS, COLOURS), name)
        if language == "en":
            assert_colours(page, name)
        assert page.evaluate(WIDTH) <= look.width, name


def assert_colours(page: Page, name: str) -> None:
    """Check the colours of those kinds of texts that were not yet checked in this look."""
    seen = seen_kinds.setdefault((name, page.evaluate(STYLES)), set())
    if kinds := page.evaluate(KINDS, [*seen]):
        assert_nothing_found(page.evaluate(RUN_COLOURS, COLOURS), name)
        seen.update(kinds)


def assert_nothing_found(results: Any, name: str) -> None:
    violations = AxeResults(results)
    assert violations.violations_count == 0, f"{name}: {violations.generate_report()}"
