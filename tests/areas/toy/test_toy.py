"""An area from outside, through the public commands."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from feedtool.areas import registry
from feedtool.check import Input, ReadOptions, check
from feedtool.model.sheet import CheckedSheet
from tests.conftest import Files, codes

TOY = "tests.areas.toy"


def row(order: str, toy: str, quantity: str = "1", channels: str = "") -> dict[str, str]:
    return {"order": order, "toy": toy, "quantity": quantity, "channels": channels}


def checked(path: Path) -> CheckedSheet:
    (sheet,) = check([Input(path.name, path)], ReadOptions(), registry.load([TOY]))
    return sheet


Requests = list[tuple[tuple[int, ...], int, str, bytes]]


def requests(sheet: CheckedSheet) -> Requests:
    """The rows of each request, its number, its channel, its toys."""
    return [
        ((item.row, *item.further_rows), item.number, item.channel, item.body)
        for item in sheet.valid_items()
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([row("O-1", "Kite")], [((2,), 0, "PRIMARY", ["Kite"])]),
        (
            [row("O-1", "Kite"), row("O-2", "Ball"), row("O-1", "Top")],
            [((2, 4), 0, "PRIMARY", ["Kite", "Top"]), ((3,), 0, "PRIMARY", ["Ball"])],
        ),
        (
            [row("O-1", "Kite", channels="A B"), row("O-1", "Top", channels="B C A")],
            [
                ((2, 3), 0, "A", ["Kite", "Top"]),
                ((2, 3), 1, "B", ["Kite", "Top"]),
                ((3,), 0, "C", ["Top"]),
            ],
        ),
    ],
    ids=["a row", "rows apart", "rows of several channels"],
)
def test_rows_become_requests(
    files: Files, rows: list[Mapping[str, str]], expected: list[tuple[object, ...]]
) -> None:
    import json

    sheet = checked(files.csv(*rows))
    assert [
        (*about, [toy["toy"] for toy in json.loads(body)["toys"]])
        for *about, body in requests(sheet)
    ] == [(*about,) for about in expected]


WRONG = row("O-1", "Kite", "none")


@pytest.mark.parametrize(
    ("rows", "problems", "sent"),
    [
        ([WRONG, row("O-2", "Ball")], [(2, "number-format")], [(3,)]),
        (
            [row("O-1", "Ball"), row("O-2", "Ball"), WRONG],
            [(2, "request-incomplete"), (4, "number-format")],
            [(3,)],
        ),
        (
            [
                row("O-2", "Ball", channels="A"),
                row("O-2", "Doll", channels="B"),
                *(row("O-1", "Top", channels="B"), row("O-1", "Kite", "none", "A B")),
            ],
            [(4, "request-incomplete"), (5, "number-format")],
            [(2,), (3,)],
        ),
        (
            [row("O-1", toy) for toy in "ABCDEFGHIJ"],
            [(2, "schema-mismatch"), *((at, "request-incomplete") for at in range(3, 12))],
            [],
        ),
    ],
    ids=["alone", "apart", "of a channel", "too many"],
)
def test_a_request_is_sent_whole_or_not_at_all(
    files: Files,
    rows: list[Mapping[str, str]],
    problems: list[tuple[int, str]],
    sent: list[tuple[int, ...]],
) -> None:
    sheet = checked(files.csv(*rows))
    assert codes(sheet) == problems
    assert [about for about, *_ in requests(sheet)] == sent
    assert [refused.row for refused in sheet.refused] == sorted({at for at, _ in problems})
