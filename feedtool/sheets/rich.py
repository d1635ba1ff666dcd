"""Rich texts as one plain text: of `<r><rPr>…</rPr><t>a</t></r><r><t>b</t></r>`, `<t>ab</t>`.

A sheet may have millions of runs, so nothing looks at one by itself. Marks stand in for what
begins and joins runs; where every mark is found in a text that begins and ends as it should, runs
are left out with no more than replacing strings. Where one isn't, the text is left as it was.
"""

import re

from feedtool.sheets.usual import replace_usual

_BEGIN, _JOIN = "\3", "\2"
"""No character of XML: none of them can be there before."""
_VALUE = f'"[^"<>&{_BEGIN}{_JOIN}]*+"'
_PROPERTY = (
    rf"<(?:[A-Za-z]\w*+(?: (?!xmlns=)[A-Za-z]\w*+={_VALUE})?+"
    rf"|color theme={_VALUE} tint={_VALUE})/>"
)
_RUN = rf'<r>(?:<rPr(?:/>|>(?:{_PROPERTY})*+</rPr>))?+<t(?: xml:space="preserve")?+>'
"""How a run begins."""
_JOINTS = re.compile(rf"</t></r>{_RUN}", re.ASCII)
_BEGINNINGS = re.compile(_RUN, re.ASCII)
_WHOLE = re.compile(rf"{_BEGIN}(?<!</t>{_BEGIN})[^<{_BEGIN}]*+</t></r></(?:is|si)>")
_BEFORE_RUNS = re.compile(r'<t(?: xml:space="preserve")?+>([^<]*+)</t>(?=<r>)')
"""A text of its own before the first run."""

_GUIDE = r'<rPh sb="[0-9]++" eb="[0-9]++"><t(?: xml:space="preserve")?+(?:/>|>[^<]*+</t>)</rPh>'
_GUIDE_STYLE = r'<phoneticPr fontId="[0-9]++"(?: type="\w++")?+(?: alignment="\w++")?+/>'
_GUIDES = re.compile(rf"(?<!</rPh>)(?:{_GUIDE})++(?:{_GUIDE_STYLE})?+(?=</(?:is|si)>)", re.ASCII)
_ONLY_STYLE = re.compile(rf"{_GUIDE_STYLE}(?=</(?:is|si)>)", re.ASCII)


def without_runs(text: str) -> str:
    """The same XML with the texts of all runs as one, without the phonetic guides beside them."""
    if "<r>" in text:
        text = _joined(text) or _joined(_in_runs_only(text)) or text
    return _without_guides(text)


def _joined(text: str) -> str | None:
    """None where a run is not all that its text is made of, or anything else is unusual."""
    marked = replace_usual(_JOINTS, _JOIN, text, "</t></r><r>")
    marked = replace_usual(_BEGINNINGS, _BEGIN, marked, "<r>")
    outside = _WHOLE.sub("", marked)
    if any(part in outside for part in (_BEGIN, _JOIN, "<r>", "</t></r>")):
        return None
    return marked.replace("</t></r>", "</t>").replace(_BEGIN, "<t>").replace(_JOIN, "")


def _in_runs_only(text: str) -> str:
    """The same with empty texts written out, and what is before the first run in one too."""
    text = (
        _without_guides(text)
        .replace("<t/>", "<t></t>")
        .replace('<t xml:space="preserve"/>', "<t></t>")
    )
    return _BEFORE_RUNS.sub(r"<r><t>\1</t></r>", text)


def _without_guides(text: str) -> str:
    if "<rPh" in text:
        text = _GUIDES.sub("", text)
    if "<phoneticPr" in text:
        text = _ONLY_STYLE.sub("", text)
    return text
