"""The pages of problem codes, which the caller passes in, and of `glossary.toml`."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache, cached_property
from typing import Any, NamedTuple

from feedtool.model.errors import UsageProblem
from feedtool.model.files import folder_of
from feedtool.model.nouns import AREA_STATUSES, Code, Status
from feedtool.model.text import Language, Translator, either, set_in, tr
from feedtool.report.plain import on_one_line
from feedtool.report.tally import severity_label


class Word(NamedTuple):
    """A word that is explained."""

    kind: str
    """The sort of thing that has the word."""
    page: str
    """The first line is its summary."""


ROW, BOTH = tr("status of a row"), tr("status of a row or a package")
REPORT, RESULT = tr("word of a report"), tr("result code of the service")

BEGINNINGS = ("To fix it, ", "Pour corriger, ", "Para corregirlo, ")
"""The beginnings of an advice on a page, in all languages."""

LONGEST = 40
"""Most characters of an unknown code that are compared with the known ones."""


def words_in(language: Language) -> Mapping[str, Word]:
    """The explained words of the service and of feedtool, by their exact spelling.

    Those of the areas that are loaded stand behind Accepted.
    """
    say, words = Translator(language), dict[str, Word]()
    pages = {} if language == "en" else _glossary(f".{language}")
    for name, table in _glossary("").items():
        page = set_in(language, pages.get(name, table["page"]))
        words[name] = Word(tr(table["kind"]), page.strip())
        if name == Status.ACCEPTED:
            words |= {word: Word(ROW, say(known.page)) for word, known in AREA_STATUSES.items()}
    return words


@cache
def _glossary(language: str) -> Mapping[str, Any]:
    return tomllib.loads(
        (folder_of("feedtool.report") / f"glossary{language}.toml").read_text("utf-8")
    )


class Codes:
    """Every problem code with its page, and the known codes of the service."""

    def __init__(
        self,
        gather: Callable[[], Mapping[str, Code]],
        is_confirmation: Callable[[str], bool],
        fixed_by: Callable[[str], str],
        language: Language,
        answer_page: Callable[[str, Translator], str | None],
        meaning_of_fix: Callable[[str], str],
        translator: type[Translator],
    ) -> None:
        """`gather` is called once, and late; `is_confirmation` is True for codes of accepted rows.

        `fixed_by` returns the paragraph, a message, on the options that fix a code's problem;
        `answer_page` the page of a code of the service, `meaning_of_fix` the effect of a fix by its
        name; `translator` translates all texts.
        """
        self.say = translator(language)
        self._gather, self._fixed_by, self._answer_page = gather, fixed_by, answer_page
        self.is_confirmation, self.meaning_of_fix = is_confirmation, meaning_of_fix

    @cached_property
    def pages(self) -> Mapping[str, Code]:
        """The pages by the codes' names, sorted."""
        return dict(sorted(self._gather().items()))

    @property
    def words(self) -> Mapping[str, Word]:
        """The explained words, with those of all areas that are loaded by now."""
        return words_in(self.say.language)

    def summary_of(self, name: str) -> str:
        """The first line of a code's page; empty for a code of the service."""
        code = self.pages.get(name)
        return code.page.strip().partition("\n")[0] if code else ""

    def fix_of(self, name: str) -> str:
        """The advice of a code's page, which fits every cell; empty for a code of the service."""
        code = self.pages.get(name)
        return advice_of(code.page) if code else ""

    def advice_on(self, answer: str, say: Translator) -> str:
        """The advice on a code of the service, in a sheet's words; empty if unknown."""
        return advice_of(self._answer_page(answer, say) or "")

    def page_of(self, name: str) -> str:
        """The page of one of feedtool's codes, with the options that fix its problem."""
        paragraphs = (self.pages[name].page.strip(), self.say(self._fixed_by(name)))
        return "\n\n".join(filter(None, paragraphs))

    def explain(self, name: str, words: Mapping[str, Word], others: Iterable[str] = ()) -> str:
        """Return the page of a code, a status or a state; case, blanks and dashes do not matter.

        `words` are more than the glossary's, and `others` more names for the hint.
        UsageProblem for an unknown name; the hint has the three nearest names.
        """
        word, folded = name.strip(), _folded(name)
        known = {**words, **self.words}
        near = (entry for entry in (*self.pages, *known) if _folded(entry) == folded)
        key = word if word in known else next(near, None)
        if key is None:
            every = {_folded(entry): entry for entry in (*self.pages, *known, *others)}
            first, second, third = get_close_matches(folded[:LONGEST], every, n=3, cutoff=0)
            raise UsageProblem(
                tr("there is no code or status “{name}”", name=name),
                tr(
                    "did you mean {choices}? `feedtool explain` lists all",
                    choices=either([every[name] for name in (first, second, third)]),
                ),
            )
        if key in self.pages:
            label = self.say(severity_label(self.pages[key].severity, key))
            return f"{label}\n\n{self.page_of(key)}\n"
        return f"{key}, {self.say(known[key].kind)}\n\n{known[key].page}\n"


def advice_of(page: str) -> str:
    """The last paragraph of a page, which says how to fix the problem."""
    last = on_one_line(page.strip().rpartition("\n\n")[2])
    return next((last[len(start) :] for start in BEGINNINGS if last.startswith(start)), last)


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).casefold()
