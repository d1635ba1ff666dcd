"""Problem codes whose pages for users are the sections of a package's `problems.md`."""

import re
from importlib.resources import files

from feedtool.model.nouns import Code, Severity

_SECTION = re.compile(r"^## ([a-z0-9-]+)\n\n(.*?\n)(?=\n## |\Z)", re.MULTILINE | re.DOTALL)


class Problems:
    """The codes of a package: what each means, an example, how to mend it."""

    def __init__(self, package: str) -> None:
        self._pages = dict(_SECTION.findall((files(package) / "problems.md").read_text("utf-8")))

    def error(self, name: str) -> Code:
        """The code of what keeps a row from being sent."""
        return Code(name, Severity.ERROR, self._pages[name])

    def warning(self, name: str) -> Code:
        """The code of what is only told."""
        return Code(name, Severity.WARNING, self._pages[name])
