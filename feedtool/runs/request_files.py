"""The exact request bodies as files: `--requests DIR`.

DIR/<FILE's name>/package-001-Upsert-<channel>/upload-001.json
DIR/<FILE's name>/batch-001.json, of products
DIR/<FILE's name>/package-001-Full-<channel>.zip, the legacy zip itself
"""

import re
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path

from feedtool.areas.legacy.zipped import zipped
from feedtool.areas.offers.wire.packages import UploadBody, upload
from feedtool.areas.products.wire.submissions import products_body
from feedtool.delivery.dependencies import PRODUCTS, Meeting
from feedtool.delivery.plan import Planned
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import LEGACY_TYPES, PackageType
from feedtool.model.settings import Dialect
from feedtool.model.sheet import CheckedSheet

_OURS = re.compile(
    r"package-\d{3,}-.*/upload-\d{3,}\.json|batch-\d{3,}\.json|package-\d{3,}-[^/]*\.zip"
)
_UNSAFE = re.compile(r"[^\w.@+-]")


def write_requests(folder: Path, sheets: Sequence[CheckedSheet], dialect: Dialect) -> None:
    """Writes what would be sent, upload by upload; equal names of files are numbered.

    The offers and the products of one file share its folder.

    Raises:
        UsageProblem: the folder cannot be written, or holds something that is not ours.
    """
    used: set[tuple[str, bool]] = set()
    meeting = Meeting(sheets)
    try:
        for sheet in sheets:
            if sheet.error is not None:
                continue
            name = "stdin" if sheet.file == "-" else Path(sheet.file).name
            numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
            is_batched = sheet.kind == PRODUCTS
            free = next(one for one in numbered if (one, is_batched) not in used)
            own = folder / free
            if (free, not is_batched) not in used:
                _clear(own)
            used.add((free, is_batched))
            own.mkdir(parents=True, exist_ok=True)
            _write_uploads(own, meeting.uploads(sheet, dialect.limits), dialect)
    except OSError as error:
        raise UsageProblem(
            f"the requests cannot be written to {folder}: {error.strerror}",
            "choose another folder with --requests",
        ) from error


def _write_uploads(folder: Path, uploads: Iterable[Planned], dialect: Dialect) -> None:
    shape = UploadBody(dialect.upload_body)
    for number, one in uploads:
        first, bodies = one.items[0], [item.body for item in one.items]
        if first.package_type is PackageType.PRODUCTS:
            (folder / f"batch-{number:03}.json").write_bytes(products_body(bodies))
            continue
        channel = _UNSAFE.sub("_", first.channel)
        package = folder / f"package-{number:03}-{first.package_type}-{channel}"
        if first.package_type in LEGACY_TYPES:
            body = zipped(first.package_type, first.channel, bodies, dialect)
            package.with_name(f"{package.name}.zip").write_bytes(body)
            continue
        package.mkdir(exist_ok=True)
        body = upload("package", bodies, shape).body or b""
        (package / f"upload-{one.number:03}.json").write_bytes(body)


def _clear(folder: Path) -> None:
    """Takes away what an earlier run wrote, and nothing else."""
    old = [path for path in folder.rglob("*") if not path.is_dir()]
    for path in old:
        if not _OURS.fullmatch(path.relative_to(folder).as_posix()):
            raise UsageProblem(
                f"{folder} holds {path.name}, which is no request of feedtool",
                "choose another folder with --requests",
            )
    for path in old:
        path.unlink()
    for package in sorted(folder.glob("package-*")):
        package.rmdir()
