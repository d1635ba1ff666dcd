"""Machines that share a ledger and a store: each goes on with the runs of all."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from feedtool.catalog.cache import FILE
from tests.catalogues import product
from tests.cli.conftest import STATE, Feedtool, Ran, enter, rows_of
from tests.cli.test_recipes import supplier
from tests.conftest import Files, offer
from tests.pairs import sample

IN_A_FOLDER = pytest.mark.parametrize("store", sample(["folder", "bucket"], 1), indirect=True)
"""Only a folder: the first test here shows that snapshots can be read from a bucket, and one of the
ledger that a bucket may be away."""
IN_A_BUCKET = pytest.mark.parametrize("store", sample(["bucket", "folder"], 1), indirect=True)
Machine = Callable[[str], None]
"""Moves to the machine of a name, with the sandbox; further commands run there."""


@pytest.fixture
def machine(tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch) -> Machine:
    def stand(name: str) -> None:
        state = STATE.read_bytes() if STATE.exists() else b""
        (tmp_path / name).mkdir(exist_ok=True)
        enter(tmp_path / name, monkeypatch)
        monkeypatch.setenv("FEEDTOOL_LEDGER", f"sqlite:///{tmp_path}/shared.sqlite")
        monkeypatch.setenv("FEEDTOOL_STORE", store)
        Path("home").mkdir(exist_ok=True)
        if state:
            STATE.write_bytes(state)

    return stand


@pytest.fixture
def files(machine: Machine, tmp_path: Path) -> Files:
    """The files of the first machine."""
    machine("one")
    return Files(tmp_path / "one")


def copy_of(ran_on: Path, pattern: str) -> Path:
    """The annotated copy of a machine whose folder for it is gone."""
    (copy,) = (ran_on / "home" / "results").glob(pattern)
    return copy


def statuses_of(ran: Ran) -> list[list[str]]:
    """The status of each row of each sheet, by `--format json`."""
    return [[row["status"] for row in sheet["results"]] for sheet in ran.json]


@IN_A_BUCKET
def test_resume_and_results_work_on_another_machine(
    feedtool: Feedtool, machine: Machine, files: Files, synced: Path, tmp_path: Path
) -> None:
    """Without the catalogue of the first, too."""
    files.csv(offer(1), offer(2, quantity="x"))
    shutil.copy(synced / FILE, "home")
    of_kettles = {"categoryCode": "011B01", "p3001": None, "p3394": "2200", "p3427": "A"}
    kettle = {"brand": "Brindle Home", **of_kettles}
    files.csv(product(3, **kettle), product(4, **{**kettle, "p3427": "Z"}), name="products.csv")
    submit = "submit offers.csv products.csv --sandbox --no-wait --no-failed"
    assert feedtool(submit).code == 6
    answered = [["Integrated", "Invalid"]] * 2
    machine("other")
    shutil.rmtree(tmp_path / "one")
    ran = feedtool("resume 1 --format json")
    assert (ran.code, statuses_of(ran)) == (1, answered)
    machine("third")
    ran = feedtool("results 1 --format json")
    assert (ran.code, statuses_of(ran)) == (1, answered)
    for name in ("other", "third"):
        assert "Integrated" in copy_of(tmp_path / name, "offers.result*.csv").read_text("utf-8-sig")
    # What judged the products is needed to write them again.
    (tmp_path / "one").mkdir()  # where the workbooks are written
    ran = feedtool("results 1 --failed-only --format json")
    assert ran.code == 1
    offers, products = (Path(str(sheet["failed"])) for sheet in ran.json)
    (row,) = rows_of(offers, "Offers")
    assert row["sellerExternalReference"] == "SKU-2"
    assert not Path(f"home/{FILE}").exists()
    assert rows_of(products, "Products")


@IN_A_FOLDER
def test_a_list_is_resumed_without_its_recipe_file(
    feedtool: Feedtool, machine: Machine, files: Files, tmp_path: Path
) -> None:
    supplier(files)
    assert feedtool("submit list.csv --sandbox --no-wait --recipe recipes/dupont.toml").code == 6
    machine("other")
    shutil.rmtree(tmp_path / "one")
    ran = feedtool("resume 1 --format json")
    assert (ran.code, ran.statuses) == (0, ["Integrated", "Integrated"])
    assert ran.only["recipe"]["name"] == "dupont"


@IN_A_FOLDER
def test_a_store_that_is_away_stops_a_command_before_anything_is_sent(
    feedtool: Feedtool,
    machine: Machine,
    files: Files,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    store: str,
) -> None:
    del machine
    files.csv(offer(1))
    if "://" in store:
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
        monkeypatch.setenv("FEEDTOOL_STORE", store)
    else:
        Path(store).rename(tmp_path / "elsewhere")
    ran = feedtool("submit offers.csv --sandbox")
    message, hint = ran.error()
    assert store in message
    assert hint
    assert ran.code == (5 if "://" in store else 2)
    assert feedtool("runs --format json").json == []


def test_a_store_of_another_kind(feedtool: Feedtool) -> None:
    ran = feedtool("runs --store sftp://host/in")
    assert ran.code == 2
    assert ran.error()[0] == "sftp://host/in is not a store of snapshots."
