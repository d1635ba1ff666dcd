"""A run as the ledger keeps it: enough to read its files again exactly as they were read.

So that what was answered can be written beside the rows at any time, from the snapshots of the
input and the ledger alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from feedtool.areas.offers.changes.selection import SelectionOptions
from feedtool.check import EVERY_ROW, Input, ReadOptions
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import AccountSettings
from feedtool.runs.annotated_copy import Outputs
from feedtool.runs.config import dialect_of

if TYPE_CHECKING:
    from feedtool.ledger import File

PLAIN = ("profile", "catalog", "checked", "removals", "who", "invalid", "plan")
"""Options that are kept as they are, under their own names; an older run lacks some."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a command was told, as the ledger keeps it with its run."""

    inputs: Sequence[tuple[str, str]]
    """Each file's name as it was given, and the SHA-256 of its snapshot."""
    asked: ReadOptions
    outputs: Outputs
    profile: str | None = None
    """The account's, where one was named."""
    is_sandbox: bool = False
    sheets: Sequence[tuple[str, str | None]] = ()
    """Those that are to be in the ledger, as (file's name, sheet's name)."""
    catalog: str | None = None
    """The SHA-256 of the snapshot of what its products were judged by; None where none were."""
    checked: str | None = None
    """The SHA-256 of what checking found (`kept_sheets`); None in a run older than this."""
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
    """When it was given up."""
    kinds: Sequence[tuple[str, str | None, str]] = ()
    """File's name, sheet's name and kind of what was read; none in a run older than this."""

    def as_json(self) -> dict[str, Any]:
        """As JSON has it."""
        asked = self.asked
        return {
            "inputs": [list(file) for file in self.inputs],
            "asked": {
                "kind": asked.kind,
                "sheet": asked.sheet,
                "channel": asked.channel,
                "purges": asked.purges,
                "as_rows": sorted(asked.as_rows),
            },
            "dialect": _table(asked.dialect, AccountSettings()),
            "targets": {name: str(path.absolute()) for name, path in self.outputs.targets.items()},
            "in_place": self.outputs.is_in_place,
            "only_whole": self.outputs.only_whole,
            "sandbox": self.is_sandbox,
            "sheets": [list(sheet) for sheet in self.sheets],
            "sifting": asdict(self.selection),
            "kinds": [list(sheet) for sheet in self.kinds],
            **{name: getattr(self, name) for name in PLAIN},
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "RunOptions":
        """From what `as_json` made. UsageProblem for a setting that no longer exists."""
        dialect = dialect_of(kept.get("dialect", {}), "the run's settings")
        targets = {name: Path(path) for name, path in kept.get("targets", {}).items()}
        given_up = kept.get("abandoned")  # by `Ledger.abandon`
        return cls(
            inputs=[(name, sha256) for name, sha256 in kept.get("inputs", [])],
            asked=_asked(dialect, kept.get("asked", {})),
            outputs=Outputs(
                targets,
                is_in_place=kept.get("in_place", False),
                only_whole=kept.get("only_whole", False),
            ),
            is_sandbox=kept.get("sandbox", False),
            sheets=[(name, sheet) for name, sheet in kept.get("sheets", [])],
            selection=_selection(kept.get("sifting", {})),
            abandoned=datetime.fromisoformat(given_up) if given_up else None,
            kinds=[(name, sheet, kind) for name, sheet, kind in kept.get("kinds", [])],
            **{name: kept[name] for name in PLAIN if name in kept},
        )

    def wanted(self) -> list[Path]:
        """Where a copy is to be: of each file that could be read."""
        readable = {name for name, _ in self.sheets}
        return [place for name, place in self.outputs.targets.items() if name in readable]

    def is_whole(self, files: "Iterable[File]") -> bool:
        """True if all that is to be sent is in the ledger, of which these are the run's files."""
        return self.abandoned is not None or {(file.path, file.sheet) for file in files}.issuperset(
            self.sheets
        )


def is_recordable(name: str) -> bool:
    """True if a name can be kept in a ledger: bytes that are no UTF-8 cannot."""
    return name == name.encode("utf-8", "replace").decode()


def refuse_names(inputs: Iterable[Input], outputs: Outputs) -> None:
    """Raises UsageProblem for files that no run can be recorded with, before there is a run."""
    targets = (str(target.absolute()) for target in outputs.targets.values())
    for name in (*(file.name for file in inputs), *targets):
        if not is_recordable(name):
            raise UsageProblem(
                f"{name} cannot be sent: its name is not UTF-8, and runs are recorded by name",
                "rename the file or its folder, and submit it again",
            )


def _asked(dialect: AccountSettings, found: Mapping[str, Any]) -> ReadOptions:
    """How files were read; a run that is older than `as_rows` has taken every row."""
    as_rows = tuple(found["as_rows"]) if "as_rows" in found else EVERY_ROW
    return ReadOptions(dialect, **{**found, "as_rows": as_rows})


def _selection(found: Mapping[str, Any]) -> SelectionOptions:
    return SelectionOptions(**{**found, "released": tuple(found.get("released", ()))})


def _table(settings: Any, default: Any) -> dict[str, Any]:
    """What differs from the default, as a profile would have it."""
    table = {}
    for setting in fields(settings):
        value, usual = getattr(settings, setting.name), getattr(default, setting.name)
        if value != usual:
            table[setting.name] = _plain(value, usual)
    return table


def _plain(value: Any, usual: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        return _table(value, usual)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Mapping):
        return dict(value)
    return "" if value is None else value
