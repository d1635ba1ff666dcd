"""The three kinds of places, each on this machine: a folder, a bucket of moto's, a server."""

import asyncio
import shutil
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import asyncssh
import obstore
import pytest
from obstore.store import S3Store

from feedtool.places import Place, open_place
from feedtool.places import bucket as bucket_module
from feedtool.places.sftp import SftpServer
from tests.buckets import NUMBERS, bucket, files_in, s3
from tests.pairs import sample
from tests.places.fragile import Fragile

__all__ = ["bucket", "s3"]

USER, PASSWORD = "shop", "pass word"
PATIENCE = 60
"""Seconds for what takes far less."""


@dataclass(frozen=True)
class SftpSite:
    """A running server, and the files by which it is known and lets us in."""

    port: int
    root: Path
    known_hosts: Path
    key: Path
    end_connections: Callable[[], None]

    def url(self, folder: str = "", user: str = USER, **settings: object) -> str:
        """An address of it; the settings are those after the question mark."""
        given = {"known_hosts": self.known_hosts, "key": self.key, **settings}
        query = "&".join(f"{name}={value}" for name, value in given.items() if value is not None)
        return f"sftp://{user}@127.0.0.1:{self.port}/{folder}?{query}"


class _Login(asyncssh.SSHServer):
    def __init__(self, connections: list[asyncssh.SSHServerConnection]) -> None:
        self._connections = connections

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connections.append(conn)

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return (username, password) == (USER, PASSWORD)


@contextmanager
def serving_sftp(folder: Path) -> Iterator[SftpSite]:
    """A server on loopback, in a thread of its own."""
    (root := folder / "root").mkdir()
    host_key, user_key = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    user_key.write_private_key(str(folder / "key"))
    user_key.write_public_key(str(folder / "authorized"))

    async def listen() -> asyncssh.SSHAcceptor:
        return await asyncssh.listen(
            "127.0.0.1",
            0,
            server_factory=lambda: _Login(connections),
            server_host_keys=[host_key],
            authorized_client_keys=str(folder / "authorized"),
            sftp_factory=lambda channel: asyncssh.SFTPServer(channel, chroot=str(root).encode()),
        )

    def end_connections() -> None:
        while connections:
            loop.call_soon_threadsafe(connections.pop().abort)

    connections = list[asyncssh.SSHServerConnection]()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    acceptor = asyncio.run_coroutine_threadsafe(listen(), loop).result(PATIENCE)
    port = acceptor.get_port()
    public = host_key.export_public_key().decode()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {public}", "ascii")
    try:
        yield SftpSite(port, root, folder / "known_hosts", folder / "key", end_connections)
    finally:
        _end(acceptor, loop, thread)


def _end(
    acceptor: asyncssh.SSHAcceptor, loop: asyncio.AbstractEventLoop, thread: threading.Thread
) -> None:
    async def close() -> None:
        acceptor.close()
        await acceptor.wait_closed()

    asyncio.run_coroutine_threadsafe(close(), loop).result(PATIENCE)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(PATIENCE)
    loop.close()


@pytest.fixture(scope="session")
def sftp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SftpSite]:
    with serving_sftp(tmp_path_factory.mktemp("sftp")) as site:
        yield site


class Site:
    """A place, and its files as others put them there and see them."""

    def __init__(self, url: str, root: Path | None = None) -> None:
        """Keep the place's URL, and its folder if it is one."""
        self.url, self._root, self._opened = url, root, list[Place]()
        self.wrap: Callable[[Place], Any] = lambda place: place
        if root:
            root.mkdir(parents=True)

    def open(self) -> Place:
        """The place, as one more machine opens it."""
        self._opened.append(open_place(self.url, Path("/")))
        place: Place = self.wrap(self._opened[-1])
        return place

    def close(self) -> None:
        for place in self._opened:
            place.close()

    def write(self, name: str, content: bytes = b"sku\nA\n") -> None:
        if self._root:
            (self._root / name).parent.mkdir(parents=True, exist_ok=True)
            (self._root / name).write_bytes(content)
        else:
            obstore.put(self._store, name, content)

    def files(self) -> dict[str, bytes]:
        """All of them, by name."""
        if self._root:
            root, plain = self._root, (path for path in self._root.rglob("*") if path.is_file())
            return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(plain)}
        return files_in(self.url)

    def clear(self) -> None:
        """Delete them all."""
        if self._root:
            shutil.rmtree(self._root)
            self._root.mkdir()
        else:
            listed = obstore.list(self._store)
            obstore.delete(self._store, [meta["path"] for metas in listed for meta in metas])

    @property
    def _store(self) -> S3Store:
        return S3Store.from_url(self.url, client_options={"allow_http": True})


KINDS = ("folder", "bucket", "sftp")
ON_A_FOLDER = pytest.mark.parametrize("kind", sample(KINDS, 1))
"""For what is up to the callers of a place: the contract shows that all places are alike."""


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def site(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Site]:
    """A place of each kind, empty."""
    if kind == "folder":
        site = Site(str(tmp_path / "place"), tmp_path / "place")
    elif kind == "bucket":
        site = Site(f"{request.getfixturevalue('bucket')}/shop")
    else:
        served: SftpSite = request.getfixturevalue("sftp")
        folder = f"place-{next(NUMBERS)}/shop"
        site = Site(served.url(folder), served.root / folder)
    yield site
    site.close()


Breaking = Callable[[int], AbstractContextManager[Fragile]]


# Before a call all is as after the call before it, so that the long run alone does both.
@pytest.fixture(
    params=[
        pytest.param(False, id="before", marks=pytest.mark.long),
        pytest.param(True, id="after"),
    ]
)
def is_done(request: pytest.FixtureRequest) -> bool:
    """True if the last call is completed before the kill."""
    return bool(request.param)


@pytest.fixture
def calls(kind: str, *, is_done: bool) -> Iterator[int]:
    """The numbers of the calls to be killed at: all, or every third one where each takes long.

    The long run is killed before each of them, which is after the one before it.
    """
    return count(1, 3 if is_done and kind != "folder" else 1)


@pytest.fixture
def breaking(kind: str, site: Site, *, is_done: bool) -> Breaking:
    """Break the place: a process that opens it now is killed at one of the place's calls."""

    @contextmanager
    def broken(last: int) -> Iterator[Fragile]:
        def connect(server: SftpServer) -> Awaitable[Any]:
            async def connected() -> Fragile:
                return fragile.around(await whole(server))

            return connected()

        fragile, whole = Fragile(obstore, last, is_done=is_done), SftpServer.connect
        with pytest.MonkeyPatch.context() as patch:
            if kind == "bucket":
                patch.setattr(bucket_module, "obstore", fragile)
            elif kind == "sftp":
                patch.setattr(SftpServer, "connect", connect)
            else:
                patch.setattr(site, "wrap", fragile.around)
            yield fragile

    return broken
