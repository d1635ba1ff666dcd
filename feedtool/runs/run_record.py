"""A run as it is kept: its options with the ledger, and what checking found beside its files.

So its answers can be written beside the rows at any time, without a second check.
"""

import gzip
import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import asdict

from feedtool.areas.offers.changes.selection import ChosenRows, ReleasedGuard, SelectionOptions
from feedtool.areas.registry import load
from feedtool.check import EVERY_ROW, Input, ReadOptions
from feedtool.feeds.columns.text import Text
from feedtool.model.errors import Exit, FileProblem, UsageProblem
from feedtool.model.header import Column, Header
from feedtool.model.nouns import Item, Message, Problem, RowResult, Severity, Status
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import (
    CheckedRows,
    CheckedSheet,
    ProblemSpool,
    RefusedRow,
    RowStates,
    SelectedRows,
)
from feedtool.model.text import LanguageChoice, kept_text, text_of_kept, tr
from feedtool.runs.kept_recipes import KeptRecipe
from feedtool.runs.outputs import Outputs
from feedtool.runs.profile import dialect_of
from feedtool.runs.row_notes import refused_rows

if TYPE_CHECKING:
    from feedtool.ledger import File


BATCH = 1000
PLAIN_FACTS = ("file", "sheet", "kind", "recipe", "labels", "is_kind_certain", "purges")
"""Facts of a sheet that are kept as they are."""


def write_sheets(sheets: Sequence[CheckedSheet], path: Path) -> None:
    """Writes what results need of checked sheets into a file."""
    with_items = len({sheet.kind for sheet in sheets}) > 1
    # Neither a time nor a name, so that the same sheets are kept once.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        for sheet in sheets:
            for line in _lines(sheet, with_items=with_items):
                file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def read_sheets(path: Path) -> list[CheckedSheet]:
    """The sheets that `write_sheets` has written, their columns known by their keys alone."""
    sheets: list[CheckedSheet] = []
    batch: list[Problem] = []

    def add_problems() -> None:
        if batch:
            sheets[-1].rows.problems_by_source[0].append_all(batch)
            batch.clear()

    with gzip.open(path, "rt", encoding="utf-8") as file:
        for text in file:
            kind, *fields = json.loads(text)
            if kind == "problem":
                fields[6] = Severity(fields[6])
                fields[-2:] = map(text_of_kept, fields[-2:])
                batch.append(Problem(*fields))
            elif kind == "refused":
                sheets[-1].rows.refused.append(RefusedRow(*fields))
            elif kind == "skipped":
                sheets[-1].rows.skipped.append(_result(*fields))
            elif kind == "item":
                sheets[-1].rows.items.append(_item(*fields))
            else:
                add_problems()
                sheets.append(_sheet(*fields))
            if len(batch) == BATCH:
                add_problems()
    add_problems()
    return sheets


def _lines(sheet: CheckedSheet, *, with_items: bool) -> Iterator[list[Any]]:
    yield ["sheet", _facts(sheet)]
    for problem in _impersonal(sheet):
        yield ["problem", *problem[:-2], kept_text(problem.message), kept_text(problem.hint)]
    yield from (["refused", *refused] for refused in refused_rows(sheet))
    for skipped in sheet.rows.skipped:
        row, reference, status, messages, channel = skipped
        kept = [(of.code, kept_text(of.text), of.field, of.severity) for of in messages]
        yield ["skipped", row, reference, status, kept, channel]
    for item in sheet.valid_items() if with_items else ():
        yield ["item", *item[:5], item.number, item.further_rows]


def _impersonal(sheet: CheckedSheet) -> Iterator[Problem]:
    """The problems of a sheet, without the values of cells that may name people."""
    feed = load().feeds.get(sheet.kind or "")
    for problem in sheet.problems():
        is_hidden = feed is not None and feed.requests.is_hidden(problem.field or "")
        yield problem._replace(value=None) if is_hidden else problem


def _facts(sheet: CheckedSheet) -> dict[str, Any]:
    header, error = sheet.header, sheet.error
    return {
        **{name: getattr(sheet, name) for name in PLAIN_FACTS},
        "unchosen": sheet.selected.unchosen,
        "marks": b64encode(bytes(sheet.rows.marks)).decode(),
        "kind_reason": kept_text(sheet.kind_reason),
        "error": error
        and [error.code, kept_text(error.message), kept_text(error.hint), int(error.exit)],
        "header": header
        and {
            **{name: getattr(header, name) for name in ("row", "after", "unknown", "headings")},
            "columns": {index: column.key for index, column in header.columns.items()},
            "texts": dict(header.texts),
            "labels": dict(header.labels),
            "own": sorted(header.own),
            "stamp": dict(header.stamp),
            "origins": dict(header.origins),
        },
    }


def _sheet(facts: dict[str, Any]) -> CheckedSheet:
    header, error, marks = (facts.pop(name) for name in ("header", "error", "marks"))
    facts["kind_reason"] = text_of_kept(facts["kind_reason"])
    unchosen = facts.pop("unchosen", 0)  # a run may be older than this
    rows = CheckedRows(RowStates(b64decode(marks)), problems_by_source=[ProblemSpool()])
    sheet = CheckedSheet(**facts, rows=rows, selected=SelectedRows(unchosen=unchosen))
    if header:
        columns = {
            int(index): Column(key, Text(), ("", "", ""), ("", "", ""))
            for index, key in header["columns"].items()
        }
        texts = {int(index): text for index, text in header["texts"].items()}
        unknown, own = tuple(map(tuple, header["unknown"])), frozenset(header["own"])
        origins = {int(at): tuple(of) for at, of in header.get("origins", {}).items()}
        labels = {int(index): text for index, text in header.get("labels", {}).items()}
        header |= {"columns": columns, "texts": texts, "unknown": unknown, "own": own}
        header["labels"] = labels
        header["origins"] = origins
        sheet.header = Header(**header)
    if error:
        code, message, hint, exit_code = error
        sheet.error = FileProblem(text_of_kept(message), text_of_kept(hint))
        sheet.error.code, sheet.error.exit = code, Exit(exit_code)
    return sheet


def _item(*kept: Any) -> Item:
    row, package_type, channel, reference, product, *rest = kept
    number, further_rows = rest or (0, ())  # a run may be older than these
    plain = Item(row, package_type, channel, reference, product, b"")
    return plain._replace(number=number, further_rows=tuple(further_rows))


def _result(row: int, reference: str, status: str, kept: list[Any], *channel: str) -> RowResult:
    messages = [
        Message(code, text_of_kept(text), field, Severity(of)) for code, text, field, of in kept
    ]
    return RowResult(row, reference, Status(status), tuple(messages), *channel)


TABLES = ("inputs", "sheets", "kinds")
"""Options of several lines each; an older run lacks some."""
PLAIN = (
    *("profile", "catalog", "checked", "removals", "who", "invalid", "plan", "words", "files"),
)
"""Options that are kept as they are, under their own names; an older run lacks some."""
OF_COPIES = {
    "in_place": "is_in_place",
    "only_whole": "only_whole",
    "plain": "is_plain",
    "no_failed": "no_failed",
}
"""Options about annotated copies, with their names in `Outputs`; an older run lacks some."""


class RunSnapshots(Struct, frozen=True):
    """Files that a run was made of, by the SHA-256 of their snapshots."""

    inputs: Sequence[tuple[str, str]] = ()
    """Each file's name as it was given, and its snapshot."""
    checked: str | None = None
    """The results of checking (`write_sheets`); None in a run older than this."""
    catalog: str | None = None
    """The part of the catalogue that its products were judged by; None without products."""
    recipes: Sequence[KeptRecipe] = ()
    """The recipes by which its files were read; none in a run older than this."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The files that its cells name, by path; see `kept_files`."""


class RunOptions(Struct, frozen=True):
    """What a command was told, as the ledger keeps it with its run."""

    asked: ReadOptions
    outputs: Outputs
    snapshots: RunSnapshots = RunSnapshots()
    profile: str | None = None
    """The account's, where one was named."""
    is_sandbox: bool = False
    sheets: Sequence[tuple[str, str | None]] = ()
    """Those that are to be in the ledger, as (file's name, sheet's name)."""
    removals: int | None = None
    """Of a purge, how many removals of offers were confirmed."""
    who: str = ""
    """Who began it: `user@host`; empty in a run that is older than this."""
    invalid: int = 0
    """How many rows the checks refused."""
    selection: SelectionOptions = field(default_factory=SelectionOptions)
    plan: str | None = None
    """The digest of the plan that it sends, where it sends one."""
    abandoned: datetime | None = None
    forgotten: datetime | None = None
    """When it was forgotten; only a few of these options are kept then."""
    kinds: Sequence[tuple[str, str | None, str]] = ()
    """File's name, sheet's name and kind of what was read; none in a run older than this."""
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Options to be typed again with the rows to correct, by name; none in a run older than this.
    """

    def as_json(self) -> dict[str, Any]:
        """As JSON has it."""
        asked, outputs = self.asked, self.outputs
        fields = {
            name: getattr(record, name)
            for record in (self, self.snapshots)
            for name in record.__struct_fields__
        }
        return {
            "asked": {
                **{name: getattr(asked, name) for name in ("kind", "channel", "purges")},
                "sheets": list(asked.sheets),
                "as_rows": sorted(asked.as_rows),
                "defaults": dict(asked.defaults),
            },
            "dialect": _changed(asked.dialect, AccountSettings()),
            "targets": {name: str(path.absolute()) for name, path in outputs.targets.items()},
            **{key: getattr(outputs, name) for key, name in OF_COPIES.items()},
            "language": list(outputs.language),
            "sandbox": self.is_sandbox,
            "sifting": asdict(self.selection),
            "recipes": [recipe._asdict() for recipe in self.snapshots.recipes],
            **{name: list(map(list, fields[name])) for name in TABLES},
            **{name: fields[name] for name in PLAIN},
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "RunOptions":
        """From what `as_json` made. UsageProblem for a setting that no longer exists."""
        dialect = dialect_of(kept.get("dialect", {}), tr("the run's settings"))
        asked, selection = dict(kept.get("asked", {})), dict(kept.get("sifting", {}))
        # A run that is older than `as_rows` has taken every row.
        asked["as_rows"] = tuple(asked["as_rows"]) if "as_rows" in asked else EVERY_ROW
        named = asked.pop("sheet", None)  # of a run that is older than several
        asked["sheets"] = tuple(asked.get("sheets", [named] if named else ()))
        selection["released"] = tuple(map(_released, selection.get("released", ())))
        selection["rows"] = tuple(ChosenRows(*entry) for entry in selection.get("rows", ()))
        targets = {name: Path(path) for name, path in kept.get("targets", {}).items()}
        of_copies = {name: kept.get(key, False) for key, name in OF_COPIES.items()}
        as_kept: dict[str, Any] = {name: kept[name] for name in PLAIN if name in kept}
        as_kept |= {name: [tuple(line) for line in kept.get(name, ())] for name in TABLES}
        names = RunSnapshots.__struct_fields__
        of_snapshots = {name: as_kept.pop(name) for name in names if name in as_kept}
        recipes = [KeptRecipe.from_json(line) for line in kept.get("recipes", ())]
        given_up, forgotten = kept.get("abandoned"), kept.get("forgotten")  # by the ledger itself
        return cls(
            asked=ReadOptions(dialect, **asked),
            outputs=Outputs(
                targets, **of_copies, language=LanguageChoice(*kept.get("language", ()))
            ),
            is_sandbox=kept.get("sandbox", False),
            selection=SelectionOptions(**selection),
            abandoned=datetime.fromisoformat(given_up) if given_up else None,
            forgotten=datetime.fromisoformat(forgotten) if forgotten else None,
            snapshots=RunSnapshots(recipes=recipes, **of_snapshots),
            **as_kept,
        )

    @property
    def released(self) -> list[ReleasedGuard]:
        """The guards that were released, each with whoever has done it."""
        return [guard._replace(who=guard.who or self.who) for guard in self.selection.released]

    def wanted(self) -> list[Path]:
        """Where a copy is to be: of each file that could be read."""
        readable = {name for name, _ in self.sheets}
        return [place for name, place in self.outputs.targets.items() if name in readable]

    def is_whole(self, files: "Iterable[File]") -> bool:
        """True if all that is to be sent is in the ledger, of which these are the run's files."""
        return self.abandoned is not None or {(file.path, file.sheet) for file in files}.issuperset(
            self.sheets
        )


def _released(kept: str | Sequence[str]) -> ReleasedGuard:
    """A guard as it is kept; a run that is older than reasons has its code alone."""
    return ReleasedGuard(kept) if isinstance(kept, str) else ReleasedGuard(*kept)


def is_recordable(name: str) -> bool:
    """True if a name can be kept in a ledger: bytes that are no UTF-8 cannot."""
    return name == name.encode("utf-8", "replace").decode()


def refuse_names(inputs: Iterable[Input], outputs: Outputs) -> None:
    """Raises UsageProblem for files that no run can be recorded with, before there is a run."""
    targets = (str(target.absolute()) for target in outputs.targets.values())
    for name in (*(file.name for file in inputs), *targets):
        if not is_recordable(name):
            raise UsageProblem(
                tr(
                    "{name} cannot be sent: its name is not UTF-8, and runs are recorded by name",
                    name=name,
                ),
                tr("rename the file or its folder, and submit it again"),
            )


def _changed(settings: Any, default: Any) -> dict[str, Any]:
    """What differs from the default, as a profile would have it."""
    table = {}
    for name in settings.__struct_fields__:
        value, usual = getattr(settings, name), getattr(default, name)
        if value == usual:
            continue
        if isinstance(value, Struct):
            value = _changed(value, usual)
        elif isinstance(value, tuple):
            value = list(value)
        elif isinstance(value, Decimal):
            value = float(value)
        elif isinstance(value, Mapping):
            value = dict(value)
        table[name] = "" if value is None else value
    return table
