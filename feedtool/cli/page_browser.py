"""Open the browser by a private file that redirects to the page.

Every user of a machine can read the command lines of all processes: the secret address would be in
the browser's.
"""

import os
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from html import escape
from pathlib import Path
from threading import Thread

OWN, OWN_FOLDER = 0o600, 0o700

PAGE = """\
<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={address}">
<title>feedtool</title>
<a href="{address}">feedtool</a>
"""


def has_screen(platform: str, environ: Mapping[str, str]) -> bool:
    is_x = platform.startswith(("linux", "freebsd"))
    return not is_x or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


@contextmanager
def opened_browser(
    address: str, folder: Path, start: Callable[[str], object] = webbrowser.open
) -> Iterator[None]:
    """Open the browser at an address, by a file in `folder` that is deleted at the end."""
    folder.mkdir(mode=OWN_FOLDER, parents=True, exist_ok=True)
    path = folder / f"open-{os.getpid()}.html"
    path.unlink(missing_ok=True)
    with open(path, "x", encoding="utf-8", opener=partial(os.open, mode=OWN)) as file:
        file.write(PAGE.format(address=escape(address)))
    # Some browsers do not return before they are closed.
    Thread(target=start, args=(path.absolute().as_uri(),), daemon=True).start()
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
