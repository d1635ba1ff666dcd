from collections.abc import Iterator
from unittest import mock

import pytest

from feedtool.model.nouns import AREA_STATUSES


@pytest.fixture(autouse=True, scope="module")
def _only_here() -> Iterator[None]:
    """The toy's status is forgotten after each module, since fixtures of a module load it too."""
    with mock.patch.dict(AREA_STATUSES):
        yield
