"""An export as a page or a command asks for it: filters as texts, files where none are named."""

from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions
from feedtool.feeds.export import Filter
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.settings import Context
from feedtool.runs.cursors import CursorUse, bring, needs_ledger, query_of, target_of, value_of
from feedtool.runs.outputs import Outputs
from feedtool.runs.submit import submit
from tests.conftest import Files, offer
from tests.runs.conftest import Desk

EXPORTS = load().exports
WORD, LIST = Filter("word", "W", ""), Filter("list", "L", "", is_list=True)
FLAG, NUMBER = Filter("flag", "", "", is_flag=True), Filter("number", "N", "", read=int)

VALUES: list[tuple[Filter, Any, Any]] = [
    (WORD, None, None),
    (WORD, "", None),
    (WORD, "a", "a"),
    (NUMBER, "7", 7),
    (NUMBER, 7, 7),
    (NUMBER._replace(default="9"), "", 9),
    (LIST, None, ()),
    (LIST, "", ()),
    (LIST, "a, b,,a", ("a", "b")),
    (LIST, ("a", "b"), ("a", "b")),
    (LIST._replace(default="x,y"), None, ("x", "y")),
    (FLAG, None, False),
    (FLAG, "on", True),
]


@pytest.mark.parametrize(("entry", "given", "value"), VALUES)
def test_filters_are_read(entry: Filter, given: Any, value: Any) -> None:
    assert value_of(entry, given) == value


def test_an_empty_list_is_no_filter() -> None:
    with pytest.raises(UsageProblem, match="--list names nothing"):
        value_of(LIST, " , ")


def test_an_unknown_entry_of_a_list_is_refused() -> None:
    with pytest.raises(UsageProblem, match="there is no list “green”"):
        value_of(LIST._replace(choices=("red", "blue")), "red,green")


CHOSEN = {
    "offers": ["as", "offer-state"],
    "offer-packages": ["state"],
    **{kind: ["status", "supply-mode"] for kind in ("orders", "shipments", "picking")},
    **{kind: ["status", "supply-mode"] for kind in ("inbound-shipments", "delivery-notes")},
    "outbound-shipments": ["status", "state"],
    "returns": ["status", "type"],
    "return-labels": ["status", "type", "label-format"],
    **{kind: ["state"] for kind in ("operations", "payments")},
    **{kind: ["graduation"] for kind in ("discussions", "messages", "attachments")},
}
"""Filters that take only certain words, by kind."""


def test_only_known_choices_are_accepted() -> None:
    chosen: dict[str, list[str]] = {}
    for kind, export in EXPORTS.items():
        for entry in export.filters:
            if entry.choices:
                chosen.setdefault(kind, []).append(entry.name)
                with pytest.raises(UsageProblem, match="“green”"):
                    value_of(entry, "green")
    assert chosen == CHOSEN


@pytest.mark.parametrize(
    ("kind", "name", "text", "value"),
    [
        ("orders", "supply-mode", "xdock", "Xdock"),
        ("inbound-shipments", "supply-mode", "FULFILLMENT", "Fulfillment"),
        ("offers", "offer-state", "Active", ("active",)),
    ],
)
def test_words_that_may_be_of_any_case(kind: str, name: str, text: str, value: Any) -> None:
    (entry,) = (entry for entry in EXPORTS[kind].filters if entry.name == name)
    assert value_of(entry, text) == value


def test_the_channel_is_the_accounts_unless_one_is_named() -> None:
    channels = [
        query_of(EXPORTS["offers"], given, "B", "fr", Context()).channel
        for given in ({}, {"channel": ""}, {"channel": "C"})
    ]
    assert channels == ["B", "B", "C"]


PEEK = CursorUse(is_peek=True)
TARGETS: dict[str, tuple[str, CursorUse | None]] = {
    "offers.xlsx": ("offers", None),
    "orders-{date}-{batch}.xlsx": ("orders", CursorUse()),
    "orders-peek-{date}-{time}.xlsx": ("orders", PEEK),
    "attachments/attachments.csv": ("attachments", None),
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_file_has_a_name(tmp_path: Path, name: str) -> None:
    kind, use = TARGETS[name]
    target = target_of(EXPORTS[kind], use, tmp_path)
    assert target.relative_to(tmp_path).as_posix() == name
    assert target.parent.is_dir()


def test_the_ledger_is_opened_only_if_needed() -> None:
    assert needs_ledger(EXPORTS["offers"])
    assert not needs_ledger(EXPORTS["shipments"])
    assert needs_ledger(EXPORTS["shipments"], CursorUse())


def test_offers_are_exported_and_remembered(desk: Desk, files: Files) -> None:
    kind, target = EXPORTS["offers"], files.folder / "back.xlsx"
    query = query_of(kind, {}, "PRIMARY", "en", Context())
    whole = (kind, query, target, desk.session, desk.workspace)
    with pytest.raises(NothingToDo):
        bring(*whole)
    inputs = [Input("offers.csv", files.csv(offer(1), offer(2)))]
    submit(inputs, ReadOptions(), Outputs(), desk.session, desk.workspace)
    counted: list[int] = []
    exported = bring(*whole, on_progress=lambda _, count: counted.append(count))
    assert (exported.file, exported.rows, counted[-1]) == (target, 2, 2)
    assert exported.sheet in load_workbook(target).sheetnames
    csv = bring(kind, query, target.with_suffix(".csv"), desk.session, desk.workspace)
    assert (csv.rows, csv.sheet) == (2, None)
    assert csv.file.read_text("utf-8-sig").startswith("sellerExternalReference")
