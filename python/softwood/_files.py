"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile


def write_whole(path: str | os.PathLike, content: bytes) -> None:
    """Writes beside `path`, then moves the file there."""
    path = os.path.realpath(path)
    handle, beside = tempfile.mkstemp(prefix=os.path.basename(path) + ".", dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
