"""`feedtool export`: a file of the service's data, which can be sent back unchanged."""

import csv
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox import Sandbox
from tests.areas.products.sandbox.records import stored_products
from tests.cli.conftest import SAMPLES, Feedtool, made_by, rows_of, sandbox_offers
from tests.conftest import Files, offer
from tests.pairs import sample

SIGNED = "deliveryModes.SignedHomeDelivery"
ROWS = [
    offer(1) | {"price.originPrice": "30.00"},
    offer(2, sellerExternalReference="=SUM(A1)", quantity="0", condition="UsedLikeNew"),
    offer(3, taxes__VAT="5.5")
    | {"taxes.EcoPart": "0.12", f"{SIGNED}.cost": "9", f"{SIGNED}.additionalCost": "0"},
    offer(4, price__price="1234.50", product__gtin="96385074"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody whose sandbox has some offers."""
    folder = tmp_path_factory.mktemp("shop")
    Files(folder).csv(*ROWS, name="first.csv")
    return made_by(folder, "submit first.csv --sandbox")


@pytest.fixture
def shop(home: Path) -> list[Any]:
    """The offers of the sandbox, which is in the test's own home."""
    shutil.copytree(home, "home")
    return offers()


def offers() -> list[Any]:
    """All that the sandbox knows of its offers, but when they were changed."""
    found = sandbox_offers()
    assert len(found) == len(ROWS)
    left = {"updatedAt", "salesChannelFeedback"}
    return [{name: of[name] for name in of.keys() - left} for of in found]


def undated(value: Any) -> Any:
    """The records without times of change."""
    if isinstance(value, dict):
        return {name: undated(it) for name, it in value.items() if name != "updatedAt"}
    return [undated(it) for it in value] if isinstance(value, list) else value


def records(name: str) -> list[dict[str, str]]:
    with Path(name).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


WAYS = [*product(("offers-update", "offers-upsert"), ("back.csv", "back.xlsx"), ("fr", "en", "es"))]
USUAL = [("offers-update", "back.csv", "fr"), ("offers-upsert", "back.xlsx", "en")]


@pytest.mark.parametrize(
    ("kind", "name", "language"), sample([*USUAL, *(way for way in WAYS if way not in USUAL)], 2)
)
def test_an_export_sent_back_changes_no_offer(
    feedtool: Feedtool, shop: list[Any], kind: str, name: str, language: str
) -> None:
    options = ("--as", kind, "--language", language)
    assert feedtool("export offers --sandbox", *options, "--out", name).code == 0
    judged = feedtool("validate", name, "--format", "json").only
    assert (judged["kind"], judged["rows"], judged["valid"]) == (kind, 4, 4)
    told = [problem["code"] for problem in judged["problems"]]
    assert told == (["modes-replaced"] if name == "back.csv" and kind == "offers-update" else [])
    sent = feedtool("submit", name, "--sandbox", "--format", "json")
    assert (sent.code, sent.statuses) == (0, ["Integrated"] * 4)
    assert offers() == shop


def test_read_only_columns_are_known_and_not_sent(feedtool: Feedtool, shop: list[Any]) -> None:
    fields = "salesChannelFeedback,offerState,product,facialPrice.price,comments"
    assert feedtool("export offers --sandbox --fields", fields).code == 0
    first = rows_of("offers.xlsx", "Offers")[0]
    assert first["salesChannelFeedback.isOnline"] == "true"
    assert first["salesChannelFeedback.bestOfferDetails.bestOffer.price"] == 19.99
    assert (first["offerState"], first["facialPrice.price"]) == ("Active", 19.99)
    assert feedtool("validate offers.xlsx --format json").only["problems"] == []
    assert feedtool("submit offers.xlsx --sandbox").code == 0
    assert offers() == shop


@pytest.mark.usefixtures("shop")
def test_offers_can_be_removed_by_it(feedtool: Feedtool) -> None:
    for name in ("gone.xlsx", "gone.csv"):
        ran = feedtool("export offers --sandbox --as offers-delete --out", name)
        assert (ran.code, ran.said) == (0, "")
    assert feedtool("validate gone.xlsx --format json").only["kind"] == "offers-delete"
    assert feedtool("submit gone.csv --sandbox").code == 0
    assert sandbox_offers() == []


FILTERS = {
    "--gtin 3000000000014,00096385074": ["SKU-1", "SKU-4"],
    "--reference 'SKU-3, SKU-1,SKU-3'": ["SKU-1", "SKU-3"],
    "--offer-id sandbox_96385074_New_PRIMARY": ["SKU-4"],
    "--since 2020-01-01": ["SKU-1", "SUM(A1)", "SKU-3", "SKU-4"],
    "--offer-state active --reference 'SKU-1,=SUM(A1)'": ["SKU-1"],
}


@pytest.mark.usefixtures("shop")
def test_filters(feedtool: Feedtool) -> None:
    for filters, references in FILTERS.items():
        assert feedtool(f"export offers --sandbox --out offers.csv --yes {filters}").code == 0
        rows = records("offers.csv")
        assert [row["sellerExternalReference"].strip('="') for row in rows] == references, filters


SAID = "the rows are Updates, since the service does not give list prices back and an Upsert"
SAID += " without them would remove them"
HINT = "stock is what it is now: empty the cells that you do not change"


@pytest.mark.usefixtures("shop")
def test_the_output_of_an_export(feedtool: Feedtool) -> None:
    ran = feedtool("export offers --sandbox")
    lines = ["offers.xlsx  offers-update, sheet Offers, header in row 2", "4 rows"]
    assert ran.out.splitlines() == lines
    assert ran.said.splitlines() == [f"note: {SAID}", f"help: {HINT}"]
    told = feedtool("export offers --sandbox --yes --format json").only
    assert told.pop("notes") == [{"message": SAID, "hint": HINT}]
    place = {"file": "offers.xlsx", "kind": "offers-update", "sheet": "Offers", "headerRow": 2}
    assert told == {**place, "rows": 4, "skipped": 0}
    events = feedtool("export offers --sandbox --out x.csv --format jsonl").events
    assert [event["type"] for event in events] == ["progress", "summary"]
    assert (events[1]["sheet"], events[1]["headerRow"]) == (None, 1)


@pytest.mark.usefixtures("shop")
def test_a_csv_opens_without_formulas(feedtool: Feedtool) -> None:
    assert feedtool("export offers --sandbox --out offers.csv").code == 0
    found = records("offers.csv")
    references = [record["sellerExternalReference"] for record in found]
    assert references == ["SKU-1", '="=SUM(A1)"', "SKU-3", "SKU-4"]
    assert "deliveryModes.TrackedHomeDelivery.cost" in found[0]
    assert "deliveryModes.ExpressHomeDelivery.cost" not in found[0]


def created(state: Path) -> Any:
    """The sandbox's products, without their times of change."""
    with Sandbox(sandbox_parts(), state) as sandbox:
        return undated(list(stored_products(sandbox, "sandbox")))


@pytest.fixture(scope="module")
def products(synced: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody whose sandbox has products."""
    folder = tmp_path_factory.mktemp("products")
    shutil.copytree(synced, folder / "home")
    Files(folder).csv(*rows_of(SAMPLES / "products.xlsx", "Products"), name="products.csv")
    # One of its pictures is refused.
    return made_by(folder, "submit products.csv --sandbox --no-failed", code=1)


@pytest.mark.long  # `test_products` sends an export of the sample back
@pytest.mark.parametrize("name", ["back.xlsx", "back.csv"])
def test_exported_products_sent_back_change_no_product(
    feedtool: Feedtool, products: Path, name: str
) -> None:
    home, state = ("--home", "shop"), Path("shop/sandbox.sqlite")
    shutil.copytree(products, "shop")
    before = created(state)
    assert feedtool("export products --sandbox", *home, "--out", name).code == 0
    judged = feedtool("validate", name, *home, "--format", "json").only
    assert (judged["kind"], judged["rows"], judged["invalid"]) == ("products", 18, 0)
    assert {problem["code"] for problem in judged["problems"]} <= {"brand-unknown"}
    sent = feedtool("submit", name, "--sandbox", *home, "--format", "json")
    assert (sent.code, sent.statuses) == (0, ["Integrated"] * 18), sent.err
    assert created(state) == before


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("kind", ["competing-offers", "competing-offer-changes"])
def test_competing_offers_are_exported(feedtool: Feedtool, kind: str) -> None:
    ran = feedtool("export", kind, "--sandbox", "--format", "json")
    assert ran.code == 0, ran.err
    rows = rows_of(f"{kind}.xlsx")
    assert ran.only["rows"] == len(rows) > 0
    own = {row["product.gtin"].zfill(14) for row in ROWS}
    assert {str(row["product.product_ean"]).zfill(14) for row in rows} <= own
    assert {row.get("is_available") for row in rows} <= {"true", "false", None}
    assert any(isinstance(row.get("price"), float) for row in rows)
