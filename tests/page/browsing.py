"""What tests do with the page in a real browser."""

from base64 import b64encode
from pathlib import Path

from playwright.sync_api import Page

DROP = """
([name, content]) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  for (const type of ["dragenter", "dragover", "drop"]) {
    const how = { dataTransfer: transfer, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new DragEvent(type, how));
  }
}
"""


def drop(page: Page, path: Path) -> None:
    """Drops a file on the page."""
    page.evaluate(DROP, [path.name, b64encode(path.read_bytes()).decode()])


MOST_STOPS = 80
"""Tab stops on the way to anything of a page."""


def tab_to(page: Page, selector: str) -> None:
    """Presses Tab until an element has the focus."""
    wanted = page.locator(selector).first
    for _ in range(MOST_STOPS):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {selector}")
