"""Read all files of a command into checked sheets; rules may compare rows of all files."""

import errno
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from pathlib import Path

from feedtool.check.headers import Names, NoRows, read_again, with_new_columns
from feedtool.check.problems import Locator, explain_row
from feedtool.check.read_options import Input, ReadOptions
from feedtool.check.recipe_selection import Chosen
from feedtool.check.requests import RowGroups
from feedtool.check.rules import all_rules
from feedtool.check.sheet import SheetReader
from feedtool.check.sheet_selection import choose
from feedtool.feeds.area import Areas
from feedtool.feeds.feed import HeaderContext
from feedtool.model.cells import Cell, Header
from feedtool.model.disk_list import Spool
from feedtool.model.errors import FileProblem, reason_of
from feedtool.model.file_version import FileChanging, Version, read_unchanged
from feedtool.model.files import HEADINGS, ROW
from feedtool.model.nouns import Severity
from feedtool.model.settings import Context
from feedtool.model.sheet import INVALID, CheckedRows, CheckedSheet, Filled, ProblemSpool
from feedtool.model.text import tr
from feedtool.sheets import Sheet, Source, open_source


class FileMissing(FileProblem):
    """The file does not exist, is a folder, or cannot be read."""

    code = "file-missing"


def check(inputs: Sequence[Input], options: ReadOptions, areas: Areas) -> list[CheckedSheet]:
    """Read and check all files of one command, in the order of the command line.

    Returns one CheckedSheet for each sheet, and one for each file that could not be read.
    """
    checking = _Checking(options, areas)
    for file in inputs:
        checking.add_unchanged(file)
    return checking.conclude()


def check_source(
    name: str, source: Source, options: ReadOptions, areas: Areas
) -> list[CheckedSheet]:
    """Read and check an open source; `name` is its name in messages.

    Raises:
        FileProblem: no sheet of it is a feed.
    """
    checking = _Checking(options, areas)
    checking.add_source(Input(name, Path(name)), source)
    return checking.conclude()


class _Checking:
    """The sheets of one command, while they are checked."""

    def __init__(self, options: ReadOptions, areas: Areas) -> None:
        self._options, self._areas = options, areas
        self._surveys = [(rule, rule.survey()) for rule in all_rules(areas) if rule.survey]
        self._sheets: list[CheckedSheet] = []
        self._locators: dict[int, Locator] = {}
        self._groups: dict[int, RowGroups] = {}

    def add_unchanged(self, file: Input) -> None:
        """Read the sheets of a file in one version: again, if it changes meanwhile."""
        seen, first = self._seen(), len(self._sheets)

        def read(version: Version | None) -> None:
            self._rewind(seen)
            del self._sheets[first:]
            self._groups = {number: item for number, item in self._groups.items() if number < first}
            self._add(file)
            for checked in self._sheets[first:]:
                checked.version = version

        try:
            read_unchanged(file.path, file.name, read)
        except FileChanging as error:
            self._rewind(seen)
            self._sheets[first:] = [CheckedSheet(file.name, error=error)]

    def _add(self, file: Input) -> None:
        """Read the sheets of one file; a file that cannot be read becomes a sheet with an error."""
        try:
            if file.problem:
                raise file.problem
            with open_input(file, self._options, self._areas) as source:
                self.add_source(file, source)
        except FileProblem as error:
            self._sheets.append(CheckedSheet(file.name, error=error))
        except OSError as error:
            self._sheets.append(CheckedSheet(file.name, error=unreadable(file, error)))

    def add_source(self, file: Input, source: Source) -> None:
        for chosen in choose(source, self._options, self._areas, file.name):
            self._sheets.append(self._check_sheet(file, chosen))

    def _seen(self) -> list[int]:
        return [len(survey) for _, survey in self._surveys]

    def _rewind(self, lengths: Sequence[int]) -> None:
        for (_, survey), length in zip(self._surveys, lengths, strict=True):
            survey.rewind(length)

    def _check_sheet(self, file: Input, chosen: Chosen) -> CheckedSheet:
        options, number, seen = self._options, len(self._sheets), self._seen()
        checked = CheckedSheet(
            file.name,
            chosen.sheet.name,
            chosen.feed.kind,
            chosen.header,
            purges=options.purges,
            kind_reason=chosen.reason,
            is_kind_certain=chosen.is_certain,
            rows=CheckedRows(
                has_items=options.with_items, filled=Spool(Filled) if options.with_values else None
            ),
        )
        try:
            of_file = options.context._replace(folder=Path(file.name).parent)
            checked.header, context = _whole_header(chosen, of_file)
            reader = SheetReader(
                chosen, checked, options, context, self._areas, self._surveys, number
            )
            reader.read()
            checked.kind_reason = chosen.described()
            checked.recipe = chosen.recipe_facts()
            if (row := options.explain_row) is not None:
                checked.explained = explain_row(chosen.sheet, checked.header, context, row)
            if not any(True for _ in checked.rows.marks):
                raise NoRows(
                    tr("there is no row below the header in row {row}", row=chosen.header.row),
                    tr("fill the sheet, or name another one with --sheet"),
                )
        except FileProblem as error:
            self._rewind(seen)
            checked.rows.forget()
            checked.error = error
        else:
            self._locators[number] = reader.locator
            if reader.groups is not None:
                self._groups[number] = reader.groups
        return checked

    def conclude(self) -> list[CheckedSheet]:
        """Return the sheets, after the checks that need all rows of all files."""
        sheets = self._sheets
        files = Counter(sheet.file for sheet in sheets)
        # In messages a sheet has the name of its file, and its own if the file has several.
        names = [
            tr("{file}, sheet {sheet}", file=sheet.file, sheet=sheet.sheet)
            if sheet.sheet and files[sheet.file] > 1
            else sheet.file
            for sheet in sheets
        ]
        for rule, survey in self._surveys:
            spools: dict[int, ProblemSpool] = {}
            for place, fault in survey.faults(names):
                if rule.is_guard:
                    sheets[place.sheet].rows.guarded.append((place.row, fault))
                    is_first = place.sheet not in spools
                    if fault.code.severity is Severity.ERROR or not is_first:
                        continue  # each held row gets the message later
                spool = spools.setdefault(place.sheet, ProblemSpool())
                spool.append(self._locators[place.sheet].in_earlier_row(place.row, fault))
                if fault.code.severity is Severity.ERROR:
                    sheets[place.sheet].rows.marks[place.row] = INVALID
            for number, spool in spools.items():
                sheets[number].rows.problems_by_source.append(spool)
        for number, groups in self._groups.items():
            sheet = sheets[number]
            groups.conclude(sheet.rows, self._locators[number], purges=sheet.purges)
        return sheets


def unreadable(file: Input, error: OSError) -> FileMissing:
    """Return the user's error for an error of the system when it opens a file."""
    hint = tr("rename it") if error.errno == errno.ENAMETOOLONG else tr("look at its permissions")
    return FileMissing(
        tr("{name} cannot be read: {why}", name=file.name, why=reason_of(error)), hint
    )


def open_input(file: Input, options: ReadOptions, areas: Areas) -> Source:
    """Open a file by its format: a workbook, a CSV, or a format that an area declares.

    Raises:
        FileProblem: the file does not exist, or has none of these formats.
        OSError: the file cannot be opened.
    """
    if not file.path.is_file():
        raise _missing(file)
    settings, path = options.dialect, file.copy or file.path
    if declared := areas.format_of(path):
        source: Source = declared.open(path, settings, options.kind)
        return source
    return open_source(path, limits=settings.reading, csv_fallback=settings.csv_fallback)


def _whole_header(chosen: Chosen, context: Context) -> tuple[Header, Context]:
    """Return the header with the columns that depend on more than the kind."""
    header, feed = chosen.header, chosen.feed
    if feed.sheet.extra_columns is None:
        return header, context
    unknown = [header.texts[index] for index, _ in header.unknown]
    cells = partial(_cells, chosen.sheet, header)
    extra = feed.sheet.extra_columns(HeaderContext(context, header.stamp, unknown, cells))
    if not extra.columns:
        return header, extra.context
    settings = context.settings
    marks = (*HEADINGS, ROW)
    if chosen.made:  # its recipe or its defaults have settled the other columns
        return with_new_columns(header, Names(extra.columns, settings, marks)), extra.context
    names = Names((*feed.sheet.understood(settings), *extra.columns), settings, marks)
    return read_again(header, names), extra.context


def _cells(sheet: Sheet, header: Header, key: str) -> Iterator[Cell]:
    """Yield the distinct cells of a key's column, in their order."""
    index = header.index_of(key)
    seen: set[Hashable] = set()
    for block in sheet.blocks(header.after) if index is not None else ():
        if index is None or index >= block.width:
            continue
        new = [key for key in dict.fromkeys(block.column(index)) if key not in seen]
        seen.update(new)
        yield from map(block.decode, new)


def _missing(file: Input) -> FileMissing:
    if file.path.is_dir():
        return FileMissing(
            tr("{name} is a folder", name=file.name),
            tr("name the files in it, as in `folder/*.xlsx`"),
        )
    if file.path.exists():
        return FileMissing(
            tr("{name} is a pipe or a device", name=file.name),
            tr("read it as standard input: `- < {name}`", name=file.name),
        )
    return FileMissing(tr("there is no file {name}", name=file.name), tr("look at the path"))
