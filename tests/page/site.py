"""One port for the pages of many sessions: a browser that stays at one origin keeps its process."""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from werkzeug.wsgi import ClosingIterator

from feedtool.cli.page import MOST_BYTES
from feedtool.page.access import HEADERS
from feedtool.serving import LOOPBACK, WebServer, listen

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class Site:
    """Pages below their secrets. At its own address it has a blank one, to which tabs are led."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.address = f"http://{LOOPBACK}:{port}/"
        self._pages: dict[str, WSGIApplication] = {}
        self._answering: Counter[str] = Counter()
        self._changed = threading.Condition()

    @contextmanager
    def showing(self, secret: str, page: "WSGIApplication") -> Iterator[str]:
        """The address of a page while it is there; at the end it answers what was asked before."""
        self._pages[secret] = page
        try:
            yield f"{self.address}{secret}/"
        finally:
            with self._changed:
                del self._pages[secret]
                self._changed.wait_for(lambda: not self._answering[secret])

    def answer(self, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        """The answer of the page whose secret the path begins with."""
        secret = environ["PATH_INFO"].split("/")[1]
        self._count(secret, 1)
        page = self._pages.get(secret, blank)
        try:
            answer = page(environ, start)
        except BaseException:
            self._count(secret, -1)  # else the end of `showing` would wait for ever
            raise
        return ClosingIterator(answer, [partial(self._count, secret, -1)])

    def _count(self, secret: str, step: int) -> None:
        with self._changed:
            self._answering[secret] += step
            self._changed.notify_all()


def blank(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
    """An empty page at the site's own address, and nothing below it."""
    is_there = environ["PATH_INFO"] == "/"
    start("200 OK" if is_there else "404 Not Found", [*HEADERS.items(), HTML])
    return []


HTML = "Content-Type", "text/html"


@contextmanager
def opened_site() -> Iterator[Site]:
    """A site that answers."""
    listening = listen(LOOPBACK, 0)
    site = Site(listening.getsockname()[1])
    with WebServer(listening, site.answer, largest_body=MOST_BYTES):
        yield site
