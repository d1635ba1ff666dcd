"""Makes the sandbox's catalogue.json anew: `python samples/make_catalogue.py [FOLDER]`.

It is the catalogue that the embedded sandbox serves: brands, categories, properties, choices, all
invented. The words are in catalogue-words.txt; which category has which properties, and what is
unusual about it, is drawn from a seed. Equal words give equal bytes, and a test compares.

The file holds, texts being a list in the order of `languages`, or of one for all of them:

- `brands`: [brandReference, name];
- `choices`: by name, a list of texts;
- `properties`: by propertyReference, what differs from false and null; `choices` names a list;
- `categories`: what differs from an active one, parents first; `properties` are those of a level-3
  category in the order of their index, each with `!` Mandatory, `+` Recommended or `-` Optional.
"""  # noqa: INP001 - a script, no package

import json
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from string import ascii_uppercase
from typing import Any

WORDS = Path(__file__).parent / "catalogue-words.txt"
SANDBOX = Path(__file__).parent.parent / "feedtool/areas/products/sandbox"
SEED = "spring"
LANGUAGES = ("fr-FR", "en-US", "es-ES")

TOPS = ("01", "02", "0A", "0K", "10", "1E", "2B", "30", "3F", "5E", "77", "A1", "B4", "C0", "ZZ")
"""Level-1 codes. A spreadsheet would like to read some below them as numbers: 010203, 1E0203."""
FIRST_PROPERTY = 3201
FIRST_BRAND = 1001
NUMBERS_OF_A_MODEL = range(10, 910, 10)

INDENT = 2

LEFT_OUT = 0.3
"""How many optional properties of its sets a category does without."""
TURNED = 0.15
"""How many are recommended where others have them as optional, or the other way about."""
LETTERED = 0.2
BRAND_MANDATORY = 0.6


def share(*about: str) -> float:
    """A number from 0 to 1 that is always the same for the same thing."""
    return zlib.crc32("|".join((SEED, *about)).encode()) / 2**32


def sections() -> dict[str, list[str]]:
    """The lines of the words, by section, without comments."""
    found: dict[str, list[str]] = {}
    for line in WORDS.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            lines = found.setdefault(heading[1], [])
        elif line.strip() and not line.startswith("#"):
            lines.append(line)
    return found


def texts(text: str, separator: str) -> list[str]:
    """A text in each language, or one for all of them: 1/2 is no list of languages."""
    parts = [part.strip() for part in text.split(separator)]
    return parts if len(parts) == len(LANGUAGES) else [text]


def choices(words: dict[str, list[str]]) -> dict[str, list[list[str]]]:
    """Every list of choices, that of more than two thousand models included."""
    lists = {}
    for line in words["choices"]:
        name, _, given = line.partition(": ")
        lists[name] = [texts(choice, "/") for choice in given.split(", ")]
    lists["model"] = [
        [f"{maker} {series} {number}"]
        for maker, _, given in (line.partition(": ") for line in words["models"])
        for series in given.split(", ")
        for number in NUMBERS_OF_A_MODEL
    ]
    return lists


class Property:
    """A line of the section `properties`."""

    def __init__(self, reference: str, line: str, lists: dict[str, list[list[str]]]) -> None:
        """Take the line apart."""
        self.reference = reference
        self.set, _, rest = line.partition(": ")
        label, kind, mark = (part.strip() for part in rest.split(" ; "))
        self.mark, _, variant = mark.partition(" ")
        self.is_variation = "V" in variant
        self.document: dict[str, Any] = {"label": texts(label, "|")}
        self._describe(*kind.partition(" ")[::2], lists)
        if variant:
            self.document |= {"isVariation": True} | ({"isSize": True} if "S" in variant else {})

    def _describe(self, kind: str, detail: str, lists: dict[str, list[list[str]]]) -> None:
        if kind.endswith("*"):
            self.document["isMultiple"] = True
        kind = kind.removesuffix("*")
        if kind == "choice":
            name, _, detail = detail.partition(" ")
            self.document["choices"] = name
            if detail and all(choice[0].isdigit() for choice in lists[name]):
                kind = "number"
        if kind == "number":
            self.document["isNumeric"] = True
        if kind == "file":
            self.document["allowedFileTypes"] = detail.split(",")
        elif detail:
            self.document["unit"] = texts(detail, "/")


def properties(words: dict[str, list[str]], lists: dict[str, list[list[str]]]) -> list[Property]:
    """Every property, referred to by rising numbers with gaps."""
    reference, found = FIRST_PROPERTY, []
    for line in words["properties"]:
        found.append(Property(str(reference), line, lists))
        reference += 1 + int(share("gap", line) * 30)
    return found


def chosen(label: str, sets: set[str], given: list[Property]) -> Iterator[str]:
    """The properties of a level-3 category: its sets', now and then without an optional one."""
    for one in given:
        luck, mark = share(label, one.reference), one.mark
        if one.set not in sets or (mark == "-" and luck < LEFT_OUT):
            continue
        if mark != "!" and not one.is_variation and luck > 1 - TURNED:
            mark = "+" if mark == "-" else "-"
        yield one.reference + mark


def categories(words: dict[str, list[str]], given: list[Property]) -> Iterator[dict[str, Any]]:
    """The tree, parents before children."""
    counts = [0, 0, 0]
    codes = ["", "", ""]
    sets: set[str] = set()
    every = {one.set for one in given}
    variant_sets = {one.set for one in given if one.is_variation}
    for line in words["tree"]:
        level = (len(line) - len(line.lstrip())) // INDENT
        rest, _, named = line.strip().partition(" @ ")
        label = rest.removeprefix("~").removesuffix(" %")
        counts[level:] = [counts[level] + 1] + [0] * (2 - level)
        codes[level] = code_of(codes, counts, level)
        if level < len(codes) - 1:
            sets = {"core", *named.split()} if level else set()
        document: dict[str, Any] = {"reference": codes[level], "label": texts(label, "|")}
        if rest.startswith("~"):
            document["isActive"] = False
        if level == len(codes) - 1:
            own = every if rest.endswith("%") else sets
            document |= leaf(label, own, given, is_variant=bool(variant_sets & sets))
        yield document


def code_of(codes: list[str], counts: list[int], level: int) -> str:
    """The code of the category that comes next at this level: letters among the digits."""
    if level == 0:
        return TOPS[counts[0] - 1]
    parent, number = codes[level - 1], counts[level]
    is_lettered = share(parent, str(number)) < LETTERED
    return parent + (f"{number}{ascii_uppercase[number]}" if is_lettered else f"{number:02d}")


def leaf(label: str, sets: set[str], given: list[Property], *, is_variant: bool) -> dict[str, Any]:
    """What only a level-3 category has."""
    usable = [one for one in given if is_variant or not one.is_variation]
    document: dict[str, Any] = {"properties": " ".join(chosen(label, sets, usable))}
    if is_variant:
        document["isVariant"] = True
    if share(label, "brand") < BRAND_MANDATORY:
        document["isBrandMandatory"] = True
    return document


def brands(words: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """References rising with gaps, and names."""
    own, firsts, seconds = (line.split(", ") for line in words["brands"])
    reference = FIRST_BRAND
    for name in [*own, *(f"{first} {second}" for first in firsts for second in seconds)]:
        yield str(reference), name
        reference += 1 + int(share("brand", name) * 400)


def catalogue() -> dict[str, Any]:
    """All of it."""
    words = sections()
    lists = choices(words)
    given = properties(words, lists)
    return {
        "languages": list(LANGUAGES),
        "brands": list(brands(words)),
        "choices": lists,
        "properties": {one.reference: one.document for one in given},
        "categories": list(categories(words, given)),
    }


def written(document: dict[str, Any]) -> str:
    """JSON with an entry a line, compact within."""
    parts = []
    for name, value in document.items():
        pairs = value.items() if isinstance(value, dict) else ((None, one) for one in value)
        lines = (("" if key is None else _compact(key) + ":") + _compact(one) for key, one in pairs)
        brackets = "{}" if isinstance(value, dict) else "[]"
        parts.append(f"{_compact(name)}:{brackets[0]}\n" + ",\n".join(lines) + f"\n{brackets[1]}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_all(folder: Path) -> None:
    """The one file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "catalogue.json").write_bytes(written(catalogue()).encode())


if __name__ == "__main__":
    write_all(Path(sys.argv[1]) if len(sys.argv) > 1 else SANDBOX)
