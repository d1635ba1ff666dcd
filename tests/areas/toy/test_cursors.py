"""`feedtool export KIND --new`, of an area from outside: its options, its words, and what dies."""

import csv
import shutil
from pathlib import Path

import pytest

from feedtool.areas import registry
from tests.areas.toy.test_toy import TOY, row
from tests.cli.conftest import Feedtool, enter, made_by
from tests.conftest import Files
from tests.pairs import sample
from tests.resume.runner import killed

NEW = "export toy-parcels --sandbox --new"
NAMED = f"{NEW} --out {{cursor}}-{{batch}}.csv"


@pytest.fixture(autouse=True)
def _toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "NAMES", (*registry.NAMES, TOY))
    enter(tmp_path, monkeypatch)


SUBMIT = "submit toys.csv --sandbox --yes"


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a shop that has sent two parcels, of one and of two toys."""
    folder = tmp_path_factory.mktemp("sent")
    rows = (row("O-1", "Kite"), row("O-2", "Ball"), row("O-2", "Top"))
    Files(folder).csv(*rows, name="toys.csv")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(registry, "NAMES", (*registry.NAMES, TOY))
        made_by(folder, SUBMIT)
    return folder


@pytest.fixture
def shop(sent: Path, tmp_path: Path) -> None:
    """A home with the sent parcels."""
    shutil.copytree(sent, tmp_path, dirs_exist_ok=True)


def send(files: Files, feedtool: Feedtool, *toys: tuple[str, str]) -> None:
    files.csv(*(row(*toy) for toy in toys), name="toys.csv")
    assert feedtool(SUBMIT).code == 0


def toys(name: str) -> list[str]:
    with Path(name).open(encoding="utf-8-sig", newline="") as file:
        return [record["toy"] for record in csv.DictReader(file)]


@pytest.mark.usefixtures("shop")
def test_only_new_parcels_come(files: Files, feedtool: Feedtool) -> None:
    ran = feedtool(NAMED)
    assert (ran.code, toys("default-1.csv")) == (0, ["Kite", "Ball", "Top"])
    assert ran.said.startswith("note: the cursor “default” is new: all since ")
    assert ran.out.splitlines()[1:] == ["3 rows"]
    ran = feedtool(NAMED)
    assert ran.code == 9
    assert ran.error()[0].startswith("nothing is new for the cursor “default”, of all since ")
    send(files, feedtool, ("O-3", "Doll"))
    ran = feedtool(NAMED, "--format", "json")
    told = {name: ran.only[name] for name in ("cursor", "batch", "things", "missed", "rows")}
    assert told == {"cursor": "default", "batch": 2, "things": 1, "missed": None, "rows": 1}
    assert toys("default-2.csv") == ["Doll"]
    assert feedtool(NAMED, "--cursor", "books").code == 0
    assert toys("books-3.csv") == ["Kite", "Ball", "Top", "Doll"]


@pytest.mark.usefixtures("shop")
def test_without_a_name_each_batch_has_its_own(feedtool: Feedtool) -> None:
    assert feedtool(NEW).code == 0
    (file,) = Path().glob("toy-parcels-*-*.xlsx")
    assert file.stem.endswith("-1")


@pytest.mark.usefixtures("shop")
def test_a_look_and_the_way_back(feedtool: Feedtool) -> None:
    assert feedtool(f"{NEW} --peek --out look.csv").code == 0
    assert feedtool(f"{NEW} --peek").code == 0
    assert len(list(Path().glob("toy-parcels-peek-*.xlsx"))) == 1
    assert feedtool(NAMED).code == 0
    ran = feedtool(REWIND)
    assert (ran.code, ran.out) == (0, "")
    assert ran.said == "note: 2 things that the cursor “default” was given come again\n"
    assert feedtool(NAMED).code == 0
    assert toys("default-2.csv") == toys("default-1.csv") == toys("look.csv")


@pytest.mark.usefixtures("shop")
def test_cursors_are_listed(feedtool: Feedtool) -> None:
    ran = feedtool("export toy-parcels --cursors")
    assert (ran.code, ran.error()[0]) == (9, "no export of toy-parcels has used a cursor yet")
    assert feedtool(NAMED, "--order", "O-2").code == 0
    ran = feedtool("export toy-parcels --cursors")
    assert ran.code == 0
    assert ran.out.startswith("default  --new --order O-2, read up to ")
    assert ran.out.endswith(" UTC, 1 batch, 1 thing, seller sandbox\n")
    (listed,) = feedtool("export toy-parcels --cursors --format json").json
    assert (listed["cursor"], listed["things"], listed["kind"]) == ("default", 1, "toy-parcels")
    (event,) = feedtool("export toy-parcels --cursors --format jsonl").events
    assert event == {"type": "cursor", **listed}


@pytest.mark.usefixtures("shop")
def test_since_needs_no_cursor(feedtool: Feedtool) -> None:
    export = "export toy-parcels --sandbox --out had.csv --yes --since"
    assert feedtool(f"{export} 2020-01-01").code == 0
    assert toys("had.csv") == ["Kite", "Ball", "Top"]
    assert feedtool(f"{export} 2999-01-01").code == 9
    assert feedtool(f"{export} soon").error()[0] == "--since soon is not a date or a time"


REWIND = "export toy-parcels --sandbox --rewind 2020-01-01"
USELESS = {
    f"{NEW} --changed": "--new and --changed do not go together",
    f"{NEW} --rewind 2020-01-01": "--new and --rewind do not go together",
    "export toy-parcels --sandbox --cursor books": "--cursor is only for new or changed entries",
    "export toy-parcels --sandbox --peek": "--peek is only for new or changed entries",
    f"{NEW} --cursor ../books": "a cursor cannot be named “../books”",
    f"{NEW} --out toys.pdf": "toys.pdf would be neither a workbook nor a CSV",
    REWIND: "there is no cursor “default” of toy-parcels",
}


@pytest.mark.parametrize("command", USELESS)
def test_options_of_no_use(feedtool: Feedtool, command: str) -> None:
    ran = feedtool(command)
    assert (ran.code, ran.error()[0]) == (2, USELESS[command])
    assert not list(Path().glob("*.csv"))


@pytest.mark.usefixtures("shop")
def test_another_filter_needs_another_cursor(feedtool: Feedtool) -> None:
    assert feedtool(NAMED).code == 0
    ran = feedtool(NAMED, "--order", "O-2")
    assert ran.code == 2
    assert ran.error() == (
        "the cursor “default” is that of --new",
        "use another --cursor for --new --order O-2",
    )


WRITES = 10
"""An export reaches fewer points; at a later one nothing dies."""


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("at", sample((4, *sorted({*range(WRITES)} - {4})), 1))
def test_killed_at_any_write_each_parcel_comes_once(feedtool: Feedtool, at: int) -> None:
    points = killed(at, *NAMED.split())
    assert len(points) <= WRITES
    assert feedtool(NAMED).code in {0, 9}
    came = [toy for file in Path().glob("default-*.csv") for toy in toys(str(file))]
    assert came == ["Kite", "Ball", "Top"], points


WATCH = "watch feeds --sandbox --create --once --settle 0.01 --poll 0.01"


@pytest.mark.usefixtures("shop")
def test_a_watcher_brings_new_parcels(files: Files, feedtool: Feedtool) -> None:
    assert feedtool(f"{WATCH} --export toy-parcels --every 5m").code == 0
    assert len(list(Path("feeds/outbox").glob("toy-parcels-*-1.xlsx"))) == 1
    files.csv(row("O-3", "Doll"), name="feeds/inbox/new.csv")
    assert feedtool(f"{WATCH} --export toy-parcels").code == 0
    assert feedtool(f"{WATCH} --export toy-parcels").code in {0, 9}  # sent before, or after it
    assert len(list(Path("feeds/outbox").glob("toy-parcels-*-2.xlsx"))) == 1


@pytest.mark.usefixtures("shop")
def test_a_watcher_brings_only_parcels_that_pass_a_filter(feedtool: Feedtool) -> None:
    words = "toy-parcels --order O-1 --changed --cursor first"
    assert feedtool(f"{WATCH} --export '{words}'").code == 0
    (listed,) = feedtool("export toy-parcels --cursors --format json").json
    assert (listed["cursor"], listed["filters"]) == ("first", "--changed --order O-1")
    assert listed["things"] == 1


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("--export offers", "“offers” is not a list whose new entries can be exported"),
        ("--export toy-parcels --every 10", "--every 10 is not a time"),
        ("--export 'toy-parcels --peek'", "--peek cannot be had on a beat"),
        ("--export 'toy-parcels --xyz'", "No such option '--xyz'."),
    ],
)
def test_exports_that_a_watcher_cannot_bring(feedtool: Feedtool, options: str, why: str) -> None:
    ran = feedtool(f"{WATCH} {options}")
    assert (ran.code, ran.error()[0]) == (2, why)
