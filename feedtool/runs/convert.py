"""`feedtool convert`: read and check a file, convert its rows and write them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check_source, open_input, unreadable
from feedtool.check.kinds import HeaderMissing
from feedtool.check.requests import faults, item_of, validator_of
from feedtool.check.rules import NOT_A_ROW, TOO_MANY_COLUMNS, rules_for
from feedtool.delivery.plan import Plan
from feedtool.feeds.area import Areas, FileFacts, Output, RowConverter, loss_of
from feedtool.feeds.columns import is_error
from feedtool.feeds.columns.choice import Condition
from feedtool.feeds.feed import ACTION, CHANNEL, Feed, Row, SheetColumns
from feedtool.feeds.template import Basis
from feedtool.model.cells import Value
from feedtool.model.errors import UsageProblem
from feedtool.model.file_version import read_unchanged
from feedtool.model.nouns import Item, Loss, Problem, Severity
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.sheet import INVALID, VALID, CheckedSheet, Filled
from feedtool.model.text import LANGUAGES, Language, joined, tr
from feedtool.report.file import Conversion, ConvertedSheet
from feedtool.runs.convert_requests import RequestsSource, is_requests
from feedtool.runs.request_files import write_requests
from feedtool.runs.row_notes import join_problems
from feedtool.sheets import NotAsWritten
from feedtool.sheets.atomic_write import atomic_write
from feedtool.templates.contents import contents_of
from feedtool.templates.rows import RowBuffer, SheetRows, write

# Convert the rows of a sheet into another sheet or into requests, and list what that loses.


WORKBOOK, CSV, JSON, FOLDER = ".xlsx", ".csv", ".json", ""
"""The endings that every area writes; without one it is a folder of requests."""


class Form(Struct, frozen=True):
    """A form of output file."""

    ending: str
    output: Output | None = None
    """Set if an area declares the form."""

    @property
    def is_sheet(self) -> bool:
        return self.ending in {WORKBOOK, CSV}


class ConversionOptions(Struct, frozen=True):
    """The target, form and kind of a conversion."""

    target: Path
    form: Form
    to: str | None
    """The kind of feed that its rows become; None: the kind that fits the form."""
    language: Language
    """The language of a workbook's labels."""
    is_channel_given: bool
    """True if the command named the channel of rows that name none."""


def form_of(target: Path, areas: Areas) -> Form:
    """Return the form of a target, by its name; UsageProblem for an unknown ending."""
    ending = "" if target.is_dir() else target.suffix.lower()
    if ending in {WORKBOOK, CSV, JSON, FOLDER} or ending in areas.outputs:
        return Form(ending, areas.outputs.get(ending))
    endings = ", ".join((WORKBOOK, CSV, *areas.outputs, JSON))
    raise UsageProblem(
        tr("nothing can be written as {name}", name=target.name),
        tr(
            "let the name end in one of {endings}, or in nothing for a folder of requests",
            endings=endings,
        ),
    )


def kind_for(form: Form, kind: str, requested: str | None, areas: Areas) -> str:
    """Return the kind that rows become in a form of file; UsageProblem if they cannot.

    `requested` is the kind that the user names, if any.
    """
    became, output = requested or kind, form.output
    if requested is None and output:
        if kind in output.refusals:
            raise UsageProblem(
                output.refusals[kind], tr("give OUT another ending: .xlsx, .csv, .json or none")
            )
        became = output.kinds.get(kind, kind)
    elif requested is None and not form.is_sheet:
        became = next(
            (to for (of, to), item in areas.conversions.items() if of == kind and item.is_for_json),
            kind,
        )
    if (kind, became) not in areas.conversions:
        possible = [to for of, to in areas.conversions if of == kind]
        raise UsageProblem(
            tr("{kind} cannot become {became} without another meaning", kind=kind, became=became),
            tr("it can become {kinds}", kinds=", ".join(possible)),
        )
    is_strange = output and became not in output.kinds.values()
    if is_strange or (form.ending == JSON and areas.feeds[became].json is None):
        raise UsageProblem(
            tr("{became} cannot be written as {ending}", became=became, ending=form.ending),
            tr("leave --to away, or give OUT another ending"),
        )
    return became


RequestMaker = Callable[[int, Mapping[str, Value]], tuple[Item | None, list[Loss]]]
"""Makes the request of a row from its number and values, or the losses that prevent it."""


def request_maker(
    feed: Feed, channel: str, settings: AccountSettings, areas: Areas
) -> RequestMaker:
    """Return the maker for a feed; `channel` is the salesChannelId of rows that name none."""
    is_right = validator_of(feed)
    keys = frozenset(column.key for column in feed.sheet.understood(settings))
    sheet = SheetColumns(Context(settings), keys, feed.sheet.modes(settings))
    checks = [rule.check for rule in rules_for(areas, feed.kind) if rule.check]

    def make(number: int, values: Mapping[str, Value]) -> tuple[Item | None, list[Loss]]:
        row_channel = str(values.get(CHANNEL) or channel)
        row = Row(number, feed, row_channel, {**dict.fromkeys(keys), **values}, frozenset(), sheet)
        issues = [issue for check in checks for issue in check(row)]
        if not is_error(issues):
            request = feed.requests.make(row)
            if is_right(request):
                return item_of(row, request, purges=False), []
            issues = list(faults(feed, request))
        obstacles = [
            loss_of(issue.field or "", values.get(issue.field or "", ""), issue.message)
            for issue in issues
            if issue.code.severity is Severity.ERROR
        ]
        return None, obstacles

    return make


class SheetConversion:
    """The conversion of one sheet."""

    def __init__(
        self, checked: CheckedSheet, reading: ReadOptions, options: ConversionOptions, areas: Areas
    ) -> None:
        self.checked, self._reading, self._options, self._areas = checked, reading, options, areas
        self.kind = str(checked.kind)
        self.became = kind_for(options.form, self.kind, options.to, areas)
        """The kind of feed that its rows become."""
        self.converted = ConvertedSheet(self.kind, checked.sheet, self.became)
        self.feed, self._family = areas.feeds[self.became], areas.family(areas.feeds[self.kind])
        self._losing = {TOO_MANY_COLUMNS.name, *areas.feeds[self.kind].losing}
        self._converter = cache(
            lambda kind, became: areas.conversions[kind, became].converter(reading.dialect)
        )

    def note_file_losses(self, losses: Iterable[Loss]) -> None:
        """Note the losses of the file itself, and its unknown columns."""
        header, gone = self.checked.header, self._areas.feeds[self.kind].gone
        unknown = [header.texts[index] for index, _ in header.unknown] if header else []
        for loss in losses:
            self.converted.losses.append(loss)
        for text in unknown:
            is_gone = text.strip().casefold() in gone
            why = (
                tr("there is no field for it any more")
                if is_gone
                else tr("no column is known for it")
            )
            self.converted.losses.append(Loss(None, None, text, None, why))

    def write_rows(self, conversion: Conversion) -> None:
        options, feed = self._options, self.feed
        convert = self._converter(self.kind, self.became)
        is_csv = options.form.ending == CSV
        labels = {} if is_csv else self._labels()
        action = feed.recognition.action if is_csv and feed.recognition.only_if_asked else ""
        by_category = feed.sheet.by_category
        categories: dict[str, None] = {}
        refused = 0
        with RowBuffer() as rows:
            for filled, problems in self._rows(VALID, INVALID):
                values, losses, _ = convert(filled.values())
                self._note_losses(filled, losses, problems)
                refused += any(problem.severity is Severity.ERROR for problem in problems)
                if action:
                    values[ACTION] = action
                for key in labels.keys() & values.keys():
                    values[key] = labels[key].get(str(values[key]), values[key])
                if by_category:
                    categories[str(values.get(by_category.key, ""))] = None
                rows.put(None, values)
            self.converted.rows = len(rows)
            if not len(rows):
                return
            keys, known = frozenset(rows.columns), [code for code in categories if code]
            contents = contents_of(
                feed, Basis(options.language, self._reading.context, known, keys)
            )
            self._note_lost_columns(
                keys.difference(field.key for field in contents.fields), convert
            )
            limits = self._reading.dialect.reading
            sheets, is_private = [SheetRows(contents, rows)], feed.requests.is_personal
            write(options.target, sheets, limits, is_private=is_private)
        if refused:
            text = tr(
                "{refused:,} of the rows cannot be sent: their cells stand as they were",
                refused=refused,
            )
            conversion.notes.append(
                (text, tr("see `feedtool validate {target}`", target=options.target))
            )
        if is_csv and feed.recognition.only_if_asked and not action:
            text = tr("a CSV does not say of itself what it is")
            conversion.notes.append((text, tr("read it with --as {became}", became=self.became)))

    def valid_sheet(self) -> CheckedSheet:
        """Return a sheet with only the requests of the rows that can be sent."""
        checked, reading = self.checked, self._reading
        sheet = CheckedSheet(checked.file, checked.sheet, self.became, checked.header)
        is_same = self.became == self.kind
        make = request_maker(self.feed, reading.channel, reading.dialect, self._areas)
        for filled, problems in self._rows(VALID):
            into = filled.kind if is_same else self.became
            values, losses, obstacles = self._converter(filled.kind, into)(filled.values())
            item = None
            if not (is_same or obstacles):
                item, obstacles = make(filled.row, values)
                losses = [*losses, *obstacles]
            if is_same or item:
                conversion = self._areas.conversions[filled.kind, into]
                losses = [*losses, *conversion.lost_in_requests(values, reading.dialect)]
            losses = [_left_out(loss) if loss in obstacles else loss for loss in losses]
            self._note_losses(filled, losses, problems)
            if item:
                sheet.rows.items.append(item)
            self.converted.skipped += not (is_same or item)
        for item in checked.valid_items() if is_same else ():
            sheet.rows.items.append(item)
        for item in sheet.rows.items:
            for row in (item.row, *item.further_rows):
                sheet.rows.marks[row] = VALID
        self.converted.rows = sheet.rows.marks.count(VALID)
        return sheet

    def _rows(self, *marks: int) -> Iterator[tuple[Filled, Sequence[Problem]]]:
        """Yield the rows with one of these marks, and their problems; skip the others."""
        unwanted = {  # left out by a recipe, which is no loss
            result.row: message.text
            for result in self.checked.rows.skipped
            for message in result.messages
            if not message.code
        }
        for filled, problems in join_problems(self.checked, self.checked.rows.filled or ()):
            if filled.row in unwanted:
                self.converted.unwanted[unwanted[filled.row]] += 1
                self.converted.skipped += 1
            elif self.checked.rows.marks[filled.row] not in marks:
                reasons = [
                    _left_out(_loss(problem))
                    for problem in problems
                    if problem.severity is Severity.ERROR or problem.code == NOT_A_ROW.name
                ]
                self._note_losses(filled, reasons)
                self.converted.skipped += 1
            elif (filled.kind, self.became) in self._areas.conversions or (
                filled.kind in self._family and self.became == self.kind
            ):
                yield filled, problems
            else:
                why = tr(
                    "a row of {kind} cannot become {became} without another meaning",
                    kind=filled.kind,
                    became=self.became,
                )
                self._note_losses(filled, [loss_of(ACTION, filled.kind, why)])
                self.converted.skipped += 1

    def _note_losses(
        self, filled: Filled, losses: Iterable[Loss], problems: Iterable[Problem] = ()
    ) -> None:
        """Note the losses of a row, and the warnings that it loses something."""
        warned = [_loss(problem) for problem in problems if problem.code in self._losing]
        for loss in (*losses, *warned):
            self.converted.losses.append(loss._replace(row=filled.row, line=filled.line))

    def _note_lost_columns(self, keys: frozenset[str], convert: RowConverter) -> None:
        """Note the values for which the columns of the file have no place."""
        why = tr("none of the rows' categories has such a property")
        for filled in (self.checked.rows.filled or ()) if keys else ():
            if (filled.kind, self.became) in self._areas.conversions:
                values = convert(filled.values()).values
                self._note_losses(
                    filled, [loss_of(key, values[key], why) for key in values if key in keys]
                )

    def _labels(self) -> Mapping[str, Mapping[str, str]]:
        """Return the dropdown labels of conditions, by the keys of the feed's columns."""
        settings, language = self._reading.dialect, LANGUAGES.index(self._options.language)
        labels: dict[str, str] = {}
        for feed in self._areas.feeds.values():
            for column in feed.sheet.columns(settings):
                if isinstance(column.type, Condition):
                    labels |= {name: texts[language] for name, texts in column.type.values.items()}
        columns = self.feed.sheet.columns(settings)
        return {column.key: labels for column in columns if isinstance(column.type, Condition)}


def _loss(problem: Problem) -> Loss:
    return Loss(problem.row, problem.line, problem.field, problem.value, problem.message)


def _left_out(loss: Loss) -> Loss:
    return loss._replace(message=tr("left out: {message}", message=loss.message))


BY_HAND = tr("give OUT no ending: a folder takes as many packages as there are")


def convert(
    file: Input, reading: ReadOptions, options: ConversionOptions, areas: Areas
) -> Conversion:
    """Write a file, or a folder of requests, as another one, and list the losses.

    Rows that cannot be sent go into no request and no Offers.xml; in a workbook or a CSV they stay
    unchanged, to be corrected there. FileProblem if the input cannot be read, UsageProblem if it
    cannot become that, or not in one file.
    """
    output = options.form.output
    if output and not options.is_channel_given and _is_of(file, output, areas):
        reading = replace(reading, channel="")  # rows without a channel get none
    whole_reading = replace(reading, with_items=True, with_values=True)
    opened = read_unchanged(file.path, file.name, lambda _: _open(file, whole_reading, areas))
    for sheet, _ in opened:
        if sheet.error:
            raise sheet.error
    if len(opened) > 1 and options.form.ending != FOLDER:
        names = ", ".join(str(sheet.sheet) for sheet, _ in opened)
        raise UsageProblem(
            tr(
                "{name} has several sheets with rows, and {target} takes one: {names}",
                name=file.name,
                target=options.target.name,
                names=names,
            ),
            tr("name one with --sheet, or {way}", way=BY_HAND),
        )
    steps = [SheetConversion(sheet, reading, options, areas) for sheet, _ in opened]
    for step, (_, facts) in zip(steps, opened, strict=True):
        elsewhere = () if output or options.is_channel_given else facts.losses_elsewhere
        step.note_file_losses((*facts.losses, *elsewhere))
    conversion = Conversion(file.name, options.target, [step.converted for step in steps])
    with _pointing_to_out():
        if options.form.is_sheet:
            steps[0].write_rows(conversion)
        else:
            facts = opened[0][1]
            about = facts.about_elsewhere if options.is_channel_given else facts.about
            _write_requests(steps, about, options, reading.dialect, conversion)
    return conversion


@contextmanager
def _pointing_to_out() -> Iterator[None]:
    """Turn hints about options of other commands into hints about OUT."""
    try:
        yield
    except UsageProblem as error:
        if re.search("--out|--requests", error.hint) is None:
            raise
        raise UsageProblem(error.message, tr("give OUT another name or place")) from error


def _is_of(file: Input, output: Output, areas: Areas) -> bool:
    """True if a file has the format of an output."""
    with suppress(OSError):
        declared = areas.format_of(file.path) if file.path.is_file() else None
        return declared is not None and output in declared.outputs
    return False


def _open(file: Input, reading: ReadOptions, areas: Areas) -> list[tuple[CheckedSheet, FileFacts]]:
    """Return the sheets of a file, each with further facts about the file."""
    try:
        if is_requests(file.path):
            with RequestsSource(file.path, reading.dialect, areas, reading.channel) as requests:
                _refuse_references_alone(requests, reading)
                sheets = check_source(file.name, requests, reading, areas)
                lost = {entry.name: requests.sheet(entry.name).losses for entry in requests.sheets}
                return [
                    (sheet, FileFacts(losses=lost.get(sheet.sheet or "", ()))) for sheet in sheets
                ]
        with open_input(file, reading, areas) as source:
            sheets = check_source(file.name, source, reading, areas)
            declared = areas.format_of(file.path)
            facts = FileFacts()
            if declared and declared.facts:
                facts = declared.facts(source, reading.dialect, reading.channel)
            return [(sheet, facts) for sheet in sheets]
    except OSError as error:
        raise unreadable(file, error) from error


def _refuse_references_alone(requests: RequestsSource, reading: ReadOptions) -> None:
    """Raise HeaderMissing if there are references alone: they would remove what they refer to."""
    [first, *others] = [requests.sheet(entry.name) for entry in requests.sheets]
    removing = next((feed for feed in first.feeds if feed.recognition.only_if_asked), None)
    if (
        reading.kind is None
        and removing
        and not others
        and first.keys == [removing.requests.reference]
    ):
        raise HeaderMissing(
            tr("the requests hold references and nothing else"),
            tr("if their offers are to be removed, say so with --as {kind}", kind=removing.kind),
        )


def _write_requests(
    steps: Sequence[SheetConversion],
    about: object,
    options: ConversionOptions,
    settings: AccountSettings,
    conversion: Conversion,
) -> None:
    """Write requests as they travel: in one file, or in a folder of packages.

    The same rows give the same bytes, and every file takes its place whole or not at all, else
    UsageProblem. NotAsWritten if it does not read back like that.
    """
    target, output, feed = options.target, options.form.output, steps[0].feed
    sheets = [sheet for step in steps if len((sheet := step.valid_sheet()).rows.items)]
    count = sum(len(sheet.rows.items) for sheet in sheets)
    if output and count > (most := output.limit(settings)):
        raise UsageProblem(
            output.too_many(count, most),
            tr(
                "give a folder as OUT, with --to {kind}: as many are written as it needs",
                kind=feed.kind,
            ),
        )
    if options.form.ending == FOLDER and sheets:
        write_requests(target, Plan(sheets, load().feeds, settings.limits), settings)
    elif sheets:
        [items] = [sheet.rows.items for sheet in sheets]
        packages = {(item.package_type, item.channel) for item in items}
        if len(packages) > 1:
            listed = joined(
                tr("{type} for {channel}", type=kind, channel=channel)
                for kind, channel in sorted(packages)
            )
            raise UsageProblem(
                tr(
                    "{name} would hold several packages: {packages}",
                    name=target.name,
                    packages=listed,
                ),
                BY_HAND,
            )
        with atomic_write(target) as place:
            if feed.json and not output:
                place.write_bytes(feed.json.bundle([item.body for item in items], settings))
            elif output and not output.write(place, items, about, settings):
                raise NotAsWritten(
                    tr("{target} was written, and does not read back like that", target=target),
                    tr("run it again; if it stays so, look at the disk"),
                )
    if options.form.ending == JSON and feed.json and count > (most := feed.json.limit(settings)):
        text = tr(
            "the service takes {most:,} at once, and the file holds {count:,}",
            most=most,
            count=count,
        )
        conversion.notes.append((text, tr("a folder as OUT has them in uploads that it takes")))
