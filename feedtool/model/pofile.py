"""Texts out of a gettext catalogue (.po), read without a tool, since each command needs some.

What tools write is understood, but for plural forms. https://www.gnu.org/software/gettext/
"""

import json
import re

_ENTRY = re.compile(r'^(msgctxt|msgid|msgstr)((?:\s+"(?:[^"\\\n]|\\.)*")+)', re.MULTILINE)
_PART = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def read_po(content: str) -> dict[tuple[str, str], str]:
    """The texts by their context, empty where there is none, and their msgid."""
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
