"""Invoices taken in, file by file, with every state and every refusal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.invoices.sandbox.imports import INVOICES, InvoiceBehaviour, uploaded_files
from feedtool.model.call import FilePart, Multipart, multipart
from feedtool.sandbox import HttpRequest, effects
from tests.areas.invoices.made_invoices import pdf, place, ubl, zipped
from tests.areas.orders.sandbox.counter import QUIET
from tests.sandbox.desk import Answer, Desk

IMPORTS = "/order-invoice-imports"
PDF, XML = pdf(), ubl()


@pytest.fixture
def desk(new_desk: type[Desk]) -> Iterator[Desk]:
    """A sandbox with orders O-1 to O-3, and S-1 of the second channel."""
    with new_desk(QUIET) as desk:
        open_shop(desk)
        yield desk


def open_shop(desk: Desk) -> None:
    with desk.sandbox.state.transaction() as db:
        place(db, "S1", desk.now, "O-1", "O-2", "O-3")
        place(db, "S1", desk.now, "S-1", channel="SECOND")


def form(files: Sequence[tuple[str, bytes]]) -> Multipart:
    return multipart([FilePart("files", name, "application/pdf", body) for name, body in files])


def post(
    desk: Desk, *files: tuple[str, bytes], path: str = IMPORTS, **headers: str | None
) -> Answer:
    body = form(files)
    return desk.ask("POST", path, body.body, headers={**dict(body.headers), **headers})


def shown(desk: Desk, answer: Answer) -> Any:
    return desk.ask("GET", f"{IMPORTS}/{answer.json['importId']}").json


def words(document: Any) -> list[tuple[str, str, str]]:
    return [(file["name"], file["status"], file["integrationStatus"]) for file in document["files"]]


def kept(desk: Desk) -> dict[str, tuple[str, int]]:
    """The invoice of each order, by its file's name, and how many it has had."""
    with desk.sandbox.state.transaction() as db:
        invoices = INVOICES.every(db, "S1")
    return {it.name: (it.document["name"], it.document["uploads"]) for it in invoices}


def test_a_pdf_goes_through_every_state(desk: Desk) -> None:
    taken = post(desk, ("O-1.pdf", PDF))
    assert (taken.status, words(taken.json)) == (201, [("O-1.pdf", "Running", "OrderCheck")])
    states = []
    for seconds in (4.9, 0.1, 4.9, 0.1, 9.9, 0.1):
        desk.wait(seconds)
        states.append(shown(desk, taken)["files"][0]["integrationStatus"])
    assert states == ["OrderCheck", *(["FileCheck"] * 2), *(["FileUpload"] * 2), "Done"]
    assert shown(desk, taken)["status"] == "Success"
    assert kept(desk) == {"O-1": ("O-1.pdf", 1)}


def test_a_zip_is_unpacked_and_its_files_join_the_list(desk: Desk) -> None:
    taken = post(desk, ("march.zip", zipped({"a/O-1.pdf": PDF, "O-2.xml": XML, "O-3.pdf": b"no"})))
    desk.wait(10)
    assert words(shown(desk, taken)) == [("march.zip", "Running", "FileExtract")]
    desk.wait(5)
    running = ("Running", "OrderCheck")
    assert words(shown(desk, taken)) == [
        ("march.zip", "Success", "Done"),
        *((name, *running) for name in ("a/O-1.pdf", "O-2.xml", "O-3.pdf")),
    ]
    desk.wait(20)
    after = shown(desk, taken)
    assert after["status"] == "PartialSuccess"
    assert words(after)[1:] == [
        *((name, "Success", "Done") for name in ("a/O-1.pdf", "O-2.xml")),
        ("O-3.pdf", "Failure", "Failure"),
    ]
    assert kept(desk) == {"O-1": ("a/O-1.pdf", 1), "O-2": ("O-2.xml", 1)}


@pytest.mark.parametrize(
    ("name", "content", "status"),
    [
        ("O-1.pdf", PDF, "Success"),
        ("O-1.xml", XML, "Success"),
        ("O-1.xml", ubl("CreditNote"), "Success"),
        ("O-1.pdf", b"GIF89a", "Failure"),
        ("O-1.xml", ubl("Order"), "Failure"),
        ("O-1.xml", ubl(before="<!DOCTYPE Invoice>"), "Failure"),
        ("O-1.xml", XML[:-3], "Failure"),
        ("O-1.zip", b"PK\x03\x04 and no more", "Failure"),
        ("O-1.zip", zipped({"inner.zip": zipped({"O-1.pdf": PDF})}), "Failure"),
        ("O-1.zip", zipped({}), "Failure"),
        ("unknown-1.pdf", PDF, "Failure"),
        ("S-1.pdf", PDF, "Failure"),
    ],
)
def test_a_file_is_judged_by_order_and_content(
    desk: Desk, name: str, content: bytes, status: str
) -> None:
    taken = post(desk, (name, content))
    desk.wait(60)
    assert shown(desk, taken)["status"] == status
    assert len(kept(desk)) == (status == "Success")


def test_a_new_invoice_replaces_the_old_one(desk: Desk) -> None:
    for name in ("O-1.pdf", "O-1.xml"):
        post(desk, (name, PDF))
        desk.wait(60)
    shown(desk, post(desk, ("O-2.pdf", PDF)))
    assert kept(desk) == {"O-1": ("O-1.xml", 2)}
    with desk.sandbox.state.transaction() as db:
        assert [(one.kind, one.key) for one in effects.read(db)] == [
            *(("invoice", order) for order in ("O-1", "O-1", "O-2")),
        ]


def test_a_single_order_names_itself(desk: Desk) -> None:
    path = "/orders/O-1/invoice-documents"
    taken = post(desk, ("any name.zip", zipped({"other.pdf": PDF})), path=path)
    desk.wait(60)
    assert (taken.status, shown(desk, taken)["status"]) == (201, "Success")
    assert kept(desk) == {"O-1": ("other.pdf", 1)}
    assert post(desk, ("O-1.pdf", PDF), path="/orders/unknown-1/invoice-documents").status == 400


@pytest.mark.parametrize(
    ("files", "headers", "status"),
    [
        ([], {}, 400),
        ([("", PDF)], {}, 400),
        ([("O-1.pdf", b"")], {}, 400),
        ([("O-1.pdf", PDF)], {"Content-Type": "application/json"}, 415),
        ([("O-1.pdf", PDF)], {"Content-Type": "multipart/form-data"}, 400),
        ([("O-1.pdf", PDF)], {"Content-Type": "multipart/form-data; boundary=other"}, 400),
        ([("O-1.pdf", PDF)], {"SellerId": None}, 400),
        ([("O-1.pdf", PDF)], {"Authorization": "Bearer forbidden"}, 403),
    ],
)
def test_wrong_imports_are_refused(
    desk: Desk, files: Sequence[tuple[str, bytes]], headers: Mapping[str, str | None], status: int
) -> None:
    body = form(files)
    own = {**dict(body.headers), **headers}
    assert desk.ask("POST", IMPORTS, body.body, headers=own).status == status


def test_an_unknown_order_may_refuse_all(new_desk: type[Desk]) -> None:
    with new_desk(QUIET, InvoiceBehaviour(refuses_unknown=True)) as desk:
        open_shop(desk)
        assert post(desk, ("O-1.pdf", PDF), ("unknown-1.pdf", PDF)).status == 400
        assert post(desk, ("O-1.pdf", PDF)).status == 201


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_imports_are_listed_newest_first(desk: Desk, count: int) -> None:
    for _ in range(count):
        post(desk, ("O-1.pdf", PDF))
        desk.wait(1)
    pages = list(desk.pages(IMPORTS, {"pageSize": 2}))
    times = [page["createdAt"] for page in pages]
    assert times == sorted(times, reverse=True)
    assert len({page["importId"] for page in pages}) == count


def test_imports_of_another_seller_are_not_found(desk: Desk) -> None:
    path = f"{IMPORTS}/{post(desk, ('O-1.pdf', PDF)).json['importId']}"
    other = {"SellerId": "S2"}
    assert (desk.ask("GET", path).status, desk.ask("GET", path, headers=other).status) == (200, 404)
    assert desk.ask("GET", IMPORTS, headers=other).json["items"] == []


@pytest.mark.parametrize("query", ["pageSize=0", "pageSize=x", "cursor=2"])
def test_a_page_has_a_size_and_a_cursor(desk: Desk, query: str) -> None:
    assert desk.ask("GET", IMPORTS, query=query).status == 400


@given(st.lists(st.binary(min_size=1), min_size=1, max_size=3))
def test_any_bytes_arrive_unchanged(contents: list[bytes]) -> None:
    body = form([(f"O-{number}.pdf", content) for number, content in enumerate(contents)])
    files = uploaded_files(HttpRequest("POST", IMPORTS, headers=dict(body.headers), body=body.body))
    assert [file.content for file in files] == contents
