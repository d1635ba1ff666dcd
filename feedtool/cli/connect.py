"""From the options of a command to a Session: the sandbox in-process, or a seller's account."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from feedtool.cli.options import SANDBOX
from feedtool.cli.signals import Stopping
from feedtool.model.call import Reply
from feedtool.model.errors import UsageProblem
from feedtool.runs.session import Session
from feedtool.service.auth import SECRET, TOKEN, CommandToken, FileToken, StaticToken, Token
from feedtool.service.client import Client, post_form
from feedtool.service.network import Timeouts
from feedtool.service.oauth import ClientCredentials, Grant

if TYPE_CHECKING:
    from feedtool.sandbox.transport import SandboxTransport

SANDBOX_TOKEN = "sandbox"  # noqa: S105  # the sandbox tells it to everybody
SANDBOX_SELLER = "sandbox"

ACCOUNT_HINT = (
    "try --sandbox, or name a profile with --profile, "
    "or give --base-url, --seller, --channel and --token"
)


@contextmanager
def to_sandbox(home: Path | None, options: Mapping[str, Any]) -> Iterator[Session]:
    """The embedded sandbox; its time is virtual, so that nothing waits.

    Args:
        home: The folder in which its state is kept; None keeps it in memory.
        options: The command's; a token or seller that was given is used, so that a wrong one
            can be tried out.
    """
    transport = _mounted(home / "sandbox.sqlite" if home else None)
    seller = options.get("seller") or SANDBOX_SELLER
    language = options["language"]
    token = StaticToken(options.get("token") or SANDBOX_TOKEN)
    with Client(SANDBOX, seller, token, language=language, transport=transport) as client:
        # In one process more threads bring nothing, and larger pages save half of the calls.
        yield Session(
            client,
            seller,
            SANDBOX,
            language,
            transport.now,
            transport.sleep,
            pool=1,
            page=1000,
            ahead=transport.ahead,
        )


def _mounted(state: Path | None) -> "SandboxTransport":
    from feedtool.areas.registry import sandbox_parts
    from feedtool.sandbox import StateUnreadableError
    from feedtool.sandbox.transport import mount

    try:
        return mount(sandbox_parts(), state)
    except (StateUnreadableError, OSError) as error:
        raise UsageProblem(
            f"the sandbox's state {state} cannot be read: {error}",
            "move it away to begin anew, or choose another folder with --home",
        ) from error


@contextmanager
def to_account(
    options: Mapping[str, Any], purpose: str = "send to", *, needs_channel: bool = True
) -> Iterator[Session]:
    """A seller's account; `purpose` is what it is needed for.

    Products are for no channel: whether there are others is known when the files are read.

    Raises:
        UsageProblem: the options do not say enough to reach one.
    """
    needed = {"--base-url": options.get("base_url"), "--seller": options.get("seller")}
    missing = [name for name, value in needed.items() if not value]
    if len(missing) == len(needed):
        raise UsageProblem(f"there is no account to {purpose}", ACCOUNT_HINT)
    if needs_channel and not options.get("channel"):
        missing.append("--channel")
    if missing:
        raise UsageProblem(f"{', '.join(missing)} is missing", ACCOUNT_HINT)
    with _reaching(options) as service:
        yield service


@contextmanager
def connection_of(
    home: Path, given: Mapping[str, Any], stop: Stopping, *, needs_channel: bool = True
) -> Iterator[Session]:
    """The embedded sandbox or the account that the options name, which signals stop gently."""
    way = (
        to_sandbox(home, given)
        if given["sandbox"]
        else to_account(given, needs_channel=needs_channel)
    )
    with way as service:
        yield stoppable(service, stop, given)


def stoppable(service: Session, stop: Stopping, given: Mapping[str, Any]) -> Session:
    """The service, which signals stop gently."""
    is_sandbox = bool(given["sandbox"])
    # Where time is virtual there is nothing to wake from.
    sleep = service.sleep if is_sandbox else stop.sleep
    profile = given.get("profile")
    return replace(
        service, sleep=sleep, stopping=stop.reason, profile=profile, is_sandbox=is_sandbox
    )


@contextmanager
def to_catalogue(options: Mapping[str, Any]) -> Iterator[Session]:
    """A service whose catalogue is read, for which nobody has to be a seller.

    Raises:
        UsageProblem: the options do not say enough to reach one.
    """
    if not options.get("base_url"):
        raise UsageProblem(
            "there is no service to ask",
            "try --sandbox, or name a profile with --profile, or give --base-url and --token",
        )
    with _reaching(options) as service:
        yield service


@contextmanager
def _reaching(options: Mapping[str, Any]) -> Iterator[Session]:
    address, language = options["base_url"], options["language"]
    seller = options.get("seller") or None
    timeouts = timeouts_of(options)

    def now() -> datetime:
        return datetime.now(UTC)

    def post(url: str, form: bytes) -> Reply:
        return post_form(url, form, timeouts)

    token = token_of(options, post, now)
    allows_http = bool(options.get("insecure_http"))
    with Client(
        address, seller, token, language=language, timeouts=timeouts, allows_http=allows_http
    ) as client:
        page = options.get("page")
        yield Session(
            client,
            seller or "",
            address,
            language,
            now,
            time.sleep,
            page=page,
            has_channel=bool(options.get("channel")),
        )


def timeouts_of(options: Mapping[str, Any]) -> Timeouts:
    """How long to wait for what; the defaults where the options do not say."""
    usual = Timeouts()
    return Timeouts(
        options.get("connect_timeout") or usual.connect,
        options.get("answer_timeout") or usual.answer,
        options.get("call_timeout") or usual.whole,
    )


def token_of(
    options: Mapping[str, Any], post: Callable[[str, bytes], Reply], now: Callable[[], datetime]
) -> Token:
    """Where the token comes from.

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
    if token := _held(options, "token", TOKEN):
        return token
    if options.get("client_id"):
        raise UsageProblem("--token-url is missing", GRANT_HINT)
    raise UsageProblem(
        "there is no token for the service",
        "give --token-file, --token-command, --token-url, or FEEDTOOL_TOKEN in the environment",
    )


GRANT_HINT = (
    "client credentials are --token-url, --client-id, and --client-secret-file, "
    "--client-secret-command, or FEEDTOOL_CLIENT_SECRET in the environment"
)


def _grant(options: Mapping[str, Any]) -> Grant:
    client_id = options.get("client_id")
    if not client_id:
        raise UsageProblem("--client-id is missing", GRANT_HINT)
    secret = _held(options, "client_secret", SECRET)
    if secret is None:
        raise UsageProblem("the client's secret is missing", GRANT_HINT)
    return Grant(
        options["token_url"],
        client_id,
        secret,
        options.get("token_scope"),
        options.get("token_audience"),
    )


def _held(options: Mapping[str, Any], name: str, what: str) -> Token | None:
    """What a command prints, a file holds, or was given as it is, in this order."""
    if command := options.get(f"{name}_command"):
        return CommandToken(command, what)
    if path := options.get(f"{name}_file"):
        return FileToken(path, what)
    if value := options.get(name):
        return StaticToken(value, what)
    return None
