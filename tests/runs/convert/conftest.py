"""Files converted without the command line."""

from pathlib import Path

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions
from feedtool.model.nouns import Loss
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import CheckedSheet
from feedtool.report.output_files import Conversion
from feedtool.runs.convert import ConversionOptions, convert, form_of
from tests.conftest import checked

USUAL = AccountSettings()


def converted(
    source: Path,
    target: Path,
    *,
    to: str | None = None,
    kind: str | None = None,
    channel: str | None = None,
    dialect: AccountSettings = USUAL,
) -> Conversion:
    asked = ReadOptions(dialect, channel or dialect.primary_channel, kind)
    options = ConversionOptions(target, form_of(target, load()), to, "en", channel is not None)
    return convert(Input(source.name, source), asked, options, load())


def losses(found: Conversion) -> list[Loss]:
    return [loss for one in found.written for loss in one.losses]


def places(found: Conversion) -> set[tuple[int | None, str | None]]:
    """Row and field of every loss."""
    return {(loss.row, loss.field) for loss in losses(found)}


def only(
    path: Path, kind: str | None = None, dialect: AccountSettings | None = None
) -> CheckedSheet:
    """What a file is judged to be."""
    (sheet,) = checked(path, kind=kind, dialect=dialect)
    assert sheet.error is None
    return sheet
