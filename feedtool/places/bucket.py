"""A prefix of a bucket: S3 and compatible services, Google Cloud Storage, Azure Blob Storage.

The credentials come from the environment, by each service's usual names: `AWS_…`, `GOOGLE_…`,
`AZURE_…`, or from the machine's role.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from obstore.store import ObjectStore, from_url

from feedtool.model.errors import FeedtoolError, Interrupted, UsageProblem
from feedtool.model.text import tr
from feedtool.places.contract import Entry, Moved, PlaceRefused
from feedtool.places.folder import missing_file

if TYPE_CHECKING:  # obstore has it for type checkers only
    from obstore import ObjectMeta

PREFIXES = {"s3": "AWS_", "gs": "GOOGLE_", "az": "AZURE_"}
"""The schemes, and the prefixes of their settings in the environment."""
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

CALL_TIMEOUT = timedelta(minutes=5)
"""The limit for one request, its body and answer included."""
RETRIES: Mapping[str, Any] = {"max_retries": 3, "retry_timeout": timedelta(seconds=30)}

ABSENT = re.compile(r"NoSuchBucket|ContainerNotFound|bucket does not exist", re.IGNORECASE)
ANONYMOUS = re.compile(r"169\.254\.169\.254|metadata|must be specified", re.IGNORECASE)
"""In errors of obstore that has no credentials and asks the machine for some."""
REFUSED = re.compile(
    r"status code: (3|4(?!08|29))\d\d|invalid path|configured region", re.IGNORECASE
)
"""In errors of obstore that a later attempt cannot cure."""
CODE = re.compile(r"<Code>(\w+)</Code>")
ADDRESS = re.compile(r"\bhttps?://\S+")


class BucketPlace:
    """A prefix of a bucket; the first call connects."""

    def __init__(self, url: str) -> None:
        """Raise UsageProblem if the URL names no bucket, or credentials would go unencrypted."""
        parts = urlsplit(url)
        self.url = f"{parts.scheme}://{parts.hostname or ''}{parts.path.rstrip('/')}"
        if not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
            raise UsageProblem(
                tr("{place} is not all of a bucket's address, or too much.", place=self.url),
                tr(
                    "Write {scheme}://BUCKET/PREFIX; the credentials come from the environment.",
                    scheme=parts.scheme,
                ),
            )
        self._scheme = parts.scheme
        self._client = {"timeout": CALL_TIMEOUT, **_http_option(parts, os.environ)}

    def listing(self, folder: str) -> list[Entry]:
        """Return the objects whose names begin with the folder's."""
        with self._explained():
            objects = [meta for page in obstore.list(self._store, folder or None) for meta in page]
        entries = (_entry(str(meta["path"]), meta) for meta in objects)
        return [entry for entry in entries if not _is_folder(entry)]

    def find(self, name: str) -> Entry | None:
        try:
            with self._explained():
                return _entry(name, obstore.head(self._store, name))
        except FileNotFoundError:
            return None

    def fetch(self, name: str, target: Path) -> Entry:
        """Write an object, of one version, to a local file."""
        try:
            with self._explained():
                answer = obstore.get(self._store, name)
                with target.open("wb") as file:
                    file.writelines(answer.stream())
                return _entry(name, answer.meta)
        except FileNotFoundError as error:
            raise missing_file(self.url, name) from error

    def put(self, name: str, source: Path) -> bool:
        """Put an object, complete or not at all; False if the name is taken."""
        # Ask first: some services ignore the condition, and a large file would be sent in vain.
        if self.find(name):
            return False
        with self._explained():
            try:
                obstore.put(self._store, name, source, mode="create")
            except AlreadyExistsError:
                return False
            except NotImplementedError:  # AWS_CONDITIONAL_PUT=disabled
                obstore.put(self._store, name, source)
        return True

    def read(self, name: str) -> bytes | None:
        """Return a small file's content, or None if there is no such file."""
        try:
            with self._explained():
                return bytes(obstore.get(self._store, name).bytes())
        except FileNotFoundError:
            return None

    def replace(self, name: str, content: bytes | Path) -> None:
        with self._explained():
            obstore.put(self._store, name, content)

    def move(self, entry: Entry, target: str) -> Moved:
        """Copy, then delete; a call after a crash between the two finds the copy and deletes."""
        if self.find(entry.name) != entry:
            return Moved.GONE
        if (existing := self.find(target)) and not self._is_same(entry, existing):
            return Moved.TAKEN
        if not existing:
            try:
                with self._explained():
                    obstore.copy(self._store, entry.name, target)
            except FileNotFoundError:
                return Moved.GONE
            if self.find(entry.name) != entry:  # the copy may be of another version
                self.delete(target)
                return Moved.GONE
        self.delete(entry.name)
        return Moved.DONE

    def delete(self, name: str) -> None:
        try:
            with self._explained():
                obstore.delete(self._store, name)
        except FileNotFoundError:
            return

    def close(self) -> None:
        """Do nothing: idle connections end by themselves."""

    @cached_property
    def _store(self) -> ObjectStore:
        options: Any = {"client_options": self._client, "retry_config": RETRIES}
        return from_url(self.url, **options)

    def _is_same(self, entry: Entry, other: Entry) -> bool:
        """Compare ETags, which a copy need not keep, then the content."""
        if entry.size != other.size:
            return False
        return entry.version == other.version or self._digest(entry) == self._digest(other)

    def _digest(self, entry: Entry) -> bytes:
        digest = hashlib.sha256()
        with self._explained():
            for piece in obstore.get(self._store, entry.name).stream():
                digest.update(piece)
        return digest.digest()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Put the library's errors in feedtool's words; FileNotFoundError passes for an object."""
        try:
            yield
        except FileNotFoundError as error:
            if ABSENT.search(str(error)):
                raise self._error(error) from error
            raise
        except (BaseError, ValueError) as error:
            raise self._error(error) from error

    def _error(self, error: Exception) -> FeedtoolError:
        text = str(error).partition("\n\nDebug source")[0]
        why = tr("no credentials are set") if ANONYMOUS.search(text) else _reason(text)
        if ABSENT.search(text):
            return PlaceRefused(
                tr("{place} cannot be used: there is no such bucket.", place=self.url),
                tr("Correct its name, or make the bucket."),
            )
        is_refused = isinstance(error, PermissionDeniedError | UnauthenticatedError)
        if is_refused or ANONYMOUS.search(text) or REFUSED.search(text):
            return PlaceRefused(
                tr("{place} does not let feedtool in: {why}.", place=self.url, why=why),
                tr(
                    "The credentials and the region come from the environment, {prefix}…; "
                    "check that they are set, and may list, read, write and delete there.",
                    prefix=PREFIXES[self._scheme],
                ),
            )
        return Interrupted(
            tr("{place} cannot be reached: {why}.", place=self.url, why=why),
            tr("Try again later; see that the network and the address of the service are right."),
        )


def _is_folder(entry: Entry) -> bool:
    """True for the objects that consoles make for folders, and for all in hidden folders."""
    is_hidden = any(part.startswith(".") for part in entry.path.parts[:-1])
    return is_hidden or not (entry.size or entry.path.suffix)


def _entry(name: str, meta: "ObjectMeta") -> Entry:
    # Listings have fractions of a second, answers have none.
    seconds = int(meta["last_modified"].timestamp())
    return Entry(name, meta["size"], meta["e_tag"] or str(seconds), seconds * 1_000_000_000)


def _reason(text: str) -> str:
    """Return the last part of the library's text without its address, which may be signed."""
    if code := CODE.search(text):
        return code[1]
    last = text.strip().splitlines()[0].rpartition(" - ")[2] if text.strip() else ""
    return ADDRESS.sub("…", last).rstrip(". ")[:200]


def _http_option(parts: SplitResult, environment: Mapping[str, str]) -> dict[str, bool]:
    """Allow an endpoint without encryption on this machine, or if the environment allows it."""
    endpoint = next(filter(None, map(environment.get, ENDPOINTS)), "")
    if parts.scheme != "s3" or not endpoint.startswith("http://"):
        return {}
    host = urlsplit(endpoint).hostname
    if host in LOOPBACK or environment.get("AWS_ALLOW_HTTP", "").casefold() == "true":
        return {"allow_http": True}
    raise UsageProblem(
        tr(
            "The data in {bucket} would travel to {host} without encryption.",
            bucket=parts.hostname,
            host=host,
        ),
        tr(
            "Give an address that begins with https://, or set AWS_ALLOW_HTTP=true in the network"
            " that you trust."
        ),
    )
