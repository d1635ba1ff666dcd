"""Every problem code with its page, gathered from where each is declared."""

import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from types import MappingProxyType

import feedtool.check
import feedtool.columns
from feedtool.errors import FileProblem, UsageProblem
from feedtool.guards import all_guards
from feedtool.model import Code, Severity
from feedtool.rules import all_rules


@cache
def all_codes() -> Mapping[str, Code]:
    """Every code by its name, in the order of names.

    Those of rules and guards are found by their being there, those of cells in the columns'
    modules, and those of files are the subclasses of `FileProblem`, all of which reading files
    imports.
    """
    codes = [rule.code for rule in all_rules()]
    codes += [guard.code for guard in all_guards().values()]
    codes += _of_columns()
    codes += [_of_file(problem) for problem in _subclasses(FileProblem) if problem.code]
    by_name = {code.name: code for code in codes}
    return MappingProxyType(dict(sorted(by_name.items())))


def explain(name: str) -> str:
    """The page of a code: what it means, an example, how to mend it.

    Args:
        name: As reports print it; case and the kind of dash do not matter.

    Raises:
        UsageProblem: there is no such code; the hint names the nearest.
    """
    codes = all_codes()
    wanted = name.strip().casefold().replace("_", "-").replace(" ", "-")
    if wanted not in codes:
        near = get_close_matches(wanted, codes, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"one of: {', '.join(codes)}"
        raise UsageProblem(f"there is no problem code “{name}”", hint)
    code = codes[wanted]
    return f"{code.severity}[{code.name}]\n\n{code.page.strip()}\n"


def summary_of(name: str) -> str:
    """The first line of a code's page; empty for a code that is not ours (the service's)."""
    code = all_codes().get(name)
    return code.page.strip().partition("\n")[0] if code else ""


def mending_of(name: str) -> str:
    """What a code's page says of mending it, without regard to a single cell."""
    code = all_codes().get(name)
    last = " ".join(code.page.strip().rpartition("\n\n")[2].split()) if code else ""
    for start in ("To mend it, ", "How to mend it: "):
        last = last.removeprefix(start)
    return last


def _of_columns() -> Iterator[Code]:
    """The `Code` constants of the columns' modules."""
    package = feedtool.columns
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for constant in vars(import_module(found.name)).values():
            if isinstance(constant, Code):
                yield constant


def _of_file(problem: type[FileProblem]) -> Code:
    return Code(problem.code, Severity.ERROR, inspect.getdoc(problem) or "")


def _subclasses(parent: type[FileProblem]) -> Iterator[type[FileProblem]]:
    for child in parent.__subclasses__():
        yield child
        yield from _subclasses(child)
