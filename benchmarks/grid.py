"""The grid of the page: `python -m benchmarks.grid [--rows N] [--repeat N]`.

What it costs to keep what the browser shows beside the check; how long its questions take; and, in
Chromium, how long one waits for the first rows, the last row, the next problem and a filter.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from subprocess import PIPE, Popen

from msgspec.structs import replace
from playwright.sync_api import Page

from benchmarks.run import Size, corpus, once, tell
from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.page.grid import PROBLEMS, Grid, GridWriter, RowFilter
from tests.browser import opened_browser

TIMES = 10
"""How often what takes milliseconds is measured."""
PAGE = 100
READY = "document.querySelector('.grid-body [aria-rowindex=\"{row}\"][aria-busy=false]')"
"""True once a row is drawn; 2 is the first."""
PRESS = (
    "document.activeElement.dispatchEvent("
    "new KeyboardEvent('keydown', {{ key: '{key}', ctrlKey: {ctrl}, bubbles: true }}))"
)
WAITED = """async () => {{
  const begun = performance.now();
  {act};
  while (!({done})) await new Promise(requestAnimationFrame);
  return performance.now() - begun;
}}"""
OPENED = """async () => {{
  while (!({done})) await new Promise(requestAnimationFrame);
  return performance.now();
}}"""
"""The clock of a page begins with its navigation."""

Line = tuple[str, str]


def check_book(book: Path, grid: Path | None) -> None:
    """Checks a workbook, and keeps its grid where there is a place for it."""
    options, inputs = ReadOptions(with_items=False), [Input(book.name, book)]
    if grid is None:
        check(inputs, options, load())
        return
    with GridWriter(grid) as writer:
        writer.conclude(check(inputs, replace(options, see=writer.see), load()))


def cost(book: Path, grid: Path, repeat: int) -> Iterator[Line]:
    """The processor's time of a check, without and with its grid, in turns."""
    plain: list[str | Path] = [sys.executable, "-m", "benchmarks.grid", "--check", book]
    ways = {"check alone": plain, "check with grid": [*plain, "--into", grid]}
    figures: dict[str, list[float]] = {way: [] for way in ways}
    memory = dict.fromkeys(ways, 0.0)
    for number in range(repeat):
        tell(f"round {number + 1}")
        for way, command in ways.items():
            measured = once(command, Path(os.devnull))
            figures[way].append(measured.cpu)
            memory[way] = max(memory[way], measured.mebibytes)
    alone = median(figures["check alone"])
    for way, own in figures.items():
        ratio = median(own) / alone
        yield f"{way}, processor", f"{median(own):.2f} s ({ratio:.2f}), {memory[way]:.0f} MiB"
    yield "size of the grid", f"{grid.stat().st_size / 1e6:.1f} MB"


def questions(place: Path) -> Iterator[Line]:
    """How long the answers to a browser take, without the network."""
    with Grid(place) as grid:
        every, wrong = RowFilter(0), RowFilter(0, which=PROBLEMS)
        last, middle = grid.count(every) - PAGE, grid.count(every) // 2
        asked: dict[str, Callable[[], object]] = {
            "100 rows at the end": lambda: grid.rows(every, last, PAGE),
            "100 rows with problems": lambda: grid.rows(wrong, 0, PAGE),
            "next problem": lambda: grid.next(every, middle, 1),
            "a text that is nowhere": lambda: grid.find(every, "nowhere"),
        }
        for name, ask in asked.items():
            yield name, f"{median(taken(ask) for _ in range(TIMES)):.1f} ms"


def taken(ask: Callable[[], object]) -> float:
    """Milliseconds."""
    begun = time.perf_counter()
    ask()
    return (time.perf_counter() - begun) * 1000


@contextmanager
def served() -> Iterator[tuple[str, int]]:
    """The address of `feedtool page`, and its process."""
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "feedtool", "page", "--no-open", "--home", home]
        with Popen(command, stdout=PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                yield process.stdout.readline().split()[-1], process.pid
            finally:
                process.terminate()


def browsed(book: Path, rows: int) -> Iterator[Line]:
    """What one waits for in a browser, after the file was checked."""
    with served() as (address, server), opened_browser() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(600_000)
        page.goto(address)
        page.set_input_files("input[type=file]", book)
        page.click("form[data-drop] button")
        first = READY.format(row=2)
        page.wait_for_selector(".grid-body [aria-rowindex='2'][aria-busy=false]")
        yield "open the page to its first rows", f"{opened(page, first):.0f} ms"
        page.click(".grid-body [aria-rowindex='2'] [data-column='2']")
        end = PRESS.format(key="End", ctrl="true")
        yield "jump to the last row", f"{waited(page, end, READY.format(row=rows + 1)):.0f} ms"
        problems = [waited(page, *next_problem()) for _ in range(TIMES)]
        yield "next problem", f"{median(problems):.0f} ms, at most {max(problems):.0f} ms"
        shown = f"document.activeElement.matches('.error') && {first}"
        act = "document.querySelector('[data-which=\"code:number-range\"]').click()"
        yield "filter by code", f"{waited(page, act, shown):.0f} ms"
        elements = page.evaluate("document.querySelectorAll('*').length")
        yield "elements of the page", f"{elements:,}"
        status = Path(f"/proc/{server}/status").read_text("ascii")
        peak = re.search(r"VmHWM:\s+(\d+)", status)
        yield "peak memory of the server", f"{int(peak[1]) / 1024:.0f} MiB" if peak else "?"


def opened(page: Page, done: str) -> float:
    """Milliseconds from going to the page again until something is there."""
    page.goto(page.url, wait_until="commit")
    return float(page.evaluate(OPENED.format(done=done)))


def waited(page: Page, act: str, done: str) -> float:
    """Milliseconds from doing something until something is there."""
    return float(page.evaluate(WAITED.format(act=act, done=done)))


def next_problem() -> tuple[str, str]:
    """Presses F8, until a guilty cell of a row that is there has the focus."""
    before = "const before = document.activeElement; "
    here = "document.activeElement"
    after = f"{here} !== before && {here}.matches('.error, .warning')"
    return before + PRESS.format(key="F8", ctrl="false"), after


def main() -> None:
    """Measures, and prints the table."""
    parser = argparse.ArgumentParser(description="Measures the grid of the page.")
    parser.add_argument("--rows", type=int, default=Size().rows, help="of the workbook")
    parser.add_argument("--repeat", type=int, default=5, help="rounds of checks (5)")
    parser.add_argument("--check", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.check:
        check_book(asked.check, asked.into)
        return
    load_before, book = os.getloadavg()[0], corpus(asked.rows)
    lines: Sequence[Line]
    with tempfile.TemporaryDirectory() as folder:
        grid = Path(folder) / "grid.sqlite"
        lines = [*cost(book, grid, asked.repeat), *questions(grid), *browsed(book, asked.rows)]
    print(
        f"{asked.rows:,} rows, 16 columns; {datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores,"
        f" Python {sys.version.split()[0]}, load {load_before:.1f} at the beginning.\n"
    )
    print("| What | Figure |\n| --- | ---: |")
    print("\n".join(f"| {name} | {figure} |" for name, figure in lines))


if __name__ == "__main__":
    main()
