"""Read the zip package of a workbook part by part, without trusting it."""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from io import SEEK_END
from pathlib import Path
from typing import IO, Self
from zipfile import BadZipFile, ZipFile, ZipInfo

from feedtool.model.limits import MIB, ReadingLimits
from feedtool.model.text import MessageText, tr
from feedtool.sheets.read.errors import (
    COPY_AGAIN,
    NOT_TRUSTED,
    SAVE_AGAIN,
    CorruptZip,
    Encrypted,
    ZipBadName,
    ZipBomb,
    ZipDuplicateMember,
)

_BROKEN = (BadZipFile, EOFError, zlib.error, ValueError, ArithmeticError, LookupError, OSError)
"""The errors of zipfile, documented or not, for a package that is damaged on purpose."""

_LARGEST_DIRECTORY = 16 * MIB
"""In bytes; a part takes about a hundred."""
_END_RECORD, _LOCATOR, _END_RECORD_64 = 22, 20, 56
_TAIL = _LOCATOR + _END_RECORD + (1 << 16)
"""Bytes at the end that contain the end record, which a comment of up to 64 KiB may follow."""
_ENCRYPTED_FLAGS = 0x01 | 0x40 | 0x2000


DEFAULT_LIMITS = ReadingLimits()


class ZipPackage:
    """An open zip package. Names of parts are compared without case and kinds of slashes.

    Opening raises CorruptZip, ZipBomb, ZipBadName, ZipDuplicateMember, Encrypted; OSError if the
    file itself cannot be opened.
    """

    def __init__(self, path: Path, limits: ReadingLimits = DEFAULT_LIMITS) -> None:
        self.path = path
        self.limits = limits
        self._file = path.open("rb")
        try:
            self._zip = _open_zip(self._file)
            self.infos: list[ZipInfo] = self._zip.infolist()
            """All members of the package in order, folders included."""
            self.comment = self._zip.comment
            self._by_key = _index(self.infos, limits)
            _refuse_bombs(self.infos, limits, path.stat().st_size)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reopen(self) -> None:
        """Open the file again after the process was forked, with its own place in the file."""
        again = os.open(f"/proc/self/fd/{self._file.fileno()}", os.O_RDONLY)
        self._file = os.fdopen(again, "rb")
        self._zip = _open_zip(self._file)

    def close(self) -> None:
        self._zip.close()
        self._file.close()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parts, spelled as in the package, in order, without folders."""
        return tuple(info.filename for info in self._by_key.values())

    def part(self, name: str) -> ZipInfo | None:
        """Return the part of this name, compared as `part_key` does, or None."""
        return self._by_key.get(part_key(name))

    def read(self, name: str) -> bytes:
        """Return a small part. Raises CorruptZip if it is absent, ZipBomb if it is not small."""
        return b"".join(self.small(name))

    def small(self, name: str) -> Iterator[bytes]:
        """Yield a small part in blocks. Raises as `read` does."""
        info = self.part(name)
        if info and info.file_size > self.limits.small:
            raise ZipBomb(
                tr(
                    "Part {name} of the package unpacks to more than {size}.",
                    name=name,
                    size=_mib(self.limits.small),
                ),
                NOT_TRUSTED,
            )
        return self.stream(name)

    def stream(self, name: str, size: int = 1 << 18) -> Iterator[bytes]:
        """Inflate a part in blocks of at most `size` bytes, and check its checksum at the end.

        Several streams may be read in turns. Raises CorruptZip.
        """
        info = self.part(name)
        if info is None:
            raise CorruptZip(tr("The package lacks its part {name}.", name=name), COPY_AGAIN)
        try:
            with self._zip.open(info) as member:
                while piece := member.read(size):
                    yield piece
                if member.tell() != info.file_size:
                    raise BadZipFile("shorter than its directory says")
        except (*_BROKEN, RuntimeError) as error:
            raise CorruptZip(
                tr("Part {filename} of the package is damaged.", filename=info.filename), COPY_AGAIN
            ) from error


def part_key(name: str) -> str:
    r"""Return the key that all spellings of a part share: `/XL\Styles.xml` is `xl/styles.xml`."""
    return name.replace("\\", "/").lstrip("/").casefold()


def _open_zip(file: IO[bytes]) -> ZipFile:
    """Open the package's directory. Raises CorruptZip."""
    try:
        if _directory_size(file) > _LARGEST_DIRECTORY:
            raise ZipBomb(tr("The package has too many parts."), NOT_TRUSTED)
        return ZipFile(file)
    except (*_BROKEN, NotImplementedError) as error:
        # zipfile's words for a package whose directory, at its end, cannot be found.
        is_cut_off = "not a zip file" in str(error)
        why = tr("its end is missing") if is_cut_off else tr("its list of parts is damaged")
        raise CorruptZip(
            tr("The file is a damaged or incomplete zip package ({why}).", why=why), COPY_AGAIN
        ) from error


def _directory_size(file: IO[bytes]) -> int:
    """Return the size of the directory in bytes; zipfile would read a directory of any size."""
    file.seek(0, SEEK_END)
    length = file.tell()
    file.seek(max(0, length - _TAIL))
    tail = file.read(_TAIL)
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) - end < _END_RECORD:
        return 0
    if tail[max(0, end - _LOCATOR) :].startswith(b"PK\x06\x07"):
        (place,) = struct.unpack_from("<Q", tail, end - _LOCATOR + 8)
        file.seek(min(place, length))
        record = file.read(_END_RECORD_64)
        if len(record) == _END_RECORD_64:
            return int(struct.unpack_from("<Q", record, 40)[0])
    return int(struct.unpack_from("<L", tail, end + 12)[0])


def _index(infos: list[ZipInfo], limits: ReadingLimits) -> dict[str, ZipInfo]:
    """Return the parts by key, and refuse those of malicious packages."""
    if len(infos) > limits.parts:
        raise ZipBomb(tr("The package has {count} parts.", count=len(infos)), NOT_TRUSTED)
    by_key: dict[str, ZipInfo] = {}
    for info in infos:
        if info.filename.endswith("/"):  # `is_dir` fails for a member without a name
            continue
        _refuse_bad_member(info)
        key = part_key(info.filename)
        if key in by_key:
            raise ZipDuplicateMember(
                tr("The package holds two parts named {filename}.", filename=info.filename),
                SAVE_AGAIN,
            )
        by_key[key] = info
    return by_key


def _refuse_bad_member(info: ZipInfo) -> None:
    """Raise ZipBadName, Encrypted or CorruptZip for a member that no workbook has."""
    name = info.orig_filename
    segments = name.replace("\\", "/").split("/")
    if not name or ".." in segments or ":" in segments[0] or "\0" in name:
        raise ZipBadName(tr("The package holds a part named {name}.", name=repr(name)), NOT_TRUSTED)
    if info.flag_bits & _ENCRYPTED_FLAGS:
        raise Encrypted(
            tr("Part {name} of the package is encrypted.", name=name),
            tr("Save it without a password and try again."),
        )
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # zipfile inflates other methods without bounds, and no workbook may use them.
        raise CorruptZip(
            tr(
                "Part {name} is compressed by method {compress_type}, which workbooks never use.",
                name=name,
                compress_type=info.compress_type,
            ),
            SAVE_AGAIN,
        )


def _refuse_bombs(infos: list[ZipInfo], limits: ReadingLimits, archive_size: int) -> None:
    """Raise ZipBomb by the sizes in the directory; zipfile never inflates more than these."""
    for info in infos:
        if info.file_size > limits.part:
            raise ZipBomb(
                tr(
                    "Part {filename} unpacks to {size}, more than {most}.",
                    filename=info.filename,
                    size=_mib(info.file_size),
                    most=_mib(limits.part),
                ),
                NOT_TRUSTED,
            )
    total = sum(info.file_size for info in infos)
    if total > limits.total:
        raise ZipBomb(
            tr(
                "The package unpacks to {size}, more than {most}.",
                size=_mib(total),
                most=_mib(limits.total),
            ),
            NOT_TRUSTED,
        )
    if sum(info.compress_size for info in infos) > archive_size:
        raise ZipBomb(tr("The parts of the package overlap, as in a zip bomb."), NOT_TRUSTED)


def _mib(size: int) -> MessageText:
    return tr("{size:,.0f} MiB", size=size / MIB)
