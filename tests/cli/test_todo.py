"""`feedtool todo`: what waits, the command to go on, and what is not known."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from feedtool.model.errors import Exit
from tests.cli.conftest import Feedtool, Ran
from tests.conftest import Files, offer
from tests.loopback import serving_answers
from tests.pairs import sample


def order(status: str, *lines: str, at: str = "2026-11-20T08:00:00Z") -> dict[str, Any]:
    made = [{"orderLineId": str(number), "status": word} for number, word in enumerate(lines)]
    return {"orderId": at, "status": status, "createdAt": at, "lines": made}


WAITING, PREPARING = "WaitingAcceptance", "InPreparation"
OLD = order(WAITING, at="2026-11-18T08:00:00Z")
CANCELLED = order(PREPARING, PREPARING, "CancelRequest")
COUNTS: dict[str, Any] = {WAITING: {"count": 1200}, PREPARING: 1}
PAGES: dict[str, Any] = {WAITING: [OLD, order(WAITING)], PREPARING: [CANCELLED]}
NONE: dict[str, Any] = {WAITING: 0, PREPARING: 0}


def todo(
    feedtool: Feedtool, counts: dict[str, Any], pages: dict[str, Any], more: str = ""
) -> tuple[Ran, str]:
    """The output of `todo` with these answers; a number from 400 on refuses a count."""

    def answer(path: str) -> tuple[int, dict[str, str], bytes]:
        (status,) = parse_qs(urlsplit(path).query).get("status", [""])
        is_count = "/count" in path
        none: Any = {"count": 0} if path.startswith("/inbound") else 0
        document = counts.get(status, none) if is_count else pages.get(status, [])
        if isinstance(document, int) and document >= 400:
            return document, {}, b"{}"
        return 200, {}, json.dumps(document).encode()

    with serving_answers(answer) as service:
        account = f"--base-url {service.url} --seller S"
        return feedtool(f"todo --token t {account} {more}"), account


def test_each_thing_that_waits_has_its_command(feedtool: Feedtool) -> None:
    ran, account = todo(feedtool, COUNTS, PAGES)
    assert ran.code == Exit.OK
    accept, cancel, ship = ran.out.splitlines()
    texts = (
        "To accept         1,200 orders, the oldest of 2026-11-18 08:00 UTC  feedtool",
        "Customers cancel  1 order                                           feedtool",
        "To ship           1 order, the oldest of 2026-11-20 08:00 UTC       feedtool",
    )
    assert accept == f"{texts[0]} export orders --status WaitingAcceptance {account}"
    assert cancel == f"{texts[1]} export orders --to-do {account}"
    assert ship == f"{texts[2]} export shipments {account}"


def test_a_deadline_is_shown_if_the_profile_sets_the_time(feedtool: Feedtool) -> None:
    ran, _ = todo(feedtool, COUNTS, PAGES)
    assert "the first by" not in ran.out
    Path("feedtool.toml").write_text("[profile.shop.orders]\naccept_within = 48\n")
    ran, _ = todo(feedtool, COUNTS, PAGES, "--profile shop")
    assert "1,200 orders, the first by 2026-11-20 08:00 UTC" in ran.out
    assert "--profile shop" in ran.out


def test_todo_prints_json_for_scripts(feedtool: Feedtool) -> None:
    ran, account = todo(feedtool, {**NONE, WAITING: 3}, {}, "--check --format json")
    assert ran.code == Exit.ROWS
    assert ran.json == [
        {
            "name": "to-accept",
            "count": 3,
            "text": "3 orders",
            "command": f"feedtool export orders --status WaitingAcceptance {account}",
        }
    ]


@pytest.mark.parametrize("more", ["", "--check"])
def test_todo_without_waiting_items(feedtool: Feedtool, more: str) -> None:
    ran, _ = todo(feedtool, NONE, {}, more)
    assert (ran.code, ran.out, ran.err) == (Exit.OK, "", "note: nothing waits for you\n")


@pytest.mark.parametrize(
    "answer", sample([403, "many", {"a": 1, "b": 2}, 404, 500, 429], 3), ids=str
)
def test_unknown_counts_are_reported_and_the_others_are_shown(
    feedtool: Feedtool, answer: Any
) -> None:
    ran, _ = todo(feedtool, {**NONE, WAITING: answer}, PAGES, "--format json --check")
    found = {entry["name"]: (entry["count"], entry["text"][:11]) for entry in ran.json}
    assert found == {"to-accept": (None, "not known: "), "to-cancel": (1, "1 order")}
    assert ran.code == Exit.ROWS


def test_a_missing_detail_hides_no_count(feedtool: Feedtool) -> None:
    ran, _ = todo(feedtool, {**NONE, WAITING: 2}, {WAITING: 500}, "--format json")
    assert [entry["text"] for entry in ran.json] == ["2 orders"]


ERRORS = {
    "no account": ("", Exit.USAGE, "there is no account to ask"),
    "a wrong token": ("--sandbox --token wrong", Exit.AUTH, "does not accept the token"),
    "nobody there": (
        "--base-url http://127.0.0.1:9/v2 --seller S --token t",
        Exit.INTERRUPTED,
        "cannot be reached",
    ),
}


@pytest.mark.parametrize(("options", "code", "message"), ERRORS.values(), ids=ERRORS)
def test_todo_without_a_working_account_is_refused(
    feedtool: Feedtool, options: str, code: int, message: str
) -> None:
    ran = feedtool(f"todo {options}")
    assert (ran.code, message in ran.error()[0]) == (code, True), ran.err


CHEAP = offer(1, price__price="1")


def lines_of(ran: Ran) -> list[str]:
    return [" ".join(line.split()) for line in ran.out.splitlines() if line.startswith("Run")]


def test_rows_of_the_ledger_are_listed_without_an_account(feedtool: Feedtool, files: Files) -> None:
    submit = "submit --sandbox --no-failed"
    feedtool(submit, files.csv(offer(1), offer(2, quantity="-1"), name="a.csv"))
    feedtool(submit, files.csv(CHEAP, offer(3, quantity="x"), name="b.csv"))
    feedtool("submit --sandbox --no-wait", files.csv(offer(4), name="c.csv"))
    waiting = [
        "Run 3 1 row without an answer feedtool results 3",
        "Run 2 1 row to correct feedtool results 2 --failed-only",
        "Run 1 1 row to correct feedtool results 1 --failed-only",
        "Run 2 1 row held: price-factor feedtool submit b.csv --release price-factor --sandbox",
    ]
    for options, code in {"": Exit.OK, "--check": Exit.ROWS, "--sandbox": Exit.OK}.items():
        ran = feedtool(f"todo {options}")
        assert (ran.code, lines_of(ran)) == (code, waiting), options
        assert ("there is no account to ask" in ran.err) == (options != "--sandbox")
    assert lines_of(feedtool("todo --sandbox --seller other")) == []
    feedtool("submit --sandbox --release price-factor b.csv")
    feedtool("submit --sandbox", files.csv(offer(2), offer(3)))
    feedtool("results 3")
    assert lines_of(feedtool("todo")) == []


def test_a_file_held_again_is_listed_once(feedtool: Feedtool, files: Files) -> None:
    feedtool("submit --sandbox", files.csv(offer(1), name="a.csv"))
    for options in ("", "--as offers-upsert --release price-below-floor"):
        feedtool("submit --sandbox", files.csv(CHEAP, name="b.csv"), *options.split())
    (line,) = lines_of(feedtool("todo"))
    codes = "price-below-floor,price-factor"
    command = f"feedtool submit b.csv --release {codes} --sandbox --as offers-upsert"
    assert line == f"Run 3 1 row held: price-factor {command}"
    Path("b.csv").unlink()
    assert lines_of(feedtool("todo")) == ["Run 3 1 row held: price-factor feedtool status 3"]


def test_rows_of_the_ledger_are_listed_if_the_service_is_silent(
    feedtool: Feedtool, files: Files
) -> None:
    with serving_answers(lambda _: (500, {}, b"")) as service:
        account = f"--base-url {service.url} --seller S --token t"
        feedtool(f"submit {account} --channel C --no-failed", files.csv(offer(1, quantity="x")))
    ran = feedtool(f"todo {account}")
    assert (ran.code, "cannot be reached" in ran.err) == (Exit.INTERRUPTED, True)
    assert [line.split(" ", 2)[2] for line in lines_of(ran)] == [
        "1 row to correct feedtool results 1 --failed-only"
    ]
