"""Requests to a local and to a shared page, and the status of the guards' answer to each."""

from typing import NamedTuple

from feedtool.page.access import Access, LocalAccess, SharedAccess, local_hosts

TOKEN = "Qx7-secret_43"
PORT = 53111
OWN = f"127.0.0.1:{PORT}"
NAME = "feeds.example.org"
PROXY = "10.0.0.2"
ANNA = "anna@example.org"

LOCAL = LocalAccess(local_hosts(PORT), TOKEN)
SHARED = SharedAccess(frozenset({NAME}), PROXY, "Remote-User", frozenset({ANNA, "Zoë"}))


class Case(NamedTuple):
    """A request by what is not usual about it; the headers of a usual one are added."""

    access: Access
    status: int | None
    """None where it gets through."""
    method: str = "GET"
    path: str = ""
    peer: str = ""
    scheme: str = "http"
    headers: dict[str, str] = {}  # noqa: RUF012  # none is changed

    @property
    def all_headers(self) -> dict[str, str]:
        """All its headers."""
        is_local = isinstance(self.access, LocalAccess)
        usual = {"Host": OWN} if is_local else {"Host": NAME, "Remote-User": ANNA}
        return {**usual, **self.headers}

    @property
    def environ(self) -> dict[str, str]:
        """The WSGI environment of the request."""
        is_local = isinstance(self.access, LocalAccess)
        return {
            "REQUEST_METHOD": self.method,
            "PATH_INFO": self.path or (f"/{TOKEN}/en/" if is_local else "/en/"),
            "REMOTE_ADDR": self.peer or ("127.0.0.1" if is_local else PROXY),
            "wsgi.url_scheme": self.scheme,
            **{
                f"HTTP_{name.upper().replace('-', '_')}": text
                for name, text in self.all_headers.items()
            },
        }


def local(status: int | None, method: str = "GET", path: str = "", **headers: str) -> Case:
    """A request to the page of one user."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Case(LOCAL, status, method, path, headers=named)


def shared(
    status: int | None,
    method: str = "GET",
    path: str = "",
    peer: str = PROXY,
    scheme: str = "https",
    **headers: str,
) -> Case:
    """A request to the page of several users."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Case(SHARED, status, method, path, peer, scheme, named)


SAME = {"Sec_Fetch_Site": "same-origin"}
FROM_OWN = {"Origin": f"http://{OWN}"}
FROM_NAME = {"Origin": f"https://{NAME}"}

CASES = {
    "a page": local(None),
    "its root": local(None, path=f"/{TOKEN}/"),
    "its root without a slash": local(None, path=f"/{TOKEN}"),
    "by name": local(None, Host=f"localhost:{PORT}"),
    "by name in capitals": local(None, Host=f"LocalHost:{PORT}"),
    "by the newer protocol": local(None, Host=f"[::1]:{PORT}"),
    "a link of another site": local(None, Sec_Fetch_Site="cross-site"),
    # Host
    "another name": local(421, Host="evil.example"),
    "another name with our port": local(421, Host=f"evil.example:{PORT}"),
    "our name with another port": local(421, Host="127.0.0.1:80"),
    "our name without a port": local(421, Host="127.0.0.1"),
    "no name": local(421, Host=""),
    "another name and no token": local(421, path="/", Host="evil.example"),
    "another name that changes something": local(421, "POST", Host="evil.example"),
    # token
    "bare": local(404, path="/"),
    "another token": local(404, path="/Qx7-secret_44/en/"),
    "less of the token": local(404, path="/Qx7-secret_4/en/"),
    "more than the token": local(404, path=f"/{TOKEN}x/en/"),
    "a token that is no ASCII": local(404, path="/\xc3\xa9/en/"),
    "the token further below": local(404, path=f"/en/{TOKEN}/"),
    "static without a token": local(404, path="/static/page.css"),
    "health of a local page": local(404, path="/health"),
    "a change without a token": local(404, "POST", "/en/files", **SAME, **FROM_OWN),
    # origin
    "a form": local(None, "POST", **SAME, **FROM_OWN),
    "an upload": local(None, "PUT", **SAME, **FROM_OWN),
    "an old browser": local(None, "POST", **FROM_OWN),
    "a browser that tells no origin": local(None, "POST", **SAME),
    "a name of ours and its origin": local(
        None, "POST", Host=f"localhost:{PORT}", Origin=f"http://localhost:{PORT}"
    ),
    "neither": local(403, "POST"),
    "neither, to delete": local(403, "DELETE"),
    "neither, by an unknown method": local(403, "BREW"),
    "another site": local(403, "POST", Sec_Fetch_Site="cross-site"),
    "another port": local(403, "POST", Sec_Fetch_Site="same-site", Origin="http://127.0.0.1:80"),
    "same site alone": local(403, "POST", Sec_Fetch_Site="same-site"),
    "no site": local(403, "POST", Sec_Fetch_Site="none"),
    "another site with our origin": local(403, "POST", Sec_Fetch_Site="cross-site", **FROM_OWN),
    "another origin": local(403, "POST", Origin="http://evil.example"),
    "another origin of the same site": local(403, "POST", Origin="http://evil.example", **SAME),
    "our origin by another name": local(403, "POST", Origin=f"http://localhost:{PORT}"),
    "our origin encrypted": local(403, "POST", Origin=f"https://{OWN}"),
    "an opaque origin": local(403, "POST", Origin="null", **SAME),
    "asked beforehand": local(403, "OPTIONS", Origin="http://evil.example"),
    # shared
    "shared": shared(None),
    "shared, a form": shared(None, "POST", **SAME, **FROM_NAME),
    "shared, unencrypted": shared(None, "POST", scheme="http", Origin=f"http://{NAME}"),
    "shared, letters of Europe": shared(None, Remote_User="Zo\xc3\xab"),
    "shared, another origin": shared(403, "POST", Origin="https://evil.example"),
    "shared, unencrypted origin": shared(403, "POST", Origin=f"http://{NAME}"),
    "shared, neither": shared(403, "POST"),
    "shared, another name": shared(421, Host=OWN),
    "shared, nobody": shared(401, Remote_User=""),
    "shared, a stranger": shared(403, Remote_User="eve@example.org"),
    "shared, two names": shared(403, Remote_User=f"{ANNA}, eve@example.org"),
    "shared, in other capitals": shared(403, Remote_User=ANNA.title()),
    "shared, past the proxy": shared(403, peer="10.0.0.3"),
    "shared, past the proxy on this machine": shared(403, peer="127.0.0.1"),
    "shared, past the proxy by nobody": shared(403, peer="10.0.0.3", Remote_User=""),
    "health": shared(None, path="/health", Remote_User=""),
    "health of a stranger": shared(None, path="/health", Remote_User="eve@example.org"),
    "health past the proxy": shared(None, path="/health", peer="127.0.0.1", Remote_User=""),
    "health by another name": shared(421, path="/health", Host="evil.example"),
    "health, to be changed": shared(401, "POST", path="/health", Remote_User="", **FROM_NAME),
    "below health": shared(401, path="/health/x", Remote_User=""),
    "figures": shared(None, path="/metrics", Remote_User=""),
    "figures past the proxy": shared(None, path="/metrics", peer="127.0.0.1", Remote_User=""),
    "figures by another name": shared(421, path="/metrics", Host="evil.example"),
    "figures, to be changed": shared(401, "POST", path="/metrics", Remote_User="", **FROM_NAME),
    "figures of a local page": local(404, path="/metrics"),
}
