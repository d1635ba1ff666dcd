"""Where the templates and samples are that come with feedtool, installed or in a checkout."""

from importlib.resources import files
from pathlib import Path


def bundled(name: str) -> Path:
    """The path of `samples/…` or `templates/…`.

    A wheel carries them inside the package, a checkout (and so an editable install) beside it.
    """
    package = Path(str(files("feedtool")))
    inside = package / "bundled" / name
    return inside if inside.exists() else package.parent / name
