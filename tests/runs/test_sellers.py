"""Sellers at a glance, as text and as JSON."""

import json
import re
from collections.abc import Iterable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest

from feedtool.ledger import Ledger
from feedtool.ledger.lock import Holder
from feedtool.ledger.sellers import LastRun, SellerLine, SellerState
from feedtool.model.nouns import Status
from feedtool.model.text import Translator, kept_text, tr
from feedtool.runs.profiles import Profile
from feedtool.runs.sellers import account_names, known_sellers, seller_states, write_sellers
from tests.ledger.conftest import NOW, SERVICE

HOUR = timedelta(hours=1)
KEY = (SERVICE, "12345")
PLAIN = SellerLine(KEY, "shop")
TROUBLE: dict[str, Any] = {
    "failures": 2,
    "exit_code": 5,
    "message": kept_text(tr("no answer from {host}", host="a.example")),
    "not_before": NOW + HOUR,
}
RUN = LastRun(7, NOW, {Status.INTEGRATED: 9, Status.REJECTED: 1}, is_finished=True)
HOLDER = Holder(99, "host-2", "anna", "worker", NOW)


def state(
    line: SellerLine = PLAIN,
    holder: Holder | None = None,
    last: LastRun | None = None,
    rate: tuple[int, int] = (0, 0),
) -> SellerState:
    return SellerState(line, holder is not None, holder, last, *rate)


def written(*states: SellerState, form: str = "text", language: str = "en") -> str:
    out = StringIO()
    say = Translator("fr" if language == "fr" else "en")
    assert write_sellers(states, out, form, say, NOW) == len(states)
    return out.getvalue()


def cells(one: SellerState, **more: str) -> dict[str, str]:
    """The cells of a seller's line, by heading, without empty ones."""
    head, line = written(one, **more).splitlines()
    begins = [match.end() for match in re.finditer(r"(^|  )(?=\S)", head)]
    parts = zip(begins, [*begins[1:], None], strict=True)
    found = {head[begin:end].strip(): line[begin:end].strip() for begin, end in parts}
    return {heading: text for heading, text in found.items() if text}


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (state(), {"Last run": "never"}),
        (state(last=RUN), {"Last run": "run 7: 9 Integrated, 1 Rejected"}),
        (
            state(last=RUN._replace(statuses={}, is_finished=False)),
            {"Last run": "run 7: no rows sent; not finished"},
        ),
        (
            state(PLAIN._replace(waiting=3, oldest=NOW, on_hold=1)),
            {"Waiting": "3 since 2026-03-02 09:00 UTC, 1 put off", "Last run": "never"},
        ),
        (
            state(holder=HOLDER),
            {"In work": "worker on host-2 since 2026-03-02 09:00 UTC", "Last run": "never"},
        ),
        (
            SellerState(PLAIN, True, None, None, 0, 0),  # all of its fields
            {"In work": "another process", "Last run": "never"},
        ),
        (state(rate=(8, 1)), {"Refused, 7 days": "12%", "Last run": "never"}),
        (state(PLAIN._replace(held=1200)), {"Held": "1,200", "Last run": "never"}),
        (
            state(PLAIN._replace(**TROUBLE)),
            {
                "Last run": "never",
                "Trouble": "no answer from a.example (2 tries); next try 2026-03-02 10:00 UTC",
            },
        ),
        (
            state(PLAIN._replace(**{**TROUBLE, "failures": 1, "not_before": NOW})),
            {"Last run": "never", "Trouble": "no answer from a.example"},
        ),
    ],
)
def test_each_seller_has_a_line_of_facts(one: SellerState, told: dict[str, str]) -> None:
    assert cells(one) == {"Seller": "shop (12345)", **told}


@pytest.mark.parametrize(
    ("profile", "name"), [("shop", "shop (12345)"), ("", "12345"), ("12345", "12345")]
)
def test_a_seller_is_named_by_account_and_number(profile: str, name: str) -> None:
    assert cells(state(PLAIN._replace(profile=profile)))["Seller"] == name


def test_the_list_is_in_the_requested_language() -> None:
    told = cells(state(last=RUN), language="fr")
    assert told["Dernière exécution"].startswith("exécution 7")


def test_without_sellers_the_list_is_empty() -> None:
    assert written() == ""
    assert json.loads(written(form="json")) == []


def test_scripts_get_all_of_it() -> None:
    line = PLAIN._replace(waiting=1, oldest=NOW, held=2, passed_at=NOW, run_id=7, **TROUBLE)
    (told,) = json.loads(written(state(line, HOLDER, RUN, (8, 1)), form="json"))
    assert told == {
        "seller": "12345",
        "service": SERVICE,
        "profile": "shop",
        "waiting": 1,
        "waitingSince": "2026-03-02T09:00:00+00:00",
        "onHold": 0,
        "inWork": True,
        "worker": {
            "command": "worker",
            "host": "host-2",
            "user": "anna",
            "process": 99,
            "since": "2026-03-02T09:00:00+00:00",
        },
        "lastRun": {
            "run": "7",
            "started": "2026-03-02T09:00:00+00:00",
            "finished": True,
            "statuses": {"Integrated": 9, "Rejected": 1},
        },
        "answeredIn7Days": 8,
        "refusedIn7Days": 1,
        "refusedRate": 0.125,
        "held": 2,
        "trouble": {"message": "no answer from a.example", "exitCode": 5, "passes": 2},
        "nextTry": "2026-03-02T10:00:00+00:00",
        "lastPass": "2026-03-02T09:00:00+00:00",
    }
    (bare,) = written(state(), form="jsonl").splitlines()
    empty = ("worker", "lastRun", "trouble", "nextTry", "refusedRate", "waitingSince", "lastPass")
    assert [json.loads(bare)[name] for name in empty] == [None] * len(empty)


def test_accounts_that_name_a_seller_are_known() -> None:
    whole = {"base_url": f"{SERVICE}/", "seller": "1"}
    profiles = {
        "a": Profile(whole),
        "b": Profile({"base_url": SERVICE}),
        "c": Profile({**whole, "channel": "X"}),
        "d": Profile({"seller": "2"}),
    }
    known = known_sellers(profiles)
    assert known == {"a": (SERVICE, "1"), "c": (SERVICE, "1")}
    assert account_names(known) == {(SERVICE, "1"): "a"}
    assert known_sellers(profiles, {"base_url": SERVICE})["d"] == (SERVICE, "2")


def numbers(states: Iterable[SellerState]) -> list[str]:
    return [one.line.key[1] for one in states]


def test_sellers_are_listed_by_pages_or_one_page() -> None:
    names = [f"{number:03}" for number in range(250)]
    known = {name: (SERVICE, name) for name in names}
    with Ledger() as ledger:
        assert numbers(seller_states(ledger, NOW, known=known)) == names
        for page, part in ((1, names[:100]), (3, names[200:]), (4, [])):
            assert numbers(seller_states(ledger, NOW, known=known, page=page)) == part
