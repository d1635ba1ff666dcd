"""What a shell completes: kinds, codes, runs, profiles and categories.

A Tab changes nothing and waits for nothing: what cannot be read is not completed.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from feedtool.cli.errors import CONSOLE
from feedtool.model.errors import UsageProblem

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem[str]]]

Words = Iterable[tuple[str, str]]
"""Words to choose from, each with what it means."""

MOST = 50
"""Runs, profiles, or categories, that are shown at once."""
PATIENCE = 0.2
"""Seconds for which a locked database is waited for."""


def completer(
    words: Callable[[click.Context, str], Words], *, is_list: bool = False, is_file: bool = False
) -> "Complete":
    """Completes one of the words, or the last of a comma list of them; or a file's name."""

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


def _profiles(ctx: click.Context, start: str) -> Words:
    """Each with its address; only the files of those that are shown are read."""
    from feedtool.cli.options import chosen

    profiles = chosen(ctx).config.profiles
    for name in islice((name for name in profiles if name.startswith(start)), MOST):
        address = ""
        with suppress(UsageProblem):
            address = str(profiles[name].account.get("base_url", ""))
        yield name, address


_RUNS = """
    SELECT run_id, started_at, (SELECT path FROM files WHERE files.run_id = runs.run_id)
    FROM runs WHERE CAST(run_id AS TEXT) LIKE ? || '%' ORDER BY run_id DESC LIMIT ?"""


def _runs(ctx: click.Context, start: str) -> Iterator[tuple[str, str]]:
    """The runs of the state folder, the newest first, with their first file and their time."""
    from feedtool.cli.home import LEDGER
    from feedtool.report.plain import clean

    for run, at, file in _rows(ctx, LEDGER, _RUNS, start, MOST):
        yield str(run), clean(f"{file or ''} {at[:16].replace('T', ' ')}".strip())


_CATEGORIES = """
    SELECT reference, document FROM entries WHERE kind = 'Category' AND reference LIKE ? || '%'
    AND catalog = (
        SELECT catalog FROM catalogs WHERE synced_at NOT NULL
        ORDER BY language = ? DESC, synced_at DESC
    )
    ORDER BY length(reference), reference LIMIT ?"""


def _categories(ctx: click.Context, start: str) -> Iterator[tuple[str, str]]:
    """The categories of the catalogue that was brought last, those of high levels first."""
    from feedtool.cli.home import FILE
    from feedtool.report.plain import clean

    start = start.upper()
    language = CONSOLE.say.language
    for code, document in _rows(ctx, FILE, _CATEGORIES, start, language, MOST):
        yield code, clean(str(json.loads(document)[1]))


def _rows(ctx: click.Context, name: str, query: str, *values: object) -> list[Any]:
    """What a database of the state folder answers, as it is; it is never made nor changed."""
    import sqlite3  # no other command needs it at its start

    from feedtool.cli.home import home_path

    place = home_path(ctx.params.get("home")) / name
    address = f"{place.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, timeout=PATIENCE, uri=True)) as database:
        return database.execute(query, values).fetchall()


kinds, profiles = completer(_kinds), completer(_profiles)
codes = completer(_codes)
guards, fixes = completer(_guards, is_list=True), completer(_fixes, is_list=True)
runs, runs_and_files = completer(_runs), completer(_runs, is_file=True)
categories, category = completer(_categories, is_list=True), completer(_categories)
files = completer(lambda _, __: (), is_file=True)
