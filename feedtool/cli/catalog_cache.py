"""The catalogue that the options of a command mean, out of the local cache."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from feedtool.cli import options
from feedtool.cli.errors import say
from feedtool.cli.home import home_path
from feedtool.feeds.feed import LANGUAGES
from feedtool.model.errors import UsageProblem

if TYPE_CHECKING:
    from feedtool.areas.products.catalog import Catalog
    from feedtool.areas.products.catalog.cache import Cache

from_sandbox = options.option("--sandbox", is_flag=True, help="The embedded sandbox's catalogue.")

base_url = options.option(
    "--base-url", metavar="URL", help="Whose catalogue.  [default: the one brought last]"
)


def check_sandbox(ctx: click.Context, given: dict[str, Any]) -> None:
    """Refuses two services at once."""
    if given["sandbox"] and options.on_command_line(ctx, "base_url")["base_url"]:
        raise UsageProblem("--sandbox and --base-url contradict each other", "choose one of them")


@contextmanager
def looking(ctx: click.Context, given: dict[str, Any]) -> Iterator["Catalog"]:
    """The catalogue that the options mean; which one, and of when, is told on stderr."""
    from feedtool.areas.products.catalog.cache import FILE, Cache
    from feedtool.areas.products.catalog.report import told_of

    check_sandbox(ctx, given)
    path = home_path(given["home"]) / FILE
    if not path.is_file():
        raise _not_brought(given)
    with Cache(path) as cache:
        found = _meant(ctx, cache, given)
        say("catalogue", told_of(found.origin))
        yield found


def _meant(ctx: click.Context, cache: "Cache", given: dict[str, Any]) -> "Catalog":
    service = _service(given)
    known = [one for one in cache.origins() if service in {None, one.service}]
    asked = [one for one in known if one.language == given["language"]]
    if not asked and ctx.get_parameter_source("language") is ParameterSource.DEFAULT:
        asked = known  # nobody has asked for that language
    found = cache.catalog(asked[0].service, asked[0].language) if asked else None
    if found is None or not found.categories:
        raise _not_brought(given, {one.language for one in known})
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
        here = {one.language for one in cache.origins() if one.service == service}
    ways = [
        f"in {one}: "
        + ("" if one in here else f"`{sync_command(service, one)}`, then ")
        + f"--language {one}"
        for one in LANGUAGES
        if one != known.language
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
