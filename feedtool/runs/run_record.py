"""The record of a run: its options with the ledger, and the results of its check beside its files.

So its answers can be written beside the rows at any time, without a second check.
"""

import gzip
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import asdict

from feedtool.areas.registry import load
from feedtool.check import EVERY_ROW, Input, ReadOptions
from feedtool.feeds.columns.text import Text
from feedtool.feeds.selection import ChosenRows, ReleasedGuard, SelectionOptions
from feedtool.model.cells import Column, Header
from feedtool.model.errors import Exit, FileProblem, UsageProblem
from feedtool.model.nouns import Item, Message, Problem, RowResult, Severity, Status
from feedtool.model.settings import AccountSettings, Locate, same_path
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
from feedtool.runs.profiles import all_settings, dialect_of
from feedtool.runs.row_notes import refused_rows

if TYPE_CHECKING:
    from feedtool.ledger import File

BATCH = 1000
PLAIN_FACTS = ("file", "sheet", "kind", "recipe", "labels", "is_kind_certain", "purges")
"""Facts of a sheet that are kept unchanged."""


def write_sheets(sheets: Sequence[CheckedSheet], path: Path) -> None:
    """Write the part of checked sheets that results need into a file."""
    with_items = len({sheet.kind for sheet in sheets}) > 1
    # Without time and name, so that equal sheets give equal files, kept once.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        for sheet in sheets:
            for line in _lines(sheet, with_items=with_items):
                file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def read_sheets(path: Path) -> list[CheckedSheet]:
    """Return the sheets that `write_sheets` has written; columns have only their keys."""
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
    feed = load().feeds.get(sheet.kind or "")
    for problem in sheet.problems():
        # The values of cells that may name people are left out.
        is_hidden = feed is not None and feed.requests.is_hidden(problem.field or "")
        facts = (problem._replace(value=None) if is_hidden else problem)[:-2]
        yield ["problem", *facts, kept_text(problem.message), kept_text(problem.hint)]
    yield from (["refused", *refused] for refused in refused_rows(sheet))
    for skipped in sheet.rows.skipped:
        row, reference, status, messages, channel = skipped
        kept = [
            (message.code, kept_text(message.text), message.field, message.severity)
            for message in messages
        ]
        yield ["skipped", row, reference, status, kept, channel]
    for item in sheet.valid_items() if with_items else ():
        yield ["item", *item[:5], item.number, item.further_rows]


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
    unchosen = facts.pop("unchosen", 0)  # missing in older runs
    rows = CheckedRows(RowStates(b64decode(marks)), problems_by_source=[ProblemSpool()])
    sheet = CheckedSheet(**facts, rows=rows, selected=SelectedRows(unchosen=unchosen))
    if header:
        header |= {
            "columns": {
                int(index): Column(key, Text(), ("", "", ""), ("", "", ""))
                for index, key in header["columns"].items()
            },
            "texts": {int(index): text for index, text in header["texts"].items()},
            "unknown": tuple(map(tuple, header["unknown"])),
            "own": frozenset(header["own"]),
            "labels": {int(index): text for index, text in header.get("labels", {}).items()},
            "origins": {
                int(index): tuple(sources) for index, sources in header.get("origins", {}).items()
            },
        }
        sheet.header = Header(**header)
    if error:
        code, message, hint, exit_code = error
        sheet.error = FileProblem(text_of_kept(message), text_of_kept(hint))
        sheet.error.code, sheet.error.exit = code, Exit(exit_code)
    return sheet


def _item(*kept: Any) -> Item:
    row, package_type, channel, reference, product, *rest = kept
    number, further_rows = rest or (0, ())  # missing in older runs
    plain = Item(row, package_type, channel, reference, product, b"")
    return plain._replace(number=number, further_rows=tuple(further_rows))


def _result(row: int, reference: str, status: str, kept: list[Any], *channel: str) -> RowResult:
    messages = [
        Message(code, text_of_kept(text), field, Severity(severity))
        for code, text, field, severity in kept
    ]
    return RowResult(row, reference, Status(status), tuple(messages), *channel)


TABLE_OPTIONS = ("inputs", "sheets", "kinds")
"""Options of several lines each; older runs lack some."""
PLAIN_OPTIONS = (
    *("profile", "catalog", "checked", "removals", "who", "invalid", "plan", "words", "files"),
)
"""Options that are kept unchanged, under their own names; older runs lack some."""
COPY_OPTIONS = {
    "in_place": "is_in_place",
    "only_whole": "only_whole",
    "plain": "is_plain",
    "no_failed": "no_failed",
}
"""Options about annotated copies, with their names in `Outputs`; older runs lack some."""


class RunSnapshots(Struct, frozen=True):
    """The files that a run was made of, by the SHA-256 of their snapshots."""

    inputs: Sequence[tuple[str, str]] = ()
    """Each file's name in the command, and its snapshot."""
    checked: str | None = None
    """The results of the check (`write_sheets`); None in older runs."""
    catalog: str | None = None
    """The part of the catalogue that judged its products; None without products."""
    recipes: Sequence[KeptRecipe] = ()
    """The recipes by which its files were read; none in older runs."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The files that its cells name, by path; see `kept_files`."""


class RunOptions(Struct, frozen=True):
    """The options of a command, as the ledger keeps them with its run."""

    reading: ReadOptions
    outputs: Outputs
    snapshots: RunSnapshots = RunSnapshots()
    profile: str | None = None
    """The account's name, if one was named."""
    is_sandbox: bool = False
    sheets: Sequence[tuple[str, str | None]] = ()
    """The sheets to send, as (file's name, sheet's name)."""
    removals: int | None = None
    """The confirmed number of removals of offers by a purge."""
    who: str = ""
    """The user who began it, `user@host`; empty in older runs."""
    invalid: int = 0
    """The number of rows that the checks refused."""
    selection: SelectionOptions = field(default_factory=SelectionOptions)
    plan: str | None = None
    """The digest of the plan that it sends, if any."""
    abandoned: datetime | None = None
    forgotten: datetime | None = None
    """The time of its forgetting; then only a few of these options are kept."""
    kinds: Sequence[tuple[str, str | None, str]] = ()
    """File's name, sheet's name and kind of each sheet that was read; none in older runs."""
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Options to type again with the rows to correct, by name; none in older runs."""

    def as_json(self) -> dict[str, Any]:
        reading, outputs = self.reading, self.outputs
        fields = {
            name: getattr(record, name)
            for record in (self, self.snapshots)
            for name in record.__struct_fields__
        }
        return {
            "asked": {
                **{name: getattr(reading, name) for name in ("kind", "channel", "purges")},
                "sheets": list(reading.sheets),
                "as_rows": sorted(reading.as_rows),
                "defaults": dict(reading.defaults),
            },
            "dialect": _non_defaults(
                all_settings(reading.dialect), all_settings(AccountSettings())
            ),
            "targets": {name: str(path.absolute()) for name, path in outputs.targets.items()},
            **{key: getattr(outputs, name) for key, name in COPY_OPTIONS.items()},
            "language": list(outputs.language),
            "sandbox": self.is_sandbox,
            "sifting": asdict(self.selection),
            "recipes": [recipe._asdict() for recipe in self.snapshots.recipes],
            **{name: list(map(list, fields[name])) for name in TABLE_OPTIONS},
            **{name: fields[name] for name in PLAIN_OPTIONS},
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "RunOptions":
        """Return the options of the JSON of `as_json`; UsageProblem for an unknown setting."""
        dialect = dialect_of(kept.get("dialect", {}), tr("the run's settings"))
        reading, selection = dict(kept.get("asked", {})), dict(kept.get("sifting", {}))
        # Runs without `as_rows` took every row.
        reading["as_rows"] = tuple(reading["as_rows"]) if "as_rows" in reading else EVERY_ROW
        only_sheet = reading.pop("sheet", None)  # older runs could name one sheet only
        reading["sheets"] = tuple(reading.get("sheets", [only_sheet] if only_sheet else ()))
        selection["released"] = tuple(map(_released, selection.get("released", ())))
        selection["rows"] = tuple(ChosenRows(*entry) for entry in selection.get("rows", ()))
        targets = {name: Path(path) for name, path in kept.get("targets", {}).items()}
        copy_options = {name: kept.get(key, False) for key, name in COPY_OPTIONS.items()}
        as_kept: dict[str, Any] = {name: kept[name] for name in PLAIN_OPTIONS if name in kept}
        as_kept |= {name: [tuple(line) for line in kept.get(name, ())] for name in TABLE_OPTIONS}
        names = RunSnapshots.__struct_fields__
        of_snapshots = {name: as_kept.pop(name) for name in names if name in as_kept}
        recipes = [KeptRecipe.from_json(line) for line in kept.get("recipes", ())]
        given_up, forgotten = kept.get("abandoned"), kept.get("forgotten")  # set by the ledger
        return cls(
            reading=ReadOptions(dialect, **reading),
            outputs=Outputs(
                targets, **copy_options, language=LanguageChoice(*kept.get("language", ()))
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
        """The guards that were released, each with the user who released it."""
        return [guard._replace(who=guard.who or self.who) for guard in self.selection.released]

    def copy_places(self) -> list[Path]:
        """Return the places of the copies of all readable files."""
        readable = {name for name, _ in self.sheets}
        return [place for name, place in self.outputs.targets.items() if name in readable]

    def is_whole(self, files: "Iterable[File]") -> bool:
        """True if all sheets to send are in the ledger; `files` are those of the run there."""
        return self.abandoned is not None or {(file.path, file.sheet) for file in files}.issuperset(
            self.sheets
        )


def _released(kept: str | Sequence[str]) -> ReleasedGuard:
    """Return a guard that was kept; older runs kept only its code."""
    return ReleasedGuard(kept) if isinstance(kept, str) else ReleasedGuard(*kept)


def is_recordable(name: str) -> bool:
    """True if a name can be kept in a ledger: it must be UTF-8."""
    return name == name.encode("utf-8", "replace").decode()


def refuse_names(inputs: Iterable[Input], outputs: Outputs) -> None:
    """Raise UsageProblem for files that cannot be recorded with a run, before it begins."""
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


def _non_defaults(settings: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that differ from the default, as in a profile."""
    table = {}
    for name, setting in settings.items():
        value = setting
        if value == default[name]:
            continue
        if isinstance(value, Struct):
            value = _non_defaults(asdict(value), asdict(default[name]))
        elif isinstance(value, tuple):
            value = list(value)
        elif isinstance(value, Decimal):
            value = float(value)
        elif isinstance(value, Mapping):
            value = dict(value)
        table[name] = "" if value is None else value
    return table


# The files that cells name, such as invoices.


NOWHERE = Path("nowhere", "nothing")
"""A place where no file is."""


class RecordedFiles(Struct):
    """The files of a command, each kept when it is read."""

    keep: Callable[[Path], str]
    """Keeps a file, and returns its SHA-256."""
    path_of: Callable[[str], Path]
    """Returns the kept file of a SHA-256."""
    kept: dict[str, str] = field(default_factory=dict)
    """SHA-256 by the path in the cell, not by the place where the file was read."""
    allowed: Locate = same_path
    """Returns the place that may be read for a path."""

    def __call__(self, path: Path) -> Path:
        """Return the copy of a file, or the place in the copy of a ZIP.

        For a file that cannot be read it is the original place.
        """
        place = self.allowed(path)
        pairs = zip((path, *path.parents), (place, *place.parents), strict=False)
        try:
            name, file = next((pair for pair in pairs if pair[1].is_file()), (path, None))
            if file and str(name) not in self.kept:
                self.kept[str(name)] = self.keep(file)
        except (FileProblem, OSError, ValueError):  # the reading reports it
            return place
        return kept_place(path, self.kept, self.path_of) if file else place


class KeptFiles(Struct):
    """The files of a run, unchanged since."""

    kept: Mapping[str, str]
    path_of: Callable[[str], Path]
    """Raises FileProblem if the file is gone."""

    def __call__(self, path: Path) -> Path:
        """Return the copy of a file, or the place in the copy of a ZIP; NOWHERE if it was not kept.

        So nothing is sent later that was missing, or forbidden, at the time of the run.
        """
        place = kept_place(path, self.kept, self.path_of)
        return NOWHERE if place == path else place


def kept_place(path: Path, kept: Mapping[str, str], path_of: Callable[[str], Path]) -> Path:
    file = next((item for item in (path, *path.parents) if str(item) in kept), None)
    return path_of(kept[str(file)]) / path.relative_to(file) if file else path
