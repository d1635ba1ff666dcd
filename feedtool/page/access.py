"""Who may ask the page for anything: the facts of a request become a denial, or nothing.

The page of one user has a secret address; a shared page stands behind a proxy where people log in.
The secret is no cookie, since a browser sends cookies to all ports of a machine. It is in no page
either: another site whose name was bound to this machine (DNS rebinding) could read it there.
"""

import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from msgspec import Struct

from feedtool.model.text import tr
from feedtool.runs.page_rights import ACTIONS, EVERY, PageRights

SAFE = frozenset({"GET", "HEAD"})
"""Methods that change nothing: other sites may lead here with them, and read no answer."""

HEALTH = "/health"
"""The path that tells a proxy or a supervisor, without a user, whether the page works."""
METRICS = "/metrics"
"""The path that tells a supervisor the figures of all sellers together; it names none of them."""
UNATTENDED = frozenset({HEALTH, METRICS})
"""Paths that are asked by programs, without a user, and past the proxy too."""

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_POLICY,
    # `no-referrer` would have browsers send our own forms with `Origin: null`.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Of every answer. What is downloaded has a stricter `Content-Security-Policy`."""


class Facts(NamedTuple):
    """What guards know of a request; a header that is absent is an empty text."""

    method: str
    host: str
    path: str
    peer: str
    """The numeric remote address, or `UNIX_PEER`."""
    scheme: str = "http"
    """`https` where the trusted proxy says so."""
    origin: str = ""
    site: str = ""
    """Of the header Sec-Fetch-Site."""
    user: str = ""
    """Whom the proxy names."""


class LocalAccess(Struct, frozen=True):
    """The page of one user: whoever knows its address may enter."""

    hosts: frozenset[str]
    token: str
    """The first part of every path."""


class SharedAccess(Struct, frozen=True):
    """The page of several users, behind a proxy where they log in."""

    hosts: frozenset[str]
    proxy: str
    """The remote address of the proxy."""
    user_header: str
    """The header in which the proxy names the user."""
    users: frozenset[str]
    """Those who have rights here."""


Access = LocalAccess | SharedAccess


class Denial(NamedTuple):
    """The answer to a request that does not get through."""

    status: HTTPStatus
    text: str


Guard = Callable[[Facts, Access], Denial | None]


def local_hosts(port: int) -> frozenset[str]:
    """What a browser on this machine may call the page."""
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


def facts_of(environ: Mapping[str, Any], user_header: str) -> Facts:
    """The facts of a WSGI request."""

    def header(name: str) -> str:
        return str(environ.get(f"HTTP_{name.upper().replace('-', '_')}", ""))

    user = header(user_header) if user_header else ""
    return Facts(
        method=environ["REQUEST_METHOD"],
        host=header("Host").lower(),
        path=environ["PATH_INFO"],
        peer=environ["REMOTE_ADDR"],
        scheme=environ["wsgi.url_scheme"],
        origin=header("Origin"),
        site=header("Sec-Fetch-Site"),
        user=user.encode("latin-1").decode("utf-8", "replace"),
    )


def another_host(facts: Facts, access: Access) -> Denial | None:
    """421 for a name that is not the page's: another site's, bound to this address."""
    if facts.host in access.hosts:
        return None
    return Denial(
        HTTPStatus.MISDIRECTED_REQUEST,
        tr("The page is not known by this name; --host-name adds one."),
    )


def another_way(facts: Facts, access: Access) -> Denial | None:
    """403 where a shared page is asked by another than its proxy."""
    if isinstance(access, LocalAccess) or facts.peer == access.proxy or _is_unattended(facts):
        return None
    return Denial(HTTPStatus.FORBIDDEN, tr("The page is only reached through its proxy."))


def no_token(facts: Facts, access: Access) -> Denial | None:
    """404 for a path that does not begin with the secret."""
    if isinstance(access, SharedAccess):
        return None
    first = facts.path.removeprefix("/").partition("/")[0]
    if hmac.compare_digest(first.encode(), access.token.encode()):
        return None
    return Denial(
        HTTPStatus.NOT_FOUND,
        tr("There is no page here. `feedtool page` prints the address to open."),
    )


def no_user(facts: Facts, access: Access) -> Denial | None:
    """401 where the proxy names nobody."""
    if isinstance(access, LocalAccess) or facts.user or _is_unattended(facts):
        return None
    return Denial(HTTPStatus.UNAUTHORIZED, tr("Nobody is logged in."))


def no_rights(facts: Facts, access: Access) -> Denial | None:
    """403 for a user without rights."""
    if isinstance(access, LocalAccess) or facts.user in access.users or _is_unattended(facts):
        return None
    return Denial(
        HTTPStatus.FORBIDDEN,
        tr(
            "{name} has no rights here; [page.users] in the configuration gives them.",
            name=facts.user,
        ),
    )


def another_site(facts: Facts, _: Access) -> Denial | None:
    """403 where the browser says that a page of another site wants to change something."""
    return None if facts.method in SAFE or facts.site in {"", "same-origin"} else _FOREIGN


def another_origin(facts: Facts, _: Access) -> Denial | None:
    """403 where what wants to change something comes from another port, scheme or name."""
    own = f"{facts.scheme}://{facts.host}"
    return None if facts.method in SAFE or facts.origin in {"", own} else _FOREIGN


def no_origin(facts: Facts, _: Access) -> Denial | None:
    """403 where nothing says from where something is to be changed: browsers always do."""
    return None if facts.method in SAFE or facts.origin or facts.site else _FOREIGN


_FOREIGN = Denial(HTTPStatus.FORBIDDEN, tr("This request does not come from the page itself."))

GUARDS: Sequence[Guard] = (
    *(another_host, another_way, no_token, no_user, no_rights),
    *(another_site, another_origin, no_origin),
)
"""In their order: whoever has not the address, or is nobody, learns no more than that."""
BEFORE_BODY: Sequence[Guard] = GUARDS[:5]
"""Guards that judge a request by its own headers, before its body is taken in."""


def denial_of(facts: Facts, access: Access, guards: Sequence[Guard] = GUARDS) -> Denial | None:
    """What the first guard says that lets a request not through; None where all do."""
    return next(filter(None, (guard(facts, access) for guard in guards)), None)


def _is_unattended(facts: Facts) -> bool:
    return facts.path in UNATTENDED and facts.method in SAFE


def with_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers of an answer and ours, which replace those of the same name.

    A file to download may be a page, such as the report: it can do nothing, if it is opened.
    """
    others = [(name, value) for name, value in headers if name.title() not in _TITLES]
    is_file = any(
        name.title() == "Content-Disposition" and value.startswith("attachment")
        for name, value in others
    )
    policy = f"{CONTENT_POLICY}; sandbox" if is_file else CONTENT_POLICY
    return [*others, *({**HEADERS, "Content-Security-Policy": policy}).items()]


_TITLES = frozenset(name.title() for name in HEADERS)


# Who uses the page, which accounts he sees, and what he may do there.


OWNER = PageRights((EVERY,), ACTIONS)
"""The rights of whoever has started the page for himself."""
NOBODY = PageRights()


class User(NamedTuple):
    """Somebody who uses the page."""

    name: str
    rights: PageRights

    def sees(self, account: str) -> bool:
        """True if the files and runs of an account are shown."""
        return EVERY in self.rights.profiles or account in self.rights.profiles

    def may(self, what: str) -> bool:
        """True if it is allowed: one of `ACTIONS`."""
        return what in self.rights.may


class Users(NamedTuple):
    """All who use the page."""

    owner: str
    """Whoever uses a page that is not shared."""
    rights: Mapping[str, PageRights] | None = None
    """Of a shared page, by name."""

    def of(self, name: str) -> User:
        """A user by the name that the guards have found."""
        if self.rights is None:
            return User(self.owner, OWNER)
        return User(name, self.rights.get(name, NOBODY))
