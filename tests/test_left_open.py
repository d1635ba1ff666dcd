"""Commands close their files and connections: Python with all warnings on gives none."""

import gc
import os
import re
import shlex
import sys
import warnings
from pathlib import Path
from subprocess import PIPE

from feedtool.cli import run
from tests.clocks import quick_clock
from tests.forked import ROOT, Child

SAMPLES = ROOT / "samples"
COMMANDS = f"""
validate {SAMPLES}/offers-mistakes.xlsx --annotate --out checked.xlsx --report report.html
submit {SAMPLES}/offers-upsert.xlsx --sandbox --out answered.xlsx
submit {SAMPLES}/offers-upsert.xlsx --sandbox --dry-run --requests requests --changed-only
results 1 --failed-only
runs
status 1
todo --sandbox
undo 1 --sandbox --out undone.plan
export offers --sandbox --out offers.xlsx
diff offers.xlsx {SAMPLES}/offers-update.xlsx
convert {SAMPLES}/offers-upsert.xlsx offers.zip --as legacy-offers
validate offers.zip
template offers-upsert --out empty.xlsx
catalog sync --sandbox --category 011B01,1E0101,0A0201
catalog search lamp
validate {SAMPLES}/products.xlsx
watch folder --create --once --sandbox
sellers
forget --older-than 90d
ledger check
ledger backup copy.sqlite
config show
"""


def run_all() -> int:
    """Run the commands in this process, and tell how each ended and how many files stay open."""
    warnings.simplefilter("error")
    before = open_files()
    for command in COMMANDS.strip().splitlines():
        code = run(shlex.split(command), quick_clock())
        gc.collect()
        gc.freeze()  # the next collection need not look at the modules again
        sys.stdout.write(f"ended {code} {command}\n")
    gc.unfreeze()
    gc.collect()
    sys.stdout.write(f"left open: {open_files() - before}\n")
    return 0


def open_files() -> int:
    """The number of the process's files and sockets."""
    return len(os.listdir("/dev/fd"))  # noqa: PTH208  # a path would be stranger


def test_commands_close_their_files_and_sockets(tmp_path: Path) -> None:
    """A process of its own runs them, since other tests may leave garbage in this one."""
    home = {"FEEDTOOL_HOME": str(tmp_path / "home")}
    function = "tests.test_left_open:run_all"
    child = Child(function, folder=tmp_path, environment=home, stdout=PIPE, stderr=PIPE)
    said, complained = child.communicate(300)
    assert child.wait() == 0, complained
    assert "Warning" not in complained
    assert "Exception ignored" not in complained
    assert "left open: 0\n" in said
    ended = re.findall(r"^ended (\d+) (.*)$", said, re.MULTILINE)
    assert len(ended) == len(COMMANDS.strip().splitlines())
    assert [command for code, command in ended if code not in {"0", "1", "9"}] == []
