"""What waits for the user: at the service, by the areas' counts, and in the ledger."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TextIO

from feedtool.areas.registry import load
from feedtool.feeds.area import Wait
from feedtool.ledger import Ledger, Phase
from feedtool.ledger.records import FORGOTTEN
from feedtool.model.call import Call
from feedtool.model.errors import Interrupted
from feedtool.model.nouns import Status
from feedtool.model.settings import AccountSettings
from feedtool.model.text import Translator, joined, plural, tr
from feedtool.report.as_json import Fields, write_entries
from feedtool.report.plain import clean
from feedtool.runs.known_run import known_run
from feedtool.runs.workspace import Session, Workspace, unfinished
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import Answer, ask_all, read_answer
from feedtool.service.fetch import FORBIDDEN, no_answer, not_authorised


class TodoLine(NamedTuple):
    """Something that waits, or of which nobody knows whether it does."""

    name: str
    label: str
    text: str
    words: tuple[str, ...]
    """Of the command that goes on with it."""
    waiting: int | None = None
    """How many; None where that is not known."""


def todo(session: Session, workspace: Workspace, settings: AccountSettings) -> list[TodoLine]:
    """A line for each thing that waits, or of which the service does not tell.

    NotAuthorised where it does not accept the token, Interrupted where it cannot be reached.
    """
    found = [_asked(session, wait) for wait in load().waits(settings)]
    return [*filter(None, found), *_of_ledger(session, workspace)]


# At the service.


def _asked(session: Session, wait: Wait) -> TodoLine | None:
    """What waits of a sort; None where nothing does."""
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
    """Raises where no other call can be answered either; a right may lack for this one alone."""
    if answer.error:
        raise answer.error
    if answer.kind is AnswerKind.AUTH and answer.status != FORBIDDEN:
        raise not_authorised(answer)
    if answer.kind is AnswerKind.NOT_SENT:
        hint = tr("Check base_url, your network and its proxy, and run it again.")
        raise Interrupted(no_answer(answer), hint)


# In the ledger.


def _of_ledger(session: Session, workspace: Workspace) -> Iterator[TodoLine]:
    """The seller's runs that are not at their end, and what the service has not taken."""
    ledger = workspace.ledger
    whose = (session.address, session.seller)
    for number in unfinished(workspace):
        run = ledger.run(number)
        if run and (run.service, run.seller) == whose:
            yield _of_run(number, ledger)
    for number, count in ledger.failed(*whose).items():
        if FORGOTTEN in known_run(ledger, number).options:
            continue
        text = plural("{count:,} invoice failed", "{count:,} invoices failed", count)
        words = ("results", str(number))
        yield TodoLine("failed", tr("Run {run}", run=number), text, words, count)


def _of_run(number: int, ledger: Ledger) -> TodoLine:
    """A run that is not at its end; all that it has sent may only wait for answers."""
    left = [it for it in ledger.read_packages(number) if it.phase is not Phase.CLOSED]
    is_sent = left and all(package.committed_at for package in left)
    count = ledger.statuses(number)[Status.PENDING]
    text = tr("not finished")
    if count:
        text = plural("{count:,} row without an answer", "{count:,} rows without an answer", count)
    words = ("results" if is_sent else "resume", str(number))
    return TodoLine("unfinished", tr("Run {run}", run=number), text, words, count or 1)


# As it is shown.


def write_todo(
    lines: Sequence[TodoLine],
    commands: Sequence[str],
    out: TextIO,
    form: str,
    say: Translator,
) -> None:
    """A line for each, its command at the end; or JSON, an object for each."""
    if form != "text":
        write_entries(map(_fields, lines, commands), out, form)
        return
    shown = [(say(line.label), say(line.text)) for line in lines]
    widths = [max((len(text) for text in texts), default=0) for texts in zip(*shown, strict=True)]
    for texts, command in zip(shown, commands, strict=True):
        padded = (f"{text:{width}}" for text, width in zip(texts, widths, strict=True))
        out.write(clean("  ".join((*padded, command))) + "\n")


def _fields(line: TodoLine, command: str) -> Fields:
    return {
        "name": line.name,
        "count": line.waiting,
        "text": line.text,
        "command": command,
    }
