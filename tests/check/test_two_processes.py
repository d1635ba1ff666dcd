"""Two processes find the same in a sheet as one, for any faults."""

import json
import os
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from subprocess import PIPE
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from openpyxl import Workbook

from tests.check.two_ways import KILLED
from tests.conftest import offer, table
from tests.forked import ROOT, Child

ROWS = 250
"""Rows of a sheet of several pieces: see `two_ways`."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks processes")


def offers(**changes: Callable[[int], str]) -> list[dict[str, str]]:
    """Offers, some cells of which are made of their numbers."""
    return [
        offer(number, **{key: make(number) for key, make in changes.items()})
        for number in range(1, ROWS + 1)
    ]


def csv_file(folder: Path, rows: list[dict[str, str]]) -> Path:
    path = folder / "offers.csv"
    path.write_text(table(rows), "utf-8")
    return path


def workbook(folder: Path, rows: list[dict[str, str]], name: str = "offers.xlsx") -> Path:
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append(list(row.values()))
    for number in range(20, ROWS, 80):
        sheet.row_dimensions[number].hidden = True
    book.save(folder / name)
    return folder / name


def rewritten(path: Path, folder: Path, change: Callable[[bytes], bytes]) -> Path:
    """A workbook with its sheet's part changed."""
    with ZipFile(path) as before, ZipFile(folder / path.name, "w", ZIP_DEFLATED) as after:
        for name in before.namelist():
            data = before.read(name)
            after.writestr(name, change(data) if name.endswith("sheet1.xml") else data)
    return folder / path.name


def every(step: int, odd: str, usual: str) -> Callable[[int], str]:
    return lambda number: odd if number % step == 0 else usual


CASES: dict[str, list[dict[str, str]]] = {
    "errors and warnings": offers(
        price__price=every(7, "x", "19.99"),
        quantity=every(11, "2.5", "7"),
        sellerExternalReference=lambda number: f" SKU-{number}" if number % 13 == 0 else "A",
    ),
    "the same reference far away": offers(sellerExternalReference=lambda n: f"SKU-{n % 220}"),
    "stocks that differ": offers(product__gtin=lambda _: "4006381333931", quantity=str),
    "separators that the end settles": offers(
        price__price=lambda n: "1.234,50" if n == ROWS else "1,234"
    ),
    "separators that nothing settles": offers(
        price__price=lambda n: {240: "1.234,50", 210: "1,234.50"}.get(n, "1,234")
    ),
    "actions of several kinds": offers(
        action=lambda n: ("OffersUpsert", "OffersUpdate", "OffersDelete")[n // 3 % 3]
    ),
    "totals": offers(sellerExternalReference=every(120, "Total", "SKU")),
}
BOOKS = ("errors and warnings", "totals")
BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "an end in the midst": lambda xml: xml[: len(xml) * 3 // 4],
    "a row that is there twice": lambda xml: xml.replace(b'<row r="241"', b'<row r="240"'),
    "rows without numbers": lambda xml: xml.replace(b"<row r=", b"<row x="),
    "an unknown type": lambda xml: xml[:-18_000] + xml[-18_000:].replace(b't="n"', b't="x"', 1),
    "more than is announced": lambda xml: xml.replace(b'ref="A1:', b'ref="A1:B2" x="', 1),
    "a comment": lambda xml: xml.replace(b'<row r="220"', b'<!-- --><row r="220"'),
}


NAMES = (*(f"{name}, in a CSV" for name in CASES), *BOOKS, *BROKEN)
OTHERS = (
    "stocks that differ, in a CSV",
    "separators that nothing settles, in a CSV",
    "totals, in a CSV",
    "rows without numbers",
    "more than is announced",
    "a comment",
)
"""The cases of the long run alone."""
USUAL = tuple(name for name in NAMES if name not in OTHERS)


SEVERAL = tuple(
    f"{name}, in a CSV"
    for name in ("the same reference far away", "separators that the end settles", "totals")
)
TOGETHER = "several files, whose keys are told apart"
"""The name of the case of several files that are checked together."""
DYING = "one process alone, since the other dies"
"""The name of the case whose second process ends itself."""

PathOf = Callable[[str], Path]
"""The file of a case, which is made once."""


@pytest.fixture(scope="module")
def path_of(tmp_path_factory: pytest.TempPathFactory) -> PathOf:
    @cache
    def path_of(name: str) -> Path:
        folder = tmp_path_factory.mktemp("sheet")
        if name in BROKEN:
            return rewritten(path_of(BOOKS[0]), folder, BROKEN[name])
        if name in BOOKS:
            return workbook(folder, CASES[name])
        return csv_file(folder, CASES[name.removesuffix(", in a CSV")])

    return path_of


def both(together: Iterable[Iterable[Path | str]]) -> list[list[Any]]:
    """The findings of both ways, files of each list checked together."""
    files = [os.pathsep.join(map(str, some)) for some in together]
    child = Child("tests.check.two_ways:main", files, folder=ROOT, stdout=PIPE, stderr=PIPE)
    said, complained = child.communicate(60 * len(files))
    assert child.wait() == 0, complained
    return [json.loads(line) for line in said.splitlines()]


@pytest.fixture(scope="module")
def found(path_of: PathOf) -> dict[str, list[Any]]:
    """The findings of both ways, by the name of the case."""
    cases = {**{name: (name,) for name in USUAL}, TOGETHER: SEVERAL}
    paths = [[path_of(name) for name in names] for names in cases.values()]
    dying: list[list[Path | str]] = [[KILLED], [path_of("errors and warnings")]]
    return dict(zip([*cases, DYING], both([*paths, *dying]), strict=True))


@pytest.mark.parametrize("name", [*USUAL, TOGETHER, DYING])
def test_the_same_is_found(found: dict[str, list[Any]], name: str) -> None:
    is_by_two, by_one, by_two = found[name]
    assert is_by_two
    assert by_one == by_two


@pytest.mark.long
@pytest.mark.parametrize("name", OTHERS)
def test_the_same_is_found_of_others(path_of: PathOf, name: str) -> None:
    ((is_by_two, by_one, by_two),) = both([[path_of(name)]])
    assert is_by_two
    assert by_one == by_two
