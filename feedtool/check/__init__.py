"""Reading and judging files: from a path to valid Items and to Problems, nothing sent.

One bad file never stops the next: what cannot be read becomes the `error` of its `CheckedSheet`.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from feedtool.cells import Cell
from feedtool.check.result import INVALID, CheckedSheet, Filled
from feedtool.check.sheet import SheetReader
from feedtool.dialect import Dialect
from feedtool.errors import Exit, FileProblem
from feedtool.feeds import Feed, Sight, all_feeds
from feedtool.feeds.products import listed
from feedtool.headers import (
    ENOUGH,
    Header,
    HeaderDuplicate,
    HeaderMissing,
    HeaderNotFound,
    Names,
    NoRows,
    SheetAmbiguous,
    again,
    families,
    find,
    folded,
    laid_out,
    most_known,
    recognise,
)
from feedtool.legacy import OffersSource, is_legacy
from feedtool.model import Problem, Severity
from feedtool.offers_xml import KINDS as LEGACY_KINDS
from feedtool.rules import Survey, all_rules
from feedtool.sheets import Sheet, Source, open_source
from feedtool.spool import Spool

HEADINGS = ("feedtool status", "feedtool message", "feedtool code")
"""The three columns that an annotated copy has more than its input."""

ROW = "feedtool row"
"""The column that a workbook of rows to correct has more than its template: where each is from."""

_ROW = folded(ROW)

SUMMARY = "feedtool summary"
"""The sheet that an annotated workbook has more than its input."""

SEARCHED = 40
"""Non-blank rows among which the header is looked for."""

OURS = "feedtool."
CORRECTS = "feedtool.corrects"
"""The property of a workbook of rows to correct that says of which sheets they are."""
STAMP = "feedtool.template"
"""The property of a workbook that names the kind of the template it was made from."""


class FileMissing(FileProblem):
    """There is no such file, or it is a folder, or it may not be read.

    Example: `feedtool validate my offers.csv` looks for two files, `my` and `offers.csv`.

    To mend it, look at the path; with blanks in it, put it in quotes.
    """

    code = "file-missing"


class SheetMissing(FileProblem):
    """The workbook has no sheet of the name that `--sheet` asks for.

    The message names the sheets that it has; capitals do not matter.

    Example: `--sheet Offer` for a workbook with the sheet Offers.

    To mend it, choose one of them, or leave `--sheet` out.
    """

    code = "sheet-missing"
    exit = Exit.USAGE


@dataclass(frozen=True, slots=True)
class Input:
    """A file to read."""

    name: str
    """As the user gave it; `-` for standard input."""
    path: Path


@dataclass(frozen=True, slots=True)
class Asked:
    """How files are to be read."""

    dialect: Dialect = field(default_factory=Dialect)
    channel: str = "PRIMARY"
    """The salesChannelId of rows that name none."""
    kind: str | None = None
    """`--as`."""
    sheet: str | None = None
    """`--sheet`."""
    with_items: bool = True
    """Whether the valid rows will be sent, or only counted."""
    purges: bool = False
    """`--purge-and-replace`."""
    with_values: bool = False
    """Whether what the rows hold is kept, too, as it is needed to write them otherwise."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sheet that will be read, and as what."""

    sheet: Sheet
    header: Header
    feed: Feed
    is_certain: bool
    """Whether rows without an `action` are of this kind."""
    corrects: str
    """What the workbook says of the sheet whose rows it corrects; empty where it is none such."""


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
    readers: dict[int, SheetReader] = {}
    for file in inputs:
        for checked, reader in _check_file(file, asked, surveys, len(sheets)):
            if reader:
                readers[len(sheets)] = reader
            sheets.append(checked)
    _conclude(surveys, sheets, readers)
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
        for number, chosen in enumerate(choose(source, asked))
    ]
    sheets = [sheet for sheet, _ in found]
    _conclude(surveys, sheets, {at: reader for at, (_, reader) in enumerate(found) if reader})
    return sheets


def _check_file(
    file: Input, asked: Asked, surveys: Sequence[Survey], number: int
) -> Iterator[tuple[CheckedSheet, SheetReader | None]]:
    """The sheets of one file; a file that cannot be read gives one without rows."""
    try:
        with open_input(file, asked) as source:
            for offset, chosen in enumerate(choose(source, asked)):
                yield _check_sheet(file, chosen, asked, surveys, number + offset)
    except FileProblem as error:
        yield CheckedSheet(file.name, error=error), None
    except OSError as error:
        yield CheckedSheet(file.name, error=unreadable(file, error)), None


def unreadable(file: Input, error: OSError) -> FileMissing:
    """What the system's refusal to open a file means for the user."""
    return FileMissing(f"{file.name} cannot be read: {error.strerror}", "look at its permissions")


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
) -> tuple[CheckedSheet, SheetReader | None]:
    checked = CheckedSheet(
        file.name,
        chosen.sheet.name,
        chosen.feed.kind,
        chosen.header,
        has_items=asked.with_items,
        purges=asked.purges,
        filled=Spool(Filled._make) if asked.with_values else None,
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
        )
        reader.read()
        if not any(True for _ in checked.marks):
            raise NoRows(
                f"there is no row below the header in row {chosen.header.row}",
                "fill the sheet, or name another one with --sheet",
            )
    except FileProblem as error:
        for survey, length in zip(surveys, seen, strict=True):
            survey.rewind(length)
        checked.forget()
        checked.error = error
        return checked, None
    return checked, reader


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
    surveys: Sequence[Survey], sheets: Sequence[CheckedSheet], readers: dict[int, SheetReader]
) -> None:
    """Adds what can only be said once every row of every file was seen."""
    names = [_name(sheet, sheets) for sheet in sheets]
    for survey in surveys:
        spools: dict[int, Spool[Problem]] = {}
        for place, fault in survey.faults(names):
            spool = spools.setdefault(place.sheet, Spool(Problem._make))
            spool.append(readers[place.sheet].late_problem(place.row, fault))
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


def choose(source: Source, asked: Asked) -> list[Chosen]:
    """The sheets of a file that are feeds, and of which kind each is.

    Raises:
        SheetMissing: `--sheet` names none of them.
        HeaderNotFound: none has a known header.
        HeaderMissing, HeaderDuplicate: the only candidate is no complete feed.
        SheetAmbiguous: several are of one kind.
    """
    names = _sheet_names(source, asked)
    candidates, reasons = _candidates(source, names, asked, ENOUGH)
    if not candidates and not reasons:  # a Delete that was asked for needs a single column
        candidates, reasons = _candidates(source, names, asked, 1)
    if not candidates:
        raise reasons[0] if reasons else _no_header(source, names)
    return _unambiguous(candidates, source)


def _candidates(
    source: Source, names: Sequence[str], asked: Asked, enough: int
) -> tuple[list[Chosen], list[FileProblem]]:
    """The sheets with a header that names so many columns, and why others are no feeds."""
    candidates: list[Chosen] = []
    reasons: list[FileProblem] = []
    for name in names:
        try:
            chosen = _recognise(source, source.sheet(name), asked, enough)
        except (HeaderMissing, HeaderDuplicate) as reason:
            reasons.append(reason)
        else:
            candidates += [chosen] if chosen else []
    return candidates, reasons


def _sheet_names(source: Source, asked: Asked) -> list[str]:
    visible = [entry.name for entry in source.sheets if not entry.hidden and entry.name != SUMMARY]
    if asked.sheet is None or source.format == "csv":  # a CSV is one table without a name
        return visible
    wanted = asked.sheet.casefold()
    named = [entry.name for entry in source.sheets if entry.name.casefold() == wanted]
    if not named:
        raise SheetMissing(
            f"there is no sheet “{asked.sheet}”", f"choose one of: {', '.join(visible)}"
        )
    return named


def _recognise(source: Source, sheet: Sheet, asked: Asked, enough: int) -> Chosen | None:
    """What a sheet is, None where nothing looks like a header.

    Less than `ENOUGH` is a header only where the kind is known from `--as` or the stamp.

    Raises:
        HeaderMissing, HeaderDuplicate: it looks like one and is none of any kind.
    """
    head = [(row.number, row.cells) for row in sheet.head(SEARCHED)]
    dialect, kind = asked.dialect, asked.kind or _stamped(source, sheet)
    named = [(family, _names(family, dialect)) for family in _possible(kind, enough)]
    # Whoever knows the most of its columns comes first; of equals the one that is in front.
    named.sort(key=lambda one: -most_known(head, one[1]))
    reasons: list[FileProblem] = []
    for family, names in named:
        try:
            header = find(head, names, enough)
            if header is None:
                continue
            keys = {index: column.key for index, column in header.columns.items()}
            layout = family[0].layout(head, header.row, keys, dialect)
            header = replace(header, stamp=_stamp_of(source, sheet, kind))
            header = laid_out(header, layout, head, names)
            feed = recognise(header, family, dialect, kind)
        except (HeaderMissing, HeaderDuplicate) as reason:
            reasons.append(reason)
            continue
        if feed:
            is_certain = bool(kind) or not feed.needs_asking
            return Chosen(sheet, header, feed, is_certain, _corrects(source, sheet))
    if reasons:
        raise reasons[0]
    return None


def _possible(kind: str | None, enough: int) -> list[list[Feed]]:
    """The families that a sheet may be of; any, where its kind is not known beforehand."""
    if kind is None:
        every = families() if enough == ENOUGH else []
        return [family for family in every if not all(feed.needs_asking for feed in family)]
    return [family for family in families() if kind in {feed.kind for feed in family}]


def _names(family: Sequence[Feed], dialect: Dialect) -> Names:
    return Names(family[0].understood(dialect), dialect, (*HEADINGS, ROW))


def _stamped(source: Source, sheet: Sheet) -> str | None:
    """The kind that the workbook's stamp gives to this sheet."""
    stamp = source.properties.get(STAMP, "")
    feed = all_feeds().get(stamp)
    return stamp if feed and sheet.name == feed.sheet else None


def _stamp_of(source: Source, sheet: Sheet, kind: str | None) -> dict[str, str]:
    """What the workbook says of this sheet, if it was made from the template of its kind."""
    stamp = source.properties.get(STAMP)
    if stamp is None or kind != stamp or sheet.name != all_feeds()[stamp].sheet:
        return {}
    return {name: text for name, text in source.properties.items() if name.startswith(OURS)}


def _corrects(source: Source, sheet: Sheet) -> str:
    """Which rows this sheet has the corrections of, whatever it is called if it is the only one."""
    said = listed(source.properties, CORRECTS)
    if len(said) == 1:
        return said[0]
    return next((one for one in said if one.endswith(f":{sheet.name}")), "")


def _unambiguous(candidates: list[Chosen], source: Source) -> list[Chosen]:
    """One sheet of each kind; the stamped sheet's name wins over others of its kind.

    So does, where there is no stamp, the name that the channel operator's templates give it.
    """
    stamp = source.properties.get(STAMP)
    chosen: dict[str, list[Chosen]] = {}
    for candidate in candidates:
        chosen.setdefault(candidate.feed.kind, []).append(candidate)
    for kind, several in chosen.items():
        if len(several) == 1 or several[0].feed.takes_several:
            continue
        named = [one for one in several if one.sheet.name == _template_sheet(one.feed, stamp)]
        if len(named) != 1:
            sheets = ", ".join(one.sheet.name for one in several)
            raise SheetAmbiguous(
                f"several sheets could be meant: {sheets}", "name one of them with --sheet"
            )
        chosen[kind] = named
    return [one for several in chosen.values() for one in several]


def _template_sheet(feed: Feed, stamp: str | None) -> str | None:
    """The name of a feed's sheet in the template that a workbook was made from, if in any."""
    if stamp is None:
        return feed.operator_sheet
    return feed.sheet if feed.kind == stamp else None


def _no_header(source: Source, names: Sequence[str]) -> HeaderNotFound:
    looked = f" (looked at {', '.join(names)})" if source.format == "xlsx" else ""
    return HeaderNotFound(
        f"no row looks like a header{looked}",
        "start from `feedtool template`, or map your headers in the profile's [columns] table",
    )
