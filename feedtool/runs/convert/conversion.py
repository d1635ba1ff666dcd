"""`feedtool convert`: a file is read and judged, its rows are carried over, and written."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from feedtool.areas.legacy.offers_xml import KIND as FULL
from feedtool.areas.legacy.reader import OffersXml
from feedtool.areas.legacy.source import PRIMARY_POOL, OffersSource, is_legacy
from feedtool.areas.legacy.writer import Pool
from feedtool.areas.offers.feeds import common as offers
from feedtool.areas.products.columns import common as products
from feedtool.areas.products.columns.attribute import PROPERTY_UNNEEDED
from feedtool.areas.products.columns.category import CATEGORY_CODE_CUT
from feedtool.areas.registry import load
from feedtool.check import Asked, Input, check_source, open_input, unreadable
from feedtool.check.kinds import HeaderMissing
from feedtool.check.rules.not_a_row import CODE as NOT_A_ROW
from feedtool.check.rules.too_many_columns import CODE as TOO_MANY_COLUMNS
from feedtool.feeds.feed import LANGUAGES
from feedtool.feeds.template import Basis, Language
from feedtool.model.errors import UsageProblem
from feedtool.model.file_version import read_unchanged
from feedtool.model.nouns import Item, Problem, Severity
from feedtool.model.settings import CONDITIONS, LEGACY_CONDITIONS
from feedtool.model.sheet import SKIPPED, VALID, CheckedSheet, Filled
from feedtool.model.spool import Spool
from feedtool.report.conversion import Conversion, Loss, Written
from feedtool.runs.convert.carry import Carried, Lack, Values, carrier, numbered, told
from feedtool.runs.convert.files import BY_HAND, About, valid_sheet, write_items
from feedtool.runs.convert.items import maker
from feedtool.runs.convert.requests import RequestsSource, is_requests
from feedtool.runs.convert.ways import DELETE, OFFERS, PRODUCTS, SOURCES, Form, kind_for
from feedtool.runs.row_buffer import RowBuffer
from feedtool.templates.contents import contents_of
from feedtool.templates.rows import Sheet, unfolded, write

LOSING = frozenset((CATEGORY_CODE_CUT.name, PROPERTY_UNNEEDED.name, TOO_MANY_COLUMNS.name))
"""What the checks say of a cell of which something has no place in any column."""
NO_EQUIVALENT = frozenset(("shortlabel", "model", "navigation"))
"""Fields of a legacy product that nothing stands for (specification, "Versioning" 6)."""
PURGE = "PurgeAndReplace"


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to become of a file."""

    target: Path
    form: Form
    to: str | None
    """The kind of feed that its rows are to be; None is what fits the form."""
    language: Language
    """Of a workbook's labels."""
    is_channel_given: bool
    """Whether the channel of rows that name none was asked for."""


@dataclass(slots=True)
class _Opened:
    """A file that was read."""

    sheets: list[CheckedSheet]
    losses: Mapping[str | None, Sequence[Loss]]
    """What is in no cell, by the sheet's name."""
    about: About


def convert(file: Input, asked: Asked, wish: Wish) -> Conversion:
    """Writes a file as another one, and lists what is not in it.

    Rows that cannot be sent go into no request and no Offers.xml; in a workbook or a CSV they
    stand as they are, to be corrected there.

    Args:
        file: The input; a folder is one of requests.
        asked: How it is read.
        wish: What it becomes.

    Raises:
        FileProblem: the input cannot be read.
        UsageProblem: it cannot become that, or not in one file, or that cannot be written.
    """
    if wish.form.is_legacy and not wish.is_channel_given and _is_offers_xml(file):
        asked = replace(asked, channel="")  # what names no channel is not given one
    asked_whole = replace(asked, with_items=True, with_values=True)
    opened = read_unchanged(file.path, file.name, lambda _: _open(file, asked_whole))
    sheets = opened.sheets
    for sheet in sheets:
        if sheet.error:
            raise sheet.error
    if len(sheets) > 1 and wish.form is not Form.FOLDER:
        names = ", ".join(str(sheet.sheet) for sheet in sheets)
        raise UsageProblem(
            f"{file.name} has several sheets with rows, and {wish.target.name} takes one: {names}",
            f"name one with --sheet, or {BY_HAND}",
        )
    about = replace(opened.about, pools=()) if wish.is_channel_given else opened.about
    found = Conversion(file.name, wish.target, [])
    steps = [_Step(sheet, asked, wish) for sheet in sheets]
    for step in steps:
        step.tell_of_file(opened)
    with _pointing_to_out():
        if wish.form.is_sheet:
            steps[0].write_rows(found)
        else:
            _write_requests(steps, about, asked, wish, found)
    found.written = [step.written for step in steps]
    return found


@contextmanager
def _pointing_to_out() -> Iterator[None]:
    """What is said of options that other commands have is said of OUT."""
    try:
        yield
    except UsageProblem as error:
        if re.search("--out|--requests", error.hint) is None:
            raise
        raise UsageProblem(error.message, "give OUT another name or place") from error


def _is_offers_xml(file: Input) -> bool:
    with suppress(OSError):
        return file.path.is_file() and is_legacy(file.path)
    return False


def _open(file: Input, asked: Asked) -> _Opened:
    about, losses = About(), list[Loss]()
    try:
        if is_requests(file.path):
            with RequestsSource(file.path, asked.dialect, asked.channel) as requests:
                _refuse_references_alone(requests, asked)
                sheets = check_source(file.name, requests, asked, load())
                left: dict[str | None, Sequence[Loss]] = {
                    sheet.name: requests.sheet(sheet.name).losses for sheet in requests.sheets
                }
                return _Opened(sheets, left, about)
        with open_input(file, asked, load()) as source:
            sheets = check_source(file.name, source, asked, load())
            if isinstance(source, OffersSource):
                about, losses = _about(file, asked)
                losses += [
                    Loss(None, line, None, None, text) for line, text in source.sheet().losses
                ]
            left = {sheet.sheet: losses for sheet in sheets}
            return _Opened(sheets, left, about)
    except OSError as error:
        raise unreadable(file, error) from error


def _refuse_references_alone(requests: RequestsSource, asked: Asked) -> None:
    """A reference alone would remove its offer, which nobody is taken to mean."""
    keys = [requests.sheet(one.name).keys for one in requests.sheets]
    if asked.kind is None and keys == [[offers.REFERENCE]]:
        raise HeaderMissing(
            "the requests hold references and nothing else",
            "if their offers are to be removed, say so with --as offers-delete",
        )


def _about(file: Input, asked: Asked) -> tuple[About, list[Loss]]:
    """What an Offers.xml says of itself, and what of that nothing else can say."""
    xml = OffersXml(file.path, asked.dialect.reading)
    next(iter(xml.read()), None)
    said, losses, pools = xml.about, list[Loss](), list[Pool]()
    if said.purges:
        why = "a purge is never carried over: `submit --purge-and-replace` asks for it by name"
        losses.append(Loss(None, said.line, PURGE, "true", why))
    for attribute, value in said.pools:
        try:
            pools.append(Pool(value, attribute))
        except ValueError:
            why = "a publication pool cannot be written like that"
            losses.append(Loss(None, said.line, attribute, value, why))
    return About(said.name or About().name, tuple(pools)), losses


class _Step:
    """One sheet on its way."""

    def __init__(self, checked: CheckedSheet, asked: Asked, wish: Wish) -> None:
        self.checked, self._asked, self._wish = checked, asked, wish
        self.kind = str(checked.kind)
        became = kind_for(wish.form, self.kind, wish.to)
        self.written = Written(self.kind, checked.sheet, became)

    @property
    def became(self) -> str:
        return self.written.became

    def tell_of_file(self, opened: _Opened) -> None:
        """What is lost before any row is looked at."""
        losses = self.written.losses
        for loss in opened.losses.get(self.checked.sheet, ()):
            losses.append(loss)
        pools = opened.about.pools
        is_carried = self._wish.form.is_legacy or self._wish.is_channel_given
        if not is_carried and not self._is_one_channel(pools):
            values = ", ".join(pool.value for pool in pools)
            why = f"its rows are for one channel, {self._asked.channel} unless --channel names it"
            losses.append(Loss(None, None, "PublicationPool", values, why))
        header = self.checked.header
        for index, _ in header.unknown if header else ():
            text = header.texts[index] if header else ""
            gone = text.strip().casefold() in NO_EQUIVALENT and self.kind == PRODUCTS
            why = "nothing stands for it any more" if gone else "no column is known for it"
            losses.append(Loss(None, None, text, None, why))

    def _is_one_channel(self, pools: Sequence[Pool]) -> bool:
        """Whether rows can say where an Offers.xml is published."""
        numbers = {PRIMARY_POOL, *self._asked.dialect.legacy_pools.values()}
        known = [pool for pool in pools if pool.attribute != "Id" or pool.value in numbers]
        return len(known) == len(pools) <= 1

    def write_rows(self, found: Conversion) -> None:
        """Writes the rows as a workbook or a CSV."""
        wish, dialect, became = self._wish, self._asked.dialect, self.became
        carry = carrier(self.kind, became, dialect)
        is_csv = wish.form is Form.CSV
        labels = {} if is_csv else _labels(wish.language)
        codes: dict[str, None] = {}
        refused = 0
        with RowBuffer() as rows:
            for filled, problems in _with_problems(self.checked):
                if self.checked.marks[filled.row] == SKIPPED:
                    self._leave_out(filled.row, filled.line, problems)
                    continue
                if not self._fits(filled.kind, filled.row, filled.line):
                    continue
                values, lacks = carry(filled.values())
                self._lose(filled.row, filled.line, lacks)
                self._lose_warned(problems)
                refused += any(one.severity is Severity.ERROR for one in problems)
                if is_csv and became == DELETE:
                    values[offers.ACTION] = str(load().feeds[DELETE].package_type)
                condition = values.get(offers.CONDITION)
                if condition in labels:
                    values[offers.CONDITION] = labels[str(condition)]
                if became == PRODUCTS:
                    codes[str(values.get(products.CATEGORY, ""))] = None
                rows.put(str(filled.row), values)
            self.written.rows = len(rows)
            if not len(rows):
                return
            keys, known = frozenset(rows.columns), [code for code in codes if code]
            contents = contents_of(
                load().feeds[became], Basis(wish.language, self._asked.context, known, keys)
            )
            self._lose_columns({field.key for field in contents.fields}, rows, carry)
            sheet = Sheet(unfolded(contents, rows.columns), rows)
            write(wish.target, [sheet], dialect.reading)
        if refused:
            found.notes.append(
                (
                    f"{refused:,} of the rows cannot be sent: their cells stand as they were",
                    f"see `feedtool validate {wish.target}`",
                )
            )
        if is_csv and load().feeds[became].needs_asking and became != DELETE:
            found.notes.append(
                ("a CSV does not say of itself what it is", f"read it with --as {became}")
            )

    def items(self) -> Spool[Item]:
        """The requests of the rows that can be sent."""
        dialect, became = self._asked.dialect, self.became
        is_same = became == self.kind
        make = None if is_same else maker(became, self._asked.channel, dialect)
        carry = {kind: carrier(kind, kind if is_same else became, dialect) for kind in OFFERS}
        carry[self.kind] = carrier(self.kind, became, dialect)
        ready = iter(self.checked.valid_items())
        found: Spool[Item] = Spool(Item)
        for filled, problems in _with_problems(self.checked):
            if self.checked.marks[filled.row] != VALID:
                self._leave_out(filled.row, filled.line, problems)
                continue
            item: Item | None = next(ready)
            if not (is_same or self._fits(filled.kind, filled.row, filled.line)):
                continue
            values, lacks = carry[filled.kind](filled.values())
            if make:
                is_barred = any(lack.is_needed for lack in lacks)
                item, barring = (None, []) if is_barred else make(filled.row, values)
                lacks = [_barring(lack) if lack.is_needed else lack for lack in (*lacks, *barring)]
            if item and became == FULL:
                lacks += numbered(values, dialect)
            self._lose(filled.row, filled.line, lacks)
            self._lose_warned(problems)
            if item:
                found.append(item)
            else:
                self.written.skipped += 1
        self.written.rows = len(found)
        return found

    def _fits(self, kind: str, row: int, line: int | None) -> bool:
        """Whether a row of this kind can go where its sheet goes; tells it, if not."""
        if kind in SOURCES[self.became] or (kind in OFFERS and self.became == self.kind):
            return True
        why = f"a row of {kind} cannot become {self.became} without another meaning"
        self.written.losses.append(Loss(row, line, offers.ACTION, kind, why))
        self.written.skipped += 1
        return False

    def _lose(self, row: int, line: int | None, lacks: Iterable[Lack]) -> None:
        for lack in lacks:
            field, value = lack.field or None, lack.value or None
            self.written.losses.append(Loss(row, line, field, value, lack.message))

    def _lose_warned(self, problems: Iterable[Problem]) -> None:
        for one in problems:
            if one.code in LOSING:
                loss = Loss(one.row, one.line, one.field, one.value, one.message)
                self.written.losses.append(loss)

    def _leave_out(self, row: int, line: int | None, problems: Iterable[Problem]) -> None:
        """A row that cannot be sent, or is none, with every reason."""
        for one in problems:
            if one.severity is Severity.ERROR or one.code == NOT_A_ROW.name:
                loss = Loss(row, line, one.field, one.value, f"left out: {one.message}")
                self.written.losses.append(loss)
        self.written.skipped += 1

    def _lose_columns(
        self, known: set[str], rows: RowBuffer, carry: Callable[[Values], Carried]
    ) -> None:
        """What the columns of the file have no place for."""
        if not rows.columns.keys() - known:
            return
        for filled in self.checked.filled or ():
            if filled.kind in SOURCES[self.became]:
                values = carry(filled.values()).values
                strange = [(key, value) for key, value in values.items() if key not in known]
                why = "none of the rows' categories has such a property"
                self._lose(
                    filled.row, filled.line, [Lack(key, told(one), why) for key, one in strange]
                )


def _barring(lack: Lack) -> Lack:
    return lack._replace(message=f"left out: {lack.message}")


def _labels(language: Language) -> Mapping[str, str]:
    """Conditions as the workbook's own dropdown offers them."""
    at = LANGUAGES.index(language)
    return {name: labels[at] for name, labels in {**CONDITIONS, **LEGACY_CONDITIONS}.items()}


def _with_problems(checked: CheckedSheet) -> Iterator[tuple[Filled, Sequence[Problem]]]:
    """Each row with what was said of it."""
    told = checked.problems_by_row()
    row, problems = next(told, (None, ()))
    for filled in checked.filled or ():
        while (row is not None and row < filled.row) or (row is None and problems):
            row, problems = next(told, (None, ()))
        yield filled, problems if row == filled.row else ()


def _write_requests(
    steps: Sequence[_Step], about: About, asked: Asked, wish: Wish, found: Conversion
) -> None:
    dialect, sheets = asked.dialect, []
    for step in steps:
        items = step.items()
        if len(items):
            sheets.append(valid_sheet(step.checked, step.became, items))
    count = sum(step.written.rows for step in steps)
    most = dialect.limits.legacy
    if wish.form.is_legacy and count > most:
        raise UsageProblem(
            f"{count:,} offers are more than a legacy zip takes: {most:,}",
            f"give a folder as OUT, with --to {steps[0].became}: as many are written as it needs",
        )
    if sheets:
        write_items(wish.target, wish.form, sheets, about, dialect)
    most = dialect.limits.products if steps[0].became == PRODUCTS else dialect.limits.upload
    if wish.form is Form.JSON and count > most:
        text = f"the service takes {most:,} at once, and the file holds {count:,}"
        found.notes.append((text, "a folder as OUT has them in uploads that it takes"))
