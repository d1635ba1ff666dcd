"""`submit --dry-run --preview` and `--live`: what would happen to each offer."""

import csv
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool, applied, made_by, rows_of
from tests.conftest import Files, offer, update

DRY = "--dry-run --sandbox"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody who has sent two offers."""
    folder = tmp_path_factory.mktemp("sent")
    Files(folder).csv(offer(1), offer(2))
    return made_by(folder, "submit offers.csv --sandbox")


@pytest.fixture
def changed(home: Path, files: Files) -> str:
    """A file that changes one of two offers that were sent."""
    shutil.copytree(home, "home")
    files.csv(update(1, quantity="7"), update(2, price__price="9.99", quantity="3"))
    return "offers.csv"


def test_a_workbook_shows_the_biggest_change_first(feedtool: Feedtool, changed: str) -> None:
    ran = feedtool(f"submit {changed} {DRY} --preview changes.xlsx")
    assert (ran.code, "preview: saved as changes.xlsx" in ran.err) == (0, True), ran.err
    first, second = rows_of("changes.xlsx")
    assert (first["sellerExternalReference"], first["change"]) == ("SKU-2", "changed")
    assert (first["oldPrice"], first["newPrice"], first["oldStock"], first["newStock"]) == (
        *(19.99, 9.99),
        *(7, 3),
    )
    assert (first["priceChange"], first["stockChange"]) == (-0.5003, -4)
    assert (second["sellerExternalReference"], second["change"]) == ("SKU-1", "unchanged")
    assert len(applied()) == 2


def test_json_has_the_same(feedtool: Feedtool, changed: str) -> None:
    first, second = feedtool(f"submit {changed} {DRY} --format json").only["changes"]
    assert (second["change"], second["oldPrice"]) == ("unchanged", "19.99")
    assert first == {
        "row": 3,
        "sellerExternalReference": "SKU-2",
        "salesChannelId": "PRIMARY",
        "change": "changed",
        "oldPrice": "19.99",
        "newPrice": "9.99",
        "oldStock": 7,
        "newStock": 3,
    }


def test_the_words_are_those_of_the_language(feedtool: Feedtool, changed: str) -> None:
    assert feedtool(f"submit {changed} {DRY} --preview changes.xlsx --language fr").code == 0
    assert [row["change"] for row in rows_of("changes.xlsx", "Changements")] == WORDS
    assert feedtool(f"submit {changed} {DRY} --preview changes.csv --language fr").code == 0
    with Path("changes.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["Effet"] for row in csv.DictReader(file)] == WORDS


WORDS = ["modifiée", "inchangée"]


def test_rows_that_guards_hold_are_shown(feedtool: Feedtool, files: Files, changed: str) -> None:
    cheap, dear = update(1, price__price="1", quantity="7"), update(2, price__price="9.99")
    files.csv(cheap, dear, update(3, quantity="-1"), name=changed)
    ran = feedtool(f"submit {changed} {DRY} --preview changes.xlsx --format json")
    first, second = rows_of("changes.xlsx")
    shown = [first[key] for key in ("row", "change", "oldPrice", "newPrice", "heldBy")]
    assert shown == [2, "held back", 19.99, 1, "price-factor"]
    assert (second["row"], second["change"], "heldBy" in second) == (3, "changed", False)
    held, _ = ran.only["changes"]
    assert (held["change"], held["newPrice"], held["heldBy"]) == ("held", "1", "price-factor")
    every = f"submit {changed} {DRY} --preview all.xlsx"
    assert feedtool(f"{every} --all-or-nothing").code == 1
    assert [row["change"] for row in rows_of("all.xlsx")] == ["held back"]
    assert feedtool(f"{every} --release price-factor --yes").code == 1
    assert [row["change"] for row in rows_of("all.xlsx")] == ["changed", "changed"]


def test_live_asks_the_service(feedtool: Feedtool, changed: str) -> None:
    Path("home/ledger.sqlite").unlink()
    command = f"submit {changed} {DRY} --format json"
    assert {row["change"] for row in feedtool(command).only["changes"]} == {"unknown"}
    changes = feedtool(f"{command} --live").only["changes"]
    assert [(row["change"], row["oldPrice"], row["oldStock"]) for row in changes] == [
        ("changed", "19.99", 7),
        ("unchanged", "19.99", 7),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--preview changes.xlsx", "--preview needs --dry-run"),
        ("--live", "--live needs --dry-run"),
        (f"{DRY} --preview changes.pdf", "changes.pdf would be neither a workbook nor a CSV"),
        (f"{DRY} --preview offers.csv", "offers.csv exists already"),
    ],
)
def test_wrong_preview_options_are_refused(
    feedtool: Feedtool, files: Files, options: str, message: str
) -> None:
    files.csv(offer(1))
    ran = feedtool(f"submit offers.csv {options}")
    error, hint = ran.error()
    assert (ran.code, error) == (2, message)
    assert "--out" not in hint
