"""`--requests DIR`: the exact bodies, in a folder that holds nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.legacy.reader import OffersXml
from feedtool.areas.offers.settings import OfferSettings
from feedtool.model.disk_list import Spool
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Item
from feedtool.model.settings import AccountSettings, PackageLimits
from feedtool.model.sheet import CheckedSheet
from feedtool.runs.request_files import write_requests
from tests.conftest import Files, checked, offer, planned

PLACE = "offers.csv/package-001-Upsert-PRIMARY"


def write(folder: Path, *sheets: CheckedSheet, body: Any = "array", **limits: Any) -> list[str]:
    """The files in the folder, after the requests of some sheets were written into it."""
    settings = AccountSettings(
        limits=PackageLimits(**limits), records=(OfferSettings(upload_body=body),)
    )
    write_requests(folder, planned(sheets, settings), settings)
    paths = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in paths)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def sheet(files: Files) -> CheckedSheet:
    (found,) = checked(files.csv(*map(offer, range(3))))
    return found


@pytest.mark.parametrize(
    ("limits", "paths"),
    [
        ({}, [f"{PLACE}/upload-001.json"]),
        ({"upload": 2}, [f"{PLACE}/upload-001.json", f"{PLACE}/upload-002.json"]),
        (
            {"package": 2},
            [f"{PLACE}/upload-001.json", f"{PLACE.replace('1', '2')}/upload-001.json"],
        ),
    ],
    ids=["one upload", "two uploads", "two packages"],
)
def test_a_file_for_each_upload(
    out: Path, sheet: CheckedSheet, limits: dict[str, int], paths: list[str]
) -> None:
    assert write(out, sheet, **limits) == paths


def test_the_body_is_written_as_sent(out: Path, sheet: CheckedSheet) -> None:
    bodies = [json.loads(item.body) for item in sheet.rows.items]
    for body, whole in (("array", bodies), ("offerRequests", {"offerRequests": bodies})):
        write(out, sheet, body=body)
        assert json.loads((out / PLACE / "upload-001.json").read_bytes()) == whole


def test_an_earlier_run_is_replaced_and_leaves_nothing_behind(
    out: Path, sheet: CheckedSheet, files: Files
) -> None:
    write(out, sheet, upload=1)
    (smaller,) = checked(files.csv(offer(1, salesChannelId="SECOND")))
    assert write(out, smaller) == ["offers.csv/package-001-Upsert-SECOND/upload-001.json"]
    assert len(list(out.rglob("*"))) == 3


@pytest.mark.parametrize(
    "stranger",
    ["notes.txt", "package-001-Upsert-PRIMARY/notes.txt", "package-001-Upsert-PRIMARY/a/b.json"],
)
def test_files_of_others_are_left_alone(
    out: Path, sheet: CheckedSheet, files: Files, stranger: str
) -> None:
    kept = files.text("mine", f"out/offers.csv/{stranger}")
    ours = files.text("[]", f"out/{PLACE}/upload-001.json")
    with pytest.raises(UsageProblem, match=kept.name):
        write(out, sheet)
    assert (kept.read_text(), ours.read_text()) == ("mine", "[]")


def test_equal_names_are_numbered_and_files_that_could_not_be_read_have_none(
    out: Path, files: Files
) -> None:
    first, last = (files.csv(offer(at), name=f"{at}/offers.csv") for at in (1, 2))
    write(out, *checked(first, files.text("", "empty.csv"), last))
    assert sorted(path.name for path in out.iterdir()) == ["offers.csv", "offers.csv-2"]


@pytest.mark.parametrize("channel", ["A/B", "..", "a\\b", "é €", "x:y"])
def test_no_channel_leads_out_of_the_folder(out: Path, files: Files, channel: str) -> None:
    (path,) = write(out, *checked(files.csv(offer(salesChannelId=channel))))
    assert len(path.split("/")) == 3
    assert path.startswith("offers.csv/package-001-Upsert-")


def test_a_folder_that_cannot_be_made(files: Files, sheet: CheckedSheet) -> None:
    with pytest.raises(UsageProblem) as raised:
        write(files.text("a file", "out"), sheet)
    assert "--requests" in raised.value.hint


def test_a_file_for_each_batch_of_products(out: Path, sheet: CheckedSheet) -> None:
    products: Spool[Item] = Spool(Item)
    for place, item in enumerate(sheet.rows.items):
        products.append(item._replace(package_type="Products", product=str(place)))
    sheet.rows.items = products
    bodies = [json.loads(item.body) for item in sheet.rows.items]
    for _ in range(2):  # an earlier one is replaced
        written = write(out, sheet, products=2)
        assert written == ["offers.csv/batch-001.json", "offers.csv/batch-002.json"]
    found = [json.loads((out / path).read_bytes()) for path in written]
    assert found == [{"products": bodies[:2]}, {"products": bodies[2:]}]


def test_a_legacy_package_is_the_zip_itself(out: Path, files: Files) -> None:
    (sheet,) = checked(files.csv(*map(offer, range(3))), kind="legacy-offers")
    places = [f"offers.csv/package-{n:03}-Full-PRIMARY.zip" for n in (1, 2)]
    for _ in range(2):  # the second run replaces the first
        assert write(out, sheet, legacy=2) == places
    assert [len([*OffersXml(out / place).read()]) for place in places] == [2, 1]
