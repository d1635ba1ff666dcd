"""Offers as rows of text by key, and small files made of them."""

import csv
import gc
import json
import os
import random
import shutil
from asyncio import _get_running_loop, _set_running_loop
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import is_hypothesis_test, settings
from openpyxl import Workbook

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.delivery.plan import Plan
from feedtool.model.errors import FileProblem
from feedtool.model.nouns import Problem
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.sheet import CheckedSheet
from tests.ledger import cluster

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Failures in what tests share are told as those in the tests themselves.
pytest.register_assert_rewrite(
    "tests.corpus.made", "tests.corpus.copies", "tests.fuzz.trial", "tests.worker.market"
)

# How long an example takes says more of the machine's other work than of the code.
settings.register_profile("patient", deadline=None)
# The same examples each time, so that what fails fails for everybody; the long runs try others,
# and more of them.
settings.register_profile(
    "repeatable", settings.get_profile("patient"), derandomize=True, max_examples=50
)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """The system's Chromium: one of a process, since two of its drivers do not go together."""
    from tests.browser import opened_browser  # slow to import

    with opened_browser() as browser:
        yield browser


@pytest.fixture(autouse=True)
def own_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """A thread without a running loop: the browser's driver leaves its own one, which waits."""
    if "browser" in request.fixturenames:
        yield
        return
    waiting = _get_running_loop()
    _set_running_loop(None)
    yield
    _set_running_loop(waiting)


@pytest.fixture
def socket_path() -> Iterator[Path]:
    """A place for a unix socket, whose path may have but 107 bytes."""
    with TemporaryDirectory(prefix="ft-", dir="/tmp") as folder:  # our own folder
        yield Path(folder) / "page.sock"


def pytest_configure(config: pytest.Config) -> None:
    """Lets the tests that take minutes have examples of their own each time."""
    if config.option.markexpr == "long":
        settings.load_profile("patient")
    if is_first_process(config):
        os.environ[cluster.SHARED] = mkdtemp(prefix="feedtool-shared-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends what all processes of this run have shared."""
    if is_first_process(config) and cluster.SHARED in os.environ:
        cluster.end_shared()
        shutil.rmtree(os.environ.pop(cluster.SHARED))


def is_first_process(config: pytest.Config) -> bool:
    """Not one of those among which the first one shares the tests."""
    return not hasattr(config, "workerinput")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Looks for no garbage among thousands of tests, neither while they come nor later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the folders that took longest, in seconds of all workers."""
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                folder = report.nodeid.partition("::")[0].split("/")[1]
                seconds[folder] += report.duration  # type: ignore[assignment]
    terminalreporter.section(f"slowest folders of {sum(seconds.values()):.0f} s in all workers")
    for folder, total in seconds.most_common(10):
        terminalreporter.write_line(f"{total:7.1f} s  {folder}")


HEAVY = ("resume", "simulation", "corpus", "fuzz")
"""Folders of whole worlds, whose tests take longest and go through what others go through too."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds an order in which no test can count on another."""
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run all tests in a random order")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Runs the heavy folders first, so that no worker has a long test left at the end.

    No lines are counted there, nor while a property is tried: it would take three times as long.
    """
    for item in items:
        if folder_of(item) in HEAVY or is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("no_cover")
    order = {name: place for place, name in enumerate(HEAVY)}
    items.sort(key=lambda item: order.get(folder_of(item), len(order)))
    if (seed := config.option.shuffle) is not None:
        random.Random(seed).shuffle(items)  # noqa: S311  # an order to be repeated


def folder_of(item: pytest.Item) -> str:
    """The folder of `tests` that a test is in."""
    return item.nodeid.split("/")[1]


Rows = Sequence[Mapping[str, str]]


def gtin(number: int, first: int = 3) -> str:
    """A well-formed GTIN-13 of its own for every number; those that begin with 2 are restricted."""
    digits = f"{first * 100_000_000_000 + number:012d}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return digits + str(-total % 10)


def offer(number: int = 1, /, **changes: str | None) -> dict[str, str]:
    """A valid row of an Upsert; a change of None leaves the column out.

    In the name of a key `__` stands for the dot: `price__price`.
    """
    row = {
        "sellerExternalReference": f"SKU-{number}",
        "product.gtin": gtin(number),
        "condition": "New",
        "price.price": "19.99",
        "taxes.VAT": "20",
        "deliveryModes.TrackedHomeDelivery.cost": "4.90",
        "deliveryModes.TrackedHomeDelivery.additionalCost": "1.50",
        "preparationTime": "2",
        "quantity": "7",
    }
    return changed(row, changes)


def update(number: int = 1, /, **changes: str | None) -> dict[str, str]:
    """A row of an Update: the reference, and the changes."""
    return changed({"sellerExternalReference": f"SKU-{number}"}, changes)


def changed(row: dict[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """A row as the changes say."""
    for name, value in changes.items():
        key = name.replace("__", ".")
        if value is None:
            row.pop(key, None)
        else:
            row[key] = value
    return row


def table(rows: Rows, separator: str = ",") -> str:
    """Rows as CSV under the keys that any of them has."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    text = StringIO()
    writer = csv.DictWriter(text, keys, restval="", delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_context(dialect: AccountSettings | Context | None) -> Context:
    """What sheets are judged by, where settings alone may be given."""
    return dialect if isinstance(dialect, Context) else Context(dialect or AccountSettings())


def checked(
    *paths: Path,
    dialect: AccountSettings | Context | None = None,
    **asked: str | Sequence[str] | None,
) -> list[CheckedSheet]:
    """Files judged, each under its bare name."""
    inputs = [Input(path.name, path) for path in paths]
    context = as_context(dialect)
    options = ReadOptions(context.settings, catalog=context.catalog, **asked)  # type: ignore[arg-type]  # by name
    return check(inputs, options, load())


def planned(
    sheets: Sequence[CheckedSheet], settings: AccountSettings | None = None, blocked: str = ""
) -> Plan:
    """What would be sent of them."""
    return Plan(sheets, load().feeds, (settings or AccountSettings()).limits, blocked)


def refused(
    path: Path, dialect: AccountSettings | Context | None = None, **asked: str
) -> FileProblem:
    """Why nothing of a file with a single sheet could be read."""
    (sheet,) = checked(path, dialect=dialect, **asked)
    assert sheet.error is not None
    return sheet.error


def told(sheet: CheckedSheet, code: str) -> list[Problem]:
    """The problems of one code."""
    return [problem for problem in sheet.problems() if problem.code == code]


def codes(sheet: CheckedSheet) -> list[tuple[int | None, str]]:
    """Row and code of every problem."""
    return [(problem.row, problem.code) for problem in sheet.problems()]


Find = Callable[..., list[Problem]]
"""The problems of one code in a CSV of some rows, the first of which is row 2."""
Sent = Callable[..., dict[str, Any]]
"""The request that a row becomes; the row is valid."""


class Files:
    """Makes files in the test's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def text(self, content: str | bytes, name: str = "offers.csv") -> Path:
        """A file with this content."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def csv(self, *rows: Mapping[str, str], name: str = "offers.csv") -> Path:
        """A CSV of these rows."""
        return self.text(table(rows), name)

    def book(self, sheets: Mapping[str, Rows], name: str = "offers.xlsx") -> Path:
        """A workbook of sheets whose cells are all text."""
        book = Workbook()
        book.remove(book.worksheets[0])
        for title, rows in sheets.items():
            sheet = book.create_sheet(title)
            for record in csv.reader(StringIO(table(rows))):
                sheet.append(record)
        path = self.folder / name
        book.save(path)
        return path


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@pytest.fixture
def find(files: Files) -> Find:
    def problems(
        code: str,
        *rows: Mapping[str, str],
        kind: str | None = None,
        dialect: AccountSettings | Context | None = None,
    ) -> list[Problem]:
        (sheet,) = checked(files.csv(*rows), dialect=dialect, kind=kind)
        assert sheet.error is None, sheet.error
        return told(sheet, code)

    return problems


@pytest.fixture
def sent(files: Files) -> Sent:
    def request(
        row: Mapping[str, str],
        kind: str | None = None,
        dialect: AccountSettings | Context | None = None,
    ) -> dict[str, Any]:
        (sheet,) = checked(files.csv(row), kind=kind, dialect=dialect)
        assert sheet.is_clean(), list(sheet.problems())
        (item,) = sheet.valid_items()
        body: dict[str, Any] = json.loads(item.body)
        return body

    return request
