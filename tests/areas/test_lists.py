"""Every kind of export brings a list without any option, or reports that the list is empty.

The page of endpoints names the calls of each, and the next command that each names can be run.
"""

import re
from pathlib import Path

import pytest

from feedtool.areas.registry import load
from feedtool.model.errors import Exit
from feedtool.sandbox import core
from feedtool.sandbox.exchange import Route, find_route
from tests.cli.conftest import Feedtool
from tests.endpoints import Endpoint, clients

NEEDED = {"operations": "--month 2026-10", "journal": "--month 2026-10"}
"""The options without which a kind does not say what is asked for."""

SENT_AS_CSV = {"orders", "shipments", "discussions", "outbound-shipments"}
"""Kinds whose own tests check an exported CSV, or fill and send it."""

CATALOGUE = "catalog sync"
"""The command that prepares the sandbox for kinds that need categories."""


@pytest.mark.usefixtures("catalogue")
def test_each_list_of_a_sandbox_is_exported_and_can_be_sent_back(
    feedtool: Feedtool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[Endpoint] = []

    def noted(*of: tuple[Route, ...]) -> tuple[Route, dict[str, str]]:
        route, ids = find_route(*of)  # type: ignore[arg-type]  # as it is called
        called.append(Endpoint(route.method, route.path).shape)
        return route, ids

    monkeypatch.setattr(core, "find_route", noted)
    for kind, export in load().exports.items():
        called.clear()
        before = {*tmp_path.iterdir()}
        code, out, err = feedtool(f"export {kind} --sandbox {NEEDED.get(kind, '')}")
        assert code in {Exit.OK, Exit.NOTHING}, err
        made = {*tmp_path.iterdir()} - before
        assert bool(made) == (code == Exit.OK), out
        led = [{f"export {kind}", CATALOGUE}.intersection(clients()[of].commands) for of in called]
        assert led, kind
        assert all(led), called
        if code == Exit.OK and export.is_sent_back:
            assert_can_be_sent_back(err, feedtool)
            if kind not in SENT_AS_CSV:
                ran = feedtool(f"export {kind} --sandbox --out {kind}.csv")
                assert_can_be_sent_back(ran.err, feedtool)


WAITING = {
    "inbound-refused": 1,
    "inbound-in-dispute": 1,
    "outbound-rejected": 1,
    "returns-to-look-at": 1,
    "to-answer": 4,
    "claims": 1,
}


def test_what_waits_for_the_seller_is_counted(feedtool: Feedtool) -> None:
    found = {it["name"]: it for it in feedtool("todo --sandbox --format json").json}
    assert {name: found[name]["count"] for name in WAITING} == WAITING
    assert "export discussions --to-treat" in found["to-answer"]["command"]
    blocked = found["payments-blocked"]
    assert "next statement on" in blocked["text"]
    command = blocked["command"].removeprefix("feedtool ")
    ran = feedtool(f"{command} --out blocked.csv --format json")
    assert (ran.code, ran.only["rows"]) == (0, blocked["count"])


def assert_can_be_sent_back(told: str, feedtool: Feedtool) -> None:
    """Assert that an untouched file is read as its own kind; most then ask for nothing."""
    (line,) = re.findall("`feedtool (validate [^`]*)`", told)
    assert feedtool(line).code in {Exit.OK, Exit.NOTHING}
