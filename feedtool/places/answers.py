"""Put the answers to a file where its sender looks for them: complete, and the summary last.

A program that waits for the summary finds all others beside it. A process that was killed between
two of them puts them again, and skips a file that is there already with the same content.
"""

import filecmp
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import count
from pathlib import Path, PurePosixPath

from feedtool.model.errors import FileProblem
from feedtool.model.spool import temporary_folder
from feedtool.places.contract import Place

SUMMARY = ".summary.json"
"""The longest ending of an answer's name."""


def names_for(source: str, day: date) -> Iterator[str]:
    """Yield names for a file and its answers, without the ending: `a`, `a.DAY`, and so on."""
    stem = PurePosixPath(source).stem
    yield stem
    yield f"{stem}.{day}"
    yield from (f"{stem}.{day}-{number}" for number in count(2))


def put_answers(place: Place, source: str, answers: Mapping[str, Path], day: date) -> list[str]:
    """Put the answers under the first name that is free for all of them, and return their names.

    Args:
        place: The target.
        source: The name of the file that is answered, `offers.csv`.
        answers: Local files by their endings, `.result.xlsx`; SUMMARY goes last.
        day: The day of the answer.
    """
    order = sorted(answers, key=lambda ending: ending == SUMMARY)
    for name in names_for(source, day):
        targets = {f"{name}{ending}": answers[ending] for ending in order}
        if all(is_free_or_same(place, target, local) for target, local in targets.items()) and all(
            place.put(target, local) or is_free_or_same(place, target, local)
            for target, local in targets.items()
        ):
            break
    return list(targets)


def is_free_or_same(place: Place, target: str, local: Path) -> bool:
    """True if a name is free, or has this content already, from a process that was killed."""
    existing = place.find(target)
    if existing is None or existing.size != local.stat().st_size:
        return existing is None
    with temporary_folder() as folder:
        try:
            place.fetch(target, fetched := folder / "answer")
        except FileProblem:  # somebody has just taken it away
            return True
        return filecmp.cmp(fetched, local, shallow=False)
