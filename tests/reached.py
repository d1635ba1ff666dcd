"""The values that can be reached from a value: its contents, and the names in its functions."""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

OURS = "feedtool."


def values_reached(root: object, without: type | tuple[type, ...] = ()) -> Iterator[object]:
    """Every value that a function or a record may use, each once.

    Records of the types `without` are not followed.
    """
    seen: dict[int, object] = {}
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value  # kept, so that no other value gets its id
        yield value
        if not isinstance(value, without) or value is root:
            waiting.extend(_next(value))


def _next(value: Any) -> Iterator[object]:
    match value:
        case FunctionType() if value.__module__.startswith(OURS):
            yield from values_of(value)
        case MethodType():
            yield value.__func__
            yield value.__self__
        case partial():
            yield from (value.func, value.args, value.keywords)
        case property():
            yield value.fget
        case staticmethod() | classmethod():
            yield value.__func__
        case type() if value.__module__.startswith(OURS):
            yield from vars(value).values()
        case Mapping():
            yield from value.values()
        case tuple() | list() | set() | frozenset():
            yield from value
            yield type(value)
        case Struct():
            yield from astuple(value)
            yield type(value)


@cache
def values_of(function: FunctionType) -> tuple[object, ...]:
    """The values of a function's closure, defaults and names, each once."""
    values = (
        *(cell.cell_contents for cell in function.__closure__ or ()),
        *(function.__defaults__ or ()),
        *(function.__kwdefaults__ or {}).values(),
        getattr(function, "__wrapped__", None),
        *_values_of(function),
    )
    return tuple({id(value): value for value in values}.values())


def _values_of(function: FunctionType) -> Iterator[object]:
    """The values of a function's names; for a module the values of names within it."""
    names = _names(function.__code__)
    for name in names:
        value = function.__globals__.get(name)
        if name.startswith(OURS):
            value = import_module(name)
        if isinstance(value, ModuleType):
            if value.__name__.startswith(OURS):
                yield from (vars(value).get(attribute) for attribute in names)
        else:
            yield value


@cache
def _names(code: CodeType) -> frozenset[str]:
    """The names in a function, and in functions that are defined in it."""
    inner = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return frozenset(code.co_names).union(*inner)
