"""The header row of any sheet, and for each of its columns the field that it seems to be."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from feedtool.check.mapping.evidence import SheetColumn, content_score, name_score
from feedtool.check.mapping.words import Concept, concepts, words_of
from feedtool.model.cells import Cell, Kind, letters
from feedtool.model.header import Column

LONGEST_HEADER = 80
"""Characters; what is longer is a text of the sheet."""
SHOWN = 3
"""Alternatives and samples that are told."""
CLOSE = 10
"""Two columns so near each other that one cannot be taken for the other without asking."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A concept that a column may be, and how sure that is."""

    concept: Concept
    confidence: float


@dataclass(frozen=True, slots=True)
class ColumnProposal:
    """The proposal for one column."""

    index: int
    header: str
    key: str | None
    """None: it is of no use, or nobody knows what it is."""
    confidence: int
    """0 to 100."""
    is_useless: bool
    """True if it is known and no field of the kind."""
    alternatives: tuple[str, ...]
    """Other keys that it may be, the best first."""
    samples: tuple[str, ...]
    reason: str

    @property
    def column(self) -> str:
        """Its letters."""
        return letters(self.index)


Row = tuple[int, Sequence[Cell]]
"""A row's number, and its cells from column A on."""


def header_row(rows: Sequence[Row]) -> tuple[float, int]:
    """The position of the likeliest header among the first rows, and how likely it is; 0 is not."""
    scores = [(_header_score(rows, at), -at) for at in range(len(rows))]
    score, minus = max(scores, default=(0.0, 0))
    return score, -minus


def _header_score(rows: Sequence[Row], at: int) -> float:
    """How much a row looks like a header: by its names, and by the rows below it."""
    cells = rows[at][1]
    texts = [cell.text.strip() for cell in cells if cell.kind is Kind.TEXT and cell.text.strip()]
    filled = [cell for cell in cells if cell.kind is not Kind.BLANK and cell.text.strip()]
    short = [text for text in texts if len(text) <= LONGEST_HEADER and not _is_value(text)]
    if len(short) < 2 or len(short) < 0.6 * len(filled):
        return 0
    below = [row for _, row in rows[at + 1 : at + 11]]
    width = max((_width(row) for row in below), default=0)
    if not below or not width:
        return 0
    known = sum(_best_name(text) >= 80 for text in short)
    is_wide = min(1.0, len(short) / width)
    values = sum(_is_data(row) for row in below) / len(below)
    repeated = len(short) - len(set(map(str.casefold, short)))
    return (
        3 * known + 4 * is_wide + 3 * values - repeated - 0.05 * at - (4 if _is_data(cells) else 0)
    )


def _width(row: Sequence[Cell]) -> int:
    return sum(bool(cell.text.strip()) for cell in row)


def _is_value(text: str) -> bool:
    """True for a text that is no name: a number, a code, an address."""
    digits = sum(letter.isdigit() for letter in text)
    return digits > 0.5 * len(text) or "://" in text or "@" in text


def _is_data(row: Sequence[Cell]) -> bool:
    """True if a row holds a number or a code."""
    return any(
        cell.kind in {Kind.NUMBER, Kind.DATE, Kind.BOOLEAN} or _is_value(cell.text)
        for cell in row
        if cell.text.strip()
    )


def _best_name(header: str) -> float:
    words = words_of(header)
    return max(name_score(words, concept) for concept in concepts())


def propose(
    columns: Iterable[SheetColumn], known: Mapping[str, Column], earlier: Mapping[str, str | None]
) -> list[ColumnProposal]:
    """A proposal for each column.

    Args:
        columns: Those of the sheet that have a header.
        known: The columns of the kind by their keys.
        earlier: Header, folded by `words_of`, → key in other recipes; None for ignored.
    """
    columns = list(columns)
    guesses = {column.index: _guesses(column, known) for column in columns}
    taken = _assigned(columns, guesses)
    has_gross = any(column.words.is_gross for column in columns)
    proposals = []
    for column in columns:
        proposal = _proposal(column, guesses[column.index], taken.get(column.index), known)
        if column.words.text in earlier:
            key = earlier[column.words.text]
            proposal = replace(
                proposal, key=key, confidence=100, is_useless=key is None, reason="as in a recipe"
            )
        elif proposal.key == "price.price" and has_gross and not column.words.is_gross:
            proposal = replace(proposal, confidence=min(proposal.confidence, 60))
        proposals.append(proposal)
    return proposals


def _guesses(column: SheetColumn, known: Mapping[str, Column]) -> list[Guess]:
    """The concepts that a column may be, the likeliest first."""
    guesses = []
    for concept in concepts():
        name = name_score(column.words, concept)
        key = next((key for key in concept.keys if key in known), None)
        of_kind = known.get(key) if key else known.get("condition")
        if confidence := content_score(concept, column, of_kind, name):
            guesses.append(Guess(concept, min(100, confidence)))
    return sorted(guesses, key=lambda guess: -guess.confidence)


def _assigned(
    columns: Sequence[SheetColumn], guesses: Mapping[int, Sequence[Guess]]
) -> dict[int, Guess]:
    """The concept of each column; each that is a field is given once, to the likeliest."""
    pairs = sorted(
        (
            (guess.confidence, -column.index, guess)
            for column in columns
            for guess in guesses[column.index][:4]
        ),
        key=lambda pair: (-pair[0], -pair[1]),
    )
    taken: dict[int, Guess] = {}
    given: dict[str, float] = {}
    for confidence, minus, guess in pairs:
        index, name = -minus, guess.concept.name
        if index in taken:
            continue
        if guess.concept.keys and name in given:
            continue
        best = guesses[index][0].confidence
        if best - confidence > 25:
            continue  # what it is is taken, and it is nothing else
        taken[index] = guess
        given[name] = confidence
    return taken


def _proposal(
    column: SheetColumn,
    guesses: Sequence[Guess],
    taken: Guess | None,
    known: Mapping[str, Column],
) -> ColumnProposal:
    def key_of(guess: Guess) -> str | None:
        return next((key for key in guess.concept.keys if key in known), None)

    samples = tuple(dict.fromkeys(column.texts))[:SHOWN]
    others = [key for guess in guesses if (key := key_of(guess)) and guess is not taken]
    alternatives = tuple(dict.fromkeys(others))[:SHOWN]
    if taken is None:
        return ColumnProposal(
            column.index, column.header, None, 0, False, alternatives, samples, "not known"
        )
    rival = next((guess for guess in guesses if guess is not taken), None)
    confidence = taken.confidence
    if rival and rival.confidence > confidence - CLOSE and key_of(rival) != key_of(taken):
        confidence = min(confidence, 80 if confidence < 100 or rival.confidence == 100 else 100)
    key = key_of(taken)
    reason = f"named like “{taken.concept.name}”"
    return ColumnProposal(
        column.index,
        column.header,
        key,
        round(confidence),
        key is None,
        tuple(other for other in alternatives if other != key),
        samples,
        reason,
    )
