"""The form of an export: what it has of each filter, and what is wrong with what is asked for."""

import pytest
from werkzeug.datastructures import MultiDict

from feedtool.areas.registry import load
from feedtool.check import ReadOptions
from feedtool.page.exports import CURSOR, ENDING, PEEK, READER, SINCE, ExportForm
from feedtool.runs.cursors import CursorUse, query_of
from tests.catalogues import CATALOG

EXPORTS = load().exports
OWN = {"account", ENDING, SINCE, CURSOR, READER, PEEK}
"""The fields beside the filters."""
NEEDED = {"operations": {"month": "2026-10"}, "journal": {"month": "2026-10"}}
"""Required values of these kinds."""


READING = ReadOptions(catalog=lambda _: CATALOG)


def filled(kind: str, *fields: tuple[str, str]) -> ExportForm:
    return ExportForm(EXPORTS[kind], MultiDict(fields)).checked(READING, "en")


def test_no_filter_has_the_name_of_another_field() -> None:
    for kind, export in EXPORTS.items():
        names = {entry.name for entry in export.filters}
        own = OWN if export.increments else OWN - {SINCE}
        assert not names & own, kind


def test_an_empty_form_equals_the_command_without_options() -> None:
    for kind, export in EXPORTS.items():
        asked = filled(kind, *NEEDED.get(kind, {}).items())
        assert not asked.errors, kind
        whole, usual = (
            query_of(export, values, READING.channel, "en", READING.context)
            for values in (asked.values, NEEDED.get(kind, {}))
        )
        assert whole.values == usual.values, kind


def test_each_choice_can_be_asked_for() -> None:
    for kind, export in EXPORTS.items():
        needed = NEEDED.get(kind, {}).items()
        for entry in export.filters:
            for choice in entry.choices:
                asked = filled(kind, (entry.name, choice), *needed)
                assert not asked.errors, (kind, entry.name, choice)


@pytest.mark.parametrize(
    ("kind", "fields", "name", "says"),
    [
        ("offers", [("since", "yesterday")], "since", "--since yesterday is not a date or a time"),
        ("offers", [("as", "toys")], "as", "offers cannot be exported as “toys”"),
        ("orders", [("status", "Lost")], "status", "there is no status “Lost”"),
        ("orders", [("country", " , ")], "country", "--country names nothing"),
        ("orders", [("since", "2026-13-01")], SINCE, "--since 2026-13-01 is not a date or a time"),
        ("orders", [(CURSOR, "new"), (READER, "a/b")], READER, "a cursor cannot be named “a/b”"),
        (
            "orders",
            [(CURSOR, "new"), ("missing-invoice", "on")],
            "",
            "--missing-invoice does not go with a cursor",
        ),
        ("operations", [], "", "say which operations: the service lists none without a filter"),
        ("operations", [("month", "2026-13")], "month", "2026-13 is not a month"),
        ("offer-packages", [("state", "Open")], "state", "there is no state “Open”"),
        (
            "discussions",
            [("open", "on"), ("closed", "on")],
            "",
            "--open and --closed do not go together",
        ),
    ],
)
def test_errors_are_shown_at_their_field(
    kind: str, fields: list[tuple[str, str]], name: str, says: str
) -> None:
    errors = filled(kind, *fields).errors
    assert {field: error.message for field, error in errors.items()} == {name: says}


@pytest.mark.parametrize(
    ("kind", "fields", "use"),
    [
        ("orders", [], None),
        ("orders", [(READER, "anna"), (PEEK, "on")], None),
        ("orders", [(CURSOR, "new")], CursorUse("page")),
        ("orders", [(CURSOR, "changed"), (READER, " ")], CursorUse("page", is_changed=True)),
        ("orders", [(CURSOR, "new"), (PEEK, "on")], CursorUse("page", is_peek=True)),
        ("orders", [(CURSOR, "new"), (READER, "anna")], CursorUse("anna")),
        ("picking", [(CURSOR, "new")], None),
    ],
)
def test_uses_of_cursors(kind: str, fields: list[tuple[str, str]], use: CursorUse | None) -> None:
    assert filled(kind, *fields).use == use


@pytest.mark.parametrize(
    ("kind", "name", "kind_of_input"),
    [
        ("offers", "since", "date"),
        ("operations", "month", "month"),
        ("operations", "payment-date", "date"),
        ("operations", "paid", "text"),
        ("orders", "country", "text"),
    ],
)
def test_dates_have_inputs_for_dates(kind: str, name: str, kind_of_input: str) -> None:
    inputs = {field.entry.name: field.input for field in filled(kind).fields}
    assert inputs[name] == kind_of_input


def test_ticked_choices_are_one_list() -> None:
    asked = filled("orders", ("status", "Shipped"), ("status", "Delivered"))
    assert asked.values["status"] == "Shipped,Delivered"
