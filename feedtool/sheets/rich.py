"""Rich texts as one plain text: of `<r><rPr>…</rPr><t>a</t></r><r><t>b</t></r>`, `<t>ab</t>`.

A sheet may have millions of runs, so nothing looks at one by itself. Marks stand in for what
begins and joins runs; where every mark is found in a text that begins and ends as it should, runs
are left out with no more than replacing strings. Where one isn't, the text is left as it was.
"""

import re

_BEGIN, _JOIN = "\3", "\2"
"""No character of XML: none of them can be there before."""
_PROPERTY = (
    r'<(?:[A-Za-z]\w*+(?: [A-Za-z]\w*+="[^"<>&]*+")?+|color theme="[^"<>&]*+" tint="[^"<>&]*+")/>'
)
_FORMAT = re.compile(rf"<r><rPr(?:/>|>(?:{_PROPERTY})*+</rPr>)", re.ASCII)
_USUAL_FORMATS = 8
"""Formats of a piece that are searched once and replaced wherever they are; beyond, one by one."""
_BEFORE_RUNS = re.compile(r"<t>([^<]*+)</t>(?=<r><t>)")
"""A text of its own before the first run."""
_WHOLE = re.compile(rf"{_BEGIN}[^<{_BEGIN}]*+</t></r></(?:is|si)>")
_ENDS = {"</t></r></is>": "</t></is>", "</t></r></si>": "</t></si>"}

_GUIDE = r'<rPh sb="[0-9]++" eb="[0-9]++"><t(?: xml:space="preserve")?+(?:/>|>[^<]*+</t>)</rPh>'
_GUIDE_STYLE = r'<phoneticPr fontId="[0-9]++"(?: type="\w++")?+(?: alignment="\w++")?+/>'
_GUIDES = re.compile(rf"(?:{_GUIDE})++(?:{_GUIDE_STYLE})?+(?=</(?:is|si)>)", re.ASCII)
_ONLY_STYLE = re.compile(rf"{_GUIDE_STYLE}(?=</(?:is|si)>)", re.ASCII)


def without_runs(text: str) -> str:
    """The same XML with the texts of all runs as one, without the phonetic guides beside them."""
    if "<rPh" in text:
        text = _GUIDES.sub("", text)
    if "<phoneticPr" in text:
        text = _ONLY_STYLE.sub("", text)
    return _joined(text) if "<r>" in text else text


def _joined(text: str) -> str:
    marked = _without_formats(text.replace('<t xml:space="preserve">', "<t>"))
    marked = marked.replace("<t/>", "<t></t>").replace('<t xml:space="preserve"/>', "<t></t>")
    if "</t><r><t>" in marked:
        marked = _BEFORE_RUNS.sub(r"<r><t>\1</t></r>", marked)
    marked = marked.replace("</t></r><r><t>", _JOIN).replace("<r><t>", _BEGIN)
    outside = _WHOLE.sub("", marked)
    if any(mark in outside for mark in (_BEGIN, _JOIN, *_ENDS)):
        return text
    for end, plain in _ENDS.items():
        marked = marked.replace(end, plain)
    return marked.replace(_BEGIN, "<t>").replace(_JOIN, "")


def _without_formats(text: str) -> str:
    for _ in range(_USUAL_FORMATS):
        found = _FORMAT.search(text)
        if found is None:
            return text
        text = text.replace(found[0], "<r>")
    return _FORMAT.sub("<r>", text)
