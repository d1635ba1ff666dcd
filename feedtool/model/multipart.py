"""A body of several files, as `multipart/form-data` (RFC 7578).

The boundary is a digest of the parts, so that equal files give equal bytes: a request can be
recognised by its body, and nothing depends on chance.
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple


class FilePart(NamedTuple):
    """One file of a body."""

    name: str
    """The name of the form's field."""
    file_name: str
    media_type: str
    content: bytes


class Multipart(NamedTuple):
    """A body and its Content-Type header."""

    headers: tuple[tuple[str, str], ...]
    body: bytes


def multipart(parts: Sequence[FilePart]) -> Multipart:
    """The body of some files, in their order."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"".join(map(_framed, (*_texts(part), part.content))))
    boundary = f"feedtool-{digest.hexdigest()[:32]}"
    lines = [
        line
        for part in parts
        for line in (
            f"--{boundary}".encode(),
            f'Content-Disposition: form-data; name="{_quoted(part.name)}";'
            f' filename="{_quoted(part.file_name)}"'.encode(),
            f"Content-Type: {part.media_type}".encode(),
            b"",
            part.content,
        )
    ]
    body = b"\r\n".join((*lines, f"--{boundary}--".encode(), b""))
    return Multipart((("Content-Type", f"multipart/form-data; boundary={boundary}"),), body)


def _texts(part: FilePart) -> list[bytes]:
    return [text.encode() for text in (part.name, part.file_name, part.media_type)]


def _framed(content: bytes) -> bytes:
    """Prefix content with its length, so that different lists of parts have different digests."""
    return len(content).to_bytes(8, "big") + content


def _quoted(name: str) -> str:
    """Quote a name as browsers do (RFC 7578, section 4.2)."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
