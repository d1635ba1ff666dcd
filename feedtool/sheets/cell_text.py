"""Read and write the texts of cells.

Texts have two layers of escapes: XML's references, and the `_xHHHH_` of spreadsheets. A lone
surrogate is no character and becomes U+FFFD; a text too long for a cell ends in `…`.
"""

import re
from functools import lru_cache

_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));", re.ASCII)
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CHARACTERS = ((9, 10, 13), range(0x20, 0xD800), range(0xE000, 0xFFFE), range(0x10000, 0x110000))
"""Production 2 of the XML recommendation."""
LONGEST = 32_767
"""The most UTF-16 units that a cell may hold."""
_REMEMBERED = 8192
"""Texts whose cells are cached: most rows share a few."""
_ESCAPED = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_FORBIDDEN_IN_NAMES = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]")


def has_only_known_references(text: str) -> bool:
    """True if every `&` begins one of the five names or the number of a character of XML."""
    if "&" not in text:
        return True
    known = _REFERENCE.findall(text)
    return len(known) == text.count("&") and all(
        name or any(_code(decimal, hexadecimal) in codes for codes in _CHARACTERS)
        for name, decimal, hexadecimal in set(known)
    )


def unescape(text: str) -> str:
    """Resolve the references of an XML text, which may have known references only."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def escape(text: str) -> str:
    """The inverse of `unescape`."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def spreadsheet_text(text: str) -> str:
    r"""Resolve the `_xHHHH_` of a text: `_x000D_` is a carriage return, `_x005F_` a `_`."""
    if "_x" not in text:
        return text
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    if _SURROGATE.search(text):
        # Pairs become one character; UTF-8 cannot encode a lone half.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _character(match: re.Match[str]) -> str:
    name, decimal, hexadecimal = match.groups()
    return _NAMED[name] if name else chr(_code(decimal, hexadecimal))


def _code(decimal: str, hexadecimal: str) -> int:
    return int(decimal) if decimal else int(hexadecimal, 16)


def shown(text: str) -> str:
    """Return the text that a cell can hold: at most `LONGEST` units, no lone surrogates."""
    if len(text) <= LONGEST // 2 and text.isascii():
        return text
    text = _SURROGATE.sub("\ufffd", text)
    if len(text) > LONGEST // 2 and _units(text) > LONGEST:
        text = text[: LONGEST - 1]
        while _units(text) >= LONGEST:
            text = text[: -max(1, (_units(text) - LONGEST) // 2)]
        text += "…"
    return text


@lru_cache(_REMEMBERED)
def inline(text: str, prefix: bytes = b"") -> bytes:
    """Return the markup of a text's cell after its style.

    `prefix` is the prefix of the workbook's namespace with its colon, `x:`, or empty.
    """
    text = shown(text)
    is_spaced = text != " ".join(text.split())
    return b' t="inlineStr"><%(p)sis><%(p)st%(space)s>%(text)s</%(p)st></%(p)sis></%(p)sc>' % {
        b"p": prefix,
        b"space": b' xml:space="preserve"' if is_spaced else b"",
        b"text": escaped(text),
    }


def escaped(text: str) -> bytes:
    """Return a text as the content of an element, in UTF-8."""
    if not text.isalnum():
        text = _ESCAPED.sub(lambda match: f"_x{ord(match[0]):04X}_", text)
        text = _escaped(text)
    return text.encode()


def quoted(text: str) -> bytes:
    """Return a text as an attribute's value, with its quotes, in UTF-8.

    It writes no `_xHHHH_`: names of sheets are attributes, in which they are not resolved.
    """
    safe = _escaped(_FORBIDDEN_IN_NAMES.sub("\ufffd", text)).replace('"', "&quot;")
    return b'"' + safe.replace("\t", "&#9;").replace("\n", "&#10;").encode() + b'"'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)
