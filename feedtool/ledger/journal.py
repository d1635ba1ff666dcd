"""The numbers of journal entries: given out once, so that the same month is the same file.

What is booked of a period comes to what is so now: an entry that is so stays, one that is not so is
taken back by a further one, and what is new is added.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import count, islice
from typing import Any

from sqlalchemy import Connection, Engine, Select, func, insert, select

from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.model.entry import BookedEntry, Reverse

CHUNK = 1_000
"""Entries in a statement."""


class Journals:
    """The journals of a seller of a service."""

    def __init__(self, engine: Engine, service: str, seller: str) -> None:
        self._engine = engine
        self._whose = {"service": service, "seller": seller}

    def book(
        self, journal: str, period: str, texts: Iterable[str], reverse: Reverse
    ) -> Iterator[BookedEntry]:
        """The entries of a period, once those that are new have their numbers."""
        whose = {**self._whose, "journal": journal}
        with writing(self._engine) as db:
            # One at a time, since PostgreSQL lets several write.
            db.execute(select(t.schema_version.c.version).with_for_update())
            _Booking(db, whose, period).book(texts, reverse)
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


class _Booking:
    """Adds entries to a period of a journal."""

    def __init__(self, db: Connection, whose: Mapping[str, str], period: str) -> None:
        self._db = db
        self._whose, self._period = whose, period
        last = select(func.max(t.entries.c.number)).filter_by(**whose)
        self._last = db.scalar(last) or 0
        self._numbers = count(self._last + 1)
        self._kept: set[int] = set()

    def book(self, texts: Iterable[str], reverse: Reverse) -> None:
        """Add what is not booked yet, then take back what is no longer so."""
        left = iter(texts)
        while chunk := [*islice(left, CHUNK)]:
            self._add((_key(text), text, None) for text in self._new(chunk))
        for gone in self._gone():
            self._add((key, reverse(text), number) for key, text, number in gone)

    def _new(self, texts: Iterable[str]) -> Iterator[str]:
        """The texts that are not booked, each as often as it is missing."""
        wanted = Counter(texts)
        of = t.entries.c
        query = self._standing().where(of.key.in_(map(_key, wanted)))
        booked: defaultdict[str, list[int]] = defaultdict(list)
        for _, text, number in self._db.execute(query):
            if number not in self._kept:
                booked[text].append(number)
        for text, times in wanted.items():
            self._kept.update(booked[text][:times])
            yield from [text] * (times - len(booked[text]))

    def _gone(self) -> Iterator[list[tuple[str, str, int]]]:
        """The entries that no text was found for."""
        number = 0
        while number < self._last:
            of = t.entries.c
            query = self._standing().where(of.number > number).limit(CHUNK)
            found = self._db.execute(query).all()
            number = found[-1].number if found else self._last
            yield [(row.key, row.text, row.number) for row in found if row.number not in self._kept]

    def _standing(self) -> Select[Any]:
        """The entries of before that take nothing back, and are not taken back."""
        of, by = t.entries.c, t.entries.alias()
        back = select(by.c.reverses).filter_by(**self._whose, period=self._period)
        return (
            select(of.key, of.text, of.number)
            .filter_by(**self._whose, period=self._period, reverses=None)
            .where(
                of.number <= self._last, of.number.not_in(back.where(by.c.reverses.is_not(None)))
            )
            .order_by(of.number)
        )

    def _add(self, entries: Iterable[tuple[str, str, int | None]]) -> None:
        rows = [
            {"number": number, "key": key, "text": text, "reverses": reverses}
            for (key, text, reverses), number in zip(entries, self._numbers, strict=False)
        ]
        common = {**self._whose, "period": self._period}
        if rows:
            self._db.execute(insert(t.entries), [{**common, **row} for row in rows])


def _key(text: str) -> str:
    """What an entry is found by."""
    return sha256(text.encode()).hexdigest()
