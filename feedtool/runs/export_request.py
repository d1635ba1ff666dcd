"""Requests of exports: the query, from texts; the default file."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from feedtool.feeds.export import CHANNEL, Export, Filter, Query
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import Context
from feedtool.model.text import Language, tr
from feedtool.report.output_files import Exported
from feedtool.runs.cursors import CursorUse, batch_name, export_new
from feedtool.runs.export import Progress, export, remember_export, with_ledger
from feedtool.runs.workspace import Session, Workspace, fetch_context_of
from feedtool.sheets.atomic_write import cannot_write


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
        return tuple(_value(entry, part) for part in _parts(entry.name, value))
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


def _parts(name: str, text: str) -> tuple[str, ...]:
    """Return the entries of a comma list, each once."""
    parts = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not parts:
        raise UsageProblem(
            tr("{option} names nothing", option=f"--{name}"), tr("leave it out, or give a list")
        )
    return parts


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
    """True if an export reads or writes the ledger."""
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
    how = {"go_on": go_on, "closed": kind.closed, "on_unreachable": partial(tell, "warning")}
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
