"""Texts for people in their language, from gettext catalogues; the English text is its own key.

A package keeps its texts in `locale/LANGUAGE/PACKAGE.po`. Values stand in them by name, `{sheet}`.
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files

Translate = Callable[[str], str]
"""Gives an English text in another language; a text without a translation stays English."""


@cache
def translation(package: str, language: str) -> Translate:
    """What translates the texts of a package: `feedtool.areas.offers` into `fr`."""
    if language == "en":
        return str
    from babel.messages.pofile import read_po  # slow to import

    name = package.rpartition(".")[2]
    with files(package).joinpath("locale", language, f"{name}.po").open("rb") as file:
        texts = {str(text.id): str(text.string) for text in read_po(file) if text.string}
    return lambda text: texts.get(text, text)
