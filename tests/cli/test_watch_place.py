"""`watch PLACE --enqueue` on the command line, and the workers that send its files."""

import json
from pathlib import Path

import pytest

from tests.buckets import NUMBERS, bucket, files_in, s3
from tests.cli.conftest import Feedtool
from tests.cli.fleet import (
    ANSWERS,
    SHEET,
    Configure,
    configure,
    postgresql,
    server,
    service,
    shared,
)
from tests.places.conftest import SftpSite, sftp

__all__ = (
    "bucket",
    "configure",
    "postgresql",
    "s3",
    "server",
    "service",
    "sftp",
    "shared",
)
"""The fixtures of databases, services and places."""

ONCE = "watch --enqueue --once"


@pytest.mark.usefixtures("shared")
def test_files_of_a_folder_are_brought_to_the_queue(
    feedtool: Feedtool, configure: Configure
) -> None:
    configure("")
    made = feedtool("watch feeds --enqueue --once --create")
    assert (made.code, "no file that is whole" in made.err) == (9, True)
    (inbox := Path("feeds/inbox/shop")).mkdir()
    (inbox / "a.csv").write_bytes(SHEET)
    ran = feedtool(f"{ONCE} feeds")
    assert ran.code == 0
    assert "brought: inbox/shop/a.csv: parcel 1" in ran.err
    waits = feedtool("queue --format json").only
    assert (waits["profile"], waits["state"], waits["name"]) == ("shop", "waiting", "a.csv")
    assert feedtool("watch feeds --enqueue --health").code == 0


@pytest.mark.usefixtures("shared")
def test_files_of_a_bucket_are_answered_in_it(
    feedtool: Feedtool, configure: Configure, bucket: str
) -> None:
    import obstore
    from obstore.store import S3Store

    configure(f"{bucket}/results")
    store = S3Store.from_url(bucket, client_options={"allow_http": True})
    obstore.put(store, "inbox/shop/offers-upsert/a.csv", SHEET)
    obstore.put(store, "inbox/nobody/b.csv", SHEET)
    assert feedtool(f"{ONCE} {bucket}").code == 3
    assert feedtool("worker --once").code == 1
    found = files_in(bucket)
    day, *_ = (name for name in found if name.startswith("done/"))
    assert sorted(found) == sorted(
        [
            day,
            "error/nobody/b.csv",
            "error/nobody/b.csv.reason.txt",
            *(f"results/{name}" for name in ANSWERS),
        ]
    )
    assert day.endswith("/shop/offers-upsert/a.csv")
    assert json.loads(found["results/a.summary.json"])["exitCode"] == 1
    assert feedtool("queue").out == ""


@pytest.mark.long  # `tests/worker/test_inbox.py` and `tests/places` have a server, too
@pytest.mark.usefixtures("shared")
def test_files_of_a_server_are_answered_on_it(
    feedtool: Feedtool, configure: Configure, sftp: SftpSite
) -> None:
    folder = f"watched-{next(NUMBERS)}"
    (inbox := sftp.root / folder / "inbox/shop").mkdir(parents=True)
    (inbox / "a.csv").write_bytes(SHEET)
    configure(sftp.url(f"{folder}"))
    assert feedtool(ONCE, sftp.url(folder)).code == 0
    assert feedtool("worker --once").code == 1
    root = sftp.root / folder
    files = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
    assert sorted(file.name for file in files) == ["a.csv", *ANSWERS]
    health = feedtool("watch --enqueue --health", sftp.url(folder))
    assert health.code == 0


REFUSED = {
    "watch s3://b/p": "s3://b/p is not a folder of this machine",
    "watch feeds --enqueue --export orders": "--export and --enqueue contradict each other",
    "watch nowhere --enqueue": "nowhere",
    "watch ftp://host/x --enqueue": "ftp:// is not a place",
}


@pytest.mark.usefixtures("shared")
def test_wrong_commands_are_refused(feedtool: Feedtool, configure: Configure) -> None:
    configure("")
    for words, reason in REFUSED.items():
        ran = feedtool(words)
        assert ran.code == 2
        message, hint = ran.error()
        assert reason in message
        assert hint
