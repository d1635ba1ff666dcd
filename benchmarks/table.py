"""The table that benchmarks print, and what it has to say of the machine that it was made on."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from feedtool import __version__

ROOT = Path(__file__).resolve().parent.parent
HEAD = ("Job", "Way", "Time", "Processor", "Ratio (of processor)", "Peak memory", "Load")
BESIDE = ("openpyxl", "lxml", "jsonschema")
"""The libraries that feedtool is compared with."""


def told(title: str, rows: list[str]) -> str:
    """The whole: what was done, where, and the table."""
    head = f"| {' | '.join(HEAD)} |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    return "\n".join([f"{title}, {conditions()}\n", head, *rows])


def line(*cells: str) -> str:
    """A line of the table, its cells as `HEAD` names them."""
    return f"| {' | '.join(cells)} |"


def load() -> str:
    """How many processes wanted a processor in the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def conditions() -> str:
    """The day, the machine, and the versions of all that was measured."""
    machine = f"{os.cpu_count()} cores, Python {sys.version.split()[0]}"
    versions = ", ".join(f"{name} {version(name)}" for name in BESIDE)
    return f"{datetime.now(UTC):%Y-%m-%d}: {machine}, feedtool {feedtool()}, {versions}."


def feedtool() -> str:
    """The version, and the commit where this is a clone of the repository."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        commit = subprocess.check_output(command, text=True, stderr=subprocess.DEVNULL).strip()
    except (OSError, subprocess.CalledProcessError):
        return __version__
    return f"{__version__} ({commit})"
