"""A folder of an SFTP server."""

from contextlib import suppress
from pathlib import Path, PurePosixPath

from asyncssh import SFTPAttrs, SFTPClient, SFTPError, SFTPNoSuchFile
from asyncssh.constants import FILEXFER_TYPE_DIRECTORY, FILEXFER_TYPE_REGULAR

from feedtool.model.file_version import FileChanging
from feedtool.model.text import tr
from feedtool.places.contract import Entry, Moved
from feedtool.places.folder import missing_file, temporary_name
from feedtool.places.sftp_server import SftpServer

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
