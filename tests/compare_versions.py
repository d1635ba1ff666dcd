"""Compare what two versions of feedtool do: `python -m tests.compare_versions OTHER [FILES]`.

OTHER is a checkout of the other version. Both run the same commands on the samples and on FILES
(200) made-up sheets, each in a separate folder. Differences are printed: of exit codes, stdout,
request bodies and annotated copies. Identifiers of packages, times and paths are ignored.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zipfile import ZipFile

from openpyxl import Workbook

from tests.conftest import gtin, offer, table

ROOT = Path(__file__).parents[1]
SEED = 13
SHOWN = 400
"""The most characters that are shown of a difference."""
MISTAKES = {
    "quantity": ["-1", "x", "1,5", "", "99999999999"],
    "product.gtin": ["4006381333932", "123", "", "400638133393X"],
    "price.price": ["0", "1.234,5", "abc", "19.999", ""],
    "condition": ["Neuf", "old", "", "New - New"],
    "taxes.VAT": ["0.196", "20%", "", "-5"],
    "sellerExternalReference": ["", "SKU-1", "Total", "é" * 60],
    "preparationTime": ["1.5", "", "1000"],
    "salesChannelId": ["OTHER", ""],
}
TRACE = re.compile(rb"(?<=traceId )[0-9a-f]{32}")
VARIABLE = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r"\b[0-9a-f]{16,64}\b"), "HEX"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?"), "TIME"),
    (re.compile(r"\b\d\d:\d\d(:\d\d)?\b"), "TIME"),
    (re.compile(r'(?<=packageId": ")\d+|(?<=Package )\d+'), "PACKAGE"),
    (re.compile(r', "salesChannelId": (?:null|"[^"]*")(?=[,}])'), ""),  # newer than some versions
)


def made(folder: Path, count: int) -> Iterator[Path]:
    """Sheets of offers, most with mistakes; the same for the same count."""
    dice = random.Random(SEED)  # noqa: S311 — made-up sheets
    for number in range(count):
        rows = [
            offer(nth, product__gtin=gtin(number * 50 + nth)) for nth in range(1, 2 + number % 40)
        ]
        for row in rows:
            for key in dice.sample(sorted(MISTAKES), dice.randrange(3)):
                row[key] = dice.choice(MISTAKES[key])
        headers = list(rows[0])
        if dice.random() < 0.2:
            headers.remove(dice.choice(headers))
        rows = [{key: row.get(key, "") for key in headers} for row in rows]
        path = folder / f"made-{number:03}.{'csv' if number % 2 else 'xlsx'}"
        if number % 2:
            path.write_text(table(rows, dice.choice(",;\t")), "utf-8")
        else:
            book = Workbook()
            sheet = book.worksheets[0]
            for line in (headers, *(list(row.values()) for row in rows)):
                sheet.append(line)
            book.save(path)
        yield path


def commands(path: Path) -> Iterator[Sequence[str]]:
    """The commands for one file."""
    name = path.name
    yield "validate", name
    yield "validate", name, "--format", "json", "--annotate"
    yield "submit", name, "--dry-run", "--requests", "requests", "--format", "json"
    yield "submit", name, "--sandbox", "--format", "json"
    yield "results", "1", "--format", "json"
    yield "results", "1", "--failed-only"
    yield "convert", name, f"converted-{path.stem}.csv"


def without_variable(text: str, folder: Path) -> str:
    """A text with words for its identifiers, times and paths, which differ each time."""
    text = text.replace(str(folder), "FOLDER")
    for pattern, word in VARIABLE:
        text = pattern.sub(word, text)
    return text


def content(file: Path) -> object:
    """The bytes of a file, or of a workbook's parts, without the service's trace identifiers.

    The stamp of a workbook of rows to correct is left out, too.
    """
    if file.suffix != ".xlsx":
        return TRACE.sub(b"", file.read_bytes())
    stamps = "docProps/custom.xml" if file.name.endswith(".failed.xlsx") else None
    with ZipFile(file) as parts:
        names = (name for name in parts.namelist() if name != stamps)
        return [(name, TRACE.sub(b"", parts.read(name))) for name in names]


def outcome(tree: Path, path: Path) -> list[tuple[str, object]]:
    """The results of a version for a file: of each command, then of each file written."""
    result: list[tuple[str, object]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shutil.copy(path, folder)
        environment = {**os.environ, "PYTHONPATH": str(tree), "FEEDTOOL_HOME": str(folder / "home")}
        for words in commands(path):
            ran = subprocess.run(  # noqa: S603 — ours
                [sys.executable, "-m", "feedtool", *words],
                cwd=folder,
                env=environment,
                capture_output=True,
                check=False,
            )
            said = without_variable(ran.stdout.decode(), folder)
            result.append((" ".join(words), (ran.returncode, said)))
        files = (file for file in sorted(folder.rglob("*")) if file.is_file())
        result += [
            (str(file.relative_to(folder)), content(file))
            for file in files
            if "home" not in file.parts
        ]
    return result


def shortly(result: tuple[str, object]) -> str:
    return f"{result[0]} {str(result[1])[:SHOWN]}"


def main(other: Path, count: int) -> int:
    """Print the differences; return 1 if there are any."""
    samples = [path for path in (ROOT / "samples").iterdir() if path.suffix in {".csv", ".xlsx"}]
    differing = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        paths = [*sorted(samples), *made(Path(folder), count)]
        before = [pool.submit(outcome, other, path) for path in paths]
        after = [pool.submit(outcome, ROOT, path) for path in paths]
        for path, old_results, new_results in zip(paths, before, after, strict=True):
            for old, new in zip(old_results.result(), new_results.result(), strict=False):
                if old != new:
                    differing += 1
                    sys.stdout.write(f"{path.name}: {old[0]}\n  before: {shortly(old)}\n")
                    sys.stdout.write(f"  after:  {shortly(new)}\n")
    sys.stdout.write(f"{len(paths)} files, {differing} differences\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 200))
