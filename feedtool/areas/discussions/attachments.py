"""The files of a message: read with the row, judged by their content (rule 3)."""

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from feedtool.areas.discussions import codes
from feedtool.areas.discussions.columns import FILES
from feedtool.areas.discussions.settings import DiscussionSettings
from feedtool.feeds.feed import Row
from feedtool.model.errors import reason_of
from feedtool.model.nouns import Issue
from feedtool.model.settings import Locate, NotLocated
from feedtool.model.text import tr

HEIF = frozenset(
    b"ftyp" + brand for brand in (b"heic", b"heix", b"hevc", b"hevx", b"mif1", b"msf1")
)
"""Beginnings of HEIC and HEIF, after four bytes; films have others."""
OFFICE = {b"word/": "docx", b"xl/": "xlsx"}
"""Formats of Office by a folder in the ZIP."""
BEGINNINGS = {
    b"%PDF-": ("pdf",),
    b"\xff\xd8\xff": ("jpg", "jpeg"),
    b"\x89PNG\r\n\x1a\n": ("png",),
    b"GIF8": ("gif",),
    b"BM": ("bmp",),
    b"II*\0": ("tif", "tiff"),
    b"MM\0*": ("tif", "tiff"),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("doc", "xls"),
}
"""Formats by the beginning of a file: the format of its name, else the first."""


class LocalFile(NamedTuple):
    """A file that is sent."""

    name: str
    format: str
    content: bytes

    def document(self) -> dict[str, str]:
        content = b64encode(self.content).decode()
        return {"content": content, "name": self.name, "fileFormat": self.format}


def files_of(row: Row) -> tuple[list[LocalFile], list[Issue]]:
    """The files that a row names, and their issues."""
    context, issues, files = row.sheet.context, list[Issue](), list[LocalFile]()
    most = context.settings.of(DiscussionSettings).attachment_bytes
    for key in FILES:
        if name := row.values.get(key):
            attachment = _read(context.folder / str(name), str(name), most, context.locate)
            if isinstance(attachment, Issue):
                issues.append(attachment._replace(field=key))
            else:
                files.append(attachment)
    total = sum(len(file.content) for file in files)
    if total > most and not issues:
        issues.append(_too_large(total, most)._replace(field=FILES[0]))
    return files, issues


def _read(path: Path, name: str, most: int, locate: Locate) -> LocalFile | Issue:
    try:
        path = locate(path)
        with path.open("rb") as file:
            content = file.read(most + 1)
    except NotLocated as error:
        return Issue(codes.ATTACHMENT_FILE, error.message, error.hint)
    except (OSError, ValueError) as error:  # the latter for a path that no system has
        reason = reason_of(error) if isinstance(error, OSError) else tr("it is not a path")
        text = tr("the file cannot be read: {why}", why=reason)
        return Issue(codes.ATTACHMENT_FILE, text, tr("look at the path"))
    if not content:
        hint = tr("save it again")
        return Issue(codes.ATTACHMENT_FILE, tr("the file is empty"), hint)
    if len(content) > most:
        return _too_large(path.stat().st_size, most)
    format_ = format_of(content, Path(name).suffix)
    if format_ is None:
        is_photo = content[4:12] in HEIF
        text = tr("the service takes no HEIC") if is_photo else tr("the service takes no such file")
        hint = tr("save it as a PDF, a JPG or a PNG")
        return Issue(codes.ATTACHMENT_TYPE, text, hint)
    return LocalFile(Path(name).name, format_, content)


def format_of(content: bytes, ending: str) -> str | None:
    """The format of a file by its content; None for one that the service does not take."""
    suffix = ending.lower().lstrip(".")
    if content.startswith(b"PK\x03\x04"):
        return next((name for folder, name in OFFICE.items() if folder in content), None)
    formats: Sequence[str] = next(
        (names for begin, names in BEGINNINGS.items() if content.startswith(begin)), ()
    )
    return suffix if suffix in formats else next(iter(formats), None)


def _too_large(size: int, most: int) -> Issue:
    text = tr("the files have {size:,} bytes, of at most {most:,}", size=size, most=most)
    return Issue(codes.ATTACHMENT_SIZE, text, tr("send smaller ones, or fewer"))
