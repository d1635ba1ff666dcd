"""`feedtool export`: what the service has comes into a file that can be sent back as it is."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from feedtool.areas.registry import sandbox_parts
from feedtool.cli import run
from feedtool.sandbox import Sandbox
from feedtool.sandbox.server import serving
from tests.areas.offers.sandbox.records import stored_offers
from tests.areas.products.sandbox.records import stored_products
from tests.cli.conftest import Feedtool, made_by
from tests.conftest import Files, offer

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
TRACKED = "deliveryModes.TrackedHomeDelivery"
SIGNED = "deliveryModes.SignedHomeDelivery"
ROWS = [
    offer(1) | {"price.originPrice": "30.00"},
    offer(2, sellerExternalReference="=SUM(A1)", quantity="0", condition="UsedLikeNew"),
    offer(3, taxes__VAT="5.5")
    | {"taxes.EcoPart": "0.12", f"{SIGNED}.cost": "9"}
    | {f"{SIGNED}.additionalCost": "0"},
    offer(4, price__price="1234.50", product__gtin="96385074"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody whose sandbox has some offers."""
    folder = tmp_path_factory.mktemp("shop")
    Files(folder).csv(*ROWS, name="first.csv")
    return made_by(folder, "submit first.csv --sandbox")


@pytest.fixture
def shop(home: Path) -> Path:
    """The state of that sandbox, in the test's own home."""
    shutil.copytree(home, "home")
    return Path("home/sandbox.sqlite")


def on_shelf(state: Path) -> list[dict[str, Any]]:
    """All that the sandbox knows of its offers, but when they were changed."""
    with Sandbox(sandbox_parts(), state) as sandbox:
        offers = list(stored_offers(sandbox))
    for one in offers:
        for name in ("updatedAt", "salesChannelFeedback"):
            one.pop(name)
    assert len(offers) == len(ROWS)
    return offers


@pytest.mark.parametrize("language", ["en", "fr", "es"])
@pytest.mark.parametrize("name", ["back.xlsx", "back.csv"])
@pytest.mark.parametrize("kind", ["offers-update", "offers-upsert"])
def test_there_and_back_changes_nothing(
    feedtool: Feedtool, shop: Path, kind: str, name: str, language: str
) -> None:
    before = on_shelf(shop)
    options = ("--as", kind, "--language", language)
    assert feedtool("export offers --sandbox", *options, "--out", name).code == 0
    judged = feedtool("validate", name, "--format", "json").only
    assert (judged["kind"], judged["rows"], judged["valid"]) == (kind, 4, 4)
    told = [problem["code"] for problem in judged["problems"]]
    assert told == (["modes-replaced"] if name == "back.csv" and kind == "offers-update" else [])
    sent = feedtool("submit", name, "--sandbox", "--format", "json")
    assert sent.code == 0
    assert [one["status"] for one in sent.only["results"]] == ["Integrated"] * 4
    assert on_shelf(shop) == before


def test_what_is_shown_is_known_and_not_sent(feedtool: Feedtool, shop: Path) -> None:
    before = on_shelf(shop)
    fields = "salesChannelFeedback,offerState,product,facialPrice.price,comments"
    assert feedtool("export offers --sandbox --fields", fields).code == 0
    sheet = load_workbook("offers.xlsx")["Offers"]
    keys = [cell.value for cell in sheet[2]]
    first = {key: cell.value for key, cell in zip(keys, sheet[3], strict=True)}
    assert first["salesChannelFeedback.isOnline"] == "true"
    assert first["salesChannelFeedback.bestOfferDetails.bestOffer.price"] == 19.99
    assert (first["offerState"], first["facialPrice.price"]) == ("Active", 19.99)
    assert feedtool("validate offers.xlsx --format json").only["problems"] == []
    assert feedtool("submit offers.xlsx --sandbox").code == 0
    assert on_shelf(shop) == before


def test_offers_can_be_removed_by_it(feedtool: Feedtool, shop: Path) -> None:
    for name in ("gone.xlsx", "gone.csv"):
        ran = feedtool("export offers --sandbox --as offers-delete --out", name)
        assert (ran.code, ran.err) == (0, "")
    assert feedtool("validate gone.xlsx --format json").only["kind"] == "offers-delete"
    assert feedtool("submit gone.csv --sandbox").code == 0
    with Sandbox(sandbox_parts(), shop) as sandbox:
        assert list(stored_offers(sandbox)) == []


FILTERS = {
    "products": (["--gtin", "3000000000014,00096385074"], ["SKU-1", "SKU-4"]),
    "references": (["--reference", "SKU-3, SKU-1,SKU-3"], ["SKU-1", "SKU-3"]),
    "an id": (["--offer-id", "sandbox_96385074_New_PRIMARY"], ["SKU-4"]),
    "a time": (["--since", "2020-01-01"], ["SKU-1", "=SUM(A1)", "SKU-3", "SKU-4"]),
    "several": (["--state", "active", "--reference", "SKU-1,=SUM(A1)"], ["SKU-1"]),
}


@pytest.mark.parametrize(("filters", "expected"), FILTERS.values(), ids=FILTERS)
def test_filters(feedtool: Feedtool, shop: Path, filters: list[str], expected: list[str]) -> None:
    del shop
    assert feedtool("export offers --sandbox", *filters).code == 0
    sheet = load_workbook("offers.xlsx")["Offers"]
    assert [row[0] for row in sheet.iter_rows(min_row=3, values_only=True)] == expected


SAID = [
    (
        "the rows are Updates, since the service does not give struck prices back and an Upsert"
        " without them would remove them"
    ),
    "stock is what it is now: empty the cells that you do not change",
]


def test_it_says_why_the_rows_are_updates(feedtool: Feedtool, shop: Path) -> None:
    del shop
    ran = feedtool("export offers --sandbox")
    assert ran.out.splitlines() == [
        "offers.xlsx  offers-update, sheet Offers, header in row 2",
        "4 rows",
    ]
    assert ran.err.splitlines() == [f"note: {SAID[0]}", f"help: {SAID[1]}"]


def test_as_json(feedtool: Feedtool, shop: Path) -> None:
    del shop
    assert feedtool("export offers --sandbox --format json").only == {
        "file": "offers.xlsx",
        "kind": "offers-update",
        "sheet": "Offers",
        "headerRow": 2,
        "rows": 4,
        "skipped": 0,
        "notes": [{"message": SAID[0], "hint": SAID[1]}],
    }
    ran = feedtool("export offers --sandbox --out x.csv --format jsonl")
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert [event["type"] for event in events] == ["progress", "summary"]
    assert (events[1]["sheet"], events[1]["headerRow"]) == (None, 1)


def test_a_csv_opens_without_formulas(feedtool: Feedtool, shop: Path) -> None:
    del shop
    assert feedtool("export offers --sandbox --out offers.csv").code == 0
    with Path("offers.csv").open(encoding="utf-8-sig", newline="") as file:
        records = list(csv.DictReader(file))
    assert [record["sellerExternalReference"] for record in records] == [
        *("SKU-1", '="=SUM(A1)"', "SKU-3", "SKU-4")
    ]
    assert f"{TRACKED}.cost" in records[0]
    assert "deliveryModes.ExpressHomeDelivery.cost" not in records[0]


def test_yes_replaces_what_is_there(feedtool: Feedtool, shop: Path) -> None:
    del shop
    Path("offers.xlsx").write_bytes(b"old")
    assert feedtool("export offers --sandbox --yes").code == 0
    assert feedtool("validate offers.xlsx").code == 0


def test_an_account_by_its_profile(feedtool: Feedtool, files: Files) -> None:
    with serving(sandbox_parts()) as server:
        files.text(
            f'[profile.shop]\nbase_url = "{server.base}"\nseller = "12"\nchannel = "SECOND"\n'
            'token = "sandbox"\n',
            "feedtool.toml",
        )
        sent = feedtool("submit", files.csv(*map(offer, range(1, 4))), "--profile", "shop")
        assert sent.code == 0
        ran = feedtool("export offers --profile shop --out back.csv")
        assert ran.code == 0, ran.err
    with Path("back.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [one["salesChannelId"] for one in csv.DictReader(file)] == ["SECOND"] * 3


# Products.


@pytest.fixture(scope="module")
def catalogue_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with the sandbox's catalogue in English and French."""
    place = tmp_path_factory.mktemp("home")
    for language in ("en", "fr"):
        options = ["--sandbox", "--language", language, "--home", str(place)]
        assert run(["catalog", "sync", *options]) == 0
    return place


def created(state: Path) -> list[dict[str, Any]]:
    """All that the sandbox knows of its products, but when they were changed."""
    with Sandbox(sandbox_parts(), state) as sandbox:
        products = list(stored_products(sandbox, "sandbox"))
    return [_undated(one) for one in products]


def _undated(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _undated(one) for name, one in value.items() if name != "updatedAt"}
    return [_undated(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["back.xlsx", "back.csv"])
def test_products_there_and_back_change_nothing(
    feedtool: Feedtool, catalogue_home: Path, tmp_path: Path, name: str
) -> None:
    home = ("--home", tmp_path / "shop")
    shutil.copytree(catalogue_home, tmp_path / "shop")
    ran = feedtool("submit", SAMPLES / "products.xlsx", "--sandbox", *home, "--out", "a.xlsx")
    assert ran.code == 1  # one of its pictures is refused
    before = created(tmp_path / "shop" / "sandbox.sqlite")
    assert feedtool("export products --sandbox", *home, "--out", name).code == 0
    judged = feedtool("validate", name, *home, "--format", "json").only
    assert (judged["kind"], judged["rows"], judged["invalid"]) == ("products", 18, 0)
    assert {problem["code"] for problem in judged["problems"]} <= {"brand-unknown"}
    sent = feedtool("submit", name, "--sandbox", *home, "--format", "json")
    assert sent.code == 0, sent.err
    assert [one["status"] for one in sent.only["results"]] == ["Integrated"] * 18
    assert created(tmp_path / "shop" / "sandbox.sqlite") == before


# What others offer.


@pytest.mark.parametrize("kind", ["competing-offers", "competing-offer-changes"])
def test_what_others_offer(feedtool: Feedtool, shop: Path, kind: str) -> None:
    del shop
    ran = feedtool("export", kind, "--sandbox", "--format", "json")
    assert ran.code == 0, ran.err
    rows = load_workbook(f"{kind}.xlsx").worksheets[0].iter_rows(min_row=2, values_only=True)
    keys, *records = rows
    assert ran.only["rows"] == len(records) > 0
    offers = [dict(zip(keys, record, strict=True)) for record in records]
    own = {row["product.gtin"].zfill(14) for row in ROWS}
    assert {str(one["product.product_ean"]).zfill(14) for one in offers} <= own
    assert {one["is_available"] for one in offers} <= {"true", "false", None}
    assert any(isinstance(one["price"], float) for one in offers)
