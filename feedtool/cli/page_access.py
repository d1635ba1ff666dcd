"""Where the page listens and who may ask it: `feedtool page` alone on a machine, and shared."""

import os
import re
import secrets
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from feedtool.cli import options
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.page.guards import Access
    from feedtool.runs.page_rights import PageRights

SECRET, SECRET_BYTES = re.compile(r"[A-Za-z0-9_-]{32,}"), 24
OWN, OWN_AND_GROUP, OF_OTHERS = 0o600, 0o660, 0o077
HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
OF_SHARED = ("socket", "trusted_proxy", "user_header")
"""Options that are for a shared page alone."""

access_options = options.group(
    options.count("--port", "The port; 0 picks a free one.", default=0, min=0, max=65535),
    options.flag("--no-open", "Only print the address; do not open the browser."),
    options.path(
        "--secret-file",
        "FILE",
        "Keep the secret part of the address here, so that it stays the same.",
        may_be="file",
    ),
    options.text(
        "--host-name",
        "NAME",
        "A name by which browsers reach the page; may be given again.",
        multiple=True,
    ),
    options.flag("--shared", "Serve several users, behind a proxy where they log in."),
    options.path(
        "--socket", "FILE", "With --shared: the unix socket for the proxy.", may_be="file"
    ),
    options.text(
        "--trusted-proxy", "ADDRESS", "With --shared on a port: the address of the proxy."
    ),
    options.text(
        "--user-header",
        "NAME",
        "With --shared: the header in which the proxy names the user.  [default: Remote-User]",
    ),
)


class Entrance(NamedTuple):
    """Where the page listens, and for whom."""

    listening: socket.socket
    access: "Access"
    address: str
    """To be printed: of a page of one user the one to open."""
    rights: "Mapping[str, PageRights] | None" = None
    """Of each user of a shared page."""


def entrance(given: Mapping[str, Any], users: "Mapping[str, PageRights]") -> Entrance:
    """Listens as the options say.

    Args:
        given: The options of the command.
        users: The users of a shared page, from the configuration.

    Raises:
        UsageProblem: the options do not fit, or the port or the socket cannot be had.
    """
    if given["shared"]:
        for lack, way_out in _lacks(given, users):
            raise UsageProblem(lack, way_out)
        return _behind_proxy(given, users)
    for name in OF_SHARED:
        if given[name]:
            option = f"--{name.replace('_', '-')}"
            raise UsageProblem(
                tr("{option} is for a shared page", option=option),
                tr("add --shared, or leave it out"),
            )
    return _on_this_machine(given)


def _on_this_machine(given: Mapping[str, Any]) -> Entrance:
    from feedtool.page.guards import LocalAccess, local_hosts
    from feedtool.serving import LOOPBACK

    secret = kept_secret(given["secret_file"])
    listening = _listen(LOOPBACK, given["port"])
    port = listening.getsockname()[1]
    access = LocalAccess(local_hosts(port) | _names(given), secret)
    return Entrance(listening, access, f"http://{LOOPBACK}:{port}/{secret}/")


def _lacks(
    given: Mapping[str, Any], users: "Mapping[str, PageRights]"
) -> Iterator[tuple[str, str]]:
    """What a shared page cannot be served without, or with, and what to do."""
    if not given["host_name"]:
        yield (
            tr("--shared needs --host-name"),
            tr("give the name that browsers use: --host-name feeds.example.org"),
        )
    if bool(given["socket"]) == bool(given["trusted_proxy"]):
        yield (
            tr("--shared needs either --socket or --trusted-proxy"),
            tr("name one: only the proxy may say who the user is"),
        )
    if given["secret_file"]:
        yield tr("a shared page has no secret address"), tr("leave --secret-file out")
    if given["user_header"] and not HEADER.fullmatch(given["user_header"]):
        yield (
            tr("--user-header {name} is no header", name=given["user_header"]),
            tr("write it like Remote-User"),
        )
    if not users:
        yield (
            tr("nobody may use the shared page"),
            tr("add a table [page.users.NAME] to the configuration for each user"),
        )


def _behind_proxy(given: Mapping[str, Any], users: "Mapping[str, PageRights]") -> Entrance:
    from feedtool.page.guards import SharedAccess
    from feedtool.serving import UNIX_PEER

    header = given["user_header"] or "Remote-User"
    if given["socket"]:
        listening, proxy = _listen_on_file(given["socket"]), UNIX_PEER
        address = f"unix:{given['socket']}"
    else:
        proxy = _numeric(given["trusted_proxy"])
        listening = _listen(_address_towards(proxy), given["port"])
        host, port, *_ = listening.getsockname()
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    access = SharedAccess(_names(given), proxy, header, frozenset(users))
    return Entrance(listening, access, address, users)


def _names(given: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(name.lower() for name in given["host_name"])


def _numeric(address: str) -> str:
    """The address as the operating system writes it."""
    try:
        return str(ip_address(address))
    except ValueError as error:
        raise UsageProblem(
            tr("--trusted-proxy {address} is no address", address=address),
            tr("write its numbers: 10.0.0.2"),
        ) from error


def _address_towards(proxy: str) -> str:
    """This machine's own address on the network of the proxy; other networks need no port."""
    family = socket.AF_INET6 if ":" in proxy else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect((proxy, 9))  # sends nothing, but chooses the way
        except OSError as error:
            raise UsageProblem(
                tr("no network leads to {address}: {why}", address=proxy, why=reason_of(error)),
                tr("correct --trusted-proxy"),
            ) from error
        return str(asking.getsockname()[0])


def _listen(host: str, port: int) -> socket.socket:
    from feedtool.serving import listen

    try:
        return listen(host, port)
    except OSError as error:
        raise UsageProblem(
            tr("port {port} cannot be had: {why}", port=port, why=reason_of(error)),
            tr("choose another --port (0 picks a free one)"),
        ) from error


def _listen_on_file(path: Path) -> socket.socket:
    from feedtool.serving import listen_on_file

    try:
        return listen_on_file(path, OWN_AND_GROUP)
    except OSError as error:
        raise UsageProblem(
            tr("the socket {path} cannot be had: {why}", path=path, why=reason_of(error)),
            tr("choose another --socket"),
        ) from error


def kept_secret(path: Path | None) -> str:
    """The secret part of the address: a new one, or that of a file, which is made if need be."""
    if path is None:
        return secrets.token_urlsafe(SECRET_BYTES)
    try:
        with suppress(FileExistsError), open(path, "x", opener=partial(os.open, mode=OWN)) as file:
            file.write(secrets.token_urlsafe(SECRET_BYTES))
        secret, mode = path.read_text("utf-8").strip(), path.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(
            tr("the file {path} cannot be used: {why}", path=path, why=reason_of(error)),
            tr("choose another --secret-file"),
        ) from error
    if not SECRET.fullmatch(secret):
        raise UsageProblem(
            tr("the file {path} holds no secret of 32 letters or more", path=path),
            tr("name a file that is not there yet: it is made"),
        )
    if os.name != "nt" and mode & OF_OTHERS:
        raise UsageProblem(
            tr("others may read the file {path}", path=path),
            tr("keep it for yourself: chmod 600 {path}", path=path),
        )
    return secret
