"""Shell completion of kinds, codes, runs, profiles and categories.

Completion writes nothing and hardly waits: names that cannot be read are left out.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli.console import CATALOG, CONSOLE, LEDGER, home_path
from feedtool.report.plain import clean

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem[str]]]

Words = Iterable[tuple[str, str]]
"""Words to choose from, each with its meaning."""

MOST = 50
"""The most runs, profiles or categories that are shown at once."""
LOCK_WAIT = 0.2
"""The longest wait for a locked database, in seconds."""


def completer(
    words: Callable[[click.Context, str], Words], *, is_list: bool = False, is_file: bool = False
) -> "Complete":
    """A completer of one of the words, or of the last in a comma list of them; or of a file."""

    def complete(
        ctx: click.Context, parameter: click.Parameter, incomplete: str
    ) -> "list[CompletionItem[str]]":
        del parameter
        from click.shell_completion import CompletionItem

        head, comma, last = incomplete.rpartition(",") if is_list else ("", "", incomplete)
        items = [CompletionItem(incomplete, type="file")] if is_file else []
        with suppress(Exception):
            items += [
                CompletionItem(f"{head}{comma}{word}", help=CONSOLE.say(meaning))
                for word, meaning in words(ctx, last)
                if word.startswith(last)
            ]
        return items

    return complete


def _kinds(ctx: click.Context, start: str) -> Words:
    del ctx, start
    from feedtool.areas.registry import load

    return ((feed.kind, feed.summary) for feed in load().feeds.values())


def _codes(ctx: click.Context, start: str) -> Iterator[tuple[str, str]]:
    del ctx, start
    from feedtool.runs.codes import all_codes

    codes = all_codes(CONSOLE.say.language)
    yield from ((name, codes.summary_of(name)) for name in codes.pages)
    yield from ((name, word.page.splitlines()[0]) for name, word in codes.words.items())


def _guards(ctx: click.Context, start: str) -> Words:
    del ctx, start
    from feedtool.runs.codes import all_codes, guards

    codes = all_codes(CONSOLE.say.language)
    return ((name, codes.summary_of(name)) for name in guards())


def _fixes(ctx: click.Context, start: str) -> Words:
    del ctx, start
    from feedtool.areas.registry import load
    from feedtool.check.fixes import all_fixes

    return ((fix.name, CONSOLE.say(fix.summary)) for fix in all_fixes(load()))


_RUNS = """
    SELECT run_id, started_at, (SELECT path FROM files WHERE files.run_id = runs.run_id)
    FROM runs WHERE CAST(run_id AS TEXT) LIKE ? || '%' ORDER BY run_id DESC LIMIT ?"""


def _runs(ctx: click.Context, start: str) -> Iterator[tuple[str, str]]:
    """The runs of the state folder, the newest first, with their first file and their time."""
    for run, started, file in _rows(ctx, LEDGER, _RUNS, start, MOST):
        yield str(run), clean(f"{file or ''} {started[:16].replace('T', ' ')}".strip())


_CATEGORIES = """
    SELECT reference, document FROM entries WHERE kind = 'Category' AND reference LIKE ? || '%'
    AND catalog = (
        SELECT catalog FROM catalogs WHERE synced_at NOT NULL
        ORDER BY language = ? DESC, synced_at DESC
    )
    ORDER BY length(reference), reference LIMIT ?"""


def _categories(ctx: click.Context, start: str) -> Iterator[tuple[str, str]]:
    """The categories of the catalogue that was downloaded last, those of high levels first."""
    language = CONSOLE.say.language
    for code, document in _rows(ctx, CATALOG, _CATEGORIES, start.upper(), language, MOST):
        yield code, clean(str(json.loads(document)[1]))


def _rows(ctx: click.Context, name: str, query: str, *values: object) -> list[Any]:
    """The rows of a query to a database of the state folder, opened read-only."""
    import sqlite3  # no other command needs it at its start

    path = home_path(ctx.params.get("home")) / name
    address = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, timeout=LOCK_WAIT, uri=True)) as database:
        return database.execute(query, values).fetchall()


kinds, codes = completer(_kinds), completer(_codes)
guards, fixes = completer(_guards, is_list=True), completer(_fixes, is_list=True)
runs, runs_and_files = completer(_runs), completer(_runs, is_file=True)
categories, category = completer(_categories, is_list=True), completer(_categories)
files = completer(lambda _, __: (), is_file=True)
