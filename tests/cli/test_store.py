"""Machines that share a ledger and a store: each goes on with the runs of all."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from feedtool.catalog.cache import FILE
from tests.cli.conftest import SAMPLES, STATE, Feedtool, enter, rows_of
from tests.cli.test_recipes import supplier
from tests.conftest import Files, offer

IN_A_FOLDER = pytest.mark.parametrize(
    "store", ["folder", pytest.param("bucket", marks=pytest.mark.long)], indirect=True
)
"""Only a folder: a test here shows that snapshots can be read from a bucket, and one of the ledger
that a bucket may be away."""
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


def test_resume_and_results_work_on_another_machine(
    feedtool: Feedtool, machine: Machine, files: Files, tmp_path: Path
) -> None:
    files.csv(offer(1), offer(2, quantity="x"))
    assert feedtool("submit offers.csv --sandbox --no-wait").code == 6
    machine("other")
    shutil.rmtree(tmp_path / "one")
    ran = feedtool("resume 1 --format json")
    assert (ran.code, ran.statuses) == (1, ["Integrated", "Invalid"])
    machine("third")
    ran = feedtool("results 1 --format json")
    assert (ran.code, ran.statuses) == (1, ["Integrated", "Invalid"])
    for name in ("other", "third"):
        assert "Integrated" in copy_of(tmp_path / name, "offers.result*.csv").read_text("utf-8-sig")
    assert feedtool("results 1 --failed-only --out failed.xlsx").code == 1
    (row,) = rows_of("failed.xlsx", "Offers")
    assert row["sellerExternalReference"] == "SKU-2"


@IN_A_FOLDER
def test_products_are_resumed_without_a_catalogue(
    feedtool: Feedtool, machine: Machine, synced: Path, tmp_path: Path
) -> None:
    machine("one")
    shutil.copy(synced / FILE, "home")
    shutil.copy(SAMPLES / "products.xlsx", ".")
    assert feedtool("submit products.xlsx --sandbox --no-wait").code == 6
    machine("other")
    shutil.rmtree(tmp_path / "one")
    ran = feedtool("resume 1 --format json")
    assert (ran.code, ran.statuses.count("Integrated")) == (1, 19)
    machine("third")
    # What judged them is needed to write them again.
    assert feedtool("results 1 --failed-only --out failed.xlsx").code == 1
    assert not Path(f"home/{FILE}").exists()
    assert rows_of("failed.xlsx", "Products")


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
