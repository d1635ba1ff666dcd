"""A folder of an SFTP server."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import asyncssh
from asyncssh import (
    SFTPAttrs,
    SFTPClient,
    SFTPError,
    SFTPNoSuchFile,
    SSHClientConnection,
    SSHKeyPair,
)
from asyncssh.constants import FILEXFER_TYPE_DIRECTORY, FILEXFER_TYPE_REGULAR

from feedtool.model.command import printed_by, words_of
from feedtool.model.errors import FeedtoolError, Interrupted, UsageProblem, reason_of
from feedtool.model.file_version import FileChanging
from feedtool.model.text import joined, tr
from feedtool.places.contract import Entry, Moved, PlaceRefused
from feedtool.places.folder import missing_file, temporary_name

# A connection to an SFTP server, by its address.


Result = TypeVar("Result")

KEY, KNOWN_HOSTS, PASSWORD_COMMAND = "key", "known_hosts", "password_command"
SETTINGS = (KEY, KNOWN_HOSTS, PASSWORD_COMMAND)
HOME = "/~/"
CONNECT_TIMEOUT = 15.0
LOST = (
    asyncssh.ConnectionLost,
    asyncssh.SFTPConnectionLost,
    asyncssh.SFTPNoConnection,
    ConnectionError,
)
KEEPALIVE = 15
"""Seconds of silence after which a server is asked for a sign of life, three times."""


class SftpServer:
    """A server for one user; the first call connects, and so does a call after a lost connection.

    For one thread at a time.
    """

    def __init__(self, url: str, base: Path) -> None:
        """Raise UsageProblem if the URL is no address of an SFTP server, or holds a password."""
        parts = urlsplit(url)
        port = _port_of(parts.netloc)
        user = f"{parts.username}@" if parts.username else ""
        self.url = f"sftp://{user}{parts.hostname or ''}{f':{port}' if port else ''}{parts.path}"
        if parts.password is not None:
            raise UsageProblem(
                tr("{place}: an address holds no password.", place=self.url),
                tr("Add ?key=FILE, or ?password_command=COMMAND, which prints it."),
            )
        if not parts.hostname or port == "" or parts.fragment:
            raise UsageProblem(
                tr("{place} is not the address of a server.", place=self.url),
                tr("It looks like sftp://USER@HOST/FOLDER?key=FILE."),
            )
        self._settings, self._base = dict(parse_qsl(parts.query)), base
        if unknown := sorted(self._settings.keys() - set(SETTINGS)):
            raise UsageProblem(
                tr("{place}: nobody knows “{name}”.", place=self.url, name=unknown[0]),
                tr("After the question mark stand {known}.", known=joined(SETTINGS)),
            )
        self._host, self._port = parts.hostname, port
        self._user = unquote(parts.username or "")
        path = unquote(parts.path)
        self.root = PurePosixPath(path.removeprefix(HOME) if path.startswith(HOME) else path)
        """Absolute, or relative to the user's home folder."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = Thread()
        """Runs the loop: the caller's thread may have a loop already, and this one keeps the
        connection alive between two calls."""
        self._connection: SSHClientConnection | None = None
        self._client: SFTPClient | None = None

    def call(self, name: str, work: Callable[[SFTPClient], Awaitable[Result]]) -> Result:
        """Return the result of some work on the server; asyncssh's errors become feedtool's.

        If an idle connection turns out to be lost, the work is done again on a new one.
        """
        try:
            return self._run(self._call(work))
        except (asyncssh.Error, ConnectionError) as error:
            raise self._error(error, name) from error

    def close(self) -> None:
        if loop := self._loop:
            self._run(self._disconnect())
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
            loop.close()
            self._loop = None

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = Thread(target=self._loop.run_forever, name="sftp", daemon=True)
            self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _call(self, work: Callable[[SFTPClient], Awaitable[Result]]) -> Result:
        was_idle = self._client is not None
        try:
            return await work(await self._connected())
        except LOST:
            await self._disconnect()
            if not was_idle:
                raise
            return await work(await self._connected())

    async def _connected(self) -> SFTPClient:
        if self._client is None:
            self._client = await self.connect()
        return self._client

    async def connect(self) -> SFTPClient:
        options: Any = {
            "port": int(self._port) if self._port else (),
            "username": self._user or (),
            "known_hosts": self._known_hosts(),
            "keepalive_interval": KEEPALIVE,
            "connect_timeout": CONNECT_TIMEOUT,
            "login_timeout": CONNECT_TIMEOUT,
        }
        if KEY in self._settings:
            options |= {"client_keys": self._key(), "agent_path": None}
        if PASSWORD_COMMAND in self._settings:
            options["password"] = self._password()
        try:
            self._connection = await asyncssh.connect(self._host, **options)
            return await self._connection.start_sftp_client()
        except (TimeoutError, OSError) as error:
            raise self._unreachable(reason_of(error)) from error
        except ValueError as error:  # ssh's configuration is faulty
            raise self.refused(str(error)) from error

    async def _disconnect(self) -> None:
        connection, self._connection, self._client = self._connection, None, None
        if connection:
            connection.close()
            with suppress(Exception):  # the connection may be broken already
                await connection.wait_closed()

    def _known_hosts(self) -> str:
        """Return the file of trusted keys; for an empty path the library would use its default."""
        file = self._file(KNOWN_HOSTS)
        if not file.is_file():
            raise self.refused(
                tr("there is no file {file} with the key of its host", file=file), self._key_hint()
            )
        return str(file)

    def _key(self) -> Sequence[SSHKeyPair]:
        """Return the key, with its certificate if one is beside it."""
        file = self._file(KEY)
        try:
            return asyncssh.load_keypairs(str(file))
        except (OSError, ValueError) as error:
            why = reason_of(error)
            raise self.refused(
                tr("the key {file} cannot be used: {why}", file=file, why=why),
                tr("It is a private key without a passphrase; one with it belongs to ssh-agent."),
            ) from error

    def _file(self, setting: str) -> Path:
        path = self._settings.get(setting) or "~/.ssh/known_hosts"
        return self._base / Path(path).expanduser()

    def _password(self) -> str:
        try:
            command = words_of(self._settings[PASSWORD_COMMAND])
        except ValueError:
            command = []
        if not command:
            raise self.refused(tr("password_command is not a command"))
        printed, why = printed_by(command)
        lines = printed.splitlines()
        if why or not lines:
            why = why or tr("it prints nothing")
            text = tr("the command {command} gives no password: {why}", command=command[0], why=why)
            raise self.refused(text)
        return lines[0]

    def _error(self, error: Exception, name: str) -> FeedtoolError:
        reason = getattr(error, "reason", "") or reason_of(error)
        if isinstance(error, asyncssh.HostKeyNotVerifiable):
            return self.refused(
                tr("its key is not in {file}", file=self._file(KNOWN_HOSTS)), self._key_hint()
            )
        if isinstance(error, asyncssh.PermissionDenied):
            return self.refused(
                tr("it does not accept the user, the key or the password"),
                tr("Try it with `sftp`, and see what is in force: key=, password_command=."),
            )
        if isinstance(error, asyncssh.SFTPError) and not isinstance(
            error, asyncssh.SFTPNoConnection | asyncssh.SFTPConnectionLost
        ):
            return PlaceRefused(
                tr(
                    "{name} in {place} cannot be used: {why}.",
                    name=name or ".",
                    place=self.url,
                    why=reason,
                ),
                tr("See that its folder is there, and that the user may read and write in it."),
            )
        return self._unreachable(reason)

    def _key_hint(self) -> str:
        return tr(
            "Compare the key with the one that the server's administrators give, "
            "then add it: ssh-keyscan{port} {host} >> {file}",
            port=f" -p {self._port}" if self._port else "",
            host=self._host,
            file=self._file(KNOWN_HOSTS),
        )

    def refused(self, why: str, hint: str = "") -> PlaceRefused:
        """Return the error of a server that refuses an operation."""
        return PlaceRefused(
            tr("{place} does not let feedtool in: {why}.", place=self.url, why=why), hint
        )

    def _unreachable(self, why: str) -> Interrupted:
        return Interrupted(
            tr("{place} cannot be reached: {why}.", place=self.url, why=why),
            tr("Try again later; see that the network and the name of the server are right."),
        )


def _port_of(netloc: str) -> str | None:
    """Return the digits of a port, None without a port, or "" if the port is no number."""
    _, colon, port = netloc.rpartition("@")[2].rpartition("]")[2].rpartition(":")
    if not colon:
        return None
    return port if port.isdecimal() and int(port) < 1 << 16 else ""


SECOND = 1_000_000_000


class SftpPlace:
    """A folder of a server, which has to exist."""

    def __init__(self, url: str, base: Path) -> None:
        self._server = SftpServer(url, base)
        self.url = self._server.url

    def listing(self, folder: str) -> list[Entry]:
        """Return the plain files in a folder; no links, which may lead anywhere."""

        async def read(client: SFTPClient) -> list[Entry]:
            entries, folders = [], [folder]
            while folders:
                files = await client.readdir(self._path(parent := folders.pop()))
                for file in files:
                    name = str(PurePosixPath(parent, str(file.filename)))
                    is_folder = file.attrs.type == FILEXFER_TYPE_DIRECTORY
                    if is_folder and not str(file.filename).startswith("."):
                        folders.append(name)
                    elif entry := _entry(name, file.attrs):
                        entries.append(entry)
            return entries

        return self._server.call(folder, read)

    def find(self, name: str) -> Entry | None:
        return self._server.call(name, lambda client: self._find(client, name))

    def fetch(self, name: str, target: Path) -> Entry:
        """Read a file, and check that it did not change meanwhile."""

        async def read(client: SFTPClient) -> tuple[Entry | None, Entry | None]:
            before = await self._find(client, name)
            with suppress(SFTPNoSuchFile):
                await client.get(self._path(name), str(target))
            return before, await self._find(client, name)

        before, after = self._server.call(name, read)
        if not before:
            raise missing_file(self.url, name)
        if before != after:
            raise FileChanging(
                tr("{name} in {place} was changed while it was read.", name=name, place=self.url),
                tr("Wait until the program that writes it is done, and try again."),
            )
        return before

    def put(self, name: str, source: Path) -> bool:
        """Write a temporary file, then rename it."""

        async def write(client: SFTPClient) -> bool:
            if await client.lexists(self._path(name)):
                return False
            temporary = str(PurePosixPath(name).with_name(temporary_name()))
            await self._make_folder(client, name)
            try:
                await client.put(str(source), self._path(temporary))
                return await self._rename(client, temporary, name)
            finally:
                await self._remove(client, temporary)

        return self._server.call(name, write)

    def move(self, entry: Entry, target: str) -> Moved:
        """Rename in one step; if another file came meanwhile, rename it back."""

        async def rename(client: SFTPClient) -> Moved:
            if await self._find(client, entry.name) != entry:
                return Moved.GONE
            await self._make_folder(client, target)
            if not await self._rename(client, entry.name, target):
                is_there = await client.lexists(self._path(target))
                return Moved.TAKEN if is_there else Moved.GONE
            moved = await self._find(client, target)
            if moved and moved._replace(name=entry.name) == entry:
                return Moved.DONE
            await self._rename(client, target, entry.name)
            await self._remove(client, target)
            return Moved.GONE

        return self._server.call(target, rename)

    def delete(self, name: str) -> None:
        self._server.call(name, lambda client: self._remove(client, name))

    def close(self) -> None:
        self._server.close()

    def _path(self, name: str) -> str:
        return str(self._server.root / name)

    async def _find(self, client: SFTPClient, name: str) -> Entry | None:
        try:
            return _entry(name, await client.lstat(self._path(name)))
        except SFTPNoSuchFile:
            return None

    async def _rename(self, client: SFTPClient, name: str, target: str) -> bool:
        """Rename a file; False if it is gone, or the name is taken."""
        if await client.lexists(self._path(target)):
            return False
        try:
            await client.rename(self._path(name), self._path(target))
        except SFTPError:
            # Servers differ in the error code of a name that is taken.
            if await client.lexists(self._path(target)) or not await self._find(client, name):
                return False
            raise
        return True

    async def _make_folder(self, client: SFTPClient, name: str) -> None:
        """Make the folders of a name, but not the place itself."""
        if not await client.isdir(self._path("")):
            raise self._server.refused(
                tr("there is no such folder"), tr("Correct its name, or have it made.")
            )
        await client.makedirs(self._path(str(PurePosixPath(name).parent)), exist_ok=True)

    async def _remove(self, client: SFTPClient, name: str) -> None:
        try:
            await client.remove(self._path(name))
        except SFTPNoSuchFile:
            return


def _entry(name: str, attrs: SFTPAttrs) -> Entry | None:
    """Return the entry of a plain file, or None."""
    if attrs.type != FILEXFER_TYPE_REGULAR:
        return None
    modified = (attrs.mtime or 0) * SECOND + (attrs.mtime_ns or 0)
    return Entry(name, attrs.size or 0, str(modified), modified)
