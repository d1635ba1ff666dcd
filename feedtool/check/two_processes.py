"""Read a large sheet in two processes, which take turns of some blocks.

Both go through the whole file, but each reads and checks only the rows of its own turns. The second
process sends its findings; the first one adds them in the order of turns, so that the result is
equal to that of one process, byte for byte.
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
from feedtool.model.disk_list import temporary_file
from feedtool.model.errors import FeedtoolError
from feedtool.model.nouns import Issue, Item, Problem, RowResult
from feedtool.model.sheet import Filled, ProblemSpool, RefusedRow

if TYPE_CHECKING:
    from feedtool.check.sheet import SheetReader

TURN = 4
"""The pieces of a sheet in one turn: some thousand rows."""
WORTH = 8 << 20
"""The least bytes of a sheet for which a second process saves time."""
STOPS = (signal.SIGINT, signal.SIGTERM)
_LENGTH = 8
"""The bytes for the length of a part."""


class ProcessEnded(Exception):
    """There is no second process, or it ended too early, say for lack of memory."""


class Findings(NamedTuple):
    """The findings of the second process in one turn."""

    first: int
    """The row number of the first mark."""
    marks: bytes
    problems: Sequence[Problem]
    items: Sequence[Item]
    refused: Sequence[RefusedRow]
    skipped: Sequence[RowResult]
    filled: Sequence[Filled]
    hidden: int
    once: Mapping[str, Issue]
    evidence: Sequence[tuple[Mapping[str, str], bool]]
    """The decimal evidence of each column, and True if a cell is ambiguous."""
    keys: Sequence[Occurrences]
    notices: Mapping[str, Sequence[str]]


def is_worthwhile(reader: "SheetReader") -> bool:
    """Return True if two processes read a sheet faster than one, with the same result.

    Rows that are checked together with earlier ones need one process: rows of one request, or with
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
    """Return the surveys of a sheet that remember keys, and can be merged."""
    return [survey for survey in reader.own_surveys if isinstance(survey, Occurrences)]


def read_by_two(reader: "SheetReader") -> None:
    """Read all rows. Raises ProcessEnded, and the errors of reading."""
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
    """Return True if the first process reads a piece."""
    return number // TURN % 2 == 0


def _is_second(number: int) -> bool:
    return not _is_first(number)


@contextmanager
def _other_process(reader: "SheetReader") -> Iterator[Iterator[Findings]]:
    """Run the second process, and give its findings. Raises ProcessEnded if it cannot start."""
    with temporary_file() as file:
        # Block signals until both processes can handle them.
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
                with suppress(ChildProcessError):  # the parent process may ignore SIGCHLD
                    os.waitpid(process, 0)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _forked(reader: "SheetReader", file: IO[bytes]) -> tuple[int, int]:
    """Return the pipe from the second process, and its id; never returns in that process."""
    try:
        receiving, sending = os.pipe()
    except OSError as error:
        raise ProcessEnded from error
    try:
        process = os.fork()
    except OSError as error:
        os.close(receiving)
        os.close(sending)
        raise ProcessEnded from error
    if not process:
        os.close(receiving)
        _work(reader, file, sending)
    os.close(sending)
    return receiving, process


def _parts(file: IO[bytes], receiving: int) -> Iterator[Findings]:
    """Yield findings as they arrive. They are in a file, so that the second process never waits."""
    place = 0
    while length := int.from_bytes(os.read(receiving, _LENGTH), "big"):
        part = pickle.loads(os.pread(file.fileno(), length, place))  # noqa: S301  # our own process wrote it
        place += length
        if isinstance(part, FeedtoolError):
            raise part
        yield part
    raise ProcessEnded


def _work(reader: "SheetReader", file: IO[bytes], sending: int) -> NoReturn:
    """Do the work of the second process, until its end.

    The first process reports a file that cannot be read. After any other failure this process just
    ends: the first one then reads everything alone, and finds the error itself.
    """

    def send(part: object) -> None:
        data = pickle.dumps(part)
        file.write(data)
        file.flush()
        os.write(sending, len(data).to_bytes(_LENGTH, "big"))

    try:
        # Ctrl-C is for the first process, which ends this one.
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
    """Forget the findings before a part."""
    reader.rows.forget()
    reader.sheet.take_notices()
    reader.problems, reader.hidden = ProblemSpool(), 0
    reader.once.clear()
    reader.replace_surveys()


def _part(reader: "SheetReader") -> Findings:
    """Return the findings since the beginning of the part."""
    rows, marks = reader.rows, bytes(reader.rows.marks)
    of_part = marks.lstrip(b"\0")
    return Findings(
        len(marks) - len(of_part),
        of_part,
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
    """Add the findings of a part to those before it."""
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
        column.evidence |= {
            sign: text for sign, text in evidence.items() if sign not in column.evidence
        }
        column.is_ambiguous |= is_ambiguous
    for keys, later in zip(keys_of(reader), part.keys, strict=True):
        keys.extend(later)
    reader.sheet.add_notices(part.notices)
