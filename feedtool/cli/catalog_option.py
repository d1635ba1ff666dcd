"""The catalogue that products are judged by, opened when a file turns out to be products."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from feedtool.cli import options
from feedtool.cli.errors import say
from feedtool.cli.home import home_folder, home_path

if TYPE_CHECKING:
    from feedtool.areas.products.catalog import Catalog
    from feedtool.areas.products.catalog.cache import Cache


def catalogue(ctx: click.Context) -> Callable[[str | None], "Catalog | None"]:
    """How checks get the catalogue; the library of its cache is slow to import, so: late.

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
            found[language] = _meant(ctx, cache, language)
            _tell(found[language], told)
        return found[language]

    return wanted


def _tell(catalog: "Catalog | None", told: set[str]) -> None:
    """Once, which catalogue it is, and of when."""
    from feedtool.areas.products.catalog.report import told_of

    line = told_of(catalog.origin) if catalog else ""
    if line and line not in told:
        told.add(line)
        say("catalogue", line)


def _open(ctx: click.Context) -> "Cache | None":
    home = home_path(ctx.params.get("home"))
    is_sandbox = bool(ctx.params.get("sandbox"))
    if not (is_sandbox or (home / "catalog.sqlite").is_file()):
        return None
    from feedtool.areas.products.catalog.cache import FILE, Cache

    cache = Cache(home_folder(home) / FILE)
    ctx.call_on_close(cache.close)
    if is_sandbox and not any(
        one.service == options.SANDBOX and one.synced_at for one in cache.origins()
    ):
        _bring_sandbox(cache, ctx.params["language"])
    return cache


def _bring_sandbox(cache: "Cache", language: str) -> None:
    """What `catalog sync --sandbox` does: whoever tries the sandbox needs nothing else first."""
    from feedtool.areas.products.catalog.sync import sync
    from feedtool.cli.connect import to_sandbox
    from feedtool.service.fetch import Circumstances

    say("catalogue", "the embedded sandbox's is brought; that is done once")
    with to_sandbox(None, {"language": language}) as service:
        around = Circumstances(service.now, service.sleep, pool=service.pool)
        sync(service.client, cache, around, service=service.address, language=language)


def _meant(ctx: click.Context, cache: "Cache", language: str | None) -> "Catalog | None":
    service = _service(ctx)
    known = [one for one in cache.origins() if service in {None, one.service}]
    preferred = [language, ctx.params.get("language")]
    if ctx.get_parameter_source("language") is ParameterSource.COMMANDLINE:
        preferred.reverse()
    ranks = {name: rank for rank, name in reversed([*enumerate(preferred)])}
    known.sort(key=lambda origin: ranks.get(origin.language, len(ranks)))
    return cache.catalog(known[0].service, known[0].language) if known else None


def _service(ctx: click.Context) -> str | None:
    """The address of the service that is meant, None where any is."""
    if ctx.params.get("sandbox"):
        return options.SANDBOX
    address = ctx.params.get("base_url") or options.chosen(ctx).profile.account.get("base_url")
    return str(address) if address else None
