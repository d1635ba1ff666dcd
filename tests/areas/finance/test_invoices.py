"""The service's invoices: their lines, and their documents as files in a folder."""

import csv
import io
import zipfile
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.finance.invoices import (
    DETAIL_EXPORT,
    DOCUMENT_EXPORT,
    read_documents,
)
from feedtool.areas.finance.operations import calendar
from feedtool.areas.finance.sandbox.behaviour import FinanceBehaviour
from feedtool.areas.finance.wire import read_archive
from feedtool.feeds.export import DocumentCall
from feedtool.model.call import Call, Reply
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.sandbox.pdf import pdf
from feedtool.service.answers import Unreadable
from tests.areas.finance.counter import MONTH, AtDesk, brought, losses
from tests.areas.finance.sandbox.till import EMPTY, operations, sale
from tests.cli.conftest import Feedtool
from tests.sandbox.desk import Desk


def rows_in(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def invoiced(desk: Desk, **days: str) -> list[str]:
    """The invoices of the operations that are paid on some days."""
    pages = (operations(desk, **days, pageSize=100, pageIndex=page)["items"] for page in (1, 2, 3))
    found = {item["invoiceId"] for items in pages for item in items} - {None}
    return [str(invoice) for invoice in sorted(found)]


NOVEMBER = {"paidAtMin": "2026-11-01T00:00:00Z", "paidAtMax": "2026-11-30T23:59:59Z"}


def test_lines_of_a_month_and_of_some_invoices(desk: Desk, tmp_path: Path) -> None:
    service, path = AtDesk(desk), tmp_path / "details.csv"
    brought(DETAIL_EXPORT, service, path, month=MONTH)
    names = invoiced(desk, **NOVEMBER)
    assert [*dict.fromkeys(row["invoiceId"] for row in rows_in(path))] == names
    few = tuple(names[:2])
    exported = brought(DETAIL_EXPORT, service, path, invoice=few)
    count = sum(desk.ask("GET", f"/invoices/{name}/details/count").json for name in few)
    assert (exported.rows, losses(exported)) == (count, [])
    assert {row["invoiceId"] for row in rows_in(path)} == {*few}


def test_without_a_choice_the_last_three_months_come(desk: Desk, tmp_path: Path) -> None:
    service, path = AtDesk(desk), tmp_path / "details.csv"
    brought(DETAIL_EXPORT, service, path)
    expected = invoiced(desk, paidAtMin="2026-08-19T08:00:00Z", paidAtMax="2026-12-21T00:00:00Z")
    assert [*dict.fromkeys(row["invoiceId"] for row in rows_in(path))] == expected
    assert len(expected) > 5


def test_an_unknown_invoice_is_reported(desk: Desk, tmp_path: Path) -> None:
    service, path = AtDesk(desk), tmp_path / "details.csv"
    first, *_ = names = invoiced(desk, **NOVEMBER)
    assert names
    exported = brought(DETAIL_EXPORT, service, path, invoice=(first, "7"))
    assert losses(exported) == ["the service has no invoice 7"]
    with pytest.raises(NothingToDo, match="no lines of such invoices"):
        brought(DETAIL_EXPORT, service, path, invoice=("7",))
    with pytest.raises(UsageProblem, match="identifiers are numbers"):
        brought(DETAIL_EXPORT, service, path, invoice=("INV-7",))


def test_exports_without_invoices_are_empty(new_desk: type[Desk], tmp_path: Path) -> None:
    with new_desk(*EMPTY) as desk:
        service = AtDesk(desk)
        sale(desk)
        for kind in (DETAIL_EXPORT, DOCUMENT_EXPORT):
            with pytest.raises(NothingToDo, match="is invoiced"):
                brought(kind, service, tmp_path / "x.csv")


# Documents.


class Documents:
    """Answers by target; archives by what they hold."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers
        self.asked: Counter[str] = Counter()

    def send(self, call: Call) -> Reply:
        self.asked[call.target] += 1
        answer = self._answers.get(call.target, 404)
        if call.target.endswith("/count"):
            answer = b"3"
        if isinstance(answer, int):
            return Reply(answer)
        if call.into:
            call.into.write_bytes(answer)
            answer = b""
        return Reply(200, {}, answer)


def archive(**files: bytes) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as packed:
        for name, content in files.items():
            packed.writestr(name.replace("_", "."), content)
    return into.getvalue()


def damaged(packed: bytes, at: int) -> bytes:
    """The archive with one byte changed."""
    return packed[:at] + bytes([packed[at] ^ 0xFF]) + packed[at + 1 :]


ARCHIVE, ONE, TWO = "/invoice-documents", "/invoices/1/documents", "/invoices/2/documents"
NOT_YET = "it is not there yet: statements are issued on the 9th, the 19th and the 29th"
FIRST, SECOND = pdf(["1"]), pdf(["2"])
BROUGHT: dict[str, tuple[dict[str, Any], dict[str, str], list[str]]] = {
    "both": (
        {ARCHIVE: archive(f1_pdf=FIRST, f2_pdf=SECOND)},
        {"1": "1.pdf", "2": "2.pdf"},
        [ARCHIVE],
    ),
    "one is left out": (
        {ARCHIVE: archive(f1_pdf=FIRST), TWO: SECOND},
        {"1": "1.pdf", "2": "2.pdf"},
        [ARCHIVE, TWO],
    ),
    "one is not there": (
        {ARCHIVE: archive(f1_pdf=FIRST)},
        {"1": "1.pdf", "2": NOT_YET},
        [ARCHIVE, TWO],
    ),
    "no archive": ({ONE: FIRST, TWO: SECOND}, {"1": "1.pdf", "2": "2.pdf"}, [ARCHIVE, ONE, TWO]),
    "one in it is not a PDF": (
        {ARCHIVE: archive(f1_pdf=FIRST, f2_pdf=b"<html>"), TWO: SECOND},
        {"1": "1.pdf", "2": "2.pdf"},
        [ARCHIVE, TWO],
    ),
    "names with more digits": (
        {ARCHIVE: archive(f12_pdf=SECOND, f1_pdf=FIRST), TWO: SECOND},
        {"1": "1.pdf", "2": "2.pdf"},
        [ARCHIVE, TWO],
    ),
    "a name of both": (
        {ARCHIVE: archive(f1of2_pdf=b"%PDF-?", f2_pdf=SECOND), ONE: FIRST},
        {"1": "1.pdf", "2": "2.pdf"},
        [ARCHIVE, ONE],
    ),
    "refused for another reason": (
        {ARCHIVE: 400, ONE: 400, TWO: SECOND},
        {"1": "no reason given (HTTP 400)", "2": "2.pdf"},
        [ARCHIVE, ONE, TWO],
    ),
}


@pytest.mark.parametrize(("answers", "expected", "asked"), BROUGHT.values(), ids=BROUGHT)
def test_documents_of_two_invoices(
    tmp_path: Path, answers: dict[str, Any], expected: dict[str, str], asked: list[str]
) -> None:
    service, path = Documents(answers), tmp_path / "documents" / "list.csv"
    path.parent.mkdir()
    exported = brought(DOCUMENT_EXPORT, service, path, invoice=("1", "2"))
    rows = {row["invoiceId"]: row.get("file") or row.get("problem") for row in rows_in(path)}
    assert rows == expected
    assert [name for name in service.asked if not name.endswith("/count")] == asked
    for name, content in (("1.pdf", FIRST), ("2.pdf", SECOND)):
        place = path.parent / name
        assert place.exists() == (name in expected.values())
        assert not place.exists() or place.read_bytes() == content
    lacking = sum(not name.endswith(".pdf") for name in expected.values())
    assert len(losses(exported)) == bool(lacking)


def test_an_archive_that_is_damaged_anywhere_is_unreadable(tmp_path: Path) -> None:
    asked = DocumentCall(read_archive(("1", "2")), ("1", "2"))
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("1.pdf", FIRST)
    for number in range(len(into.getvalue())):
        body = tmp_path / "body"
        body.write_bytes(damaged(into.getvalue(), number))
        with suppress(Unreadable):
            read_documents(asked, Reply(200), body)


def test_an_invoice_named_twice_is_asked_for_once(tmp_path: Path) -> None:
    exported = brought(
        DOCUMENT_EXPORT, Documents({ONE: FIRST}), tmp_path / "list.csv", invoice=("1", "01")
    )
    assert exported.rows == 1


def test_one_is_asked_for_singly_and_must_be_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    brought(DOCUMENT_EXPORT, Documents({ONE: FIRST}), path, invoice=("1",))
    assert (tmp_path / "1.pdf").read_bytes() == FIRST


def test_many_come_by_tens(desk: Desk, tmp_path: Path) -> None:
    service = AtDesk(desk)
    names = invoiced(desk, paidAtMin="2026-01-01T00:00:00Z", paidAtMax="2026-12-21T00:00:00Z")
    exported = brought(DOCUMENT_EXPORT, service, tmp_path / "list.csv")
    assert exported.rows == len(names)
    assert service.asked.count(ARCHIVE) == 1
    asked = (*names, *map(str, range(1, 13 - len(names))))
    brought(DOCUMENT_EXPORT, service, tmp_path / "list.csv", invoice=(*asked,))
    assert service.asked.count(ARCHIVE) == 3
    assert {path.stem for path in tmp_path.glob("*.pdf")} == {*names}


def test_an_archive_that_is_refused_as_a_whole(new_desk: type[Desk], tmp_path: Path) -> None:
    with new_desk(FinanceBehaviour(is_archive_partial=False)) as desk:
        service = AtDesk(desk)
        first, *_ = invoiced(desk, **NOVEMBER)
        brought(DOCUMENT_EXPORT, service, tmp_path / "list.csv", invoice=(first, "7"))
    assert [path.stem for path in tmp_path.glob("*.pdf")] == [first]


def test_invoices_are_exported_by_the_command(feedtool: Feedtool) -> None:
    code, out, _ = feedtool("export invoice-documents --sandbox")
    assert (code, out.split()[0]) == (0, "invoice-documents/invoice-documents.csv")
    rows = rows_in(Path("invoice-documents/invoice-documents.csv"))
    assert len(rows) == len([*Path("invoice-documents").glob("*.pdf")]) > 1
    invoice = rows[0]["invoiceId"]
    assert feedtool(f"export invoice-details --sandbox --invoice {invoice}").code == 0
    code, _, err = feedtool("export invoice-documents --sandbox --invoice 7 --out none")
    assert (code, err.splitlines()[0]) == (1, "warning: 1 file is not there")


# What waits.


CALENDAR = {
    "Fri, 20 Nov 2026 08:00:00 GMT": ("2026-11-29", "2026-11-21"),
    "Tue, 29 Dec 2026 23:00:00 GMT": ("2027-01-09", "2027-01-01"),
    "Sun, 21 Feb 2027 00:00:00 GMT": ("2027-03-09", "2027-03-01"),
}


@pytest.mark.parametrize(("now", "expected"), CALENDAR.items(), ids=CALENDAR)
def test_calendar(now: str, expected: tuple[str, str]) -> None:
    statement, payment = expected
    told = calendar(Reply(200, {"date": now}))
    assert told == f"next statement on {statement}, next payment on {payment}"


def test_a_service_without_a_clock_has_no_calendar() -> None:
    assert calendar(Reply(200)) == ""
