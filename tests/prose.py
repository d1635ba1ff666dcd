"""Count things that make code hard to read: `python -m tests.prose [FOLDER] [--list NAME]`.

The folder is `feedtool` by default. `--list` prints the places of one count. `--max FILE` reads a
JSON object of limits, {"name": number}; the exit code is 1 if a count is above its limit.
"""

import argparse
import ast
import gc
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

INVERTED = re.compile(
    r"(What|Whatever|Whether|Who|Whoever|Whose|Whom|Where|Wherever|When|How|Why|Which|Of|Those|That"
    r"|As|So|Such|Neither|Every one|(In|By|For|With|To|From|On|At|Of) (which|whom|what|whose))\b"
)
STOCK = re.compile(
    r"\b(but for|is none|are none|there is none|there is not|there are not|whoever|whatever|came of"
    r"|comes of|comes by|of ours|of theirs|stands for|in its stead|in the place of|is told|be told"
    r"|tells of|as it is\b|as they come|for good|unasked|say on|let .{1,30} know|have been met)",
    re.IGNORECASE,
)
COY = frozenset(
    "at it its own found given told one ones whose asked wanted named there here ours further".split()  # noqa: SIM905, E501  # a list would take 20 lines
)
LOOP = frozenset("_ixynefkv")
SMALL, LARGE, MOST_FIELDS = 60, 600, 15
SHORT = ("__init__.py", "area.py", "settings.py", "statuses.py")
"""Modules that are short where there is little to declare."""
RECORD_BASES = frozenset({"NamedTuple", "Struct", "Protocol", "TypedDict"})
IMPORTS = (ast.Import, ast.ImportFrom)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LEAVES = (ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.unaryop, ast.boolop)
"""Nodes that nothing is counted of, with none inside."""
UNTYPED = re.compile(r"^(dict|Mapping)\[str, Any\]$|^Any$")


class Tree:
    """The modules of a package, and the places of each count."""

    def __init__(self, folder: Path) -> None:
        self.package = folder.name
        self.places: dict[str, list[str]] = defaultdict(list)
        self.numbers: Counter[str] = Counter()
        self.imports: dict[str, set[str]] = {}
        self.modules = {self.name(folder, path): path for path in sorted(folder.rglob("*.py"))}
        self.sources = {name: path.read_text() for name, path in self.modules.items()}
        for name, path in self.modules.items():
            self.read(name, path)
        for circle in circles(self.imports):
            self.places["circles of files"].append(" ".join(sorted(circle)))
        self.count_single_uses()

    @staticmethod
    def name(folder: Path, path: Path) -> str:
        """The dotted name of a module."""
        parts = path.relative_to(folder.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def read(self, name: str, path: Path) -> None:
        """Count the things of one module."""
        tree = ast.parse(self.sources[name])
        lines = len(self.sources[name].splitlines())
        self.numbers["modules"] += 1
        self.numbers["lines"] += lines
        if lines < SMALL and path.name not in SHORT:
            self.places[f"modules under {SMALL} lines"].append(f"{path}: {lines}")
        if lines > LARGE:
            self.places[f"modules over {LARGE} lines"].append(f"{path}: {lines}")
        nodes = walked(tree)
        self.imports[name] = set(self.imported(name, path, nodes))
        imports = {node.lineno for node in nodes if isinstance(node, IMPORTS)}
        for node in nodes:
            if isinstance(node, (ast.stmt, ast.Module)):
                self.look(path, node, imports)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                is_short = len(node.id) == 1 and node.id not in LOOP
                if node.id in COY or is_short:
                    place = f"{path}:{node.lineno} {node.id}"
                    self.places["coy or one-letter variables"].append(place)

    def look(self, path: Path, node: ast.stmt | ast.Module, imports: set[int]) -> None:
        """Count a statement of a module with imports in some lines, or the module."""
        where = f"{path}:{getattr(node, 'lineno', 1)}"
        if isinstance(node, ast.stmt) and not isinstance(node, IMPORTS):
            self.numbers["statements"] += text_of(node) is None
        if isinstance(node, FUNCTIONS):
            self.numbers["functions"] += 1
            has_imports = not imports.isdisjoint(range(node.lineno, (node.end_lineno or 0) + 1))
            late = [n for n in walked(node) if isinstance(n, IMPORTS)] if has_imports else []
            self.places["late imports"] += [f"{path}:{n.lineno}" for n in late]
            for argument in (
                *node.args.args,
                *node.args.kwonlyargs,
                *filter(None, [node.args.kwarg]),
            ):
                if (
                    argument.annotation
                    and argument.arg in {"given", "options", "params", "kwargs"}
                    and UNTYPED.search(ast.unparse(argument.annotation))
                ):
                    self.places["untyped options"].append(f"{where} {node.name}")
        if isinstance(node, ast.ClassDef):
            self.numbers["classes"] += 1
            annotated = [n for n in node.body if isinstance(n, ast.AnnAssign)]
            if len(annotated) > MOST_FIELDS:
                fields = [n for n in annotated if ast.unparse(n.target) != "_"]  # _: KW_ONLY
                is_record = {ast.unparse(base).split(".")[-1] for base in node.bases} & RECORD_BASES
                if (is_record or node.decorator_list) and len(fields) > MOST_FIELDS:
                    self.places[f"records over {MOST_FIELDS} fields"].append(
                        f"{where} {node.name}: {len(fields)}"
                    )
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)):
            self.prose(where, node)

    def prose(
        self, where: str, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ) -> None:
        """Count the faults of a docstring, and of the texts under the fields of a class."""
        texts = [ast.get_docstring(node) or ""]
        if not isinstance(node, FUNCTIONS):
            found = filter(None, map(text_of, node.body[1:]))
            texts += [repr(text).strip("'\"") for text in found]
        for text in filter(None, texts):
            self.numbers["docstrings"] += 1
            first = text.splitlines()[0]
            if INVERTED.match(text):
                self.places["docstrings with an inverted opening"].append(f"{where} {first}")
            if STOCK.search(text):
                self.places["docstrings with a stock phrase"].append(f"{where} {first}")
        if isinstance(node, ast.FunctionDef) and texts[0]:
            span = (node.end_lineno or 0) - node.body[0].end_lineno  # type: ignore[operator]
            if span <= 2 and len(texts[0].splitlines()) == 1:
                self.places["docstrings over at most two lines"].append(f"{where} {node.name}")

    def imported(self, name: str, path: Path, nodes: list[ast.AST]) -> Iterator[str]:
        """The modules of the package that a module imports, late imports included."""
        is_area = name.split(".")[1:2] == ["areas"]
        of_areas = re.compile(rf"{self.package}\.areas\.(?!registry)")
        types_only = {
            id(inner)
            for node in nodes
            if isinstance(node, ast.If)
            and "TYPE_CHECKING" in self.sources[name]
            and "TYPE_CHECKING" in ast.unparse(node.test)
            for inner in walked(node)
        }
        for node in nodes:
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            modules = {
                f"{node.module}.{alias.name}"
                if f"{node.module}.{alias.name}" in self.modules
                else node.module
                for alias in node.names
            }
            areas = [module for module in modules if of_areas.match(module)]
            if areas and not is_area:
                self.places["imports of named areas"].append(f"{path}:{node.lineno} {areas[0]}")
            if id(node) not in types_only:
                yield from modules & self.modules.keys() - {name}

    def count_single_uses(self) -> None:
        """Count the private functions of modules that are named once besides their definition."""
        for name, source in self.sources.items():
            words = Counter(re.findall(r"\b_\w+", source))
            for function in re.findall(r"^(?:async )?def (_\w+)\(", source, re.MULTILINE):
                uses = words[function] - 1
                if uses == 1:
                    self.places["private functions used once"].append(
                        f"{self.modules[name]} {function}"
                    )


def walked(tree: ast.AST) -> list[ast.AST]:
    """The nodes of a tree in the order of `ast.walk`, without the leaves."""
    nodes = [tree]
    for node in nodes:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                nodes += [n for n in value if isinstance(n, ast.AST) and not isinstance(n, LEAVES)]
            elif isinstance(value, ast.AST) and not isinstance(value, LEAVES):
                nodes.append(value)
    return nodes


def text_of(node: ast.AST) -> str | None:
    """The text of a statement that is only a text: a docstring."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return node.value.value if isinstance(node.value.value, str) else None
    return None


def circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """The strongly connected sets of more than one module (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    circles_: list[set[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph.get(name, ()):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            place = stack.index(name)
            circle = set(stack[place:])
            del stack[place:]
            if len(circle) > 1:
                circles_.append(circle)

    sys.setrecursionlimit(10_000)
    for name in graph:
        if name not in index:
            visit(name)
    return circles_


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default="feedtool", type=Path)
    parser.add_argument("--list", dest="listed", default="")
    parser.add_argument("--max", dest="limits", type=Path)
    options = parser.parse_args()
    gc.disable()  # it would scan all trees again and again
    tree = Tree(options.folder.resolve())
    counts = {**tree.numbers, **{name: len(places) for name, places in sorted(tree.places.items())}}
    if options.listed:
        print(*tree.places[options.listed], sep="\n")
        return 0
    for name, number in counts.items():
        print(f"{number:8,}  {name}")
    limits = json.loads(options.limits.read_text()) if options.limits else {}
    above = [name for name, limit in limits.items() if counts.get(name, 0) > limit]
    print(
        *(f"above its limit: {name}: {counts[name]} > {limits[name]}" for name in above), sep="\n"
    )
    return int(bool(above))


if __name__ == "__main__":
    sys.exit(main())
