"""A watched folder with its watchers, each a process of its own, on one machine or on two."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from feedtool.areas.registry import sandbox_parts
from feedtool.ledger import Ledger
from feedtool.sandbox import Sandbox
from tests.areas.offers.sandbox.records import applied_requests
from tests.forked import Child
from tests.machines import Crew, Machine
from tests.resume.world import SHOP, Served
from tests.resume.writers import SETTLE


@dataclass(kw_only=True)
class Watched(Crew):
    """A folder, the machines that know it, and the watchers that run there."""

    root: Path
    ledger: Path | str
    applied: Callable[[], list[str]]
    """The references of the offers that the service has taken, each as often as it has."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.inbox = self.root / "inbox"

    def start(self, *more: str) -> Child:
        return super().start(*(more or ("--settle", str(SETTLE), "--poll", "0.1")))

    def names(self, part: str, pattern: str = "*") -> list[str]:
        paths = (self.root / part).rglob(pattern)
        return sorted(path.name for path in paths if path.is_file() and path.name[0] != ".")

    def summaries(self) -> list[str]:
        """The answered files, each as often as it was answered."""
        paths = (self.root / "results").glob("*.summary.json")
        return sorted(json.loads(path.read_text("utf-8"))["file"] for path in paths)

    def is_quiet(self) -> bool:
        return not self.names("inbox") and not self.names("processing")

    def claimed(self) -> list[str]:
        """The sources of the claims that are not ended."""
        folder = (self.root / ".feedtool-folder").read_text()
        with Ledger(self.ledger) as ledger:
            return [claim.source for claim in ledger.claims.under_way(folder)]

    def state(self) -> object:
        return self.names(".")


WATCH = ("watch", "w")
"""The command; each machine knows the folder as `w`."""


@contextmanager
def one_machine(folder: Path) -> Iterator[Watched]:
    """A machine with its ledger in a file, and the sandbox in its home."""
    (folder / "w" / "inbox").mkdir(parents=True)
    home = folder / "h"

    def applied() -> list[str]:
        with Sandbox(sandbox_parts(), home / "sandbox.sqlite") as sandbox:
            return [str(request.reference) for request in applied_requests(sandbox)]

    with ExitStack() as stack:
        machine = Machine(folder, (*WATCH, "--sandbox"))
        ledger = home / "ledger.sqlite"
        yield Watched(
            root=folder / "w", ledger=ledger, machines=[machine], applied=applied, stack=stack
        )


@contextmanager
def two_machines(folder: Path, served: Served, ledger: str) -> Iterator[Watched]:
    """Two machines that share the ledger on a server, and the folder under different paths."""
    (folder / "share" / "inbox").mkdir(parents=True)
    seller = str(folder)
    shop = SHOP.format(base=served.proxy.base, seller=seller, timeout=60)
    machines = []
    for name in ("one", "other"):
        own = folder / name
        own.mkdir()
        (own / "w").symlink_to(folder / "share")
        (own / "feedtool.toml").write_text(shop, "utf-8")
        words = (*WATCH, "--profile", "shop")
        machines.append(Machine(own, words, {"FEEDTOOL_LEDGER": ledger}))

    def applied() -> list[str]:
        return [str(request.reference) for request in served.applied(seller)]

    with ExitStack() as stack:
        share = folder / "share"
        yield Watched(root=share, ledger=ledger, machines=machines, applied=applied, stack=stack)
