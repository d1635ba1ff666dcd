"""Headers as people compare them: without case, blanks, accents and punctuation."""

import unicodedata
from functools import lru_cache

LONGEST = 1000
"""Characters of a header; in a field that is longer nobody looks for a name."""


def folded(header: str) -> str:
    """A header without case, blanks, accents and punctuation; empty if it is too long for one."""
    return _folded(header) if len(header) <= LONGEST else ""


@lru_cache(8192)
def _folded(header: str) -> str:
    # Twice, for what hides a capital until it is taken apart: a mathematical A, a Roman numeral.
    plain = header
    for _ in range(2):
        plain = unicodedata.normalize("NFKD", plain.casefold())
    return "".join(letter for letter in plain if letter.isalnum())
