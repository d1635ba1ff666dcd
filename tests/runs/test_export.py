"""An export of any area, with any content of its lists."""

import csv
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from openpyxl import load_workbook

from feedtool.feeds.export import (
    Export,
    ExportNote,
    ExportSummary,
    ExportTally,
    ExtraSheets,
    KeyedRow,
    KeyedRows,
    ListPage,
    OutputRow,
    PlainTable,
    Query,
    ServiceList,
)
from feedtool.feeds.template import CellEntry, Field
from feedtool.model.call import READ, Call, Reply
from feedtool.model.errors import Interrupted, NothingToDo, Stopped
from feedtool.templates.rows import RowBuffer
from tests.answers import exported

FIELDS = tuple(Field(key, key.upper(), "", CellEntry("General", 12)) for key in ("id", "name"))


class Toys:
    """A service with pages of toys by their addresses."""

    def __init__(self, **pages: str) -> None:
        self.asked: list[str] = []
        self._pages = pages

    def send(self, call: Call) -> Reply:
        self.asked.append(call.target)
        return Reply(200, body=self._pages[call.target].encode())


def page(_: Query) -> Callable[[Reply, Call], ListPage]:
    """Toys as `1=ball 2=kite`, then `> next`, or `? next` where nobody has said that there is."""

    def read(reply: Reply, _: Call) -> ListPage:
        listed, _mark, following = reply.body.decode().replace("?", ">").partition(">")
        rows = [
            (one.partition("=")[0], dict(zip(("id", "name"), one.split("="), strict=True)))
            for one in listed.split()
        ]
        call = Call("GET", following.strip(), READ) if following else None
        return ListPage(rows, call, b"?" in reply.body, len(rows), {("toys", ""): len(rows)})

    return read


def listing(first: Callable[[Query, KeyedRows], Sequence[str]]) -> ServiceList:
    def calls(query: Query, rows: KeyedRows) -> Iterator[Call]:
        return (Call("GET", target, READ) for target in first(query, rows))

    nothing = NothingToDo("there are no toys", "make some")
    return ServiceList("toys", calls, page, lambda _, __: nothing, "ask otherwise")


def toys(*lists: ServiceList, make: Callable[[KeyedRow], OutputRow] | None = None) -> Export:
    def summary(_: Query, tally: ExportTally) -> ExportSummary:
        return ExportSummary([ExportNote(f"{tally['toys', '']} came")], tally["lost", ""])

    rows = (lambda _, lists, __: map(make, lists[-1])) if make else None
    return Export(
        "toys", "", lambda _: lists, lambda *_: PlainTable("Toys", FIELDS), summary, rows=rows
    )


ONE = listing(lambda _, __: ["a"])
SEVERAL = listing(lambda _, __: ["a", "b"])
OF_ROWS = listing(lambda _, rows: [str(row["name"]) for row in rows])

LISTS: dict[str, tuple[tuple[ServiceList, ...], dict[str, str], list[str], list[str]]] = {
    "over its pages": ((ONE,), {"a": "1=x > b", "b": "2=y"}, ["a", "b"], ["1x", "2y"]),
    "a key again": ((ONE,), {"a": "1=x 2=y > b", "b": "1=z"}, ["a", "b"], ["1z", "2y"]),
    "several of a kind": ((SEVERAL,), {"a": "1=x", "b": "2=y"}, ["a", "b"], ["1x", "2y"]),
    "the same page again": ((ONE,), {"a": "1=x ? b", "b": "1=x ? c"}, ["a", "b"], ["1x"]),
    "of the rows before": (
        *((ONE, OF_ROWS), {"a": "1=b 2=c", "b": "3=x", "c": "4=y"}),
        *(["a", "b", "c"], ["3x", "4y"]),
    ),
}


@pytest.mark.parametrize(("lists", "pages", "asked", "expected"), LISTS.values(), ids=LISTS)
def test_lists_are_read_to_their_end(
    tmp_path: Path,
    lists: tuple[ServiceList, ...],
    pages: dict[str, str],
    asked: list[str],
    expected: list[str],
) -> None:
    target, service = tmp_path / "toys.csv", Toys(**pages)
    found = exported(toys(*lists), target, service=service)
    assert service.asked == asked
    with target.open(encoding="utf-8-sig", newline="") as file:
        assert [row["id"] + row["name"] for row in csv.DictReader(file)] == expected
    assert (found.kind, found.sheet, found.header_row) == ("toys", None, 1)
    assert found.rows == len(expected)


def test_rows_may_wait_until_all_are_there(tmp_path: Path) -> None:
    def make(row: KeyedRow) -> OutputRow:
        return OutputRow(None, {("lost", ""): 1}) if row["name"] == "x" else OutputRow(row)

    service = Toys(a="1=x 2=y")
    found = exported(toys(ONE, make=make), tmp_path / "toys.xlsx", service=service)
    assert (found.sheet, found.header_row, found.rows, found.skipped) == ("Toys", 2, 1, 1)
    assert found.notes == [("2 came", "", False)]


def test_a_list_that_leads_back_or_is_empty_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(Interrupted, match="list of toys does not end: page 3 leads back"):
        exported(toys(ONE), tmp_path / "toys.csv", service=Toys(a="1=x > b", b="2=y > b"))
    with pytest.raises(NothingToDo, match="there are no toys"):
        exported(toys(ONE), tmp_path / "toys.csv", service=Toys(a=""))
    assert list(tmp_path.iterdir()) == []


def test_rows_come_back_in_their_order_without_blanks() -> None:
    with RowBuffer() as rows:
        rows.put("1", {"a": "x", "b": None, "c": ""})
        rows.put("2", {"c": Decimal("1.50"), "a": 3})
        assert len(rows) == 2
        assert list(rows) == [{"a": "x"}, {"c": Decimal("1.50"), "a": 3}]
        assert list(rows.columns) == ["a", "c"]
        rows.put("1", {"a": "new"})  # a later one of a key takes the place of the first
        assert [row["a"] for row in rows] == ["new", 3]


def test_rows_with_positions_are_in_their_order() -> None:
    with RowBuffer(position=lambda row: str(row["b"])) as rows:
        for number, position in enumerate(("b", "a", "b", "")):
            rows.put(None, {"a": number, "b": position})
        assert [row["a"] for row in rows] == [3, 1, 0, 2]


def test_a_buffer_can_be_read_twice_at_a_time() -> None:
    with RowBuffer() as rows:
        for number in range(10):
            rows.put(str(number), {"a": number})
        assert [one["a"] for one, _ in zip(rows, rows, strict=True)] == list(range(10))


def test_a_stop_does_not_wait_for_all_rows() -> None:
    asked = iter([None, Stopped("stopped", "")])
    with RowBuffer(lambda: next(asked)) as rows:
        for number in range(3000):
            rows.put(str(number), {"a": number})
        came = iter(rows)
        assert [next(came)["a"] for _ in range(1000)] == list(range(1000))
        with pytest.raises(Stopped):
            next(came)


def test_further_sheets_follow_the_rows_and_a_csv_has_none(tmp_path: Path) -> None:
    def further(_: Query, lists: Sequence[KeyedRows], rows: KeyedRows) -> ExtraSheets:
        fields = [Field("count", "Count", "", CellEntry("0", 8)), *FIELDS[:1]]
        made = [{"count": len(lists[0])}, {"count": len(rows)}]
        return ExtraSheets([(PlainTable("Counts", fields), made)], {("lost", ""): 2})

    kind = toys(ONE, make=lambda row: OutputRow(row if row["id"] != "2" else None))
    kind = kind._replace(extra_sheets=further)
    for name in ("toys.xlsx", "toys.csv"):
        told = exported(kind, tmp_path / name, service=Toys(a="1=x 2=y 3=z"))
        assert (told.rows, told.skipped) == (2, 2)
    book = load_workbook(tmp_path / "toys.xlsx")
    assert book.sheetnames == ["Toys", "Counts"]
    assert [row[0].value for row in book["Counts"].iter_rows(min_row=3)] == [3, 2]
    assert "count" not in (tmp_path / "toys.csv").read_text("utf-8-sig")


def test_a_text_has_tabs_between_its_fields(tmp_path: Path) -> None:
    exported(toys(ONE), tmp_path / "toys.txt", service=Toys(a="1=x 2=y"))
    assert (tmp_path / "toys.txt").read_bytes() == b"id\tname\r\n1\tx\r\n2\ty\r\n"
