"""A pooler of connections as PgBouncer is in transaction mode, as far as our driver needs one.

All its clients share one connection of the server, which is a client's from its first message to
the end of its transaction.
"""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy.engine import make_url

IDLE = b"Z\x00\x00\x00\x05I"


class Pooler:
    """The connection of the server, and whoever has it."""

    def __init__(self, path: str, user: str, database: str) -> None:
        self._server = socket.socket(socket.AF_UNIX)
        self._server.connect(path)
        names = f"user\0{user}\0database\0{database}\0\0".encode()
        self._server.sendall(struct.pack("!ii", len(names) + 8, 196608) + names)
        self.greeting = self._until_idle()
        self._turn = threading.Lock()

    def _until_idle(self) -> bytes:
        said = b""
        while not said.endswith(IDLE):
            said += self._server.recv(65536)
        return said

    def serve(self, client: socket.socket) -> None:
        """One client, to its end."""
        with client, suppress(OSError):
            size = struct.unpack("!i", client.recv(4))[0]
            client.recv(size - 4)
            client.sendall(self.greeting)
            while asked := client.recv(65536):
                if asked[:1] == b"X":
                    return
                with self._turn:
                    self._server.sendall(asked)
                    client.sendall(self._until_idle())


@contextmanager
def pooling(url: str) -> Iterator[str]:
    """The URL of a pooler before a server on a socket of this machine."""
    parts = make_url(url)
    path = f"{parts.query['host']}/.s.PGSQL.{parts.query['port']}"
    pooler = Pooler(path, str(parts.username), str(parts.database))
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listening.accept()
                    threading.Thread(target=pooler.serve, args=(client,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        port = listening.getsockname()[1]
        there = parts.set(host="127.0.0.1", port=port, query={"sslmode": "disable"})
        yield there.render_as_string(hide_password=False)
