"""`feedtool undo`: a plan that takes a run back, sent like any other."""

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool, made_by, rows_of, sandbox_offers
from tests.conftest import Files, offer, update

UNDO = "undo 2 --sandbox"


def prices() -> dict[str, float]:
    return {
        it["sellerExternalReference"]: it["integrationPrice"]["price"] for it in sandbox_offers()
    }


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of two offers, and of a run that has changed the price of one and made a third."""
    folder = tmp_path_factory.mktemp("changed")
    for rows in (
        (offer(1), offer(2)),
        (offer(1, price__price="18"), offer(2), offer(3)),
    ):
        Files(folder).csv(*rows)
        home = made_by(folder, "submit offers.csv --sandbox")
    return home


@pytest.fixture
def changed(home: Path) -> None:
    shutil.copytree(home, "home")


@pytest.mark.usefixtures("changed")
def test_a_plan_takes_a_run_back(feedtool: Feedtool) -> None:
    # Reasons of offers left alone are translated.
    out = feedtool(f"{UNDO} --out french.plan --language fr").out
    assert out.startswith("PRIMARY, ligne 4, SKU-3\u00a0: ce qu'elle était avant l'exécution")
    ran = feedtool(UNDO)
    assert ran.code == 1, ran.err
    assert ran.out.startswith("PRIMARY, row 4, SKU-3: its state before the run is not known here")
    assert "note: 1 offer is left alone" in ran.err
    assert ran.next == "look at undo-2.xlsx, then `feedtool submit --plan undo-2.plan`"
    (row,) = rows_of("undo-2.xlsx", "Offers")
    assert row == {
        "sellerExternalReference": "SKU-1",
        "price.price": 19.99,
        "action": "Update",
        "salesChannelId": "PRIMARY",
    }
    assert prices()["SKU-1"] == 18
    assert feedtool("submit --plan undo-2.plan").code == 0
    assert prices()["SKU-1"] == 19.99
    ran = feedtool("undo 2 --sandbox --out again.plan")
    assert (ran.code, ran.error()[0]) == (9, "nothing of run 2 can be taken back")
    assert "PRIMARY, row 2, SKU-1: run 3 has sent it since" in ran.out
    assert not Path("again.plan").exists()


@pytest.mark.usefixtures("changed")
def test_created_offers_are_deleted_on_request(feedtool: Feedtool) -> None:
    ran = feedtool(f"{UNDO} --delete-created --release mass-removal --out back.plan")
    assert ran.code == 0, ran.err
    assert [row["action"] for row in rows_of("back.xlsx", "Offers")] == ["Update", "Delete"]
    assert feedtool("submit --plan back.plan").code == 0
    assert sorted(prices()) == ["SKU-1", "SKU-2"]


@pytest.mark.usefixtures("changed")
def test_json_lists_offers_left_alone(feedtool: Feedtool) -> None:
    ran = feedtool(f"{UNDO} --format json")
    result = ran.only
    assert (result["plan"], result["undoes"], result["valid"]) == ("undo-2.plan", 2, 1)
    assert [row["newPrice"] for row in result["changes"]] == ["19.99"]
    (left,) = result["left"]
    assert (left["row"], left["sellerExternalReference"]) == (4, "SKU-3")
    ran = feedtool("undo 1 --sandbox --format json")
    assert (ran.code, ran.only["plan"], len(ran.only["left"])) == (9, None, 2)


REFUSED = {
    "undo 7 --sandbox": "there is no run 7",
    "undo 1 --sandbox --seller other": "run 1 was for the seller sandbox at",
    "undo 3 --sandbox": "run 3 is not finished",
    "undo 1 --sandbox --out offers.csv": "offers.csv exists already",
}


@pytest.mark.usefixtures("changed")
def test_an_impossible_undo_is_refused(feedtool: Feedtool, files: Files) -> None:
    files.csv(update(1, quantity="2"))
    feedtool("submit --sandbox --no-wait offers.csv")
    for command, message in REFUSED.items():
        ran = feedtool(command)
        assert ran.code == 2, command
        assert ran.error()[0].startswith(message)
