"""Find the known word that was probably meant."""

from collections.abc import Iterable

from feedtool.model.text import MessageText, joined, tr

ALIKE = 75
"""The least similarity of a suggested word, in percent."""

LISTED = 15
"""Words that a hint lists."""


def did_you_mean(word: str, known: Iterable[str]) -> MessageText:
    """A hint with the nearest of some words, or else with the known words, at most LISTED."""
    words = list(known)
    if near := nearest(word, words):
        return tr("did you mean {choice}?", choice=near)
    return tr(
        "use one of: {choices}", choices=joined([*words[:LISTED], *["…"] * (len(words) > LISTED)])
    )


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The most similar word, None if no word is similar enough."""
    from rapidfuzz import process, utils

    near = process.extractOne(
        word, list(known), processor=utils.default_process, score_cutoff=ALIKE
    )
    return near[0] if near else None
