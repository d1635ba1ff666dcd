"""The place that a URL names, and URLs that name none."""

import sys
from pathlib import Path

import pytest

from feedtool.model.errors import Exit, UsageProblem
from feedtool.places import open_place
from feedtool.places.opening import EXTRAS

BASE = Path("/base")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("folder", "/base/folder"),
        ("/else/where", "/else/where"),
        ("file:///else/wh%20ere", "/else/wh ere"),
        ("s3://bucket", "s3://bucket"),
        ("s3://bucket/pre/fix/", "s3://bucket/pre/fix"),
        ("gs://bucket/prefix", "gs://bucket/prefix"),
        ("az://container", "az://container"),
        ("sftp://host/in?key=id", "sftp://host/in"),
        ("SFTP://shop@host:2222/~/in?password_command=pass%20shop", "sftp://shop@host:2222/~/in"),
    ],
)
def test_a_place_is_shown_without_its_settings(url: str, shown: str) -> None:
    assert open_place(url, BASE).url == shown


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://host/in", "ftp:// is not a place that feedtool knows"),
        ("s3://", "s3:// is not all of a bucket's address"),
        ("s3://KEY:SECRET@bucket/in", "s3://bucket/in is not all of a bucket's address, or too"),
        ("s3://bucket/in?secret=SECRET", "s3://bucket/in is not all"),
        ("sftp:///in", "sftp:///in is not the address of a server"),
        ("sftp://host:SECRET/in", "sftp://host/in is not the address of a server"),
        ("sftp://host:99999/in", "sftp://host/in is not the address of a server"),
        ("sftp://shop:SECRET@host/in", "sftp://shop@host/in: an address holds no password"),
        ("sftp://host/in?secret=SECRET", "sftp://host/in: nobody knows “secret”"),
    ],
)
def test_errors_of_a_wrong_url_hide_its_secrets(url: str, why: str) -> None:
    with pytest.raises(UsageProblem, match=why) as caught:
        open_place(url, BASE)
    assert caught.value.hint
    assert "SECRET" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    ("url", "extra"),
    [
        ("s3://bucket", "buckets"),
        ("gs://b", "buckets"),
        ("az://b", "buckets"),
        ("sftp://h", "sftp"),
    ],
)
def test_a_place_without_its_library_names_the_package_to_install(
    url: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library, _ in EXTRAS.values():
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageProblem, match="needs the library") as caught:
        open_place(url, BASE)
    assert caught.value.hint == f"Install it with: pip install 'feedtool[{extra}]'"
    assert caught.value.exit is Exit.USAGE
    open_place("folder", BASE)
