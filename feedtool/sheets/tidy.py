"""Tags in the form that the patterns read, and that nearly every program writes.

Whatever is not understood to its last character is left as it is, so that the patterns refuse it.
"""

import re
from functools import lru_cache

from feedtool.sheets.rich import without_runs
from feedtool.sheets.usual import replace_usual

_TYPE = r' t="(?:s|n|str|inlineStr|b|e|d)"'
ATTRIBUTES = rf'(?: s="[0-9]++"(?:{_TYPE})?+|{_TYPE}(?: s="[0-9]++")?+)?+'
"""A cell's attributes after its reference, as all common programs write them."""

_BLANKS = " \t\n"
_BLANK = rf"[{_BLANKS}]"
_BLANKS_BETWEEN_TAGS = re.compile(rf">{_BLANK}+(<(?:[^/]|/(?:c|row|is|si|r|rPr|rPh)>))", re.ASCII)
"""Before a tag that begins, or that ends an element whose own text means nothing."""
_HINTS_OF_BLANKS = ("\n", "\t", "> ")
_HINTS_OF_BLANKS_AT_END = tuple(f"{blank}{end}" for blank in _BLANKS for end in (">", "/>"))
_BLANKS_AT_END = re.compile(rf"(</?[A-Za-z]\w*+){_BLANK}++(/?>)", re.ASCII)

_QUOTE_IN_TEXT = re.compile(">[^<>']*+'")

_VALUE = r"""(?:"[^"<>&\t\n]*+"|'[^'"<>&\t\n]*+')"""
_ATTRIBUTE = rf"{_BLANK}++[A-Za-z_][\w:]*+{_BLANK}*+={_BLANK}*+{_VALUE}"
_NOT_R = rf"{_BLANK}++(?!r[ \t\n=])[A-Za-z_][\w:]*+{_BLANK}*+={_BLANK}*+{_VALUE}"
_ODD_CELL = re.compile(
    rf'<c(?! r="[A-Z]++[0-9]++"{ATTRIBUTES}/?>)'
    rf"((?:{_NOT_R})*+){_BLANK}++r{_BLANK}*+={_BLANK}*+([\"'])([A-Z]++[0-9]++)\2"
    rf"((?:{_NOT_R})*+{_BLANK}*+/?>)",
    re.ASCII,
)
"""A cell's tag that needs tidying: what is before its reference, a quote, the reference, the rest.
"""
_PARTS = 5
"""What a text has for each such tag, once split at it: those four, and what follows the tag."""
_ODD_TAG = re.compile(
    r'<(?!row(?: r="[0-9]++")?+(?: (?!r=)[\w:]++="[^"<>&\t\n]*+")*+/?>'
    r'|(?!row)[A-Za-z]\w*+(?: [\w:]++="[^"<>&\t\n]*+")*+/?>)'
    rf"[A-Za-z]\w*+(?:{_ATTRIBUTE})++{_BLANK}*+/?>",
    re.ASCII,
)
"""Any other tag that does."""
_HINTS_OF_ODD_TAGS = ("='", " =", "= ", "  ", "\t", "\n")
"""One of them is in every such tag, but for a row's whose number is not its first attribute."""
_ROW = "<row r="
_NAME_AND_REST = re.compile(r"<(\w+)(.*)", re.ASCII | re.DOTALL)
_NAME_AND_VALUE = re.compile(r"""([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.ASCII)
_READ = frozenset({"r", "s", "t", "xmlns"})
"""A cell's attributes that say something of its value; of those with a prefix any may be wrong."""


def tidy(text: str) -> str:
    """The same XML, with unformatted texts and without blanks between tags."""
    if '"' not in text and not _QUOTE_IN_TEXT.search(text):
        text = text.replace("'", '"')
    text = replace_usual(_BLANKS_BETWEEN_TAGS, r">\1", text.lstrip(_BLANKS), *_HINTS_OF_BLANKS)
    return without_runs(text).replace('<v xml:space="preserve">', "<v>")


def tidy_tags(text: str) -> str:
    """The same with tags as they mostly are; tidy."""
    if any(hint in text for hint in _HINTS_OF_BLANKS_AT_END):
        text = _BLANKS_AT_END.sub(r"\1\2", text)
    text = _with_usual_cells(text.lstrip(_BLANKS))
    if any(hint in text for hint in _HINTS_OF_ODD_TAGS) or text.count("<row") != text.count(_ROW):
        text = _ODD_TAG.sub(lambda tag: _usual_tag(tag[0]), text)
    return tidy(text)


def _with_usual_cells(text: str) -> str:
    """Each cell with its reference first; without it, a million tags are a handful."""
    parts = _ODD_CELL.split(text)
    rests = zip(parts[1::_PARTS], parts[4::_PARTS], strict=True)
    parts[4::_PARTS] = [_usual_rest(before, after) for before, after in rests]
    count = len(parts) // _PARTS
    parts[1::_PARTS] = ["<c"] * count
    parts[2::_PARTS] = [' r="'] * count
    return "".join(parts)


@lru_cache(maxsize=1 << 12)
def _usual_rest(before: str, after: str) -> str:
    """A cell's tag from after its reference on. What is there twice is left as a fault."""
    found = _NAME_AND_VALUE.findall(f"{before} {after}")
    if len({name for name, _, _ in found}) < len(found):
        return f'"{before}{after}'
    rest = "".join(f' {name}="{a or b}"' for name, a, b in found if name in _READ or ":" in name)
    return f'"{rest}{"/>" if after.endswith("/>") else ">"}'


@lru_cache(maxsize=1 << 12)
def _usual_tag(tag: str) -> str:
    """The tag in double quotes and single blanks, its `r` first."""
    name, rest = _NAME_AND_REST.findall(tag)[0]
    found = sorted(_NAME_AND_VALUE.findall(rest), key=lambda attribute: attribute[0] != "r")
    attributes = "".join(f' {name}="{a or b}"' for name, a, b in found)
    return f"<{name}{attributes}{'/>' if rest.endswith('/>') else '>'}"
