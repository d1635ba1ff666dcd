"""Refused commands: exit code, a line with the reason, and a line with the remedy."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from feedtool.areas.registry import load
from feedtool.cli.options import SANDBOX
from tests.areas.legacy.conftest import OFFER, member, zipped
from tests.cli.conftest import Feedtool, made_by
from tests.cli.test_catalog import fill
from tests.conftest import Files, offer

HERE = "--base-url http://[::1]:1/v2"
KETTLES = "template products --category 011B01"
NO_KIND, CONTRADICT = "there is no kind of feed “{}”", "contradict each other"
INSECURE = ("[defaults]: insecure_http", "[profile.NAME]")
NO_EXPORT, NO_CATALOGUE = "there is no kind of export “{}”", "there is no catalogue in en here"


@pytest.fixture(scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the commands name."""
    files = Files(tmp_path_factory.mktemp("folder"))
    files.csv(offer(1), name="good.csv")
    files.csv(offer(1, quantity="-1"), offer(2), name="bad.csv")
    files.book({"March": [offer()], "April": [offer(2)]}, name="book.xlsx")
    files.text(member(zipped([OFFER])), "Offers.xml")
    files.text("something else\n", "other.csv")
    files.text("", "file")
    files.text('[profile.mine]\nseller = "1"\n', "shops.toml")
    files.text('[defaults]\nlangauge = "fr"\n', "default.toml")
    for name in ("insecure_http", "insecure-http"):
        files.text(f"[defaults]\n{name} = true\n", f"{name}.toml")
    files.text('[profile.shop.columns]\n"Mon EAN" = "product.gtn"\n', "columns.toml")
    (files.folder / "folder.csv").mkdir()
    files.csv(offer(1), name="folder/inbox/a.csv")
    return files.folder


@pytest.fixture
def folder(_folder: Path) -> None:
    shutil.copytree(_folder, ".", dirs_exist_ok=True)


@pytest.fixture(scope="module")
def _shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody whose sandbox has an offer."""
    folder = tmp_path_factory.mktemp("shop")
    Files(folder).csv(offer(1), name="first.csv")
    return made_by(folder, "submit first.csv --sandbox")


@pytest.fixture
def shop(_shop: Path) -> None:
    shutil.copytree(_shop, "home")


@pytest.fixture
def kettles() -> None:
    fill()


@pytest.fixture(scope="module")
def _brought(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sync = "catalog sync --sandbox --category 011B01 --language"
    return made_by(tmp_path_factory.mktemp("brought"), f"{sync} fr", f"{sync} en")


@pytest.fixture
def brought(_brought: Path) -> None:
    shutil.copytree(_brought, "home")


USAGE = {
    "xyzzy": ("there is no command “xyzzy”", "feedtool --help"),
    "valdate good.csv": ("“valdate”. Did you mean validate?", "--help"),
    "config": ("Missing command", "feedtool config --help"),
    "validate": ("Missing argument 'FILE...'", "feedtool validate --help"),
    "validate good.csv --nope": ("--nope", "feedtool validate --help"),
    "validate good.csv --as upsert": (NO_KIND.format("upsert"), "kinds: "),
    "validate good.csv --format yaml": ("yaml", ""),
    "validate good.csv --report report.pdf": ("report.pdf", "end it in .json, .csv or .html"),
    "validate good.csv --report no/r.csv": ("the report no/r.csv cannot be written", "--report"),
    "explain gtin-chekcsum": ("“gtin-chekcsum”", "did you mean gtin-checksum"),
    "template offers-upsert --out book.xlsx": ("exists already", "or replace it with --yes"),
    "template offers-upsert --out new.csv": ("would be no workbook", "with .xlsx"),
    "template offers-upsert --out no/new.xlsx": ("there is no folder no", "Make the folder"),
    "template offers-upsert --category 011B01": ("--category is for products", "leave it out"),
    KETTLES: (NO_CATALOGUE, "download it with `feedtool catalog sync`"),
    "demo other.csv": ("other.csv", ""),
    # Accounts and configurations.
    "submit good.csv": ("there is no account to send to", "try --sandbox"),
    f"submit good.csv {HERE}": ("--seller is missing", ""),
    f"submit good.csv {HERE} --seller 1 --channel PRIMARY": ("there is no token", "--token-file"),
    f"submit good.csv --sandbox {HERE}": (CONTRADICT, "choose one of them"),
    "submit good.csv --profile shop": ("there is no profile “shop”", "known profiles: none"),
    "submit --sandbox good.csv --home other.csv": ("'--home': Directory 'other.csv' is a file", ""),
    "validate good.csv --config default.toml": ("“langauge”", "did you mean language?"),
    "submit good.csv --config insecure_http.toml": INSECURE,
    "submit good.csv --config insecure-http.toml": INSECURE,
    "validate good.csv --profile shop --config columns.toml": ("“product.gtn”", "product.gtin?"),
    "config show --call-timeout 0": ("0", ""),
    # Where answers go.
    "validate good.csv bad.csv --out copy.csv": ("--out names one file", ""),
    "validate good.csv good.csv --annotate": ("good.csv is named twice", "name each file once"),
    "submit --sandbox good.csv ./good.csv": ("two inputs would be written to", ""),
    "submit --sandbox -": ("the copy of standard input has no name", "name it with --out"),
    "validate - -": ("standard input can be read once", "name `-` once"),
    "validate good.csv --out copy.csv --in-place": (CONTRADICT, "choose one of them"),
    "validate good.csv --out good.csv": ("good.csv", ""),
    "validate good.csv --out other.csv": ("other.csv", ""),
    "validate Offers.xml --in-place": ("is no .xlsx, and its copy is one", "leave --in-place out"),
    "validate Offers.xml --out a.csv": ("cannot be called “a.csv”: it is a workbook", ".xlsx"),
    "submit --dry-run good.csv --requests other.csv": ("other.csv", ""),
    "submit good.csv --sandbox --webhook http://hooks.example/x": ("without encryption", ""),
    'submit good.csv --sandbox --hook "\'"': ("the hook command cannot be read", ""),
    "submit good.csv --sandbox --log no/log.jsonl": ("the log no/log.jsonl cannot be", "--log"),
    # Rows and plans.
    "validate good.csv --as-row 0": ("--as-row", ""),
    "validate good.csv --as-row 99999999": ("--as-row", ""),
    "submit good.csv --sandbox --release price-facto": ("“price-facto”", "price-factor?"),
    "submit good.csv --sandbox --release x": ("guard “x” to release", "guards: file-shrunk, mass"),
    "submit good.csv --sandbox --prefer-update": ("needs --changed-only", "add --changed-only"),
    "submit good.csv --changed-only --dry-run": ("whose offers are meant", "or --sandbox"),
    "submit": ("Missing argument 'FILE...'", ""),
    "submit good.csv --save-plan p": ("--save-plan needs --dry-run", "add --dry-run"),
    "validate good.csv --recipe nowhere.toml": (
        "the recipe nowhere.toml cannot be read",
        "check its name and its folder",
    ),
    "submit --plan nowhere": ("the plan nowhere cannot be read", ""),
    "submit --plan good.csv": ("good.csv is not a plan", ""),
    "submit good.csv --sandbox --expect-removals 9": ("needs --purge-and-replace", "leave it out"),
    "watch folder --once": ("there is no account to send to", ""),
    # Conversions.
    "convert good.csv good.csv": ("IN and OUT are the same", "give OUT another name"),
    "convert folder folder --yes": ("IN and OUT are the same", ""),
    "convert good.csv nowhere/out.csv": ("there is no folder nowhere", "make the folder"),
    "convert good.csv file --yes": ("file is a file", "give OUT another name"),
    f"convert good.csv {'a' * 300}.csv": ("cannot be written", "give OUT another name"),
    "convert good.csv out.csv --to offers": (NO_KIND.format("offers"), "kinds: "),
    "convert good.csv out.zip --as offers-delete": ("cannot say that offers are removed", ""),
    # Exports and catalogues, without a service.
    "export offrs": (NO_EXPORT.format("offrs"), "kinds: offers, "),
    "export mine/Offers.zip --to xlsx": ("Offers.zip”", "`feedtool convert mine/Offers.zip Offers"),
    "export offers": ("there is no account to ask", "try --sandbox, or name a profile"),
    "export offers --sandbox --as products": ("cannot be exported as “products”", "offers-update"),
    "export offers --sandbox --offer-state asleep": (
        "there is no offer-state “asleep”",
        "choose among: active, inactive",
    ),
    "export offers --sandbox --since yesterday": ("is not a date or a time", "write it like 2026"),
    "export offers --sandbox --gtin ' , '": ("--gtin names nothing", "or give a list"),
    "export offers --sandbox --out offers.xls": ("nor a CSV", "end with .xlsx or .csv"),
    "export offers --sandbox --out folder.csv --yes": ("is not a file", "another place with --out"),
    "export offers --sandbox --out book.xlsx": ("exists already", "replace it with --yes"),
    f"export products {HERE} --seller 1 --token t": ("to make the columns of", "catalog sync"),
    "catalog search x": (NO_CATALOGUE, "download it with `feedtool catalog sync`"),
    "catalog show 0A --sandbox --language fr": (f"de {SANDBOX} en fr", "--sandbox --language fr`"),
    f"catalog show 0A {HERE}": ("of http://[::1]:1/v2 in en here", "`feedtool catalog sync`"),
    f"catalog search x --sandbox {HERE}": (CONTRADICT, "choose one of them"),
    "catalog sync": ("there is no service to ask", "--sandbox"),
    f"catalog sync {HERE}": ("there is no token", "--token-file"),
    "catalog sync --sandbox --category ,": ("names no category", "--category CODE"),
}
OFFERS, OTHERS = "export offers --sandbox", "export competing-offers --sandbox"
CHANGES, SYNC = "export competing-offer-changes --sandbox", "catalog sync --sandbox"
TOO_LONG = f"{OFFERS} --reference {','.join(map(str, range(9999)))}"
NO_LIST = ("The service does not list its offers: Bad Request.", "look at --fields")
NO_ACCESS = ("no access to competing offers: Forbidden.", "It is given by special request alone")
NO_TOKEN = "The service does not accept the token"  # what is said of one

BY_SERVICE = {
    f"{OFFERS} --fields colour": (2, *NO_LIST),
    f"{OFFERS} --channel MOON": (2, *NO_LIST),
    TOO_LONG: (2, "the lists are longer than an address can hold", "name fewer"),
    f"{OFFERS} --channel SECOND": (9, "no offers on the channel SECOND", "look at --channel"),
    f"{OFFERS} --since 2100-01-01": (9, "no offers like that on the", "look at the filters"),
    f"{OFFERS} --token wrong": (4, f"{NO_TOKEN}: Unauthorized.", "Check the token"),
    f"{OFFERS} --token forbidden": (4, "does not allow that: Forbidden.", "lacks the right"),
    f"{OTHERS} --product 1&2": (2, "“1&2” is neither an EAN nor a product_id", ""),
    f"{OTHERS} --product 12": (9, "the service tells of no competing offers", ""),
    f"{OTHERS} --channel SECOND": (9, "there are no offers with a GTIN on", ""),
    f"{OTHERS} --product 3760452700039 --seller unopened": (4, *NO_ACCESS),
    f"{CHANGES} --seller unopened": (4, *NO_ACCESS),
    f"{SYNC} --category 1E0I01": (2, "no category “1E0I01”", "Did you mean 1E0101"),
    f"{SYNC} --token wrong": (4, NO_TOKEN, "feedtool catalog sync"),
}
NO_PRODUCTS = {
    "": (9, "the seller has no products", ""),
    "--category 011b01": (9, "the seller has no products of the category 011B01", ""),
    "--token wrong": (4, NO_TOKEN, ""),
}
NOT_SHOWN = {
    "show 0A0I01": ("There is no category “0A0I01”.", "Did you mean 0A0101"),
    "show qqqqqq": ("There is no category “qqqqqq”.", "`feedtool catalog search TEXT` finds"),
    "show 0A0102": (
        "the properties of 0A0102 (Café machines) were not downloaded",
        "download them with `feedtool catalog sync --category 0A0102`",
    ),
    "show 0A0103": ("(Old kettles) were not downloaded, since it is not active", "0A0103`"),
    "search kettle --language fr": ("en fr ici\u00a0; il y en a un en en", "sync --language fr`"),
}
NOT_MADE = {
    "--category 011B0X": ("there is no category “011B0X”", "did you mean 011B"),
    "--category 011B": (
        "011B (Small appliances) includes 7 categories, and the properties of",
        "download them with `feedtool catalog sync --sandbox --category 011B`",
    ),
    "--category 011B08": ("(Electric citrus presses) is not active", "catalog search TEXT"),
    "--category 011B2C": ("of 011B2C (Toasters) were not downloaded", "`feedtool catalog sync`"),
    "--category 011B01 --language es": ("en es aquí; hay uno en en, fr", "--language es`"),
    "": ("is made for categories, and no category is given", "give --category CODE,CODE"),
    "--category 011B01 --sandbox --base-url https://x.example": (CONTRADICT, "choose one of them"),
}
PLACES: dict[tuple[str, str], Mapping[str, tuple[str, str] | tuple[int, str, str]]] = {
    ("folder", ""): USAGE,
    ("shop", ""): BY_SERVICE,
    ("catalogue", "export products --sandbox "): NO_PRODUCTS,
    ("kettles", "catalog "): NOT_SHOWN,
    ("brought", "template products "): NOT_MADE,
}
"""Message and hint, perhaps after the code, by place and first words of the command."""


@pytest.mark.parametrize(("place", "first"), PLACES)
def test_refusals_have_code_reason_and_hint(
    feedtool: Feedtool,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
    place: str,
    first: str,
) -> None:
    request.getfixturevalue(place)
    capsys.readouterr()  # what made the place has said much
    for words, why in PLACES[place, first].items():
        refuse(feedtool, first + words, *(why if len(why) == 3 else (2, *why)))


def refuse(feedtool: Feedtool, command: str, code: int, message: str, hint: str) -> None:
    """Assert that a command does nothing and explains it in two lines."""
    before = {path: path.is_file() and path.read_bytes() for path in Path().glob("*[!e]")}
    ran = feedtool(command)
    assert (ran.code, ran.out) == (code, ""), ran
    error, help_ = ran.error()
    assert message in error, command
    assert hint in help_, command
    assert all((error, help_)), command
    after = {path: path.is_file() and path.read_bytes() for path in Path().glob("*[!e]")}
    assert after == before, command


def test_without_a_kind_all_templates_are_listed(feedtool: Feedtool) -> None:
    ran = feedtool("template")
    assert (ran.code, ran.out) == (2, "")
    assert ran.error() == ("KIND is missing", "choose one, as in `feedtool template offers-upsert`")
    for feed in load().templates.values():
        assert f"{feed.kind}: {feed.summary}\n" in ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="to root every folder is open")
def test_a_folder_that_is_read_only(feedtool: Feedtool, files: Files) -> None:
    files.csv(offer(1))
    Path("shut").mkdir(mode=0o500)
    refuse(feedtool, "convert offers.csv shut/out.csv", 2, "read-only", "allow writing there")
