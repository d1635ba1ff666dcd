"""Texts as the inline strings of a sheet: any text goes in, and the same is read back.

What XML cannot hold is written as spreadsheets do it: a control character as `_x0001_`, and an
underscore that would begin such an escape as `_x005F_`. A lone surrogate stands for no character
and becomes U+FFFD. A text longer than a cell may hold is cut and ends in `…`.
"""

import re
from functools import lru_cache

LONGEST = 32_767
"""The most UTF-16 units that a cell may hold."""
_REMEMBERED = 8192
"""Texts whose cells are kept ready: most rows share a few."""

_LONE = re.compile("[\ud800-\udfff]")
_UNHELD = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_UNHELD_IN_NAMES = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]")


def shown(text: str) -> str:
    """The text as a cell can hold it: at most `LONGEST` units, no lone surrogates."""
    if len(text) <= LONGEST // 2 and text.isascii():
        return text
    text = _LONE.sub("\ufffd", text)
    if len(text) > LONGEST // 2 and _units(text) > LONGEST:
        text = text[: LONGEST - 1]
        while _units(text) >= LONGEST:
            text = text[: -max(1, (_units(text) - LONGEST) // 2)]
        text += "…"
    return text


@lru_cache(_REMEMBERED)
def inline(text: str, prefix: bytes = b"") -> bytes:
    """The rest of a text's cell, after the style.

    `prefix` is that of the workbook's namespace, `x:` with its colon, or nothing.
    """
    text = shown(text)
    is_spaced = text != " ".join(text.split())
    return b' t="inlineStr"><%(p)sis><%(p)st%(space)s>%(text)s</%(p)st></%(p)sis></%(p)sc>' % {
        b"p": prefix,
        b"space": b' xml:space="preserve"' if is_spaced else b"",
        b"text": escaped(text),
    }


def escaped(text: str) -> bytes:
    """A text as the content of an element, in UTF-8."""
    if not text.isalnum():
        text = _UNHELD.sub(lambda match: f"_x{ord(match[0]):04X}_", text)
        text = _escaped(text)
    return text.encode()


def quoted(text: str) -> bytes:
    """A text as an attribute's value, with its quotes, in UTF-8.

    Names of sheets come as attributes hold them, their `_xHHHH_` unresolved: none are made here.
    """
    safe = _escaped(_UNHELD_IN_NAMES.sub("\ufffd", text)).replace('"', "&quot;")
    return b'"' + safe.replace("\t", "&#9;").replace("\n", "&#10;").encode() + b'"'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)
