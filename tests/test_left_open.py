"""Commands close their files and connections: Python with all warnings on gives none."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
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
SCRIPT = """
import gc, shlex, sys
from feedtool.cli import run
from tests.clocks import quick_clock
for command in sys.stdin.read().strip().splitlines():
    code = run(shlex.split(command), quick_clock())
    gc.collect()
    gc.freeze()  # the next collection need not look at the modules again
    print("ended", code, command)
gc.unfreeze()
gc.collect()
"""


def test_commands_close_their_files_and_sockets(tmp_path: Path) -> None:
    done = subprocess.run(  # noqa: S603  # ourselves
        [sys.executable, "-X", "dev", "-W", "error", "-c", SCRIPT],
        input=COMMANDS,
        cwd=tmp_path,
        env={
            "PYTHONPATH": str(ROOT),
            "FEEDTOOL_HOME": str(tmp_path / "home"),
            "PYTHONMALLOC": "default",  # the checks of memory take long, and find nothing left open
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Warning" not in done.stderr
    assert "Exception ignored" not in done.stderr
    ended = re.findall(r"^ended (\d+) (.*)$", done.stdout, re.MULTILINE)
    assert len(ended) == len(COMMANDS.strip().splitlines())
    assert [command for code, command in ended if code not in {"0", "1", "9"}] == []
