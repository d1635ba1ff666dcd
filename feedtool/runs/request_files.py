"""The exact request bodies as files: `--requests DIR`.

DIR/<FILE's name>/package-001-Upsert-<channel>/upload-001.json
DIR/<FILE's name>/batch-001.json, of products
DIR/<FILE's name>/package-001-Full-<channel>.zip, the legacy zip itself
DIR/<FILE's name>/request-001-<type>[-<channel>].json, of requests that are a call each
"""

import re
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from feedtool.areas.registry import load
from feedtool.delivery.plan import Plan, Planned
from feedtool.feeds.delivery import Staged, Submitted
from feedtool.feeds.direct import RequestAttempt
from feedtool.feeds.package_ref import PackageRef
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr

_OURS = re.compile(
    r"package-\d{3,}-.*/upload-\d{3,}\.json|batch-\d{3,}\.json|package-\d{3,}-[^/]*\.zip"
    r"|request-\d{3,}-[^/]*\.json"
)
_UNSAFE = re.compile(r"[^\w.@+-]")


def write_requests(folder: Path, plan: Plan, settings: AccountSettings) -> None:
    """Write the requests that would be sent, upload by upload; equal names of files are numbered.

    The offers and the products of one file share its folder. UsageProblem if the folder cannot be
    written, or holds other files.
    """
    used: set[tuple[str, bool]] = set()
    try:
        for sheet in plan.sent:
            name = "stdin" if sheet.file == "-" else Path(sheet.file).name
            numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
            feed = load().feeds.get(sheet.kind or "")
            is_apart = feed is not None and feed.travel.provides is not None
            free = next(name for name in numbered if (name, is_apart) not in used)
            file_folder = folder / free
            if (free, not is_apart) not in used:
                _clear(file_folder)
            used.add((free, is_apart))
            is_private = feed is not None and feed.requests.is_personal
            file_folder.mkdir(0o700 if is_private else 0o777, parents=True, exist_ok=True)
            _write_uploads(file_folder, plan.uploads(sheet), settings)
    except OSError as error:
        raise UsageProblem(
            tr(
                "the requests cannot be written to {folder}: {why}",
                folder=folder,
                why=reason_of(error),
            ),
            tr("choose another folder with --requests"),
        ) from error


def _write_uploads(folder: Path, uploads: Iterable[Planned], settings: AccountSettings) -> None:
    for number, upload in uploads:
        first, bodies = upload.items[0], [item.body for item in upload.items]
        protocol = load().routes[first.package_type].travel.protocol
        channel = _UNSAFE.sub("_", first.channel)
        ref = PackageRef(first.package_type, first.channel, "", settings, "package")
        if isinstance(protocol, Submitted):
            name = protocol.file_name.format(
                number=number, package_type=first.package_type, channel=channel
            )
            (folder / name).write_bytes(protocol.document(ref, bodies))
        elif isinstance(protocol, Staged):
            package = folder / f"package-{number:03}-{first.package_type}-{channel}"
            package.mkdir(exist_ok=True)
            body = protocol.upload(ref, bodies).body or b""
            (package / f"upload-{upload.number:03}.json").write_bytes(body)
        else:
            act = RequestAttempt(ref, first.row, first.reference, first.body)
            parts = (f"request-{number:03}", first.package_type, channel)
            name = "-".join(filter(None, parts))
            (folder / f"{name}.json").write_bytes(protocol.call(act).body or b"")


def _clear(folder: Path) -> None:
    """Delete the requests of an earlier run; UsageProblem if there are other files."""
    old = [path for path in folder.rglob("*") if not path.is_dir()]
    for path in old:
        if not _OURS.fullmatch(path.relative_to(folder).as_posix()):
            raise UsageProblem(
                tr(
                    "{folder} holds {name}, which is not a request of feedtool",
                    folder=folder,
                    name=path.name,
                ),
                tr("choose another folder with --requests"),
            )
    for path in old:
        path.unlink()
    for package in sorted(folder.glob("package-*")):
        package.rmdir()
