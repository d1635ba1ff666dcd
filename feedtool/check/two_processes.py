"""A large sheet read by two processes, which take turns of some blocks.

Both go through the whole file, but each reads and judges the rows of its own turns alone. The other
process hands over what it found; this one takes it in where its own turns leave off, so that the
result is byte for byte that of one process.
"""

import os
import pickle
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, NamedTuple, NoReturn

from feedtool.feeds.occurrences import Occurrences
from feedtool.model.errors import FeedtoolError
from feedtool.model.nouns import Issue, Item, Problem, RowResult
from feedtool.model.sheet import Filled, ProblemSpool, RefusedRow
from feedtool.model.spool import temporary_file

if TYPE_CHECKING:
    from feedtool.check.sheet import SheetReader

TURN = 4
"""Pieces of a sheet that one process reads in a row: some thousand rows."""
WORTH = 8 << 20
"""Bytes of a sheet below which a second process would cost more than it brings."""
STOPS = (signal.SIGINT, signal.SIGTERM)
_LENGTH = 8
"""Bytes that say how long a part is."""


class Gone(Exception):
    """There is no other process, or it has ended before its work, as by a lack of memory."""


class Findings(NamedTuple):
    """What the other process found in one of its turns."""

    first: int
    """The number of the row of the first mark."""
    marks: bytes
    problems: Sequence[Problem]
    items: Sequence[Item]
    refused: Sequence[RefusedRow]
    skipped: Sequence[RowResult]
    filled: Sequence[Filled]
    hidden: int
    once: Mapping[str, Issue]
    evidence: Sequence[tuple[Mapping[str, str], bool]]
    """Of each column what its cells settle, and True if one of them is ambiguous."""
    keys: Sequence[Occurrences]
    notices: Mapping[str, Sequence[str]]


def pay(reader: "SheetReader") -> bool:
    """True if two processes read a sheet faster than one, and as well.

    Rows that are judged together with earlier ones need one process: those of one request, or of
    surveys that remember more than keys. A process with threads, such as the page's, is not forked.
    """
    return (
        reader.context.settings.reading.processes > 1
        and reader.sheet.size >= WORTH
        and reader.is_row_by_row
        and len(keys_of(reader)) == len(reader.own_surveys)
        and sys.platform == "linux"
        and len(os.sched_getaffinity(0)) > 1
        and threading.active_count() == 1
    )


def keys_of(reader: "SheetReader") -> list[Occurrences]:
    """The surveys of a sheet that remember keys: what two of them have seen is put together."""
    return [survey for survey in reader.own_surveys if isinstance(survey, Occurrences)]


def read_by_two(reader: "SheetReader") -> None:
    """Reads all rows. Raises Gone, and what reading raises."""
    with _other_process(reader) as parts:
        for number, block in reader.sheet.pieces(reader.header.after, _is_first):
            if block:
                reader.locator.note_lines(block)
            if not _is_first(number):
                if number % TURN == 0:
                    _take_in(reader, next(parts))
            elif block:
                reader.read_block(block)


def _is_first(number: int) -> bool:
    """True if the process that was there first reads a piece."""
    return number // TURN % 2 == 0


def _is_second(number: int) -> bool:
    return not _is_first(number)


@contextmanager
def _other_process(reader: "SheetReader") -> Iterator[Iterator[Findings]]:
    """What the other process finds, which is gone afterwards. Raises Gone where none can be had."""
    with temporary_file() as file:
        # Until each process is ready for it, no signal may end one of them in the other's way.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        process = -1
        try:
            receiving, process = _forked(reader, file)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            yield _parts(file, receiving)
        finally:
            if process > 0:
                os.close(receiving)
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                with suppress(ChildProcessError):  # where whoever started us ignores their ends
                    os.waitpid(process, 0)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _forked(reader: "SheetReader", file: IO[bytes]) -> tuple[int, int]:
    """The pipe from the other process, and its number; in that one it never returns."""
    try:
        receiving, sending = os.pipe()
    except OSError as error:
        raise Gone from error
    try:
        process = os.fork()
    except OSError as error:
        os.close(receiving)
        os.close(sending)
        raise Gone from error
    if not process:
        os.close(receiving)
        _work(reader, file, sending)
    os.close(sending)
    return receiving, process


def _parts(file: IO[bytes], receiving: int) -> Iterator[Findings]:
    """The parts as they come. The file holds them, so that the other one never has to wait."""
    place = 0
    while length := int.from_bytes(os.read(receiving, _LENGTH), "big"):
        found = pickle.loads(os.pread(file.fileno(), length, place))  # noqa: S301  # our own process wrote it
        place += length
        if isinstance(found, FeedtoolError):
            raise found
        yield found
    raise Gone


def _work(reader: "SheetReader", file: IO[bytes], sending: int) -> NoReturn:
    """What the other process does until its end.

    A file that cannot be read is the first one's to tell. After any other failure it just ends: the
    first one goes the whole way alone, and meets what is wrong itself.
    """

    def send(found: object) -> None:
        data = pickle.dumps(found)
        file.write(data)
        file.flush()
        os.write(sending, len(data).to_bytes(_LENGTH, "big"))

    try:
        # Ctrl-C is for the first one, which ends this one.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        reader.sheet.reopen()
        _begin(reader)
        for number, block in reader.sheet.pieces(reader.header.after, _is_second):
            if _is_second(number):
                if block:
                    reader.read_block(block)
            elif number % TURN == 0 and number:
                send(_part(reader))
                _begin(reader)
        send(_part(reader))
    except FeedtoolError as error:
        with suppress(Exception):
            send(error)
    finally:
        os._exit(0)


def _begin(reader: "SheetReader") -> None:
    """Forgets what was found before a part."""
    reader.rows.forget()
    reader.sheet.take_notices()
    reader.problems, reader.hidden = ProblemSpool(), 0
    reader.once.clear()
    reader.survey_anew()


def _part(reader: "SheetReader") -> Findings:
    """What was found since the part has begun."""
    rows, marks = reader.rows, bytes(reader.rows.marks)
    own = marks.lstrip(b"\0")
    return Findings(
        len(marks) - len(own),
        own,
        list(reader.problems),
        list(rows.items),
        list(rows.refused),
        list(rows.skipped),
        list(rows.filled or ()),
        reader.hidden,
        dict(reader.once),
        [(column.evidence, column.is_ambiguous) for column in reader.columns_read.values()],
        keys_of(reader),
        reader.sheet.take_notices(),
    )


def _take_in(reader: "SheetReader", part: Findings) -> None:
    """Adds a part to what was found before it."""
    rows = reader.rows
    rows.marks.put(part.first, part.marks)
    reader.problems.append_all(part.problems)
    rows.items.append_all(part.items)
    rows.refused.append_all(part.refused)
    rows.skipped.append_all(part.skipped)
    if rows.filled is not None:
        rows.filled.append_all(part.filled)
    reader.hidden += part.hidden
    for name, issue in part.once.items():
        reader.once.setdefault(name, issue)
    for column, (evidence, is_ambiguous) in zip(
        reader.columns_read.values(), part.evidence, strict=True
    ):
        column.evidence |= {it: text for it, text in evidence.items() if it not in column.evidence}
        column.is_ambiguous |= is_ambiguous
    for own, later in zip(keys_of(reader), part.keys, strict=True):
        own.extend(later)
    reader.sheet.add_notices(part.notices)
