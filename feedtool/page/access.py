"""Guard the page: the facts of a request give a denial, or None.

The page of one user has a secret address; a shared page stands behind a proxy where people log in.
The secret is no cookie, since a browser sends cookies to all ports of a machine. It is in no page
either: another site whose name was bound to this machine (DNS rebinding) could read it there.
"""

import hmac
from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, ClassVar, NamedTuple

from msgspec import Struct

from feedtool.model.text import tr
from feedtool.runs.config import ACTIONS, EVERY, PageRights

SAFE = frozenset({"GET", "HEAD"})
"""Methods that change nothing: other sites may link here with them, and read no answer."""

HEALTH = "/health"
"""The path where a proxy or a supervisor checks, without a user, if the page works."""
METRICS = "/metrics"
"""The path where a supervisor reads figures of all sellers together; it names none."""
UNATTENDED = frozenset({HEALTH, METRICS})
"""Paths for programs, without a user, and not only through the proxy."""

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
"""The headers of every answer. A download has a stricter `Content-Security-Policy`."""


class Facts(NamedTuple):
    """The facts of a request for guards; an absent header is an empty text."""

    method: str
    host: str
    path: str
    peer: str
    """The numeric remote address, or `UNIX_PEER`."""
    scheme: str = "http"
    """`https` if the trusted proxy says so."""
    origin: str = ""
    site: str = ""
    """The header Sec-Fetch-Site."""
    user: str = ""
    """The user whom the proxy names."""


class LocalAccess(Struct, frozen=True):
    """The page of one user: the secret address gives access."""

    user_header: ClassVar[str] = ""
    """No header names the user."""

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
    """The names of users with rights."""


Access = LocalAccess | SharedAccess


class Denial(NamedTuple):
    """The answer to a refused request."""

    status: HTTPStatus
    text: str


Guard = Callable[[Facts, Access], Denial | None]


def local_hosts(port: int) -> frozenset[str]:
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


def facts_of(environ: Mapping[str, Any], user_header: str) -> Facts:
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


def wrong_host(facts: Facts, access: Access) -> Denial | None:
    """Deny with 421 a host name that is not the page's: another site's, bound to this address."""
    if facts.host in access.hosts:
        return None
    return Denial(
        HTTPStatus.MISDIRECTED_REQUEST,
        tr("The page is not known by this name; --host-name adds one."),
    )


def not_from_proxy(facts: Facts, access: Access) -> Denial | None:
    """Deny with 403 a request to a shared page that does not come from its proxy."""
    if isinstance(access, LocalAccess) or facts.peer == access.proxy or _is_unattended(facts):
        return None
    return Denial(HTTPStatus.FORBIDDEN, tr("The page is only reached through its proxy."))


def no_token(facts: Facts, access: Access) -> Denial | None:
    """Deny with 404 a path that does not begin with the secret."""
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
    """Deny with 401 a request without a user from the proxy."""
    if isinstance(access, LocalAccess) or facts.user or _is_unattended(facts):
        return None
    return Denial(HTTPStatus.UNAUTHORIZED, tr("Nobody is logged in."))


def no_rights(facts: Facts, access: Access) -> Denial | None:
    """Deny with 403 a user without rights."""
    if isinstance(access, LocalAccess) or facts.user in access.users or _is_unattended(facts):
        return None
    return Denial(
        HTTPStatus.FORBIDDEN,
        tr(
            "{name} has no rights here; [page.users] in the configuration gives them.",
            name=facts.user,
        ),
    )


def foreign_site(facts: Facts, _: Access) -> Denial | None:
    """Deny with 403 a change from another site, by the browser's header."""
    return None if facts.method in SAFE or facts.site in {"", "same-origin"} else _FOREIGN


def foreign_origin(facts: Facts, _: Access) -> Denial | None:
    """Deny with 403 a change from another port, scheme or name."""
    origin = f"{facts.scheme}://{facts.host}"
    return None if facts.method in SAFE or facts.origin in {"", origin} else _FOREIGN


def no_origin(facts: Facts, _: Access) -> Denial | None:
    """Deny with 403 a change without an origin: browsers always send one."""
    return None if facts.method in SAFE or facts.origin or facts.site else _FOREIGN


_FOREIGN = Denial(HTTPStatus.FORBIDDEN, tr("This request does not come from the page itself."))

GUARDS: Sequence[Guard] = (
    *(wrong_host, not_from_proxy, no_token, no_user, no_rights),
    *(foreign_site, foreign_origin, no_origin),
)
"""In order: a request without the address, or without a user, learns nothing else."""
BEFORE_BODY: Sequence[Guard] = GUARDS[:5]
"""Guards that judge a request by its headers, before its body is read."""


def denial_of(facts: Facts, access: Access, guards: Sequence[Guard] = GUARDS) -> Denial | None:
    return next(filter(None, (guard(facts, access) for guard in guards)), None)


def _is_unattended(facts: Facts) -> bool:
    return facts.path in UNATTENDED and facts.method in SAFE


def with_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers of an answer, with `HEADERS` in place of those of the same name.

    A download may be a page, such as the report: the `sandbox` policy makes it powerless.
    """
    others = [(name, value) for name, value in headers if name.title() not in _TITLES]
    is_file = any(
        name.title() == "Content-Disposition" and value.startswith("attachment")
        for name, value in others
    )
    policy = f"{CONTENT_POLICY}; sandbox" if is_file else CONTENT_POLICY
    return [*others, *({**HEADERS, "Content-Security-Policy": policy}).items()]


_TITLES = frozenset(name.title() for name in HEADERS)


# The users of the page, the accounts that they see, and their rights there.


OWNER = PageRights((EVERY,), ACTIONS)
"""The rights of the only user of a page that is not shared."""
NOBODY = PageRights()


class User(NamedTuple):
    """A user of the page."""

    name: str
    rights: PageRights

    def sees(self, account: str) -> bool:
        return EVERY in self.rights.profiles or account in self.rights.profiles

    def may(self, action: str) -> bool:
        return action in self.rights.may


class Users(NamedTuple):
    """All users of the page."""

    owner: str
    """The user of a page that is not shared."""
    rights: Mapping[str, PageRights] | None = None
    """The rights of a shared page's users, by name; None if it is not shared."""

    def of(self, name: str) -> User:
        if self.rights is None:
            return User(self.owner, OWNER)
        return User(name, self.rights.get(name, NOBODY))
