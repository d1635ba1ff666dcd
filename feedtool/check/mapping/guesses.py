"""Guess the concepts of a column, from its name and cells alone."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from feedtool.check.mapping.evidence import SheetColumn, content_score
from feedtool.check.mapping.names import excludes, name_score, shares_subject
from feedtool.check.mapping.weights import NAMES, NEIGHBOURS
from feedtool.check.mapping.words import Concept, concepts, words_of
from feedtool.model.header import Column, folded
from feedtool.model.text import MessageText, joined, tr


class Guess(NamedTuple):
    """A possible concept of a column, with its confidence."""

    concept: Concept
    key: str | None
    confidence: float
    reason: str

    @property
    def identity(self) -> str:
        """The name that only one column can have: a key, or a concept without a key."""
        return self.key or self.concept.name


def field_names(known: Mapping[str, Column]) -> Mapping[str, str]:
    """Return folded header → the field with this key or label, unless it names another concept."""
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
    """Return the possible concepts of a column, best first; `fields` are the `field_names`."""
    if key := fields.get(folded(column.header)):
        of_field = Concept(key, (key,), (), (), frozenset(), NAMES.same)
        return [Guess(of_field, key, NAMES.same, tr("the name of the field"))]
    guesses = []
    for concept in concepts():
        name = name_score(column.words, concept)
        confidence, reasons = content_score(concept, column, name)
        if confidence >= NEIGHBOURS.second_choice:
            key = next((key for key in concept.keys if key in known), None)
            by_name = ""
            if name >= NAMES.least:
                like = tr("named like “{name}”", name=MessageText((concept.name,)))
                by_name = MessageText((concept.doubt,)) or like
            reason = joined(filter(None, (by_name, *dict.fromkeys(reasons))))
            guesses.append(Guess(concept, key, confidence, reason))
    return by_confidence(guesses)


def other_keys(column: SheetColumn, known: Mapping[str, Column]) -> list[str]:
    """Return other possible fields of a column, best first.

    Its name has a word for their subject, or its cells are similar, and no word excludes them.
    """
    scores: dict[str, float] = {}
    for concept in concepts():
        key = next((key for key in concept.keys if key in known), None)
        if not key or excludes(column.words, concept):
            continue
        is_faint = shares_subject(column.words, concept)
        name = NAMES.least if is_faint else NEIGHBOURS.second_choice
        confidence, reasons = content_score(concept, column, name)
        if (is_faint or reasons) and confidence >= NEIGHBOURS.alternative:
            scores[key] = max(confidence, scores.get(key, 0))
    return sorted(scores, key=lambda key: -scores[key])


def by_confidence(guesses: Iterable[Guess]) -> list[Guess]:
    return sorted(guesses, key=lambda guess: -guess.confidence)
