"""On what conditions a plan was made, and why it no longer fits."""

import json
from typing import Any

import pytest

from feedtool.check import ReadOptions
from feedtool.model.settings import AccountSettings, Bounds
from feedtool.runs.plan_conditions import Account, Conditions, conditions_of, unfit

INPUT = ("offers.csv", "aa")
SHOP = Account("https://a.example/v2", "12345", "shop")


def made(
    *inputs: tuple[str, str | None],
    account: Account = SHOP,
    dialect: AccountSettings | None = None,
    tool: str = "feedtool 1",
    all_or_nothing: bool = False,
    **asked: Any,
) -> Conditions:
    found = conditions_of(
        inputs or [INPUT],
        ReadOptions(dialect or AccountSettings(), **asked),
        account,
        all_or_nothing=all_or_nothing,
    )
    return Conditions(found.inputs, found.account, found.settings, tool)


def of(**changes: Any) -> Conditions:
    """Of an account with changes."""
    return made(account=SHOP._replace(**changes))


OTHER = AccountSettings(bounds=Bounds(longest_preparation=9))
UNFIT = {
    "another tool": (made(), made(tool="9"), "it was made by feedtool 1, and this is 9"),
    "another content": (made(), made(("offers.csv", "bb")), "the file offers.csv was changed"),
    "another standard input": (
        *(made(("-", "aa")), made(("-", "bb"))),
        "standard input holds something else",
    ),
    "another file": (made(), made(("b.csv", "bb")), "b.csv is not offers.csv as it was"),
    "no file": (made(), made(("offers.csv", None)), "offers.csv cannot be read"),
    "more files": (made(), made(INPUT, INPUT), "it is for offers.csv, and not for 2 files"),
    "another seller": (made(), of(seller="9"), "the seller was 12345, and is 9"),
    "another service": (
        *(made(), of(service="https://b.example/v2")),
        "the service was https://a.example/v2, and is https://b.example/v2",
    ),
    "another profile": (made(), of(profile=None), "the profile was shop, and is not set"),
    "no sandbox": (made(account=Account(is_sandbox=True)), made(), "it is for the sandbox"),
    "the sandbox": (made(), of(is_sandbox=True), "it is not for the sandbox"),
    "a setting": (
        *(made(dialect=AccountSettings(vat_scale=1)), made()),
        "vat_scale was 1, and is not set",
    ),
    "a setting of a table": (
        *(made(), made(dialect=OTHER)),
        "bounds.longest_preparation was not set, and is 9",
    ),
    "a channel": (made(), made(channel="SECOND"), "--channel was PRIMARY, and is SECOND"),
    "a kind": (made(kind="offers-update"), made(), "--as was offers-update, and is not set"),
    "a purge": (made(), made(purges=True), "--purge-and-replace was not set, and is set"),
    "all or nothing": (
        *(made(), made(all_or_nothing=True)),
        "--all-or-nothing was not set, and is set",
    ),
}


@pytest.mark.parametrize(("planned", "now", "said"), UNFIT.values(), ids=UNFIT)
def test_why_a_plan_no_longer_fits(planned: Conditions, now: Conditions, said: str) -> None:
    assert unfit(planned, now) == [said]


FIT = {
    "all the same": (made(), made()),
    "a file by another path": (made(), made(("/feeds/offers.csv", "aa"))),
    "made without an account": (made(account=Account()), made()),
    "a default that is written": (made(), made(dialect=AccountSettings(vat_scale=100))),
    "unreadable as it was": (made(("a.csv", None)), made(("a.csv", None))),
}


@pytest.mark.parametrize(("planned", "now"), FIT.values(), ids=FIT)
def test_what_still_fits(planned: Conditions, now: Conditions) -> None:
    assert unfit(planned, now) == []


@pytest.mark.parametrize("one", [case[0] for case in UNFIT.values()], ids=UNFIT)
def test_conditions_come_back_as_they_are(one: Conditions) -> None:
    assert unfit(Conditions.from_json(json.loads(json.dumps(one.as_json()))), one) == []
