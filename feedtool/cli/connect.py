"""From the options of a command to a Service: the sandbox in-process, or a seller's account."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from feedtool.errors import UsageProblem
from feedtool.run import Service
from feedtool.service.auth import CommandToken, FileToken, StaticToken, Token
from feedtool.service.client import Client

SANDBOX_TOKEN = "sandbox"  # noqa: S105  # the sandbox tells it to everybody
SANDBOX_SELLER = "sandbox"

ACCOUNT_HINT = (
    "try --sandbox, or name a profile with --profile, "
    "or give --base-url, --seller, --channel and --token"
)


@contextmanager
def to_sandbox(home: Path | None, options: Mapping[str, Any]) -> Iterator[Service]:
    """The embedded sandbox; its time is virtual, so that nothing waits.

    Args:
        home: The folder in which its state is kept; None keeps it in memory.
        options: The command's; a token or seller that was given is used, so that a wrong one
            can be tried out.
    """
    from feedtool.sandbox.transport import mount

    transport = mount(home / "sandbox.sqlite" if home else None)
    seller = options.get("seller") or SANDBOX_SELLER
    language = options["language"]
    token = StaticToken(options.get("token") or SANDBOX_TOKEN)
    address = "http://sandbox.invalid/v2"
    with Client(address, seller, token, language=language, transport=transport) as client:
        # In one process more threads bring nothing, and larger pages save half of the calls.
        yield Service(
            client, seller, address, language, transport.now, transport.sleep, pool=1, page=1000
        )


@contextmanager
def to_account(options: Mapping[str, Any]) -> Iterator[Service]:
    """A seller's account.

    Raises:
        UsageProblem: the options do not say enough to reach one.
    """
    needed = {"--base-url": options.get("base_url"), "--seller": options.get("seller")}
    missing = [name for name, value in needed.items() if not value]
    if len(missing) == len(needed):
        raise UsageProblem("there is no account to send to", ACCOUNT_HINT)
    if not options.get("channel"):
        missing.append("--channel")
    if missing:
        raise UsageProblem(f"{', '.join(missing)} is missing", ACCOUNT_HINT)
    address, seller, language = options["base_url"], options["seller"], options["language"]
    with Client(address, seller, token_of(options), language=language) as client:
        yield Service(
            client,
            seller,
            address,
            language,
            lambda: datetime.now(UTC),
            time.sleep,
            page=options.get("page"),
        )


def token_of(options: Mapping[str, Any]) -> Token:
    """Where the token comes from: a file or a command is preferred to a value.

    Raises:
        UsageProblem: no way of having one was named.
    """
    if options.get("token_command"):
        return CommandToken(options["token_command"])
    if options.get("token_file"):
        return FileToken(options["token_file"])
    if options.get("token"):
        return StaticToken(options["token"])
    raise UsageProblem(
        "there is no token for the service",
        "give --token-file, --token-command, or FEEDTOOL_TOKEN in the environment",
    )
