"""`feedtool export operations` and `payments`: the seller's money, proved."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta

from feedtool.areas.finance import columns, proof, windows, wire
from feedtool.areas.finance.accounts import COMMISSION, find_signs
from feedtool.areas.finance.columns import (
    AMOUNTS_DO_NOT_ADD_UP,
    TOTALS_DIFFER,
    explained,
    operation_row,
    payment_row,
)
from feedtool.areas.finance.proof import Proof, facts_of, is_facts, marked
from feedtool.areas.finance.windows import WindowReader
from feedtool.areas.plain_list import NUMBER, WIDTH, KnownMembers, Table, nothing
from feedtool.feeds.export import (
    LACK,
    Export,
    ExportNote,
    ExportSummary,
    ExportTally,
    ExtraSheets,
    KeyedRow,
    KeyedRows,
    OutputRow,
    PlainTable,
    Query,
    ServiceList,
    Wait,
)
from feedtool.feeds.template import CellEntry, Field
from feedtool.model.call import Reply
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, Translator, plural, tr
from feedtool.service.answers import counted, service_time

HINT = tr("look at the filters; nothing was written")


def position_of(row: KeyedRow) -> str:
    """The place of an operation: by its payment, made or planned."""
    keys = ("operationReference", "createdAt", "eventTypes", "totalAmount")
    values = [row.get("paidAt") or row.get("releasePaymentDate"), *map(row.get, keys)]
    return "|".join(getattr(value, "text", None) or str(value or "") for value in values)


OPERATIONS = ServiceList(
    tr("operations"),
    lambda query, _: windows.operation_windows(query),
    lambda _: WindowReader(wire.OPERATIONS, lambda _, page: [*map(operation_row, page.items)]).page,
    nothing(tr("there are no operations like that"), HINT),
    HINT,
    unit=tr("operations"),
    position=position_of,
)
PAYMENTS = ServiceList(
    tr("payments"),
    lambda query, _: windows.payment_windows(query),
    lambda _: (
        WindowReader(
            wire.PAYMENTS,
            lambda window, page: [
                row for row in map(payment_row, page.items) if windows.is_asked_for(window, row)
            ],
        ).page
    ),
    nothing(tr("there are no payments like that"), HINT),
    HINT,
    unit=tr("payments"),
)

ODD, LOST, DIFFERENT = "odd", "lost", "different"
"""In the tally: rows that do not add up, entries that did not come, sums that differ."""


def without_facts(_: Query, lists: Sequence[KeyedRows], __: ExportTally) -> Iterator[OutputRow]:
    """The rows of the last list, and the number of rows that were lost."""
    for row in lists[-1]:
        if is_facts(row):
            facts = facts_of([row])
            yield OutputRow(None, {(LOST, ""): abs(facts.entries - facts.rows)})
        else:
            yield OutputRow(row)


def _rows(query: Query, lists: Sequence[KeyedRows], tally: ExportTally) -> Iterator[OutputRow]:
    """The operations by their payment, with a mark on operations that do not add up."""
    tolerance, say = query["tolerance"], Translator(query.language)
    signs = find_signs(operations_in(lists), tolerance)
    for made in without_facts(query, lists, tally):
        if made.row is None:
            yield made
            continue
        row = marked(made.row, signs, tolerance, say)
        yield OutputRow(row, {(ODD, ""): int(columns.CHECK in row)})


def operations_in(lists: Sequence[KeyedRows]) -> Iterator[KeyedRow]:
    return (row for row in lists[-1] if not is_facts(row))


def _proved(query: Query, lists: Sequence[KeyedRows], rows: KeyedRows) -> ExtraSheets:
    """The sheets Totals, Payments and Check."""
    say, tolerance = Translator(query.language), query["tolerance"]
    proved = Proof(find_signs(rows, tolerance), tolerance)
    for row in rows:
        proved.add(row)
    facts, days = facts_of(lists[-1]), windows.days_of(query)
    compared, is_lacking = None, LACK in lists[0].columns
    if windows.has_whole_payments(query) and days and not is_lacking:
        compared = proof.compared(lists[0], proved.paid, days)
    tables = [_table(query, tr("Totals"), proof.TOTALS, [*proved.totals_table(say)])]
    if compared is not None:
        known = {**columns.PAYMENTS, **proof.OF_PAYMENTS}
        tables.append(_table(query, tr("Payments"), known, [*map(_payment, compared)]))
    checks = [*proof.checks(proved, facts, compared, say, is_lacking=is_lacking)]
    tables.append(_table(query, tr("Check"), proof.CHECKS, checks))
    different = sum(abs(payment.delta) > tolerance for payment in compared or ())
    if facts.total is not None:
        different += abs(facts.total - proved.total) > tolerance
    return ExtraSheets(tables, {(DIFFERENT, ""): different})


def _payment(payment: proof.PaymentProof) -> KeyedRow:
    """A payment beside its operations; an unknown payment has only its key."""
    key = payment.key
    members: KeyedRow = {
        "paymentDate": proof.day_cell(key.day),
        "salesChannelId": key.channel,
        "paymentState": key.state,
        "currency": key.currency,
    }
    sums = {proof.OWN: payment.operations, proof.DELTA: payment.delta}
    return {**members, **payment.row, **sums}


def _table(
    query: Query, title: str, known: KnownMembers, rows: Sequence[KeyedRow]
) -> tuple[PlainTable, Sequence[KeyedRow]]:
    """A sheet with all known columns, and behind them those that a row fills."""
    say = Translator(query.language)
    others = dict.fromkeys(key for row in rows for key in row if key not in known)
    labels = {**known, **{key: (key, NUMBER) for key in others}}
    fields = [
        Field(key, say.message(label), "", CellEntry(number_format, WIDTH))
        for key, (label, number_format) in labels.items()
    ]
    return PlainTable(say.message(title), fields), rows


def _sheet(query: Query, rows: KeyedRows, tally: ExportTally) -> PlainTable:
    """The sheet of operations: the details of commissions stand behind the commission."""
    details = {key: (key, NUMBER) for key in rows.columns if key.startswith("commission.")}
    known: dict[str, tuple[str, str]] = {}
    for key, column in columns.OPERATIONS.items():
        known |= {key: column, **(details if key == COMMISSION else {})}
    return Table(tr("Operations"), known).sheet(query, rows, tally)


Note = tuple[str, Callable[[int], MessageText], str]
"""An entry of the tally, with the text and the hint if it is not 0."""

NOT_PROVED: Sequence[Note] = (
    (
        ODD,
        lambda n: plural(
            "{count:,} operation does not add up", "{count:,} operations do not add up", n
        ),
        explained(AMOUNTS_DO_NOT_ADD_UP),
    ),
    (
        DIFFERENT,
        lambda n: plural(
            "{count:,} sum differs from the service's: see the sheet Check",
            "{count:,} sums differ from the service's: see the sheet Check",
            n,
        ),
        explained(TOTALS_DIFFER),
    ),
    (
        LOST,
        lambda n: plural(
            "{count:,} entry may be missing: the list changed while it was read",
            "{count:,} entries may be missing: the list changed while it was read",
            n,
        ),
        tr("run it again"),
    ),
)


def notes(known: Sequence[Note], tally: ExportTally, *, is_loss: bool = True) -> list[ExportNote]:
    """The notes whose counts in a tally are above 0."""
    counted = ((tally[name, ""], text, hint) for name, text, hint in known)
    return [ExportNote(text(count), hint, is_loss) for count, text, hint in counted if count]


def summary(_: Query, tally: ExportTally) -> ExportSummary:
    return ExportSummary(notes(NOT_PROVED, tally))


OPERATION_EXPORT = Export(
    "operations",
    """Export operations, with totals that are proved against the service's sums and payments.

    A row for each operation: sales, refunds, commissions, fees. The sheets behind have the totals,
    each payment beside its operations, and every difference.
    """,
    lambda query: (
        (PAYMENTS._replace(may_be_empty=True, may_lack=True), OPERATIONS)
        if windows.has_whole_payments(query)
        else (OPERATIONS,)
    ),
    _sheet,
    summary,
    (*windows.NEEDED, *(windows.TYPE, windows.STATE, windows.BY_SALES_CHANNEL, windows.TOLERANCE)),
    windows.check,
    rows=_rows,
    extra_sheets=_proved,
)

# Payments, and those that wait.

PAYMENT_DAYS, STATEMENT_DAYS = (1, 11, 21), (9, 19, 29)
"""Days of a month (specification, "Events", 3)."""
BLOCKED = "Blocked"


def waits(_: AccountSettings) -> Iterator[Wait]:
    """Payments that are blocked, and when the next ones are."""
    blocked = (("paymentStates", BLOCKED),)
    yield Wait(
        "payments-blocked",
        tr("Payments blocked"),
        wire.count_payments(blocked),
        counted,
        lambda count: plural("{count:,} payment", "{count:,} payments", count),
        ("export", "payments", "--state", BLOCKED),
        wire.read_payments(blocked, 1),
        calendar,
    )


def calendar(reply: Reply) -> str:
    """The next statement and the next payment after an answer."""
    now = service_time(reply)
    if now is None:
        return ""
    return tr(
        "next statement on {statement}, next payment on {payment}",
        statement=_next(now, STATEMENT_DAYS),
        payment=_next(now, PAYMENT_DAYS),
    )


def _next(after: datetime, days: tuple[int, ...]) -> date:
    day = after.date() + timedelta(days=1)
    while day.day not in days:
        day += timedelta(days=1)
    return day


PAYMENT_EXPORT = Export(
    "payments",
    """Export the payments that were made or are planned, by day, sales channel and state.""",
    lambda _: (PAYMENTS,),
    Table(tr("Payments"), columns.PAYMENTS).sheet,
    summary,
    (*windows.DATES, windows.STATE, windows.BY_SALES_CHANNEL),
    windows.check_dates,
    rows=without_facts,
    waits=waits,
)
