"""The page `docs/internals/adding-an-area.md`, followed to the letter."""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

import feedtool.areas
from feedtool.areas import registry
from feedtool.model.nouns import AREA_STATUSES
from tests.cli.conftest import Feedtool, enter

AREAS = Path(feedtool.areas.__path__[0])
TOY = Path(__file__).parent / "toy"
PAGE = (AREAS.parents[1] / "docs/internals/adding-an-area.md").read_text("utf-8")
STEP = "Add the folder's name to `NAMES` in"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in re.findall(r"^\| `.*\|$", PAGE.partition("\nThen:\n")[0], re.MULTILINE)
]
NEEDED = {file: need for files, _, need, _ in ROWS for file in re.findall("`(.*?)`", files)}
"""The files of the page's table → when an area needs them."""
OF_TOY = re.findall(r"tests/areas/toy/([\w/.-]+)\)", " ".join(toy for *_, toy in ROWS))
SHOWN = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", registry.NAMES)
def test_each_area_has_the_files_that_every_area_needs(name: str) -> None:
    needed = [AREAS / name / file for file, need in NEEDED.items() if need == "always"]
    there = [file for file in needed if file.is_file() or file.with_suffix("").is_dir()]
    assert there == needed


def test_the_table_has_every_file_of_the_toy() -> None:
    files = (path for path in TOY.rglob("*.*") if path.suffix in {".py", ".json"})
    own = {path.relative_to(TOY).as_posix() for path in files if "test" not in path.name}
    assert own == set(OF_TOY)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A new area's folder, with the table's files and the code of the page, and one word."""
    folder = tmp_path / "outside" / "made_area" / "robots"
    for file in OF_TOY:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(TOY / file, folder / file)
    (folder.parent / "__init__.py").touch()
    for code, file in zip(SHOWN, ("area.py", "settings.py", "statuses.py"), strict=True):
        (folder / file).write_text(code, "utf-8")
    for path in folder.rglob("*.py"):
        path.write_text(path.read_text("utf-8").replace("tests.areas.toy", "made_area.robots"))
    monkeypatch.syspath_prepend(folder.parents[1])
    assert STEP in PAGE
    monkeypatch.setattr(registry, "NAMES", (*registry.NAMES, "made_area.robots"))
    enter(tmp_path, monkeypatch)
    with mock.patch.dict(AREA_STATUSES):
        yield folder
    for module in [name for name in sys.modules if name.startswith("made_area")]:
        del sys.modules[module]


@pytest.mark.usefixtures("made")
def test_an_area_made_by_the_page_is_in_every_command(feedtool: Feedtool) -> None:
    assert feedtool("template", "toy-parcels", "--out", "empty.xlsx").code == 0
    Path("toys.csv").write_text("order,toy,quantity\nO-1,Kite,2\nO-2,Ball,0\n")
    assert feedtool("validate", "toys.csv", "--format", "json").only["valid"] == 1
    ran = feedtool("submit", "toys.csv", "--sandbox", "--format", "json")
    assert (ran.code, ran.statuses) == (1, ["Packed", "Invalid"])
    assert feedtool("export", "toy-parcels", "--sandbox", "--out", "had.csv").code == 0
    assert "Kite" in Path("had.csv").read_text("utf-8-sig")
    assert "toys.wrapping" in feedtool("config", "show", "--all").out
