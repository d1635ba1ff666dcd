"""Behaviour of buckets alone: credentials, addresses, services without conditional writes."""

from pathlib import Path

import httpx
import obstore
import pytest
from obstore.store import S3Store

from feedtool.model.errors import Exit, FeedtoolError, Interrupted, UsageProblem
from feedtool.places import Entry, Moved, PlaceRefused, open_place
from feedtool.places import bucket as module
from feedtool.places.bucket import BucketPlace
from tests.loopback import serving_answers


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRIES", {"max_retries": 0})


@pytest.fixture
def local(tmp_path: Path) -> Path:
    (path := tmp_path / "local").write_bytes(b"1")
    return path


def errors_of(place: BucketPlace, local: Path) -> set[tuple[type[FeedtoolError], str, str]]:
    """The error of each call."""
    errors = set()
    for use in (
        lambda: place.listing(""),
        lambda: place.fetch("a", local),
        lambda: place.put("a", local),
        lambda: place.delete("a"),
    ):
        with pytest.raises(FeedtoolError) as caught:
            use()
        errors.add((type(caught.value), caught.value.message, caught.value.hint))
    return errors


@pytest.mark.usefixtures("bucket")
def test_a_bucket_that_is_not_there(local: Path) -> None:
    lack = "s3://absent/in cannot be used: there is no such bucket."
    way_out = "Correct its name, or make the bucket."
    assert errors_of(BucketPlace("s3://absent/in"), local) == {(PlaceRefused, lack, way_out)}


@pytest.mark.usefixtures("impatient")
def test_a_service_that_cannot_be_reached(
    bucket: str, local: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    ((kind, message, hint),) = errors_of(BucketPlace(f"{bucket}/in"), local)
    assert (kind, kind.exit) == (Interrupted, Exit.INTERRUPTED)
    assert message == f"{bucket}/in cannot be reached: HTTP error: error sending request."
    assert hint.startswith("Try again later")


@pytest.mark.usefixtures("impatient")
def test_no_credentials(bucket: str, local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", "http://127.0.0.1:1/metadata")
    ((kind, message, hint),) = errors_of(BucketPlace(bucket), local)
    assert kind is PlaceRefused
    assert message == f"{bucket} does not let feedtool in: no credentials are set."
    assert "AWS_…" in hint


ANSWERS: dict[str, tuple[int, bytes, type[FeedtoolError]]] = {
    "SignatureDoesNotMatch": (403, b"<Code>SignatureDoesNotMatch</Code>", PlaceRefused),
    "configured region": (301, b"<Code>PermanentRedirect</Code>", PlaceRefused),
    "SlowDown": (503, b"<Code>SlowDown</Code>", Interrupted),
    "503": (503, b"down", Interrupted),
}


@pytest.mark.usefixtures("impatient")
def test_errors_name_the_answer_of_the_service(
    bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[tuple[int, dict[str, str], bytes]] = [
        (status, {}, body) for status, body, _ in ANSWERS.values()
    ]
    with serving_answers(lambda _: answers.pop(0)) as served:
        monkeypatch.setenv("AWS_ENDPOINT_URL", served.url)
        place = BucketPlace(bucket)
        for why, (_, _, kind) in ANSWERS.items():
            with pytest.raises(kind, match=why) as caught:
                place.listing("")
            assert served.url not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    ("address", "is_allowed", "is_told"),
    [
        ("http://localhost:9000", "", False),
        ("http://[::1]:9000", "", False),
        ("http://minio:9000", "", True),
        ("http://minio:9000", "true", False),
        ("https://minio:9000", "", False),
    ],
)
def test_unencrypted_http_is_refused_outside_this_machine(
    monkeypatch: pytest.MonkeyPatch, address: str, is_allowed: str, *, is_told: bool
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    monkeypatch.setenv("AWS_ALLOW_HTTP", is_allowed)
    if is_told:
        with pytest.raises(
            UsageProblem, match=r"would travel to minio without encryption"
        ) as caught:
            open_place("s3://bucket", Path("/"))
        assert "AWS_ALLOW_HTTP" in caught.value.hint
    else:
        open_place("s3://bucket", Path("/"))


def test_a_service_without_conditions(
    bucket: str, local: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CONDITIONAL_PUT", "disabled")
    place = BucketPlace(bucket)
    assert [place.put("a", local), place.put("a", local)] == [True, False]


def entry_at(place: BucketPlace, name: str) -> Entry:
    entry = place.find(name)
    assert entry is not None
    return entry


LARGE = b"x" * 6_000_000


def test_a_copy_that_was_not_followed_by_its_deletion(bucket: str) -> None:
    store, place = _store(bucket), BucketPlace(bucket)
    obstore.put(store, "a", LARGE)
    obstore.put(store, "b", LARGE, mode="create")
    entry = entry_at(place, "a")
    assert entry.version != entry_at(place, "b").version  # one of them came in parts
    assert place.move(entry, "b") is Moved.DONE
    assert [meta["path"] for metas in obstore.list(store) for meta in metas] == ["b"]


def test_another_content_of_the_same_size(bucket: str) -> None:
    store, place = _store(bucket), BucketPlace(bucket)
    for name in "ab":
        obstore.put(store, name, name.encode())
    assert place.move(entry_at(place, "a"), "b") is Moved.TAKEN


@pytest.mark.usefixtures("bucket")
def test_an_object_for_a_folder_is_no_file(s3: str) -> None:
    for name in ("whole", "whole/inbox/", "whole/inbox/a.csv"):
        httpx.put(f"{s3}/{name}").raise_for_status()
    place = BucketPlace("s3://whole")
    assert [entry.name for entry in place.listing("inbox")] == ["inbox/a.csv"]
    assert [entry.name for entry in place.listing("")] == ["inbox/a.csv"]


def test_a_small_file_is_replaced(bucket: str, tmp_path: Path) -> None:
    place = BucketPlace(bucket)
    for content in (b"1", b"22"):
        place.replace("a", content)
    place.fetch("a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"22"


def _store(bucket: str) -> S3Store:
    return S3Store.from_url(bucket, client_options={"allow_http": True})
