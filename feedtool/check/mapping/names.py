"""How much a header is called like a concept."""

from functools import cache, lru_cache

from rapidfuzz import fuzz, process

from feedtool.check.mapping.weights import NAMES
from feedtool.check.mapping.words import (
    Concept,
    HeaderWords,
    concepts,
    groups_in,
    telling,
    words_left,
    words_of,
)

DECISIVE = frozenset(("net", "gross", "bought", "struck", "advised", "lowest", "apart"))
"""The groups of words that no misspelling has by chance."""
SUBJECTS = frozenset(("barcode", "carriage", "eco", "price", "reference", "stock", "tax", "time"))
"""The groups of words that say what a column is about."""
LONG = 5
"""Letters of a name that is not found in others by chance."""


def name_score(words: HeaderWords, concept: Concept) -> float:
    """How much a header is called like a concept, up to 100."""
    score = max(_by_names(words, concept), _by_groups(words, concept))
    if speaks_against(words, concept) and score < NAMES.same:
        score = min(score, NAMES.against)
    return min(score, concept.most) if score >= NAMES.least else 0


def speaks_against(words: HeaderWords, concept: Concept) -> bool:
    """True if a word of a header is none of a concept."""
    is_other = "price" in words.groups and not concept.is_amount
    return is_other or bool(words.groups & concept.never)


def reminds_of(words: HeaderWords, concept: Concept) -> bool:
    """True if a header has a word of what a concept is about; if that has none, of its names."""
    subjects = frozenset().union(*concept.groups) & SUBJECTS
    if subjects:
        return bool(subjects & words.groups)
    return any(name.intersection(words.telling) for name in _telling_names(concept))


def _by_names(words: HeaderWords, concept: Concept) -> float:
    if words.text in concept.names:
        return NAMES.same
    if words.bare in concept.names:
        return NAMES.same_but_aside
    of_header = set(words.telling)
    if not of_header:
        return 0
    score = 0.0
    for name, of_name in zip(concept.names, _telling_names(concept), strict=True):
        if of_name == of_header:
            return NAMES.same_words
        is_telling = len(of_name) > 1 or is_part(name)
        if of_name and of_name < of_header and is_telling:
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
    """True if a name of one word says something in a header of several."""
    return len(name) >= LONG and " " not in name and "article" not in groups_in(name)


@cache
def _telling_names(concept: Concept) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(telling(name)) for name in concept.names)


def _by_groups(words: HeaderWords, concept: Concept) -> float:
    scores = [
        NAMES.groups - NAMES.word_more * words_left(words, groups)
        for groups in concept.groups
        if groups <= words.groups
    ]
    return max(scores, default=0.0)


@lru_cache(8192)
def is_known(text: str) -> bool:
    """True if a text is called like any concept."""
    words = words_of(text)
    return any(name_score(words, concept) >= NAMES.header for concept in concepts())
