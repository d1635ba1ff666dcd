"""The calls that a function makes, from its source: methods, and paths with `{}` for unknowns."""

import ast
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from types import FunctionType
from typing import TypeGuard

from msgspec.structs import asdict

from feedtool.areas.registry import load
from feedtool.model.call import Call
from tests.reached import values_of
from tests.source import nodes_of

UNKNOWN = "{}"
"""The placeholder for an unknown part of a path."""

OURS = ("feedtool.areas.", "feedtool.catalog.")
"""The packages that make calls."""

_IS_PATH = re.compile("/[^{]")
"""A path whose beginning is known."""

Names = Mapping[str, frozenset[str]]
"""Name of a variable → the texts that it may have."""


@cache
def calls_of(function: FunctionType) -> frozenset[tuple[str, str]]:
    """The methods and paths of its `Call`s, also those that it makes by another function."""
    if not any(value is Call or _makes_call(value) for value in values_of(function)):
        return frozenset()  # without parsing its source, which takes longer
    return frozenset(call for call in _calls(function, {}) if _IS_PATH.match(call[1]))


def _calls(function: FunctionType, given: Names) -> Iterator[tuple[str, str]]:
    names = _local(function, given)
    for node in ast.walk(_definition(function)):
        if not isinstance(node, ast.Call):
            continue
        callee = _value_of(node.func, function)
        if callee is Call:
            yield from product(*(_texts(part, names, function) for part in node.args[:2]))
        elif _makes_call(callee) and not calls_of(callee):
            yield from _calls(callee, _bound(callee, node.args, names, function))


def _local(function: FunctionType, given: Names) -> Names:
    """The texts of a function's arguments and of the variables that it assigns."""
    names = dict(given)
    for node in ast.walk(_definition(function)):
        if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name):
            names[target.id] = _texts(node.value, names, function)
    return names


def _texts(node: ast.expr, names: Names, function: FunctionType) -> frozenset[str]:
    """The texts that an expression may have."""
    if isinstance(node, ast.FormattedValue):
        node = node.value
    name = getattr(node, "id", "")
    if name in names:
        return names[name]
    match node:
        case ast.JoinedStr(values=parts):
            texts = product(*(_texts(part, names, function) for part in parts))
            return frozenset(map("".join, texts))
        case ast.IfExp(body=first, orelse=second):
            return _texts(first, names, function) | _texts(second, names, function)
        case ast.Call(func=ast.Attribute(value=text, attr="replace")):
            return _texts(text, names, function)
        case ast.Call(func=called, args=arguments) if _is_ours(
            callee := _value_of(called, function)
        ):
            return _returned(callee, _bound(callee, arguments, names, function))
    known = _paths().get(getattr(node, "attr", ""), function.__globals__.get(name))
    value = node.value if isinstance(node, ast.Constant) else known
    return frozenset({value if isinstance(value, str) else UNKNOWN})


@cache
def _paths() -> Mapping[str, str]:
    """Setting → its path, of the settings that are paths."""
    values = (item for kind in load().settings for item in asdict(kind()).items())
    return {name: value for name, value in values if isinstance(value, str) and "/" in value}


def _returned(function: FunctionType, given: Names) -> frozenset[str]:
    names, ends = _local(function, given), ast.walk(_definition(function))
    values = [node.value for node in ends if isinstance(node, ast.Return) and node.value]
    return frozenset().union(*(_texts(value, names, function) for value in values))


def _bound(
    callee: FunctionType, arguments: Sequence[ast.expr], names: Names, caller: FunctionType
) -> Names:
    """Parameter of the called function → the texts of its argument."""
    texts = (_texts(argument, names, caller) for argument in arguments)
    return dict(zip(inspect.signature(callee).parameters, texts, strict=False))


def _value_of(node: ast.expr, function: FunctionType) -> object:
    """The value of a name in the function's module, or of `wire.read` in another module."""
    match node:
        case ast.Name(id=name):
            return function.__globals__.get(name)
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return getattr(function.__globals__.get(module), name, None)
    return None


def _is_ours(callee: object) -> TypeGuard[FunctionType]:
    return isinstance(callee, FunctionType) and callee.__module__.startswith(OURS)


def _makes_call(callee: object) -> TypeGuard[FunctionType]:
    return _is_ours(callee) and callee.__annotations__.get("return") is Call


def _definition(function: FunctionType) -> ast.AST:
    """The parsed source of a function; empty if it has no name or no file."""
    return _definitions(function.__code__.co_filename).get(
        function.__code__.co_firstlineno, ast.Module([], [])
    )


@cache
def _definitions(path: str) -> Mapping[int, ast.AST]:
    """First line of a function, or of its first decorator → the function, of a file."""
    if not Path(path).is_file():
        return {}
    functions = nodes_of(ast.parse(Path(path).read_text("utf-8")))[ast.FunctionDef]
    return {
        min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]): node
        for node in functions
    }
