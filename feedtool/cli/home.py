"""The folder of the user's state, with the ledger and the catalogue."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache as cache_results
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from feedtool.cli import options
from feedtool.cli.console import CATALOG, CONSOLE, LEDGER, echo, home_path
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.text import LANGUAGES, joined, tr

if TYPE_CHECKING:
    from feedtool.catalog import Catalog
    from feedtool.catalog.cache import Cache
    from feedtool.catalog.model import Origin
    from feedtool.runs.workspace import Workspace


def home_folder(home: Path | None) -> Path:
    """Make the state folder if need be, readable by the user alone, and return it."""
    folder, hint = home_path(home), tr("choose another one with --home")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = tr(
            "the state folder {folder} cannot be made: {why}", folder=folder, why=reason_of(error)
        )
        raise UsageProblem(reason, hint) from error
    if not os.access(folder, os.W_OK):
        raise UsageProblem(tr("the state folder {folder} cannot be written", folder=folder), hint)
    return folder


@contextmanager
def open_workspace(home: Path, records: options.Records) -> Iterator["Workspace"]:
    """Open the ledger and the snapshots, of the state folder or shared by machines."""
    from feedtool.ledger import Ledger
    from feedtool.ledger.snapshots import open_snapshots
    from feedtool.runs.workspace import Workspace

    snapshots = open_snapshots(home, records.store)
    snapshots.delete_expired(CONSOLE.clock.now().date())
    with Ledger(records.ledger or home / LEDGER) as opened:
        yield Workspace(opened, snapshots, home / "results")


@contextmanager
def local_catalog(ctx: click.Context) -> Iterator["Catalog"]:
    """Open the local catalogue of the options' service, and name its origin on stderr.

    UsageProblem without one.
    """
    from feedtool.catalog.cache import Cache

    options.refuse_two_services(ctx)
    service, language = _service(ctx), ctx.params["language"]
    is_language_chosen = ctx.get_parameter_source("language") is not ParameterSource.DEFAULT
    path = home_path(ctx.params["home"]) / CATALOG
    languages: set[str] = set()
    if path.is_file():
        with Cache(path) as cache:
            origins = _origins(ctx, cache, language)
            languages = {origin.language for origin in origins}
            catalog = cache.catalog(origins[0].service, origins[0].language) if origins else None
            if catalog and catalog.categories and (language in languages or not is_language_chosen):
                _echo_origin(catalog)
                yield catalog
                return
    lack = tr("there is no catalogue in {language} here", language=language)
    if service:
        lack = tr(
            "there is no catalogue of {service} in {language} here",
            service=service,
            language=language,
        )
    if languages:
        others = ", ".join(sorted(languages))
        lack = tr("{lack}; there is one in {languages}", lack=lack, languages=others)
    raise UsageProblem(
        lack, tr("download it with `{command}`", command=sync_command(service, language))
    )


def _echo_origin(catalog: "Catalog") -> None:
    from feedtool.catalog.report import describe_origin

    echo("catalogue", describe_origin(catalog.origin))


def _service(ctx: click.Context) -> str | None:
    """The address of the options' service; None if they name none."""
    if ctx.params.get("sandbox"):
        return options.SANDBOX
    address = ctx.params.get("base_url") or options.chosen(ctx).profile.account.get("base_url")
    return str(address) if address else None


def _origins(ctx: click.Context, cache: "Cache", *languages: str | None) -> "list[Origin]":
    """The catalogues of the options' service, or of all services, in the order of languages."""
    service = _service(ctx)
    ranks = {name: languages.index(name) for name in languages}
    origins = [origin for origin in cache.origins() if service in {None, origin.service}]
    return sorted(origins, key=lambda origin: ranks.get(origin.language, len(ranks)))


def other_languages(ctx: click.Context, catalog: "Catalog") -> str:
    """A hint: the language of a catalogue, and the commands for the other languages."""
    from feedtool.catalog.cache import Cache

    service = catalog.origin.service
    with Cache(home_path(ctx.params["home"]) / CATALOG) as cache:
        local = {origin.language for origin in cache.origins() if origin.service == service}
    ways = [
        tr("in {language}: --language {language}", language=language)
        if language in local
        else tr(
            "in {language}: `{command}`, then --language {language}",
            language=language,
            command=sync_command(service, language),
        )
        for language in LANGUAGES
        if language != catalog.language
    ]
    return tr(
        "the catalogue here is in {language}; {ways}",
        language=catalog.language,
        ways=joined(ways, "; "),
    )


def sync_command(service: str | None, language: str) -> str:
    sandbox = " --sandbox" if service == options.SANDBOX else ""
    is_usual = language == CONSOLE.say.language == "en"
    return f"feedtool catalog sync{sandbox}{'' if is_usual else f' --language {language}'}"


def catalog_opener(ctx: click.Context) -> Callable[[str | None], "Catalog | None"]:
    """Return a function that opens the catalogue for checks, in a language, at its first call.

    The catalogue is that of the service that the options or the profile name, else the one
    downloaded last; in the requested language, else that of `--language`, else any. The embedded
    sandbox's catalogue is downloaded if it is missing. Its origin and date are written to stderr.
    The cache stays open until the command ends.
    """
    open_cache = cache_results(partial(_open_cache, ctx))
    shown: list[Catalog] = []

    @cache_results
    def catalog_in(language: str | None) -> "Catalog | None":
        cache = open_cache()
        if cache is None:
            return None
        languages = [language, ctx.params.get("language")]
        if ctx.get_parameter_source("language") is ParameterSource.COMMANDLINE:
            languages.reverse()
        origins = _origins(ctx, cache, *languages)
        catalog = cache.catalog(origins[0].service, origins[0].language) if origins else None
        if catalog and catalog not in shown:
            shown.append(catalog)
            _echo_origin(catalog)
        return catalog

    return catalog_in


def _open_cache(ctx: click.Context) -> "Cache | None":
    home = home_path(ctx.params.get("home"))
    is_sandbox = bool(ctx.params.get("sandbox"))
    if not (is_sandbox or (home / CATALOG).is_file()):
        return None
    from feedtool.catalog.cache import Cache

    cache = Cache(home_folder(home) / CATALOG)
    ctx.call_on_close(cache.close)
    if is_sandbox and not any(
        origin.service == options.SANDBOX and origin.synced_at for origin in cache.origins()
    ):
        # As `catalog sync --sandbox` does, so that the sandbox can be tried without preparation.
        from feedtool.catalog.sync import sync
        from feedtool.cli.session import to_sandbox
        from feedtool.runs.workspace import fetch_context_of

        echo("catalogue", tr("the embedded sandbox's catalogue is downloaded; this is done once"))
        language = ctx.params["language"]
        with to_sandbox(None, language) as session:
            context = fetch_context_of(session)
            sync(session.client, cache, context, service=session.address, language=language)
    return cache
