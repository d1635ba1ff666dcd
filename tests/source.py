"""The code of a module, parsed and searched once for all tests about code."""

import ast
import gc
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

MESSAGES: Mapping[str, tuple[int, ...] | None] = {"tr": None, "_": None, "plural": (1, 2)}
"""Function that looks a message up → which of its arguments are the forms, from 1 on."""


LEAVES = frozenset({ast.Name, ast.Constant, ast.alias})
"""Kinds of nodes with none inside, but for the context of a name."""


class Call(NamedTuple):
    """A call of a function, with those of its texts that are not translated."""

    name: str
    texts: list[str]


class Function(NamedTuple):
    """A function of the module, and its number of lines."""

    name: str
    lines: int


class Code(NamedTuple):
    """The facts about a module that tests check."""

    texts: frozenset[str]
    """The texts that are constants."""
    messages: list[tuple[str, ...]]
    """The forms of each message that is looked up."""
    calls: list[Call]
    names: frozenset[str]
    """All names, attributes and imported names."""
    imports: frozenset[str]
    """The modules that are imported, also late; `from feedtool import x` counts as feedtool.x."""
    functions: list[Function]
    classes: list[str]
    """The classes at the top level."""


@cache
def code_of(path: Path) -> Code:
    # The collector would scan the growing tree again and again, in vain.
    gc.disable()
    try:
        return _code_in(ast.parse(path.read_text("utf-8")))
    finally:
        gc.enable()


def _code_in(tree: ast.Module) -> Code:
    nodes = nodes_of(tree)
    texts = (node.value for node in nodes[ast.Constant] if isinstance(node.value, str))
    names = {node.id for node in nodes[ast.Name]}
    names |= {node.attr for node in nodes[ast.Attribute]}
    names |= {node.name for node in nodes[ast.alias]}
    functions = [
        Function(node.name, node.end_lineno - node.lineno + 1) for node in nodes[ast.FunctionDef]
    ]
    imports = chain(nodes[ast.Import], nodes[ast.ImportFrom])
    return Code(
        texts=frozenset(texts),
        messages=[*chain.from_iterable(map(_message_of, nodes[ast.Call]))],
        calls=[*chain.from_iterable(map(_call_of, nodes[ast.Call]))],
        names=frozenset(names),
        imports=frozenset(chain.from_iterable(map(_imports_of, imports))),
        functions=functions,
        classes=[node.name for node in tree.body if isinstance(node, ast.ClassDef)],
    )


def nodes_of(tree: ast.AST) -> Mapping[type, list[Any]]:
    """Kind of node → a tree's nodes of it, in any order; `ast.walk` takes far longer."""
    nodes = defaultdict[type, list[Any]](list)
    left = [tree]
    while left:
        node = left.pop()
        kind = type(node)
        nodes[kind].append(node)
        if kind in LEAVES:
            continue
        for name in kind._fields:
            child = getattr(node, name, None)
            if isinstance(child, list):
                left += [each for each in child if isinstance(each, ast.AST)]
            elif isinstance(child, ast.AST) and not isinstance(child, ast.expr_context):
                left.append(child)
    return nodes


def _message_of(call: ast.Call) -> Iterator[tuple[str, ...]]:
    name = getattr(call.func, "id", "") or getattr(call.func, "attr", "")
    if name in MESSAGES:
        forms = [call.args[place - 1] for place in MESSAGES[name] or (1,) if call.args[place - 1 :]]
        texts = [form.value for form in forms if isinstance(form, ast.Constant)]
        if texts and len(texts) == len(forms):
            yield tuple(map(str, texts))


def _call_of(call: ast.Call) -> Iterator[Call]:
    if isinstance(call.func, ast.Name):
        arguments = (*call.args, *(keyword.value for keyword in call.keywords))
        if texts := [*chain.from_iterable(map(_plain, arguments))]:
            yield Call(call.func.id, texts)


def _plain(text: ast.expr) -> Iterator[str]:
    """The text itself, if it is several words or has values, and so needs a translation."""
    match text:
        case ast.JoinedStr():
            yield ast.unparse(text)
        case ast.Constant(value=str(words)) if " " in words:
            yield words


def _imports_of(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    elif node.module == "feedtool":
        yield from (f"feedtool.{name.name}" for name in node.names)
    elif node.module:
        yield node.module
