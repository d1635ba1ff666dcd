"""Texts for people in their language, from gettext catalogues; the English text is its own key.

A package keeps its texts in `locale/LANGUAGE/PACKAGE.po`. Values stand in them by name, `{sheet}`.
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files

from feedtool.model.pofile import read_po

Translate = Callable[[str], str]
"""Gives an English text in another language; a text without a translation stays English."""


@cache
def translation(package: str, language: str) -> Translate:
    """What translates the texts of a package: `feedtool.areas.offers` into `fr`."""
    if language == "en":
        return str
    name = f"{package.rpartition('.')[2]}.po"
    texts = read_po(files(package).joinpath("locale", language, name).read_text("utf-8"))
    return lambda text: texts.get(("", text)) or text
