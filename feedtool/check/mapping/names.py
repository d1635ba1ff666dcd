"""Compare a header with the names of concepts."""

from functools import cache, lru_cache

from rapidfuzz import fuzz, process

from feedtool.check.mapping.weights import NAMES
from feedtool.check.mapping.words import (
    Concept,
    HeaderWords,
    concepts,
    groups_in,
    significant,
    words_left,
    words_of,
)

DECISIVE = frozenset(("net", "gross", "bought", "struck", "advised", "lowest", "apart"))
"""The groups of words that a misspelling must also have."""
SUBJECTS = frozenset(("barcode", "carriage", "eco", "price", "reference", "stock", "tax", "time"))
"""The groups of words that name the subject of a column."""
LONG = 5
"""The letters from which a name is not part of others by chance."""


def name_score(words: HeaderWords, concept: Concept) -> float:
    """Return the likeness of a header to the names of a concept, up to 100."""
    score = max(_by_names(words, concept), _by_groups(words, concept))
    if excludes(words, concept) and score < NAMES.same:
        score = min(score, NAMES.against)
    return min(score, concept.most) if score >= NAMES.least else 0


def excludes(words: HeaderWords, concept: Concept) -> bool:
    """Return True if a header has a word that excludes a concept."""
    is_other = "price" in words.groups and not concept.is_amount
    return is_other or bool(words.groups & concept.never)


def shares_subject(words: HeaderWords, concept: Concept) -> bool:
    """Return True if a header has a word for a concept's subject, or without one of its names."""
    subjects = frozenset().union(*concept.groups) & SUBJECTS
    if subjects:
        return bool(subjects & words.groups)
    return any(name.intersection(words.significant) for name in _significant_names(concept))


def _by_names(words: HeaderWords, concept: Concept) -> float:
    if words.text in concept.names:
        return NAMES.same
    if words.bare in concept.names:
        return NAMES.same_but_aside
    of_header = set(words.significant)
    if not of_header:
        return 0
    score = 0.0
    for name, of_name in zip(concept.names, _significant_names(concept), strict=True):
        if of_name == of_header:
            return NAMES.same_words
        may_be_part = len(of_name) > 1 or is_part(name)
        if of_name and of_name < of_header and may_be_part:
            more = len(of_header) - len(of_name)
            score = max(score, NAMES.part - more * NAMES.word_more)
    near = process.extractOne(
        words.bare, concept.names, scorer=fuzz.ratio, score_cutoff=max(score, NAMES.nearly)
    )
    if near and len(near[0]) > LONG and groups_in(near[0]) & DECISIVE <= words.groups:
        score = max(score, near[1] * NAMES.spelling / NAMES.same)
    return score


@cache
def is_part(name: str) -> bool:
    """Return True if a name of one word also counts in a header of several words."""
    return len(name) >= LONG and " " not in name and "article" not in groups_in(name)


@cache
def _significant_names(concept: Concept) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(significant(name)) for name in concept.names)


def _by_groups(words: HeaderWords, concept: Concept) -> float:
    scores = [
        NAMES.groups - NAMES.word_more * words_left(words, groups)
        for groups in concept.groups
        if groups <= words.groups
    ]
    return max(scores, default=0.0)


@lru_cache(8192)
def is_known(text: str) -> bool:
    """Return True if a text is similar to a name of any concept."""
    words = words_of(text)
    return any(name_score(words, concept) >= NAMES.header for concept in concepts())
