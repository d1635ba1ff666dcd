"""The HTML report: one file, no network, readable on paper, and as safe as its input is hostile.

Everything is escaped by the template, and a Content Security Policy lets nothing run but the one
script that filters the results. What is listed is limited, and the page says where all of it is;
the counts are always complete.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple, TextIO

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from feedtool.model.nouns import RowResult, Status
from feedtool.report.codes import Codes
from feedtool.report.plain import clean, counted, listed, printable, value
from feedtool.report.sheet_result import SheetResult, to_read
from feedtool.report.tally import ACCEPTED, REFUSED, Tally, Totals, skipped_text, tally

LISTED = 1_000
"""Problems of each code, and rows of each status, that are listed."""

MESSAGES = 20
"""Messages of one row that are listed: a row may have one for each of its cells."""

OPENED = 40
"""Problems of one code that are shown unfolded: a page of thousands begins as a list of codes."""

PACKAGES = 50
"""Packages that are listed: products travel in hundreds of batches."""

PIECES = 200


class Bar(NamedTuple):
    """A line of the chart: a code, ours or the service's behind its status, and what it is of."""

    code: str
    number: int
    ink: str
    place: str
    """The id of the part of the page that says more."""
    share: str
    """The length of the bar, in percent of the longest."""


@dataclass(frozen=True, slots=True)
class Section:
    """One sheet on the page."""

    number: int
    """1-based, for what the page's own links lead to."""
    result: SheetResult
    tally: Tally

    def bars(self) -> list[Bar]:
        """The chart: the checks' codes, then the service's, in the order of the page."""
        bars = [
            (group.code, group.count, str(group.severity), self.place(at))
            for at, group in enumerate(self.tally.groups, start=1)
        ]
        answers: Counter[tuple[Status, str]] = Counter()
        for refusal in self.tally.refusals:
            answers[refusal.status, refusal.code] += refusal.count
        for (status, code), count in answers.most_common():
            bars.append((f"{status} {code}".strip(), count, ink(status), f"s{self.number}-answers"))
        longest = max((count for _, count, _, _ in bars), default=1)
        return [Bar(*bar, f"{100 * bar[1] / longest:.1f}") for bar in bars]

    def place(self, at: int) -> str:
        """The id of the part about a code, 1-based."""
        return f"s{self.number}-code-{at}"

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


def write_html(results: Iterable[SheetResult], out: TextIO, codes: Codes) -> None:
    """Writes the page, a sheet after the other, as UTF-8."""
    totals, script = Totals(), (files("feedtool.report") / "page" / "filter.js").read_text("utf-8")
    stream = _template().stream(
        sections=_sections(results, totals),
        totals=totals,
        summary_of=codes.summary_of,
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


def _sections(results: Iterable[SheetResult], totals: Totals) -> Iterator[Section]:
    for number, result in enumerate(results, start=1):
        section = Section(number, result, tally(result, LISTED))
        totals.add(result, section.tally.counts)
        yield section


def ink(status: Status) -> str:
    """The colour of a status: what is taken, what is refused, and what is neither."""
    if status in ACCEPTED:
        return "good"
    return "error" if status in {Status.INVALID, *REFUSED} - {Status.UNKNOWN} else "warning"


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("feedtool.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    shown = {"counted": counted, "printable": printable, "rows": listed, "value": value}
    environment.filters |= shown
    environment.globals |= {"ink": ink, "skipped_text": skipped_text}
    return environment.get_template("report.html")


def _shown(expression: object) -> object:
    """An expression as the template prints it: nothing invisible in it; our own script as it is."""
    if isinstance(expression, str) and not isinstance(expression, Markup):
        return clean(expression)
    return "" if expression is None else expression
