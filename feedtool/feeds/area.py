"""Areas: each is one folder of the service's business."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from feedtool.feeds.direct import Direct
from feedtool.feeds.feed import Feed, Routes, routes_of
from feedtool.feeds.fix import Fix
from feedtool.feeds.rule import Rule
from feedtool.model.cells import Value
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Item, Loss
from feedtool.model.settings import AccountSettings
from feedtool.model.spool import Spool
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export, Wait

Values = dict[str, Value]
"""By the column's key; blanks are not there."""


class ConvertedRow(NamedTuple):
    """A row of the other kind."""

    values: Values
    losses: list[Loss]
    """The losses; the row and the line are added by whoever converts a sheet."""
    obstacles: list[Loss]
    """Those of the losses that no request can be made without."""


RowConverter = Callable[[Values], ConvertedRow]


def shown(value: Value) -> str:
    """A value as a text."""
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def loss_of(key: str, value: Value, message: str) -> Loss:
    """The loss of a value of a row."""
    return Loss(None, None, key or None, shown(value) or None, message)


class RowConversion(NamedTuple):
    """A conversion of rows of a kind into another, or into themselves."""

    kind: str
    became: str
    converter: Callable[[AccountSettings], RowConverter]
    is_for_json: bool = False
    """Its JSON requests are of that kind, unless another is asked for."""
    lost_in_requests: Callable[[Mapping[str, Value], AccountSettings], Iterable[Loss]] = (
        lambda _, __: ()
    )
    """The losses of a request, beside those of a row."""


class FileFacts(NamedTuple):
    """The statements of a file of another format beside its rows."""

    about: object = None
    """The statements that a file of the same format repeats."""
    about_elsewhere: object = None
    """The same where it goes to a channel that was named."""
    losses: Sequence[Loss] = ()
    losses_elsewhere: Sequence[Loss] = ()
    """The losses where another format is written, and no channel was named."""


class Output(NamedTuple):
    """A form of file that an area writes."""

    ending: str
    """`.zip`."""
    kinds: Mapping[str, str]
    """The kind that each kind of row becomes there, unless another kind is asked for."""
    refusals: Mapping[str, str]
    """The reasons why some kinds have no row there."""
    limit: Callable[[AccountSettings], int]
    too_many: Callable[[int, int], str]
    """The message about more rows, of their count and the most."""
    write: Callable[[Path, Spool[Item], object, AccountSettings], bool]
    """Write requests of one package, with what the input said of itself; False where they do not
    read back like that."""


class FileFormat(NamedTuple):
    """A format of files beside workbooks and CSV."""

    name: str
    """As the format of an open file: `offers-xml`."""
    recognises: Callable[[Path], bool]
    """True if a file is of this format, by its content. Raises OSError if it cannot be opened."""
    open: Callable[[Path, AccountSettings, str | None], Any]
    """The file as a `sheets.Source`, read as the kind of feed that was asked for."""
    write_workbook: Callable[[Path, Path, AccountSettings, Sequence[str | None]], None]
    """Write a file's rows, read as these kinds, as the workbook that is annotated in its stead."""
    facts: Callable[[Any, AccountSettings, str], FileFacts] | None = None
    """The statements of a file that was read, where its rows are for this channel."""
    outputs: tuple[Output, ...] = ()


class FileList(NamedTuple):
    """Files that are a sheet together, of a row for each."""

    kind: str
    """Of the feed whose rows they are."""
    takes: Callable[[Path], bool]
    """True if a folder, or a file, can be meant for nothing else. Raises OSError."""
    may_take: Callable[[Path], bool]
    """True if it can be meant, where the kind is asked for."""
    rows: Callable[[Iterable[Path], Path, AccountSettings], Sequence[Mapping[str, Value]]]
    """The rows of folders and files; paths in them begin in this folder."""


class Area(NamedTuple):
    """The declarations of an area."""

    name: str
    title: str
    """What it is about, as a heading: `Parcels from the warehouses`."""
    feeds: tuple[Feed, ...] = ()
    rules: tuple[Rule, ...] = ()
    """The rules of its rows and sheets, beside those of any sheet."""
    fixes: tuple[Fix, ...] = ()
    """The corrections of its cells, beside those of any sheet."""
    exports: "Callable[[], Sequence[Export]]" = tuple
    """The lists that it brings of the service into sheets."""
    conversions: tuple[RowConversion, ...] = ()
    """The conversions of its rows; a kind that has none stays what it is."""
    formats: tuple[FileFormat, ...] = ()
    file_lists: tuple[FileList, ...] = ()


class Areas(Struct, frozen=True, dict=True):
    """All areas that are loaded, as they are handed to the engines."""

    areas: tuple[Area, ...]

    @cached_property
    def feeds(self) -> Mapping[str, Feed]:
        """Every kind of feed by its name, in the order of the names."""
        feeds = {feed.kind: feed for area in self.areas for feed in area.feeds}
        return dict(sorted(feeds.items()))

    def feed_of(self, kind: str) -> Feed:
        """The feed of a kind; UsageProblem where there is none."""
        if kind not in self.feeds:
            raise UsageProblem(
                tr("there is no kind of feed “{kind}”", kind=kind),
                tr("kinds: {kinds}", kinds=", ".join(self.feeds)),
            )
        return self.feeds[kind]

    @cached_property
    def exports(self) -> "Mapping[str, Export]":
        """Every kind of export by its name, in the order of the areas."""
        return {export.kind: export for area in self.areas for export in area.exports()}

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The areas' rules, in the order of their codes."""
        rules = [rule for area in self.areas for rule in area.rules]
        return tuple(sorted(rules, key=lambda rule: rule.code.name))

    @cached_property
    def fixes(self) -> tuple[Fix, ...]:
        """The areas' corrections."""
        return tuple(fix for area in self.areas for fix in area.fixes)

    def waits(self, settings: AccountSettings) -> "list[Wait]":
        """What may wait for the user, in the order of the exports."""
        return [wait for export in self.exports.values() for wait in export.waits(settings)]

    @cached_property
    def routes(self) -> Routes:
        """The delivery of packages, by their type."""
        return routes_of(self.feeds.values())

    def is_single(self, kind: str | None) -> bool:
        """True if each request of a kind is a call of its own."""
        feed = self.feeds.get(kind or "")
        return feed is not None and isinstance(feed.travel.protocol, Direct)

    @cached_property
    def templates(self) -> Mapping[str, Feed]:
        """The feeds with a template of their own, by their kinds; others are actions of one."""
        return {
            kind: feed
            for kind, feed in self.feeds.items()
            if feed.template.title or feed.template.contents or len(self.family(feed)) == 1
        }

    def family(self, feed: Feed) -> Mapping[str, Feed]:
        """The feeds that share a feed's sheet, itself included, by their kinds."""
        return {
            kind: other for kind, other in self.feeds.items() if other.sheet.name == feed.sheet.name
        }

    @cached_property
    def conversions(self) -> Mapping[tuple[str, str], RowConversion]:
        """The conversions by both kinds."""
        declared = {
            (conversion.kind, conversion.became): conversion
            for area in self.areas
            for conversion in area.conversions
        }
        for kind in self.feeds:
            unchanged = RowConversion(kind, kind, lambda _: lambda row: ConvertedRow(row, [], []))
            declared.setdefault((kind, kind), unchanged)
        return declared

    @cached_property
    def outputs(self) -> Mapping[str, Output]:
        """The further forms in which files are written, by their endings."""
        formats = (form for area in self.areas for form in area.formats)
        return {output.ending: output for form in formats for output in form.outputs}

    def kinds_of(self, headers: Iterable[str], settings: AccountSettings) -> dict[str, str]:
        """Of headers that are keys of a column of a kind that is named elsewhere, that kind."""
        wanted = set(headers)
        return {
            column.key: kind
            for kind, feed in self.feeds.items()
            if wanted and feed.recognition.is_named_elsewhere
            for column in feed.sheet.columns(settings)
            if column.key in wanted
        }

    def format_of(self, path: Path) -> FileFormat | None:
        """The declared format of a file, None for a workbook or a CSV; OSError as of `open`."""
        formats = (item for area in self.areas for item in area.formats)
        return next((item for item in formats if item.recognises(path)), None)

    def file_list_of(self, path: Path, kind: str | None) -> FileList | None:
        """The list that a folder is, or that a file belongs to; OSError where it is unreadable."""
        lists = (item for area in self.areas for item in area.file_lists)
        for item in lists:
            if item.may_take(path) if item.kind == kind else kind is None and item.takes(path):
                return item
        return None
