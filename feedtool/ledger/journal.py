"""The numbers of journal entries: given once, so that the same month is the same file.

Booking a period makes its entries equal the texts of now: an entry with such a text stays, another
one is taken back by a further entry, and missing texts are added.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import count, islice
from typing import Any

from sqlalchemy import Connection, Engine, Select, func, insert, select

from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.model.nouns import BookedEntry, Reverse

CHUNK = 1_000
"""Entries in a statement."""


class Journals:
    """The journals of a seller of a service."""

    def __init__(self, engine: Engine, service: str, seller: str) -> None:
        self._engine = engine
        self._owner = {"service": service, "seller": seller}

    def book(
        self, journal: str, period: str, texts: Iterable[str], reverse: Reverse
    ) -> Iterator[BookedEntry]:
        """Number and save the new entries of a period; return all its entries."""
        owner = {**self._owner, "journal": journal}
        with writing(self._engine) as db:
            # PostgreSQL lets several write: this lock lets one book at a time.
            db.execute(select(t.schema_version.c.version).with_for_update())
            _Booking(db, owner, period).book(texts, reverse)
        return self._read(owner, period)

    def _read(self, owner: Mapping[str, str], period: str) -> Iterator[BookedEntry]:
        columns = t.entries.c
        query = select(columns.number, columns.text, columns.reverses).filter_by(
            **owner, period=period
        )
        number = 0
        while True:
            with reading(self._engine) as db:
                page = query.where(columns.number > number).order_by(columns.number).limit(CHUNK)
                entries = [BookedEntry(*row) for row in db.execute(page)]
            if not entries:
                return
            yield from entries
            number = entries[-1].number


class _Booking:
    """Adds entries to a period of a journal."""

    def __init__(self, db: Connection, owner: Mapping[str, str], period: str) -> None:
        self._db = db
        self._owner, self._period = owner, period
        last = select(func.max(t.entries.c.number)).filter_by(**owner)
        self._last = db.scalar(last) or 0
        self._numbers = count(self._last + 1)
        self._kept: set[int] = set()

    def book(self, texts: Iterable[str], reverse: Reverse) -> None:
        """Add texts that are not booked yet, then take back entries without a text."""
        left = iter(texts)
        while chunk := [*islice(left, CHUNK)]:
            self._add((_key(text), text, None) for text in self._new(chunk))
        for gone in self._gone():
            self._add((key, reverse(text), number) for key, text, number in gone)

    def _new(self, texts: Iterable[str]) -> Iterator[str]:
        """The texts that are not booked, each as often as entries are missing."""
        counts = Counter(texts)
        columns = t.entries.c
        query = self._standing().where(columns.key.in_(map(_key, counts)))
        booked: defaultdict[str, list[int]] = defaultdict(list)
        for _, text, number in self._db.execute(query):
            if number not in self._kept:
                booked[text].append(number)
        for text, times in counts.items():
            self._kept.update(booked[text][:times])
            yield from [text] * (times - len(booked[text]))

    def _gone(self) -> Iterator[list[tuple[str, str, int]]]:
        """The entries without a text."""
        number = 0
        while number < self._last:
            columns = t.entries.c
            query = self._standing().where(columns.number > number).limit(CHUNK)
            rows = self._db.execute(query).all()
            number = rows[-1].number if rows else self._last
            yield [(row.key, row.text, row.number) for row in rows if row.number not in self._kept]

    def _standing(self) -> Select[Any]:
        """The earlier entries that neither take another back nor are taken back."""
        entries, reversals = t.entries.c, t.entries.alias()
        back = select(reversals.c.reverses).filter_by(**self._owner, period=self._period)
        return (
            select(entries.key, entries.text, entries.number)
            .filter_by(**self._owner, period=self._period, reverses=None)
            .where(
                entries.number <= self._last,
                entries.number.not_in(back.where(reversals.c.reverses.is_not(None))),
            )
            .order_by(entries.number)
        )

    def _add(self, entries: Iterable[tuple[str, str, int | None]]) -> None:
        rows = [
            {"number": number, "key": key, "text": text, "reverses": reverses}
            for (key, text, reverses), number in zip(entries, self._numbers, strict=False)
        ]
        common = {**self._owner, "period": self._period}
        if rows:
            self._db.execute(insert(t.entries), [{**common, **row} for row in rows])


def _key(text: str) -> str:
    return sha256(text.encode()).hexdigest()
