"""Products at the command line: judged by the cache under --home, and planned."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.packaging.custom import StringProperty

from feedtool.areas.products.catalog.cache import FILE, Cache
from feedtool.areas.products.catalog.model import Validators
from tests.areas.products.test_sheets import operator
from tests.catalogues import AT, CATALOG, CATEGORIES, PROPERTIES, product, shirt
from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer

SERVICE = "https://service.example/v2"
OURS = ["feedtool status", "feedtool message", "feedtool code"]


def bring(home: Path, language: str = "en", service: str = SERVICE) -> None:
    """A catalogue in the cache, as `catalog sync` leaves it."""
    home.mkdir(exist_ok=True)
    with Cache(home / FILE) as cache:
        key = cache.begin(service, language, (), AT).catalog
        cache.save(key, CATEGORIES)
        cache.save(key, list(CATALOG.brands()))
        for code, properties in PROPERTIES.items():
            cache.save_properties(key, code, properties, Validators(), AT)
        cache.finish(
            key,
            frozenset(one.reference for one in CATEGORIES),
            frozenset(one.reference for one in CATALOG.brands()),
            AT,
        )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    bring(tmp_path / "home")
    return tmp_path / "home"


def test_without_a_catalogue_it_says_how_to_bring_one(feedtool: Feedtool, files: Files) -> None:
    ran = feedtool("validate", files.csv(product()), "--format", "json")
    assert ran.code == 2
    assert ran.only["error"]["code"] == "catalog-missing"
    assert "feedtool catalog sync" in ran.only["error"]["hint"]
    assert ran.only["kind"] == "products"
    assert ran.only["problems"] == []


def test_the_cache_is_what_they_are_judged_by(feedtool: Feedtool, files: Files, home: Path) -> None:
    path = files.csv(product(1), product(2, p3001="Z"), shirt(3))
    ran = feedtool("validate", path, "--format", "json", "--home", home)
    assert (ran.code, ran.only["rows"], ran.only["valid"]) == (1, 3, 2)
    assert ran.err == f"catalogue: {SERVICE} in en, synced 2026-03-01 14:02 UTC\n"
    (problem,) = ran.only["problems"]
    assert (problem["row"], problem["field"], problem["code"]) == (3, "3001", "enum-value")


def test_the_profiles_service_is_the_one_that_counts(
    feedtool: Feedtool, files: Files, home: Path
) -> None:
    files.text(
        f'[profile.a]\nbase_url = "{SERVICE}"\n[profile.b]\nbase_url = "https://b.example"\n',
        "feedtool.toml",
    )
    path = files.csv(product())
    assert feedtool("validate", path, "--profile", "a", "--home", home).code == 0
    assert feedtool("validate", path, "--profile", "b", "--home", home).code == 2


def test_the_language_of_the_catalogue(feedtool: Feedtool, files: Files, home: Path) -> None:
    bring(home, "fr")
    path = files.csv(product(language=""))
    for asked, language in (
        ((), "en-US"),
        (("--language", "fr"), "fr-FR"),
        (("--language", "es"), None),
    ):
        feedtool("submit", path, "--dry-run", "--requests", "out", *asked)
        (sent,) = json.loads(Path("out/offers.csv/batch-001.json").read_bytes())["products"]
        assert language is None or sent["language"] == language


@pytest.mark.usefixtures("home")
def test_a_dry_run_writes_the_batches(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(*map(product, range(60)), name="products.csv")
    for _ in range(2):
        ran = feedtool("submit", path, "--dry-run", "--requests", "out", "--format", "json")
    assert ran.code == 0
    told = [(one["packageType"], one["salesChannelId"]) for one in ran.only["packages"]]
    assert told == [("Products", "")] * 3
    assert [one["rows"] for one in ran.only["packages"]] == [25, 25, 10]
    folder = Path("out/products.csv")
    bodies = [json.loads(one.read_bytes()) for one in sorted(folder.iterdir())]
    assert [len(one["products"]) for one in bodies] == [25, 25, 10]
    assert [one["sellerProductReference"] for one in bodies[2]["products"]][-1] == "SKU-59"
    shown = feedtool("submit", path, "--dry-run")
    assert "Planned: Products, 60 rows in 3 batches" in shown.out


@pytest.mark.usefixtures("home")
def test_an_operators_template_is_annotated_beside_its_labels(
    feedtool: Feedtool, files: Files
) -> None:
    path = operator(files, product(1), product(2, p3001="Z"))
    book = load_workbook(path)
    book.custom_doc_props.append(  # type: ignore[attr-defined]  # the stubs do not know it
        StringProperty(name="operator", value="v2")
    )
    book.save(path)
    copy = files.folder / "operator.result.xlsx"
    assert feedtool("validate", path, "--annotate").code == 1
    again = files.folder / "again.xlsx"
    assert feedtool("validate", copy, "--out", again).code == 1
    for place in (copy, again):
        sheet = load_workbook(place)["Produits"]
        labels = [cell.value for cell in sheet[4]]
        assert labels[-3:] == OURS
        assert [cell.value for cell in sheet[5]][-3:] == [None, None, None]
        assert sheet.row_dimensions[5].hidden
        assert [sheet.cell(row, len(labels) - 2).value for row in (8, 9, 10)] == [
            None,
            "Valid",
            "Invalid",
        ]
        assert sheet.cell(10, len(labels)).value == "enum-value"


def test_checks_import_no_database_library(files: Files, home: Path) -> None:
    script = (
        "import sys\n"
        "from feedtool.cli import run\n"
        "code = run(sys.argv[1:])\n"
        "print(code, sorted(name for name in sys.modules if name == 'sqlalchemy'))\n"
    )
    for row in (offer(), product()):
        command = [
            sys.executable,
            "-c",
            script,
            "validate",
            str(files.csv(row)),
            "--home",
            str(home),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  # ours
        assert done.stdout.splitlines()[-1] == "0 []"
