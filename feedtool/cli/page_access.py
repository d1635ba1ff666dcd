"""Address and access rules of the page, for one user of this machine or shared by several."""

import os
import re
import secrets
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, NamedTuple

from msgspec import Struct

from feedtool.cli.options import count, flag, path, text
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.text import tr
from feedtool.page.access import Access, LocalAccess, SharedAccess, local_hosts
from feedtool.runs.config import PageRights
from feedtool.serving import LOOPBACK, UNIX_PEER, listen, listen_on_file

SECRET, SECRET_BYTES = re.compile(r"[A-Za-z0-9_-]{32,}"), 24
OWN, OWN_AND_GROUP, OF_OTHERS = 0o600, 0o660, 0o077
HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


class AccessOptions(Struct, frozen=True, kw_only=True):
    """Options for the address and the access rules of the page."""

    port: Annotated[
        int, count("--port", "The port; 0 picks a free one.", default=0, min=0, max=65535)
    ] = 0
    no_open: Annotated[
        bool, flag("--no-open", "Only print the address; do not open the browser.")
    ] = False
    secret_file: Annotated[
        Path | None,
        path(
            "--secret-file",
            "FILE",
            "Keep the secret part of the address here, so that it stays the same.",
            may_be="file",
        ),
    ] = None
    host_name: Annotated[
        tuple[str, ...],
        text(
            "--host-name",
            "NAME",
            "A name by which browsers reach the page; may be given again.",
            multiple=True,
        ),
    ] = ()
    shared: Annotated[
        bool, flag("--shared", "Serve several users, behind a proxy where they log in.")
    ] = False
    socket: Annotated[
        Path | None,
        path("--socket", "FILE", "With --shared: the unix socket for the proxy.", may_be="file"),
    ] = None
    trusted_proxy: Annotated[
        str | None,
        text("--trusted-proxy", "ADDRESS", "With --shared on a port: the address of the proxy."),
    ] = None
    user_header: Annotated[
        str | None,
        text(
            "--user-header",
            "NAME",
            "With --shared: the header in which the proxy names the user.  [default: Remote-User]",
        ),
    ] = None


class Listener(NamedTuple):
    """The listening socket of the page, and its access rules."""

    server_socket: socket.socket
    access: Access
    address: str
    """The address to print; for a page of one user it can be opened."""
    rights: Mapping[str, PageRights] | None = None
    """User of a shared page → the user's rights; None if it is not shared."""


def open_listener(options: AccessOptions, users: Mapping[str, PageRights]) -> Listener:
    """Listen as the options say; `users` are the configuration's users of a shared page.

    UsageProblem if options contradict, or the port or the socket is not available.
    """
    if options.shared:
        for message, hint in _shared_problems(options, users):
            raise UsageProblem(message, hint)
        return _shared_listener(options, users)
    shared_only = {
        "--socket": options.socket,
        "--trusted-proxy": options.trusted_proxy,
        "--user-header": options.user_header,
    }
    for option, value in shared_only.items():
        if value:
            raise UsageProblem(
                tr("{option} is for a shared page", option=option),
                tr("add --shared, or leave it out"),
            )
    secret = kept_secret(options.secret_file)
    listening = _listen(LOOPBACK, options.port)
    port = listening.getsockname()[1]
    access = LocalAccess(local_hosts(port) | _names(options), secret)
    return Listener(listening, access, f"http://{LOOPBACK}:{port}/{secret}/")


def _shared_problems(
    options: AccessOptions, users: Mapping[str, PageRights]
) -> Iterator[tuple[str, str]]:
    """Options that a shared page lacks or does not allow: messages with hints."""
    if not options.host_name:
        yield (
            tr("--shared needs --host-name"),
            tr("give the name that browsers use: --host-name feeds.example.org"),
        )
    if bool(options.socket) == bool(options.trusted_proxy):
        yield (
            tr("--shared needs either --socket or --trusted-proxy"),
            tr("name one: only the proxy may say who the user is"),
        )
    if options.secret_file:
        yield tr("a shared page has no secret address"), tr("leave --secret-file out")
    if options.user_header and not HEADER.fullmatch(options.user_header):
        yield (
            tr("--user-header {name} is not a header", name=options.user_header),
            tr("write it like Remote-User"),
        )
    if not users:
        yield (
            tr("nobody may use the shared page"),
            tr("add a table [page.users.NAME] to the configuration for each user"),
        )


def _shared_listener(options: AccessOptions, users: Mapping[str, PageRights]) -> Listener:
    header = options.user_header or "Remote-User"
    if options.socket:
        listening, proxy = _listen_on_file(options.socket), UNIX_PEER
        address = f"unix:{options.socket}"
    else:
        proxy = _numeric(options.trusted_proxy or "")
        listening = _listen(_address_towards(proxy), options.port)
        host, port, *_ = listening.getsockname()
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    access = SharedAccess(_names(options), proxy, header, frozenset(users))
    return Listener(listening, access, address, users)


def _names(options: AccessOptions) -> frozenset[str]:
    return frozenset(name.lower() for name in options.host_name)


def _numeric(address: str) -> str:
    """The IP address in the notation of the operating system."""
    try:
        return str(ip_address(address))
    except ValueError as error:
        raise UsageProblem(
            tr("--trusted-proxy {address} is not an address", address=address),
            tr("write its numbers: 10.0.0.2"),
        ) from error


def _address_towards(proxy: str) -> str:
    """This machine's address on the network of the proxy; the port opens on no other network."""
    family = socket.AF_INET6 if ":" in proxy else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((proxy, 9))  # sends nothing, but chooses the network
        except OSError as error:
            raise UsageProblem(
                tr("no network leads to {address}: {why}", address=proxy, why=reason_of(error)),
                tr("correct --trusted-proxy"),
            ) from error
        return str(probe.getsockname()[0])


def _listen(host: str, port: int) -> socket.socket:
    try:
        return listen(host, port)
    except OSError as error:
        raise UsageProblem(
            tr("port {port} cannot be used: {why}", port=port, why=reason_of(error)),
            tr("choose another --port (0 picks a free one)"),
        ) from error


def _listen_on_file(place: Path) -> socket.socket:
    try:
        return listen_on_file(place, OWN_AND_GROUP)
    except OSError as error:
        raise UsageProblem(
            tr("the socket {path} cannot be used: {why}", path=place, why=reason_of(error)),
            tr("choose another --socket"),
        ) from error


def kept_secret(place: Path | None) -> str:
    """The secret part of the address: new, or from a file, which is made if need be."""
    if place is None:
        return secrets.token_urlsafe(SECRET_BYTES)
    try:
        with suppress(FileExistsError), open(place, "x", opener=partial(os.open, mode=OWN)) as file:
            file.write(secrets.token_urlsafe(SECRET_BYTES))
        secret, mode = place.read_text("utf-8").strip(), place.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(
            tr("the file {path} cannot be used: {why}", path=place, why=reason_of(error)),
            tr("choose another --secret-file"),
        ) from error
    if not SECRET.fullmatch(secret):
        raise UsageProblem(
            tr("the file {path} holds no secret of 32 letters or more", path=place),
            tr("name a new file: it will be written"),
        )
    if os.name != "nt" and mode & OF_OTHERS:
        raise UsageProblem(
            tr("others may read the file {path}", path=place),
            tr("keep it for yourself: chmod 600 {path}", path=place),
        )
    return secret
