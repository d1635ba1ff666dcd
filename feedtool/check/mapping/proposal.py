"""Propose a field for each column of a merchant's own sheet."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from feedtool.check.mapping.context import SAME_ROWS, weigh_neighbours
from feedtool.check.mapping.evidence import (
    NEIGHBOURS,
    Guess,
    SheetColumn,
    field_names,
    guess_concepts,
    other_keys,
)
from feedtool.check.mapping.words import words_of
from feedtool.check.sale_marks import ALWAYS, About, about_of, about_of_words, is_sold
from feedtool.feeds.columns.text import plain
from feedtool.feeds.feed import ACTION
from feedtool.model.cells import Column, folded, letters, shown
from feedtool.model.text import MessageText, tr

SHOWN = 3
"""The most alternatives and samples in a proposal."""
SURE_MARK, LIKELY_MARK, UNSURE_MARK = 95, 80, 50
"""The confidence that a column marks rows as not for sale, with and without known words."""
REFERENCES = frozenset(("reference", "unclear reference"))
"""Concepts; a sheet usually has one of them."""


class ColumnProposal(Struct, frozen=True):
    """The proposal for one column."""

    index: int
    header: str
    key: str | None
    """The field; None for a useless or an unknown column."""
    confidence: int
    """0 to 100."""
    is_useless: bool
    """True if its meaning is known, and is no field of the kind."""
    alternatives: tuple[str, ...]
    """Other possible keys, best first."""
    samples: tuple[str, ...]
    reason: str
    not_for_sale: tuple[str, ...] = ()
    """The words of its cells that mark a row as not for sale."""
    replaces: str = ""
    """The missing header of an earlier recipe that this column probably replaces."""

    @property
    def column(self) -> str:
        return letters(self.index)

    def perhaps(self, meaning: str) -> MessageText:
        """The likely meaning, with its confidence and the reason."""
        return tr(
            "perhaps {field} ({share} %, {reason})",
            field=meaning,
            share=self.confidence,
            reason=self.reason,
        )


class KnownMeaning(NamedTuple):
    """The meaning of a header in a recipe."""

    key: str | None
    """The field; None for a useless column."""
    source: str
    """The recipe, in words."""


def propose(
    columns: Iterable[SheetColumn],
    known: Mapping[str, Column],
    earlier: Mapping[str, KnownMeaning],
    above: str = "",
) -> list[ColumnProposal]:
    """Return a proposal for each column of a sheet with a header.

    `known` are the columns of the kind by key; `earlier` is header, folded by `words_of`, → its
    meaning in a recipe; `above` is the text above the header.
    """
    columns = list(columns)
    said = {
        column.index: earlier[text]
        for column in columns
        if (text := words_of(column.header).text) in earlier
    }
    rest = [column for column in columns if column.index not in said]
    fields = field_names(known)
    guesses = {column.index: guess_concepts(column, known, fields) for column in rest}
    weigh_neighbours(rest, guesses, known, above)
    taken = _assign(guesses, {meaning.key for meaning in said.values() if meaning.key})
    if not said:
        _doubt_codes(rest, taken)
    return [
        _said(column, said[column.index])
        if column.index in said
        else _with_mark(column, _proposal(column, guesses[column.index], taken, known), known)
        for column in columns
    ]


def _with_mark(
    column: SheetColumn, proposal: ColumnProposal, known: Mapping[str, Column]
) -> ColumnProposal:
    """Return the proposal for a column that may mark rows as not for sale."""
    sure, about = SURE_MARK, about_of(column.header)
    if about is None and not proposal.key and proposal.confidence < SURE_MARK:
        sure, about = LIKELY_MARK, about_of_words(column.cells)
    unsold = (cell for cell in column.cells if about and is_sold(about, cell) is False)
    words = {folded(cell.text): plain(shown(cell)) for cell in unsold}
    is_field = proposal.key is not None and about in {About.STATUS, About.STATE}
    if about is None or is_field or (about is About.STATE and not words):
        return proposal
    is_understood = None not in {is_sold(about, cell) for cell in column.cells}
    return replace(
        proposal,
        key=None,
        confidence=sure if is_understood else LIKELY_MARK if words else UNSURE_MARK,
        is_useless=True,
        alternatives=tuple(key for key in (ACTION,) if key in known),
        reason=tr("says which rows are not for sale")
        if words or is_understood
        else tr("may say which rows are not for sale"),
        not_for_sale=tuple(dict.fromkeys((*words.values(), *ALWAYS[about]))),
    )


def _said(column: SheetColumn, meaning: KnownMeaning) -> ColumnProposal:
    reason = tr("as in {recipe}", recipe=meaning.source)
    is_useless = meaning.key is None
    return ColumnProposal(
        column.index, column.header, meaning.key, 100, is_useless, (), _samples(column), reason
    )


def _samples(column: SheetColumn) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column.texts))[:SHOWN]


def _assign(guesses: Mapping[int, Sequence[Guess]], given: set[str]) -> dict[int, Guess]:
    """Return the concept of each column; a field goes to the most likely column only."""
    pairs = [(guess.confidence, -index, guess) for index, row in guesses.items() for guess in row]
    pairs.sort(key=lambda pair: (-pair[0], -pair[1]))
    taken: dict[int, Guess] = {}
    for confidence, minus, guess in pairs:
        index = -minus
        if index in taken or (guess.key and guess.key in given):
            continue
        if guesses[index][0].confidence - confidence > NEIGHBOURS.second_choice:
            continue  # its only likely concept is taken
        taken[index] = guess
        if guess.key:
            given.add(guess.key)
    return _tied(taken, guesses)


def _tied(taken: Mapping[int, Guess], guesses: Mapping[int, Sequence[Guess]]) -> dict[int, Guess]:
    """Lower the confidence of columns where another choice would be nearly as likely."""
    result = {}
    for index, guess in taken.items():
        least = guess.confidence - NEIGHBOURS.close
        others = [
            other
            for number, row in guesses.items()
            for other in row
            if number != index and other.key == guess.key and other.confidence > least
            if not _is_something_else(taken.get(number), other)
        ]
        of_column = [
            other
            for other in guesses[index]
            if other.identity != guess.identity
            and (other.key or guess.key)
            and other.confidence > least
            and not _is_given_elsewhere(other, index, taken)
        ]
        is_tied = bool(of_column or (guess.key and others))
        result[index] = guess.at_most(NEIGHBOURS.tied if is_tied else 100)
    return result


def _is_something_else(taken: Guess | None, guess: Guess) -> bool:
    """Return True if a column has another field with nearly the same confidence."""
    return (
        taken is not None
        and taken.key not in {None, guess.key}
        and taken.confidence > guess.confidence - NEIGHBOURS.close
    )


def _doubt_codes(columns: Sequence[SheetColumn], taken: dict[int, Guess]) -> None:
    """Lower the confidence of useless codes if no column is the reference."""
    if any(guess.concept.name in REFERENCES for guess in taken.values()):
        return
    for column in columns:
        guess = taken.get(column.index)
        if guess and not guess.key and min(column.codes, column.distinct) >= SAME_ROWS:
            taken[column.index] = guess.at_most(NEIGHBOURS.no_reference)


def _is_given_elsewhere(guess: Guess, index: int, taken: Mapping[int, Guess]) -> bool:
    return guess.key is not None and any(
        number != index and other.key == guess.key and other.confidence > guess.confidence
        for number, other in taken.items()
    )


def _proposal(
    column: SheetColumn,
    guesses: Sequence[Guess],
    taken: Mapping[int, Guess],
    known: Mapping[str, Column],
) -> ColumnProposal:
    guess = taken.get(column.index)
    keys = [*filter(None, (other.key for other in guesses)), *other_keys(column, known)]
    keys = [key for key in dict.fromkeys(keys) if not guess or key != guess.key]
    is_given = bool(guesses and guesses[0].key)
    reason = tr("another column is likelier") if is_given else tr("not known")
    return ColumnProposal(
        column.index,
        column.header,
        guess and guess.key,
        round(guess.confidence) if guess else 0,
        is_useless=guess is not None and guess.key is None,
        alternatives=tuple(keys[:SHOWN]),
        samples=_samples(column),
        reason=guess.reason if guess else reason,
    )
