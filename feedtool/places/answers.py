"""The answers to a file are put where its sender looks for them: whole, and the summary last.

Who waits for the summary finds all others beside it. Whoever is killed between two of them puts
them again: what is there already, with the same content, is not put twice.
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
"""The longest ending of what is written of a file."""


def names_for(source: str, day: date) -> Iterator[str]:
    """The names that a file and its answers may have, without the ending: `a`, then `a.DAY`."""
    stem = PurePosixPath(source).stem
    yield stem
    yield f"{stem}.{day}"
    yield from (f"{stem}.{day}-{number}" for number in count(2))


def put_answers(place: Place, source: str, answers: Mapping[str, Path], day: date) -> list[str]:
    """Put the answers to a file under the first name that is free for all; the names they got.

    Args:
        place: Where to.
        source: The file's own name, `offers.csv`.
        answers: Local files by their endings, `.result.xlsx`; SUMMARY goes last.
        day: Of the answer.
    """
    order = sorted(answers, key=lambda ending: ending == SUMMARY)
    for name in names_for(source, day):
        targets = {f"{name}{ending}": answers[ending] for ending in order}
        if all(may_be(place, target, local) for target, local in targets.items()) and all(
            place.put(target, local) or may_be(place, target, local)
            for target, local in targets.items()
        ):
            break
    return list(targets)


def may_be(place: Place, target: str, local: Path) -> bool:
    """True if a name is free, or its file is this one, put by somebody who was killed then."""
    there = place.find(target)
    if there is None or there.size != local.stat().st_size:
        return there is None
    with temporary_folder() as folder:
        try:
            place.fetch(target, fetched := folder / "answer")
        except FileProblem:  # it was just taken away
            return True
        return filecmp.cmp(fetched, local, shallow=False)
