"""What is sent, what is written, and what is left alone."""

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer, table

OURS = ["feedtool status", "feedtool message", "feedtool code"]


def annotated(path: Path) -> list[list[str]]:
    """The last three fields of every record."""
    with path.open(encoding="utf-8", newline="") as file:
        return [record[-3:] for record in csv.reader(file)]


def requests(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.json"))


def test_the_requests_are_what_is_sent(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1), offer(2, quantity="-1"))
    feedtool("submit --dry-run", path, "--requests", "planned")
    feedtool("submit --sandbox", path, "--requests", "sent")
    name = "offers.csv/package-001-Upsert-PRIMARY/upload-001.json"
    assert (Path("planned") / name).read_bytes() == (Path("sent") / name).read_bytes()
    assert len(json.loads((Path("sent") / name).read_bytes())) == 1


def test_a_dry_run_sends_nothing_and_writes_no_copy(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer())
    feedtool("submit --dry-run", path)
    assert sorted(one.name for one in Path().iterdir()) == [path.name]


def test_the_answer_stands_beside_every_row(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1), offer(2, quantity="-1", sellerExternalReference=" SKU-2"))
    before = path.read_bytes()
    assert feedtool("submit --sandbox", path).code == 1
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


def test_a_result_is_a_valid_input(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1), offer(2, quantity="-1"))
    feedtool("submit --sandbox", path)
    ran = feedtool("validate offers.result.csv --format json")
    assert (ran.only["valid"], ran.only["invalid"], ran.only["warnings"]) == (1, 1, 0)
    feedtool("submit --sandbox offers.result.csv")
    assert Path("offers.result-2.csv").exists()


def test_standard_input(feedtool: Feedtool) -> None:
    text = table([offer(1), offer(2, quantity="-1")]).encode()
    ran = feedtool("validate - --format json", stdin=text)
    assert (ran.code, ran.only["file"], ran.only["rows"]) == (1, "-", 2)
    ran = feedtool("submit --sandbox - --out copy.csv", stdin=text)
    assert ran.code == 1
    assert [row[0] for row in annotated(Path("copy.csv"))] == [OURS[0], "Integrated", "Invalid"]
    ran = feedtool("submit --dry-run - --requests out", stdin=text)
    assert requests(Path("out")) == ["stdin/package-001-Upsert-PRIMARY/upload-001.json"]


def test_what_cannot_be_read_is_no_run(feedtool: Feedtool, files: Files) -> None:
    assert feedtool("submit --sandbox nowhere.csv").code == 3
    assert json.loads(feedtool("runs --format json").out) == []
    feedtool("submit --sandbox nowhere.csv", files.csv(offer(1)))
    (run,) = json.loads(feedtool("runs --format json").out)
    assert [Path(file).name for file in run["files"]] == ["offers.csv"]
