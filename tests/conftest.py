"""Offers as rows of text by key, small files made of them, and the order of the tests."""

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
from unittest import mock

import pytest
from hypothesis import is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers
from openpyxl import Workbook
from openpyxl.packaging.custom import StringProperty

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

# Failed assertions in shared modules are shown in detail, as in the tests.
pytest.register_assert_rewrite(
    "tests.corpus.made", "tests.corpus.copies", "tests.fuzz.trial", "tests.worker.market"
)

# The time of an example depends more on the machine's other work than on the code.
settings.register_profile("patient", deadline=None)
# The same examples each time, so that a failure is the same for everybody; the long runs try other
# and more examples.
settings.register_profile(
    "repeatable", settings.get_profile("patient"), derandomize=True, max_examples=30
)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """The system's Chromium, once a process, since two of its drivers conflict."""
    from tests.browser import opened_browser  # slow to import

    with opened_browser() as browser:
        yield browser


@pytest.fixture(autouse=True)
def own_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hide the event loop that the browser's driver leaves running in this thread."""
    if "browser" in request.fixturenames:
        yield
        return
    loop = _get_running_loop()
    _set_running_loop(None)
    yield
    _set_running_loop(loop)


@pytest.fixture
def socket_path() -> Iterator[Path]:
    """A path for a unix socket, which may have at most 107 bytes."""
    with TemporaryDirectory(prefix="ft-", dir="/tmp") as folder:  # our own folder
        yield Path(folder) / "page.sock"


def pytest_configure(config: pytest.Config) -> None:
    """Give the tests that take minutes other examples each time; make the shared folder."""
    if config.option.markexpr == "long":
        settings.load_profile("patient")
    else:
        # Else it parses all modules of feedtool in each process, for constants to draw: other ones,
        # and so other examples, for each order in which tests import these modules.
        mock.patch.object(
            providers, "is_local_module_file", return_value=False, create=True
        ).start()
    if is_first_process(config):
        os.environ[cluster.SHARED] = mkdtemp(prefix="feedtool-shared-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the shared database server, and remove the shared folder."""
    if is_first_process(config) and cluster.SHARED in os.environ:
        cluster.end_shared()
        shutil.rmtree(os.environ.pop(cluster.SHARED))


def is_first_process(config: pytest.Config) -> bool:
    return not hasattr(config, "workerinput")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from scanning thousands of tests, now and later."""
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
"""Folders whose tests run whole deliveries, which take longest, through code that others cover."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of a random order, which shows tests that depend on others."""
    text = "run the modules, and the tests of each, in a random order"
    parser.addoption("--shuffle", type=int, metavar="SEED", help=text)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the heavy folders first, so that no worker has a long test left at the end.

    Coverage is off for them and for property tests: it would take three times as long. The long
    run has all property tests, too, since it tries other and more examples.
    """
    is_long = config.option.markexpr == "long"
    for item in items:
        is_property = is_hypothesis_test(getattr(item, "obj", None))
        if is_property and is_long:
            item.add_marker("long")
        if is_property or folder_of(item) in HEAVY:
            item.add_marker("no_cover")
    order = {name: place for place, name in enumerate(HEAVY)}
    items.sort(key=lambda item: order.get(folder_of(item), len(order)))
    if (seed := config.option.shuffle) is not None:
        random.Random(seed).shuffle(items)  # noqa: S311  # an order to be repeated
        # The tests of a module stay together, since they share fixtures that are slow to make.
        paths = list(dict.fromkeys(item.path for item in items))
        places = {path: place for place, path in enumerate(paths)}
        items.sort(key=lambda item: places[item.path])


def folder_of(item: pytest.Item) -> str:
    return item.nodeid.split("/")[1]


Rows = Sequence[Mapping[str, str]]


def gtin(number: int, first: int = 3) -> str:
    """A well-formed GTIN-13, another for every number; those that begin with 2 are restricted."""
    digits = f"{first * 100_000_000_000 + number:012d}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return digits + str(-total % 10)


def offer(number: int = 1, /, **changes: str | None) -> dict[str, str]:
    """A valid row of an Upsert; a change of None leaves the column out.

    In the name of a key `__` means the dot: `price__price`.
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
    """A row of an Update with only the reference and the changes."""
    return changed({"sellerExternalReference": f"SKU-{number}"}, changes)


def changed(row: dict[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """Apply changes to a row and return it; a change of None removes the column."""
    for name, value in changes.items():
        key = name.replace("__", ".")
        if value is None:
            row.pop(key, None)
        else:
            row[key] = value
    return row


def table(rows: Rows, separator: str = ",") -> str:
    """Rows as CSV, with a column for each key that any row has."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    text = StringIO()
    writer = csv.DictWriter(text, keys, restval="", delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_context(dialect: AccountSettings | Context | None) -> Context:
    return dialect if isinstance(dialect, Context) else Context(dialect or AccountSettings())


def checked(
    *paths: Path,
    dialect: AccountSettings | Context | None = None,
    **reading: str | Sequence[str] | None,
) -> list[CheckedSheet]:
    """Check files, each under its bare name; `reading` are fields of ReadOptions."""
    inputs = [Input(path.name, path) for path in paths]
    context = as_context(dialect)
    options = ReadOptions(context.settings, catalog=context.catalog, **reading)  # type: ignore[arg-type]  # by name
    return check(inputs, options, load())


def planned(
    sheets: Sequence[CheckedSheet], settings: AccountSettings | None = None, blocked: str = ""
) -> Plan:
    return Plan(sheets, load().feeds, (settings or AccountSettings()).limits, blocked)


def refused(
    path: Path, dialect: AccountSettings | Context | None = None, **reading: str
) -> FileProblem:
    """The reason why a file with a single sheet cannot be read."""
    (sheet,) = checked(path, dialect=dialect, **reading)
    assert sheet.error is not None
    return sheet.error


def problems_of(sheet: CheckedSheet, code: str) -> list[Problem]:
    return [problem for problem in sheet.problems() if problem.code == code]


def codes(sheet: CheckedSheet) -> list[tuple[int | None, str]]:
    return [(problem.row, problem.code) for problem in sheet.problems()]


Find = Callable[..., list[Problem]]
"""A function to the problems of one code in a CSV of rows, the first of which is row 2."""
Sent = Callable[..., dict[str, Any]]
"""A function from a valid row to the body of its request."""


def properties_of(book: Workbook) -> Any:
    """The properties that a workbook was given: a list that the library's stubs lack."""
    return vars(book)["custom_doc_props"]


class Files:
    """Writes files into the test's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def text(self, content: str | bytes, name: str = "offers.csv") -> Path:
        """A file with this content."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def csv(self, *rows: Mapping[str, str], name: str = "offers.csv") -> Path:
        return self.text(table(rows), name)

    def book(self, sheets: Mapping[str, Rows], name: str = "offers.xlsx", **stamps: str) -> Path:
        """A workbook of sheets whose cells are all text, with properties of ours."""
        book = Workbook()
        book.remove(book.worksheets[0])
        for stamp, value in stamps.items():
            properties_of(book).append(StringProperty(name=f"feedtool.{stamp}", value=value))
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
        return problems_of(sheet, code)

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
