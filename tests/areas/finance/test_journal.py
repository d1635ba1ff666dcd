"""The journal: balanced, with numbers that stay, and refused where nothing is proved."""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.finance import windows
from feedtool.areas.finance.accounts import Signs, find_signs
from feedtool.areas.finance.columns import operation_row, payment_row
from feedtool.areas.finance.entries import JournalEntry, read_entry, taken_back, texts
from feedtool.areas.finance.journal import COLUMNS, JOURNAL, NotProved
from feedtool.areas.finance.proof import compared, payment_key
from feedtool.areas.finance.sandbox.behaviour import FinanceBehaviour
from feedtool.areas.finance.sandbox.events import EVENT_TYPES
from feedtool.areas.finance.settings import JournalSettings
from feedtool.ledger import Ledger
from feedtool.model.call import Call, Reply
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.settings import AccountSettings
from tests.areas.conftest import Enter
from tests.areas.finance.counter import AtDesk, brought, losses
from tests.areas.orders.sandbox.counter import QUIET
from tests.cli.conftest import Feedtool
from tests.ledger.empty import ledger_in_memory
from tests.pairs import sample
from tests.resume.runner import killed
from tests.sandbox.desk import Desk

PAST = "2026-10"
"""A month whose operations are all paid, blocked or not payable."""


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with ledger_in_memory() as opened:
        yield opened


def entries(path: Path) -> dict[str, list[dict[str, str]]]:
    """The lines of a CSV's entries by their numbers."""
    found = defaultdict(list)
    with path.open(encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            found[row["Entry"]].append(row)
    return dict(found)


def balance(entry: JournalEntry) -> Decimal:
    return sum((line.amount for line in entry.lines), Decimal(0))


def amount(line: dict[str, str]) -> Decimal:
    return Decimal(line["Debit"]) - Decimal(line["Credit"])


@pytest.mark.parametrize("is_negative", sample([True, False], 1))
def test_every_entry_is_balanced_and_the_clearing_account_ends_at_zero(
    new_desk: type[Desk], tmp_path: Path, ledger: Ledger, *, is_negative: bool
) -> None:
    path = tmp_path / "journal.csv"
    with new_desk(FinanceBehaviour(negative_fees=is_negative)) as desk:
        exported = brought(JOURNAL, AtDesk(desk), path, month=PAST, ledger=ledger)
    assert losses(exported) == []
    found = entries(path)
    assert [*found] == [str(number) for number in range(1, len(found) + 1)]
    assert {sum(map(amount, lines)) for lines in found.values()} == {0}
    accounts: Counter[str] = Counter()
    for line in (line for lines in found.values() for line in lines):
        accounts[line["Account"]] += int(amount(line) * 100)
    assert accounts["467000"] == 0
    assert accounts["512000"] > 0 > accounts["707000"]
    assert set(accounts) >= {"709700", "622200", "613500", "635800", "275000", "445710"}


def test_a_text_has_the_columns_of_the_fec(desk: Desk, tmp_path: Path, ledger: Ledger) -> None:
    path = tmp_path / "journal.txt"
    exported = brought(JOURNAL, AtDesk(desk), path, month=PAST, ledger=ledger, language="fr")
    head, *lines = path.read_bytes().decode("utf-8").removesuffix("\r\n").split("\r\n")
    assert head.split("\t") == [*COLUMNS]
    assert len(lines) == exported.rows
    first = dict(zip(COLUMNS, lines[0].split("\t"), strict=True))
    assert (first["JournalCode"], first["EcritureNum"], first["CompteNum"]) == (
        *("MKT", "1", "467000"),
    )
    assert (first["EcritureDate"][:6], len(first["EcritureDate"])) == ("202610", 8)
    assert first["Debit"].partition(",")[2].isdigit()
    assert first["CompteLib"] == "Compte d'attente place de marché"
    assert "no legal FEC" not in str(exported.notes)
    assert "not the FEC that the law asks for" in str(exported.notes[0][0])


def test_a_month_stays_and_changed_entries_are_reversed_and_booked_anew(
    desk: Desk, tmp_path: Path, ledger: Ledger
) -> None:
    path, service = tmp_path / "journal.csv", AtDesk(desk)
    brought(JOURNAL, service, path, month=PAST, ledger=ledger)
    before, first = entries(path), path.read_bytes()
    # The same month twice is the same file, whatever was booked between.
    brought(JOURNAL, service, path, month="2026-11", ledger=ledger)
    assert path.read_bytes() != first
    brought(JOURNAL, service, path, month=PAST, ledger=ledger)
    assert path.read_bytes() == first
    settings = AccountSettings().having(JournalSettings(accounts={"Subscription": "651000"}))
    brought(JOURNAL, service, path, month=PAST, ledger=ledger, settings=settings)
    after = entries(path)
    added = [*after][len(before) :]
    assert {number: after[number] for number in before} == before
    assert len(added) == 2, added
    anew, back = (after[number] for number in added)
    (old,) = (lines for lines in before.values() if lines[0]["Entry text"] == anew[0]["Entry text"])
    number = old[0]["Entry"]
    assert back[0]["Entry text"] == f"Reversal of {number}: {anew[0]['Entry text']}"
    assert [amount(line) for line in back] == [-amount(line) for line in old]
    assert {line["Account"] for line in anew} == {"467000", "651000"}
    brought(JOURNAL, service, path, month=PAST, ledger=ledger, settings=settings)
    assert entries(path) == after


def test_a_month_with_a_broken_cent_is_refused(
    new_desk: type[Desk], tmp_path: Path, ledger: Ledger
) -> None:
    path = tmp_path / "journal.csv"
    with new_desk(QUIET, FinanceBehaviour(broken_operation=30)) as desk:
        with pytest.raises(NotProved, match="operation does not add up") as caught:
            brought(JOURNAL, AtDesk(desk), path, month=PAST, ledger=ledger)
        assert "amounts-do-not-add-up" in caught.value.hint
        assert not path.exists()
        exported = brought(JOURNAL, AtDesk(desk), path, month=PAST, ledger=ledger, tolerance="0.01")
    assert {sum(map(amount, lines)) for lines in entries(path).values()} == {0}
    assert losses(exported) == []


def test_a_sum_that_is_not_the_services_is_refused(
    new_desk: type[Desk], tmp_path: Path, ledger: Ledger
) -> None:
    path = tmp_path / "journal.csv"
    with new_desk(QUIET, FinanceBehaviour(is_list_broken=True)) as desk:
        with pytest.raises(NotProved, match="by the service to") as caught:
            brought(JOURNAL, AtDesk(desk), path, month=PAST, ledger=ledger)
        assert "totals-differ" in caught.value.hint
        with pytest.raises(UsageProblem, match="differs by more than 1"):
            brought(JOURNAL, AtDesk(desk), path, month=PAST, ledger=ledger, tolerance="1.01")
        brought(JOURNAL, AtDesk(desk), path, month=PAST, ledger=ledger, tolerance="0.01")


def test_a_payment_that_differs_leaves_its_difference(
    new_desk: type[Desk], tmp_path: Path, ledger: Ledger
) -> None:
    path = tmp_path / "journal.csv"
    with new_desk(QUIET, FinanceBehaviour(broken_payment="2026-10-11")) as desk:
        exported = brought(JOURNAL, AtDesk(desk), path, month=PAST, ledger=ledger)
    (told,) = losses(exported)
    assert "differ" in told
    cleared = sum(
        amount(line)
        for lines in entries(path).values()
        for line in lines
        if line["Account"] == "467000"
    )
    assert cleared != 0


def test_vat_is_split_by_a_rate_where_the_service_shows_none(
    desk: Desk, tmp_path: Path, ledger: Ledger
) -> None:
    path = tmp_path / "journal.csv"
    settings = AccountSettings().having(JournalSettings(vat_rate=Decimal(20)))
    brought(JOURNAL, AtDesk(desk), path, month=PAST, ledger=ledger, settings=settings)
    sales = [lines for lines in entries(path).values() if "Sale" in lines[0]["Entry text"]]
    for lines in sales:
        by_account = {line["Account"]: -amount(line) for line in lines}
        assert abs(by_account["445710"] * 5 - by_account["707000"]) < Decimal("0.05")


# Entries.


def operation(types: list[str], total: object, **fields: Any) -> dict[str, Any]:
    document = {
        "operationReference": "O1",
        "eventTypes": types,
        "paymentState": "Paid",
        "currency": "EUR",
        "paidAt": "2026-11-01T18:00:00Z",
        "createdAt": "2026-10-20T00:00:00Z",
        "salesChannel": "PRIMARY",
        "totalAmount": total,
        **fields,
    }
    return dict(operation_row(document))


def test_a_type_without_an_account_stops_all() -> None:
    rows = [operation(["NewFee"], Decimal(-3))]
    with pytest.raises(UsageProblem, match="no account for NewFee") as caught:
        list(texts(rows, (), Signs(), AccountSettings()))
    assert "account-missing" in caught.value.hint
    settings = AccountSettings().having(JournalSettings(accounts={"NewFee": "658000"}))
    (text,) = texts(rows, (), Signs(), settings)
    assert "658000" in text


def test_several_types_without_parts_need_one_account() -> None:
    usual, one = (
        AccountSettings(),
        AccountSettings().having(JournalSettings(accounts={"Sale": "1", "Refund": "1"})),
    )
    (text,) = texts([operation(["Commission", "Subscription"], Decimal(-3))], (), Signs(), usual)
    assert "622200" in text
    rows = [operation(["Sale", "Refund"], Decimal(3))]
    with pytest.raises(UsageProblem, match="operation O1: its amount cannot be divided into Sale"):
        list(texts(rows, (), Signs(), usual))
    (text,) = texts(rows, (), Signs(), one)
    assert balance(read_entry(text)) == 0


def test_an_account_of_no_operation_is_reported(tmp_path: Path, ledger: Ledger) -> None:
    accounts = dict.fromkeys(("Sael", "Refund", "bank", "NewFee", "OwnServices"), "7")
    service, path = Service(sold(), sold("NewFee")), tmp_path / "journal.csv"
    settings = AccountSettings().having(JournalSettings(accounts=accounts))
    exported = brought(JOURNAL, service, path, month=PAST, ledger=ledger, settings=settings)
    told = [text for text, *_ in exported.notes if "has an account" in text]
    assert told == ["the profile has an account for Sael, which is of no operation"]


@pytest.mark.parametrize("name", [*EVENT_TYPES, "AnyBrandServices"])
def test_every_known_type_has_an_account(name: str) -> None:
    (text,) = texts([operation([name], Decimal(-3))], (), Signs(), AccountSettings())
    assert balance(read_entry(text)) == 0


NOVEMBER = windows.read_month("2026-11")


def payment(total: int, at: str = "2026-11-01T08:00:00Z", state: str = "Paid") -> dict[str, Any]:
    named = {"state": state, "salesChannel": "PRIMARY", "currency": "EUR"}
    return dict(payment_row({"date": at, "total": Decimal(total), **named}))


def test_only_paid_amounts_that_are_not_zero_are_booked() -> None:
    rows = [operation(["Sale"], Decimal(3)) for _ in range(2)]
    rows.append(operation(["Sale"], Decimal(3), paymentState="Blocked"))
    rows.append(operation(["Sale"], Decimal(0)))
    payments = compared([payment(6), payment(6, state="Estimated")], {}, NOVEMBER)
    booked = [*map(read_entry, texts(rows, payments, Signs(), AccountSettings()))]
    assert [entry.label for entry in booked] == ["Sale", "Sale", "Payment"]


def test_payments_of_one_day_are_one() -> None:
    rows = [payment(6), payment(4, "2026-11-01T18:00:00Z"), payment(9, state="Blocked")]
    key = payment_key(operation(["Sale"], 10))
    blocked, paid = compared(rows, {key: Decimal(10)}, NOVEMBER)
    assert [blocked.paid, paid.paid, paid.delta] == [*map(Decimal, (9, 10, 0))]
    (text,) = texts((), (blocked, paid), Signs(), AccountSettings())
    assert [line.amount for line in read_entry(text).lines] == [10, -10]


class Service:
    """Operations that a test changes, and no payments."""

    def __init__(self, *operations: dict[str, Any]) -> None:
        self.operations = [*operations]

    def send(self, call: Call) -> Reply:
        query = dict(call.query)
        found = [
            it
            for it in self.operations
            if query["paidAtMin"] <= it["paidAt"] <= query["paidAtMax"]
            and call.target.startswith("/operations")
        ]
        if call.target.endswith("/count"):
            return Reply(200, {}, orjson.dumps(len(found)))
        return Reply(200, {}, orjson.dumps({"items": found}))


def sold(types: str = "Sale", total: int = 9, paid: str = "2026-10-11", **more: Any) -> Any:
    return {
        "operationReference": "O1",
        "eventTypes": [types],
        "paymentState": "Paid",
        "paidAt": f"{paid}T18:00:00.000Z",
        "createdAt": "2026-10-02T00:00:00Z",
        "salesChannel": "P",
        "totalAmount": total,
        **more,
    }


OTHER = sold("Subscription", -1)
CHANGED: dict[str, tuple[list[Any], list[Any], list[str], list[str]]] = {
    "nothing": ([OTHER, sold()], [sold(), OTHER], [], []),
    "its amount": ([OTHER, sold()], [OTHER, sold(total=8)], ["Sale"], ["Sale"]),
    "its types": ([OTHER, sold()], [OTHER, sold("Refund", -9)], ["Refund"], ["Sale"]),
    "its state": ([OTHER, sold()], [OTHER, sold(paymentState="Blocked")], [], ["Sale"]),
    "its month": ([OTHER, sold()], [OTHER, sold(paid="2026-11-11")], [], ["Sale"]),
    "one of several": (
        [OTHER, sold(total=7), sold(total=8), sold()],
        [OTHER, sold(total=8), sold(), sold("Refund", -7)],
        ["Refund"],
        ["Sale"],
    ),
    "all of the month": ([sold()], [sold(paid="2026-11-11")], [], ["Sale"]),
    "one of equals is gone": ([OTHER, sold(), sold()], [sold(), OTHER], [], ["Sale"]),
    "its time alone": ([OTHER, sold()], [sold(paidAt="2026-10-11T19:00:00.000Z"), OTHER], [], []),
}


# The first six; how entries of any kind are taken back, `ledger/test_journal` shows.
@pytest.mark.parametrize(("before", "after", "anew", "back"), sample(CHANGED.values(), 6))
def test_a_month_holds_the_operations_paid_in_it(
    tmp_path: Path,
    ledger: Ledger,
    before: list[Any],
    after: list[Any],
    anew: list[str],
    back: list[str],
) -> None:
    def booked(month: str = PAST) -> dict[str, list[dict[str, str]]]:
        exported = brought(JOURNAL, service, path, month=month, ledger=ledger)
        told = [text for text, *_ in exported.notes if "taken back" in text]
        assert len(told) == bool(back and service.operations == after and month == PAST)
        return entries(path)

    path, service = tmp_path / "journal.csv", Service(*before)
    first = booked()
    assert booked() == first
    service.operations = after
    second = booked()
    added = [second[number][0]["Entry text"] for number in [*second][len(first) :]]
    assert {number: second[number] for number in first} == first
    assert [text.split()[0] for text in added] == anew + ["Reversal" for _ in back]
    assert [text.split()[3] for text in added[len(anew) :]] == back
    if any(it["paidAt"] > "2026-11" for it in after):
        assert len(booked("2026-11")) == 1
    assert booked() == second


def test_an_empty_month_writes_no_file(tmp_path: Path, ledger: Ledger) -> None:
    path = tmp_path / "journal.csv"
    with pytest.raises(NothingToDo, match="no operations like that"):
        brought(JOURNAL, Service(), path, month=PAST, ledger=ledger)
    assert not path.exists()


def test_the_same_in_two_months_is_booked_in_both(tmp_path: Path, ledger: Ledger) -> None:
    service = Service(sold(), sold(paid="2026-11-11"))
    for _ in range(2):
        for month, number in ((PAST, "1"), ("2026-11", "2")):
            path = tmp_path / f"{month}.csv"
            brought(JOURNAL, service, path, month=month, ledger=ledger)
            assert [*entries(path)] == [number]


money = st.decimals(-9999, 9999, places=2)


@given(money, money, money, money, st.decimals(0, 30, places=1))
def test_every_entry_sums_up_to_zero(
    sale: Decimal, refund: Decimal, commission: Decimal, vat: Decimal, rate: Decimal
) -> None:
    row = operation(
        ["Sale", "Refund", "Commission"],
        sale + refund + commission,
        sale={"total": sale},
        refund={"total": refund},
        commission=commission,
        vatSale={"salesTotalVatAmount": vat},
    )
    signs = find_signs([row], Decimal(0))
    for text in texts([row], (), signs, AccountSettings().having(JournalSettings(vat_rate=rate))):
        entry = read_entry(text)
        assert balance(entry) == 0
        assert entry.text == text
        back = read_entry(taken_back(text))
        assert [line.amount for line in back.lines] == [-line.amount for line in entry.lines]


# From the command line.


@pytest.fixture
def paid_month(enter_exported: Enter) -> str:
    """A month in which the sandbox has paid something."""
    enter_exported("export payments --sandbox --state Paid --out paid.csv")
    with Path("paid.csv").open(encoding="utf-8-sig") as file:
        return min(row["paymentDate"] for row in csv.DictReader(file))[:7]


def test_the_journal_is_exported_by_the_command(feedtool: Feedtool, paid_month: str) -> None:
    code, _, err = feedtool("export journal --sandbox")
    assert (code, err.splitlines()[0]) == (2, "error: say of which month the journal is")
    journal = f"export journal --sandbox --month {paid_month}"
    code, out, err = feedtool(journal)
    assert (code, out.split()[0]) == (0, "journal.txt")
    assert "not the FEC that the law asks for" in err
    assert feedtool(f"{journal} --out again.txt").code == 0
    assert Path("journal.txt").read_bytes() == Path("again.txt").read_bytes()
    code, _, err = feedtool(f"{journal} --out journal.xlsx")
    assert (code, err.splitlines()[0]) == (
        2,
        "error: journal.xlsx would be neither a text nor a CSV",
    )


def test_killed_at_any_write_the_numbers_stay(feedtool: Feedtool, paid_month: str) -> None:
    journal = f"export journal --sandbox --month {paid_month}"
    for number in range(2):
        points = killed(
            number, *f"{journal} --out killed.csv --yes --ledger at{number}.sqlite".split()
        )
        assert feedtool(f"{journal} --out at{number}.csv --ledger at{number}.sqlite").code == 0
        assert Path(f"at{number}.csv").read_bytes() == Path("at0.csv").read_bytes(), points
    assert points == ["0 before book", "1 after book"]
