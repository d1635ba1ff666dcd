"""Invoices from the command line: a sheet, a folder, a ZIP, single files; sent, answered, once."""

import csv
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from feedtool.areas.invoices.sandbox.imports import INVOICES, InvoiceBehaviour
from feedtool.areas.registry import sandbox_parts
from feedtool.cli.options import SANDBOX_SELLER
from feedtool.sandbox import SandboxSettings, effects
from feedtool.sandbox.server import Server
from tests.areas.conftest import state
from tests.areas.invoices.made_invoices import pdf, place, ubl, zipped
from tests.cli.conftest import Feedtool, enter, rows_of
from tests.resume.runner import killed

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ORDERS = [f"O-{number}" for number in range(1, 6)]


def invoice_counts() -> dict[str, int]:
    """The number of invoices of each order."""
    with state() as db:
        return {it.name: it.document["uploads"] for it in INVOICES.every(db, SANDBOX_SELLER)}


def sent_orders() -> list[str]:
    """The orders of all files that were ever sent."""
    with state() as db:
        return sorted(one.key for one in effects.read(db) if one.kind == "invoice")


@pytest.fixture(autouse=True)
def _shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox has the orders, the folder `invoices` a file for each."""
    enter(tmp_path, monkeypatch)
    Path("home").mkdir()
    with state() as db:
        place(db, SANDBOX_SELLER, AT, *ORDERS)
    Path("invoices").mkdir()
    for order in ORDERS[:4]:
        Path(f"invoices/{order}.pdf").write_bytes(pdf(order))
    Path("invoices/O-5.xml").write_bytes(ubl())


def index(*rows: tuple[str, str]) -> Path:
    lines = [f"{order},{file}\n" for order, file in rows]
    Path("index.csv").write_text("orderId,file\n" + "".join(lines))
    return Path("index.csv")


SUBMIT = "submit --sandbox --format json"


def test_a_folder_is_sent_file_by_file_answered_and_corrected(feedtool: Feedtool) -> None:
    Path("invoices/O-9.pdf").write_bytes(pdf("no such order"))
    Path("invoices/O-4.pdf").write_bytes(pdf("/Encrypt 5 0 R"))
    ran = feedtool(SUBMIT, "invoices")
    assert (ran.code, ran.only["kind"]) == (1, "invoices")
    statuses = ["Success", "Success", "Success", "Invalid", "Success", "Failure"]
    assert ran.statuses == statuses
    assert [(package["packageType"], package["rows"]) for package in ran.only["packages"]] == [
        ("Invoices", 5)
    ]
    rows = rows_of("invoices.result.xlsx", "Invoices")
    assert [row["file"] for row in rows] == [
        *(f"invoices/O-{number}.pdf" for number in range(1, 5)),
        *("invoices/O-5.xml", "invoices/O-9.pdf"),
    ]
    assert [row["feedtool status"] for row in rows] == statuses
    assert rows[3]["feedtool code"] == "pdf-encrypted"
    assert rows[5]["feedtool message"] == "The order O-9 does not exist."
    assert invoice_counts() == dict.fromkeys(TAKEN, 1)
    # The import's files are listed, and the one that failed waits.
    assert_imports_are_listed(feedtool)
    assert failed(feedtool) == [(1, "feedtool results 1")]
    # The workbook of rows to correct can be sent, once they are corrected.
    Path("invoices/O-4.pdf").write_bytes(pdf("open"))
    with state() as db:
        place(db, SANDBOX_SELLER, AT, "O-9")
    again = feedtool(SUBMIT, "invoices.failed.xlsx")
    assert (again.code, again.statuses) == (0, ["Success"] * 2)
    assert invoice_counts() == dict.fromkeys((*ORDERS, "O-9"), 1)
    assert failed(feedtool) == []
    # Another invoice of an order is held until it is released.
    Path("invoices/O-1.pdf").write_bytes(pdf("another"))
    changed = feedtool(SUBMIT, "invoices", "--changed-only")
    assert changed.statuses == ["Held", *(["Unchanged"] * 5)]
    (message,) = changed.only["results"][0]["messages"]
    assert message["resultCode"] == "invoice-replaces"
    assert invoice_counts() == dict.fromkeys((*ORDERS, "O-9"), 1)
    released = feedtool(SUBMIT, "invoices", "--changed-only", "--release", "invoice-replaces")
    assert released.statuses == ["Success", *(["Unchanged"] * 5)]
    # A single one has its answer beside it.
    assert feedtool(SUBMIT, "invoices/O-1.pdf").statuses == ["Success"]
    assert rows_of("invoices/O-1.result.xlsx", "Invoices")[0]["feedtool status"] == "Success"
    assert (invoice_counts()["O-1"], invoice_counts()["O-2"]) == (3, 1)


TAKEN = ("O-1", "O-2", "O-3", "O-5")


def assert_imports_are_listed(feedtool: Feedtool) -> None:
    assert feedtool("export invoice-imports --sandbox --out imports.csv").code == 0
    with Path("imports.csv").open(encoding="utf-8-sig") as file:
        rows = [*csv.DictReader(file)]
    found = {row["orderId"]: (row["file.status"], row["status"]) for row in rows}
    taken = dict.fromkeys(TAKEN, ("Success", "PartialSuccess"))
    assert found == {**taken, "O-9": ("Failure", "PartialSuccess")}
    reasons = {row["orderId"]: row["file.message"] for row in rows if row["file.message"]}
    assert reasons == {"O-9": "The order O-9 does not exist."}


def failed(feedtool: Feedtool) -> list[tuple[int, str]]:
    """The number of failed invoices that wait, and the command that shows them."""
    lines = feedtool("todo --sandbox --format json").json
    return [(line["count"], line["command"]) for line in lines if line["name"] == "failed"]


def test_a_zip_and_single_files_are_sent_too(feedtool: Feedtool) -> None:
    files = {file.name: file.read_bytes() for file in Path("invoices").iterdir()}
    Path("march.zip").write_bytes(zipped(dict(sorted(files.items())[:2])))
    singles = [f"invoices/O-{number}.pdf" for number in (3, 4)]
    ran = feedtool(SUBMIT, "march.zip", *singles)
    assert (ran.code, [sheet["file"] for sheet in ran.json]) == (
        0,
        ["march.zip", "invoices/invoices"],
    )
    assert invoice_counts() == dict.fromkeys(ORDERS[:4], 1)
    assert [row["file"] for row in rows_of("march.result.xlsx", "Invoices")] == [
        *("march.zip/O-1.pdf", "march.zip/O-2.pdf"),
    ]
    assert [row["file"] for row in rows_of("invoices/invoices.result.xlsx", "Invoices")] == [
        *("O-3.pdf", "O-4.pdf"),
    ]


def test_files_named_otherwise_can_each_go_to_their_order(feedtool: Feedtool) -> None:
    Path("invoices").rename("old")
    Path("invoices").mkdir()
    for order in ("O-5", "O-9"):  # the last of which does not exist
        Path(f"invoices/2026-118_{order}.pdf").write_bytes(pdf())
    Path("shop.toml").write_text(
        "[profile.shop]\ninvoice_name = '.*_([^_]+)[.]pdf'\n[profile.shop.limits]\ninvoices = 1\n"
    )
    ran = feedtool(SUBMIT, "invoices", "--config", "shop.toml", "--profile", "shop")
    assert (ran.code, ran.statuses) == (1, ["Success", "Rejected"])
    assert len(ran.only["packages"]) == 2
    assert invoice_counts() == {"O-5": 1}


def test_a_folder_of_other_files_has_to_be_called_invoices(feedtool: Feedtool) -> None:
    Path("invoices/notes.txt").write_text("to do")
    ran = feedtool("validate --format json invoices")
    assert (ran.code, ran.only["error"]["code"]) == (3, "file-missing")
    called = feedtool("validate --format json --as invoices invoices")
    (problem,) = called.only["problems"]
    assert (called.code, called.only["valid"]) == (1, 5)
    assert (problem["code"], problem["column"], problem["row"]) == ("invoice-type", "B", 8)


def test_a_sheet_names_orders_and_files(feedtool: Feedtool) -> None:
    path = index(("O-1", "invoices/O-2.pdf"), ("O-2", "march.zip/any.pdf"))
    Path("march.zip").write_bytes(zipped({"any.pdf": pdf("any")}))
    ran = feedtool(SUBMIT, path, "--as", "invoices")
    assert (ran.code, ran.statuses, invoice_counts()) == (0, ["Success"] * 2, {"O-1": 1, "O-2": 1})
    assert "O-1,invoices/O-2.pdf,Success" in Path("index.result.csv").read_text("utf-8-sig")


WRONG = [
    (("O-11", "invoices/O-9.pdf"), "file-not-found", "B", "look at the path"),
    (("O-12", "empty.pdf"), "file-empty", "B", "export or download it again"),
    (("O-13", "photo.pdf"), "invoice-type", "B", "export the invoice as a PDF"),
    (("O-14", "locked.pdf"), "pdf-encrypted", "B", "export it without a password"),
    (("O-1 (1)", "invoices/O-1.pdf"), "order-id-name", "A", "name the file after its order alone"),
    (("O-2", "invoices/O-3.pdf"), "invoice-twice", "A", "keep one of them"),
    (("", "invoices/O-4.pdf"), "required-missing", "A", "fill the cell"),
    (("O-15", ""), "required-missing", "B", "fill the cell"),
]
"""A row, the code of what is wrong with it, its column, and what to do."""


def test_problems_name_their_cells(feedtool: Feedtool) -> None:
    Path("empty.pdf").touch()
    Path("photo.pdf").write_bytes(b"GIF89a")
    Path("locked.pdf").write_bytes(pdf("/Encrypt 5 0 R"))
    path = index(("O-2", "invoices/O-2.pdf"), *(row for row, *_ in WRONG))
    ran = feedtool("validate", path, "--as", "invoices", "--format", "json")
    assert ran.code == 1
    faults = {
        (problem["row"], problem["column"]): (problem["code"], problem["hint"])
        for problem in ran.only["problems"]
    }
    assert faults.pop((2, "A")) == ("invoice-twice", "keep one of them")
    assert faults == {
        (number, column): (code, hint)
        for number, (_, code, column, hint) in enumerate(WRONG, start=3)
    }


def test_a_dry_run_writes_the_imports(feedtool: Feedtool) -> None:
    Path("shop.toml").write_text("[profile.shop.limits]\ninvoices = 2\n")
    options = ["--config", "shop.toml", "--profile", "shop", "--requests", "requests"]
    ran = feedtool("submit --dry-run --format json", "invoices", *options)
    assert [package["rows"] for package in ran.only["packages"]] == [2, 2, 1]
    written = sorted(Path("requests/invoices").iterdir())
    assert [path.name for path in written] == [f"import-00{at}.multipart" for at in (1, 2, 3)]
    assert b'filename="O-1.pdf"' in written[0].read_bytes()
    assert not sent_orders()


def test_a_plan_is_sent_only_with_unchanged_files(feedtool: Feedtool) -> None:
    assert feedtool("submit --sandbox --dry-run --save-plan plan.json invoices").code == 0
    shutil.copy("invoices/O-1.pdf", "kept.pdf")
    Path("invoices/O-1.pdf").write_bytes(pdf("another"))
    assert feedtool("submit --sandbox --plan plan.json").code != 0
    assert not sent_orders()
    shutil.copy("kept.pdf", "invoices/O-1.pdf")
    assert feedtool("submit --sandbox --plan plan.json").code == 0
    assert sent_orders() == ORDERS


def test_an_import_that_is_refused_goes_on_in_halves(feedtool: Feedtool) -> None:
    Path("invoices/O-9.pdf").write_bytes(pdf("no such order"))
    settings = SandboxSettings(parts=(InvoiceBehaviour(refuses_unknown=True),))
    with Server(sandbox_parts(), speed=1000, settings=settings) as server:
        with server.sandbox.state.transaction() as db:
            place(db, "S1", AT, *ORDERS)
        options = ["--base-url", server.base, "--token", "sandbox", "--seller", "S1"]
        ran = feedtool("submit --format json", "invoices", *options)
    assert (ran.code, ran.statuses) == (1, [*(["Success"] * 5), "Rejected"])


WRITES = 80
"""A submit of one import reaches fewer points; at a later one nothing dies."""
FEW = (24,)
LONG = [pytest.param(at, marks=pytest.mark.long) for at in range(WRITES) if at not in FEW]


@pytest.mark.parametrize("at", [*FEW, *LONG])
def test_killed_at_a_write_each_invoice_is_sent_once(feedtool: Feedtool, at: int) -> None:
    Path("invoices/march.zip").write_bytes(zipped({"O-5.pdf": pdf("zipped")}))
    Path("invoices/O-5.xml").unlink()
    points = killed(at, "submit", "invoices", "--sandbox")
    assert len(points) <= WRITES
    Path("invoices").rename("gone")  # what was begun needs no file any more
    assert feedtool("resume").code in {0, 9}
    ran = feedtool("results", "1", "--format", "json")
    if not ran.out or not ran.only["results"]:  # it died before there was a run
        assert not any(" before add_output" in point for point in points)
        Path("gone").rename("invoices")
        ran = feedtool(SUBMIT, "invoices")
    assert ran.statuses == ["Success"] * 5
    assert (invoice_counts(), sent_orders()) == (dict.fromkeys(ORDERS, 1), ORDERS)


def test_orders_without_an_invoice(feedtool: Feedtool) -> None:
    def missing() -> list[str]:
        ran = feedtool("export orders --sandbox --missing-invoice --out orders.csv --yes")
        assert ran.code == 0, ran.err
        with Path("orders.csv").open(encoding="utf-8-sig") as file:
            return list(dict.fromkeys(row["orderId"] for row in csv.DictReader(file)))

    before = missing()
    sent = sorted(before)[1:6]
    for order in sent:
        Path(f"{order}.pdf").write_bytes(pdf(order))
    statuses = dict(
        zip(sent, feedtool(SUBMIT, *(f"{it}.pdf" for it in sent)).statuses, strict=True)
    )
    assert "Success" in statuses.values()
    assert missing() == [order for order in before if statuses.get(order) != "Success"]
    refused = feedtool("export orders --sandbox --missing-invoice --new")
    assert refused.error()[0] == "--missing-invoice does not go with a cursor"


WATCH = "watch watched --once --sandbox --settle 0.01 --poll 0.01"


def dropped() -> None:
    """A ZIP in a watched inbox, and a file whose folder says what it is."""
    Path("watched/inbox/invoices").mkdir(parents=True)
    files = {f"{order}.pdf": pdf(order) for order in ORDERS[:4]}
    Path("watched/inbox/march.zip").write_bytes(zipped(files))
    Path("invoices/O-5.xml").rename("watched/inbox/invoices/O-5.xml")


def test_invoices_in_a_watched_folder_are_answered_in_a_workbook(
    feedtool: Feedtool,
) -> None:
    dropped()
    ran = feedtool(WATCH)
    assert ran.code == 0, ran.err
    assert invoice_counts() == dict.fromkeys(ORDERS, 1)
    answers = {
        name: [row["feedtool status"] for row in rows_of(f"watched/results/{name}", "Invoices")]
        for name in ("march.result.xlsx", "invoices/O-5.result.xlsx")
    }
    assert [*answers.values()] == [["Success"] * 4, ["Success"]]
    assert not [path for path in Path("watched/processing").rglob("*") if path.is_file()]


@pytest.mark.long
@pytest.mark.parametrize("at", range(150))  # the watcher submits two files
def test_a_watcher_that_is_killed_sends_each_invoice_once(feedtool: Feedtool, at: int) -> None:
    dropped()
    killed(at, *WATCH.split())
    feedtool(WATCH)
    assert (invoice_counts(), sent_orders()) == (dict.fromkeys(ORDERS, 1), ORDERS)
    assert Path("watched/results/march.result.xlsx").exists()
