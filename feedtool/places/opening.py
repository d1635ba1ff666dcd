"""Open the place of a URL."""

from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr
from feedtool.places.contract import Place
from feedtool.places.folder import FolderPlace

EXTRAS = {
    **dict.fromkeys(("s3", "gs", "az"), ("obstore", "buckets")),
    "sftp": ("asyncssh", "sftp"),
}
"""The library that a scheme needs, and the extra that installs it."""


def open_place(url: str, base: Path) -> Place:
    """Return the place of a URL, or of a path relative to `base`; the first call connects.

    UsageProblem for an unknown scheme, and for one whose library is not installed.
    """
    scheme = scheme_of(url)
    if scheme in {"", "file"}:
        return FolderPlace(folder_of(url, base))
    if scheme not in EXTRAS:
        schemes = ", ".join(f"{known}://" for known in ("file", *EXTRAS))
        raise UsageProblem(
            tr("{scheme}:// is not a place that feedtool knows.", scheme=scheme),
            tr("A place is a folder, or one of {schemes}.", schemes=schemes),
        )
    library, extra = EXTRAS[scheme]
    if find_spec(library) is None:
        raise UsageProblem(
            tr("{scheme}:// needs the library {library}.", scheme=scheme, library=library),
            tr("Install it with: pip install 'feedtool[{extra}]'", extra=extra),
        )
    if scheme == "sftp":
        from feedtool.places.sftp import SftpPlace

        return SftpPlace(url, base)
    from feedtool.places.bucket import BucketPlace

    return BucketPlace(url)


def scheme_of(url: str) -> str:
    """Return `s3` for `s3://bucket`, "" for a path."""
    scheme, separator, _ = url.partition("://")
    return scheme.casefold() if separator else ""


def folder_of(url: str, base: Path) -> Path:
    path = unquote(urlsplit(url).path) if scheme_of(url) else url
    return (base / Path(path).expanduser()).absolute()
