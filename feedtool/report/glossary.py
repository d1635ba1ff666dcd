"""The words of the service, and ours for a row or a package, with their pages: `glossary.toml`."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple


class Word(NamedTuple):
    """A word that is explained."""

    kind: str
    """The sort of thing that it is said of."""
    page: str
    """The first line is its summary."""


ROW, BOTH = "status of a row", "status of a row or a package"
REPORT, RESULT = "word of a report", "result code of the service"
_TABLES = tomllib.loads((files("feedtool.report") / "glossary.toml").read_text("utf-8"))

WORDS: Mapping[str, Word] = MappingProxyType({name: Word(**said) for name, said in _TABLES.items()})
"""By the word as it is written."""
