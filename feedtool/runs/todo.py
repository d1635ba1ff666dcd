"""Work that waits for the user: at the service, by the areas' counts, and in the ledger."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from feedtool.areas.registry import load
from feedtool.feeds.export import Wait
from feedtool.ledger import Ledger, Phase, Run
from feedtool.ledger.records import FORGOTTEN
from feedtool.ledger.run_lists import NOT_TAKEN
from feedtool.model.call import Call
from feedtool.model.errors import FeedtoolError, Interrupted
from feedtool.model.nouns import Status
from feedtool.model.settings import AccountSettings
from feedtool.model.text import Translator, joined, plural, tr
from feedtool.report.as_json import Fields, write_entries
from feedtool.report.plain import clean
from feedtool.runs.corrections import results_to_correct
from feedtool.runs.held import HeldGroup, held_groups
from feedtool.runs.history import known_run
from feedtool.runs.workspace import Session, Workspace, unfinished
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import Answer, ask_all, read_answer
from feedtool.service.fetch import FORBIDDEN, no_answer, not_authorised

RECENT, MOST = 1_000, 10
"""The most runs to search for rows to correct, and the most of them whose rows are counted."""


class TodoLine(NamedTuple):
    """Waiting work, or work of unknown amount."""

    name: str
    label: str
    text: str
    words: tuple[str, ...]
    """The words of the command that continues it."""
    waiting: int | None = None
    """The number of things; None if unknown."""
    run: int | None = None
    """The run whose options the command takes."""


def todo_at_service(session: Session, settings: AccountSettings) -> list[TodoLine]:
    """Return a line for each kind of waiting work; also if the service does not tell its amount.

    NotAuthorised if the service refuses the token, Interrupted if it cannot be reached.
    """
    return [*filter(None, (_line_of_wait(session, wait) for wait in load().waits(settings)))]


# At the service.


def _line_of_wait(session: Session, wait: Wait) -> TodoLine | None:
    """Return a line about one kind of waiting work, or None."""
    call = wait.call if isinstance(wait.call, Call) else wait.call(session.now())
    answer = _ask(session, call, wait.read)
    if answer.kind is not AnswerKind.DONE:
        _stop_at(answer)
        text = tr("not known: {reason}", reason=answer.detail)
        return TodoLine(wait.name, wait.label, text, wait.words)
    if not answer.value:
        return None
    detail = _ask(session, wait.look, wait.detail).value if wait.look else ""
    text = joined(filter(None, (wait.things(answer.value), detail)))
    return TodoLine(wait.name, wait.label, text, wait.words, answer.value)


def _ask(session: Session, call: Call, read: Callable[[Any], object]) -> Answer:
    return read_answer(call, ask_all(session.client, [call]), session.now(), read)


def _stop_at(answer: Answer) -> None:
    """Raise if no other call can be answered either; a missing right affects this call alone."""
    if answer.error:
        raise answer.error
    if answer.kind is AnswerKind.AUTH and answer.status != FORBIDDEN:
        raise not_authorised(answer)
    if answer.kind is AnswerKind.NOT_SENT:
        hint = tr("Check base_url, your network and its proxy, and run it again.")
        raise Interrupted(no_answer(answer), hint)


# In the ledger.


def todo_in_ledger(workspace: Workspace, seller: tuple[str, str] | None) -> Iterator[TodoLine]:
    """Yield unfinished runs, rows to correct, and rows that guards hold.

    `seller` is the address of a service and a seller's name there; None is all sellers.
    """
    ledger = workspace.ledger

    def is_wanted(run: Run) -> bool:
        return seller in {None, (run.service, run.seller)} and FORGOTTEN not in run.options

    open_runs = unfinished(workspace)
    for number in open_runs:
        if (run := ledger.run(number)) and is_wanted(run):
            yield _line_of_run(number, ledger)
    failed = ledger.failed(*seller) if seller else {}
    for number, count in failed.items():
        if is_wanted(known_run(ledger, number)):
            text = plural("{count:,} invoice failed", "{count:,} invoices failed", count)
            words = ("results", str(number))
            yield TodoLine("failed", tr("Run {run}", run=number), text, words, count)
    yield from runs_to_correct(workspace, is_wanted, failed.keys() | set(open_runs))
    yield from held_files(workspace, is_wanted)


RunFilter = Callable[[Run], bool]


def runs_to_correct(
    workspace: Workspace, is_wanted: RunFilter, others: Collection[int]
) -> Iterator[TodoLine]:
    """Yield the newest runs with rows to correct; runs in `others` have other lines."""
    noted = workspace.ledger.counts.noted(workspace.ledger.run_ids()[:RECENT])
    refused = (
        number
        for number in sorted(noted, reverse=True)
        if number not in others and not NOT_TAKEN.isdisjoint(noted[number].statuses)
    )
    runs = (run for run in refused if is_wanted(known_run(workspace.ledger, run)))
    for number in islice(runs, MOST):
        count = 0
        with suppress(FeedtoolError):  # its files are no longer kept
            for result in results_to_correct(number, workspace):
                result.count_left()
                count += result.to_correct
        if count:
            text = plural("{count:,} row to correct", "{count:,} rows to correct", count)
            words = ("results", str(number), "--failed-only")
            yield TodoLine("to-correct", tr("Run {run}", run=number), text, words, count)


def held_files(workspace: Workspace, is_wanted: RunFilter) -> Iterator[TodoLine]:
    """Yield the files with rows that guards hold, each in its newest run."""
    newest: dict[tuple[str, str, str], list[HeldGroup]] = {}
    for group in held_groups(workspace, is_wanted):
        groups = newest.setdefault((group.run.service, group.run.seller, group.file), [])
        if not groups or groups[0].run.run_id == group.run.run_id:
            groups.append(group)
    for (*_, file), groups in newest.items():
        number, codes = groups[0].run.run_id, ",".join(group.code for group in groups)
        sheets = [sheet for group in groups for sheet in group.sheets]
        count = len({(sheet.sheet, result.row) for sheet in sheets for result in sheet.rows})
        text = plural(
            "{count:,} row held: {codes}", "{count:,} rows held: {codes}", count, codes=codes
        )
        is_there = Path(file).exists()
        words = ("submit", file, "--release", codes) if is_there else ("status", str(number))
        run = number if is_there else None
        yield TodoLine("held", tr("Run {run}", run=number), text, words, count, run)


def _line_of_run(number: int, ledger: Ledger) -> TodoLine:
    """Return the line of an unfinished run; if all is sent, it only waits for answers."""
    left = [
        package for package in ledger.read_packages(number) if package.phase is not Phase.CLOSED
    ]
    is_sent = left and all(package.committed_at for package in left)
    count = ledger.statuses(number)[Status.PENDING]
    text = tr("not finished")
    if count:
        text = plural("{count:,} row without an answer", "{count:,} rows without an answer", count)
    words = ("results" if is_sent else "resume", str(number))
    return TodoLine("unfinished", tr("Run {run}", run=number), text, words, count or 1)


# The report.


def write_todo(
    lines: Sequence[TodoLine],
    commands: Sequence[str],
    out: TextIO,
    form: str,
    say: Translator,
) -> None:
    """Write a line for each, with its command at the end; or JSON, an object for each."""
    if form != "text":
        entries: Iterator[Fields] = (
            {"name": line.name, "count": line.waiting, "text": line.text, "command": command}
            for line, command in zip(lines, commands, strict=True)
        )
        write_entries(entries, out, form)
        return
    shown = [(say(line.label), say(line.text)) for line in lines]
    widths = [max((len(text) for text in texts), default=0) for texts in zip(*shown, strict=True)]
    for texts, command in zip(shown, commands, strict=True):
        padded = (f"{text:{width}}" for text, width in zip(texts, widths, strict=True))
        out.write(clean("  ".join((*padded, command))) + "\n")
