"""`enqueue` and `queue` as they are typed, and what workers make of them."""

from pathlib import Path
from subprocess import PIPE

import pytest

from feedtool.ledger import Ledger
from feedtool.ledger.parcels import ParcelAnswer
from tests.cli.conftest import Feedtool
from tests.cli.fleet import (
    answers,
    names_in,
    postgresql,
    server,
    service,
    shared,
    write_profiles,
)
from tests.conftest import Files, offer
from tests.forked import Child
from tests.ledger.cluster import PATIENCE
from tests.ledger.conftest import NOW
from tests.resume.world import SPEED

__all__ = ("answers", "postgresql", "server", "service", "shared")
"""The fixtures of databases and services."""

NEVER = "2100-01-01T00:00Z"


def test_files_wait_in_their_order_until_a_worker_answers_them(
    feedtool: Feedtool, files: Files, answers: Path
) -> None:
    files.csv(offer(1), offer(2, quantity="x"), name="a.csv")
    for number, name in enumerate("bcdefg", start=3):
        files.csv(offer(number), name=f"{name}.csv")
    ran = feedtool("enqueue a.csv b.csv --profile shop --as offers-upsert")
    assert ran.code == 0
    first, second = ran.out.splitlines()
    assert first.startswith("Parcel 1, ")
    assert first.endswith("UTC, shop/offers-upsert, a.csv: waiting")
    assert second.endswith("b.csv: waiting")
    assert feedtool("enqueue c.csv --profile shop --priority 1").code == 0
    late = f"enqueue d.csv e.csv f.csv g.csv --profile shop --not-before {NEVER}"
    assert feedtool(late).code == 0
    for name in "abcdefg":
        Path(f"{name}.csv").unlink()
    # Some go first, and some later.
    urgent, *usual, last, _, _, _ = feedtool("queue").out.splitlines()
    assert urgent.endswith("c.csv: waiting, priority 1")
    assert usual == [first, second]
    assert last.endswith("d.csv: waiting, not before 2100-01-01 00:00 UTC")
    found = feedtool("queue --format json").json
    assert [(one["name"], one["priority"], one["notBefore"]) for one in found[:4]] == [
        ("c.csv", 1, None),
        ("a.csv", 0, None),
        ("b.csv", 0, None),
        ("d.csv", 0, "2100-01-01T00:00:00+00:00"),
    ]
    assert len(feedtool("queue --first 2").out.splitlines()) == 2
    # They are dropped, held, released and hurried.
    for words, told in {
        "queue drop 4": "d.csv: dropped",
        "queue hold 5 6": "f.csv: held",
        "queue hurry 7": "g.csv: waiting, priority 2",
        "queue hurry 6": "f.csv: held, priority 3",
        "queue release 6": "f.csv: waiting, priority 3",
    }.items():
        ran = feedtool(words)
        assert (ran.code, ran.out.rstrip().endswith(told)) == (0, True), ran
    listed = [(one["parcel"], one["state"]) for one in feedtool("queue --format jsonl").events]
    assert listed == [*((number, "waiting") for number in (6, 7, 3, 1, 2)), (5, "held")]
    assert feedtool("queue drop 3 7").code == 0  # what is left is enough
    assert feedtool("worker --once").code == 1
    ends = ("result.csv", "summary.json")
    answered = [f"{name}.{end}" for name in "abf" for end in ends]
    assert names_in(answers) == ["a.failed.xlsx", *answered]
    runs = feedtool("runs --format json").json
    assert [run["files"] for run in reversed(runs)] == [[f"shop/{name}.csv"] for name in "fab"]
    assert [one["parcel"] for one in feedtool("queue --format json").json] == [5]
    feedtool("queue drop 5")
    ran = feedtool("queue")
    assert (ran.code, ran.out, ran.err) == (0, "", "note: nothing waits\n")


@pytest.mark.usefixtures("answers")
def test_waiting_enqueue_prints_row_results(feedtool: Feedtool, files: Files) -> None:
    files.csv(offer(1), name="good.csv")
    files.csv(offer(2, quantity="x"), name="bad.csv")
    files.text("no sheet", "none.csv")
    with Child(
        "tests.resume.runner:with_short_waits",
        ["worker", "--home", "another"],
        SPEED,
        folder=Path.cwd(),
        stderr=PIPE,
    ) as worker:
        try:
            words = "good.csv bad.csv none.csv"
            ran = feedtool(f"enqueue {words} --profile shop --wait --format json")
            assert ran.code == 3
            assert [one["exitCode"] for one in ran.json] == [0, 1, 3]
            assert {one["state"] for one in ran.json} == {"answered"}
            worker.terminate()
            _, said = worker.communicate(PATIENCE)
        finally:
            worker.kill()
    assert worker.returncode == 0
    assert "answered: shop/good.csv: 1 row: 1 Integrated → run 1" in said


def test_the_same_content_is_brought_once(
    feedtool: Feedtool, files: Files, answers: Path, service: str
) -> None:
    """Its answer is in the ledger alone, since its profile has no place for it."""
    write_profiles(
        service, "", **{name: f"{name} of {files.folder.name}" for name in ("shop", "mall")}
    )
    files.csv(offer(1), name="a.csv")
    files.csv(offer(1), name="b.csv")
    assert feedtool("enqueue a.csv --profile shop").code == 0
    ran = feedtool("enqueue b.csv --profile shop")
    assert (ran.code, ran.out) == (9, "")
    assert "note: a.csv (1) waits already" in ran.err
    other = feedtool("enqueue b.csv --profile mall --format json").only["parcel"]
    assert feedtool(f"queue drop {other}").code == 0
    # Only the ledger has the answers, whatever place a later worker has.
    assert feedtool("worker --once").code == 0
    assert feedtool("queue").out == ""
    assert feedtool("worker --once --results", answers).code == 9
    assert names_in(answers) == []
    assert feedtool("results 1 --format json").statuses == ["Integrated"]
    ran = feedtool("enqueue b.csv --profile shop")
    message, hint = ran.error()
    assert ran.code == 1
    assert message.startswith("The same content was sent as a.csv on ")
    assert hint.endswith("To send it all the same, bring it again with --same-within 0.")
    assert feedtool("enqueue b.csv --profile shop --same-within 0").code == 0


REFUSED = {
    "enqueue a.csv": (2, "--profile is missing"),
    "enqueue a.csv --profile nobody": (2, "there is no profile “nobody” in feedtool.toml"),
    "enqueue a.csv --profile half": (2, "the profile half has no base_url"),
    "enqueue none.csv --profile shop": (3, "none.csv cannot be read: No such file or directory."),
    "enqueue home --profile shop": (3, "home cannot be read: Is a directory."),
    "enqueue a.csv --profile shop --not-before soon": (2, "--not-before"),
    "queue drop": (2, "name the parcels by their numbers"),
    "queue drop 9": (9, "there is no parcel 9"),
    "queue hold 9": (9, "there is no parcel 9"),
    "queue hurry 9": (9, "there is no parcel 9"),
    "queue release 1": (9, "parcel 1 is not held"),
    "queue drop 2": (9, "a worker has begun parcel 2"),
    "queue hold 2": (9, "a worker has begun parcel 2"),
    "queue hurry 2": (9, "a worker has begun parcel 2"),
    "queue drop 3": (9, "parcel 3 is answered"),
    "queue release 3": (9, "parcel 3 is answered"),
    "queue keep 1": (2, "keep"),
}


@pytest.mark.usefixtures("answers")
def test_wrong_commands_are_refused(feedtool: Feedtool, files: Files, postgresql: str) -> None:
    for number in (3, 1, 2):
        files.csv(offer(number), name=f"{number}.csv")
    with Path("feedtool.toml").open("a") as config:
        config.write("[profile.half]\n")
    feedtool("enqueue 1.csv 2.csv 3.csv --profile shop")
    with Ledger(postgresql) as ledger:
        assert ledger.parcels.begin(2, NOW)
        ledger.parcels.answer(3, ParcelAnswer(3, None, "It is no sheet."), NOW)
    before = feedtool("queue --format json").json
    files.csv(offer(4), name="a.csv")
    for words, (code, text) in REFUSED.items():
        ran = feedtool(words)
        message, hint = ran.error()
        assert (ran.code, ran.out) == (code, ""), words
        assert text in message
        assert hint
    assert feedtool("queue --format json").json == before


@pytest.mark.usefixtures("answers")
def test_a_parcel_for_scripts(feedtool: Feedtool, files: Files, tmp_path: Path) -> None:
    path = files.csv(offer(1), name="a.csv")
    found = feedtool("enqueue a.csv --profile shop --format json").only
    assert found == feedtool("queue --format json").only
    assert found.pop("origin").endswith(f":{path}")
    assert found.pop("service").startswith("http://127.0.0.1:")
    assert len(found.pop("sha256")) == 64
    assert found.pop("arrivedAt").endswith("+00:00")
    assert found == {
        "parcel": 1,
        "profile": "shop",
        "kind": None,
        "seller": f"shop of {tmp_path.name}",
        "name": "a.csv",
        "size": path.stat().st_size,
        "state": "waiting",
        "priority": 0,
        **dict.fromkeys(("notBefore", "begunAt", "run", "exitCode", "message"), None),
        **dict.fromkeys(("answeredAt", "toldAt"), None),
    }


COMMANDS = ("enqueue a.csv --profile shop", "worker --once", "queue", "watch feeds --enqueue")


def test_a_ledger_of_one_machine_is_refused(feedtool: Feedtool, files: Files, service: str) -> None:
    files.csv(offer(1), name="a.csv")
    write_profiles(service, "", shop="S")
    for words in COMMANDS:
        ran = feedtool(words)
        message, hint = ran.error()
        assert ran.code == 2
        assert message.startswith("Workers share a ledger on PostgreSQL; ")
        assert message.endswith("ledger.sqlite is a file of this machine.")
        assert hint == "Name one with --ledger postgresql://USER:PASSWORD@HOST/DATABASE."


LIBRARIES = ("procrastinate", "psycopg", "psycopg_pool")


def test_without_the_extra_the_error_names_the_package(
    files: Files, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.csv(offer(1), name="a.csv")
    write_profiles(service, "", shop="S")
    monkeypatch.setenv("FEEDTOOL_LEDGER", "postgresql://127.0.0.1:9/none")
    helps = ("enqueue --help", "worker --help", "queue --help")
    with Child(
        "tests.cli.afresh:run_without",
        LIBRARIES,
        [*COMMANDS, *helps],
        2,
        folder=Path.cwd(),
        stdout=PIPE,
        stderr=PIPE,
    ) as child:
        told = child.communicate(PATIENCE)
    outputs = [text.split("end\n")[:-1] for text in told]
    for missing, out, err in zip(LIBRARIES, *outputs, strict=True):
        is_first = missing == LIBRARIES[0]
        refused, shown = (len(COMMANDS), len(helps)) if is_first else (2, 0)
        codes = [line for line in out.splitlines() if line.isdecimal()]
        assert codes == ["2"] * refused + ["0"] * shown
        *complaints, rest = err.split("\n\n")
        assert rest == "\n" * shown or not rest.strip()
        error = f"error: Workers need more than is installed here: {missing} is missing."
        hint = "help: Install it with: pip install 'feedtool[workers]'"
        assert complaints[:refused] == [f"{error}\n{hint}"] * refused
