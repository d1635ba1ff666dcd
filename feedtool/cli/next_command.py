"""The last line of a command on stderr: the next command, ready to be pasted into a shell."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from feedtool.areas.registry import load
from feedtool.cli.console import CONSOLE, echo
from feedtool.cli.files import STDIN
from feedtool.cli.options import SOURCES, chosen
from feedtool.model.errors import Exit
from feedtool.model.sheet import INVALID
from feedtool.model.text import MessageText, plural, tr
from feedtool.report.plain import clean, relative_name

if TYPE_CHECKING:
    from feedtool.report.sheet_result import SheetResult
    from feedtool.runs.deliver import Submission
    from feedtool.runs.history import RunState
    from feedtool.runs.run_record import RunOptions

Words = Mapping[str, Sequence[str]]
"""Name of a parameter → its option as typed."""

FIX = "--fix"
PLACES = frozenset({"config", "profiles", "home", "ledger", "store", "language"})
"""Options that a user who types them once needs for every command."""
TOKENS = frozenset({"profile", "insecure_http", "token_file", "token_url", "client_id"}) | {
    *("client_secret_file", "token_scope", "token_audience")
}
ACCOUNT = TOKENS | {"sandbox", "base_url", "seller", "channel"}
READING = frozenset({"kind", "sheet", "recipe", "default", "channel"})
SENDING = frozenset({"changed_only", "prefer_update", "all_or_nothing"})
CHOOSING = frozenset({"rows", "as_row", "release"})
"""Options about rows of the file itself, of no use for the workbook of rows to correct."""
PLAN_OPTIONS = READING | SENDING | CHOOSING | {"profile", "reason", "sandbox"}
"""Options that a plan contains; none of them decides where a token is sent."""
OF_DRY_RUNS = frozenset({"dry_run", "preview", "live", "save_plan", "requests", "report"})
SECRETS = frozenset({"token", "token_command", "client_secret", "client_secret_command"})
"""Options that are never shown: a command may contain a secret, too, not only print one."""


def typed(names: Iterable[str]) -> dict[str, list[str]]:
    """The options of these names that were typed for this command, ready to be typed again."""
    ctx, shown_names = click.get_current_context(), frozenset(names) - SECRETS
    words: dict[str, list[str]] = {}
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if not isinstance(parameter, click.Option):
            continue
        value = chosen(ctx).config.path if name == "config" else ctx.params.get(name)
        value = CONSOLE.language.asked if name == "language" else value
        is_typed = ctx.get_parameter_source(name) is SOURCES[0]
        if name in shown_names and is_typed and value is not None:
            words[name] = [*_option(parameter, value)]
    return words


def _option(parameter: click.Parameter, value: Any) -> Iterator[str]:
    word = max(parameter.opts, key=len)
    if isinstance(value, bool):
        yield word if value else parameter.secondary_opts[0]
        return
    for text in map(str, value if isinstance(value, tuple) else (value,)):
        yield from (f"{word}={text}",) if text.startswith("-") else (word, text)


def command(*words: object, options: Words | None = None) -> str:
    """A command line of feedtool, quoted for a shell."""
    shown = [*map(_shown, words), *(word for entry in (options or {}).values() for word in entry)]
    return " ".join(quote(word) for word in ("feedtool", *shown))


def _shown(word: object) -> str:
    """A word, or a file's path relative to here; `./` keeps a leading dash from being an option."""
    if not isinstance(word, Path):
        return str(word)
    text = relative_name(word)
    return f"./{text}" if text.startswith("-") else text


def echo_next(text: MessageText) -> None:
    """Write the line, with its command in backticks, unless a name in it cannot be typed."""
    if clean(text) == text:
        echo("next", text)


def after_check(files: Sequence[str], results: Sequence["SheetResult"], form: str) -> None:
    """After `validate`, name the command to correct invalid rows, or for a dry run."""
    if form != "text" or STDIN in files or any(result.checked.error for result in results):
        return
    options = typed({*PLACES, *READING, "profile"})
    copies = {result.checked.file: result.annotated for result in results if result.annotated}
    if not echo_to_correct(files, results, options):
        is_fixed = any(result.fixed and result.fixed.cells for result in results)
        names = [Path(copies.get(name, name)) if is_fixed else Path(name) for name in files]
        if any(result.counts().valid for result in results):
            echo_dry_run(names, options)


def echo_to_correct(
    files: Sequence[str], results: Sequence["SheetResult"], options: Words, verb: str = "validate"
) -> bool:
    """Name the command to correct the invalid rows; False if no row is invalid."""
    if not any(result.checked.rows.marks.count(INVALID) for result in results):
        return False
    copies = {result.checked.file: result.annotated for result in results if result.annotated}
    names = [Path(copies.get(name, name)) for name in files]
    if copies:
        line = command(verb, *names, options=options)
        echo_next(tr("correct the cells that are marked, then `{command}`", command=line))
    elif any(fixable.option == FIX for result in results for fixable in result.fixable):
        line = command("validate", *names, FIX, options=options)
        echo_next(tr("`{command}` fixes in a copy what it can", command=line))
    else:
        echo_annotate(names, options)
    return True


def after_plan(
    files: Sequence[str], results: Sequence["SheetResult"], plan: Path | None, *, has_account: bool
) -> None:
    """After a dry run, name the command to send its rows or its plan."""
    if STDIN in files or any(result.checked.error for result in results):
        return
    options = dict(all_typed())
    if not has_account:
        options["sandbox"] = ["--sandbox"]
    if not (count := sum(result.counts().valid for result in results)):
        if not echo_to_correct(files, results, typed({*PLACES, *READING, "profile"})):
            echo_release(results, options)
        return
    if plan:
        kept = {*PLAN_OPTIONS, "plan"}
        others = {name: words for name, words in options.items() if name not in kept}
        line = command("submit", "--plan", plan, options=others)
    else:
        line = command("submit", *map(Path, files), options=options)
    rows = plural("{count:,} row", "{count:,} rows", count)
    echo_next(tr("`{command}` sends {rows}", command=line, rows=rows))


def after_delivery(
    submission: "Submission", words: Words, code: int, form: str, run: int | str | None = None
) -> None:
    """After a run, or a part of one, name the next command.

    `words` are the options with which the run was begun.
    """
    results = submission.outcomes
    places, count = typed(PLACES), sum(result.to_correct for result in results)
    files = dict.fromkeys(result.failed for result in results if result.failed)
    run = run or next((result.run for result in results if result.run), None)
    if form != "text" or run is None:
        return
    if submission.stopped:
        line = command("resume", run, options={**typed(TOKENS), **places})
        echo_next(tr("`{command}` goes on with the run", command=line))
    elif code == Exit.PENDING:
        line = command("results", run, options={**typed(TOKENS), **places})
        echo_next(tr("`{command}` brings the answers", command=line))
    elif files:
        is_own = any((result.checked.recipe or {}).get("name") for result in results)
        unwanted = CHOOSING if is_own else CHOOSING | READING - {"channel"}
        kept = {name: entry for name, entry in words.items() if name not in unwanted}
        line = command("submit", *files, options={**kept, **places})
        text = plural(
            "{count:,} row to correct: correct it, then `{command}`",
            "{count:,} rows to correct: correct them, then `{command}`",
            count,
            command=line,
        )
        echo_next(text)
    elif count:
        line = command("results", run, "--failed-only", options=places)
        text = plural(
            "`{command}` writes {count:,} row to correct into a workbook",
            "`{command}` writes {count:,} rows to correct into a workbook",
            count,
            command=line,
        )
        echo_next(text)
    elif not echo_release(results, {**words, **places}):
        echo_status(run)


def echo_release(results: Sequence["SheetResult"], options: Words) -> bool:
    """Name the command to send the rows that guards hold; False without such rows."""
    held = Counter[str]()
    for result in results:
        if result.held is None:
            result.count_left()
        held += result.held or Counter()
    files = dict.fromkeys(Path(result.checked.file) for result in results if result.held)
    if not held or not all(file.exists() for file in files):
        return False
    line = release_command(files, held, options)
    text = plural(
        "if the row that a guard holds is right: `{command}`",
        "if the {count:,} rows that guards hold are right: `{command}`",
        held.total(),
        command=line,
    )
    echo_next(text)
    return True


def release_command(files: Iterable[Path], codes: Iterable[str], options: Words) -> str:
    """The command that sends files with these guards released, besides those released before."""
    released = dict.fromkeys(",".join([*options.get("release", ())[1:], *codes]).split(","))
    others = {name: entry for name, entry in options.items() if name not in {"release", "plan"}}
    return command("submit", *files, "--release", ",".join(released), options=others)


def after_blocked(results: Sequence["SheetResult"], form: str) -> None:
    """After a submission that sent nothing, name the command to correct or release its rows."""
    files = [*dict.fromkeys(result.checked.file for result in results)]
    if form == "text" and not any(result.checked.error for result in results):
        options = all_typed()
        if not echo_to_correct(files, results, options, "submit"):
            echo_release(results, options)


def after_listing(newest: "RunState | None", *, is_all_finished: bool) -> None:
    """After `runs`, name the command to resume unfinished runs, or to show the newest."""
    if newest is None:
        echo_demo()
    elif not is_all_finished:
        line = command("resume", options=typed(PLACES))
        echo_next(tr("`{command}` goes on with what is not finished", command=line))
    else:
        echo_status(newest.run.run_id)


def after_status(state: "RunState") -> None:
    """After `status`, name the command to resume the run, or to write its answers again."""
    run, places = state.run.run_id, typed(PLACES)
    if state.options.forgotten:
        return
    if state.is_finished:
        line = command("results", run, options=places)
        echo_next(tr("`{command}` writes the answers again", command=line))
    else:
        line = command("resume", run, options=places)
        echo_next(tr("`{command}` goes on with the run", command=line))


def all_typed() -> Words:
    """All options that were typed, except those of dry runs."""
    parameters = click.get_current_context().command.params
    return typed({parameter.name or "" for parameter in parameters} - OF_DRY_RUNS)


def after_config(*, has_account: bool) -> None:
    """After the settings, name the command to try the account, or to set one up."""
    if has_account:
        line = command("account", "check", options=typed(PLACES | ACCOUNT))
        echo_next(tr("`{command}` tries the account", command=line))
    else:
        line = command("init", options=typed({"language"}))
        echo_next(tr("`{command}` writes down an account", command=line))


def after_account_check(*, is_sandbox: bool) -> None:
    if is_sandbox:
        echo_demo()
        return
    usual = next(feed.kind for feed in load().feeds.values() if feed.recognition.is_usual)
    line = command("template", usual, options=typed({*PLACES, "profile"}))
    echo_next(tr("`{command}` makes a workbook to fill", command=line))


def after_diff(file: str, form: str, *, is_valid: bool) -> None:
    if form != "text" or file == STDIN or not Path(file).exists():
        return
    options = typed({*PLACES, *READING, "profile"})
    if is_valid:
        echo_dry_run([Path(file)], options)
    else:
        echo_annotate([Path(file)], options)


def echo_dry_run(files: Sequence[Path], options: Words) -> None:
    line = command("submit", *files, "--dry-run", options=options)
    echo_next(tr("`{command}` shows what would be sent", command=line))


def echo_annotate(files: Sequence[Path], options: Words) -> None:
    line = command("validate", *files, "--annotate", options=options)
    echo_next(tr("`{command}` marks the cells to correct in a copy", command=line))


def echo_demo() -> None:
    line = command("demo", options=typed({"home", "language"}))
    echo_next(tr("`{command}` sends a sample workbook to the sandbox", command=line))


def after_writing(file: Path, form: str = "text", kind: str = "") -> None:
    """After a file to be filled or edited was written, name the command to check it.

    The command names the kind of a CSV whose headers do not identify it.
    """
    if form == "text":
        feed = load().feeds.get(kind if file.suffix.lower() == ".csv" else "")
        family = load().family(feed).values() if feed else ()
        is_asked = family and all(
            other.recognition.only_if_asked and other.recognition.unmistakable is None
            for other in family
        )
        words = ("validate", file, *(("--as", kind) if is_asked else ()))
        line = command(*words, options=typed(PLACES | {"profile", "channel"}))
        echo_next(tr("when {file} is ready: `{command}`", file=file.name, command=line))


def echo_status(run: str | int) -> None:
    line = command("status", run, options=typed(PLACES))
    echo_next(tr("`{command}` shows the run", command=line))


def typed_for_corrections() -> Words:
    """The typed options of a submission that are needed again to send its corrected rows."""
    return typed(ACCOUNT | READING | SENDING | CHOOSING)


def words_of_run(options: "RunOptions") -> Words:
    """The typed options of a run; if none are recorded, those that select its account."""
    if options.words:
        return options.words
    if options.is_sandbox:
        return {"sandbox": ["--sandbox"]}
    return {"profile": ["--profile", options.profile]} if options.profile else {}
