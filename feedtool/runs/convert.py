"""`feedtool convert`: read and check a file, convert its rows and write them."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check_source, open_input, unreadable
from feedtool.check.kinds import HeaderMissing
from feedtool.delivery.plan import Plan
from feedtool.feeds.area import Areas, FileFacts, Output
from feedtool.model.errors import UsageProblem
from feedtool.model.file_version import read_unchanged
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import joined, tr
from feedtool.report.output_files import Conversion
from feedtool.runs.convert_requests import RequestsSource, is_requests
from feedtool.runs.convert_rows import FOLDER, JSON, ConversionOptions, SheetConversion
from feedtool.runs.request_files import write_requests
from feedtool.sheets import NotAsWritten
from feedtool.sheets.atomic_write import atomic_write

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
