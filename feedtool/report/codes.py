"""The pages of problem codes, handed in by whoever knows the rules, and of `glossary.toml`."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Code
from feedtool.model.text import Language, Translator, either, tr


class Word(NamedTuple):
    """A word that is explained."""

    kind: str
    """The sort of thing that it is said of."""
    page: str
    """The first line is its summary."""


ROW, BOTH = tr("status of a row"), tr("status of a row or a package")
REPORT, RESULT = tr("word of a report"), tr("result code of the service")
_TABLES = tomllib.loads((files("feedtool.report") / "glossary.toml").read_text("utf-8"))

WORDS: Mapping[str, Word] = MappingProxyType({name: Word(**said) for name, said in _TABLES.items()})
"""The words of the service, and ours for a row or a package, as they are written."""

LONGEST = 40
"""Characters of an unknown code that are compared with the known ones."""


class Codes:
    """Every problem code with its page, and what is known of the service's own codes."""

    def __init__(
        self,
        gather: Callable[[], Mapping[str, Code]],
        is_confirmation: Callable[[str], bool] = lambda _: False,
        fixed_by: Callable[[str], str] = lambda _: "",
        language: Language = "en",
    ) -> None:
        """`gather` is called once, and late; `is_confirmation` tells codes that say “taken”.

        `fixed_by` gives the paragraph on the options that fix what a code is about.
        """
        self.say = Translator(language)
        self._fixed_by = fixed_by
        self._gather = gather
        self.is_confirmation = is_confirmation

    @cached_property
    def pages(self) -> Mapping[str, Code]:
        """By the code's name, in the order of names."""
        return dict(sorted(self._gather().items()))

    def summary_of(self, name: str) -> str:
        """The first line of a code's page; empty for a code that is not ours (the service's)."""
        code = self.pages.get(name)
        return code.page.strip().partition("\n")[0] if code else ""

    def fix_of(self, name: str) -> str:
        """The advice of a code's page, which fits every cell; empty for a code that is not ours."""
        code = self.pages.get(name)
        return advice_of(code.page) if code else ""

    def page_of(self, name: str) -> str:
        """The page of one of our codes, with the options that fix what it is about."""
        return "\n\n".join(filter(None, (self.pages[name].page.strip(), self._fixed_by(name))))

    def explain(self, name: str, words: Mapping[str, Word], others: Iterable[str] = ()) -> str:
        """The page of a code, a status or a state, by its name in any case, blanks and dashes.

        `words` are further ones, after `WORDS`, and `others` names that may have been meant.
        UsageProblem where there is none; the hint names the three nearest.
        """
        word, wanted = name.strip(), _folded(name)
        known = {**words, **WORDS}
        near = (entry for entry in (*self.pages, *known) if _folded(entry) == wanted)
        key = word if word in known else next(near, None)
        if key is None:
            every = {_folded(entry): entry for entry in (*self.pages, *known, *others)}
            first, second, third = get_close_matches(wanted[:LONGEST], every, n=3, cutoff=0)
            raise UsageProblem(
                tr("there is no code or status “{name}”", name=name),
                tr(
                    "did you mean {choices}? `feedtool explain` lists all",
                    choices=either([every[name] for name in (first, second, third)]),
                ),
            )
        if key in self.pages:
            return f"{self.pages[key].severity}[{key}]\n\n{self.page_of(key)}\n"
        return f"{key}, {known[key].kind}\n\n{known[key].page}\n"


def advice_of(page: str) -> str:
    """The last paragraph of a page, which says how to fix what it is about."""
    last = " ".join(page.strip().rpartition("\n\n")[2].split())
    return last.removeprefix("To fix it, ")


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).casefold()
