"""Make a zip package from another one; unchanged members are copied in compressed form.

`zipfile` can only inflate a member and deflate it again. Here a copied member keeps its deflated
bytes, its times, its attributes and its extra fields; only its offset changes, and sizes that
followed the data are written before it.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator
from copy import copy
from typing import IO, Protocol
from zipfile import ZIP_DEFLATED, ZipInfo

from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr
from feedtool.sheets.read.errors import COPY_AGAIN, CorruptZip

MOST = 0xFFFF_FFFF
"""Bytes of a part or a package at most, without the 64-bit fields that not all programs read."""
_COPIED = 1 << 20
_BLOCK = 1 << 18
_SHEET_LEVEL = 1
"""A compression level of isal, 0 to 3: 0 is as fast but a fifth larger, 3 is slower than zlib."""

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_SIZES_FOLLOW = 0x08
_NAME_IS_UTF8 = 0x800
_ZIP64 = 0x0001


class _Deflater(Protocol):
    def compress(self, data: memoryview, /) -> bytes: ...

    def flush(self) -> bytes: ...


class Repack:
    """Writes the members of a package one after another, then its directory (`finish`)."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._members: list[ZipInfo] = []

    def copy(self, info: ZipInfo, source: IO[bytes]) -> None:
        """Copy a member of `source` in compressed form."""
        extra, _ = _open_local(info, source)
        self._begin(info, extra)
        for piece in compressed(info, source):
            self._out.write(piece)

    def write(self, info: ZipInfo, pieces: Iterable[bytes], *, is_sheet: bool = False) -> ZipInfo:
        """Deflate new content for a member of this name, times and attributes, and return it.

        A sheet may be large, so it is deflated in the fastest way.
        """
        member = copy(info)
        member.compress_type = ZIP_DEFLATED
        member.extra = b""
        member.CRC = member.file_size = member.compress_size = 0
        written = self._begin(member, b"")
        deflater: _Deflater = _fastest() if is_sheet else zlib.compressobj(-1, zlib.DEFLATED, -15)
        begin = self._out.tell()
        crc = size = 0
        for piece in _even_blocks(pieces):
            crc = zlib.crc32(piece, crc)
            size += len(piece)
            self._out.write(deflater.compress(piece))
        self._out.write(deflater.flush())
        end = self._out.tell()
        written.CRC, written.file_size, written.compress_size = crc, size, end - begin
        _refuse_beyond(max(size, end))
        self._out.seek(written.header_offset)
        self._out.write(_local_header(written, b""))
        self._out.seek(end)
        return written

    def finish(self, comment: bytes) -> None:
        start = self._out.tell()
        for member in self._members:
            self._out.write(_central_header(member))
        size = self._out.tell() - start
        _refuse_beyond(start + size)
        count = len(self._members)
        self._out.write(
            _END.pack(b"PK\5\6", 0, 0, count, count, size, start, len(comment)) + comment
        )

    def _begin(self, info: ZipInfo, extra: bytes) -> ZipInfo:
        member = copy(info)
        member.header_offset = self._out.tell()
        member.flag_bits &= ~_SIZES_FOLLOW
        self._members.append(member)
        _refuse_beyond(member.header_offset)
        self._out.write(_local_header(member, extra))
        return member


def _even_blocks(pieces: Iterable[bytes]) -> Iterator[memoryview]:
    """Yield the bytes in blocks of one size: isal's output depends on the ends of blocks."""
    pending, size = [], 0
    for piece in pieces:
        pending.append(piece)
        size += len(piece)
        if size >= _BLOCK:
            view, end = memoryview(b"".join(pending)), size - size % _BLOCK
            yield from (view[start : start + _BLOCK] for start in range(0, end, _BLOCK))
            pending, size = [bytes(view[end:])], size - end
    yield memoryview(b"".join(pending))


def _fastest() -> _Deflater:
    """Return isal's deflater: 37 MB take 0.04 s to 5.3 MB; zlib's fastest 0.15 s to 5.6 MB.

    isal only deflates our own output. zlib inflates all files, and our output when it is checked,
    so that an error of one is found by the other.
    """
    from isal import isal_zlib

    return isal_zlib.compressobj(_SHEET_LEVEL, isal_zlib.DEFLATED, -15)


def compressed(info: ZipInfo, source: IO[bytes]) -> Iterator[bytes]:
    """Yield a member's compressed bytes. Raises CorruptZip if they end too early."""
    _, start = _open_local(info, source)
    remaining = info.compress_size
    source.seek(start)
    while remaining:
        piece = source.read(min(remaining, _COPIED))
        if not piece:
            raise _damaged(f"part {info.filename} is cut off")
        remaining -= len(piece)
        yield piece


def _damaged(what: str) -> CorruptZip:
    return CorruptZip(
        tr("The file is a damaged or incomplete zip package ({why}).", why=what), COPY_AGAIN
    )


def new_member(name: str, like: ZipInfo) -> ZipInfo:
    """Return a new member with the times and attributes of another one."""
    info = copy(like)
    info.filename = info.orig_filename = name
    info.comment = b""
    info.flag_bits = 0 if name.isascii() else _NAME_IS_UTF8
    return info


def _open_local(info: ZipInfo, source: IO[bytes]) -> tuple[bytes, int]:
    """Return a member's local extra fields, and the place of its data."""
    source.seek(info.header_offset)
    header = source.read(_LOCAL.size)
    if len(header) < _LOCAL.size or header[:4] != b"PK\3\4":
        raise _damaged(f"part {info.filename} is not where the directory says")
    *_, name_size, extra_size = _LOCAL.unpack(header)
    source.seek(name_size, 1)
    extra = source.read(extra_size)
    return _without_zip64(extra), info.header_offset + _LOCAL.size + name_size + extra_size


def _without_zip64(extra: bytes) -> bytes:
    """Return the extra fields without the 64-bit sizes, which are in the headers now."""
    kept, rest = b"", extra
    while len(rest) >= 4:  # noqa: PLR2004 — the head of a field
        kind, size = struct.unpack_from("<HH", rest)
        if kind != _ZIP64:
            kept += rest[: 4 + size]
        rest = rest[4 + size :]
    return kept + rest


def _local_header(info: ZipInfo, extra: bytes) -> bytes:
    name = _name(info)
    return _LOCAL.pack(b"PK\3\4", *_common(info), len(name), len(extra)) + name + extra


def _central_header(info: ZipInfo) -> bytes:
    name, extra = _name(info), _without_zip64(info.extra)
    made_by = info.create_system << 8 | info.create_version
    return (
        _CENTRAL.pack(
            b"PK\1\2",
            made_by,
            *_common(info),
            len(name),
            len(extra),
            len(info.comment),
            0,
            info.internal_attr,
            info.external_attr,
            info.header_offset,
        )
        + name
        + extra
        + info.comment
    )


def _common(info: ZipInfo) -> tuple[int, ...]:
    """Return the fields that both headers share, from the version to the inflated size."""
    year, month, day, hour, minute, second = info.date_time
    return (
        info.extract_version,
        info.flag_bits,
        info.compress_type,
        hour << 11 | minute << 5 | second >> 1,
        (year - 1980) << 9 | month << 5 | day,
        info.CRC,
        info.compress_size,
        info.file_size,
    )


def _name(info: ZipInfo) -> bytes:
    return info.orig_filename.encode("utf-8" if info.flag_bits & _NAME_IS_UTF8 else "cp437")


def _refuse_beyond(size: int) -> None:
    if size > MOST:
        raise UsageProblem(
            tr(
                "the annotated workbook would be larger than 4 GB, which no spreadsheet program"
                " opens"
            ),
            tr("split the workbook and annotate its parts"),
        )
