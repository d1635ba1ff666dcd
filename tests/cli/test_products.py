"""Products at the command line: judged by the cache under --home, planned, sent and answered."""

import json
import shutil
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.packaging.custom import StringProperty

from feedtool.catalog.cache import FILE
from feedtool.cli.options import SANDBOX
from tests.areas.products.test_sheets import operator
from tests.catalogues import BRANDS, CATEGORIES, PROPERTIES, SERVICE, product, shirt
from tests.cli.conftest import OURS, SAID, SAMPLES, STATE, Feedtool, bring, coloured, rows_in
from tests.cli.test_export import created
from tests.conftest import Files, offer, properties_of

Answers = dict[int, tuple[str, str, str]]
"""Row → status, message, code."""


@pytest.fixture
def home() -> Path:
    return bring(CATEGORIES, BRANDS, PROPERTIES)


def test_the_error_of_a_missing_catalogue_names_the_command(
    feedtool: Feedtool, files: Files
) -> None:
    ran = feedtool("validate", files.csv(product()), "--format", "json")
    assert (ran.code, ran.only["kind"], ran.only["problems"]) == (2, "products", [])
    assert ran.only["error"]["code"] == "catalog-missing"
    assert "feedtool catalog sync" in ran.only["error"]["hint"]


def test_products_are_checked_by_the_cached_catalogue(
    feedtool: Feedtool, files: Files, home: Path
) -> None:
    path = files.csv(product(1), product(2, p3001="Z"), shirt(3))
    ran = feedtool("validate", path, "--format", "json", "--home", home)
    assert (ran.code, ran.counts[:2]) == (1, [3, 2])
    assert ran.err == f"catalogue: {SERVICE} in en, synced 2026-03-01 14:02 UTC\n"
    (problem,) = ran.only["problems"]
    assert (problem["row"], problem["field"], problem["code"]) == (3, "3001", "enum-value")


@pytest.mark.usefixtures("home")
def test_the_profiles_service_is_the_one_that_counts(feedtool: Feedtool, files: Files) -> None:
    profiles = {"a": SERVICE, "b": "https://b.example"}
    lines = (f'[profile.{name}]\nbase_url = "{it}"\n' for name, it in profiles.items())
    files.text("".join(lines), "feedtool.toml")
    path = files.csv(product())
    assert [feedtool("validate", path, "--profile", name).code for name in "ab"] == [0, 2]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(("asked", "language"), [("", "en-US"), ("--language fr", "fr-FR")])
def test_the_language_of_the_catalogue(
    feedtool: Feedtool, files: Files, asked: str, language: str
) -> None:
    bring(CATEGORIES, BRANDS, PROPERTIES, language="fr")
    files.csv(product(language=""))
    assert feedtool(f"submit offers.csv --dry-run --requests out {asked}").code == 0
    (sent,) = json.loads(Path("out/offers.csv/batch-001.json").read_bytes())["products"]
    assert sent["language"] == language
    assert feedtool("submit offers.csv --dry-run --language es").code == 0, "any is taken"


@pytest.mark.usefixtures("home")
def test_a_dry_run_writes_the_batches(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(*map(product, range(60)), name="products.csv")
    ran = feedtool("submit", path, "--dry-run", "--requests", "out", "--format", "json")
    batches = [list(package.values())[1:] for package in ran.only["packages"]]
    assert (ran.code, batches) == (0, [["Products", "", None, rows, 1] for rows in (25, 25, 10)])
    bodies = (json.loads(one.read_bytes()) for one in Path("out/products.csv").iterdir())
    assert sorted(len(body["products"]) for body in bodies) == [10, 25, 25]
    shown = feedtool("submit", path, "--dry-run")
    assert "Planned: Products, 60 rows in 3 batches" in shown.out


@pytest.mark.usefixtures("home")
def test_an_operators_template_is_annotated_beside_its_labels(
    feedtool: Feedtool, files: Files
) -> None:
    path = operator(files, product(1), product(2, p3001="Z"))
    book, stamp = load_workbook(path), StringProperty(name="operator", value="v2")
    properties_of(book).append(stamp)
    book.save(path)
    copy, again = files.folder / "operator.result.xlsx", files.folder / "again.xlsx"
    assert feedtool("validate", path, "--annotate").code == 1
    assert feedtool("validate", copy, "--out", again).code == 1
    for place in (copy, again):
        sheet = load_workbook(place)["Produits"]
        ours = [[cell.value for cell in sheet[row]][-3:] for row in range(4, 11)]
        assert ours[:2] == [OURS, [None] * 3]
        assert sheet.row_dimensions[5].hidden
        assert [row[0] for row in ours[4:]] == [None, "Valid", "Invalid"]
        assert ours[-1][2] == "enum-value"


# The samples.


@pytest.fixture
def products(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLES / "products.xlsx", tmp_path))


@pytest.fixture
def both(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLES / "products-and-offers.xlsx", tmp_path))


def answers(path: Path, sheet: str = "Products") -> Answers:
    """The answers beside the rows."""
    book = load_workbook(path.with_stem(f"{path.stem}.result"))
    rows = book[sheet].iter_rows(min_row=2, values_only=True)
    found = {number: [str(cell or "") for cell in row[-3:]] for number, row in enumerate(rows, 2)}
    return {number: (row[0], row[1], row[2]) for number, row in found.items() if row[0]}


def statuses(path: Path, sheet: str = "Products") -> list[str]:
    return [status for status, *_ in answers(path, sheet).values()]


def test_the_sample_needs_no_preparation_and_its_results_no_catalogue(
    feedtool: Feedtool, products: Path, synced: Path, catalogue: Path
) -> None:
    # A dry run has downloaded the catalogue, which is there now.
    brought = "catalogue: the embedded sandbox's catalogue is downloaded"
    assert brought in (synced / SAID).read_text("utf-8")
    ran = feedtool("submit --sandbox --no-wait --no-failed", products)
    assert ran.code == 6
    assert brought not in ran.err
    assert set(statuses(products)) == {"Pending"}
    # Results do not depend on it.
    catalogue.unlink()
    ran = feedtool("resume --format json")
    assert ran.code == 1
    assert ran.statuses.count("Integrated") == 19
    (batch,) = ran.only["packages"]
    assert (batch["packageType"], batch["rows"], batch["state"]) == ("Products", 20, "Reported")
    # Messages of the service are on row and cell.
    told = answers(products)
    status, message, code = told[6]
    assert (status, code) == ("Refused", "PictureInvalid, picture-advised")
    assert message.startswith("E Picture 1 (address): The picture https://shop.example/")
    status, message, code = told[8]
    assert (status, code) == ("Integrated", "PropertyUnknown, ValueAlreadyKnown")
    assert "C Title, D Description" in message
    assert "You may not change this product's sheet" in message
    assert "The sheet is 60 % complete." in message
    assert "The product cannot be sold yet" in told[20][1]
    marked = coloured(products.with_name("products.result.xlsx"), "Products")
    assert {"E6", "C8", "D8"} <= marked
    assert [status for status, *_ in told.values()].count("Integrated") == 19
    # Exported and sent back they change no product.
    shutil.copy(synced / FILE, "home")
    before = created(STATE)
    assert feedtool("export products --sandbox --out back.xlsx").code == 0
    judged = feedtool("validate back.xlsx --format json").only
    assert (judged["kind"], judged["rows"], judged["invalid"]) == ("products", 18, 0)
    assert {problem["code"] for problem in judged["problems"]} <= {"brand-unknown"}
    sent = feedtool("submit back.xlsx --sandbox --format json")
    assert (sent.code, sent.statuses) == (0, ["Integrated"] * 18), sent.err
    assert created(STATE) == before
    # Results do not depend on a catalogue that is damaged later.
    catalogue.write_bytes(b"no database at all")
    assert feedtool("results 1").code == 1
    assert answers(products) == told
    assert feedtool("status 1").code == 0
    assert catalogue.read_bytes() == b"no database at all"
    # Without the excerpt of the catalogue that the run has kept.
    for kept in (catalogue.parent / "snapshots").iterdir():
        if kept.read_bytes()[:1] == b"{":
            kept.unlink()
    assert feedtool("results 1").code == 1  # answers need no second check
    ran = feedtool("results 1 --failed-only")
    message, hint = ran.error()
    assert ran.code == 3
    assert "cannot be read" in message
    assert "bring it back" in hint


@pytest.mark.usefixtures("catalogue")
def test_products_and_offers_of_one_workbook(feedtool: Feedtool, both: Path) -> None:
    """Without waiting, only the products of offers are awaited."""
    ran = feedtool("submit --sandbox --no-wait --format json", both)
    assert ran.code == 6
    kinds = [(one["kind"], one["rows"]) for one in ran.json]
    assert kinds == [("products", 7), ("offers-upsert", 9)]
    assert set(statuses(both)) == {"Integrated", "Refused"}
    assert set(statuses(both, "Offers")) == {"Pending"}
    assert feedtool("resume").code == 1
    assert statuses(both, "Offers").count("Integrated") == 7
    offers = answers(both, "Offers")
    refused = {row: code for row, (status, _, code) in offers.items() if status == "Rejected"}
    assert refused == {5: "1324", 10: "1324"}
    assert answers(both)[6][0] == "Refused"
    assert offers[5][1] == (
        "There is no product sheet for this product.\nIts product is row 6 of sheet Products, "
        "which is Refused: correct it, and send both again."
    )
    assert offers[10][1] == "There is no product sheet for this product."
    # Both sheets have rows to correct, each with its own template.
    book = load_workbook(both.with_name("products-and-offers.failed.xlsx"))
    rows = [[row["feedtool row"] for row in rows_in(book[one])] for one in ("Products", "Offers")]
    assert rows == [[6], [5, 10]]
    again = feedtool("validate products-and-offers.failed.xlsx --format json").json
    found = [(one["kind"], {problem["code"] for problem in one["problems"]}) for one in again]
    assert found == [("products", {"picture-advised"}), ("offers-upsert", set())]


def test_rows_of_unknown_categories_have_a_workbook_to_correct_them(
    feedtool: Feedtool, files: Files
) -> None:
    bring(CATEGORIES, BRANDS, PROPERTIES, service=SANDBOX)
    ran = feedtool("submit --sandbox", files.csv(product(categoryCode="ZZZZZZ")))
    assert (ran.code, "Rows to correct: offers.failed.xlsx (1 row)" in ran.out) == (1, True)
    (row,) = list(load_workbook("offers.failed.xlsx")["Products"].values)[-1:]
    assert {"ZZZZZZ", "Electric kettle"} <= {*row}


def test_products_are_for_no_channel(
    feedtool: Feedtool, files: Files, account: tuple[str, ...]
) -> None:
    _, service, *_ = account
    account = (*account, "--seller", "S")
    bring(CATEGORIES, BRANDS, PROPERTIES, service=service)
    ran = feedtool("submit", files.csv(product()), *account, "--no-wait", "--format", "json")
    assert (ran.code, ran.only["packages"][0]["rows"]) == (6, 1), ran.err
    both = files.book({"Products": [product()], "Offers": [offer()]})
    ran = feedtool("submit", both, *account, "--sheet", "all")
    problem, way_out = ran.error()
    assert (ran.code, problem) == (2, "--channel is missing")
    assert "offers-upsert" in way_out
    assert len(feedtool("runs --format json").json) == 1
