"""The calls about invoices, and what their answers say."""

import json
from base64 import b64encode
from typing import Any

import pytest

from feedtool.areas.invoices import wire
from feedtool.areas.invoices.wire import form_of, import_id, imports_page, match, order_of
from feedtool.feeds.package_ref import PackageRef
from feedtool.model.call import Reply
from feedtool.model.nouns import PendingRow, Status
from feedtool.model.settings import AccountSettings, PackageLimits
from feedtool.service.answers import Unreadable

URL = "https://service.example/v2/order-invoice-imports"
RUNNING = {"name": "O-1.pdf", "status": "Running"}
FAILED = {"name": "O-1.pdf", "status": "Failure", "integrationStatus": "Failure"}
FAILURE = ("Failure", Status.FAILURE)
SUCCESS = {"name": "O-1.pdf", "status": "Success", "integrationStatus": "Done"}


def package(package_id: str = "", link: str | None = None) -> PackageRef:
    return PackageRef("Invoices", "", "en", AccountSettings(), package_id, link)


def reply(document: object, **headers: str) -> Reply:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Reply(200, headers, body, URL)


def body(order: str, content: bytes = b"%PDF-") -> bytes:
    fields = {"orderId": order, "fileName": f"{order}.pdf", "mediaType": "application/pdf"}
    return json.dumps({**fields, "content": b64encode(content).decode()}).encode()


def test_invoices_travel_together_and_byte_for_byte() -> None:
    bodies = [body("O-1", b"%PDF-\r\n\0\xff"), body("O-2")]
    call = wire.submit(package(), bodies)
    assert (call.method, call.target) == ("POST", "/order-invoice-imports")
    assert call.body == form_of(bodies).body == wire.submit(package(), bodies).body
    assert b'name="O-1.pdf"; filename="O-1.pdf"' in call.body
    assert b"\r\n\r\n%PDF-\r\n\0\xff\r\n" in call.body
    assert dict(call.headers)["Content-Type"].startswith("multipart/form-data; boundary=")


def test_an_invoice_that_travels_alone_goes_to_its_order() -> None:
    alone = package()._replace(settings=AccountSettings(limits=PackageLimits(invoices=1)))
    call = wire.submit(alone, [body("O/1")])
    assert (call.method, call.target) == ("POST", "/orders/O%2F1/invoice-documents")
    assert call.body == form_of([body("O/1")]).body


@pytest.mark.parametrize(
    ("ref", "target", "query"),
    [
        (package(), "/order-invoice-imports", (("pageSize", "100"),)),
        (package("a/b"), "/order-invoice-imports/a%2Fb", ()),
        (package("", f"{URL}?cursor=2"), f"{URL}?cursor=2", ()),
    ],
)
def test_an_import_is_read_by_its_id_else_looked_for(
    ref: PackageRef, target: str, query: tuple[tuple[str, str], ...]
) -> None:
    call = wire.read_imports(ref)
    assert (call.target, call.query) == (target, query)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (reply({"importId": "I-1"}), "I-1"),
        (reply({"importId": 7, "files": []}), "7"),
        (reply(b"", location="/v2/order-invoice-imports/I-2"), "I-2"),
        (reply({"importId": ""}, location="/v2/order-invoice-imports/I-3"), "I-3"),
    ],
)
def test_an_answer_names_its_import(answer: Reply, expected: str) -> None:
    assert import_id(answer) == expected


@pytest.mark.parametrize(
    "answer",
    [
        *(reply(b""), reply([]), reply({}), reply(b"<html>"), reply({"importId": "I" * 300})),
        reply({}, location="/v2/order-invoice-imports"),
    ],
)
def test_an_answer_without_an_import_is_unreadable(answer: Reply) -> None:
    with pytest.raises(Unreadable):
        import_id(answer)


@pytest.mark.parametrize(
    ("file", "word", "status", "messages"),
    [
        (SUCCESS, "Done", Status.SUCCESS, []),
        ({**SUCCESS, "status": "success"}, "Done", Status.SUCCESS, []),
        ({**SUCCESS, "integrationStatus": None}, "Success", Status.SUCCESS, []),
        ({**RUNNING, "integrationStatus": "FileCheck"}, "FileCheck", None, []),
        ({**RUNNING, "status": "Parked"}, "Parked", None, []),
        ({"name": "O-1.pdf"}, "", None, []),
        ({**FAILED, "message": "No order."}, *FAILURE, ["No order."]),
        ({**FAILED, "message": "A", "reason": "A", "error": "B"}, *FAILURE, ["A", "B"]),
        ({**FAILED}, *FAILURE, ["The service gave no reason; it ended in Failure."]),
        (
            {**SUCCESS, "status": "PartialSuccess"},
            *("Done", Status.UNKNOWN, ["The service gave no reason; it ended in Done."]),
        ),
    ],
)
def test_statuses_of_files_are_read(
    file: dict[str, Any], word: str, status: Status | None, messages: list[str]
) -> None:
    document = {"importId": "I-1", "createdAt": "2026-03-02T09:00:00Z", "files": [file]}
    item, _ = imports_page(reply(document)).items
    assert (item.package_id, item.reference, item.word, item.status) == ("I-1", "O-1", word, status)
    assert [message.text for message in item.messages] == messages
    assert item.submitted_at is not None


@pytest.mark.parametrize(
    ("document", "orders"),
    [
        ({"items": [{"importId": "I-1", "files": [SUCCESS, {"name": "O-2.xml"}]}]}, ["O-1", "O-2"]),
        ([{"importId": "I-1", "files": [SUCCESS]}, {"importId": "I-2"}], ["O-1"]),
        (
            {"importId": "I-1", "files": [{}, None, {"name": 5}, {"name": "a/O-3.pdf"}]},
            ["5", "O-3", None],
        ),
        ({"items": []}, []),
        ({"items": [None, "x"]}, []),
    ],
)
def test_imports_come_alone_or_as_a_list(document: object, orders: list[str]) -> None:
    assert [item.reference for item in imports_page(reply(document)).items] == orders


@pytest.mark.parametrize("document", [b"", b"no", {"items": 1}, {"files": 5}, 7])
def test_documents_without_imports_are_unreadable(document: object) -> None:
    with pytest.raises(Unreadable):
        imports_page(reply(document))


def test_the_next_page_is_where_the_link_leads() -> None:
    answer = reply({"items": []}, link=f'<{URL}?cursor=2>; rel="next"')
    assert imports_page(answer).next == f"{URL}?cursor=2"


@pytest.mark.parametrize(
    ("name", "order"),
    [("O-1.pdf", "O-1"), ("a/O-1.pdf", "O-1"), ("O-1", "O-1"), ("O.1.pdf", "O.1"), ("", "")],
)
def test_a_file_is_named_after_its_order(name: str, order: str) -> None:
    assert order_of(name) == order


def test_rows_meet_the_files_of_their_orders() -> None:
    rows = [PendingRow(2, "O-1", ""), PendingRow(3, "O-2", "")]
    files = [SUCCESS, {"name": "O-9.pdf"}]
    items = imports_page(reply({"importId": "I-1", "files": files})).items
    assert [(row.row, item.reference) for row, item in match(rows, items) if item.status] == [
        (2, "O-1")
    ]


IMPORTS: dict[str, tuple[dict[str, Any], list[Status | None]]] = {
    "it runs": ({"status": "Running", "files": [SUCCESS]}, [Status.SUCCESS, None]),
    "it runs, and shows no file yet": ({"status": "Running"}, [None, None]),
    "it failed, and shows no file": ({"status": "Failure"}, [Status.FAILURE] * 2),
    "it failed, with a file that is said to run": (
        {"status": "failure", "files": [RUNNING]},
        [Status.FAILURE] * 2,
    ),
    "a file's own last word goes first": (
        {"status": "Failure", "files": [SUCCESS]},
        [Status.SUCCESS, Status.FAILURE],
    ),
    "it is a success": ({"status": "Success", "files": []}, [Status.SUCCESS] * 2),
    "a part is a success": (
        {"status": "PartialSuccess", "files": [FAILED]},
        [Status.FAILURE, Status.UNKNOWN],
    ),
    "an import that says nothing": ({"files": [RUNNING]}, [None, None]),
}
"""The status of an import, and the last words on the orders O-1 and O-2."""


@pytest.mark.parametrize(("document", "expected"), IMPORTS.values(), ids=IMPORTS)
def test_the_last_word_on_an_import_is_that_on_its_files(
    document: dict[str, Any], expected: list[Status | None]
) -> None:
    rows = [PendingRow(2, "O-1", ""), PendingRow(3, "O-2", "")]
    items = imports_page(reply({"importId": "I-1", **document})).items
    last = dict.fromkeys(rows) | {
        row: item.status for row, item in match(rows, items) if item.status
    }
    assert [*last.values()] == expected
    for row, item in match(rows, items):
        assert bool(item.messages) is (item.status in {Status.FAILURE, Status.UNKNOWN}), row


def test_an_import_without_file_names_yields_no_results() -> None:
    """The list has imports that somebody else began."""
    items = imports_page(reply({"items": [{"importId": "I-1", "status": "Failure"}]})).items
    assert items == []
