"""Rules of the package's structure: only areas name kinds of feeds and their fields."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from feedtool.areas.registry import load
from feedtool.feeds.feed import ACTION, CHANNEL
from feedtool.model.settings import AccountSettings
from tests.source import code_of

ROOT = Path(__file__).parent.parent / "feedtool"
MOST_ROOMS, MOST_ARROWS, MOST_FLOORS = 18, 105, 9
MOST_LINES_OF_A_FUNCTION = 60
NAMED = re.compile(r"`([a-z_]+(?:\.[a-z_]+)*)`")
ROOMS = frozenset(path.name for path in ROOT.iterdir() if path.is_dir())
AREAS = load()
KINDS = frozenset(AREAS.feeds)
FIELDS = frozenset(
    column.key
    for feed in AREAS.feeds.values()
    if feed.sheet.has_channel  # fields of other kinds are common words, such as `title`
    for column in feed.sheet.understood(AccountSettings())
) - {ACTION, CHANNEL}
OTHER_MEANINGS = {
    ("report", "sellerExternalReference"),  # the name of any feed's reference in JSON
    ("ledger", "quantity"),  # a column of the ledger's tables
}
NAMES = frozenset({"is_batch", "is_zip", "PRODUCTS", "PackageType"})


def test_no_engine_names_a_kind() -> None:
    naming = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if "areas" not in path.parts
        if KINDS & code_of(path).texts or NAMES & code_of(path).names
    }
    assert naming == set()


def test_no_engine_names_a_field() -> None:
    naming = {
        (str(path.relative_to(ROOT)), field)
        for path in ROOT.rglob("*.py")
        if "areas" not in path.parts
        for field in FIELDS & code_of(path).texts
        if (path.relative_to(ROOT).parts[0], field) not in OTHER_MEANINGS
    }
    assert naming == set()


def test_the_map_names_modules_that_exist() -> None:
    named = set()
    for path in ROOT.rglob("__init__.py"):
        text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        order = text.partition("Reading order")[2].partition("\n\n")[0]
        for name in NAMED.findall(text if path.parent == ROOT else order):
            folder = ROOT if name.partition(".")[0] in ROOMS else path.parent
            named.add((str(path.relative_to(ROOT)), name, folder.joinpath(*name.split("."))))
    assert len(named) > 80
    assert [(at, name) for at, name, place in sorted(named) if not exists(place)] == []


def exists(place: Path) -> bool:
    return place.is_dir() or place.with_suffix(".py").exists()


def modules() -> Iterator[Path]:
    return (path for path in sorted(ROOT.rglob("*.py")) if path.name != "__init__.py")


def room_of(module: str) -> str:
    return (*module.split("."), "", "")[1]


def imports_of(root: Path) -> Iterator[tuple[str, str]]:
    """Each module with each module that it imports, also late."""
    for path in root.rglob("*.py"):
        importer = ".".join(("feedtool", *path.relative_to(root).with_suffix("").parts))
        yield from ((importer, imported) for imported in code_of(path).imports)


def test_the_package_has_few_rooms_and_no_module_beside_them() -> None:
    rooms = [path for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"]
    assert len(rooms) <= MOST_ROOMS
    assert {path.name for path in ROOT.glob("*.py")} == {
        "__init__.py",
        "__main__.py",
        "serving.py",
    }


def test_rooms_are_on_few_floors_with_few_arrows_and_no_circle() -> None:
    arrows = {
        (room_of(importer), room_of(imported))
        for importer, imported in imports_of(ROOT)
        if imported.startswith("feedtool.")
        if room_of(importer) and room_of(imported)
    }
    between = {(room, below) for room, below in arrows if room != below}
    assert len(between) <= MOST_ARROWS
    below = {
        room: {imported for importer, imported in between if importer == room}
        for room, _ in between
    }
    # Raises CycleError if there is a circle.
    order = TopologicalSorter(below).static_order()
    floors: dict[str, int] = {}
    for room in order:
        floors[room] = 1 + max((floors[other] for other in below.get(room, ())), default=0)
    assert max(floors.values()) <= MOST_FLOORS


def test_no_two_public_classes_share_a_name() -> None:
    names = Counter(
        name for path in modules() for name in code_of(path).classes if not name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_functions_are_short() -> None:
    for path in modules():
        for function in code_of(path).functions:
            assert function.lines <= MOST_LINES_OF_A_FUNCTION, f"{path}: {function.name}"
