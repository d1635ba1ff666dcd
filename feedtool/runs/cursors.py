"""Exports of what is new to a cursor: nothing comes twice, and missed items come later.

Items that the cursor had before are left out. The finished file is noted, takes its place, and is
settled: only then does the cursor move. So a crash at any moment loses nothing; and since nobody
has a file before it is placed, nothing comes twice.

A service shows some changes late. So a part of the last reading is read again each time; and from
time to time all of the last days, for items that were missed nevertheless.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.feeds.export import CHANNEL, Export, Filter, ListedItem, Query
from feedtool.ledger.cursors import Advance, Cursor, CursorName, Cursors, CursorState
from feedtool.ledger.lock import Held, hold
from feedtool.model.call import Reply
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.settings import Context, CursorSettings
from feedtool.model.text import Language, Translator, joined, plural, tr
from feedtool.report.as_json import Fields, write_lines, write_objects
from feedtool.report.file import Exported, Increment
from feedtool.report.plain import clean
from feedtool.runs.documents import digest
from feedtool.runs.export import Progress, export, remember_export, with_ledger
from feedtool.runs.workspace import Session, Workspace, fetch_context_of
from feedtool.service.answers import service_time
from feedtool.service.fetch import FetchContext
from feedtool.sheets.atomic_write import cannot_write

DEFAULT = "default"


def batch_name(kind: Export) -> str:
    """Return the default name of a file: each batch has another."""
    return f"{kind.kind}-{{date}}-{{batch}}.xlsx"


class CursorUse(NamedTuple):
    """The use of a cursor by an export."""

    name: str = DEFAULT
    is_changed: bool = False
    """True if an item comes again whenever it has changed."""
    is_peek: bool = False
    """True if nothing is noted: the same items come again."""


class _OpenCursor(Struct, frozen=True):
    """A cursor of a kind of export, and the ledger that holds it."""

    cursors: Cursors
    name: CursorName
    cursor: Cursor | None
    """None if it was never used."""


@contextmanager
def _open_cursor(
    kind: Export, name: str, session: Session, workspace: Workspace, *, is_peek: bool = False
) -> Iterator[_OpenCursor]:
    """Open the cursor of a name, which nobody else uses meanwhile."""
    cursors = Cursors(workspace.ledger.engine)
    cursor_name = CursorName(session.address, session.seller, kind.kind, name)
    with ExitStack() as stack:
        if not is_peek:
            held = (
                workspace.ledger.engine,
                f"{cursor_name.seller} {cursor_name.kind} {name}",
                cursor_name.service,
            )
            try:
                stack.enter_context(hold(*held, command="export", now=session.wall()))
            except Held as error:
                raise UsageProblem(
                    tr(
                        "The cursor “{cursor}” is in use by {holder}.",
                        cursor=name,
                        holder=error.holder or tr("another process"),
                    ),
                    tr("Wait until it is done, or use another --cursor."),
                ) from error
        yield _OpenCursor(cursors, cursor_name, cursors.find(cursor_name))


def export_new(
    kind: Export,
    query: Query,
    use: CursorUse,
    target: Path,
    session: Session,
    workspace: Workspace,
    context: FetchContext,
    *,
    on_progress: Callable[[str, int], None] = lambda _text, _count: None,
    tell: Callable[[str, str], None] = lambda _label, _text: None,
) -> Exported:
    """Export what is new to a cursor into a file; NothingToDo if nothing is.

    `target` may have `{date}`, `{time}`, `{batch}` and `{cursor}` in its name; no file is ever
    replaced. `tell` gets a label and a note, even if nothing is new.
    """
    bound = filters_of(kind, query, use)
    with _open_cursor(kind, use.name, session, workspace, is_peek=use.is_peek) as owner:
        if owner.cursor:
            _refuse_other_use(owner.cursor, bound, query)
        if not use.is_peek:
            for text in _settle_earlier(owner):
                tell("note", text)
        number = 0 if use.is_peek else owner.cursors.next_batch()
        target = fill_name(target, use.name, number, context.wall())
        _refuse_to_replace(target)
        scope = _scope(owner.cursor, query, session.now())
        reading = Reading(owner, use, bound, scope, target, session.now)
        try:
            exported = export(
                kind,
                replace(query, since=scope.since, has_cursor=True),
                target,
                session.client,
                context,
                service=session.address,
                on_progress=on_progress,
                pick=reading.pick,
                on_whole=reading.intend,
            )
        except NothingToDo as error:
            if not reading.has_begun:  # it ended before the list was read
                raise
            if not use.is_peek:
                owner.cursors.advance(owner.name, reading.advance, session.now())
            raise _nothing_new(use.name, scope.since) from error
        if reading.batch is not None:
            owner.cursors.settle(reading.batch, is_placed=True)
    return _with_notes(exported, kind, reading)


def rewind(
    kind: Export, name: str, when: datetime, session: Session, workspace: Workspace
) -> int | None:
    """Return how many items come again, of those since `when`; None if there is no such cursor."""
    with _open_cursor(kind, name, session, workspace) as owner:
        if owner.cursor is None:
            return None
        _settle_earlier(owner)
        return owner.cursors.rewind(owner.cursor.cursor, when)


def filters_of(kind: Export, query: Query, use: CursorUse) -> str:
    """Return the options that bind a cursor; UsageProblem for one that no cursor can have."""
    for name in kind.increments.refused if kind.increments else ():
        if query[name]:
            raise UsageProblem(
                tr("--{option} does not go with a cursor", option=name),
                tr("entries that it leaves out now would never come; leave the option out"),
            )
    narrowing = [entry for entry in kind.filters if entry.narrows and query[entry.name]]
    mode = "--changed" if use.is_changed else "--new"
    return " ".join((mode, *(_as_typed(entry, query[entry.name]) for entry in narrowing)))


def _as_typed(entry: Filter, value: Any) -> str:
    if entry.is_flag:
        return f"--{entry.name}"
    texts = sorted(map(str, value)) if entry.is_list else [str(value)]
    return f"--{entry.name} {','.join(texts)}"


def _refuse_other_use(cursor: Cursor, bound: str, query: Query) -> None:
    if cursor.filters != bound:
        raise UsageProblem(
            tr(
                "the cursor “{cursor}” is that of {filters}",
                cursor=cursor.name,
                filters=cursor.filters,
            ),
            tr("use another --cursor for {filters}", filters=bound),
        )
    if query.since:
        raise UsageProblem(
            tr("the cursor “{cursor}” has begun already", cursor=cursor.name),
            tr("leave --since out; --rewind goes back"),
        )


# The reading.


class _Scope(NamedTuple):
    """The part of a list that is read for a cursor."""

    since: datetime
    known: datetime | None = None
    """Items that changed before that should have come earlier; None if nobody checks."""
    reconciled_at: datetime | None = None
    """Now, if the last days are read completely."""


def _scope(cursor: Cursor | None, query: Query, now: datetime) -> _Scope:
    settings = query.settings.of(CursorSettings)
    last_days = now - timedelta(days=settings.reconcile_days)
    if cursor is None:
        return _Scope(query.since or last_days, reconciled_at=now)
    if cursor.position is None:
        return _Scope(cursor.since)
    since = max(cursor.since, cursor.position - timedelta(seconds=settings.cursor_overlap))
    days = (now.date() - cursor.reconciled_at.date()).days
    if not 0 < settings.reconcile_every <= days:
        return _Scope(since)
    return _Scope(min(since, max(last_days, cursor.since)), since, now)


class Reading(Struct):
    """One reading: the items that are new, and the next position of the cursor."""

    owner: _OpenCursor
    use: CursorUse
    filters: str
    scope: _Scope
    target: Path
    now: Callable[[], datetime]
    picked: dict[str, ListedItem] = field(default_factory=dict)
    """The things that come, by their keys, without their rows."""
    begun: datetime | None = None
    """The service's time at the first answer: later changes may be missing in it."""
    has_begun: bool = False
    batch: int | None = None
    """The number of the finished file, once it is noted."""

    def pick(self, things: Sequence[ListedItem], reply: Reply) -> Iterator[ListedItem]:
        """The things of an answer; those that are known, or that a filter leaves out, emptied."""
        if not self.has_begun:
            moment, self.has_begun = service_time(reply), True
            # A service's clock that is ahead would skip items.
            self.begun = moment and min(moment, self.now())
        cursor, keys = self.owner.cursor, [thing.key for thing in things]
        known = self.owner.cursors.known(cursor.cursor, keys) if cursor else {}
        for thing in things:
            is_same = not self.use.is_changed or known.get(thing.key) == thing.version
            if not thing.rows or (thing.key in known and is_same):
                self.picked.pop(thing.key, None)  # an earlier page had another version
                yield thing._replace(rows=())
            else:
                self.picked[thing.key] = thing._replace(rows=())
                yield thing

    def intend(self, place: Path) -> None:
        """Note the finished file, which is about to take its place."""
        _refuse_to_replace(self.target)  # another process may have been faster
        if not self.use.is_peek:
            self.batch = self.owner.cursors.intend(
                self.owner.name,
                self.advance,
                {key: thing.version for key, thing in self.picked.items()},
                target=str(self.target.absolute()),
                sha256=digest(place),
                now=self.now(),
            )

    @property
    def advance(self) -> Advance:
        return Advance(self.filters, self.scope.since, self.begun, self.scope.reconciled_at)

    @property
    def missed(self) -> int | None:
        """The number of items that earlier exports missed; None if that was not checked."""
        known = self.scope.known
        return (
            None if known is None else sum(item.changed_at < known for item in self.picked.values())
        )


# The file.


def fill_name(target: Path, cursor: str, batch: int, moment: datetime) -> Path:
    local, text = moment.astimezone(), str(target)
    words = {"date": f"{local:%Y-%m-%d}", "time": f"{local:%H%M%S}", "batch": batch}
    for word, value in {**words, "cursor": cursor}.items():
        text = text.replace(f"{{{word}}}", str(value))
    return Path(text)


def _refuse_to_replace(target: Path) -> None:
    if target.exists():
        raise UsageProblem(
            tr("{target} exists already", target=target),
            tr("an export with a cursor replaces no file: write --out 'NAME-{{batch}}.xlsx'"),
        )


def _settle_earlier(owner: _OpenCursor) -> list[str]:
    """Settle or drop the files of exports that were cut short, and return notes about them."""
    notes: list[str] = []
    for batch in owner.cursors.unsettled(owner.cursor.cursor) if owner.cursor else ():
        is_placed = False
        with suppress(OSError):
            is_placed = digest(Path(batch.target)) == batch.sha256
        owner.cursors.settle(batch.batch, is_placed=is_placed)
        if is_placed:
            notes.append(tr("{file} of the export before is whole, and counts", file=batch.target))
        else:
            notes.append(tr("the export before was cut short: all that it had comes again"))
    return notes


# The report.


def _nothing_new(cursor: str, since: datetime) -> NothingToDo:
    when = f"{since.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return NothingToDo(
        tr(
            "nothing is new for the cursor “{cursor}”, of all since {when}",
            cursor=cursor,
            when=when,
        ),
        tr("no file was written"),
    )


def _with_notes(exported: Exported, kind: Export, reading: Reading) -> Exported:
    notes: list[tuple[str, str, bool]] = []
    if reading.owner.cursor is None:
        when = f"{reading.scope.since.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        text = tr(
            "the cursor “{cursor}” is new: all since {when}", cursor=reading.use.name, when=when
        )
        notes.append((text, tr("--since goes back further"), False))
    if reading.missed and kind.increments:
        notes.append((kind.increments.missed(reading.missed), "", False))
    increment = Increment(reading.use.name, reading.batch, len(reading.picked), reading.missed)
    return replace(exported, notes=[*exported.notes, *notes], increment=increment)


# List the cursors of a kind of export, and how far each has come.


def write_cursors(states: Sequence[CursorState], out: TextIO, form: str, say: Translator) -> None:
    """Write a line for each cursor, or a list of objects, or events."""
    if form == "text":
        out.writelines(clean(say(_line(state))) + "\n" for state in states)
    elif form == "json":
        write_objects(map(_fields, states), out)
    else:
        write_lines(({"type": "cursor", **_fields(state)} for state in states), out)


def _line(state: CursorState) -> str:
    cursor = state.cursor
    position = f"{cursor.position:%Y-%m-%d %H:%M} UTC" if cursor.position else tr("nowhere yet")
    facts = (
        cursor.filters,
        tr("read up to {position}", position=position),
        plural("{count:,} batch", "{count:,} batches", state.batches),
        plural("{count:,} thing", "{count:,} things", state.things),
        tr("seller {seller}", seller=cursor.seller),
    )
    return joined((cursor.name, joined(facts)), "  ")


def _fields(state: CursorState) -> Fields:
    cursor = state.cursor
    return {
        "cursor": cursor.name,
        "kind": cursor.kind,
        "service": cursor.service,
        "seller": cursor.seller,
        "filters": cursor.filters,
        "since": _time(cursor.since),
        "position": cursor.position and _time(cursor.position),
        "reconciledAt": _time(cursor.reconciled_at),
        "batches": state.batches,
        "things": state.things,
    }


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")


# Requests of exports.


def query_of(
    kind: Export, filters: Mapping[str, Any], channel: str, language: Language, context: Context
) -> Query:
    """Return the query of the requested rows; the seller is set later.

    The filters are by their names: texts, the values that these mean, or true for a flag; absent or
    blank ones have their default. UsageProblem for a text without meaning.
    """
    values = {entry.name: value_of(entry, filters.get(entry.name)) for entry in kind.filters}
    return Query("", filters.get(CHANNEL) or channel, language, context, values=values)


def value_of(entry: Filter, value: Any) -> Any:
    """Return the value of a filter's text, blank for the default; a value is returned unchanged.

    UsageProblem for a text without meaning.
    """
    if entry.is_flag:
        return bool(value)
    value = value or entry.default
    if not isinstance(value, str):
        return value or () if entry.is_list else value
    if entry.is_list:
        parts = dict.fromkeys(part.strip() for part in value.split(",") if part.strip())
        if not parts:
            raise UsageProblem(
                tr("{option} names nothing", option=f"--{entry.name}"),
                tr("leave it out, or give a list"),
            )
        return tuple(_value(entry, part) for part in parts)
    return _value(entry, value)


def _value(entry: Filter, text: str) -> Any:
    """Return the value of a text; UsageProblem for an unknown word."""
    value = entry.read(text)
    if entry.choices and isinstance(value, str) and value not in entry.choices:
        raise UsageProblem(
            tr("there is no {option} “{value}”", option=entry.name, value=text),
            tr("choose among: {values}", values=", ".join(entry.choices)),
        )
    return value


def cursor_use(name: str, *, is_changed: bool = False, is_peek: bool = False) -> CursorUse:
    """Return the use of a cursor of this name; UsageProblem for an invalid name."""
    if not re.fullmatch(r"[\w.-]{1,64}", name):
        raise UsageProblem(
            tr("a cursor cannot be named “{name}”", name=name),
            tr("use letters, digits, dots, dashes and underscores"),
        )
    return CursorUse(name, is_changed, is_peek)


def target_of(kind: Export, use: CursorUse | None = None, folder: Path = Path()) -> Path:
    """Return the default file of an export in a folder.

    If there are further files beside it, it gets a folder, which is made.
    """
    if kind.documents:
        return index_in(folder / kind.kind, kind)
    if use is None:
        return folder / f"{kind.kind}{kind.endings[0]}"
    return folder / (
        f"{kind.kind}-peek-{{date}}-{{time}}.xlsx" if use.is_peek else batch_name(kind)
    )


def index_in(folder: Path, kind: Export) -> Path:
    """Return the list of the files, in their folder, which is made; CannotWrite if that fails."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    return folder / f"{kind.kind}.csv"


def needs_ledger(kind: Export, use: CursorUse | None = None) -> bool:
    return bool(kind.memory or kind.asks_ledger or use)


def bring(
    kind: Export,
    query: Query,
    target: Path,
    session: Session,
    workspace: Workspace | None = None,
    *,
    use: CursorUse | None = None,
    go_on: str = "",
    on_progress: Progress = lambda _text, _count: None,
    tell: Callable[[str, str], None] = lambda _label, _text: None,
) -> Exported:
    """Export all, or what is new to a cursor, into a file; NothingToDo if that is nothing.

    The workspace may be None if `needs_ledger` is false. `go_on` tells the user how to continue
    after a stop; `tell` gets labels and texts.
    """
    how = {
        "go_on": go_on,
        "forbidden_texts": kind.forbidden_texts,
        "on_unreachable": partial(tell, "warning"),
    }
    context = fetch_context_of(session, **how)
    is_csv = target.suffix.lower() == ".csv"
    query = replace(query, seller=session.seller, is_csv=is_csv)
    query = with_ledger(query, session, workspace)
    if use and workspace:
        whole = (kind, query, use, target, session, workspace, context)
        return export_new(*whole, on_progress=on_progress, tell=tell)
    with remember_export(kind, query, session, workspace, tell) as observed:
        return export(
            kind,
            query,
            target,
            session.client,
            context,
            service=session.address,
            on_progress=on_progress,
            observed=observed,
        )
