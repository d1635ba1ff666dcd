"""Failures in what tests share are told as those in the tests themselves."""

import pytest

pytest.register_assert_rewrite(
    "tests.corpus.made", "tests.agreement.again", "tests.agreement.copies", "tests.fuzz.trial"
)
