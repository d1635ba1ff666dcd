"""The bearer token of an account: which of several ways counts, and where it comes from."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import click
from click.core import ParameterSource

from feedtool.cli.options import chosen, on_command_line
from feedtool.model.call import Reply
from feedtool.model.errors import UsageProblem
from feedtool.service.auth import (
    SECRET,
    TOKEN,
    ClientCredentials,
    CommandToken,
    FileToken,
    Grant,
    StaticToken,
    Token,
)

TOKEN_WAYS = ("token", "token_file", "token_command", "token_url")
GRANT = ("client_id", "token_scope", "token_audience")
SECRET_WAYS = ("client_secret", "client_secret_file", "client_secret_command")

SOURCES = (
    ParameterSource.COMMANDLINE,
    ParameterSource.ENVIRONMENT,
    ParameterSource.DEFAULT_MAP,
)
"""The strongest first."""

GRANT_HINT = (
    "client credentials are --token-url, --client-id, and --client-secret-file, "
    "--client-secret-command, or FEEDTOOL_CLIENT_SECRET in the environment"
)


def token_options(ctx: click.Context, profile: str | None = None) -> dict[str, Any]:
    """The ways of having a token that the strongest source names; the others None.

    Where no source names one, those of `profile`: that of the run that goes on, which nobody has
    to name again. A client's secret is chosen likewise and by itself, since it may be in the
    environment where the rest of its grant is in the configuration. For the sandbox only what was
    typed counts: an environment's token is not meant for it.
    """
    if ctx.params.get("sandbox"):
        return on_command_line(ctx, *TOKEN_WAYS, *SECRET_WAYS)
    ways, secrets = _strongest(ctx, TOKEN_WAYS), _strongest(ctx, SECRET_WAYS)
    if profile and not any(ways.values()):
        account = chosen(ctx).config.profile(profile).account
        ways |= {name: account[name] for name in (*TOKEN_WAYS, *GRANT) if name in account}
        if not any(secrets.values()):
            secrets |= {name: account[name] for name in SECRET_WAYS if name in account}
    return ways | secrets


def _strongest(ctx: click.Context, ways: tuple[str, ...]) -> dict[str, Any]:
    for source in SOURCES:
        named = [name for name in ways if ctx.get_parameter_source(name) is source]
        if any(ctx.params[name] for name in named):
            return {name: ctx.params[name] if name in named else None for name in ways}
    return dict.fromkeys(ways)


def token_of(
    options: Mapping[str, Any], post: Callable[[str, bytes], Reply], now: Callable[[], datetime]
) -> Token:
    """The source of the token that the options name.

    Args:
        options: Of several ways an endpoint goes before a command, then a file, then a value.
        post: Sends a form to a token endpoint.
        now: The time, for a token that ends.

    Raises:
        UsageProblem: no way of having one was named, or only half of one.
        NotAuthorised: what was given cannot be a token.
    """
    if options.get("token_url"):
        return ClientCredentials(_grant(options), post, now)
    if token := _source(options, "token", TOKEN):
        return token
    if options.get("client_id"):
        raise UsageProblem("--token-url is missing", GRANT_HINT)
    raise UsageProblem(
        "there is no token for the service",
        "give --token-file, --token-command, --token-url, or FEEDTOOL_TOKEN in the environment",
    )


def _grant(options: Mapping[str, Any]) -> Grant:
    client_id, secret = options.get("client_id"), _source(options, "client_secret", SECRET)
    if not client_id:
        raise UsageProblem("--client-id is missing", GRANT_HINT)
    if secret is None:
        raise UsageProblem("the client's secret is missing", GRANT_HINT)
    scope, audience = options.get("token_scope"), options.get("token_audience")
    return Grant(options["token_url"], client_id, secret, scope, audience)


def _source(options: Mapping[str, Any], name: str, what: str) -> Token | None:
    """The output of a command, the content of a file, or a value as it is, in this order."""
    if command := options.get(f"{name}_command"):
        return CommandToken(command, what)
    if path := options.get(f"{name}_file"):
        return FileToken(path, what)
    if value := options.get(name):
        return StaticToken(value, what)
    return None
