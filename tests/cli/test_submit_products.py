"""Products at the command line, from the sample to the answer beside each row."""

import shutil
from pathlib import Path

import pytest
from openpyxl import load_workbook

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox.server import serving
from tests.cli.conftest import Feedtool

SAMPLES = Path(__file__).parents[2] / "samples"
CATEGORIES = "011B01,010201,1E012C,2B0401"
"""Those of the samples."""

Answers = dict[int, tuple[str, str, str]]
"""Row → status, message, code."""


@pytest.fixture
def cache(synced: Path, tmp_path: Path) -> Path:
    """The same in the test's own home."""
    (tmp_path / "home").mkdir()
    return Path(shutil.copy(synced, tmp_path / "home"))


@pytest.fixture
def products(tmp_path: Path) -> Path:
    """The sample."""
    return Path(shutil.copy(SAMPLES / "products.xlsx", tmp_path))


def answers(path: Path, sheet: str = "Products") -> Answers:
    """What stands beside the rows."""
    rows = load_workbook(path)[sheet].iter_rows(values_only=True)
    found = {number: [str(one or "") for one in row[-3:]] for number, row in enumerate(rows, 1)}
    told = {number: (one[0], one[1], one[2]) for number, one in found.items() if one[0]}
    del told[1]
    return told


def coloured(path: Path, sheet: str = "Products") -> set[str]:
    """The cells that are marked."""
    ranges = [one.sqref for one in load_workbook(path)[sheet].conditional_formatting]
    return {cell for one in ranges for cell in str(one).split()}


def test_the_sample_needs_nothing_set_up(feedtool: Feedtool, products: Path) -> None:
    ran = feedtool("submit", products, "--sandbox", "--format", "json")
    assert ran.code == 1
    assert "catalogue: the embedded sandbox's is brought" in ran.err
    assert [one["status"] for one in ran.only["results"]].count("Integrated") == 19
    (batch,) = ran.only["packages"]
    assert (batch["packageType"], batch["rows"], batch["state"]) == ("Products", 20, "Reported")
    again = feedtool("submit", products, "--sandbox")
    assert "is brought" not in again.err


@pytest.mark.usefixtures("cache")
def test_what_the_service_says_stands_on_row_and_cell(feedtool: Feedtool, products: Path) -> None:
    assert feedtool("submit", products, "--sandbox").code == 1
    copy = products.with_name("products.result.xlsx")
    told = answers(copy)
    status, message, code = told[6]
    assert (status, code) == ("Refused", "PictureInvalid, picture-advised")
    assert message.startswith("E sellerPictureUrls: The picture https://shop.example/")
    status, message, code = told[8]
    assert (status, code) == ("Integrated", "PropertyUnknown, ValueAlreadyKnown")
    assert "C title, D description" in message
    assert "You may not change this product's sheet" in message
    assert "The sheet is 60 % complete." in message
    assert "The product cannot be sold yet" in told[20][1]
    assert {"E6", "C8", "D8"} <= coloured(copy)
    assert [status for status, *_ in told.values()].count("Integrated") == 19


def test_what_was_checked_stands_whatever_becomes_of_the_cache(
    feedtool: Feedtool, products: Path, cache: Path
) -> None:
    assert feedtool("submit", products, "--sandbox", "--no-wait").code == 6
    copy = products.with_name("products.result.xlsx")
    assert {status for status, *_ in answers(copy).values()} == {"Pending"}
    cache.unlink()
    assert feedtool("resume").code == 1
    first = answers(copy)
    cache.write_bytes(b"no database at all")
    assert feedtool("results 1").code == 1
    assert answers(copy) == first
    assert feedtool("status 1").code == 0
    assert cache.read_bytes() == b"no database at all"


def test_what_was_judged_by_is_missed_in_one_line(
    feedtool: Feedtool, products: Path, cache: Path
) -> None:
    sent = feedtool("submit", products, "--sandbox")
    for kept in (cache.parent / "snapshots").iterdir():
        if kept.read_bytes()[:1] == b"{":
            kept.unlink()
    assert feedtool("results 1").code == sent.code  # answers need no second check
    ran = feedtool("results 1 --failed-only")
    message, hint = ran.error()
    assert ran.code == 3
    assert "cannot be read" in message
    assert "bring it back" in hint


@pytest.mark.usefixtures("cache")
def test_products_and_offers_of_one_workbook(feedtool: Feedtool, tmp_path: Path) -> None:
    both = Path(shutil.copy(SAMPLES / "products-and-offers.xlsx", tmp_path))
    ran = feedtool("submit", both, "--sandbox", "--format", "json")
    assert ran.code == 1
    assert [(one["kind"], one["rows"]) for one in ran.json] == [
        ("products", 7),
        ("offers-upsert", 9),
    ]
    copy = tmp_path / "products-and-offers.result.xlsx"
    offers = {row: (status, code) for row, (status, _, code) in answers(copy, "Offers").items()}
    refused = {row: code for row, (status, code) in offers.items() if status == "Rejected"}
    assert refused == {5: "1324", 10: "1324"}
    assert answers(copy)[6][0] == "Refused"
    told = {row: message for row, (_, message, _) in answers(copy, "Offers").items()}
    assert told[5] == (
        "There is no product sheet for this product.; Its product is row 6 of sheet Products, "
        "which is Refused: correct it, and send both again."
    )
    assert told[10] == "There is no product sheet for this product."


@pytest.mark.usefixtures("cache")
def test_without_waiting_only_what_offers_need_is_waited_for(
    feedtool: Feedtool, tmp_path: Path
) -> None:
    both = Path(shutil.copy(SAMPLES / "products-and-offers.xlsx", tmp_path))
    ran = feedtool("submit", both, "--sandbox", "--no-wait")
    assert ran.code == 6
    copy = tmp_path / "products-and-offers.result.xlsx"
    assert {status for status, *_ in answers(copy).values()} == {"Integrated", "Refused"}
    assert {status for status, *_ in answers(copy, "Offers").values()} == {"Pending"}
    assert feedtool("resume").code == 1
    assert [one for one, *_ in answers(copy, "Offers").values()].count("Integrated") == 7


def test_products_are_for_no_channel(feedtool: Feedtool, products: Path) -> None:
    with serving(sandbox_parts()) as server:
        account = ("--base-url", server.base, "--seller", "S", "--token", "sandbox")
        feedtool("catalog sync", *account, "--category", CATEGORIES)
        ran = feedtool("submit", products, *account, "--no-wait", "--format", "json")
        assert ran.code == 6, ran.err
        assert ran.only["packages"][0]["rows"] == 20
        both = shutil.copy(SAMPLES / "products-and-offers.xlsx", products.parent)
        ran = feedtool("submit", both, *account)
        assert ran.code == 2
        problem, way_out = ran.error()
        assert problem == "--channel is missing"
        assert "offers-upsert" in way_out
        assert len(feedtool("runs --format json").json) == 1
