"""`feedtool convert`: from any of its formats into any other, and what is lost on the way."""

import json
import os
import shutil
from importlib.resources import files as resources
from pathlib import Path

import pytest
from lxml import etree

from feedtool.areas.legacy.writer import Head, Pool
from tests.areas.legacy.conftest import OFFER, member, zipped
from tests.cli.conftest import SAMPLES, Feedtool, Ran, rows_of
from tests.conftest import Files, gtin, offer, update
from tests.pairs import sample

SCHEMA = etree.RelaxNG(
    etree.fromstring((resources("feedtool.areas.legacy") / "offers.rng").read_bytes())
)
ALL = (".xlsx", ".csv", ".zip", ".xml", ".json", "")

# Of each sample the exit codes in the order of ALL.
SAMPLE_CODES = {
    "offers-upsert.xlsx": (0, 0, 1, 1, 0, 0),
    "offers-mistakes.xlsx": (1, 1, 2, 2, 2, 1),  # of two channels
    "legacy-offers.xlsx": (0, 0, 1, 1, 1, 1),
    "products.xlsx": (0, 0, 2, 2, 0, 0),
    "products-and-offers.xlsx": (2, 2, 2, 2, 2, 0),
    "offers-fr.csv": (0, 0, 1, 1, 0, 0),
    "offers-update.xlsx": (0, 0, 1, 1, 0, 0),
}


USUAL = {
    "offers-upsert.xlsx": (".xlsx", ".zip", ".json", ""),
    "offers-mistakes.xlsx": (".xlsx", ".xml"),
    "legacy-offers.xlsx": (".csv", ".xml", ".json"),
    "products.xlsx": (".csv", ".zip", ".json"),
    "products-and-offers.xlsx": (".csv", ""),
}
"""Directions of which the others differ little."""


@pytest.mark.usefixtures("catalogue")
@pytest.mark.parametrize(
    ("name", "endings"),
    sample([*USUAL.items(), *((name, ALL) for name in SAMPLE_CODES)], len(USUAL)),
)
def test_samples_in_every_direction(
    feedtool: Feedtool, name: str, endings: tuple[str, ...]
) -> None:
    found = {}
    for ending in endings:
        target = Path(f"out{ending}")
        ran = feedtool("convert", SAMPLES / name, target)
        found[ending] = ran.code
        assert target.exists() == (ran.code != 2), ran.err
        if ending in {".zip", ".xml"} and ran.code != 2:
            content = target.read_bytes()
            SCHEMA.assertValid(etree.fromstring(member(content) if ending == ".zip" else content))
        if ran.code == 2:
            assert all(ran.error())
        elif "mistakes" not in name:
            _assert_convertible(feedtool, target, name)
    codes = dict(zip(ALL, SAMPLE_CODES[name], strict=True))
    assert found == {ending: codes[ending] for ending in endings}


def _assert_convertible(feedtool: Feedtool, target: Path, name: str) -> None:
    """Assert that a written file can be read and converted once more, unchanged."""
    is_unmarked = target.suffix == ".csv" and name.startswith("legacy")
    kind = ("--as", "legacy-offers") if is_unmarked else ()
    again = Path(f"again{target.suffix}")
    ran = feedtool("convert", target, again, "--yes", *kind)
    assert ran.code == 0, ran.err
    if target.is_file() and target.suffix not in {".xlsx", ".csv"}:
        assert again.read_bytes() == target.read_bytes()
    shutil.rmtree(again) if again.is_dir() else again.unlink()


def refused(ran: Ran, code: int, why: str) -> bool:
    """True for this exit code with this reason in its error."""
    return ran.code == code and why in ran.error()[0]


def requests(path: str = "out.json") -> list[dict[str, object]]:
    content: list[dict[str, object]] = json.loads(Path(path).read_text("utf-8"))
    return content


def test_json_names_all_that_scripts_rely_on(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1) | {"my own": "3"}, offer(2, quantity="-1"))
    ran = feedtool("convert", path, "out.json", "--format", "json")
    assert ran.code == 1
    told = ran.only
    losses = told.pop("losses")
    place = {"file": str(path), "kind": "offers-upsert", "sheet": None}
    target = {"target": "out.json", "targetKind": "offers-upsert"}
    assert told == {**place, **target, "rows": 1, "skipped": 1, "notes": []}
    names = ("row", "line", "field", "value", "message")
    values = (None, None, "my own", None, "no column is known for it")
    assert list(losses[0].items()) == list(zip(names, values, strict=True))
    assert [losses[1][name] for name in names[:-1]] == [3, 3, "quantity", "-1"]
    assert len(requests()) == 1
    events = feedtool("convert", path, "b.json", "--format", "jsonl").events
    assert [event["type"] for event in events] == ["loss", "loss", "summary"]


def test_unsendable_rows_are_in_a_workbook_unchanged(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1, price__price="a lot", quantity="-1", product__gtin="123"))
    ran = feedtool("convert", path, "out.xlsx")
    assert ran.code == 0, ran.err
    assert "1 of the rows cannot be sent" in ran.err
    (row,) = rows_of("out.xlsx", "Offers")
    assert (row["price.price"], str(row["quantity"]), row["product.gtin"]) == ("a lot", "-1", "123")

    ran = feedtool("convert", path, "out.zip", "--format", "json")
    assert (ran.code, ran.only["target"], ran.only["rows"]) == (1, None, 0)
    assert not Path("out.zip").exists()


def test_a_purge_is_never_carried_over_and_pools_stay_among_zips(
    feedtool: Feedtool, files: Files
) -> None:
    path = files.text(zipped([OFFER], Head("mine", purges=True)), "offers.zip")
    ran = feedtool("convert", path, "out.xml")
    assert ran.code == 1
    assert "PurgeAndReplace “true”: a purge is never carried over" in ran.err
    assert b'Name="mine" PurgeAndReplace="false"' in Path("out.xml").read_bytes()
    pools = (Pool("1", "Id"), Pool("FR"))
    path = files.text(zipped([OFFER], Head("mine", pools=pools)), "offers.zip")
    assert feedtool("convert", path, "out.xml", "--yes").code == 0
    xml = Path("out.xml").read_bytes()
    assert b'Capacity="2"><PublicationPool Id="1"></PublicationPool>' in xml
    assert b'<PublicationPool SalesChannelId="FR">' in xml
    assert feedtool("convert", path, "chosen.xml", "--channel", "ES").code == 0
    assert b'Capacity="1"><PublicationPool SalesChannelId="ES">' in Path("chosen.xml").read_bytes()
    ran = feedtool("convert", path, "out.json")
    assert ran.code == 1
    assert "PublicationPool “1, FR”: its rows are for one channel, PRIMARY unless" in ran.err


def test_unknown_attributes_of_an_offers_xml_are_lost(feedtool: Feedtool, files: Files) -> None:
    xml = member(zipped([OFFER])).decode().replace('Vat="20"', 'Vat="20" Flash="1"')
    ran = feedtool("convert", files.text(xml, "Offers.xml"), "out.csv")
    assert ran.code == 1
    assert "the attribute Flash of Offer is not read (line 3)" in ran.err
    assert "help: read it with --as legacy-offers" in ran.err


def test_a_mixed_sheet_becomes_a_folder_of_packages(feedtool: Feedtool, files: Files) -> None:
    change = update(2, quantity="3", action="Update")
    deletion = update(3, action="Delete", salesChannelId="ES")
    path = files.csv(offer(1, action="Upsert"), change, deletion)
    assert feedtool("convert", path, "out").code == 0
    names = sorted(one.name for one in Path("out/offers.csv").iterdir())
    packages = ("001-Upsert-PRIMARY", "002-Update-PRIMARY", "003-Delete-ES")
    assert names == [f"package-{name}" for name in packages]
    assert feedtool("convert out back.csv").code == 0
    assert feedtool("convert back.csv again").code == 0
    for name in names:
        once, twice = (
            Path(folder, name, "upload-001.json").read_bytes()
            for folder in ("out/offers.csv", "again/back.csv")
        )
        assert once == twice
    ran = feedtool("convert", path, "out.zip")
    assert ran.code == 1
    assert "a row of offers-delete cannot become legacy-offers" in ran.err


def test_deletes_stay_deletes(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(update(1), update(2))
    for name in ("gone.csv", "gone.xlsx", "gone.json"):
        assert feedtool("convert", path, name, "--as", "offers-delete").code == 0
    assert feedtool("convert gone.csv out").code == 0
    assert Path("out/gone.csv/package-001-Delete-PRIMARY").is_dir()
    assert feedtool("validate gone.xlsx --format json").only["kind"] == "offers-delete"
    assert requests("gone.json")[1] == {"sellerExternalReference": "SKU-2"}
    ran = feedtool("convert gone.json again.xlsx")
    assert ran.code == 3
    assert "--as offers-delete" in ran.error()[1]
    assert feedtool("convert gone.json again.xlsx --as offers-delete").code == 0


LEGACY_PRODUCTS = (
    "EAN,SellerProductId,BrandName,ProductKind,CategoryCode,LongLabel,ShortLabel,Model,Navigation,"
    "Description,Image 1,3264,4567,4568\n"
)


@pytest.mark.usefixtures("catalogue")
def test_products_of_the_legacy_interface(feedtool: Feedtool, files: Files) -> None:
    path = files.text(
        LEGACY_PRODUCTS + f"{gtin(1)},P-1,Maison Alder,K-7,2B010299,Oak armchair,Armchair,A,B,"
        "An armchair of oak.,https://shop.example/1.jpg,,,\n"
    )
    ran = feedtool("convert", path, "out.xlsx", "--format", "json")
    assert ran.code == 1, ran.err
    told = {one["field"]: one["message"] for one in ran.only["losses"]}
    for name in ("ShortLabel", "Model", "Navigation"):
        assert told[name] == "there is no field for it any more"
    assert told["categoryCode"] == "2B010299 is a legacy code: read as 2B0102"
    (row,) = rows_of("out.xlsx", "Products")
    assert row == {
        "gtin": gtin(1),
        "sellerProductReference": "P-1",
        "title": "Oak armchair",
        "description": "An armchair of oak.",
        "sellerPictureUrls_1": "https://shop.example/1.jpg",
        "brand": "Maison Alder",
        "categoryCode": "2B0102",
        "gtinReference": "K-7",
    }


# What is refused before anything is written.


def test_files_are_overwritten_only_on_request(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1))
    files.text("mine", "out.json")
    files.text("", "out/note.txt")
    for name in ("out.json", "out"):
        assert refused(feedtool("convert", path, name), 2, "exists already")
    assert Path("out.json").read_text("utf-8") == "mine"
    for name in ("out.json", "out", "out"):
        assert feedtool("convert", path, name, "--yes").code == 0
    assert Path("out/note.txt").exists()
    Path("out/offers.csv/note.txt").touch()
    assert refused(feedtool("convert", path, "out", "--yes"), 2, "not a request of feedtool")


def test_more_than_an_upload_or_a_zip_takes(feedtool: Feedtool, files: Files) -> None:
    files.text("[profile.shop]\nlimits.legacy = 2\n", "feedtool.toml")
    ran = feedtool("convert", files.csv(*map(offer, range(1, 102))), "out.json")
    assert (ran.code, ran.err.count("takes 100 at once")) == (0, 1)
    files.csv(*map(offer, range(1, 4)))
    ran = feedtool("convert offers.csv out.zip --profile shop")
    assert (ran.code, ran.error()[0]) == (2, "3 offers are more than a legacy zip takes: 2")
    assert feedtool("convert offers.csv out --profile shop --to legacy-offers").code == 0
    zips = [f"package-00{number}-Full-PRIMARY.zip" for number in (1, 2)]
    assert sorted(path.name for path in Path("out/offers.csv").iterdir()) == zips
    assert refused(feedtool("convert out back.csv"), 2, "holds legacy zips")


DAMAGED: dict[str, tuple[str, bytes, str]] = {
    "no json": ("a.json", b'[{"a": 1},', "is not readable JSON"),
    "json of another encoding": ("a.json", b'[{"a": "\xe9"}]', "byte 8 is not UTF-8"),
    "json nested beyond measure": ("a.json", b"[" * 200_000, "beyond all measure"),
    "a number beyond measure": ("a.json", b'[{"quantity": ' + b"9" * 9999 + b"}]", "measure"),
    "no number": ("a.json", b'[{"quantity": NaN}]', "beyond all measure"),
    "json of something else": ("a.json", b'{"a": 1}', "holds no list of requests"),
    "no requests": ("a.json", b"[]", "holds no request"),
    "requests that are none": ("a.json", b"[1, 2]", "no row looks like a header"),
}


@pytest.mark.parametrize(("name", "content", "why"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_inputs(
    feedtool: Feedtool, files: Files, name: str, content: bytes, why: str
) -> None:
    path = files.text(content, name)
    for target in ("out.xlsx", "out.zip", "out"):
        assert refused(feedtool("convert", path, target), 3, why)
        assert not Path(target).exists()


def test_an_empty_folder_and_a_pipe(feedtool: Feedtool) -> None:
    Path("folder").mkdir()
    os.mkfifo("pipe")
    for name, why in (("folder", "holds no request"), ("pipe", "is a pipe or a device")):
        for target in ("out.csv", "out.zip"):
            assert refused(feedtool("convert", name, target), 3, f"{name} {why}")


def test_members_of_requests_without_a_column_are_listed(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1))
    assert feedtool("convert", path, "a.json").code == 0
    (body,) = requests("a.json")
    Path("b.json").write_text(json.dumps({"offerRequests": [body | {"note": [1]}, 3]}), "utf-8")
    ran = feedtool("convert b.json out.xlsx --format json")
    assert ran.code == 1
    losses = [(one["row"], one["field"], one["value"]) for one in ran.only["losses"]]
    assert losses == [(2, "note", "[1]"), (3, None, "3")]


def test_rows_of_one_file_for_two_channels(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1), offer(2) | {"salesChannelId": "ES"})
    for name in ("out.zip", "out.json"):
        assert refused(feedtool("convert", path, name), 2, "would hold several packages")
        assert not Path(name).exists()


def test_json_beyond_the_limit_is_refused(feedtool: Feedtool, files: Files) -> None:
    files.text("[profile.shop]\nreading.strings = 1048576\n", "feedtool.toml")
    path = files.text(b"[" + b" " * (1 << 20) + b"]", "a.json")
    ran = feedtool("convert", path, "out.csv", "--profile", "shop")
    assert refused(ran, 3, "more than 1 MiB")


def test_whole_offers_may_become_updates(feedtool: Feedtool, files: Files) -> None:
    ran = feedtool("convert - out.json --to offers-update", stdin=files.csv(offer(1)).read_bytes())
    assert ran.code == 1, ran.out
    (body,) = requests()
    taxes = {"VAT": 20, "EcoPart": 0, "DEA": 0}
    price = {"price": 19.99, "taxes": [{"code": code, "value": it} for code, it in taxes.items()]}
    assert body["price"] == price
    assert "product" not in body
    assert "Condition “New”: an Update does not say it (row 2)" in ran.err
