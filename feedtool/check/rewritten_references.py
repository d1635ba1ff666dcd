"""Hold references that a program rewrote as dates or numbers, until the user releases them.

A spreadsheet reads `1-2` as a date, and pandas writes a column of whole numbers with `.0` if one of
its cells is empty. Such rows would create offers under references that the seller does not have.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from feedtool.feeds.columns.placeholders import is_placeholder
from feedtool.feeds.feed import Row
from feedtool.feeds.occurrences import Occurrences, RowPlace
from feedtool.feeds.rule import Problems, guard_issue
from feedtool.model.nouns import Issue
from feedtool.model.text import tr

REFERENCE_REWRITTEN = Problems("feedtool.check").warning("reference-rewritten")

_CAPITALIZED = (
    "Jan|Feb|Mar|Mär|Mrz|Apr|May|Mai|Jun|Jul|Aug|Sep|Oct|Okt|Nov|Dec|Dez"  # English, German
)
_SMALL = (
    "janv|févr|mars|avr|mai|juin|juil|août|sept|oct|nov|déc"  # French
    "|ene|feb|mar|abr|may|jun|jul|ago|sep|nov|dic|gen|apr|mag|giu|lug|ott|jan|fev|dez|mrt|mei|aug"
    "|okt|dec"
)
"""Months as programs write them, without Italian `set`: `set-12` may be a set of twelve."""
_MONTH = f"(?:{_CAPITALIZED}|{_SMALL})"
_DAY = "(?:0?[1-9]|[12][0-9]|3[01])"
_YEAR = "(?:(?:19|20)?[0-9]{2})"
_TIME = r"[ T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?: ?[AaPp]\.?[Mm]\.?)?Z?"
_REWRITTEN = re.compile(
    rf"(?P<date>{_DAY}\.?[- ]{_MONTH}\.?(?:[- ]{_YEAR})?"  # 1-Feb, 01-févr.-25
    rf"|{_MONTH}\.?[- ]{_YEAR}"  # Feb-24, janv.-24
    rf"|(?:[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|[0-9]{{1,2}}([/.-])[0-9]{{1,2}}\2{_YEAR}){_TIME})"
    rf"|(?P<numeric_date>{_DAY}(?:/{_DAY}/|\.{_DAY}\.)(?:19|20)[0-9]{{2}})"
    r"|(?P<number>[0-9]+\.0)"
)
_DIGITS = frozenset("0123456789")
_MONTHS = frozenset(month[:3] for month in f"{_CAPITALIZED}|{_SMALL}".split("|"))
OTHER = "other"


class RewrittenReferences(Occurrences):
    """Remember the references that look rewritten, and the first other one of each sheet."""

    def __init__(self) -> None:
        super().__init__()
        self._sheets: set[int] = set()

    def rewind(self, length: int) -> None:
        """Forget all but the first `length` occurrences."""
        super().rewind(length)
        # The other reference of a sheet may remain: a second one does no harm.
        self._sheets.clear()

    def see(self, sheet: int, row: Row) -> None:
        key = row.feed.requests.reference
        reference = row.values.get(key)
        if not isinstance(reference, str):
            return
        is_likely = reference[:3] in _MONTHS or (
            reference[0] in _DIGITS and not reference.isalnum()
        )
        if is_likely and (match := _REWRITTEN.fullmatch(reference)):
            self.add(f"{match.lastgroup}\0{key}\0{reference}", sheet, row.number)
        elif sheet not in self._sheets and not is_placeholder(reference):
            self._sheets.add(sheet)
            self.add(OTHER, sheet, row.number)

    def faults(self, _: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """Yield the held rows with the reason.

        Numbers are held if all references of the sheet are numbers, dates in digits if some
        references are no dates: otherwise the seller may number offers like that.
        """
        kinds: defaultdict[int, set[str]] = defaultdict(set)
        for index in range(len(self)):
            kinds[self.place(index).sheet].add(self.key(index).partition("\0")[0])
        numbers = tr("every reference ends in .0, as where a program has made numbers of them")
        for index in range(len(self)):
            place, (kind, *rest) = self.place(index), self.key(index).split("\0")
            is_only = len(kinds[place.sheet]) == 1
            if kind == "number" and is_only:
                yield place, guard_issue(REFERENCE_REWRITTEN, numbers, rest[0])
            if kind == "date" or (kind == "numeric_date" and not is_only):
                message = tr("“{text}” looks like a date made of a reference", text=rest[1])
                yield place, guard_issue(REFERENCE_REWRITTEN, message, rest[0])
