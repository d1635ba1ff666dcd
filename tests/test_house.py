"""What holds the house together: no engine names a kind of feed, which only areas do."""

import ast
from collections.abc import Iterator
from pathlib import Path

from feedtool.areas.registry import load

ROOT = Path(__file__).parent.parent / "feedtool"
KINDS = frozenset(load().feeds)
NAMES = frozenset({"is_batch", "is_zip", "PRODUCTS", "PackageType"})


def names_in(path: Path) -> Iterator[str]:
    """The kinds, and what stands for them, that a module names."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Constant(value=str(text)) if text in KINDS:
                yield text
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                yield from NAMES & {name}


def test_no_engine_names_a_kind() -> None:
    naming = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if "areas" not in path.parts and any(names_in(path))
    }
    assert naming == set()
