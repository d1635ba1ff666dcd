"""The concepts that a column may be, by itself."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from feedtool.check.mapping.evidence import SheetColumn, content_score
from feedtool.check.mapping.names import name_score, reminds_of, speaks_against
from feedtool.check.mapping.weights import NAMES, NEIGHBOURS
from feedtool.check.mapping.words import Concept, concepts, words_of
from feedtool.model.header import Column, folded
from feedtool.model.text import MessageText, joined, tr


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


def field_names(known: Mapping[str, Column]) -> Mapping[str, str]:
    """Folded header → the field whose key or label it is, if it is no name of another concept."""
    meant = {name: concept.keys for concept in concepts() for name in concept.names}
    names = {
        folded(label): key
        for key, column in known.items()
        for label in column.labels
        if key in meant.get(words_of(label).text, (key,))
    }
    return {**names, **{folded(key): key for key in known}}


def guess_concepts(
    column: SheetColumn, known: Mapping[str, Column], fields: Mapping[str, str]
) -> list[Guess]:
    """The concepts that a column may be, the likeliest first; `fields` are the `field_names`."""
    if key := fields.get(folded(column.header)):
        of_field = Concept(key, (key,), (), (), frozenset(), NAMES.same)
        return [Guess(of_field, key, NAMES.same, tr("the name of the field"))]
    guesses = []
    for concept in concepts():
        name = name_score(column.words, concept)
        confidence, told = content_score(concept, column, name)
        if confidence >= NEIGHBOURS.second_choice:
            key = next((key for key in concept.keys if key in known), None)
            named = ""
            if name >= NAMES.least:
                like = tr("named like “{name}”", name=MessageText((concept.name,)))
                named = MessageText((concept.doubt,)) or like
            reason = joined(filter(None, (named, *dict.fromkeys(told))))
            guesses.append(Guess(concept, key, confidence, reason))
    return by_confidence(guesses)


def other_keys(column: SheetColumn, known: Mapping[str, Column]) -> list[str]:
    """The fields that a column may be after all, the likeliest first.

    Its name reminds of them, or its cells are like theirs, and no word speaks against them.
    """
    scores: dict[str, float] = {}
    for concept in concepts():
        key = next((key for key in concept.keys if key in known), None)
        if not key or speaks_against(column.words, concept):
            continue
        is_faint = reminds_of(column.words, concept)
        name = NAMES.least if is_faint else NEIGHBOURS.second_choice
        confidence, told = content_score(concept, column, name)
        if (is_faint or told) and confidence >= NEIGHBOURS.alternative:
            scores[key] = max(confidence, scores.get(key, 0))
    return sorted(scores, key=lambda key: -scores[key])


def by_confidence(guesses: Iterable[Guess]) -> list[Guess]:
    """Guesses, the likeliest first."""
    return sorted(guesses, key=lambda guess: -guess.confidence)
