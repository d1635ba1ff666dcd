"""`results RUN` tells what later runs have answered to the rows that were not taken."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest
from openpyxl import load_workbook

from tests.cli.conftest import Feedtool
from tests.cli.test_failed import correct, rows_of
from tests.conftest import Files, gtin, offer

GOOD = {"quantity": "5"}


def copy_of(path: Path) -> list[list[str]]:
    """Status and message of every row of an annotated CSV."""
    with path.open(encoding="utf-8", newline="") as file:
        return [record[-3:-1] for record in csv.reader(file)][1:]


def statuses(path: Path) -> list[str]:
    return [status for status, _ in copy_of(path)]


def sent_corrected(feedtool: Feedtool, run: int, changes: Mapping[str, Mapping[str, str]]) -> None:
    """Corrects the failed rows of a run, and sends them."""
    name = "offers.failed" + (f"-{run}" if run > 1 else "") + ".xlsx"
    feedtool("results", str(run), "--failed-only")
    correct(Path(name), changes)
    feedtool("submit", "--sandbox", name)


def test_the_annotated_original_is_brought_up_to_date_from_the_corrections(
    feedtool: Feedtool, files: Files
) -> None:
    nameless = offer(3, sellerExternalReference="")
    taken = offer(4, product__gtin=gtin(1))
    feedtool("submit", "--sandbox", files.csv(offer(1), offer(2, quantity="-1"), nameless, taken))
    copy = Path("offers.result.csv")
    assert statuses(copy) == ["Integrated", "Invalid", "Invalid", "Rejected"]
    feedtool("results", "1", "--failed-only")
    changes = {
        "SKU-2": GOOD,
        "None": {"sellerExternalReference": "SKU-3"},
        "SKU-4": {"product.gtin": gtin(4)},
    }
    correct(Path("offers.failed.xlsx"), changes)
    ran = feedtool("submit", "--sandbox", "offers.failed.xlsx", "--format", "json")
    assert [one["sellerExternalReference"] for one in ran.only["results"]] == [
        "SKU-2",
        "SKU-3",
        "SKU-4",
    ]
    ran = feedtool("results", "1", "--format", "json")
    assert ran.code == 0, "nothing is left to correct"
    assert [one["status"] for one in ran.only["results"]] == ["Integrated"] * 4
    told = copy_of(copy)
    assert [status for status, _ in told] == ["Integrated"] * 4
    assert [message.partition(".xlsx.")[0] for _, message in told[1:]] == [
        f"Corrected in run 2: row {row} of offers.failed" for row in (3, 4, 5)
    ]
    assert feedtool("results", "1", "--failed-only", "--yes").code == 9


def test_what_is_wrong_still_is_told_as_the_later_run_says_it(
    feedtool: Feedtool, files: Files
) -> None:
    rows = [offer(1), offer(2, quantity="-1"), offer(3, quantity="x"), offer(4, quantity="y")]
    feedtool("submit", "--sandbox", files.csv(*rows))
    sent_corrected(feedtool, 1, {"SKU-2": GOOD, "SKU-3": {"product.gtin": gtin(1), **GOOD}})
    assert feedtool("results", "1").code == 1
    told = copy_of(Path("offers.result.csv"))
    assert [status for status, _ in told] == ["Integrated", "Integrated", "Rejected", "Invalid"]
    assert "An offer for this product and condition exists" in told[2][1]
    assert told[3][1].startswith("Corrected in run 2: row 5 of offers.failed.xlsx.; Y quantity:")
    feedtool("results", "1", "--failed-only", "--out", "left.xlsx")
    assert [row["feedtool status"] for row in rows_of(Path("left.xlsx"))] == ["Rejected", "Invalid"]


def test_corrections_of_corrections_find_the_way_back(feedtool: Feedtool, files: Files) -> None:
    feedtool("submit", "--sandbox", files.csv(offer(1), offer(2, quantity="-1")))
    sent_corrected(feedtool, 1, {"SKU-2": {"quantity": "x", "price.price": "5"}})
    # Only what could be sent makes a run, so there is one row that can.
    assert [one["run"] for one in feedtool("runs", "--format", "json").json] == ["2", "1"]
    sent_corrected(feedtool, 2, {"SKU-2": GOOD})
    feedtool("results", "1")
    assert copy_of(Path("offers.result.csv"))[1] == [
        "Integrated",
        (
            "Corrected in run 2: row 3 of offers.failed.xlsx.; "
            "Corrected in run 3: row 3 of offers.failed-2.xlsx."
        ),
    ]


def test_each_of_two_rows_of_one_reference_has_its_own_answer(
    feedtool: Feedtool, files: Files
) -> None:
    feedtool(
        "submit",
        "--sandbox",
        files.csv(offer(1), offer(2), offer(3, sellerExternalReference="SKU-2")),
    )
    feedtool("results", "1", "--failed-only")
    assert len(rows_of(Path("offers.failed.xlsx"))) == 2
    book = load_workbook("offers.failed.xlsx")
    book["Offers"].delete_rows(4)  # the correction is to leave it out
    book.save("offers.failed.xlsx")
    feedtool("submit", "--sandbox", "offers.failed.xlsx")
    assert feedtool("results", "1").code == 1
    assert statuses(Path("offers.result.csv")) == ["Integrated", "Integrated", "Invalid"]


@pytest.mark.parametrize(
    ("later", "status", "told"),
    [
        (offer(2), "Integrated", "Sent again in run 2, as Upsert: row 2 of later.csv, Integrated."),
        (offer(2, salesChannelId="OTHER"), "Invalid", "B product.gtin"),
        (offer(9), "Invalid", "B product.gtin"),
    ],
    ids=["the reference", "of another channel", "another reference"],
)
def test_a_later_run_of_any_file_tells_by_the_reference(
    feedtool: Feedtool, files: Files, later: dict[str, str], status: str, told: str
) -> None:
    feedtool("submit", "--sandbox", files.csv(offer(1), offer(2, product__gtin="1")))
    feedtool("submit", "--sandbox", files.csv(later, name="later.csv").name)
    feedtool("results", "1")
    found = copy_of(Path("offers.result.csv"))[1]
    assert found[0] == status
    assert found[1].startswith(told)


def test_what_was_taken_stays_so_whatever_comes_later(feedtool: Feedtool, files: Files) -> None:
    feedtool("submit", "--sandbox", files.csv(offer(1), name="first.csv"))
    before = copy_of(Path("first.result.csv"))
    feedtool("submit", "--sandbox", files.csv(offer(1, product__gtin=gtin(7)), name="later.csv"))
    assert statuses(Path("later.result.csv")) == ["Rejected"]
    assert feedtool("results", "1").code == 0
    assert copy_of(Path("first.result.csv")) == before
