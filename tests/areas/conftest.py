"""The desk of `tests.sandbox.desk`, and the stores of `tests.buckets`, for the tests here."""

from tests.buckets import bucket, s3, store
from tests.sandbox.desk import desk, new_desk

__all__ = ["bucket", "desk", "new_desk", "s3", "store"]
