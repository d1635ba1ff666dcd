"""Texts for people in their language, from gettext catalogues; the English text is its own key.

They are read without a tool, since each command needs some. A package keeps its texts in
`locale/LANGUAGE/PACKAGE.po`. Values stand in them by name, `{sheet}`.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files

Translate = Callable[[str], str]
"""Gives an English text in another language; a text without a translation stays English."""


@cache
def translation(package: str, language: str) -> Translate:
    """The translator of the texts of a package: `feedtool.areas.offers` into `fr`."""
    if language == "en":
        return str
    name = f"{package.rpartition('.')[2]}.po"
    texts = read_po(files(package).joinpath("locale", language, name).read_text("utf-8"))
    return lambda text: texts.get(("", text)) or text


_ENTRY = re.compile(r'^(msgctxt|msgid|msgstr)((?:\s+"(?:[^"\\\n]|\\.)*")+)', re.MULTILINE)
_PART = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def read_po(content: str) -> dict[tuple[str, str], str]:
    """The texts of a gettext catalogue by their context, which may be empty, and their msgid.

    What tools write is understood, but for plural forms. https://www.gnu.org/software/gettext/
    """
    texts: dict[tuple[str, str], str] = {}
    context = key = ""
    for keyword, quoted in _ENTRY.findall(content):
        text = "".join(map(json.loads, _PART.findall(quoted)))  # its escapes are those of JSON
        if keyword == "msgctxt":
            context = text
        elif keyword == "msgid":
            key = text
        else:
            texts[context, key] = text
            context = ""
    return texts
