"""`--requests DIR`: the exact bodies, in a folder that holds nothing else."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from feedtool.areas.legacy.reader import OffersXml
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Item
from feedtool.model.settings import AccountSettings, PackageLimits
from feedtool.model.sheet import CheckedSheet
from feedtool.model.spool import Spool
from feedtool.runs.request_files import write_requests
from tests.conftest import Files, checked, offer, planned


def write(folder: Path, sheets: Sequence[CheckedSheet], settings: AccountSettings) -> None:
    write_requests(folder, planned(sheets, settings), settings)


def listed(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.fixture
def sheet(files: Files) -> CheckedSheet:
    (found,) = checked(files.csv(*map(offer, range(3))))
    return found


PLACE = "offers.csv/package-001-Upsert-PRIMARY"


@pytest.mark.parametrize(
    ("limits", "paths"),
    [
        (PackageLimits(), [f"{PLACE}/upload-001.json"]),
        (PackageLimits(upload=2), [f"{PLACE}/upload-001.json", f"{PLACE}/upload-002.json"]),
        (
            PackageLimits(package=2),
            [
                f"{PLACE}/upload-001.json",
                "offers.csv/package-002-Upsert-PRIMARY/upload-001.json",
            ],
        ),
    ],
    ids=["one upload", "two uploads", "two packages"],
)
def test_a_file_for_each_upload(
    tmp_path: Path, sheet: CheckedSheet, limits: PackageLimits, paths: list[str]
) -> None:
    write(tmp_path / "out", [sheet], AccountSettings(limits=limits))
    assert [path for path in listed(tmp_path / "out") if path.endswith(".json")] == paths


def test_the_body_is_what_travels(tmp_path: Path, sheet: CheckedSheet) -> None:
    bodies = [json.loads(item.body) for item in sheet.items]
    path = tmp_path / "out" / PLACE / "upload-001.json"
    write(tmp_path / "out", [sheet], AccountSettings())
    assert json.loads(path.read_bytes()) == bodies
    write(tmp_path / "out", [sheet], AccountSettings(upload_body="offerRequests"))
    assert json.loads(path.read_bytes()) == {"offerRequests": bodies}


def test_an_earlier_run_is_replaced_and_leaves_nothing_behind(
    tmp_path: Path, sheet: CheckedSheet, files: Files
) -> None:
    write(tmp_path / "out", [sheet], AccountSettings(limits=PackageLimits(upload=1)))
    (smaller,) = checked(files.csv(offer(1, salesChannelId="SECOND")))
    write(tmp_path / "out", [smaller], AccountSettings())
    assert listed(tmp_path / "out") == [
        "offers.csv",
        "offers.csv/package-001-Upsert-SECOND",
        "offers.csv/package-001-Upsert-SECOND/upload-001.json",
    ]


@pytest.mark.parametrize(
    "stranger",
    ["notes.txt", "package-001-Upsert-PRIMARY/notes.txt", "package-001-Upsert-PRIMARY/a/b.json"],
)
def test_what_is_not_ours_is_left_alone(
    tmp_path: Path, sheet: CheckedSheet, files: Files, stranger: str
) -> None:
    kept = files.text("mine", f"out/offers.csv/{stranger}")
    ours = files.text("[]", f"out/{PLACE}/upload-001.json")
    with pytest.raises(UsageProblem) as raised:
        write(tmp_path / "out", [sheet], AccountSettings())
    assert kept.name in raised.value.message
    assert (kept.read_text(), ours.read_text()) == ("mine", "[]")


def test_equal_names_are_numbered_and_files_that_could_not_be_read_have_none(
    tmp_path: Path, files: Files
) -> None:
    paths = [
        files.csv(offer(1), name="a/offers.csv"),
        files.text("", "empty.csv"),
        files.csv(offer(2), name="b/offers.csv"),
    ]
    write(tmp_path / "out", checked(*paths), AccountSettings())
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "offers.csv",
        "offers.csv-2",
    ]


@pytest.mark.parametrize("channel", ["A/B", "..", "a\\b", "é €", "x:y"])
def test_no_channel_leads_out_of_the_folder(tmp_path: Path, files: Files, channel: str) -> None:
    (sheet,) = checked(files.csv(offer(salesChannelId=channel)))
    write(tmp_path / "out", [sheet], AccountSettings())
    (path,) = (path for path in listed(tmp_path / "out") if path.endswith(".json"))
    assert len(path.split("/")) == 3
    assert path.startswith("offers.csv/package-001-Upsert-")


def test_a_folder_that_cannot_be_made(files: Files, sheet: CheckedSheet) -> None:
    with pytest.raises(UsageProblem) as raised:
        write(files.text("a file", "out"), [sheet], AccountSettings())
    assert "--requests" in raised.value.hint


def test_a_file_for_each_batch_of_products(tmp_path: Path, sheet: CheckedSheet) -> None:
    products: Spool[Item] = Spool(Item)
    for place, item in enumerate(sheet.items):
        products.append(item._replace(package_type="Products", product=str(place)))
    sheet.items = products
    bodies = [json.loads(item.body) for item in sheet.items]
    for _ in range(2):  # an earlier one is replaced
        write(tmp_path / "out", [sheet], AccountSettings(limits=PackageLimits(products=2)))
    written = ["offers.csv/batch-001.json", "offers.csv/batch-002.json"]
    assert [path for path in listed(tmp_path / "out") if path.endswith(".json")] == written
    found = [json.loads((tmp_path / "out" / path).read_bytes()) for path in written]
    assert found == [{"products": bodies[:2]}, {"products": bodies[2:]}]


def test_a_legacy_package_is_the_zip_itself(tmp_path: Path, files: Files) -> None:
    (sheet,) = checked(files.csv(*map(offer, range(3))), kind="legacy-offers")
    places = [f"offers.csv/package-{n:03}-Full-PRIMARY.zip" for n in (1, 2)]
    for _ in range(2):  # the second run replaces the first
        write(tmp_path / "out", [sheet], AccountSettings(limits=PackageLimits(legacy=2)))
        assert listed(tmp_path / "out") == ["offers.csv", *places]
    found = [[*OffersXml(tmp_path / "out" / place).read()] for place in places]
    assert [len(offers) for offers in found] == [2, 1]
