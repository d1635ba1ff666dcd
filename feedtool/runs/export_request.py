"""An export as it is asked for: its query, from texts; its file, where none is named."""

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
from feedtool.runs.export import Progress, export, informed, remembered
from feedtool.runs.workspace import Session, Workspace, fetch_context_of
from feedtool.sheets.atomic_write import cannot_write


def query_of(
    kind: Export, filters: Mapping[str, Any], channel: str, language: Language, context: Context
) -> Query:
    """The rows that are asked for; those of a seller who is known later.

    The filters are by their names, as texts, as what these mean, or true where a flag is set; what
    is absent or blank is as by default. UsageProblem for a text that means nothing.
    """
    values = {entry.name: value_of(entry, filters.get(entry.name)) for entry in kind.filters}
    return Query("", filters.get(CHANNEL) or channel, language, context, values=values)


def value_of(entry: Filter, value: Any) -> Any:
    """The value of a filter's text, blank for the default, or what was made of one before.

    UsageProblem for a text that means nothing.
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
    """The value of a text; UsageProblem for a word that there is not."""
    value = entry.read(text)
    if entry.choices and isinstance(value, str) and value not in entry.choices:
        raise UsageProblem(
            tr("there is no {option} “{value}”", option=entry.name, value=text),
            tr("choose among: {values}", values=", ".join(entry.choices)),
        )
    return value


def _parts(name: str, text: str) -> tuple[str, ...]:
    """The entries of a comma list, each once."""
    parts = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not parts:
        raise UsageProblem(
            tr("{option} names nothing", option=f"--{name}"), tr("leave it out, or give a list")
        )
    return parts


def cursor_use(name: str, *, is_changed: bool = False, is_look: bool = False) -> CursorUse:
    """The use of a cursor of this name; UsageProblem for what is no name."""
    if not re.fullmatch(r"[\w.-]{1,64}", name):
        raise UsageProblem(
            tr("a cursor cannot be named “{name}”", name=name),
            tr("use letters, digits, dots, dashes and underscores"),
        )
    return CursorUse(name, is_changed, is_look)


def target_of(kind: Export, use: CursorUse | None = None, folder: Path = Path()) -> Path:
    """The file of an export where none is named: in a folder, or in one of its own, which is made.

    The latter where there are further files beside it.
    """
    if kind.documents:
        return index_in(folder / kind.kind, kind)
    if use is None:
        return folder / f"{kind.kind}{kind.endings[0]}"
    return folder / (
        f"{kind.kind}-peek-{{date}}-{{time}}.xlsx" if use.is_look else batch_name(kind)
    )


def index_in(folder: Path, kind: Export) -> Path:
    """The list of the files, in their folder, which is made; CannotWrite where it cannot be."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    return folder / f"{kind.kind}.csv"


def needs_ledger(kind: Export, use: CursorUse | None = None) -> bool:
    """True if the ledger is asked for an export, or is to remember it."""
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
    """The file of all that there is, or of what is new to a cursor; NothingToDo without anything.

    The workspace is left out where nothing `needs_ledger`. `go_on` says what to do where it is
    stopped; `tell` gets labels and texts.
    """
    how = {"go_on": go_on, "closed": kind.closed, "on_unreachable": partial(tell, "warning")}
    context = fetch_context_of(session, **how)
    is_csv = target.suffix.lower() == ".csv"
    query = replace(query, seller=session.seller, is_csv=is_csv)
    query = informed(query, session, workspace)
    if use and workspace:
        whole = (kind, query, use, target, session, workspace, context)
        return export_new(*whole, on_progress=on_progress, tell=tell)
    with remembered(kind, query, session, workspace, tell) as observed:
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
