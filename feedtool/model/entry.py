"""Entries of a journal for accountants: a number is given out once, and an entry never changes."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class BookedEntry(NamedTuple):
    """An entry with its number."""

    number: int
    """From 1 on, without a gap in its journal."""
    text: str
    reverses: int | None
    """The number of the entry that it takes back."""


Reverse = Callable[[str], str]
"""The text of the entry that takes another one back."""

Book = Callable[[str, str, Iterable[str], Reverse], Iterator[BookedEntry]]
"""All entries of a journal and of a period, by their numbers, once these texts are booked: each as
often as it is given, and no other that is not taken back."""


def book_nothing(*_: object) -> Iterator[BookedEntry]:
    """No entry, where there is no ledger."""
    return iter(())
