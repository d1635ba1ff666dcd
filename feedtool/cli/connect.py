"""From the options of a command to a Session: the sandbox in-process, or a seller's account."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from feedtool.cli.credentials import token_of, token_options
from feedtool.cli.errors import echo
from feedtool.cli.options import SANDBOX, SANDBOX_SELLER, on_command_line, refuse_two_services
from feedtool.cli.signals import Stopping
from feedtool.model.call import Reply
from feedtool.model.errors import UsageProblem
from feedtool.runs.workspace import Session
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client, post_form
from feedtool.service.fetch import FetchContext
from feedtool.service.network import Timeouts

SANDBOX_TOKEN = "sandbox"  # noqa: S105  # the sandbox tells it to everybody

ACCOUNT_HINT = (
    "try --sandbox, or name a profile with --profile, "
    "or give --base-url, --seller, --channel and --token"
)
SERVICE_HINT = "try --sandbox, or name a profile with --profile, or give --base-url and --token"


def account_options(ctx: click.Context, given: dict[str, Any]) -> None:
    """Settles the options that name an account.

    The sandbox needs nothing else, and an account's settings are not meant for it: there only
    what was typed counts.
    """
    refuse_two_services(ctx)
    if given["sandbox"]:
        given |= on_command_line(ctx, "seller", "channel", "token")
    given |= token_options(ctx)


@contextmanager
def connect(
    home: Path | None,
    given: Mapping[str, Any],
    stop: Stopping,
    purpose: str = "send to",
    *,
    needs_seller: bool = True,
    needs_channel: bool = False,
) -> Iterator[Session]:
    """The embedded sandbox or the account that the options name, which signals stop gently.

    Args:
        home: The folder of the sandbox's state.
        given: The options, settled by `account_options`.
        stop: Where signals are noted.
        purpose: What an account is needed for, in messages.
        needs_seller: Nobody has to be a seller to read a catalogue.
        needs_channel: Products are for no channel: whether there are others is known when the
            files are read.

    Raises:
        UsageProblem: the options do not say enough to reach one.
    """
    is_sandbox = bool(given["sandbox"])
    if not is_sandbox:
        _check_account(given, purpose, needs_seller=needs_seller, needs_channel=needs_channel)
    with to_sandbox(home, given) if is_sandbox else _to_account(given) as session:
        yield replace(
            session,
            # Where time is virtual there is nothing to wake from.
            sleep=session.sleep if is_sandbox else stop.sleep,
            stopping=stop.reason,
            profile=given.get("profile"),
            is_sandbox=is_sandbox,
        )


def _check_account(
    given: Mapping[str, Any], purpose: str, *, needs_seller: bool, needs_channel: bool
) -> None:
    if not needs_seller:
        if not given.get("base_url"):
            raise UsageProblem("there is no service to ask", SERVICE_HINT)
        return
    missing = [f"--{name.replace('_', '-')}" for name in ("base_url", "seller") if not given[name]]
    if len(missing) > 1:
        raise UsageProblem(f"there is no account to {purpose}", ACCOUNT_HINT)
    if needs_channel and not given.get("channel"):
        missing.append("--channel")
    if missing:
        raise UsageProblem(f"{', '.join(missing)} is missing", ACCOUNT_HINT)


@contextmanager
def to_sandbox(home: Path | None, options: Mapping[str, Any]) -> Iterator[Session]:
    """The embedded sandbox; its time is virtual, so that nothing waits.

    Args:
        home: The folder in which its state is kept; None keeps it in memory.
        options: The command's; a token or seller that was given is used, so that a wrong one
            can be tried out.
    """
    from feedtool.areas.registry import sandbox_parts
    from feedtool.sandbox import StateUnreadableError
    from feedtool.sandbox.transport import mount

    state = home / "sandbox.sqlite" if home else None
    try:
        transport = mount(sandbox_parts(), state)
    except (StateUnreadableError, OSError) as error:
        raise UsageProblem(
            f"the sandbox's state {state} cannot be read: {error}",
            "move it away to begin anew, or choose another folder with --home",
        ) from error
    seller, language = options.get("seller") or SANDBOX_SELLER, options["language"]
    token = StaticToken(options.get("token") or SANDBOX_TOKEN)
    with Client(SANDBOX, seller, token, language=language, transport=transport) as client:
        now, sleep, ahead = transport.now, transport.sleep, transport.ahead
        # In one process more threads bring nothing, and larger pages save half of the calls.
        yield Session(client, seller, SANDBOX, language, now, sleep, pool=1, page=1000, ahead=ahead)


@contextmanager
def _to_account(options: Mapping[str, Any]) -> Iterator[Session]:
    address, seller, language = options["base_url"], options.get("seller"), options["language"]
    timeouts = timeouts_of(options)

    def now() -> datetime:
        return datetime.now(UTC)

    def post(url: str, form: bytes) -> Reply:
        return post_form(url, form, timeouts)

    with Client(
        address,
        seller or None,
        token_of(options, post, now),
        language=language,
        timeouts=timeouts,
        allows_http=bool(options.get("insecure_http")),
    ) as client:
        page, has_channel = options.get("page"), bool(options.get("channel"))
        whose = (client, seller or "", address, language)
        yield Session(*whose, now, time.sleep, page=page, has_channel=has_channel)


def timeouts_of(options: Mapping[str, Any]) -> Timeouts:
    """The longest waits; the defaults where the options do not say."""
    usual = Timeouts()
    return Timeouts(
        options.get("connect_timeout") or usual.connect,
        options.get("answer_timeout") or usual.answer,
        options.get("call_timeout") or usual.whole,
    )


def fetch_context(
    session: Session, go_on: str = "", closed: tuple[str, str] | None = None
) -> FetchContext:
    """The context in which a list of the service is read to its end; `go_on`, `closed` as there."""
    return FetchContext(
        session.now,
        session.sleep,
        pool=session.pool,
        stopping=session.stopping,
        go_on=go_on,
        closed=closed,
        on_unreachable=partial(echo, "warning"),
        ahead=session.ahead,
    )
