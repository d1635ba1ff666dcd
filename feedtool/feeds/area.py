"""The declaration of an area: one folder of the service's business."""

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
from feedtool.model.call import Call
from feedtool.model.cells import Value
from feedtool.model.disk_list import Spool
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Code, Item, Loss, RowStatus
from feedtool.model.settings import AccountSettings, Settings
from feedtool.model.text import Translator, tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export, Wait
    from feedtool.feeds.memory import Memory

Values = dict[str, Value]
"""Values by the column's key, without blanks."""


class ConvertedRow(NamedTuple):
    """A row converted into another kind."""

    values: Values
    losses: list[Loss]
    """The losses without row and line, which the conversion of the sheet adds."""
    obstacles: list[Loss]
    """The losses without which no request can be made."""


RowConverter = Callable[[Values], ConvertedRow]


def shown(value: Value) -> str:
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def loss_of(key: str, value: Value, message: str) -> Loss:
    return Loss(None, None, key or None, shown(value) or None, message)


class RowConversion(NamedTuple):
    """A conversion of rows of a kind into another kind, or into the same."""

    kind: str
    became: str
    converter: Callable[[AccountSettings], RowConverter]
    is_for_json: bool = False
    """True if rows become this kind when JSON requests are written and the user chose no kind."""
    lost_in_requests: Callable[[Mapping[str, Value], AccountSettings], Iterable[Loss]] = (
        lambda _, __: ()
    )
    """Returns the losses of a request, beside the losses of its row."""


class FileFacts(NamedTuple):
    """The facts in a file of another format, beside its rows."""

    about: object = None
    """The facts that a file of the same format repeats."""
    about_elsewhere: object = None
    """The facts that it repeats for a channel that the user chose."""
    losses: Sequence[Loss] = ()
    losses_elsewhere: Sequence[Loss] = ()
    """The losses in another format, if the user chose no channel."""


class Output(NamedTuple):
    """A file format that an area writes."""

    ending: str
    """The ending of the file's name: `.zip`."""
    kinds: Mapping[str, str]
    """The kind that each kind of row becomes in it, unless the user chooses a kind."""
    refusals: Mapping[str, str]
    """The reasons why some kinds cannot be in it."""
    limit: Callable[[AccountSettings], int]
    too_many: Callable[[int, int], str]
    """Returns the message about too many rows, from their count and the limit."""
    write: Callable[[Path, Spool[Item], object, AccountSettings], bool]
    """Writes requests of one package, with `FileFacts.about` of the input; returns False if they do
    not read back equal."""


class FileFormat(NamedTuple):
    """A file format beside workbooks and CSV."""

    name: str
    """The name of the format: `offers-xml`."""
    recognises: Callable[[Path], bool]
    """True if the content of a file is of this format. Raises OSError if it cannot be opened."""
    open: Callable[[Path, AccountSettings, str | None], Any]
    """Opens the file as a `sheets.Source`, read as the kind of feed that the user chose."""
    write_workbook: Callable[[Path, Path, AccountSettings, Sequence[str | None]], None]
    """Writes a file's rows, read as these kinds, as a workbook, which is annotated instead of
    it."""
    facts: Callable[[Any, AccountSettings, str], FileFacts] | None = None
    """Returns the facts in a file that was read, with its rows for this channel."""
    outputs: tuple[Output, ...] = ()


class FileList(NamedTuple):
    """Files that make a sheet together, with a row for each file."""

    kind: str
    """The kind of feed of the rows."""
    takes: Callable[[Path], bool]
    """True if a folder or a file can only be of this list. Raises OSError."""
    may_take: Callable[[Path], bool]
    """True if it can be of this list, given that the user chose the kind."""
    rows: Callable[[Iterable[Path], Path, AccountSettings], Sequence[Mapping[str, Value]]]
    """Returns the rows of folders and files; paths in rows are relative to the given folder."""


class AccountCalls(NamedTuple):
    """The reads by which `feedtool account check` tries an account."""

    seller: Callable[[], Call]
    """A list of the seller; its entries may name channels."""
    channel: Callable[[str], Call]


class Service(NamedTuple):
    """The facts of an area about the service."""

    account_calls: AccountCalls | None = None
    known_codes: Callable[[], Sequence[str]] = tuple
    """Returns the service's result codes of rows."""
    explain: Callable[[str, Translator], str | None] = lambda _, __: None
    """Returns the page of a result code; None for an unknown code."""
    field_of: Callable[[str], str | None] = lambda _: None
    """Returns the column key of a refusal's code; None if the code concerns the whole row."""
    is_confirmation: Callable[[str], bool] = lambda _: False
    """True if a code only confirms the row."""


class Area(NamedTuple):
    name: str
    title: str
    """The subject as a heading: `Parcels from the warehouses`."""
    feeds: tuple[Feed, ...] = ()
    rules: tuple[Rule, ...] = ()
    """The rules of its rows and sheets, beside the rules of all sheets."""
    fixes: tuple[Fix, ...] = ()
    """The corrections of its cells, beside the corrections of all sheets."""
    exports: "Callable[[], Sequence[Export]]" = tuple
    """Returns the lists of the service that it exports into sheets."""
    conversions: tuple[RowConversion, ...] = ()
    """The conversions of its rows; a kind without a conversion stays unchanged."""
    formats: tuple[FileFormat, ...] = ()
    file_lists: tuple[FileList, ...] = ()
    guards: Callable[[], Mapping[str, Code]] = dict
    """Returns the codes, by name, of the guards by which its memory holds rows."""
    memory: "Callable[[], Memory] | None" = None
    """Returns the functions of an area that remembers accepted rows; only one area has it."""
    report_words: Callable[[str], Mapping[str, str]] = lambda _: {}
    """Returns the words of the service's reports in a language, each with its meaning; a value in
    it is `{}`."""
    service: Service | None = None
    """Only one area has it."""
    settings: tuple[type[Settings], ...] = ()
    """Its settings in a profile, which its code reads by `AccountSettings.of`."""
    statuses: tuple[RowStatus, ...] = ()
    """Its words for requests that were done, beside those of `Status`."""


class Areas(Struct, frozen=True, dict=True):
    """All loaded areas, which runs pass to the engines."""

    areas: tuple[Area, ...]

    @cached_property
    def feeds(self) -> Mapping[str, Feed]:
        feeds = {feed.kind: feed for area in self.areas for feed in area.feeds}
        return dict(sorted(feeds.items()))

    def feed_of(self, kind: str) -> Feed:
        """Return the feed of a kind; UsageProblem for an unknown kind."""
        if kind not in self.feeds:
            raise UsageProblem(
                tr("there is no kind of feed “{kind}”", kind=kind),
                tr("kinds: {kinds}", kinds=", ".join(self.feeds)),
            )
        return self.feeds[kind]

    @cached_property
    def exports(self) -> "Mapping[str, Export]":
        return {export.kind: export for area in self.areas for export in area.exports()}

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        rules = [rule for area in self.areas for rule in area.rules]
        return tuple(sorted(rules, key=lambda rule: rule.code.name))

    @cached_property
    def guards(self) -> Mapping[str, Code]:
        return {name: code for area in self.areas for name, code in area.guards().items()}

    @cached_property
    def memory(self) -> "Memory":
        """The memory of the area that has one, else one that remembers nothing."""
        from feedtool.feeds.memory import Memory  # not needed to check a file

        return next((area.memory() for area in self.areas if area.memory), Memory())

    @cached_property
    def fixes(self) -> tuple[Fix, ...]:
        return tuple(fix for area in self.areas for fix in area.fixes)

    @cached_property
    def service(self) -> Service:
        return next((area.service for area in self.areas if area.service), Service())

    @cached_property
    def settings(self) -> tuple[type[Settings], ...]:
        return tuple(kind for area in self.areas for kind in area.settings)

    @cached_property
    def statuses(self) -> tuple[RowStatus, ...]:
        return tuple(known for area in self.areas for known in area.statuses)

    def waits(self, settings: AccountSettings) -> "list[Wait]":
        return [wait for export in self.exports.values() for wait in export.waits(settings)]

    @cached_property
    def routes(self) -> Routes:
        return routes_of(self.feeds.values())

    def is_single(self, kind: str | None) -> bool:
        feed = self.feeds.get(kind or "")
        return feed is not None and isinstance(feed.travel.protocol, Direct)

    def is_personal(self, kinds: Iterable[str | None]) -> bool:
        feeds = map(self.feeds.get, {kind or "" for kind in kinds})
        return any(feed.requests.is_personal for feed in feeds if feed)

    @cached_property
    def templates(self) -> Mapping[str, Feed]:
        """The feeds with a template, by kind; others are actions of a sheet with a template."""
        return {
            kind: feed
            for kind, feed in self.feeds.items()
            if feed.template.title or feed.template.contents or len(self.family(feed)) == 1
        }

    def family(self, feed: Feed) -> Mapping[str, Feed]:
        """Return the feeds that share a feed's sheet, itself included, by kind."""
        return {
            kind: other for kind, other in self.feeds.items() if other.sheet.name == feed.sheet.name
        }

    @cached_property
    def conversions(self) -> Mapping[tuple[str, str], RowConversion]:
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
        formats = (form for area in self.areas for form in area.formats)
        return {output.ending: output for form in formats for output in form.outputs}

    def kinds_of(self, headers: Iterable[str], settings: AccountSettings) -> dict[str, str]:
        """Return headers that are keys of a kind with `is_named_elsewhere`, each with that kind."""
        keys = set(headers)
        return {
            column.key: kind
            for kind, feed in self.feeds.items()
            if keys and feed.recognition.is_named_elsewhere
            for column in feed.sheet.columns(settings)
            if column.key in keys
        }

    def format_of(self, path: Path) -> FileFormat | None:
        """Return the declared format of a file, None for a workbook or a CSV. Raises OSError."""
        formats = (item for area in self.areas for item in area.formats)
        return next((item for item in formats if item.recognises(path)), None)

    def file_list_of(self, path: Path, kind: str | None) -> FileList | None:
        """Return the list of a folder or a file, or None; OSError if it is unreadable."""
        lists = (item for area in self.areas for item in area.file_lists)
        for item in lists:
            if item.may_take(path) if item.kind == kind else kind is None and item.takes(path):
                return item
        return None
