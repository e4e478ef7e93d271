"""What the tests of Spark share. They run in an environment of their own: scripts/test-spark."""

import os
import pathlib

import pytest

from sessions import session


@pytest.fixture
def spark():
    """One for all tests, unless one of them has taken another."""
    return session("local[2]")


@pytest.fixture(scope="session")
def program():
    found = pathlib.Path(os.environ.get("SOFTWOOD_PROGRAM", "build/release/softwood"))
    if not found.exists():
        pytest.skip("the program is not built")
    return str(found)
