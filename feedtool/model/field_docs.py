"""The docstrings of fields, for documents and schemas that are made from the code."""

import ast
import inspect
from itertools import pairwise
from textwrap import dedent
from typing import Any


def field_docs(kind: type[Any]) -> dict[str, str]:
    """The docstring below each field of a class; Python forgets them, so its source is read."""
    tree = ast.parse(dedent(inspect.getsource(kind))).body[0]
    return {
        ast.unparse(field.targets[0] if isinstance(field, ast.Assign) else field.target): text
        for field, below in pairwise(getattr(tree, "body", ()))
        if isinstance(field, ast.Assign | ast.AnnAssign)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if (text := " ".join(str(below.value.value).split()))
    }
