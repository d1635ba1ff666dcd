"""A plan that is saved, and sent later: exactly that, or nothing (`--save-plan`, `--plan`).

A file of JSON lines, so that it can be read, searched and compared:

    conditions     on which it was made: inputs by their hash, account, settings, tool
    the recipes    by which the inputs were read, and the files that they join, unchanged
    a request      each row that would be sent, where it travels, and its exact body
    a sheet        after its rows, the result of its check
    the effects    the numbers, by the ledger of that moment
    the digest     SHA-256 of all lines above

The digest shows that a plan was edited, or is not whole. It does not show who made it: anybody who
can write the file can make a plan.
"""

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, takewhile, zip_longest
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import msgspec
from msgspec import Struct

from feedtool import __version__
from feedtool.areas.registry import load as load_areas
from feedtool.check import ReadOptions
from feedtool.delivery.plan import Plan
from feedtool.feeds.memory import Effects, OpenAccepted
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.sheet import INVALID, VALID
from feedtool.model.text import joined, option_name, tr
from feedtool.runs.kept_recipes import KeptRecipes, RecordedRecipes, read_recipe_lines, recipe_lines
from feedtool.runs.outputs import Outputs
from feedtool.runs.run_record import RunOptions
from feedtool.sheets.atomic_write import atomic_write

# The conditions on which a plan was made, and how they differ when it is sent.


Conditions = Mapping[str, Any]
"""The facts that must be the same when a plan is sent, as in its first line."""
CONDITIONS = frozenset(("tool", "inputs", "service", "seller", "profile", "sandbox", "settings"))
Hashes = Sequence[tuple[str, str | None]]
"""Each file's name, and the SHA-256 of its content; None if it cannot be read."""

ACCOUNT_NAMES = {
    "service": tr("the service"),
    "seller": tr("the seller"),
    "profile": tr("the profile"),
}
"""The fields that identify the account, with their names for people."""

TOOL = f"feedtool {__version__}"


class Account(NamedTuple):
    """The account of a plan; None in each field if it was made without one."""

    service: str | None = None
    seller: str | None = None
    profile: str | None = None
    is_sandbox: bool = False


def conditions_of(
    inputs: Hashes, reading: ReadOptions, account: Account, **options: str | bool | None
) -> Conditions:
    """Return the conditions of a command; `options`, by click's names, decide what is sent."""
    by_name = {
        "as": reading.kind,
        "sheet": ", ".join(reading.sheets),
        "channel": reading.channel,
        "purge-and-replace": reading.purges,
        "as-row": list(reading.as_rows),
        **{f"default {key}": value for key, value in reading.defaults.items()},
        **{name.replace("_", "-"): value for name, value in options.items()},
    }
    typed = {f"--{name}": value for name, value in by_name.items() if value}
    return {
        "tool": TOOL,
        "inputs": [{"file": name, "sha256": sha256} for name, sha256 in inputs],
        "service": account.service,
        "seller": account.seller,
        "profile": account.profile,
        "sandbox": account.is_sandbox,
        "settings": {**typed, **dict(_flat(RunOptions(reading, Outputs()).as_json()["dialect"]))},
    }


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def differences(planned: Conditions, now: Conditions) -> Iterator[str]:
    """Yield the reasons why a plan no longer fits: each former value, in a few words."""
    if planned["tool"] != now["tool"]:
        yield tr(
            "it was made by {planned}, and this is {now}", planned=planned["tool"], now=now["tool"]
        )
    yield from _other_inputs(planned["inputs"], now["inputs"])
    for word, name in ACCOUNT_NAMES.items():
        before, after = planned[word], now[word]
        if before is not None and before != after:  # a plan without account fits any
            yield tr("{name} was {shown}, and is {now}", name=name, shown=before, now=_shown(after))
    if planned["sandbox"] != now["sandbox"]:
        is_for = tr("it is for the sandbox")
        yield is_for if planned["sandbox"] else tr("it is not for the sandbox")
    for name in sorted({*planned["settings"], *now["settings"]}):
        before, after = planned["settings"].get(name), now["settings"].get(name)
        if before != after:
            yield tr(
                "{name} was {shown}, and is {now}",
                name=_setting_name(name),
                shown=_shown(before),
                now=_shown(after),
            )


def _other_inputs(planned: Sequence[Conditions], now: Sequence[Conditions]) -> Iterator[str]:
    if len(planned) != len(now):
        names = ", ".join(file["file"] for file in planned)
        yield tr("it is for {names}, and not for {count} files", names=names, count=len(now))
        return
    for then, file in zip(planned, now, strict=True):
        name, present_name = then["file"], file["file"]
        if file["sha256"] is None and then["sha256"] is not None:
            yield tr("{given} cannot be read", given=present_name)
        elif then["sha256"] != file["sha256"] and name == present_name == "-":
            yield tr("standard input holds something else")
        elif then["sha256"] != file["sha256"]:
            is_same = name == present_name
            yield (
                tr("the file {given} was changed", given=present_name)
                if is_same
                else tr("{given} is not {name} as it was", given=present_name, name=name)
            )


def _setting_name(name: str) -> str:
    """Return the name of a setting; an option keeps its argument: `--release price-factor`."""
    option, _, rest = name.partition(" ")
    if not option.startswith("--"):
        return name
    return joined((option_name(option), *filter(None, (rest,))), " ")


def _shown(value: object) -> str:
    if value is None or value is False:
        return tr("not set")
    return tr("set") if value is True else str(value)


FORMAT = 1
RECIPE_LINES = (b'{"recipes"', b'{"kept"')
OTHER_LINES = (*RECIPE_LINES, b'{"effects"', b'{"digest"')
"""The beginnings of lines that are about no row or sheet."""
AGAIN = tr("nothing was sent; make the plan again with --dry-run --save-plan")
CORRUPT = (
    *(ValueError, RecursionError, TypeError, KeyError, AttributeError, EOFError),
    *(gzip.BadGzipFile, zlib.error),
)
"""Errors of reading or unpacking a file that `save` has not written."""
LONGEST_HEAD = 1 << 20
"""The most bytes of the first line; a longer one is no plan."""


def save(
    place: Path,
    conditions: Conditions,
    plan: Plan,
    *,
    words: Mapping[str, Any],
    effects: Mapping[str, Any],
    now: datetime,
    recipes: RecordedRecipes | None = None,
) -> None:
    """Write a plan, whole or not at all; an earlier plan in its place is replaced.

    `words` are the typed options, which must be the same when it is sent. UsageProblem if another
    file is in the place, or writing fails.
    """
    if place.exists():
        try:
            with place.open("rb") as other:
                _head(other.readline(LONGEST_HEAD), place)
        except (OSError, UsageProblem) as error:
            raise UsageProblem(
                tr("{place} exists already, and is not a plan", place=place),
                tr("choose another name with --save-plan"),
            ) from error
    head = {
        "plan": FORMAT,
        "madeAt": now.isoformat(timespec="seconds"),
        **conditions,
        "words": words,
    }
    used = recipe_lines(recipes, plan.sheets) if recipes else ()
    lines = chain([_line(head)], map(_line, used), _contents(plan), [_line({"effects": effects})])
    digest = hashlib.sha256()
    is_private = load_areas().is_personal(sheet.kind for sheet in plan.sheets)
    opened = atomic_write(place, is_private=is_private)
    with opened as temporary, temporary.open("wb") as file:
        for line in lines:
            digest.update(line)
            file.write(line)
        file.write(_line({"digest": f"sha256:{digest.hexdigest()}"}))


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def _contents(plan: Plan) -> Iterator[bytes]:
    """Yield a line for each request that would be sent, and one for each sheet."""
    for sheet in plan.sheets:
        for package, upload in () if plan.blocked else plan.uploads(sheet):
            for item in upload.items:
                where = {
                    "row": item.row,
                    "package": package,
                    "upload": upload.number,
                    "packageType": item.package_type,
                    "salesChannelId": item.channel,
                }
                # The exact body: numbers that are parsed and written again might differ.
                yield _line(where)[:-2] + b', "request": ' + item.body + b"}\n"
        yield _line(
            {
                "sheet": sheet.sheet,
                "kind": sheet.kind,
                "rows": sheet.counts().rows,
                "valid": sheet.rows.marks.count(VALID),
                "invalid": sheet.rows.marks.count(INVALID),
                "error": sheet.error.code if sheet.error else None,
            }
        )


class PlannedInput(Struct):
    """A file of a plan."""

    file: str
    sha256: str | None


class PlanHead(Struct):
    """The first line of a plan."""

    words: dict[str, Any]
    tool: str
    inputs: list[PlannedInput]
    service: str | None
    seller: str | None
    profile: str | None
    sandbox: bool
    settings: dict[str, Any]


class SavedPlan(Struct, frozen=True):
    """A plan that was read, and is whole."""

    place: Path
    conditions: Conditions
    words: Mapping[str, Any]
    """The typed options, by click's names."""
    digest: str

    def recipes(self, folder: Path, names: Sequence[str]) -> KeptRecipes:
        """Return the recipes by which its files were read; their files are written into a folder.

        `names` are the present names of the files.
        """
        then = [file["file"] for file in self.conditions["inputs"]]
        with self.place.open("rb") as file:
            file.readline()
            used = map(json.loads, takewhile(lambda line: line.startswith(RECIPE_LINES), file))
            try:
                return read_recipe_lines(used, folder, dict(zip(then, names, strict=False)))
            except CORRUPT as error:
                raise _no_plan(self.place) from error

    def refuse_changes(self, plan: Plan) -> None:
        """Raise PlanUnfit unless exactly the planned requests would be sent."""
        with self.place.open("rb") as file:
            file.readline()
            planned = (line for line in file if not line.startswith(OTHER_LINES))
            for before, after in zip_longest(planned, _contents(plan)):
                if before != after:
                    raise PlanUnfit(
                        self.place,
                        tr(
                            "{where}, though the file is the same: the local catalogue or the "
                            "ledger has changed",
                            where=_where(before, after),
                        ),
                    )


class PlanUnfit(UsageProblem):
    """The plan differs from what would be sent; nothing is sent by it."""

    def __init__(self, place: Path, reason: str) -> None:
        super().__init__(
            tr("the plan {place} no longer fits: {reason}", place=place, reason=reason), AGAIN
        )
        self.reason = reason


def _where(before: bytes | None, after: bytes | None) -> str:
    then, now = map(planned_row, (before, after))
    row = min((line["row"] for line in (then, now) if "row" in line), default=None)
    if row is None:
        return tr("its rows are judged otherwise")
    if then.get("row") == now.get("row"):
        return tr("row {row} would be sent otherwise", row=row)
    if then.get("row") == row:
        return tr("row {row} would no longer be sent", row=row)
    return tr("row {row} would now be sent", row=row)


def planned_row(line: bytes | None) -> dict[str, Any]:
    """Return the fields of a row's line; empty for all other lines."""
    try:
        read = json.loads(line or b"{}")
    except CORRUPT:
        return {}
    is_row = isinstance(read, dict) and isinstance(read.get("row"), int)
    return read if is_row else {}


def load(place: Path) -> SavedPlan:
    """Load a plan that is whole; UsageProblem if it cannot be read, or was changed since."""
    digest = hashlib.sha256()
    try:
        with place.open("rb") as file:
            first = file.readline(LONGEST_HEAD)
            head = _head(first, place)
            digest.update(first)
            last = b""
            for line in file:
                digest.update(last)
                last = line
    except OSError as error:
        raise UsageProblem(
            tr("the plan {place} cannot be read: {why}", place=place, why=reason_of(error)),
            tr("name the file that --dry-run --save-plan has written"),
        ) from error
    result = f"sha256:{digest.hexdigest()}"
    if last.rstrip() != _line({"digest": result}).rstrip():
        raise UsageProblem(
            tr(
                "the plan {place} is not as it was saved: its digest does not fit its lines",
                place=place,
            ),
            AGAIN,
        )
    try:
        msgspec.convert(head, PlanHead)
    except msgspec.ValidationError as error:
        raise _no_plan(place) from error
    return SavedPlan(place, {name: head[name] for name in CONDITIONS}, head["words"], result)


def _head(line: bytes, place: Path) -> dict[str, Any]:
    try:
        head: dict[str, Any] = json.loads(line)
        form = head["plan"]
    except CORRUPT as error:
        raise _no_plan(place) from error
    if form != FORMAT:
        raise UsageProblem(
            tr(
                "the plan {place} is of another form, {form}: another version of feedtool wrote it",
                place=place,
                form=form,
            ),
            AGAIN,
        )
    return head


def _no_plan(place: Path) -> UsageProblem:
    return UsageProblem(
        tr("{place} is not a plan", place=place),
        tr("name the file that --dry-run --save-plan has written"),
    )


class _ShownPlan(Struct):
    """A plan that a command makes or follows; its effects are shown before it is sent."""

    conditions: Callable[[Hashes], Conditions]
    open_accepted: OpenAccepted
    show: Callable[[Mapping[str, Effects]], None]

    def show_effects(self, plan: Plan) -> Mapping[str, Effects]:
        uploads = (upload.items for sheet in plan.sent for _, upload in plan.uploads(sheet))
        self.show(effects := load_areas().memory.effects(uploads, self.open_accepted))
        return effects


class PlanWriter(_ShownPlan):
    """A plan to save."""

    place: Path
    hashes: Callable[[], Hashes]
    """Returns the hashes of the files at the time of the call."""
    words: Mapping[str, Any]
    now: datetime
    recipes: RecordedRecipes
    _inputs: Hashes = ()

    digest: ClassVar[None] = None
    """None, since nothing is sent by it."""

    def begin(self, inputs: Hashes) -> None:
        self._inputs = inputs

    def verify(self, plan: Plan) -> None:
        """Show the effects, and write the plan; UsageProblem if a file was changed since."""
        if self.hashes() != self._inputs:
            raise UsageProblem(
                tr("a file was changed while it was read"), tr("make the plan again")
            )
        effects = self.show_effects(plan)
        save(
            self.place,
            self.conditions(self._inputs),
            plan,
            words=self.words,
            effects={channel: effect.as_json() for channel, effect in effects.items()},
            now=self.now,
            recipes=self.recipes,
        )


class PlanVerifier(_ShownPlan):
    """A plan to send."""

    plan: SavedPlan

    @property
    def digest(self) -> str:
        return self.plan.digest

    def begin(self, inputs: Hashes) -> None:
        """Raise PlanUnfit unless files, account and settings are the same."""
        if others := [*differences(self.plan.conditions, self.conditions(inputs))]:
            raise PlanUnfit(self.plan.place, joined(others, "; "))

    def verify(self, plan: Plan) -> None:
        """Show the effects; PlanUnfit unless exactly the planned requests would be sent."""
        self.plan.refuse_changes(plan)
        self.show_effects(plan)


PlanFile = PlanWriter | PlanVerifier
