"""Failures in `made` are told as those in the tests themselves."""

import pytest

pytest.register_assert_rewrite("tests.corpus.made")
