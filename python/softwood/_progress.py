"""A progress bar: one line on standard error, in notebooks by tqdm where it is there."""

from __future__ import annotations

import sys
import time


class ProgressBar:
    """Called with stage, activity and the share that is done; shows itself after a second."""

    def __init__(self, stream=None):
        self._stream = stream or sys.stderr
        self._start = time.monotonic()
        self._notebook_bar = None
        self._shown = False

    def __call__(self, stage: str, activity: str, share: float) -> None:
        if time.monotonic() - self._start < 1:
            return
        self._shown = True
        label = f"{stage}: {activity}" if activity else stage
        if "ipykernel" in sys.modules and self._in_tqdm(label, share):
            return
        filled = int(20 * share)
        self._stream.write(f"\r[{'#' * filled}{'.' * (20 - filled)}] {100 * share:3.0f} % {label[:50]:50}")
        self._stream.flush()

    def _in_tqdm(self, label: str, share: float) -> bool:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return False
        if self._notebook_bar is None:
            self._notebook_bar = tqdm(total=100, bar_format="{l_bar}{bar}|")
        self._notebook_bar.set_description(label[:50])
        self._notebook_bar.n = int(100 * share)
        self._notebook_bar.refresh()
        return True

    def close(self) -> None:
        if self._notebook_bar is not None:
            self._notebook_bar.close()
        elif self._shown:
            self._stream.write("\r" + " " * 80 + "\r")
            self._stream.flush()
