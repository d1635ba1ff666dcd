"""Two layers of escapes: XML's references, and the `_xHHHH_` of spreadsheet texts."""

import re

_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));", re.ASCII)
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LAST = 0x10FFFF


def has_only_known_references(text: str) -> bool:
    """True if every `&` begins one of the five names or the number of a character of XML."""
    if "&" not in text:
        return True
    known = _REFERENCE.findall(text)
    return len(known) == text.count("&") and all(
        name or _is_character(decimal, hexadecimal) for name, decimal, hexadecimal in set(known)
    )


def unescape(text: str) -> str:
    """XML text with its known resolved; only known ones may be in it."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def escape(text: str) -> str:
    """The inverse of `unescape`."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def spreadsheet_text(text: str) -> str:
    r"""A text with its `_xHHHH_` resolved: `_x000D_` is a carriage return, `_x005F_` a `_`."""
    if "_x" not in text:
        return text
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    if _SURROGATE.search(text):
        # Pairs become the character that they stand for; a lone half cannot travel.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _character(match: re.Match[str]) -> str:
    name, decimal, hexadecimal = match.groups()
    return _NAMED[name] if name else chr(_code(decimal, hexadecimal))


def _code(decimal: str, hexadecimal: str) -> int:
    return int(decimal) if decimal else int(hexadecimal, 16)


def _is_character(decimal: str, hexadecimal: str) -> bool:
    """True if XML allows this character (production 2 of the recommendation)."""
    code = _code(decimal, hexadecimal)
    if code < ord(" "):
        return code in (0x9, 0xA, 0xD)
    return code <= _LAST and not 0xD800 <= code <= 0xDFFF and code not in (0xFFFE, 0xFFFF)  # noqa: PLR2004
