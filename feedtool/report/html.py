"""The HTML report: one file, readable on paper and on a phone, as safe as its input is hostile.

Everything is escaped by the template, and a Content Security Policy lets nothing run but the one
script that filters the results. What is listed is limited, and the page says where all of it is;
the counts are always complete. Texts are messages, said in the language of the page with the
names that the section's sheet has for its fields.
"""

import os
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache, cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TextIO
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup
from msgspec import Struct

from feedtool.model.nouns import Problem, RowResult, Status
from feedtool.model.own_files import folder_of
from feedtool.model.text import MessageText, Translator
from feedtool.report.codes import Codes
from feedtool.report.overview import (
    columns_of,
    facts_of,
    headline_of,
    meaning_of,
    statuses_of,
)
from feedtool.report.plain import value
from feedtool.report.sheet_result import SheetResult, to_read
from feedtool.report.tally import SEVERITIES, CodeGroup, Tally, Totals, skipped_text, tally
from feedtool.report.templating import add_to, shown

LISTED = 1_000
"""Problems of each code, and rows of each status, that are listed."""

MESSAGES = 20
"""Messages of one row that are listed: a row may have one for each of its cells."""

OPENED = 40
"""Problems of one code that are shown unfolded: a page of thousands begins as a list of codes."""

PACKAGES = 50
"""Packages that are listed: products travel in hundreds of batches."""

PIECES = 200


class Share(NamedTuple):
    """The rows of a status, for the chart."""

    status: Status
    rows: int
    percent: str


class Section(Struct, frozen=True, dict=True):
    """One sheet on the page."""

    number: int
    """1-based, for what the page's own links lead to."""
    result: SheetResult
    tally: Tally
    say: Translator
    made: datetime
    folder: Path
    """Of the report."""

    @cached_property
    def statuses(self) -> Mapping[Status, int]:
        """The rows by status."""
        return statuses_of(self.tally.counts)

    @property
    def headline(self) -> MessageText:
        """How many rows were accepted, are to be corrected, are still open."""
        return headline_of(self.result, self.statuses)

    @property
    def facts(self) -> Iterator[tuple[str, str | int]]:
        """What was checked or sent, when, by whom."""
        return facts_of(self.result, self.tally, self.made)

    def shares(self) -> list[Share]:
        """The chart of the rows by status: none where all are of one."""
        rows = sum(self.statuses.values())
        shares = [
            Share(status, count, f"{100 * count / rows:.4g}")
            for status, count in self.statuses.items()
        ]
        return shares if len(shares) > 1 else []

    def place(self, at: int) -> str:
        """The id of the part about a code, 1-based."""
        return f"s{self.number}-code-{at}"

    def first(self, group: CodeGroup) -> str:
        """The place of the first cell of a code."""
        return place_of(group.first[0])

    def columns(self, group: CodeGroup) -> list[str]:
        """The columns that a code was met in."""
        return list(columns_of(self.result, group, self.say))

    def meaning(self, status: Status) -> str:
        """What a status means, in a sentence."""
        return meaning_of(status, self.say)

    def link(self, file: Path) -> str:
        """The address of a file beside the report; empty where there is none."""
        try:
            path = Path(os.path.relpath(file, self.folder)).as_posix()
        except ValueError:  # on another drive
            return ""
        return quote(path.encode("utf-8", "surrogatepass"))

    def verdicts(self) -> Iterator[RowResult]:
        """The rows that are listed: the first of each status."""
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
    """`B5`, `B` of a whole column, `5` of a whole row; empty of the sheet."""
    return f"{problem.column or ''}{problem.row or ''}"


def write_html(
    results: Iterable[SheetResult], out: TextIO, codes: Codes, made: datetime, folder: Path
) -> None:
    """Writes the page, a sheet after the other, as UTF-8; `folder` is the one that it is in."""
    totals, script = (
        Totals(),
        (folder_of("feedtool.report") / "page" / "filter.js").read_text("utf-8"),
    )
    stream = _template().stream(
        sections=_sections(results, totals, codes.say, made, folder),
        totals=totals,
        say=codes.say,
        codes=codes,
        to_read=partial(to_read, is_confirmation=codes.is_confirmation),
        script=Markup(script),  # noqa: S704  # our own file, nothing of it from outside
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
        own = result.checked.translator(say, _shown_names(result, say))
        section = Section(number, result, tally(result, LISTED), own, made, folder)
        totals.add(result, section.tally.counts)
        yield section


def _shown_names(result: SheetResult, say: Translator) -> dict[str, str]:
    return {key: value(name) for key, name in result.checked.names(say.language).items()}


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
        "place_of": place_of,
        "severities": SEVERITIES,
        "skipped_text": skipped_text,
    }
    return environment.get_template("report.html")
