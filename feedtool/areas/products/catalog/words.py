"""Comparing names as people do: without case, accents, kinds of apostrophes and blanks."""

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

APOSTROPHES = dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u00b4`"), "'")

LOOK_ALIKE = str.maketrans("ILOSBZ", "110582")
"""Letters that are read for digits."""

CLOSE = 0.7
"""The likeness, as difflib counts it, from which a name may stand for another."""

SHORTLIST = 100
"""The names that are compared by that likeness: the likeliest by one that is quickly reckoned."""


def folded(name: str) -> str:
    """A name for comparing: `Nestlé ` and `NESTLE` are the same.

    Twice, for what hides a capital until it is taken apart.
    """
    plain = name.translate(APOSTROPHES)
    if plain.isascii():
        return " ".join(plain.lower().split())
    for _ in range(2):
        apart = unicodedata.normalize("NFKD", plain.casefold())
        plain = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return " ".join(plain.split())


def nearest(wanted: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Those of folded names that a folded name may stand for, the likeliest first."""
    from rapidfuzz import fuzz, process

    # Letters in common count at least as much here as in difflib's likeness, so none is missed.
    alike = process.extract(wanted, list(known), scorer=fuzz.ratio, limit=SHORTLIST)
    return get_close_matches(wanted, [name for name, *_ in alike], n=most, cutoff=CLOSE)


def near_codes(wanted: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Those of codes in capitals that a mistyped one may stand for, the likeliest first.

    A letter that looks like a digit is the likeliest slip.
    """
    codes, plain = list(known), wanted.strip().upper()
    seen = plain.translate(LOOK_ALIKE)
    alike = [code for code in codes if code.translate(LOOK_ALIKE) == seen]
    return list(dict.fromkeys([*alike, *nearest(plain, codes, most)]))[:most]
