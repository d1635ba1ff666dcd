"""Options that select the account, and the targets that are notified of a run."""

from pathlib import Path
from typing import Annotated

import click
from msgspec import Struct

from feedtool.cli.options import INSECURE_OPTION, flag, path, seconds, text

SANDBOX_OPTION = flag("--sandbox", "Use the embedded sandbox, on this machine, for practice.")
BASE_URL = text("--base-url", "URL", "The service's address, version segment included.")
SELLER = text("--seller", "ID", "The SellerId of the account.")
TOKEN_FILE = path("--token-file", "FILE", "A file that holds the token.")
TOKEN_COMMAND = text("--token-command", "COMMAND", "A command that prints the token.")


class TokenOptions(Struct, frozen=True, kw_only=True):
    """Options that give the token: itself, a file, a command, or client credentials."""

    token: Annotated[
        str | None, text("--token", "TOKEN", "The bearer token; better in the environment.")
    ] = None
    token_file: Annotated[Path | None, TOKEN_FILE] = None
    token_command: Annotated[str | None, TOKEN_COMMAND] = None
    token_url: Annotated[
        str | None,
        text(
            "--token-url",
            "URL",
            "An OAuth2 token endpoint, which gives the token for client credentials.",
        ),
    ] = None
    client_id: Annotated[
        str | None, text("--client-id", "ID", "The client's identifier, for client credentials.")
    ] = None
    client_secret: Annotated[
        str | None,
        text("--client-secret", "SECRET", "The client's secret; better in the environment."),
    ] = None
    client_secret_file: Annotated[
        Path | None, path("--client-secret-file", "FILE", "A file that holds the client secret.")
    ] = None
    client_secret_command: Annotated[
        str | None,
        text("--client-secret-command", "COMMAND", "A command that prints the client secret."),
    ] = None
    token_scope: Annotated[
        str | None,
        text("--token-scope", "SCOPE", "The scope that the token endpoint is asked for."),
    ] = None
    token_audience: Annotated[
        str | None, text("--token-audience", "NAME", "The audience that the token is for.")
    ] = None


class TimeoutOptions(Struct, frozen=True, kw_only=True):
    """Options for the longest waits, in seconds."""

    connect_timeout: Annotated[
        float, seconds("--connect-timeout", 10, "The longest wait for a connection.")
    ]
    answer_timeout: Annotated[
        float, seconds("--answer-timeout", 60, "The longest silence of the service.")
    ]
    call_timeout: Annotated[
        float,
        seconds("--call-timeout", 300, "The longest time for a call, even if data still comes in."),
    ]


class ConnectionOptions(Struct, frozen=True, kw_only=True):
    """Options for the account: its address, seller, token and timeouts."""

    base_url: Annotated[str | None, BASE_URL]
    # `option` would add a variable of the environment, which must not set this.
    insecure_http: Annotated[
        bool,
        click.Option(
            [INSECURE_OPTION],
            is_flag=True,
            help="Let the token travel unencrypted, to an address that begins with http://.",
        ),
    ]
    seller: Annotated[str | None, SELLER]
    tokens: TokenOptions
    timeouts: TimeoutOptions


class Notifying(Struct, frozen=True, kw_only=True):
    """Options for the targets of a run's summary, and for the log."""

    hook: Annotated[
        str | None,
        text(
            "--hook", "COMMAND", "A command that gets the summary of a run, as JSON on its stdin."
        ),
    ]
    webhook: Annotated[
        str | None, text("--webhook", "URL", "An address to which the summary is posted.")
    ]
    notify_wait: Annotated[
        float,
        seconds(
            "--notify-wait", 30, "The longest wait for --hook and --webhook, once all else is done."
        ),
    ]
    log: Annotated[
        Path | None,
        path(
            "--log", "FILE", "Add what is done to this file, a JSON object a line.", may_be="file"
        ),
    ]
