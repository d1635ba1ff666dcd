"""A server on loopback whose answers a test decides."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

Answer = tuple[int, Mapping[str, str], bytes]
"""Status, headers, body."""


class Served(NamedTuple):
    """The server's address, and the headers and bodies that it has received."""

    url: str
    headers: list[dict[str, str]]
    bodies: list[bytes]


class PatientServer(ThreadingHTTPServer):
    """A server for many calls at once: a caller that finds no room would wait a second."""

    request_queue_size = 64


@contextmanager
def serving_answers(answer: Callable[[str], Answer], path: str = "") -> Iterator[Served]:
    """Serve a function's answers to paths, at an address that ends in `path`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.bodies.append(self.rfile.read(int(self.headers["Content-Length"] or 0)))
            served.headers.append({name.lower(): text for name, text in self.headers.items()})
            status, headers, body = answer(self.path)
            self.send_response(status)
            for name, text in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None: ...

    with PatientServer(("127.0.0.1", 0), Handler) as server:
        served = Served(f"http://127.0.0.1:{server.server_port}{path}", [], [])
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield served
        server.shutdown()
