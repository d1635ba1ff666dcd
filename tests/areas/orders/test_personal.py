"""Personal data: who may read what is written of orders, what is kept of them, and how long."""

import json
import os
import shutil
import sqlite3
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.invoices.feeds import FEED as INVOICES
from feedtool.areas.orders import columns
from feedtool.areas.orders.feeds import FEEDS
from feedtool.areas.registry import load, sandbox_parts
from feedtool.cli.console import bug_report
from feedtool.ledger import Ledger
from feedtool.ledger.snapshots import DELETED, UNTIL, Snapshots, open_snapshots
from feedtool.model.settings import AccountSettings
from feedtool.runs.workspace import Workspace
from feedtool.sandbox import Sandbox
from tests.areas.conftest import effects
from tests.areas.invoices.made_invoices import pdf
from tests.areas.orders.test_orders import fill_plain, handled, messages, orders
from tests.buckets import contents
from tests.cli.conftest import STATE, Feedtool, enter, made_by
from tests.runs.test_notify import KEEP, hook

Row = Mapping[str, Any]
ADDRESS = {"lastName": "Quillfeather", "addressLine1": "77 Heliotrope Mews", "email": "q@f.example"}
DETAILS = "She wept over the broken teapot"
SECRETS = [text.encode() for text in (*ADDRESS.values(), DETAILS)]
SNAPSHOTS = Path("home/snapshots")


@pytest.fixture(scope="session")
def one_customer_export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an export of a sandbox whose orders are all of one customer."""
    folder = tmp_path_factory.mktemp("personal")
    made_by(folder, "export picking --sandbox")
    with Sandbox(sandbox_parts(), folder / STATE) as sandbox, sandbox.state.transaction() as db:
        for number, text in db.execute("SELECT number, document FROM orders").fetchall():
            order = json.loads(text)
            lines = [{**line, "shippingAddress": ADDRESS} for line in order["lines"]]
            document = json.dumps({**order, "lines": lines})
            changed = "UPDATE orders SET document = ?, shown = ? WHERE number = ?"
            db.execute(changed, (document, document, number))
    made_by(folder, "export orders --sandbox", "export orders --sandbox --out shop.csv")
    return folder


@pytest.fixture
def shop(
    one_customer_export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[dict[str, Any]]:
    """The rows of `orders.xlsx` and `shop.csv`, in a folder of the test's own."""
    shutil.copytree(one_customer_export, tmp_path, dirs_exist_ok=True)
    enter(tmp_path, monkeypatch)
    return orders("orders.xlsx")


@pytest.fixture
def _usual_rights() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def is_given(row: Row) -> bool:
    return bool(row["status"] == "Delivered" and row["line.number"] == 1)


def all_handled(row: Row) -> dict[str, Any]:
    """A shop's acts on its orders, and a gesture for each that has arrived."""
    gesture = {"action": "Gesture", "reason": "Other", "gesture.amount": 0.5}
    return {**gesture, "gesture.details": DETAILS} if is_given(row) else some_handled(row)


def some_handled(row: Row) -> dict[str, Any]:
    """The acts on few orders: only ids of one channel have a letter."""
    return handled(row) if "E" in row["orderId"] else {}


def known_to_ledger(query: str) -> list[Any]:
    with closing(sqlite3.connect("home/ledger.sqlite")) as db:
        return [value for (value,) in db.execute(query)]


def last_days() -> set[date]:
    return {date.fromisoformat(note.read_text()) for note in (SNAPSHOTS / UNTIL).iterdir()}


def secrets_in(*contents: bytes) -> list[bytes]:
    return [secret for secret in SECRETS if any(secret in content for content in contents)]


def test_the_kinds_of_orders_and_invoices_are_personal() -> None:
    assert {*FEEDS, INVOICES} <= {
        feed for feed in load().feeds.values() if feed.requests.is_personal
    }


@pytest.mark.parametrize("feed", FEEDS, ids=lambda feed: feed.kind)
def test_personal_columns_are_never_sent(feed: Any) -> None:
    understood = {column.key for column in feed.sheet.understood(AccountSettings())}
    assert not [key for key in columns.PERSONAL & understood if feed.requests.is_sent(key)]


# Files.


def without_carrier(row: Row) -> dict[str, Any]:
    return {name: value for name, value in some_handled(row).items() if name != "carrierName"}


@pytest.mark.usefixtures("_usual_rights")
def test_written_files_are_private(shop: list[dict[str, Any]], feedtool: Feedtool) -> None:
    fill_plain(shop, without_carrier)
    options = "--requests bodies --save-plan plan"
    for command, code in {
        f"submit filled.csv --sandbox --dry-run {options}": 1,
        "submit filled.csv --sandbox": 1,
        "export orders --sandbox --new --out batch.csv": 0,
        "export shipments --sandbox": 0,
        "export picking --sandbox --yes": 0,
    }.items():
        assert feedtool(command).code == code, command
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in Path().glob("*.*")}
    assert len(shop) > 0
    assert found.pop("picking.xlsx") == found.pop("filled.csv") == 0o644
    assert set(found) == {
        *("orders.xlsx", "shop.csv", "batch.csv", "shipments.xlsx"),
        *("filled.result.csv", "filled.failed.xlsx"),
    }
    assert set(found.values()) == {0o600}
    assert [stat.S_IMODE(Path(name).stat().st_mode) for name in ("plan", "bodies/filled.csv")] == [
        *(0o600, 0o700)
    ]


# What is kept.


def test_kept_and_logged_files_name_no_customer(
    shop: list[dict[str, Any]], feedtool: Feedtool, tmp_path: Path
) -> None:
    assert {row["shippingAddress.email"] for row in shop} == {ADDRESS["email"]}
    fill_plain(shop, all_handled)
    telling = hook(tmp_path / "hook.sh", KEEP)
    ran = feedtool("submit filled.csv --sandbox --format json --log log.jsonl --hook", telling)
    assert (ran.code, Counter(ran.statuses)["Shipped"] > 0) == (0, True)
    told = [Path(name).read_bytes() for name in ("log.jsonl", "told")]
    kept = [path.read_bytes() for path in Path("home").glob("ledger*")]
    assert all(told)
    assert any(b"sha256:" in content for content in kept)
    assert not secrets_in(*told, *kept, ran.err.encode())
    bodies, done = known_to_ledger("SELECT body FROM requests"), effects()
    assert {key for kind, key in done if kind == "gesture"} == {
        row["orderId"] for row in shop if is_given(row)
    }
    assert set(done.values()) == {1}
    assert len(bodies) == len(done)
    assert {body[:7] for body in bodies} == {b"sha256:"}
    # The same once more: a gesture is known by what is left of it.
    again = feedtool("submit filled.csv --sandbox --format json").only["results"]
    held = [result for result in again if result["status"] == "Held"]
    assert [messages(result) for result in held] == [{"gesture-again"}] * sum(map(is_given, shop))
    assert_kept_for_their_days(feedtool)


def assert_kept_for_their_days(feedtool: Feedtool) -> None:
    """Sent files are kept for 90 days, and deleted then."""
    begun, _ = known_to_ledger("SELECT started_at FROM runs ORDER BY started_at")
    (last,) = last_days()
    assert last == datetime.fromisoformat(begun).date() + timedelta(days=90)
    Snapshots(SNAPSHOTS).delete_expired(last)
    assert feedtool("results 1").code == 0
    Snapshots(SNAPSHOTS).delete_expired(last + timedelta(days=1))
    assert {path.name for path in SNAPSHOTS.iterdir()} == {UNTIL, DELETED}
    message, hint = feedtool("results 1").error()
    assert f"kept until {last}" in message
    assert "keep_personal" in hint
    assert feedtool("status 1").code == 0


@pytest.mark.parametrize("days", [0, 30])
def test_a_profile_says_how_long_files_are_kept(tmp_path: Path, days: int) -> None:
    """Without limit if it says 0."""
    (tmp_path / "offers.csv").write_text("offers")
    with Ledger() as ledger:
        workspace = Workspace(ledger, Snapshots(tmp_path / "snapshots"), tmp_path)
        kept = workspace.snapshots.keep(tmp_path / "offers.csv")
        settings = AccountSettings(keep_personal=days)
        workspace.expire([kept], settings, datetime(2026, 11, 1, tzinfo=UTC))
    notes = tmp_path / "snapshots" / UNTIL
    until = [note.read_text() for note in notes.iterdir()] if notes.exists() else []
    assert until == (["2026-12-01"] if days else [])


def test_a_bug_report_names_no_customer() -> None:
    with pytest.raises(ValueError, match=DETAILS) as raised:
        int(DETAILS)
    report = Path(bug_report(raised.value, ["submit", DETAILS, f"--out={DETAILS}"]))
    text = report.read_bytes()
    report.unlink()
    assert b"ValueError" in text
    assert not secrets_in(text)


@pytest.mark.parametrize(
    "store", ["folder", pytest.param("bucket", marks=pytest.mark.long)], indirect=True
)
def test_a_store_that_machines_share_keeps_it_no_longer(
    shop: list[dict[str, Any]], feedtool: Feedtool, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_plain(shop, some_handled)
    shutil.copytree("home", "other")
    monkeypatch.setenv("FEEDTOOL_STORE", store)
    ledger = f"--ledger sqlite:///{Path.cwd()}/shared.sqlite"
    assert feedtool(f"submit filled.csv --sandbox {ledger}").code == 0
    kept = contents(store)
    names = {name for name in kept if "/" not in name}
    assert names == {name.removeprefix(f"{UNTIL}/") for name in kept if name.startswith(UNTIL)}
    assert names
    assert feedtool(f"results 1 {ledger} --home other").code == 0
    cached = [path for path in Path("other").rglob("*") if path.name in names]
    assert bool(cached) is ("://" in store)
    last = {kept[f"{UNTIL}/{name}"].decode() for name in names}
    (day,) = map(date.fromisoformat, last)
    for home in ("home", "other"):
        open_snapshots(Path(home), store).delete_expired(day + timedelta(days=1))
        assert not [path for path in Path(home).rglob("*") if path.name in names]
    assert {name.partition("/")[0] for name in contents(store)} == {DELETED}
    message, _ = feedtool(f"results 1 {ledger} --home other").error()
    assert f"kept until {day}" in message


def test_invoices_are_kept_no_longer_than_needed(
    shop: list[dict[str, Any]], feedtool: Feedtool
) -> None:
    Path("invoices").mkdir()
    done = {row["orderId"] for row in shop if row["status"] == "Delivered"}
    for order in done:
        Path(f"invoices/{order}.pdf").write_bytes(pdf(order))
    assert feedtool("submit invoices --sandbox").code in {0, 1}
    assert not known_to_ledger("SELECT phase FROM packages WHERE phase <> 'closed'")
    bodies = known_to_ledger("SELECT body FROM requests")
    assert len(bodies) == len(done) > 0
    assert {body[:7] for body in bodies} == {b"sha256:"}
    notes = {note.name for note in (SNAPSHOTS / UNTIL).iterdir()}
    files = {path.name for path in SNAPSHOTS.iterdir() if path.is_file()}
    assert len(files) > len(done)
    assert notes == files
