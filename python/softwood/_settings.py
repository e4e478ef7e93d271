"""Seeds and times as people give them."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from softwood._errors import Error


def seconds_of(budget: Any) -> float | None:
    """30, "30s", "5m" and "1h" in seconds."""
    if budget is None:
        return None
    seconds = budget
    if isinstance(budget, str):
        units = {"s": 1, "m": 60, "h": 3600}
        try:
            seconds = float(budget[:-1]) * units[budget[-1:]] if budget[-1:] in units else float(budget)
        except ValueError:
            seconds = -1
    if not isinstance(seconds, numbers.Real) or not seconds >= 0:
        raise Error(f"budget={budget!r} is no time", hint='known: seconds, "30s", "5m", "1h"')
    return float(seconds)


def seed_of(seed: Any, name: str = "seed") -> int:
    """None is 1; a RandomState gives one of its numbers."""
    if hasattr(seed, "randint"):
        seed = seed.randint(np.iinfo(np.int32).max)
    if seed is None:
        return 1
    if not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
        raise Error(f"{name}={seed!r} is no seed", hint="a whole number of at least 0")
    return int(seed)
