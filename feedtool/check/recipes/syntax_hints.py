"""Hints for expressions that cannot be read: what other languages and people write."""

import re

_TEXTS = re.compile(r"""(["']).*?\1""")
_WORD = r"(?!(?:if|else|and|or|not|in)\b)\w+"
_HABITS = tuple(
    (re.compile(pattern), hint)
    for pattern, hint in (
        (r"[“”„«»\u2018\u2019]", 'write texts in straight quotes: "text"'),
        (r";", "put commas between the arguments of a function"),
        (r"&&|\|\|", "write and, or"),
        (r"<>|!(?!=)", "write != or not"),
        (r"\?", "write a choice as: x if condition else y"),
        (r"(?<![=!<>])=(?!=)", "write == to compare"),
        (r"[\u00d7÷€$£]", "use + - * / // %, and numbers alone"),
        (r"%\s*(?:\)|$)", "write 20 % of cost as: cost * 0.2"),
        (rf"\b{_WORD}\s+{_WORD}\b", "give a header of several words a short name in [names]"),
    )
)
"""What is found, and what is to be written instead."""


def syntax_hint(source: str) -> str:
    """What to do about an expression that cannot be read."""
    bare = _TEXTS.sub("0", source)
    hints = (hint for pattern, hint in _HABITS if pattern.search(bare))
    return next(hints, "look at its brackets, quotes and operators")
