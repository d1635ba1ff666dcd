"""`feedtool convert`: a file is read and judged, its rows are carried over, and written."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from feedtool.check import Input, ReadOptions, check_source, open_input, unreadable
from feedtool.check.kinds import HeaderMissing
from feedtool.feeds.area import Areas
from feedtool.feeds.conversion import Output, Said
from feedtool.model.errors import UsageProblem
from feedtool.model.file_version import read_unchanged
from feedtool.report.conversion import Conversion, Loss
from feedtool.runs.convert.forms import FOLDER, JSON
from feedtool.runs.convert.requests import RequestsSource, is_requests
from feedtool.runs.convert.sheet import ConversionOptions, OpenedFile, SheetConversion
from feedtool.runs.convert.write import BY_HAND, valid_sheet, write_items


def convert(
    file: Input, asked: ReadOptions, options: ConversionOptions, areas: Areas
) -> Conversion:
    """Writes a file as another one, and lists what is not in it.

    Rows that cannot be sent go into no request and no Offers.xml; in a workbook or a CSV they
    stand as they are, to be corrected there.

    Args:
        file: The input; a folder is one of requests.
        asked: How it is read.
        options: What it becomes.
        areas: What there is to convert.

    Raises:
        FileProblem: the input cannot be read.
        UsageProblem: it cannot become that, or not in one file, or that cannot be written.
    """
    output = options.form.output
    if output and not options.is_channel_given and _is_of(file, output, areas):
        asked = replace(asked, channel="")  # what names no channel is not given one
    asked_whole = replace(asked, with_items=True, with_values=True)
    opened = read_unchanged(file.path, file.name, lambda _: _open(file, asked_whole, areas))
    sheets = opened.sheets
    for sheet in sheets:
        if sheet.error:
            raise sheet.error
    if len(sheets) > 1 and options.form.ending != FOLDER:
        names = ", ".join(str(sheet.sheet) for sheet in sheets)
        raise UsageProblem(
            f"{file.name} has several sheets with rows, and {options.target.name} takes one:"
            f" {names}",
            f"name one with --sheet, or {BY_HAND}",
        )
    said = opened.said
    about = said.about_elsewhere if options.is_channel_given else said.about
    found = Conversion(file.name, options.target, [])
    steps = [SheetConversion(sheet, asked, options, areas) for sheet in sheets]
    for step in steps:
        step.tell_of_file(opened)
    with _pointing_to_out():
        if options.form.is_sheet:
            steps[0].write_rows(found)
        else:
            _write_requests(steps, about, asked, options, areas, found)
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


def _is_of(file: Input, output: Output, areas: Areas) -> bool:
    """Whether a file is of the format of an output."""
    with suppress(OSError):
        found = areas.format_of(file.path) if file.path.is_file() else None
        return found is not None and output in found.outputs
    return False


def _open(file: Input, asked: ReadOptions, areas: Areas) -> OpenedFile:
    try:
        if is_requests(file.path):
            with RequestsSource(file.path, asked.dialect, areas, asked.channel) as requests:
                _refuse_references_alone(requests, asked)
                sheets = check_source(file.name, requests, asked, areas)
                left: dict[str | None, Sequence[Loss]] = {
                    sheet.name: requests.sheet(sheet.name).losses for sheet in requests.sheets
                }
                return OpenedFile(sheets, left)
        with open_input(file, asked, areas) as source:
            sheets = check_source(file.name, source, asked, areas)
            own = areas.format_of(file.path)
            said = Said()
            if own and own.said:
                said = own.said(source, asked.dialect, asked.channel)
            losses = [Loss(None, *fact) for fact in said.losses]
            return OpenedFile(sheets, {sheet.sheet: losses for sheet in sheets}, said)
    except OSError as error:
        raise unreadable(file, error) from error


def _refuse_references_alone(requests: RequestsSource, asked: ReadOptions) -> None:
    """A reference alone would remove what it is of, which nobody is taken to mean."""
    [first, *others] = [requests.sheet(one.name) for one in requests.sheets]
    removing = next((feed for feed in first.feeds if feed.needs_asking), None)
    if asked.kind is None and removing and not others and first.keys == [removing.reference]:
        raise HeaderMissing(
            "the requests hold references and nothing else",
            f"if their offers are to be removed, say so with --as {removing.kind}",
        )


def _write_requests(
    steps: Sequence[SheetConversion],
    about: object,
    asked: ReadOptions,
    options: ConversionOptions,
    areas: Areas,
    found: Conversion,
) -> None:
    dialect, sheets, form = asked.dialect, [], options.form
    for step in steps:
        items = step.items()
        if len(items):
            sheets.append(valid_sheet(step.checked, step.became, items))
    count = sum(step.written.rows for step in steps)
    if form.output and count > (most := form.output.limit(dialect)):
        raise UsageProblem(
            form.output.too_many.format(count=count, most=most),
            f"give a folder as OUT, with --to {steps[0].became}: as many are written as it needs",
        )
    if sheets:
        write_items(options.target, form, sheets, about, dialect, areas)
    requests = areas.feeds[steps[0].became].json
    if form.ending == JSON and requests and count > (most := requests.limit(dialect)):
        text = f"the service takes {most:,} at once, and the file holds {count:,}"
        found.notes.append((text, "a folder as OUT has them in uploads that it takes"))
