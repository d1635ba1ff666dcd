"""What is sent, what is written, and what is left alone."""

import csv
import json
from pathlib import Path

import pytest
from openpyxl import load_workbook

from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer, table, update

OURS = ["feedtool status", "feedtool message", "feedtool code"]


def annotated(path: Path) -> list[list[str]]:
    """The last three fields of every record."""
    with path.open(encoding="utf-8", newline="") as file:
        return [record[-3:] for record in csv.reader(file)]


def requests(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.json"))


def test_101_rows_are_two_uploads(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(*map(offer, range(101)))
    ran = feedtool("submit", "--dry-run", path, "--requests", "out", "--format", "json")
    (package,) = ran.only["packages"]
    assert (package["rows"], package["uploads"]) == (101, 2)
    folder = Path("out/offers.csv/package-001-Upsert-PRIMARY")
    assert requests(Path("out")) == [
        "offers.csv/package-001-Upsert-PRIMARY/upload-001.json",
        "offers.csv/package-001-Upsert-PRIMARY/upload-002.json",
    ]
    first, second = (json.loads((folder / f"upload-00{n}.json").read_bytes()) for n in (1, 2))
    assert [len(first), len(second)] == [100, 1]
    assert second[0]["sellerExternalReference"] == "SKU-100"


def test_each_package_has_its_folder_and_equal_names_are_numbered(
    feedtool: Feedtool, files: Files
) -> None:
    rows = [
        offer(1, action="Upsert", salesChannelId="A/B"),
        update(2, action="Delete", salesChannelId=""),
    ]
    one, two = files.csv(*rows, name="one/offers.csv"), files.csv(offer(3), name="two/offers.csv")
    assert feedtool("submit", "--dry-run", one, two, "--requests", "out").code == 0
    assert requests(Path("out")) == [
        "offers.csv-2/package-001-Upsert-PRIMARY/upload-001.json",
        "offers.csv/package-001-Upsert-A_B/upload-001.json",
        "offers.csv/package-002-Delete-PRIMARY/upload-001.json",
    ]


def test_the_requests_are_what_is_sent(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1), offer(2, quantity="-1"))
    feedtool("submit", "--dry-run", path, "--requests", "planned")
    feedtool("submit", "--sandbox", path, "--requests", "sent")
    name = "offers.csv/package-001-Upsert-PRIMARY/upload-001.json"
    assert (Path("planned") / name).read_bytes() == (Path("sent") / name).read_bytes()
    assert len(json.loads((Path("sent") / name).read_bytes())) == 1


def test_a_dry_run_sends_nothing_and_writes_no_copy(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer())
    feedtool("submit", "--dry-run", path)
    assert sorted(one.name for one in Path().iterdir()) == [path.name]


def test_a_channel_may_be_named(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer())
    ran = feedtool("submit", "--dry-run", path, "--channel", "SECOND", "--format", "json")
    assert [one["salesChannelId"] for one in ran.only["packages"]] == ["SECOND"]


def test_all_or_nothing_holds_every_row_of_every_file(feedtool: Feedtool, files: Files) -> None:
    good = files.csv(offer(1), name="good.csv")
    bad = files.csv(offer(2), offer(3, quantity="-1"), name="bad.csv")
    ran = feedtool("submit", "--sandbox", "--all-or-nothing", good, bad, "--format", "json")
    assert ran.code == 1
    found = [[(one["row"], one["status"]) for one in sheet["results"]] for sheet in ran.json]
    assert found == [[(2, "Held")], [(2, "Held"), (3, "Invalid")]]
    assert [sheet["packages"] for sheet in ran.json] == [[], []]
    again = feedtool("submit", "--sandbox", good, "--format", "json")
    assert again.only["results"][0]["messages"][0]["resultCode"] == "8000", "it was not there yet"


def test_the_answer_stands_beside_every_row(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1), offer(2, quantity="-1", sellerExternalReference=" SKU-2"))
    before = path.read_bytes()
    assert feedtool("submit", "--sandbox", path).code == 1
    assert path.read_bytes() == before
    head, integrated, invalid = annotated(Path("offers.result.csv"))
    assert head == OURS
    assert integrated == ["Integrated", "", "8000"]
    assert (invalid[0], invalid[2]) == ("Invalid", "number-range, trimmed")


@pytest.mark.parametrize(
    ("options", "copy"),
    [
        (["--annotate"], "offers.result.csv"),
        (["--out", "copy.csv"], "copy.csv"),
        (["--in-place"], "offers.csv"),
    ],
    ids=["beside", "out", "in place"],
)
def test_where_the_copy_of_a_check_goes(
    feedtool: Feedtool, files: Files, options: list[str], copy: str
) -> None:
    path = files.csv(offer(1), offer(2, quantity="-1"))
    ran = feedtool("validate", path, *options, "--format", "json")
    assert [row[0] for row in annotated(Path(copy))] == [OURS[0], "Valid", "Invalid"]
    assert Path(ran.only["annotated"]).name == copy


def test_annotating_twice_doubles_nothing(feedtool: Feedtool, files: Files) -> None:
    path = files.book({"Offers": [offer(1), offer(2, quantity="-1")]})
    for _ in range(2):
        assert feedtool("validate", path, "--annotate").code == 1
    assert feedtool("validate", "offers.result.xlsx", "--out", "again.xlsx").code == 1
    for name in ("offers.result.xlsx", "again.xlsx"):
        book = load_workbook(name)
        assert book.sheetnames == ["Offers", "feedtool summary"]
        head = [cell.value for cell in book["Offers"][1]]
        assert head[-3:] == OURS
        assert len(head) == len(offer()) + 3


def test_a_result_is_a_valid_input(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1), offer(2, quantity="-1"))
    feedtool("submit", "--sandbox", path)
    ran = feedtool("validate", "offers.result.csv", "--format", "json")
    assert (ran.only["valid"], ran.only["invalid"], ran.only["warnings"]) == (1, 1, 0)
    feedtool("submit", "--sandbox", "offers.result.csv")
    assert Path("offers.result-2.csv").exists()


def test_in_place_twice(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1))
    for _ in range(2):
        assert feedtool("submit", "--sandbox", path, "--in-place").code == 0
    assert annotated(path)[0] == OURS
    assert sorted(one.name for one in Path().iterdir()) == ["home", "offers.csv"]


def test_standard_input(feedtool: Feedtool) -> None:
    text = table([offer(1), offer(2, quantity="-1")]).encode()
    ran = feedtool("validate", "-", "--format", "json", stdin=text)
    assert (ran.code, ran.only["file"], ran.only["rows"]) == (1, "-", 2)
    ran = feedtool("submit", "--sandbox", "-", "--out", "copy.csv", stdin=text)
    assert ran.code == 1
    assert [row[0] for row in annotated(Path("copy.csv"))] == [OURS[0], "Integrated", "Invalid"]
    ran = feedtool("submit", "--dry-run", "-", "--requests", "out", stdin=text)
    assert requests(Path("out")) == ["stdin/package-001-Upsert-PRIMARY/upload-001.json"]


def test_what_was_sent_stays_known_to_the_sandbox(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1))
    codes = [
        feedtool("submit", "--sandbox", path, "--format", "json").only["results"][0]["messages"][0][
            "resultCode"
        ]
        for _ in range(2)
    ]
    assert codes == ["8000", "9000"]


def test_what_cannot_be_read_is_no_run(feedtool: Feedtool, files: Files) -> None:
    assert feedtool("submit", "--sandbox", "nowhere.csv").code == 3
    assert json.loads(feedtool("runs", "--format", "json").out) == []
    feedtool("submit", "--sandbox", "nowhere.csv", files.csv(offer(1)))
    (run,) = json.loads(feedtool("runs", "--format", "json").out)
    assert [Path(file).name for file in run["files"]] == ["offers.csv"]


@pytest.mark.parametrize("suffix", [".json", ".csv", ".html", ".JSON"])
def test_reports(feedtool: Feedtool, files: Files, suffix: str) -> None:
    path = files.csv(offer(1), offer(2, quantity="-1"))
    ran = feedtool("validate", path, "--report", f"report{suffix}")
    assert ran.code == 1
    assert "number-range" in Path(f"report{suffix}").read_text("utf-8")
