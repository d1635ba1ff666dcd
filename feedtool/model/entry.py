"""Entries of a journal for accountants: each number is used once, and an entry never changes."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class BookedEntry(NamedTuple):
    """An entry with its number."""

    number: int
    """Counted from 1, without gaps in its journal."""
    text: str
    reverses: int | None
    """The number of the entry that this one takes back."""


Reverse = Callable[[str], str]
"""Returns the text of the entry that takes back an entry with this text."""

Book = Callable[[str, str, Iterable[str], Reverse], Iterator[BookedEntry]]
"""Books texts of a journal and a period, and returns all its entries by their numbers. Afterwards
each text has as many entries as it was given times; all others are taken back."""


def no_journal(*_: object) -> Iterator[BookedEntry]:
    """Book nothing and return no entry, since there is no ledger."""
    return iter(())
