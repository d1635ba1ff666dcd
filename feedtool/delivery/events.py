"""What a delivery tells while it is under way."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from feedtool.delivery.decide import Do
from feedtool.ledger import Package, Phase, Stage
from feedtool.service.answers import Kind

if TYPE_CHECKING:
    from datetime import datetime


class Event(NamedTuple):
    """Something happened to a package; `text` says it all on one line."""

    kind: str
    """created, upload, state, committed, results, closed, waiting, deadline, trouble, or
    unreachable: the first of several calls in a row that never left."""
    text: str
    path: str
    """The file, as it was named."""
    package: int
    """Its number within the file, 1-based."""
    package_id: str | None
    state: str | None
    """The last that the service said."""
    done: int
    """Uploads answered; from kind `results` on, rows that have a result."""
    total: int
    """Uploads, or rows."""


KIND_OF_STEP = {
    Do.CREATE: "created",
    Do.UPLOAD: "upload",
    Do.LOOK: "state",
    Do.COMMIT: "committed",
    Do.FETCH: "results",
    Do.CLOSE: "closed",
    Do.SEEK: "results",
    Do.SUBMIT: "committed",
    Do.FIND: "state",
    Do.REPORT: "results",
    Do.SEND: "committed",
    Do.LOG: "results",
}


def event_of(
    do: Do, kind: Kind, detail: str, before: Package, after: Package, results: int, path: str
) -> Event | None:
    """What there is to tell of an answer; None when nothing changed. `results` are rows so far."""
    if (do, kind) == (Do.COMMIT, Kind.REFUSED):
        return _event("waiting", "its uploads are still settling", after, results, path)
    if kind is not Kind.DONE:
        what = "waiting" if kind is Kind.WAIT else "trouble"
        return _event(what, f"{do}: {kind}: {detail}", after, results, path)
    if after.phase is Phase.CLOSED:
        return _event("closed", _end(after, results), after, results, path)
    if not _is_news(do, before, after):
        return None
    return _event(KIND_OF_STEP[do], _text(do, after, results), after, results, path)


def deadline_event(what: str, package: Package, results: int, path: str) -> Event:
    """Something of a package will be lost soon."""
    return _event("deadline", f"{package.package_id}: {what}", package, results, path)


def unreachable_event(
    detail: str, until: datetime, package: Package, results: int, path: str
) -> Event:
    """The service cannot be reached; it is tried until about `until`, in UTC."""
    text = f"{detail.rstrip('.')}; trying again until about {until:%H:%M:%S} UTC"
    return _event("unreachable", text, package, results, path)


def rest_event(until: datetime, package: Package, results: int, path: str) -> Event:
    """A quota is used up: no batch is sent for a while."""
    text = f"a quota is used up, nothing more is sent before {until:%H:%M} UTC"
    return _event("waiting", text, package, results, path)


def held_event(package: Package, results: int, path: str) -> Event:
    """Its offers are for products that have had no answer yet."""
    text = "held back until its offers' products are answered"
    return _event("waiting", text, package, results, path)


def _text(do: Do, package: Package, results: int) -> str:
    told = {
        Do.CREATE: f"created as {package.package_id}",
        Do.UPLOAD: f"upload {_sent(package)} of {len(package.uploads)}",
        Do.LOOK: f"the service says {package.state}",
        Do.COMMIT: "committed",
        Do.FETCH: f"results of {results} of {package.rows} rows",
        Do.CLOSE: "looking again: some results are missing",
        Do.SEEK: "looking up the offers of rows without a result",
        Do.SUBMIT: f"submitted as {package.package_id}",
        Do.FIND: _found(package),
        Do.REPORT: f"results of {results} of {package.rows} rows",
        Do.SEND: f"sent as {package.package_id}",
        Do.LOG: _logged(package, results),
    }
    return told[do]


def _is_news(do: Do, before: Package, after: Package) -> bool:
    """Whether what was looked at has come on."""
    if do in {Do.FIND, Do.REPORT}:
        return (before.phase, before.since) != (after.phase, after.since)
    if do is Do.LOG:
        return before.state != after.state or after.phase is not Phase.SUBMITTED
    return do is not Do.LOOK or before.state != after.state


def _logged(package: Package, results: int) -> str:
    if package.phase is Phase.SUBMITTED:
        return f"the service says {package.state}"
    return f"results of {results} of {package.rows} rows"


def _end(package: Package, results: int) -> str:
    if package.is_batch or (package.is_zip and package.package_id is None):
        return f"closed: results of {results} of {package.rows} rows"
    return f"closed as {package.state}" + (f": {package.message.text}" if package.message else "")


def _found(package: Package) -> str:
    if package.package_id is None:
        return "no report names it: it is sent once more"
    return f"its report was found: {package.package_id}"


def _event(kind: str, text: str, package: Package, results: int, path: str) -> Event:
    uploading = package.phase in {Phase.PLANNED, Phase.CREATING, Phase.FILLING, Phase.PROBING}
    what = ", ".join(filter(None, (package.package_type, package.channel)))
    return Event(
        kind=kind,
        text=f"package {package.number} ({what}): {text}",
        path=path,
        package=package.number,
        package_id=package.package_id,
        state=package.state,
        done=_sent(package) if uploading or kind == "upload" else results,
        total=len(package.uploads) if uploading or kind == "upload" else package.rows,
    )


def _sent(package: Package) -> int:
    return len(package.uploads) - package.staged(Stage.PLANNED) - package.staged(Stage.SENDING)
