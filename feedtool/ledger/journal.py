"""The numbers of journal entries: given out once, so that the same month is the same file.

An operation that has changed since it was booked keeps its entry; a second one takes that back, and
a third books it as it is now.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from sqlalchemy import Connection, Engine, func, insert, select

from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.model.entry import BookedEntry, DraftEntry, Reverse

CHUNK = 1_000
"""Entries in a statement."""


class Journals:
    """The journals of a seller of a service."""

    def __init__(self, engine: Engine, service: str, seller: str) -> None:
        self._engine = engine
        self._whose = {"service": service, "seller": seller}

    def book(
        self, journal: str, period: str, drafts: Iterable[DraftEntry], reverse: Reverse
    ) -> Iterator[BookedEntry]:
        """The entries of a period, once those that are new have their numbers."""
        whose = {**self._whose, "journal": journal}
        with writing(self._engine) as db:
            last = select(func.max(t.entries.c.number)).filter_by(**whose)
            number = db.scalar(last) or 0
            left = iter(drafts)
            while chunk := list(islice(left, CHUNK)):
                added = list(_added(chunk, _booked(db, whose, chunk), reverse))
                numbered = enumerate(added, start=number + 1)
                rows = [{**whose, "period": period, "number": at, **row} for at, row in numbered]
                if rows:
                    db.execute(insert(t.entries), rows)
                number += len(rows)
        return self._read(whose, period)

    def _read(self, whose: Mapping[str, str], period: str) -> Iterator[BookedEntry]:
        of = t.entries.c
        query = select(of.number, of.text, of.reverses).filter_by(**whose, period=period)
        number = 0
        while True:
            with reading(self._engine) as db:
                further = query.where(of.number > number).order_by(of.number).limit(CHUNK)
                found = [BookedEntry(*row) for row in db.execute(further)]
            if not found:
                return
            yield from found
            number = found[-1].number


def _booked(
    db: Connection, whose: Mapping[str, str], drafts: Iterable[DraftEntry]
) -> dict[str, tuple[int, str]]:
    """The last entry of each key that takes nothing back: its number and its text."""
    of = t.entries.c
    keys = [draft.key for draft in drafts]
    query = select(of.key, of.number, of.text).filter_by(**whose, reverses=None)
    rows = db.execute(query.where(of.key.in_(keys)).order_by(of.number))
    return {key: (number, text) for key, number, text in rows}


def _added(
    drafts: Iterable[DraftEntry], booked: Mapping[str, tuple[int, str]], reverse: Reverse
) -> Iterator[dict[str, object]]:
    """What is to be added for drafts: nothing for those that are booked as they are."""
    for key, text in drafts:
        number, before = booked.get(key, (None, ""))
        if text != before:
            if number is not None:
                yield {"key": key, "text": reverse(before, text), "reverses": number}
            yield {"key": key, "text": text, "reverses": None}
