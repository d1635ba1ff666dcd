"""What an account is reached with: which of several ways counts, and what is never shown."""

import re
from typing import Any

import click
from click.core import ParameterSource

from feedtool.cli.options import chosen, on_command_line

SECRETS = ("token", "token_command", "client_secret", "client_secret_command", "hook", "webhook")
"""A command may hold a secret as well as print one, and so may the path of an address."""

MASK = "********"

TOKEN_WAYS = ("token", "token_file", "token_command", "token_url")
GRANT = ("client_id", "token_scope", "token_audience")
SECRET_WAYS = ("client_secret", "client_secret_file", "client_secret_command")

SOURCES = (
    ParameterSource.COMMANDLINE,
    ParameterSource.ENVIRONMENT,
    ParameterSource.DEFAULT_MAP,
)
"""The strongest first."""


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
        found = {
            name: ctx.params.get(name) if ctx.get_parameter_source(name) is source else None
            for name in ways
        }
        if any(found.values()):
            return found
    return dict.fromkeys(ways)


def masked(name: str, value: object) -> str:
    """A setting's value as it may be shown: no token, and no password inside an address."""
    if name in SECRETS and value:
        return MASK
    return re.sub(r"(?<=://)[^/@]*@", f"{MASK}@", str(value))
