"""The catalogue that the options of a command mean, from the local cache."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from feedtool.cli import options
from feedtool.cli.errors import echo
from feedtool.cli.home import home_folder, home_path
from feedtool.feeds.feed import LANGUAGES
from feedtool.model.errors import UsageProblem

if TYPE_CHECKING:
    from feedtool.areas.products.catalog import Catalog
    from feedtool.areas.products.catalog.cache import Cache

from_sandbox = options.flag("--sandbox", "The embedded sandbox's catalogue.")
base_url = options.text("--base-url", "URL", "Whose catalogue.  [default: the one brought last]")


@contextmanager
def looking(ctx: click.Context, given: dict[str, Any]) -> Iterator["Catalog"]:
    """The catalogue that the options mean; which one, and of when, is said on stderr."""
    from feedtool.areas.products.catalog.cache import FILE, Cache
    from feedtool.areas.products.catalog.report import describe_origin

    options.refuse_two_services(ctx, given)
    path = home_path(given["home"]) / FILE
    if not path.is_file():
        raise _not_brought(given)
    with Cache(path) as cache:
        found = _meant(ctx, cache, given)
        echo("catalogue", describe_origin(found.origin))
        yield found


def _meant(ctx: click.Context, cache: "Cache", given: dict[str, Any]) -> "Catalog":
    service = _service(given)
    known = [origin for origin in cache.origins() if service in {None, origin.service}]
    asked = [origin for origin in known if origin.language == given["language"]]
    if not asked and ctx.get_parameter_source("language") is ParameterSource.DEFAULT:
        asked = known  # nobody has asked for that language
    found = cache.catalog(asked[0].service, asked[0].language) if asked else None
    if found is None or not found.categories:
        raise _not_brought(given, {origin.language for origin in known})
    return found


def _service(given: dict[str, Any]) -> str | None:
    return options.SANDBOX if given["sandbox"] else given["base_url"]


def _not_brought(given: dict[str, Any], others: Collection[str] = ()) -> UsageProblem:
    service = _service(given)
    of = f" of {service}" if service else ""
    there = f"; there is one in {', '.join(sorted(others))}" if others else ""
    return UsageProblem(
        f"there is no catalogue{of} in {given['language']} here{there}",
        f"bring it with `{sync_command(service, given['language'])}`",
    )


def elsewhere(known: "Catalog", given: dict[str, Any]) -> str:
    """In which language a catalogue is, and how to look in another one."""
    from feedtool.areas.products.catalog.cache import FILE, Cache

    service = known.origin.service
    with Cache(home_path(given["home"]) / FILE) as cache:
        here = {origin.language for origin in cache.origins() if origin.service == service}
    ways = [
        f"in {language}: "
        + ("" if language in here else f"`{sync_command(service, language)}`, then ")
        + f"--language {language}"
        for language in LANGUAGES
        if language != known.language
    ]
    return f"the catalogue here is in {known.language}; {'; '.join(ways)}"


def sync_command(service: str | None, language: str) -> str:
    """The command that brings a catalogue."""
    words = ["feedtool catalog sync"]
    if service == options.SANDBOX:
        words.append("--sandbox")
    if language != "en":
        words.append(f"--language {language}")
    return " ".join(words)


def catalogue(ctx: click.Context) -> Callable[[str | None], "Catalog | None"]:
    """How checks get the catalogue.

    The service's whose offers and products are sent, where the options or the profile name one,
    else the one brought last; in the language that is asked for, else that of `--language`, else
    any. The embedded sandbox's is brought where it is not there. Which one it is, and of when, is
    told on stderr. The cache stays open until the command ends.
    """
    opened: list[Cache] = []
    found: dict[str | None, Catalog | None] = {}
    told: set[str] = set()

    def wanted(language: str | None) -> "Catalog | None":
        if language not in found:
            cache = opened[0] if opened else _open(ctx)
            if cache is None:
                return None
            opened[:] = [cache]
            found[language] = _preferred(ctx, cache, language)
            _tell(found[language], told)
        return found[language]

    return wanted


def _tell(catalog: "Catalog | None", told: set[str]) -> None:
    """Once, which catalogue it is, and of when."""
    from feedtool.areas.products.catalog.report import describe_origin

    line = describe_origin(catalog.origin) if catalog else ""
    if line and line not in told:
        told.add(line)
        echo("catalogue", line)


def _open(ctx: click.Context) -> "Cache | None":
    home = home_path(ctx.params.get("home"))
    is_sandbox = bool(ctx.params.get("sandbox"))
    if not (is_sandbox or (home / "catalog.sqlite").is_file()):
        return None
    from feedtool.areas.products.catalog.cache import FILE, Cache

    cache = Cache(home_folder(home) / FILE)
    ctx.call_on_close(cache.close)
    if is_sandbox and not any(
        origin.service == options.SANDBOX and origin.synced_at for origin in cache.origins()
    ):
        _bring_sandbox(cache, ctx.params["language"])
    return cache


def _bring_sandbox(cache: "Cache", language: str) -> None:
    """What `catalog sync --sandbox` does: whoever tries the sandbox needs nothing else first."""
    from feedtool.areas.products.catalog.sync import sync
    from feedtool.cli.connect import to_sandbox
    from feedtool.service.fetch import FetchContext

    echo("catalogue", "the embedded sandbox's is brought; that is done once")
    with to_sandbox(None, {"language": language}) as service:
        around = FetchContext(service.now, service.sleep, pool=service.pool)
        sync(service.client, cache, around, service=service.address, language=language)


def _preferred(ctx: click.Context, cache: "Cache", language: str | None) -> "Catalog | None":
    service = _service_of(ctx)
    known = [origin for origin in cache.origins() if service in {None, origin.service}]
    preferred = [language, ctx.params.get("language")]
    if ctx.get_parameter_source("language") is ParameterSource.COMMANDLINE:
        preferred.reverse()
    ranks = {name: rank for rank, name in reversed([*enumerate(preferred)])}
    known.sort(key=lambda origin: ranks.get(origin.language, len(ranks)))
    return cache.catalog(known[0].service, known[0].language) if known else None


def _service_of(ctx: click.Context) -> str | None:
    """The address of the service that is meant, None where any is."""
    if ctx.params.get("sandbox"):
        return options.SANDBOX
    address = ctx.params.get("base_url") or options.chosen(ctx).profile.account.get("base_url")
    return str(address) if address else None
