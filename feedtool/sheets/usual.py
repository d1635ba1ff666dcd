"""Replacing what is nearly always the same few strings, though a pattern says what it may be."""

import re

_USUAL = 8


def replace_usual(pattern: re.Pattern[str], template: str, text: str, *signs: str) -> str:
    """What `pattern.sub(template, text)` gives; one of the `signs` is in all that it finds.

    A string that the pattern finds once is replaced wherever it is, at a tenth of the pattern's
    time; so no string may be found in one place and be part of what is left in another. What is
    not among the first few strings is left to the pattern.
    """
    for _ in range(_USUAL):
        found = pattern.search(text) if any(sign in text for sign in signs) else None
        if found is None:
            return text
        text = text.replace(found[0], found.expand(template))
    # Again, for what begins with the end of what was found.
    return pattern.sub(template, pattern.sub(template, text))
