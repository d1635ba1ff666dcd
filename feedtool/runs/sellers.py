"""An overview of all sellers, for `feedtool sellers`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple, TextIO

from msgspec import Struct

from feedtool.areas.registry import load
from feedtool.check import ReadOptions
from feedtool.feeds.export import Export, Query
from feedtool.feeds.selection import EVERY_ROW, SelectionOptions
from feedtool.ledger import Ledger
from feedtool.ledger.claims import Claims
from feedtool.ledger.records import SellerKey, seller_key
from feedtool.ledger.sellers import (
    EVERYBODY,
    Figures,
    SellerFilter,
    SellerLine,
    SellersOverview,
    SellerState,
    message_of,
)
from feedtool.model.errors import Exit, FeedtoolError, UsageProblem
from feedtool.model.nouns import Status
from feedtool.model.settings import Context
from feedtool.model.text import LanguageChoice, MessageText, Translator, joined, plural, tr
from feedtool.report.as_json import Fields, write_entries
from feedtool.report.plain import clean
from feedtool.report.sheet_result import SheetResult
from feedtool.report.statuses import statuses_text
from feedtool.runs.cursors import query_of
from feedtool.runs.history import iso
from feedtool.runs.outputs import ENGLISH_UNLESS_STAMPED
from feedtool.runs.plan_file import Account
from feedtool.runs.profiles import Profile
from feedtool.runs.workspace import Session, Workspace

PAGE = 100
"""The number of sellers on a page."""
SEVERAL = 2
"""From this number on, failed passes in a row are shown with their number."""
HEADINGS = (
    *(tr("Seller"), tr("Waiting"), tr("In work"), tr("Last run")),
    *(tr("Refused, 7 days"), tr("Held"), tr("Trouble")),
)


def known_sellers(
    profiles: Mapping[str, Profile], typed: Mapping[str, str] | None = None
) -> dict[str, SellerKey]:
    """Return the seller of each profile that names one; `typed` are options that override profiles.

    A profile is left out if its file is unusable, or was just removed.
    """
    accounts = {}
    for name in profiles:
        with suppress(KeyError, UsageProblem):
            accounts[name] = {**profiles[name].account, **(typed or {})}
    return {
        name: seller_key(str(account["base_url"]), str(account["seller"]))
        for name, account in accounts.items()
        if account.get("base_url") and account.get("seller")
    }


def seller_states(
    ledger: Ledger,
    now: datetime,
    seller_filter: SellerFilter = EVERYBODY,
    *,
    known: Mapping[str, SellerKey],
    page: int | None = None,
) -> Iterator[SellerState]:
    """Yield the sellers of a filter, the most urgent first; all of them, or those of a page.

    They are read a page at a time. `known` are the sellers of accounts, by name, which may not have
    sent anything yet.
    """
    overview = SellersOverview(ledger.engine, ledger.counts)
    lines = overview.lines(seller_filter, known=account_names(known))
    begins = range(0, len(lines), PAGE) if page is None else [(page - 1) * PAGE]
    for begin in begins:
        yield from overview.states(lines[begin : begin + PAGE], now)


def account_names(known: Mapping[str, SellerKey]) -> dict[SellerKey, str]:
    """Return the name of an account of each seller: the first of several."""
    return {key: name for name, key in reversed([*known.items()])}


def write_sellers(
    states: Iterable[SellerState], out: TextIO, form: str, say: Translator, now: datetime
) -> int:
    """Write a table with a line for each seller, or a JSON object each; return their number."""
    if form != "text":
        counted = [_fields(state) for state in states]
        write_entries(counted, out, form)
        return len(counted)
    return write_table(HEADINGS, (_texts(state, now) for state in states), out, say)


def write_table(
    headings: Sequence[MessageText | str],
    rows: Iterable[Sequence[MessageText | str]],
    out: TextIO,
    say: Translator,
) -> int:
    """Write a table below its headings, nothing without rows; return the number of rows."""
    lines = [[say(text) for text in row] for row in rows]
    if lines:
        table = [[say(heading) for heading in headings], *lines]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for line in table:
            padded = (f"{text:{width}}" for text, width in zip(line, widths, strict=True))
            out.write(clean("  ".join(padded).rstrip()) + "\n")
    return len(lines)


def _texts(state: SellerState, now: datetime) -> tuple[str, ...]:
    line, rate = state.line, state.refused_rate
    work, trouble = holder_text(state), trouble_text(line)
    if state.holder:
        work = tr("{who} since {time}", who=work, time=_time(state.holder.since))
    if later := next_try(line, now):
        trouble = joined((trouble, tr("next try {time}", time=_time(later))), "; ")
    return (
        name_of(state),
        _waiting_text(line),
        work,
        last_run_text(state),
        "" if rate is None else f"{rate:.0%}",
        tr("{held:,}", held=line.held) if line.held else "",
        trouble,
    )


def name_of(state: SellerState) -> MessageText | str:
    return seller_name(state.line.profile, state.line.key)


def seller_name(profile: str, key: SellerKey) -> MessageText | str:
    """Return the name of the account and the number of the seller, if they differ."""
    seller = key[1]
    if not profile or profile == seller:
        return seller
    return tr("{name} ({seller})", name=profile, seller=seller)


def _waiting_text(line: SellerLine) -> MessageText | str:
    texts = []
    if line.waiting and line.oldest:
        since = _time(line.oldest)
        texts.append(tr("{count:,} since {time}", count=line.waiting, time=since))
    if line.on_hold:
        texts.append(tr("{count:,} put off", count=line.on_hold))
    return joined(texts)


def holder_text(state: SellerState) -> MessageText | str:
    """Return the process that works for the seller, if any."""
    holder = state.holder
    if holder is None:
        return tr("another process") if state.is_in_work else ""
    return tr("{command} on {host}", command=holder.command, host=holder.host)


def last_run_text(state: SellerState) -> MessageText | str:
    last = state.last
    if last is None:
        return tr("never")
    if not set(last.statuses).issubset(Status):  # areas are imported only for words of theirs
        load()
    counts = statuses_text(last.statuses) or tr("no rows sent")
    text = tr("run {run}: {counts}", run=last.run_id, counts=counts)
    return text if last.is_finished else joined((text, tr("not finished")), "; ")


def trouble_text(line: SellerLine) -> MessageText | str:
    """Return the error of the last passes, if they failed."""
    text = message_of(line)
    if line.failures < SEVERAL:
        return text
    tries = plural("{count:,} try", "{count:,} tries", line.failures)
    return tr("{trouble} ({tries})", trouble=text, tries=tries)


def next_try(line: SellerLine, now: datetime) -> datetime | None:
    """Return the time of the next pass, if it is put off."""
    is_put_off = line.failures and line.not_before and line.not_before > now
    return line.not_before if is_put_off else None


def _time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _fields(state: SellerState) -> Fields:
    line, last, holder = state.line, state.last, state.holder
    service, seller = line.key
    return {
        "seller": seller,
        "service": service,
        "profile": line.profile or None,
        "waiting": line.waiting,
        "waitingSince": iso(line.oldest),
        "onHold": line.on_hold,
        "inWork": state.is_in_work,
        "worker": holder
        and {
            "command": holder.command,
            "host": holder.host,
            "user": holder.user,
            "process": holder.pid,
            "since": iso(holder.since),
        },
        "lastRun": last
        and {
            "run": str(last.run_id),
            "started": iso(last.started_at),
            "finished": last.is_finished,
            "statuses": dict(last.statuses),
        },
        "answeredIn7Days": state.answered,
        "refusedIn7Days": state.refused,
        "refusedRate": None if state.refused_rate is None else round(state.refused_rate, 4),
        "held": line.held,
        "trouble": {
            "message": message_of(line),
            "exitCode": line.exit_code,
            "passes": line.failures,
        }
        if line.failures
        else None,
        "nextTry": iso(line.not_before),
        "lastPass": iso(line.passed_at),
    }


# Figures of all sellers as OpenMetrics text, for Prometheus and others.


CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


class Family(NamedTuple):
    """A metric with its samples."""

    name: str
    kind: str
    """`gauge`, or `counter`, which never falls."""
    help: str
    samples: Mapping[str, float]
    """Samples by the value of the label; without a label, the only one has an empty text."""
    label: str = ""
    unit: str = ""

    @property
    def sample(self) -> str:
        return f"{self.name}_total" if self.kind == "counter" else self.name

    def lines(self) -> Iterator[str]:
        yield f"# TYPE {self.name} {self.kind}"
        if self.unit:
            yield f"# UNIT {self.name} {self.unit}"
        yield f"# HELP {self.name} {self.help}"
        for value, number in sorted(self.samples.items()):
            labels = f'{{{self.label}="{_escaped(value)}"}}' if self.label else ""
            yield f"{self.sample}{labels} {number:.15g}"


def write_metrics(figures: Figures, now: datetime) -> str:
    lines = (line for family in families(figures, now) for line in family.lines())
    return "".join(f"{line}\n" for line in (*lines, "# EOF"))


def families(figures: Figures, now: datetime) -> Iterable[Family]:
    waited = (now - figures.oldest).total_seconds() if figures.oldest else 0
    sellers = {
        "all": figures.sellers,
        "in_trouble": figures.in_trouble,
        "waiting": figures.sellers_waiting,
    }
    return (
        _gauge("parcels_waiting", "Files that wait to be sent.", figures.waiting),
        _gauge("parcels_on_hold", "Files that somebody has put off.", figures.on_hold),
        Family(
            "feedtool_oldest_wait_seconds",
            "gauge",
            "Seconds since the first of the files that wait has arrived.",
            {"": max(0.0, waited)},
            unit="seconds",
        ),
        Family("feedtool_sellers", "gauge", "Sellers, by how they are.", sellers, "state"),
        _gauge("rows_held", "Rows that guards hold until somebody decides.", figures.held),
        Family(
            "feedtool_passes",
            "counter",
            "Passes over the files of sellers, and commands that have sent some.",
            {"": figures.passes},
        ),
        Family(
            "feedtool_answers",
            "counter",
            "Rows that were answered, or refused by the checks, by status.",
            figures.answers,
            "status",
        ),
        Family(
            "feedtool_processes",
            "gauge",
            "Processes that send now, or wait for work, by command.",
            {"worker": 0, **figures.processes},
            "command",
        ),
    )


def _gauge(name: str, help_: str, number: float) -> Family:
    return Family(f"feedtool_{name}", "gauge", help_, {"": number})


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


# The account that files are sent from, with all that its files need.


def _unfiltered(kind: Export, filters: Mapping[str, Any]) -> Query:
    """Return a query for an unknown account."""
    return query_of(kind, filters, "", "en", Context())


class PlanningAccount(Struct, frozen=True):
    """The part of an account that a dry run needs: neither token nor network."""

    reading: ReadOptions
    selection: SelectionOptions
    identity: Account


class SellerAccount(Struct, frozen=True):
    """An account, with all that its files need."""

    session: Session
    workspace: Workspace
    reading: ReadOptions
    on_answered: Callable[[Sequence[SheetResult], Exit], None] = lambda *_: None
    """Called with the results of a run; returns at once."""
    on_refused: Callable[[str, FeedtoolError], None] = lambda *_: None
    """Called with a file that is not sent, or not completely; returns at once."""
    selection: SelectionOptions = EVERY_ROW
    language: LanguageChoice = ENGLISH_UNLESS_STAMPED
    """The language of texts for people."""
    query: Callable[[Export, Mapping[str, Any]], Query] = _unfiltered
    """Returns the query of an export with some filters; see `cursors.query_of`."""

    @property
    def claims(self) -> Claims:
        return self.workspace.ledger.claims

    @property
    def key(self) -> SellerKey:
        return seller_key(self.session.address, self.session.seller)


OpenAccount = Callable[[str | None], AbstractContextManager[SellerAccount]]
"""Opens a profile's account, or the command line's, in the thread that uses it."""
