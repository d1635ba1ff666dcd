"""An S3 service on loopback, and the stores that machines may share."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import httpx
import pytest

BUCKET = "feeds"
NUMBERS = count(1)


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The address of the S3 service, which has a bucket."""
    from moto.server import ThreadedMotoServer  # slow to import

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    httpx.put(f"{url}/{BUCKET}", timeout=60).raise_for_status()
    yield url
    server.stop()


@pytest.fixture
def bucket(s3: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty prefix of the bucket, for which the environment is set."""
    account = {"ACCESS_KEY_ID": "id", "SECRET_ACCESS_KEY": "secret", "REGION": "us-east-1"}
    for setting, text in {**account, "ENDPOINT_URL": s3}.items():
        monkeypatch.setenv(f"AWS_{setting}", text)
    return f"s3://{BUCKET}/{next(NUMBERS)}"


def files_in(bucket: str) -> dict[str, bytes]:
    """The name and content of each file in a bucket, or below a prefix of it."""
    import obstore
    from obstore.store import S3Store

    store = S3Store.from_url(bucket, client_options={"allow_http": True})
    names = [meta["path"] for metas in obstore.list(store) for meta in metas]
    return {name: bytes(obstore.get(store, name).bytes()) for name in names}


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store, of each kind."""
    if request.param == "bucket":
        return f"{request.getfixturevalue('bucket')}/snapshots"
    (tmp_path / "share").mkdir()
    return str(tmp_path / "share")


def contents(store: str) -> dict[str, bytes]:
    """The name and content of each file in a store."""
    if "://" in store:
        return files_in(store)
    files = (path for path in Path(store).rglob("*") if path.is_file())
    return {path.relative_to(store).as_posix(): path.read_bytes() for path in files}
