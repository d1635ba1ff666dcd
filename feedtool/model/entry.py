"""Entries of a journal for accountants: a number is given out once, and an entry never changes."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class DraftEntry(NamedTuple):
    """An entry as it should be booked now."""

    key: str
    """What it is of: the same for the same operation, whatever becomes of it."""
    text: str
    """Its lines; of an entry that is booked with another text there is a new one."""


class BookedEntry(NamedTuple):
    """An entry with its number."""

    number: int
    """From 1 on, without a gap in its journal."""
    text: str
    reverses: int | None
    """The number of the entry that it takes back."""


Reverse = Callable[[str, str], str]
"""The text of the entry that takes back the first of two, for the second."""

Book = Callable[[str, str, Iterable[DraftEntry], Reverse], Iterator[BookedEntry]]
"""All entries of a journal and of a period, by their numbers, once the drafts are booked."""


def book_nothing(*_: object) -> Iterator[BookedEntry]:
    """No entry, where there is no ledger."""
    return iter(())
