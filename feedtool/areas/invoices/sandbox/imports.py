"""Imports of invoices: part "Order invoices" of the specification.

An upload is accepted at once, and each of its files then goes its own way

    OrderCheck → FileCheck → FileUpload → Done
    OrderCheck → FileCheck → FileExtract → Done         of a ZIP

or ends in Failure; the specification does not show the order. What a ZIP holds is checked from the
beginning. The invoice of an order is replaced by a new one.
"""

import io
import uuid
import zipfile
from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import datetime, timedelta
from email import policy
from email.message import Message
from email.parser import BytesParser
from hashlib import sha256
from sqlite3 import Connection
from typing import Any, NamedTuple

from lxml import etree
from msgspec import Struct

from feedtool.areas.orders.sandbox.shop import opened
from feedtool.areas.orders.sandbox.store import find
from feedtool.sandbox import effects
from feedtool.sandbox.exchange import (
    Exchange,
    HttpRequest,
    HttpResponse,
    RequestRefused,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
)
from feedtool.sandbox.resources import Life, Lists, Resource, StoredThing, TimedState
from feedtool.sandbox.state import stamp

# The files of an upload, and what they are.


FORM = "multipart/form-data"
ZIP = b"PK\x03\x04"
PDF = b"%PDF-"
UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
ROOTS = {f"{{{UBL}{name}-2}}{name}" for name in ("Invoice", "CreditNote")}
LARGEST = 1 << 26
"""Bytes of all that a ZIP may unpack to."""


class UploadedFile(NamedTuple):
    name: str
    content: bytes

    @property
    def stem(self) -> str:
        """Its name without the folder and the ending: in bulk the order's identifier."""
        name = self.name.rpartition("/")[2]
        return name.rpartition(".")[0] or name


def uploaded_files(request: HttpRequest) -> list[UploadedFile]:
    """The files of a form: 415 for another media type, 400 without files, or for an empty one."""
    kind = request.headers.get("content-type", "")
    if kind.partition(";")[0].strip().lower() != FORM:
        raise RequestRefused(415, f"The media type {kind!r} is not supported; send {FORM}.")
    head = f"Content-Type: {kind}\r\n\r\n".encode("latin-1", "replace")
    form = BytesParser(policy=policy.compat32).parsebytes(head + request.body)
    parts = form.get_payload() if form.is_multipart() and not form.defects else []
    files = [_file(part) for part in parts if isinstance(part, Message)]
    if not files:
        raise bad_request("body", "The body holds no file.")
    for file in files:
        if not file.name or not file.content:
            raise bad_request(file.name or "filename", "A file has no name, or no content.")
    return files


def _file(part: Message) -> UploadedFile:
    content = part.get_payload(decode=True)
    return UploadedFile(part.get_filename() or "", content if isinstance(content, bytes) else b"")


def is_zip(content: bytes) -> bool:
    return content.startswith(ZIP)


def unpacked(content: bytes) -> list[UploadedFile]:
    """The inner files of a ZIP; none if it is damaged, locked or too large."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            inner = [info for info in archive.infolist() if not info.is_dir()]
            if sum(info.file_size for info in inner) > LARGEST:
                return []
            return [UploadedFile(info.filename, archive.read(info)) for info in inner]
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError):
        return []


def _root(content: bytes) -> str:
    """The tag of an XML document's root; "" for other content, or with a document type."""
    if b"<!DOCTYPE" in content:
        return ""
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        return str(etree.fromstring(content, parser).tag)
    except etree.XMLSyntaxError:
        return ""


RUNNING, SUCCESS, PARTIAL, FAILURE = "Running", "Success", "PartialSuccess", "Failure"
ORDER_CHECK, FILE_CHECK, DONE = "OrderCheck", "FileCheck", "Done"
FILE_EXTRACT, FILE_UPLOAD = "FileExtract", "FileUpload"


class InvoiceBehaviour(Struct, frozen=True):
    """The time of a file in each state, and the channels without invoices."""

    order_check: timedelta = timedelta(seconds=5)
    file_check: timedelta = timedelta(seconds=5)
    extract: timedelta = timedelta(seconds=5)
    upload: timedelta = timedelta(seconds=10)
    closed_channels: tuple[str, ...] = ("SECOND",)
    """"The feature is limited to some sales channels"."""
    refuses_unknown: bool = False
    """True if an upload with the name of no order is refused as a whole ("Errors", rule 8)."""


# Routes.


@opened
def submit(exchange: Exchange) -> HttpResponse:
    """POST /order-invoice-imports: files that are named after their orders, or ZIPs of such."""
    files = uploaded_files(exchange.request)
    if exchange.settings.of(InvoiceBehaviour).refuses_unknown:
        for file in files:
            if not is_zip(file.content):
                _check_order(exchange, file.stem, file.name)
    return _begin(exchange, [(file, file.stem) for file in files])


@opened
def submit_of_order(exchange: Exchange) -> HttpResponse:
    """POST /orders/{orderId}/invoice-documents: files of one order, with any names."""
    files, order = uploaded_files(exchange.request), exchange.ids["orderId"]
    _check_order(exchange, order, "orderId")
    return _begin(exchange, [(file, order) for file in files])


def _check_order(exchange: Exchange, order: str, cause: str) -> None:
    if _channel_of(exchange.db, exchange.seller, order) is None:
        raise bad_request(cause, f"The order {order} does not exist.")


def _begin(exchange: Exchange, files: Sequence[tuple[UploadedFile, str]]) -> HttpResponse:
    """Take files in, each with the order that it is for."""
    db, seller, now = exchange.db, exchange.seller, exchange.now
    taken = IMPORTS.new(db, seller, now)
    text = f"invoice import {taken.number} of {stamp(now)}"
    taken.name = str(uuid.uuid5(uuid.NAMESPACE_URL, text))
    taken.document = {"importId": taken.name, "createdAt": stamp(now)}
    IMPORTS.keep(db, taken)
    for file, order in files:
        _add(db, seller, taken.name, file, order, now, exchange.settings)
        effects.note(exchange, "invoice", order, sha256(file.content).hexdigest())
    return json_answer(201, show(exchange, taken))


def _add(
    db: Connection,
    seller: str,
    import_id: str,
    file: UploadedFile,
    order: str,
    now: datetime,
    settings: SandboxSettings,
) -> None:
    added = FILES.new(db, seller, now)
    content = b64encode(file.content).decode()
    added.document = {"importId": import_id, "name": file.name, "order": order, "content": content}
    FILES.enter(added, ORDER_CHECK, now, settings)
    FILES.keep(db, added)


def show(exchange: Exchange, taken: StoredThing) -> dict[str, Any]:
    """The document of an import; `message` is invented, the specification names no reason."""
    files = [
        {
            "name": file.document["name"],
            "status": {DONE: SUCCESS, FAILURE: FAILURE}.get(file.status, RUNNING),
            "integrationStatus": file.status,
            **({"message": file.document["message"]} if "message" in file.document else {}),
        }
        for file in FILES.every(exchange.db, exchange.seller, importId=taken.name)
    ]
    statuses = {file["status"] for file in files}
    together = next(iter(statuses)) if len(statuses) == 1 else PARTIAL
    status = RUNNING if RUNNING in statuses else together
    return {**taken.document, "status": status, "files": files}


# The states of a file.


def check_order(db: Connection, file: StoredThing, _: datetime, settings: SandboxSettings) -> str:
    """A ZIP is of no order: those of its inner files are looked at when it is unpacked."""
    if not is_zip(_content(file)):
        order = file.document["order"]
        channel = _channel_of(db, file.seller, order)
        if channel is None:
            return _fail(file, f"The order {order} does not exist.")
        if channel in settings.of(InvoiceBehaviour).closed_channels:
            return _fail(file, f"The sales channel {channel} takes no invoices.")
    return FILE_CHECK


def check_content(_: Connection, file: StoredThing, __: datetime, ___: SandboxSettings) -> str:
    """Only a PDF and an invoice in UBL are kept as they are."""
    content = _content(file)
    if is_zip(content):
        return FILE_EXTRACT
    if not content.startswith(PDF) and _root(content) not in ROOTS:
        return _fail(file, "The file is neither a PDF nor a UBL 2.1 invoice.")
    return FILE_UPLOAD


def extract(db: Connection, file: StoredThing, now: datetime, settings: SandboxSettings) -> str:
    """The inner files join the list; one that was sent for an order stays that order's."""
    inner_files, document = unpacked(_content(file)), file.document
    if not inner_files or any(is_zip(inner.content) for inner in inner_files):
        return _fail(file, "The ZIP cannot be unpacked, or holds no files.")
    is_of_itself = document["order"] == UploadedFile(document["name"], b"").stem
    for inner in inner_files:
        order = inner.stem if is_of_itself else document["order"]
        _add(db, file.seller, document["importId"], inner, order, now, settings)
    return DONE


def upload(db: Connection, file: StoredThing, now: datetime, _: SandboxSettings) -> str:
    """A new invoice replaces the one that the order has."""
    order = file.document["order"]
    invoice = INVOICES.find(db, file.seller, order) or INVOICES.new(db, file.seller, now)
    invoice.name = order
    invoice.document = {
        "name": file.document["name"],
        "sha256": sha256(_content(file)).hexdigest(),
        "at": stamp(now),
        "uploads": invoice.document.get("uploads", 0) + 1,
    }
    INVOICES.keep(db, invoice)
    return DONE


def forget_content(file: StoredThing, _: datetime) -> None:
    if file.status in {DONE, FAILURE}:
        del file.document["content"]


def _content(file: StoredThing) -> bytes:
    return b64decode(file.document["content"])


def _fail(file: StoredThing, message: str) -> str:
    file.document["message"] = message
    return FAILURE


def _channel_of(db: Connection, seller: str, order: str) -> str | None:
    known = find(db, seller, order)
    return known.channel if known else None


IMPORTS = Resource(
    kind="import",
    path="/order-invoice-imports",
    key="importId",
    lists=Lists(filters={}, limit="pageSize", order="Desc"),
    show=show,
    routes=(
        Route("POST", "/orders/{orderId}/invoice-documents", submit_of_order),
        Route("POST", "/order-invoice-imports", submit),
    ),
    counted=True,
)
FILES = Resource(
    kind="invoice file",
    life=Life(
        InvoiceBehaviour,
        {
            ORDER_CHECK: TimedState(lambda of, _: of.order_check, check_order),
            FILE_CHECK: TimedState(lambda of, _: of.file_check, check_content),
            FILE_EXTRACT: TimedState(lambda of, _: of.extract, extract),
            FILE_UPLOAD: TimedState(lambda of, _: of.upload, upload),
        },
        entered=forget_content,
    ),
    indexed=("importId",),
)
"""The files of imports; a status is what is shown as `integrationStatus`."""
INVOICES = Resource(kind="order invoice")
"""By the order's name; `uploads` is the number of invoices that the order was given so far."""
