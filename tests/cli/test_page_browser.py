"""The private file by which the browser is opened."""

import stat
from pathlib import Path
from queue import Queue
from urllib.parse import unquote, urlsplit

import pytest

from feedtool.cli.page_browser import has_screen, opened_browser

ADDRESS = "http://127.0.0.1:5000/Qx7-secret_43/"


def test_the_file_is_private_and_leads_to_the_page_while_it_lasts(tmp_path: Path) -> None:
    opened: Queue[str] = Queue()
    with opened_browser(ADDRESS, tmp_path / "page", opened.put):
        uri = opened.get(timeout=60)
        path = Path(unquote(urlsplit(uri).path))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert f'content="0; url={ADDRESS}"' in path.read_text("utf-8")
        assert "secret" not in uri
    assert not path.exists()


def test_a_file_left_behind_is_replaced(tmp_path: Path) -> None:
    with opened_browser("http://old/", tmp_path, lambda _: None):
        (path,) = tmp_path.iterdir()
        kept = path.read_text()
    path.write_text(kept)
    path.chmod(0o666)
    with opened_browser(ADDRESS, tmp_path, lambda _: None):
        assert ADDRESS in path.read_text()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("platform", "variable", "has_one"),
    [
        ("linux", "", False),
        ("linux", "DISPLAY", True),
        ("linux", "WAYLAND_DISPLAY", True),
        ("darwin", "", True),
        ("win32", "", True),
    ],
)
def test_a_browser_is_only_opened_on_a_screen(
    platform: str, variable: str, *, has_one: bool
) -> None:
    assert has_screen(platform, {variable: ":0", "PATH": "/bin"}) is has_one
