"""The desk of `tests.sandbox.desk` for the tests here."""

from tests.sandbox.desk import desk, new_desk

__all__ = ["desk", "new_desk"]
