"""The session that options name: the sandbox in-process, or an account with its token."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from feedtool.cli.errors import CONSOLE, Stopping
from feedtool.cli.home import LEDGER
from feedtool.cli.options import (
    SANDBOX,
    SANDBOX_SELLER,
    SOURCES,
    chosen,
    on_command_line,
    refuse_two_services,
)
from feedtool.model.call import Reply
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
    """The token that the options name: an endpoint's, a command's, a file's, or as it is.

    `post` sends a form to a token endpoint. UsageProblem where no way or half of one is named,
    NotAuthorised for what cannot be a token.
    """
    if url := options.get("token_url"):
        client_id, secret = options.get("client_id"), _source(options, "client_secret", SECRET)
        if not client_id:
            raise UsageProblem(tr("--client-id is missing"), GRANT_HINT)
        if secret is None:
            raise UsageProblem(tr("the client's secret is missing"), GRANT_HINT)
        scope, audience = options.get("token_scope"), options.get("token_audience")
        return ClientCredentials(Grant(url, client_id, secret, scope, audience), post, now)
    if token := _source(options, "token", TOKEN):
        return token
    if options.get("client_id"):
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
"""What an account is told by, as people call it."""


def lacks_of(given: Mapping[str, Any], *, needs_channel: bool) -> list[MessageText]:
    """What is missing of an account before anything can be sent from it; nobody is asked.

    `account_options` has settled `given`. Whether a token that is there is the right one the
    service alone knows.
    """
    names = [name for name in NEEDED if name != "channel" or needs_channel]
    missing = [NEEDED[name] for name in names if not given.get(name)]
    try:
        token = token_of(given, partial(post_form, timeouts=Timeouts()), CONSOLE.clock.now)
        if isinstance(token, FileToken):
            token.get()
    except (UsageProblem, NotAuthorised):
        missing.append(tr("the token"))
    return missing


def _source(options: Mapping[str, Any], name: str, what: str) -> Token | None:
    """The output of a command, the content of a file, or a value as it is, in this order."""
    if command := options.get(f"{name}_command"):
        return CommandToken(command, what)
    if path := options.get(f"{name}_file"):
        return FileToken(path, what)
    if value := options.get(name):
        return StaticToken(value, what)
    return None


SANDBOX_TOKEN = "sandbox"  # noqa: S105  # the sandbox tells it to everybody

ACCOUNT_HINT = tr(
    "try --sandbox, or name a profile with --profile (`feedtool init` writes one), or give"
    " --base-url, --seller, --channel and --token"
)
SERVICE_HINT = tr("try --sandbox, or name a profile with --profile, or give --base-url and --token")


NAMES = {"--base-url": "base_url", "--seller": "seller"}


def account_options(ctx: click.Context, given: dict[str, Any]) -> None:
    """Settles the options that name an account.

    The sandbox needs nothing else, and an account's settings are not meant for it: there only
    what was typed counts.
    """
    refuse_two_services(ctx)
    if given["sandbox"]:
        given |= on_command_line(ctx, "seller", "channel", "token")
    given |= token_options(ctx)
    given["budget"] = None if given["sandbox"] else chosen(ctx).profile.budget


@contextmanager
def connect(
    home: Path,
    given: Mapping[str, Any],
    stop: Stopping,
    lack: str = tr("there is no account to send to"),
    *,
    needs_seller: bool = True,
    needs_channel: bool = False,
) -> Iterator[Session]:
    """The embedded sandbox or the account that the options name, which signals stop gently.

    `account_options` has settled `given`; a budget is kept in the ledger that they name, else in
    the one of `home`. Nobody has to be a seller to read a catalogue, and products are for no
    channel. UsageProblem where the options do not say enough.
    """
    is_sandbox = bool(given["sandbox"])
    if not is_sandbox:
        _check_account(given, lack, needs_seller=needs_seller, needs_channel=needs_channel)
    with to_sandbox(home, given) if is_sandbox else _to_account(home, given, stop) as session:
        yield replace(
            session,
            stopping=stop.reason,
            profile=given.get("profile"),
            is_sandbox=is_sandbox,
        )


def _check_account(
    given: Mapping[str, Any], lack: str, *, needs_seller: bool, needs_channel: bool
) -> None:
    if not needs_seller:
        if not given.get("base_url"):
            raise UsageProblem(tr("there is no service to ask"), SERVICE_HINT)
        return
    missing = [option for option, name in NAMES.items() if not given[name]]
    if len(missing) > 1:
        raise UsageProblem(lack, ACCOUNT_HINT)
    if needs_channel and not given.get("channel"):
        missing.append("--channel")
    if missing:
        names = joined(map(option_name, missing))
        raise UsageProblem(tr("{options} is missing", options=names), ACCOUNT_HINT)


@contextmanager
def to_sandbox(home: Path | None, options: Mapping[str, Any]) -> Iterator[Session]:
    """The embedded sandbox, with its state in `home` or in memory; its time is virtual.

    A token or seller that was given is used, so that a wrong one can be tried out.
    """
    from feedtool.areas.registry import sandbox_parts
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
    seller, language = options.get("seller") or SANDBOX_SELLER, options["language"]
    token = StaticToken(options.get("token") or SANDBOX_TOKEN)
    with Client(SANDBOX, seller, token, language=language, transport=transport) as client:
        now, sleep, ahead = transport.now, transport.sleep, transport.ahead
        # In one process more threads bring nothing, and larger pages save half of the calls.
        yield Session(client, seller, SANDBOX, language, now, sleep, pool=1, page=1000, ahead=ahead)


@contextmanager
def _to_account(home: Path, options: Mapping[str, Any], stop: Stopping) -> Iterator[Session]:
    address, seller, language = options["base_url"], options.get("seller"), options["language"]
    timeouts, now = timeouts_of(options), CONSOLE.clock.now
    allows_http = bool(options.get("insecure_http"))
    how: dict[str, Any] = {"language": language, "timeouts": timeouts, "allows_http": allows_http}
    with _allowance(home, options, stop) as allowance:
        post = partial(_post_allowed, allowance, partial(post_form, timeouts=timeouts))
        token = token_of(options, post, now)
        with Client(address, seller or None, token, **how, allowance=allowance) as client:
            page, has_channel = options.get("page"), bool(options.get("channel"))
            whose = (client, seller or "", address, language)
            yield Session(*whose, now, stop.sleep, page=page, has_channel=has_channel)


def _post_allowed(
    allowance: Allowance | None, post: Callable[[str, bytes], Reply], url: str, body: bytes
) -> Reply:
    """The answer to a form, which takes of the allowance as calls do."""
    if allowance is None:
        return post(url, body)
    allowance.take()
    reply = post(url, body)
    allowance.note_reply(reply)
    return reply


def _allowance(
    home: Path, options: Mapping[str, Any], stop: Stopping
) -> AbstractContextManager[Allowance | None]:
    if not (budget := options.get("budget")):
        return nullcontext()
    from feedtool.runs.allowance import shared_allowance

    place = options.get("ledger") or home / LEDGER
    return shared_allowance(place, budget, stop.sleep, stop.reason)


def timeouts_of(options: Mapping[str, Any]) -> Timeouts:
    """The longest waits; the defaults where the options do not say."""
    usual = Timeouts()
    return Timeouts(
        options.get("connect_timeout") or usual.connect,
        options.get("answer_timeout") or usual.answer,
        options.get("call_timeout") or usual.whole,
    )
