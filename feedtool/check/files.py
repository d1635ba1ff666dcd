"""From the files of a command to its checked sheets, each row judged beside all others."""

import errno
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from pathlib import Path

from feedtool.areas.legacy.offers_xml import KINDS as LEGACY_KINDS
from feedtool.areas.legacy.source import OffersSource, is_legacy
from feedtool.areas.registry import all_rules
from feedtool.check.headers import Header, Names, NoRows, again
from feedtool.check.locate import Placing
from feedtool.check.markers import HEADINGS, ROW
from feedtool.check.read_options import Asked, Input
from feedtool.check.sheet import SheetReader
from feedtool.check.sheet_selection import Chosen, choose
from feedtool.feeds.feed import Sight
from feedtool.feeds.header import folded
from feedtool.feeds.rule import Survey
from feedtool.model.cells import Cell
from feedtool.model.errors import FileProblem
from feedtool.model.file_version import FileChanging, Version, read_unchanged
from feedtool.model.nouns import Severity
from feedtool.model.settings import Dialect
from feedtool.model.sheet import INVALID, CheckedSheet, Filled, ProblemSpool
from feedtool.model.spool import Spool
from feedtool.sheets import Sheet, Source, open_source

_ROW = folded(ROW)


class FileMissing(FileProblem):
    """There is no such file, or it is a folder, or it may not be read.

    Example: `feedtool validate my offers.csv` looks for two files, `my` and `offers.csv`.

    To mend it, look at the path; with blanks in it, put it in quotes.
    """

    code = "file-missing"


def check(inputs: Sequence[Input], asked: Asked) -> list[CheckedSheet]:
    """Reads and judges all files of one command.

    Args:
        inputs: The files, in the order in which they were given.
        asked: How to read them.

    Returns:
        One CheckedSheet for each sheet that was read, and one for each file that could not be.
    """
    surveys = [rule.survey() for rule in all_rules() if rule.survey]
    sheets: list[CheckedSheet] = []
    placings: dict[int, Placing] = {}
    for file in inputs:
        for checked, placing in _check_unchanged(file, asked, surveys, len(sheets)):
            if placing:
                placings[len(sheets)] = placing
            sheets.append(checked)
    _conclude(surveys, sheets, placings)
    return sheets


def check_source(name: str, source: Source, asked: Asked) -> list[CheckedSheet]:
    """Reads and judges what is open already; `name` is its own in messages.

    Raises:
        FileProblem: nothing of it is a feed.
    """
    surveys = [rule.survey() for rule in all_rules() if rule.survey]
    file = Input(name, Path(name))
    found = [
        _check_sheet(file, chosen, asked, surveys, number)
        for number, chosen in enumerate(choose(source, asked, name))
    ]
    sheets = [sheet for sheet, _ in found]
    _conclude(surveys, sheets, {at: placing for at, (_, placing) in enumerate(found) if placing})
    return sheets


def _check_unchanged(
    file: Input, asked: Asked, surveys: Sequence[Survey], number: int
) -> list[tuple[CheckedSheet, Placing | None]]:
    """The sheets of one file as it was at one moment."""
    seen = [len(survey) for survey in surveys]

    def read(version: Version | None) -> list[tuple[CheckedSheet, Placing | None]]:
        _rewind(surveys, seen)
        found = list(_check_file(file, asked, surveys, number))
        for checked, _ in found:
            checked.version = version
        return found

    try:
        return read_unchanged(file.path, file.name, read)
    except FileChanging as error:
        _rewind(surveys, seen)
        return [(CheckedSheet(file.name, error=error), None)]


def _rewind(surveys: Sequence[Survey], lengths: Sequence[int]) -> None:
    for survey, length in zip(surveys, lengths, strict=True):
        survey.rewind(length)


def _check_file(
    file: Input, asked: Asked, surveys: Sequence[Survey], number: int
) -> Iterator[tuple[CheckedSheet, Placing | None]]:
    """The sheets of one file; a file that cannot be read gives one without rows."""
    try:
        if file.problem:
            raise file.problem
        with open_input(file, asked) as source:
            for offset, chosen in enumerate(choose(source, asked, file.name)):
                yield _check_sheet(file, chosen, asked, surveys, number + offset)
    except FileProblem as error:
        yield CheckedSheet(file.name, error=error), None
    except OSError as error:
        yield CheckedSheet(file.name, error=unreadable(file, error)), None


def unreadable(file: Input, error: OSError) -> FileMissing:
    """What the system's refusal to open a file means for the user."""
    hint = "rename it" if error.errno == errno.ENAMETOOLONG else "look at its permissions"
    return FileMissing(f"{file.name} cannot be read: {error.strerror}", hint)


def open_input(file: Input, asked: Asked) -> Source:
    """A file as what it is: an Offers.xml, its zip, a workbook or a CSV.

    Raises:
        FileProblem: there is no such file, or it is none of these.
        OSError: it cannot be opened.
    """
    if not file.path.is_file():
        raise _missing(file)
    dialect, path = asked.dialect, file.path
    if is_legacy(path):
        return OffersSource(path, dialect, as_json=asked.kind not in {None, *LEGACY_KINDS})
    return open_source(path, limits=dialect.reading, csv_fallback=dialect.csv_fallback)


def _check_sheet(
    file: Input, chosen: Chosen, asked: Asked, surveys: Sequence[Survey], number: int
) -> tuple[CheckedSheet, Placing | None]:
    checked = CheckedSheet(
        file.name,
        chosen.sheet.name,
        chosen.feed.kind,
        chosen.header,
        has_items=asked.with_items,
        purges=asked.purges,
        filled=Spool(Filled) if asked.with_values else None,
        kind_reason=chosen.reason,
        is_kind_certain=chosen.is_certain,
        corrects=chosen.corrects,
    )
    seen = [len(survey) for survey in surveys]
    try:
        checked.header, dialect = _whole_header(chosen, asked.dialect)
        reader = SheetReader(
            chosen.sheet,
            checked,
            chosen.feed,
            is_kind_certain=chosen.is_certain,
            channel=asked.channel,
            dialect=dialect,
            surveys=surveys,
            number=number,
            origin=_origin(checked),
            as_rows=asked.as_rows,
        )
        reader.read()
        if not any(True for _ in checked.marks):
            raise NoRows(
                f"there is no row below the header in row {chosen.header.row}",
                "fill the sheet, or name another one with --sheet",
            )
    except FileProblem as error:
        _rewind(surveys, seen)
        checked.forget()
        checked.error = error
        return checked, None
    return checked, reader.placing


def _origin(checked: CheckedSheet) -> int | None:
    """The index of the column that tells of which rows its own are the corrections."""
    if checked.header is None or not checked.corrects:
        return None
    texts = checked.header.texts
    return next((at for at in checked.header.own if folded(texts.get(at, "")) == _ROW), None)


def _whole_header(chosen: Chosen, dialect: Dialect) -> tuple[Header, Dialect]:
    """The header with the columns that more than its kind is needed to know."""
    header, feed = chosen.header, chosen.feed
    if feed.further is None:
        return header, dialect
    unknown = [header.texts[index] for index, _ in header.unknown]
    sight = Sight(dialect, header.stamp, unknown, partial(_cells, chosen.sheet, header))
    found = feed.further(sight)
    if not found.columns and found.dialect is dialect:
        return header, dialect
    names = Names((*feed.understood(dialect), *found.columns), dialect, (*HEADINGS, ROW))
    return again(header, names), found.dialect


def _cells(sheet: Sheet, header: Header, key: str) -> Iterator[Cell]:
    """The different cells of a key's column, as they come."""
    index = next((index for index, one in header.columns.items() if one.key == key), None)
    seen: set[Hashable] = set()
    for block in sheet.blocks(header.after) if index is not None else ():
        if index is None or index >= block.width:
            continue
        new = [key for key in dict.fromkeys(block.column(index)) if key not in seen]
        seen.update(new)
        yield from map(block.decode, new)


def _conclude(
    surveys: Sequence[Survey], sheets: Sequence[CheckedSheet], placings: dict[int, Placing]
) -> None:
    """Adds what can only be said once every row of every file was seen."""
    names = [_name(sheet, sheets) for sheet in sheets]
    for survey in surveys:
        spools: dict[int, ProblemSpool] = {}
        for place, fault in survey.faults(names):
            spool = spools.setdefault(place.sheet, ProblemSpool())
            spool.append(placings[place.sheet].in_earlier_row(place.row, fault))
            if fault.code.severity is Severity.ERROR:
                sheets[place.sheet].marks[place.row] = INVALID
        for number, spool in spools.items():
            sheets[number].problems_by_source.append(spool)


def _name(sheet: CheckedSheet, sheets: Sequence[CheckedSheet]) -> str:
    """A sheet's name in messages: its file's, and its own where the file has several."""
    if sheet.sheet and sum(other.file == sheet.file for other in sheets) > 1:
        return f"{sheet.file}, sheet {sheet.sheet}"
    return sheet.file


def _missing(file: Input) -> FileMissing:
    if file.path.is_dir():
        return FileMissing(
            f"{file.name} is a folder", "name the files in it, as in `folder/*.xlsx`"
        )
    if file.path.exists():
        return FileMissing(
            f"{file.name} is a pipe or a device", f"read it as standard input: `- < {file.name}`"
        )
    return FileMissing(f"there is no file {file.name}", "look at the path")
