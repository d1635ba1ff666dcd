"""The HTML report: one file, readable on paper and on a phone, and safe for hostile input.

The template escapes everything, and a Content Security Policy allows only the one script that
filters the results. Lists are limited, and the page says where the whole lists are; the counts are
always complete. Texts are messages, translated into the language of the page with the names that
the section's sheet has for its fields.
"""

import os
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache, cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TextIO
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined, Template, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from msgspec import Struct

from feedtool.model.files import folder_of
from feedtool.model.nouns import Problem, RowResult, Status
from feedtool.model.text import Translator, plural, tr
from feedtool.report.codes import Codes
from feedtool.report.overview import (
    columns_of,
    facts_of,
    headline_of,
    meaning_of,
    name_of,
    outcome_of,
    statuses_of,
)
from feedtool.report.plain import clean, listed, printable, sentence, value
from feedtool.report.sheet_result import SheetResult, shown_messages
from feedtool.report.statuses import state_word, status_word
from feedtool.report.tally import SEVERITIES, Tally, Totals, skipped_text, tally

# Filters and functions for templates.


def add_to(environment: Environment) -> None:
    """Add the filters and functions for messages to an environment."""
    environment.filters |= {
        "name": _name,
        "printable": _printable,
        "rows": listed,
        "said": _said,
        "sentence": _sentence,
        "value": value,
    }
    environment.globals |= {
        "_": tr,
        "plural": plural,
        "outcome_of": outcome_of,
        "state_word": state_word,
        "status_word": status_word,
    }


@pass_context
def shown(context: Context, expression: Any) -> object:
    """Return an expression's printed text: a message in the page's language, cleaned.

    Used as an environment's `finalize`. Markup is unchanged.
    """
    if isinstance(expression, str) and not isinstance(expression, Markup):
        return clean(context["say"](expression))
    return "" if expression is None else expression


@pass_context
def _name(context: Context, problem: Problem) -> str:
    return name_of(problem, context["say"])


@pass_context
def _said(context: Context, text: str) -> str:
    """A message in the page's language, for an attribute."""
    return clean(context["say"](text))


@pass_context
def _printable(context: Context, text: str) -> str:
    return printable(context["say"](text))


@pass_context
def _sentence(context: Context, text: str) -> str:
    return sentence(context["say"](text))


LISTED = 1_000
"""Most problems of each code, and most rows of each status, that are listed."""

MESSAGES = 20
"""Most messages of one row that are listed: a row may have one for each cell."""

OPENED = 40
"""Most problems of one code that are unfolded at first: thousands begin as a list of codes."""

PACKAGES = 50
"""Most packages that are listed: products travel in hundreds of batches."""

PIECES = 200


class Share(NamedTuple):
    """The rows of a status, for the chart."""

    status: Status
    rows: int
    percent: str


class Section(Struct, frozen=True, dict=True):
    """One sheet on the page."""

    number: int
    """1-based, for the ids that the page links to."""
    result: SheetResult
    tally: Tally
    say: Translator
    made: datetime
    folder: Path
    """The folder of the report."""

    @cached_property
    def statuses(self) -> Mapping[Status, int]:
        return statuses_of(self.tally.counts)

    def shares(self) -> list[Share]:
        """The chart of the rows by status; empty for a single status."""
        rows = sum(self.statuses.values())
        shares = [
            Share(status, count, f"{100 * count / rows:.4g}")
            for status, count in self.statuses.items()
        ]
        return shares if len(shares) > 1 else []

    def place(self, number: int) -> str:
        """The id of the part about the code with a 1-based number."""
        return f"s{self.number}-code-{number}"

    def link(self, file: Path) -> str:
        """The address of a file relative to the report; empty if it has none."""
        try:
            path = Path(os.path.relpath(file, self.folder)).as_posix()
        except ValueError:  # on another drive
            return ""
        return quote(path.encode("utf-8", "surrogatepass"))

    def verdicts(self) -> Iterator[RowResult]:
        """The listed rows: the first of each status."""
        listed_: Counter[Status] = Counter()
        for row in self.result.every_verdict():
            listed_[row.status] += 1
            if listed_[row.status] <= LISTED:
                yield row

    def unlisted(self) -> dict[Status, int]:
        """The number of rows of each status that are not listed."""
        statuses = self.tally.counts.by_status.items()
        return {status: count - LISTED for status, count in statuses if count > LISTED}


def place_of(problem: Problem) -> str:
    """Return `B5`, `B` for a whole column, `5` for a whole row; empty for the sheet."""
    return f"{problem.column or ''}{problem.row or ''}"


def write_html(
    results: Iterable[SheetResult], out: TextIO, codes: Codes, made: datetime, folder: Path
) -> None:
    """Write the page, a sheet after the other, as UTF-8; `folder` is the report's."""
    totals = Totals()
    script = (folder_of("feedtool.report") / "page" / "filter.js").read_text("utf-8")
    stream = _template().stream(
        sections=_sections(results, totals, codes.say, made, folder),
        totals=totals,
        say=codes.say,
        codes=codes,
        shown_messages=partial(shown_messages, is_confirmation=codes.is_confirmation),
        script=Markup(script),  # noqa: S704  # part of feedtool, nothing from outside
        script_digest=b64encode(sha256(script.encode()).digest()).decode(),
        listed_most=LISTED,
        messages_most=MESSAGES,
        opened_most=OPENED,
        packages_most=PACKAGES,
    )
    stream.enable_buffering(PIECES)
    out.writelines(stream)


def _sections(
    results: Iterable[SheetResult], totals: Totals, say: Translator, made: datetime, folder: Path
) -> Iterator[Section]:
    for number, result in enumerate(results, start=1):
        names = {key: value(name) for key, name in result.checked.names(say.language).items()}
        translator = result.checked.translator(say, names)
        section = Section(number, result, tally(result, LISTED), translator, made, folder)
        totals.add(result, section.tally.counts)
        yield section


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("feedtool.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )
    add_to(environment)
    environment.globals |= {
        "columns_of": columns_of,
        "facts_of": facts_of,
        "headline_of": headline_of,
        "meaning_of": meaning_of,
        "place_of": place_of,
        "severities": SEVERITIES,
        "skipped_text": skipped_text,
    }
    return environment.get_template("report.html")
