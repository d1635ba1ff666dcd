"""The concepts that a column may be, by itself."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from feedtool.check.mapping.evidence import SheetColumn, content_score
from feedtool.check.mapping.names import name_score
from feedtool.check.mapping.weights import NAMES, NEIGHBOURS
from feedtool.check.mapping.words import Concept, concepts


class Guess(NamedTuple):
    """A concept that a column may be, and how sure that is."""

    concept: Concept
    key: str | None
    confidence: float
    reason: str

    @property
    def identity(self) -> str:
        """What is given to one column alone: a key, or a concept without one."""
        return self.key or self.concept.name


def guess_concepts(column: SheetColumn, known: Collection[str]) -> list[Guess]:
    """The concepts that a column may be, the likeliest first."""
    guesses = []
    for concept in concepts():
        name = name_score(column.words, concept)
        confidence, told = content_score(concept, column, name)
        if confidence >= NEIGHBOURS.second_choice:
            key = next((key for key in concept.keys if key in known), None)
            named = f"named like “{concept.name}”" if name >= NAMES.least else ""
            reason = ", ".join(filter(None, (named, *dict.fromkeys(told))))
            guesses.append(Guess(concept, key, confidence, reason))
    return by_confidence(guesses)


def by_confidence(guesses: Iterable[Guess]) -> list[Guess]:
    """Guesses, the likeliest first."""
    return sorted(guesses, key=lambda guess: -guess.confidence)
