"""The session with the service that options select."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import sandbox_parts
from feedtool.cli.console import CONSOLE, LEDGER, StopSignal
from feedtool.cli.options import (
    SANDBOX,
    SANDBOX_SELLER,
    SOURCES,
    chosen,
    on_command_line,
    refuse_two_services,
)
from feedtool.cli.options_account import ConnectionOptions, TimeoutOptions, TokenOptions
from feedtool.cli.typed import read_record
from feedtool.model.call import Budget, Reply
from feedtool.model.errors import NotAuthorised, UsageProblem
from feedtool.model.text import MessageText, joined, option_name, tr
from feedtool.runs.workspace import Session
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
from feedtool.service.client import Allowance, Client, post_form
from feedtool.service.network import Timeouts

TOKEN_WAYS = ("token", "token_file", "token_command", "token_url")
GRANT = ("client_id", "token_scope", "token_audience")
SECRET_WAYS = ("client_secret", "client_secret_file", "client_secret_command")

GRANT_HINT = tr(
    "client credentials are --token-url, --client-id, and --client-secret-file, "
    "--client-secret-command, or FEEDTOOL_CLIENT_SECRET in the environment"
)


class ChosenAccount(Struct, frozen=True, kw_only=True):
    """The account that a command's options select: the embedded sandbox, or one of a service."""

    connection: ConnectionOptions
    channel: str | None
    profile: str | None
    language: str
    is_sandbox: bool
    budget: Budget | None
    ledger: str | None
    """The URL of the database that holds the budget; None for the file of the state folder."""


def chosen_account(ctx: click.Context) -> ChosenAccount:
    """The account that the options select; UsageProblem if they select two.

    The sandbox needs nothing else, and an account's settings are not meant for it: for the sandbox
    only typed options count.
    """
    refuse_two_services(ctx)
    params, is_sandbox = ctx.params, bool(ctx.params["sandbox"])
    names = on_command_line(ctx, "seller", "channel") if is_sandbox else params
    connection = read_record(ConnectionOptions, params)
    return ChosenAccount(
        connection=replace(connection, seller=names["seller"], tokens=token_options(ctx)),
        channel=names.get("channel"),
        profile=params["profile"],
        language=params["language"],
        is_sandbox=is_sandbox,
        budget=None if is_sandbox else chosen(ctx).profile.budget,
        ledger=params["ledger"],
    )


def token_options(ctx: click.Context, profile: str | None = None) -> TokenOptions:
    """The token options of the strongest source that has any; all others are None.

    If no source has one, they are those of `profile`: the profile of a resumed run, which need not
    be typed again. The client's secret is chosen in the same way, but separately: it may be in the
    environment while the rest of its grant is in the configuration. For the sandbox only typed
    options count: a token in the environment is not meant for it.
    """
    tokens = read_record(TokenOptions, ctx.params)
    if ctx.params.get("sandbox"):
        return replace(tokens, **on_command_line(ctx, *TOKEN_WAYS, *SECRET_WAYS))
    ways, secrets = _strongest(ctx, TOKEN_WAYS), _strongest(ctx, SECRET_WAYS)
    if profile and not any(ways.values()):
        account = chosen(ctx).config.profile(profile).account
        ways |= {name: account[name] for name in (*TOKEN_WAYS, *GRANT) if name in account}
        if not any(secrets.values()):
            secrets |= {name: account[name] for name in SECRET_WAYS if name in account}
    return replace(tokens, **ways, **secrets)


def _strongest(ctx: click.Context, ways: tuple[str, ...]) -> dict[str, Any]:
    for source in SOURCES:
        names = [name for name in ways if ctx.get_parameter_source(name) is source]
        if any(ctx.params[name] for name in names):
            return {name: ctx.params[name] if name in names else None for name in ways}
    return dict.fromkeys(ways)


def token_of(
    tokens: TokenOptions, post: Callable[[str, bytes], Reply], now: Callable[[], datetime]
) -> Token:
    """The token from an endpoint, a command, a file, or the option itself.

    `post` sends a form to a token endpoint. UsageProblem if the options are missing or incomplete,
    NotAuthorised if the value cannot be a token.
    """
    if url := tokens.token_url:
        client_id = tokens.client_id
        secret = _source(
            tokens.client_secret_command, tokens.client_secret_file, tokens.client_secret, SECRET
        )
        if not client_id:
            raise UsageProblem(tr("--client-id is missing"), GRANT_HINT)
        if secret is None:
            raise UsageProblem(tr("the client's secret is missing"), GRANT_HINT)
        grant = Grant(url, client_id, secret, tokens.token_scope, tokens.token_audience)
        return ClientCredentials(grant, post, now)
    if token := _source(tokens.token_command, tokens.token_file, tokens.token, TOKEN):
        return token
    if tokens.client_id:
        raise UsageProblem(tr("--token-url is missing"), GRANT_HINT)
    raise UsageProblem(
        tr("there is no token for the service"),
        tr("give --token-file, --token-command, --token-url, or FEEDTOOL_TOKEN in the environment"),
    )


NEEDED = {
    "base_url": tr("the address of the service"),
    "seller": tr("the seller"),
    "channel": tr("the sales channel"),
}
"""Setting of an account → its name in messages."""


def missing_settings(account: ChosenAccount, *, needs_channel: bool) -> list[MessageText]:
    """The settings that an account lacks to send from it, checked without a request.

    Only the service knows whether the token is the right one.
    """
    connection = account.connection
    settings = {"base_url": connection.base_url, "seller": connection.seller}
    if needs_channel:
        settings["channel"] = account.channel
    missing = [NEEDED[name] for name, value in settings.items() if not value]
    try:
        post = partial(post_form, timeouts=Timeouts())
        token = token_of(connection.tokens, post, CONSOLE.clock.now)
        if isinstance(token, FileToken):
            token.get()
    except (UsageProblem, NotAuthorised):
        missing.append(tr("the token"))
    return missing


def _source(command: str | None, file: Path | None, value: str | None, what: str) -> Token | None:
    """The first of: the output of a command, the content of a file, a value."""
    if command:
        return CommandToken(command, what)
    if file:
        return FileToken(file, what)
    return StaticToken(value, what) if value else None


SANDBOX_TOKEN = "sandbox"  # noqa: S105  # the sandbox tells it to everybody

ACCOUNT_HINT = tr(
    "try --sandbox, or name a profile with --profile (`feedtool init` writes one), or give"
    " --base-url, --seller, --channel and --token"
)
SERVICE_HINT = tr("try --sandbox, or name a profile with --profile, or give --base-url and --token")


@contextmanager
def connect(
    home: Path,
    account: ChosenAccount,
    stop: StopSignal,
    lack: str = tr("there is no account to send to"),
    *,
    needs_seller: bool = True,
    needs_channel: bool = False,
    page: int | None = None,
) -> Iterator[Session]:
    """Connect to the embedded sandbox or the account; signals stop it gently.

    A budget is kept in the ledger that the options name, else in the one of `home`. A catalogue is
    read without a seller, and products are sent without a channel. `page` is the number of entries
    in a page of results. UsageProblem if a needed option is missing.
    """
    if account.is_sandbox:
        seller, token = account.connection.seller, account.connection.tokens.token
        opened = to_sandbox(home, account.language, seller, token)
    else:
        _check_account(account, lack, needs_seller=needs_seller, needs_channel=needs_channel)
        opened = _to_account(home, account, stop, page)
    with opened as session:
        yield replace(
            session, stopping=stop.reason, profile=account.profile, is_sandbox=account.is_sandbox
        )


def _check_account(
    account: ChosenAccount, lack: str, *, needs_seller: bool, needs_channel: bool
) -> None:
    connection = account.connection
    if not needs_seller:
        if not connection.base_url:
            raise UsageProblem(tr("there is no service to ask"), SERVICE_HINT)
        return
    settings = {"--base-url": connection.base_url, "--seller": connection.seller}
    missing = [option for option, value in settings.items() if not value]
    if len(missing) > 1:
        raise UsageProblem(lack, ACCOUNT_HINT)
    if needs_channel and not account.channel:
        missing.append("--channel")
    if missing:
        names = joined(map(option_name, missing))
        raise UsageProblem(tr("{options} is missing", options=names), ACCOUNT_HINT)


@contextmanager
def to_sandbox(
    home: Path | None, language: str, seller: str | None = None, token: str | None = None
) -> Iterator[Session]:
    """Connect to the embedded sandbox, with its state in `home` or in memory; its time is virtual.

    A token or seller from the options is used, so that a wrong one can be tried out.
    """
    from feedtool.sandbox import StateUnreadableError
    from feedtool.sandbox.transport import SandboxTransport

    state = home / "sandbox.sqlite" if home else None
    try:
        transport = SandboxTransport(sandbox_parts(), state)
    except (StateUnreadableError, OSError) as error:
        raise UsageProblem(
            tr("the sandbox's state {state} cannot be read: {error}", state=state, error=error),
            tr("move it away to begin anew, or choose another folder with --home"),
        ) from error
    seller, shown = seller or SANDBOX_SELLER, StaticToken(token or SANDBOX_TOKEN)
    with Client(SANDBOX, seller, shown, language=language, transport=transport) as client:
        now, sleep, ahead = transport.now, transport.sleep, transport.ahead
        # In one process more threads bring nothing, and larger pages save half of the calls.
        yield Session(client, seller, SANDBOX, language, now, sleep, pool=1, page=1000, ahead=ahead)


@contextmanager
def _to_account(
    home: Path, account: ChosenAccount, stop: StopSignal, page: int | None
) -> Iterator[Session]:
    connection, language, now = account.connection, account.language, CONSOLE.clock.now
    address, seller = connection.base_url or "", connection.seller or ""
    timeouts = timeouts_of(connection.timeouts)
    settings: dict[str, Any] = {
        "language": language,
        "timeouts": timeouts,
        "allows_http": connection.insecure_http,
    }
    with _allowance(home, account, stop) as allowance:
        post = partial(_post_allowed, allowance, partial(post_form, timeouts=timeouts))
        token = token_of(connection.tokens, post, now)
        with Client(address, seller or None, token, **settings, allowance=allowance) as client:
            has_channel = bool(account.channel)
            reached = client, seller, address, language
            yield Session(*reached, now, stop.sleep, page=page, has_channel=has_channel)


def _post_allowed(
    allowance: Allowance | None, post: Callable[[str, bytes], Reply], url: str, body: bytes
) -> Reply:
    """Post a form, counted against the allowance as calls are."""
    if allowance is None:
        return post(url, body)
    allowance.take()
    reply = post(url, body)
    allowance.note_reply(reply)
    return reply


def _allowance(
    home: Path, account: ChosenAccount, stop: StopSignal
) -> AbstractContextManager[Allowance | None]:
    if not account.budget:
        return nullcontext()
    from feedtool.runs.allowance import shared_allowance

    place = account.ledger or home / LEDGER
    return shared_allowance(place, account.budget, stop.sleep, stop.reason)


def timeouts_of(options: TimeoutOptions) -> Timeouts:
    return Timeouts(options.connect_timeout, options.answer_timeout, options.call_timeout)
