"""`feedtool export journal`: what was paid in a month, as an accountant's program imports it.

It is a journal to import, and no legal FEC, which has the books of a whole year.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from feedtool.areas.finance import windows
from feedtool.areas.finance.accounts import (
    CLEARING,
    NAMES,
    OF_FEES,
    find_signs,
    types_of,
    unused_accounts,
)
from feedtool.areas.finance.columns import AMOUNTS_DO_NOT_ADD_UP, TOTALS_DIFFER, explained
from feedtool.areas.finance.entries import (
    PAID,
    PAYMENT,
    EntryLine,
    JournalEntry,
    read_entry,
    taken_back,
    texts,
)
from feedtool.areas.finance.operations import OPERATIONS, PAYMENTS, Note, notes, operations_in
from feedtool.areas.finance.proof import ListFacts, Proof, compared, facts_of
from feedtool.areas.finance.settings import JournalSettings
from feedtool.feeds.export import (
    Export,
    ExportNote,
    ExportSummary,
    ExportTally,
    KeyedRow,
    KeyedRows,
    OutputRow,
    PlainTable,
    Query,
)
from feedtool.feeds.template import TEXT, CellEntry, Field
from feedtool.model.cells import Value
from feedtool.model.errors import Exit, FeedtoolError, UsageProblem
from feedtool.model.nouns import BookedEntry
from feedtool.model.text import Translator, plural, tr

COLUMNS = {
    "JournalCode": "Journal",
    "JournalLib": "Journal name",
    "EcritureNum": "Entry",
    "EcritureDate": "Entry date",
    "CompteNum": "Account",
    "CompteLib": "Account name",
    "CompAuxNum": "Subsidiary account",
    "CompAuxLib": "Subsidiary account name",
    "PieceRef": "Document",
    "PieceDate": "Document date",
    "EcritureLib": "Entry text",
    "Debit": "Debit",
    "Credit": "Credit",
    "EcritureLet": "Matching",
    "DateLet": "Matching date",
    "ValidDate": "Validation date",
    "Montantdevise": "Amount in currency",
    "Idevise": "Currency",
}
"""The 18 columns of the FEC, and their names in English, which a CSV has."""
EURO = "EUR"
UNPAID, FOREIGN, CLEARED, BACK, UNUSED = "unpaid", "foreign", "cleared", "back", "unused"
MOST_TOLERATED = Decimal(1)
"""No greater difference of an operation is booked."""


def _rows(query: Query, lists: Sequence[KeyedRows], _: ExportTally) -> Iterator[OutputRow]:
    """The lines of all entries of the month, once those that are new have their numbers."""
    tolerance, month = query["tolerance"], query["month"]
    proof = Proof(find_signs(operations_in(lists), tolerance), tolerance)
    unpaid, types = 0, set[str]()
    for row in operations_in(lists):
        proof.add(row)
        types.update(types_of(row))
        unpaid += row.get("paymentState") != PAID
    _refuse_odd(proof)
    _refuse_change(proof, facts_of(lists[1]))
    paid = [
        payment for payment in compared(lists[0], proof.paid, month) if payment.key.state == PAID
    ]
    different = sum(abs(payment.delta) > tolerance for payment in paid)
    unused = {(UNUSED, name): 1 for name in unused_accounts(query.settings, types)}
    yield OutputRow(None, {(UNPAID, ""): unpaid, (CLEARED, ""): different, **unused})
    made = texts(operations_in(lists), paid, proof.signs, query.settings)
    period = f"{month.since:%Y-%m}"
    booked = None
    for booked in query.book(query.settings.of(JournalSettings).journal, period, made, taken_back):
        entry = read_entry(booked.text)
        tally = {
            (FOREIGN, ""): int(entry.currency not in {"", EURO}),
            (BACK, ""): int(booked.reverses is not None),
        }
        for line in entry.lines:
            yield OutputRow(_line(query, booked, entry, line), tally)
            tally = {}
    if booked is None and not proof.count:
        raise OPERATIONS.nothing(query, ExportTally())


class NotProved(FeedtoolError):
    """Amounts that nothing is booked of."""

    exit = Exit.ROWS


def _refuse_odd(proof: Proof) -> None:
    if proof.odds:
        _, first, _ = proof.odd[0]
        text = plural(
            "{count:,} operation does not add up, {first}: the journal was not written",
            "{count:,} operations do not add up, the first is {first}: the journal was not written",
            proof.odds,
            first=first.get("operationReference"),
        )
        raise NotProved(text, explained(AMOUNTS_DO_NOT_ADD_UP))


def _refuse_change(proof: Proof, facts: ListFacts) -> None:
    """Refuse a journal of other operations than those that the service counts and sums up."""
    if facts.entries != proof.count:
        raise NotProved(
            tr("the operations changed while they were read: the journal was not written"),
            tr("run it again"),
        )
    if facts.total is not None and abs(facts.total - proof.total) > proof.tolerance:
        raise NotProved(
            tr(
                "the operations come to {own:,.2f}, by the service to {total:,.2f}: the journal was"
                " not written",
                own=proof.total,
                total=facts.total,
            ),
            explained(TOTALS_DIFFER),
        )


def _line(query: Query, booked: BookedEntry, entry: JournalEntry, line: EntryLine) -> KeyedRow:
    say = Translator(query.language)
    label = say.message(PAYMENT) if entry.label == PAYMENT else entry.label
    text = f"{label} {entry.piece}"
    if booked.reverses is not None:
        text = say(tr("Reversal of {number}: {text}", number=booked.reverses, text=text))
    is_foreign = entry.currency not in {"", EURO}
    amount = abs(line.amount)
    is_own = line.name == CLEARING
    return {
        "JournalCode": query.settings.of(JournalSettings).journal,
        "JournalLib": say.message(tr("Marketplaces")),
        "EcritureNum": str(booked.number),
        "EcritureDate": _date(query, entry.day),
        "CompteNum": line.account,
        "CompteLib": say.message(NAMES.get(line.name, OF_FEES)),
        "CompAuxNum": entry.channel if is_own else None,
        "CompAuxLib": entry.channel if is_own else None,
        "PieceRef": entry.piece,
        "PieceDate": _date(query, entry.piece_day),
        "EcritureLib": text,
        "Debit": _amount(query, amount if line.amount > 0 else Decimal(0)),
        "Credit": _amount(query, amount if line.amount < 0 else Decimal(0)),
        "Montantdevise": _amount(query, line.amount) if is_foreign else None,
        "Idevise": entry.currency if is_foreign else None,
    }


def _date(query: Query, day: str) -> str:
    return day if query.is_csv else day.replace("-", "")


def _amount(query: Query, amount: Decimal) -> Value:
    text = f"{amount:.2f}"
    return text if query.is_csv else text.replace(".", ",")


def _sheet(query: Query, _: KeyedRows, __: ExportTally) -> PlainTable:
    entry = CellEntry(TEXT, 16)
    names = COLUMNS if query.is_csv else dict.fromkeys(COLUMNS)
    fields = [Field(key, label or key, "", entry) for key, label in names.items()]
    return PlainTable("Journal", fields, has_labels=True)


_LEFT_OUT: Sequence[Note] = (
    (
        UNPAID,
        lambda n: plural(
            "{count:,} operation of the month is not in it: it is not paid",
            "{count:,} operations of the month are not in it: they are not paid",
            n,
        ),
        "",
    ),
    (
        BACK,
        lambda n: plural(
            "{count:,} entry of the month was taken back, as it is no longer so",
            "{count:,} entries of the month were taken back, as they are no longer so",
            n,
        ),
        tr("changed entries were booked again"),
    ),
)
_NOT_PROVED: Sequence[Note] = (
    (
        CLEARED,
        lambda n: plural(
            "{count:,} payment differs from its operations: the clearing account keeps that",
            "{count:,} payments differ from their operations: the clearing account keeps that",
            n,
        ),
        explained(TOTALS_DIFFER),
    ),
    (
        FOREIGN,
        lambda n: plural(
            "{count:,} entry is not in euros: its debit and credit are in its own currency",
            "{count:,} entries are not in euros: debit and credit are in their own currency",
            n,
        ),
        tr("convert them before you import"),
    ),
)
_NO_FEC = ExportNote(
    tr("this is a journal to import, not the FEC that the law asks for"),
    tr("that has the books of a whole year, and your accounting program writes it"),
)
_NO_RATE = ExportNote(
    tr("VAT is split only where the service shows it"),
    tr("vat_rate in the profile splits it everywhere"),
)


def _summary(query: Query, tally: ExportTally) -> ExportSummary:
    """Notes: the journal is no legal FEC, and what is left out or not proved."""
    usual = (_NO_FEC,) if query.settings.of(JournalSettings).vat_rate else (_NO_FEC, _NO_RATE)
    left_out = notes(_LEFT_OUT, tally, is_loss=False)
    unused = [
        ExportNote(
            tr("the profile has an account for {name}, which is of no operation", name=name),
            tr("write the type of an event: Sale, Commission, Subscription"),
        )
        for sort, name in tally
        if sort == UNUSED
    ]
    return ExportSummary([*usual, *left_out, *unused, *notes(_NOT_PROVED, tally)])


def _check(query: Query) -> None:
    if query["month"] is None:
        raise UsageProblem(
            tr("say of which month the journal is"), tr("for example --month 2026-11")
        )
    if query["tolerance"] > MOST_TOLERATED:
        raise UsageProblem(
            tr("no operation is booked that differs by more than {most}", most=MOST_TOLERATED),
            tr("write --tolerance like 0.01"),
        )


JOURNAL = Export(
    "journal",
    """Export what was paid in a month as a journal for the accountant, balanced entry by entry.

    A .txt has the columns of the FEC, a .csv has them in English. The numbers of entries stay: the
    same month is the same file. What has changed since is taken back, and booked anew.
    """,
    # Entries are taken back if a month has become empty.
    lambda _: tuple(listing._replace(may_be_empty=True) for listing in (PAYMENTS, OPERATIONS)),
    _sheet,
    _summary,
    (windows.MONTH, windows.TOLERANCE),
    _check,
    rows=_rows,
    asks_ledger=True,
    endings=(".txt", ".csv"),
)
