"""The call that sends a legacy zip, as the dialect says: its bytes, or its public address."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from feedtool.areas.legacy.wire import submit_zip, submit_zip_address
from feedtool.areas.legacy.zipped import zipped
from feedtool.model.errors import UsageProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from feedtool.ledger import Package
    from feedtool.model.call import Call
    from feedtool.model.settings import Dialect


def zip_call(package: Package, bodies: Sequence[bytes], language: str, dialect: Dialect) -> Call:
    """The call; where the zip travels by its address, it is put there first.

    Raises:
        UsageProblem: it cannot be put there.
    """
    body = zipped(package.package_type, package.channel, bodies, dialect)
    if dialect.legacy_transport != "url":
        return submit_zip(body, language)
    return submit_zip_address(_published(body, dialect), language)


def _published(body: bytes, dialect: Dialect) -> str:
    """The address of a zip that was put into the published folder.

    Its name is that of its content, so that nobody guesses it, and the same zip is put there once.
    """
    name = f"{sha256(body).hexdigest()[:32]}.zip"
    target = Path(dialect.legacy_folder).expanduser() / name
    part = target.with_suffix(".part")
    try:
        part.write_bytes(body)
        part.replace(target)
    except OSError as error:
        raise UsageProblem(
            f"the zip cannot be put into {target.parent}: {error.strerror}",
            "correct legacy_folder in the profile, or let the zip travel as bytes",
        ) from error
    return f"{dialect.legacy_address.rstrip('/')}/{name}"
