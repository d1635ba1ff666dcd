"""The service's texts by code and language: gettext catalogues, a file for each language."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def texts(package: str, language: str) -> Mapping[str, str]:
    """The texts by code, which is their msgid.

    Args:
        package: The dotted name of the package that holds `en.po`, `fr.po` and so on.
        language: One of `access.LANGUAGES`.
    """
    from babel.messages.pofile import read_po

    with files(package).joinpath(f"{language.partition('-')[0]}.po").open("rb") as file:
        return {str(entry.id): str(entry.string) for entry in read_po(file) if entry.id}
